"""Images read at places that are only known when the graph runs, and grids of such places."""

import math

import numpy as np

from .node import converts


@converts("GridSample")
def convert_grid_sample(n):
    """Pixels are gathered by coordinates; places run from −1 to 1, x first."""
    x, grid = n.value(0), n.value(1)
    if n.rank(x) != 4 or n.rank(grid) != 4 or grid.shape[3] != 2:
        n.fail(f"an input of rank {n.rank(x)} with places of shape {n.shape(grid)} is not supported")
    mode = n.choice("mode", "bilinear" if n.opset < 20 else "linear", ("bilinear", "linear", "nearest"))
    padding = n.choice("padding_mode", "zeros", ("zeros", "border", "reflection"))
    corners = n.attr("align_corners", 0)
    batch, height, width, _ = grid.shape
    columns, rows = (n.reshape(part, [batch, height, width]) for part in n.b.split(grid, 2, axis=3))
    columns = _places(n, columns, x.shape[3], corners, padding)
    rows = _places(n, rows, x.shape[2], corners, padding)
    pixels = n.b.transpose(x, permutation=[0, 2, 3, 1])
    if mode == "nearest":
        y = _pixels(n, pixels, n.b.round_even(columns), n.b.round_even(rows), padding)
    else:
        y = blend(n, pixels, columns, rows, padding)
    return n.b.transpose(y, permutation=[0, 3, 1, 2])


def _places(n, grid, size, corners, padding):
    """From −1 … 1 to pixels."""
    if corners:
        places = n.b.linear(grid, alpha=(size - 1) / 2, beta=(size - 1) / 2)
    else:
        places = n.b.linear(grid, alpha=size / 2, beta=(size - 1) / 2)
    if padding == "reflection":
        places = _reflected(n, places, size, corners)
    return places if padding == "zeros" else n.b.clamp(places, min_value=0, max_value=size - 1)


def _reflected(n, places, size, corners):
    """To and fro between the outermost pixels' centres, or their outer edges."""
    low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
    span = high - low
    if span == 0:
        return n.b.linear(places, alpha=0)
    way = n.b.linear(n.b.abs(n.b.linear(places, beta=-low)), alpha=1 / (2 * span))
    part = n.b.sub(way, n.b.floor(way))  # of a way there and back
    back = n.b.sub(n.scalar(1, part), part)
    return n.b.linear(n.b.min(part, back), alpha=2 * span, beta=low)


def blend(n, pixels, columns, rows, padding):
    """Of the four pixels [batch, height, width, channels] around each place, by their nearness."""
    left, top = n.b.floor(columns), n.b.floor(rows)
    right_part, lower_part = n.b.sub(columns, left), n.b.sub(rows, top)
    total = None
    for down in (0, 1):
        for along in (0, 1):
            x_part = right_part if along else n.b.linear(right_part, alpha=-1, beta=1)
            y_part = lower_part if down else n.b.linear(lower_part, alpha=-1, beta=1)
            weight = n.b.mul(x_part, y_part)
            value = _pixels(n, pixels, n.b.linear(left, beta=along), n.b.linear(top, beta=down), padding)
            value = n.b.mul(value, n.reshape(weight, [*weight.shape, 1]))
            total = value if total is None else n.b.add(total, value)
    return total


def _pixels(n, pixels, columns, rows, padding):
    """Whole pixels [batch, height, width, channels]; outside the edge's, or zeros."""
    _, height, width, _ = pixels.shape
    shape = [*columns.shape, 1]
    inner_columns = n.b.clamp(columns, min_value=0, max_value=width - 1)
    inner_rows = n.b.clamp(rows, min_value=0, max_value=height - 1)
    batches = np.broadcast_to(np.arange(shape[0], dtype=np.int32).reshape(-1, 1, 1, 1), shape)
    places = [n.reshape(n.b.cast(part, "int32"), shape) for part in (inner_rows, inner_columns)]
    value = n.b.gather_nd(pixels, n.b.concat([batches, *places], 3))
    if padding != "zeros":
        return value
    inside = n.b.logical_and(n.b.equal(columns, inner_columns), n.b.equal(rows, inner_rows))
    return n.b.where(n.reshape(inside, shape), value, n.scalar(0, pixels))


@converts("AffineGrid")
def convert_affine_grid(n):
    """Places of an output's pixels, or voxels, x first, under an affine map for each image."""
    theta, (batch, _, *sizes) = n.value(0), n.sizes(1)
    rank = len(sizes)
    if rank not in (2, 3) or n.shape(theta) != [batch, rank, rank + 1] or min(sizes) < 1:
        n.fail(f"a map of shape {n.shape(theta)} for a size of {sizes} is not supported")
    corners = n.attr("align_corners", 0)
    n.claim(8 * (rank + 1) * math.prod(sizes))
    steps = [np.linspace(-1, 1, size) if corners else (2 * np.arange(size) + 1) / size - 1 for size in sizes]
    places = np.stack([*np.meshgrid(*steps, indexing="ij")[::-1], np.ones(sizes)], axis=-1)
    places = places.reshape(-1, rank + 1).astype(n.type(theta))
    grid = n.b.matmul(places, n.b.transpose(theta, permutation=[0, 2, 1]))
    return n.b.reshape(grid, [batch, *sizes, rank])
