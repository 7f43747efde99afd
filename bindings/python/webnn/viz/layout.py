"""Where boxes go: layers by longest path, few crossings, edges as straight as can be.

The classic four steps for layered drawings. Boxes are numbered, and every edge leads from a lower number to a higher
one. An edge over several layers gets a place to pass in each; edges from one port share these places.
"""

import bisect
import dataclasses

from .columns import Columns

_SWEEPS, _PATIENCE = 24, 6  # at most so many, and so many that bring nothing
_COLUMN_GAP, _LANE_GAP, _LANE = 28, 18, 2
_LAYER_GAP = 34


@dataclasses.dataclass
class Box:
    """What is drawn; x is its middle, y its top."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


@dataclasses.dataclass
class Layout:
    width: float
    height: float
    routes: list  # of each edge: its points from layer to layer, [x, y of the layer's top, y of its bottom]


def arrange(boxes, edges):
    """Places the boxes. `edges` is a list of (source, port, target)."""
    layers = _Layers(boxes, edges)
    layers.order()
    layers.place()
    return layers.finish()


class _Layers:
    """Boxes and lanes (the places where edges pass) as numbered items, lanes after the boxes."""

    def __init__(self, boxes, edges):
        self.boxes = boxes
        self.edges = edges
        self.rank = _ranks(len(boxes), edges)
        self.width = [box.width for box in boxes]
        self.up = [[] for _ in boxes]
        self.down = [[] for _ in boxes]
        self.paths = [None] * len(edges)  # of each edge: the lanes that it takes
        self.add_lanes()
        self.rows = [[] for _ in range(max(self.rank, default=-1) + 1)]
        for item in self.first_order():
            self.rows[self.rank[item]].append(item)
        self.renumber()

    def add_lanes(self):
        bundles = {}
        for i, (source, port, target) in enumerate(self.edges):
            bundles.setdefault((source, port), []).append((self.rank[target], i))
        for (source, _), members in bundles.items():
            lanes = []
            for rank in range(self.rank[source] + 1, max(members)[0]):
                lanes.append(len(self.width))
                self.width.append(_LANE)
                self.rank.append(rank)
                self.up.append([])
                self.down.append([])
                self.connect(lanes[-2] if len(lanes) > 1 else source, lanes[-1])
            for rank, i in members:
                self.paths[i] = lanes[: rank - self.rank[source] - 1]
                self.connect(self.paths[i][-1] if self.paths[i] else source, self.edges[i][2])

    def connect(self, upper, lower):
        self.down[upper].append(lower)
        self.up[lower].append(upper)

    def is_lane(self, item):
        return item >= len(self.boxes)

    # ---- order within the rows

    def first_order(self):
        """Depth first from the top, so that what belongs together begins side by side."""
        seen = [False] * len(self.width)
        for start in range(len(self.width)):
            stack = [start]
            while stack:
                item = stack.pop()
                if not seen[item]:
                    seen[item] = True
                    yield item
                    stack.extend(reversed(self.down[item]))

    def renumber(self):
        self.at = [0] * len(self.width)
        for row in self.rows:
            for i, item in enumerate(row):
                self.at[item] = i

    def crossings(self):
        total = 0
        for row in self.rows[:-1]:
            ends = [end for item in row for end in sorted(self.at[lower] for lower in self.down[item])]
            total += _inversions(ends)
        return total

    def order(self):
        best, fewest, idle = [list(row) for row in self.rows], self.crossings(), 0
        for sweep in range(_SWEEPS):
            if fewest == 0 or idle == _PATIENCE:
                break
            downwards = sweep % 2 == 0
            neighbours = self.up if downwards else self.down
            for row in self.rows if downwards else reversed(self.rows):
                self.sort(row, neighbours)
            crossings = self.crossings()
            idle += 1
            if crossings < fewest:
                best, fewest, idle = [list(row) for row in self.rows], crossings, 0
        self.rows = best
        self.renumber()

    def sort(self, row, neighbours):
        """By the middle of the neighbours; who has none keeps its place."""
        keys = {}
        for item in row:
            places = [self.at[other] for other in neighbours[item]]
            keys[item] = sum(places) / len(places) if places else self.at[item]
        row.sort(key=keys.__getitem__)
        for i, item in enumerate(row):
            self.at[item] = i

    # ---- places

    def gap(self, left, right):
        """How far apart the middles of two items are at least."""
        lanes = self.is_lane(left) and self.is_lane(right)
        return (self.width[left] + self.width[right]) / 2 + (_LANE_GAP if lanes else _COLUMN_GAP)

    def place(self):
        self.x = Columns(self.rows, self.up, self.down, self.is_lane, self.gap).places() if self.rows else []

    def finish(self):
        left = min((self.x[i] - self.width[i] / 2 for i in range(len(self.width))), default=0)
        right = max((self.x[i] + self.width[i] / 2 for i in range(len(self.width))), default=0)
        tops, bottoms, y = [], [], 0.0
        for row in self.rows:
            boxes = [item for item in row if not self.is_lane(item)]
            tops.append(y)
            y += max((self.boxes[item].height for item in boxes), default=0)
            bottoms.append(y)
            y += _LAYER_GAP
        for i, box in enumerate(self.boxes):
            box.x, box.y = self.x[i] - left, tops[self.rank[i]]
        routes = []
        for source, lanes in zip((edge[0] for edge in self.edges), self.paths):
            ranks = [self.rank[lane] for lane in lanes]
            start = (self.boxes[source].x, tops[self.rank[source]], bottoms[self.rank[source]])
            routes.append([start, *((self.x[lane] - left, tops[r], bottoms[r]) for lane, r in zip(lanes, ranks))])
        return Layout(right - left, max(y - _LAYER_GAP, 0), routes)


def _ranks(n, edges):
    """The longest path to each box; then what comes from nowhere moves down to where it is used."""
    above, below = [[] for _ in range(n)], [[] for _ in range(n)]
    for source, _, target in edges:
        above[target].append(source)
        below[source].append(target)
    rank = [0] * n
    for item in range(n):
        rank[item] = max((rank[other] + 1 for other in above[item]), default=0)
    loose = [False] * n
    for item in range(n):
        loose[item] = all(loose[other] and len(set(below[other])) == 1 for other in above[item])
    for item in reversed(range(n)):
        if loose[item] and below[item]:
            rank[item] = min(rank[other] for other in below[item]) - 1
    return rank


def _inversions(values):
    """How many pairs stand the wrong way round."""
    seen, total = [], 0
    for value in values:
        i = bisect.bisect_right(seen, value)
        total += len(seen) - i
        seen.insert(i, value)
    return total
