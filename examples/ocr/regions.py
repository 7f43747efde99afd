"""From a map of how likely each pixel belongs to text to the boxes of its lines.

A line is a connected region of the map. Its box is the smallest rectangle, at any angle, round its outline;
as the map was trained on shrunken lines, the box grows by an amount that depends on area and circumference.
"""

import numpy as np


def connected(mask, diagonal):
    """The connected regions of a mask, each an array of runs: row, first column, column after the last."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), np.int8)
    padded[:, 1:-1] = mask
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    ends = np.nonzero(change == -1)[1]
    parent = list(range(len(rows)))

    def root(k):
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    first_of_row = np.searchsorted(rows, np.arange(mask.shape[0] + 1))
    reach = 1 if diagonal else 0
    for row in range(1, mask.shape[0]):
        above, above_end = first_of_row[row - 1], first_of_row[row]
        for k in range(first_of_row[row], first_of_row[row + 1]):
            while above < above_end and ends[above] + reach <= starts[k]:
                above += 1
            other = above
            while other < above_end and starts[other] < ends[k] + reach:
                parent[root(other)] = root(k)
                other += 1
    runs = np.stack([rows, starts, ends], axis=1)
    roots = np.array([root(k) for k in range(len(rows))], np.int64)
    order = np.argsort(roots, kind="stable")
    return np.split(runs[order], np.flatnonzero(np.diff(roots[order])) + 1) if len(rows) else []


def outlines(mask):
    """Points (x, y) whose hull is that of an outline: of each region, and of each hole in one."""
    for runs in connected(mask, diagonal=True):
        yield np.concatenate([runs[:, [1, 0]], np.stack([runs[:, 2] - 1, runs[:, 0]], axis=1)])
    framed = np.pad(~mask, 1, constant_values=True)
    for runs in connected(framed, diagonal=False):
        if (runs[:, 0] > 0).all():  # else it is the outside
            yield _rim(mask, runs - 1)


def _rim(mask, runs):
    """The pixels that touch a hole by a side."""
    points = [runs[:, [1, 0]] - [1, 0], runs[:, [2, 0]]]
    for row, start, end in runs:
        for other in (row - 1, row + 1):
            x = start + np.flatnonzero(mask[other, start:end])
            points.append(np.stack([x, np.full_like(x, other)], axis=1))
    return np.concatenate(points)


def convex_hull(points):
    """Counter-clockwise where y points up, without points on its sides."""
    points = sorted(set(map(tuple, np.asarray(points).tolist())))
    if len(points) < 3:
        return np.array(points, np.float64)

    def half(points):
        chain = []
        for x, y in points:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return np.array(half(points) + half(points[::-1]), np.float64)


def smallest_rectangle(points):
    """The corners of the rectangle of least area round some points, and its shorter side.
    One of its sides lies on a side of the hull."""
    hull = convex_hull(points)
    if len(hull) < 3:
        corners = np.concatenate([hull, hull[::-1]]) if len(hull) == 2 else np.repeat(hull, 4, axis=0)
        return corners.astype(np.float32), 0.0
    sides = np.roll(hull, -1, axis=0) - hull
    along = sides / np.linalg.norm(sides, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    u, v = hull @ along.T, hull @ across.T  # [point, side]
    low_u, high_u, low_v, high_v = u.min(0), u.max(0), v.min(0), v.max(0)
    best = int(np.argmin((high_u - low_u) * (high_v - low_v)))
    corners = [s * along[best] + t * across[best]
               for s, t in ((low_u[best], low_v[best]), (high_u[best], low_v[best]),
                            (high_u[best], high_v[best]), (low_u[best], high_v[best]))]
    shorter = min(high_u[best] - low_u[best], high_v[best] - low_v[best])
    return np.round(np.array(corners), 9).astype(np.float32), float(shorter)


def in_order(corners):
    """Top left, top right, bottom right, bottom left: the two left ones by their height, then the right ones."""
    corners = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = corners[:2], corners[2:]
    top_left, bottom_left = left if left[1, 1] > left[0, 1] else left[::-1]
    top_right, bottom_right = right if right[1, 1] > right[0, 1] else right[::-1]
    return np.array([top_left, top_right, bottom_right, bottom_left])


def mean_inside(values, corners):
    """The mean over the pixels in a quadrilateral, its outline included."""
    height, width = values.shape
    x0, x1 = (int(np.clip(f(corners[:, 0]), 0, width - 1)) for f in (_floor_min, _ceil_max))
    y0, y1 = (int(np.clip(f(corners[:, 1]), 0, height - 1)) for f in (_floor_min, _ceil_max))
    points = (corners - [x0, y0]).astype(np.int64)
    y, x = np.mgrid[0:y1 - y0 + 1, 0:x1 - x0 + 1]
    sides = []
    for (ax, ay), (bx, by) in zip(points, np.roll(points, -1, axis=0)):
        length = max(abs(bx - ax), abs(by - ay), 1)  # half a pixel across the main direction is the outline
        sides.append(((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length)
    inside = np.all([side > -0.5 for side in sides], axis=0) | np.all([side < 0.5 for side in sides], axis=0)
    inside &= (x >= points[:, 0].min()) & (x <= points[:, 0].max())
    inside &= (y >= points[:, 1].min()) & (y <= points[:, 1].max())
    return float(values[y0:y1 + 1, x0:x1 + 1][inside].mean()) if inside.any() else 0.0


def _floor_min(numbers):
    return np.floor(numbers.min())


def _ceil_max(numbers):
    return np.ceil(numbers.max())


def grown(corners, ratio):
    """Points round a quadrilateral at the distance ratio · area / circumference; its corners become arcs.
    Corners and points are whole numbers."""
    distance = ratio * _area(corners.astype(np.float64)) / _circumference(corners.astype(np.float64))
    points = corners.astype(np.int64).astype(np.float64)
    twice = _signed_area(points)
    if twice == 0 or distance <= 0:
        return points
    points = points if twice > 0 else points[::-1]
    sides = np.roll(points, -1, axis=0) - points
    lengths = np.linalg.norm(sides, axis=1, keepdims=True)
    keep = lengths[:, 0] > 0
    points, sides, lengths = points[keep], sides[keep], lengths[keep]
    normals = np.stack([sides[:, 1], -sides[:, 0]], axis=1) / lengths
    return np.concatenate([_arc(point, before, after, distance)
                           for point, before, after in zip(points, np.roll(normals, 1, axis=0), normals)])


def _arc(point, before, after, distance):
    """From one side's normal to the next one's, in chords that stay within a quarter of a pixel of the arc."""
    sine = before[0] * after[1] - after[0] * before[1]
    cosine = float(before @ after)
    if abs(sine * distance) < 1 and cosine > 0:
        return _rounded(point + before * distance)[None]
    per_turn = np.pi / np.arccos(1 - min(0.25, distance * 0.25) / distance)
    per_turn = min(per_turn, distance * np.pi)
    angle = np.arctan2(sine, cosine)
    steps = max(int(per_turn / (2 * np.pi) * abs(angle) + 0.5), 1)
    turn = 2 * np.pi / per_turn * np.arange(steps)
    x = before[0] * np.cos(turn) - before[1] * np.sin(turn)
    y = before[0] * np.sin(turn) + before[1] * np.cos(turn)
    arc = point + np.stack([x, y], axis=1) * distance
    return _rounded(np.concatenate([arc, (point + after * distance)[None]]))


def _rounded(numbers):
    """Halves away from zero."""
    return np.trunc(numbers + np.copysign(0.5, numbers))


def _signed_area(points):
    """Twice the area."""
    x, y = points.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _area(points):
    return abs(_signed_area(points)) / 2


def _circumference(points):
    return float(np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1).sum())


def find_boxes(likely, width, height, threshold=0.3, box_threshold=0.5, ratio=1.6, most=1000):
    """The boxes of text lines in an image of the given size, [n, 4, 2], from a map of any size."""
    mask = likely > threshold
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:, 1:] |= mask[:, :-1]
    wide[1:, 1:] |= mask[:-1, :-1]
    scale = np.array([width / likely.shape[1], height / likely.shape[0]])
    boxes = []
    for count, points in enumerate(outlines(wide)):
        if count == most:
            break
        corners, shorter = smallest_rectangle(points)
        corners = in_order(corners)
        if shorter < 3 or mean_inside(likely, corners) < box_threshold:
            continue
        corners, shorter = smallest_rectangle(grown(corners, ratio))
        if shorter < 5:
            continue
        box = in_order(np.clip(np.round(in_order(corners) * scale), 0, [width, height]))
        box = np.clip(box, 0, [width - 1, height - 1])
        if int(np.linalg.norm(box[0] - box[1])) > 3 and int(np.linalg.norm(box[0] - box[3])) > 3:
            boxes.append(box)
    return in_reading_order(boxes)


def in_reading_order(boxes, same_line=10):
    """From top to bottom; neighbours of about the same height from left to right."""
    boxes = sorted(boxes, key=lambda box: (box[0][1], box[0][0]))
    for i in range(len(boxes) - 1):
        for j in range(i, -1, -1):
            upper, lower = boxes[j][0], boxes[j + 1][0]
            if abs(lower[1] - upper[1]) >= same_line or lower[0] >= upper[0]:
                break
            boxes[j], boxes[j + 1] = boxes[j + 1], boxes[j]
    return boxes
