"""Horizontal places in a layered drawing, after Brandes and Köpf: chains stand in straight columns.

Items are aligned with a middle neighbour of the row before, from the left and from the right, from the top and from
the bottom; each of the four placements is as narrow as it can be, and an item ends in the middle of its four places.
"""

_ROUNDS = 4


class Columns:
    """`rows` are lists of items in order, `up` and `down` their neighbours, `gap(left, right)` the least distance."""

    def __init__(self, rows, up, down, is_lane, gap):
        self.rows = rows
        self.sides = (up, down)
        self.is_lane = is_lane
        self.gap = gap
        self.n = sum(map(len, rows))
        self.at = [0] * self.n
        self.row_of = [None] * self.n
        for row in rows:
            for i, item in enumerate(row):
                self.at[item] = i
                self.row_of[item] = row
        self.conflicts = set(self.crossing_lanes())

    def places(self):
        four = [self.one(from_top, from_left) for from_top in (True, False) for from_left in (True, False)]
        narrowest = min(four, key=lambda xs: max(xs) - min(xs))
        for k, xs in enumerate(four):
            from_left = k % 2 == 0
            shift = min(narrowest) - min(xs) if from_left else max(narrowest) - max(xs)
            four[k] = [x + shift for x in xs]
        xs = [sum(sorted(four_of_one)[1:3]) / 2 for four_of_one in zip(*four)]
        for _ in range(_ROUNDS):
            for column in self.columns(xs):
                self.draw_in(xs, column)
        return xs

    def crossing_lanes(self):
        """Edges that cross a piece of a long one: it stays straight, they give way."""
        up = self.sides[0]
        for row in self.rows[1:]:
            inner = [(self.at[up[item][0]], self.at[item]) for item in row
                     if self.is_lane(item) and up[item] and self.is_lane(up[item][0])]
            for item in row if inner else ():
                for other in up[item]:
                    if self.is_lane(item) and self.is_lane(other):
                        continue
                    edge = (self.at[other], self.at[item])
                    if any((upper - edge[0]) * (lower - edge[1]) < 0 for upper, lower in inner):
                        yield other, item

    def one(self, from_top, from_left):
        rows = self.rows if from_top else self.rows[::-1]
        if not from_left:
            rows = [row[::-1] for row in rows]
        blocks = self.align(rows, self.sides[0 if from_top else 1], 1 if from_left else -1)
        xs = self.compact(rows, blocks, from_left)
        return xs if from_left else [-x for x in xs]

    def align(self, rows, neighbours, sign):
        """Of each item the first one of its column."""
        first, taken = list(range(self.n)), [False] * self.n
        for row in rows:
            last = -self.n if sign < 0 else -1
            for item in row:
                others = sorted(neighbours[item], key=lambda other: sign * self.at[other])
                middles = others[(len(others) - 1) // 2 : len(others) // 2 + 1]
                for other in middles:
                    free = not taken[other] and first[item] == item and sign * self.at[other] > last
                    if free and (other, item) not in self.conflicts and (item, other) not in self.conflicts:
                        taken[other] = True
                        first[item] = first[other]
                        last = sign * self.at[other]
        return first

    def compact(self, rows, first, from_left):
        """As far to the left as the columns allow, then each as far to the right as nothing has to move for it."""
        after, before = [{} for _ in range(self.n)], [{} for _ in range(self.n)]
        for row in rows:
            for left, right in zip(row, row[1:]):
                gap = self.gap(left, right) if from_left else self.gap(right, left)
                a, b = first[left], first[right]
                after[a][b] = before[b][a] = max(gap, after[a].get(b, 0))
        order = self.sort(first, after, before)
        xs = [0.0] * self.n
        for block in order:
            xs[block] = max((xs[other] + gap for other, gap in before[block].items()), default=0.0)
        for block in reversed(order):
            if before[block] and after[block]:
                xs[block] = max(xs[block], min(xs[other] - gap for other, gap in after[block].items()))
        return [xs[first[item]] for item in range(self.n)]

    # ---- what stands away from its neighbours, with nothing in between, draws near

    def columns(self, xs):
        """Connected items that stand below one another; those with boxes first."""
        seen, found = [False] * self.n, []
        for start in range(self.n):
            column = [] if seen[start] else [start]
            seen[start] = True
            for item in column:
                for other in (*self.sides[0][item], *self.sides[1][item]):
                    if not seen[other] and abs(xs[other] - xs[item]) < 0.01:
                        seen[other] = True
                        column.append(other)
            found.append(column)
        return sorted(filter(None, found), key=lambda column: all(map(self.is_lane, column)))

    def draw_in(self, xs, column):
        """Moves a whole column towards what it is connected with, as far as there is room."""
        x, members = xs[column[0]], set(column)
        others = [xs[other] for item in column for side in self.sides for other in side[item] if other not in members]
        if not others:
            return
        low, high = float("-inf"), float("inf")
        for item in column:
            row, i = self.row_of[item], self.at[item]
            if i > 0:
                low = max(low, xs[row[i - 1]] + self.gap(row[i - 1], item))
            if i + 1 < len(row):
                high = min(high, xs[row[i + 1]] - self.gap(item, row[i + 1]))
        wish = min(max(sum(others) / len(others), low), high)
        if abs(wish - x) > 0.01 and low <= high:
            for item in column:
                xs[item] = wish

    def sort(self, first, after, before):
        """Columns from left to right."""
        waiting = [len(others) for others in before]
        ready = [item for item in range(self.n) if first[item] == item and not waiting[item]]
        for block in ready:
            for other in after[block]:
                waiting[other] -= 1
                if not waiting[other]:
                    ready.append(other)
        return ready
