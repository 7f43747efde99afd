"""Pooling: what lies outside the input takes no part."""

import math

import numpy as np

from .conv import extent, from_nchw, to_nchw
from .numbers import is_float, narrow, operation, wide


def pooled_size(whole, window, stride, dilation, rounding):
    places = (whole - extent(window, dilation)) / stride + 1
    return math.ceil(places) if rounding == "ceil" else math.floor(places)


def windows(x, options):
    """For every output row and column, the cells of its window that lie inside: (h, w, rows, columns)."""
    shape = x.shape[2:]
    window = options["window_dimensions"] or shape
    padding = options["padding"] or [0] * 4
    strides, dilations = options["strides"] or [1, 1], options["dilations"] or [1, 1]
    places = []
    for axis in (0, 1):
        before, after = padding[2 * axis:2 * axis + 2]
        size = (options["output_sizes"] or [None, None])[axis] or pooled_size(
            shape[axis] + before + after, window[axis], strides[axis], dilations[axis],
            options["output_shape_rounding"],
        )
        cells = np.arange(window[axis]) * dilations[axis]
        starts = [at * strides[axis] - before for at in range(size)]
        places.append([[int(c) for c in start + cells if 0 <= c < shape[axis]] for start in starts])
    return places


def _pool(input, function, options):
    """function(cells, outside): cells [n, c, k] to [n, c]."""
    x = to_nchw(wide(input), options["layout"])
    rows, columns = windows(x, options)
    y = np.empty((*x.shape[:2], len(rows), len(columns)), x.dtype)
    for i, inside_rows in enumerate(rows):
        for j, inside_columns in enumerate(columns):
            cells = x[:, :, inside_rows][:, :, :, inside_columns]
            y[:, :, i, j] = function(cells.reshape(*x.shape[:2], -1))
    return narrow(from_nchw(y, options["layout"]), input.dtype)


def _options(window_dimensions=None, padding=None, strides=None, dilations=None, layout="nchw",
             output_shape_rounding="floor", output_sizes=None):
    return locals()


@operation
def average_pool2d(input, **options):
    """Padding and overhang do not count; 0 where nothing is inside."""
    def mean(cells):
        return np.sum(cells, axis=-1) / max(cells.shape[-1], 1)

    return _pool(input, mean, _options(**options))


@operation
def l2_pool2d(input, **options):
    return _pool(input, lambda cells: np.sqrt(np.sum(cells * cells, axis=-1)), _options(**options))


@operation
def max_pool2d(input, **options):
    lowest = -np.inf if is_float(input) else np.iinfo(input.dtype).min
    return _pool(input, lambda cells: np.max(cells, axis=-1, initial=lowest), _options(**options))
