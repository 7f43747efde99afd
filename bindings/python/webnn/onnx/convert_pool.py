"""Pools."""

import math

from .node import converts
from .windows import Window, merge_spatial, narrow, widen


@converts("MaxPool")
def convert_max_pool(n):
    n.ignore("storage_order")  # only of the indices, an output that isn't supported
    x = n.value(0)
    return pool(n, "max_pool2d", x, Window(n, n.shape(x)[2:], n.required("kernel_shape")))


@converts("AveragePool")
def convert_average_pool(n):
    x = n.value(0)
    window = Window(n, n.shape(x)[2:], n.required("kernel_shape"))
    if n.attr("count_include_pad", 0):
        counted = list(window.ends)
        _fit_ends(n, n.shape(x)[2:], window)
        x = _padded(n, x, window, counted)
    return pool(n, "average_pool2d", x, window)


@converts("LpPool")
def convert_lp_pool(n):
    x, p = n.value(0), n.attr("p", 2)
    window = Window(n, n.shape(x)[2:], n.required("kernel_shape"))
    if p == 2:
        return pool(n, "l2_pool2d", x, window)
    if p < 1:
        n.fail(f"attribute p = {p} is not supported")
    _fit_ends(n, n.shape(x)[2:], window)
    x = n.b.abs(x) if p == 1 else n.b.pow(n.b.abs(x), n.scalar(p, x))
    x = _padded(n, x, window, window.ends)  # whole windows, so that a mean is a sum
    y = n.b.linear(pool(n, "average_pool2d", x, window), alpha=math.prod(window.kernel))
    return y if p == 1 else n.b.pow(y, n.scalar(1 / p, y))


def _padded(n, x, window, ends):
    """The padding at the beginnings, and up to `ends` of that at the ends, made zeros of the input."""
    ends = [min(end, fitted) for end, fitted in zip(ends, window.ends)]
    if any(window.begins) or any(ends):
        x = n.b.pad(x, [0, 0, *window.begins], [0, 0, *ends])
        window.begins = [0] * len(ends)
        window.ends = [fitted - end for end, fitted in zip(ends, window.ends)]
    return x


def pool(n, name, x, window):
    """A pool over one, two or three spatial axes. Padding never counts, so ends may be longer than asked for."""
    if n.rank(x) not in (3, 4, 5):
        n.fail(f"an input of rank {n.rank(x)} is not supported")
    _fit_ends(n, n.shape(x)[2:], window)
    if n.rank(x) == 3:
        return narrow(n, _pool2d(n, name, widen(n, x), window.widened()))
    return _pool3d(n, name, x, window) if n.rank(x) == 5 else _pool2d(n, name, x, window)


def _fit_ends(n, sizes, window):
    """Chooses paddings with which rounding down gives ONNX's sizes: rounded as ceil_mode says, but without a
    last window that would begin behind the input and its first padding."""
    ceil = n.attr("ceil_mode", 0)
    if window.fitted:
        return
    window.fitted = True
    for axis, size in enumerate(sizes):
        stride, extent, begin = window.strides[axis], window.extents[axis], window.begins[axis]
        room = size + begin + window.ends[axis] - extent
        if room < 0:
            n.fail(f"the window {window.kernel} is larger than the padded input {sizes}")
        steps = -(-room // stride) if ceil else room // stride
        if ceil and steps * stride >= size + begin:
            steps -= 1
        least = steps * stride + extent - size - begin
        window.ends[axis] = min(max(window.ends[axis], least), least + stride - 1)


def _pool2d(n, name, x, window):
    return getattr(n.b, name)(x, window_dimensions=window.kernel, padding=window.padding(), strides=window.strides,
                              dilations=window.dilations)


def _pool3d(n, name, x, window):
    """First over the plane, then along the depth: right for maxima, and for means of whole windows."""
    begins, ends, strides, dilations = window.begins, window.ends, window.strides, window.dilations
    if name != "max_pool2d" and (any(begins) or any(ends)):
        n.fail("windows that reach over the edge are not supported with three spatial axes")
    batch, channels, depth, height, width = x.shape
    y = getattr(n.b, name)(n.b.reshape(x, [batch, channels * depth, height, width]),
                           window_dimensions=window.kernel[1:], padding=[begins[1], ends[1], begins[2], ends[2]],
                           strides=strides[1:], dilations=dilations[1:])
    height, width = y.shape[2:]
    y = getattr(n.b, name)(n.b.reshape(y, [batch, channels, depth, height * width]),
                           window_dimensions=[window.kernel[0], 1], padding=[begins[0], ends[0], 0, 0],
                           strides=[strides[0], 1], dilations=[dilations[0], 1])
    return n.b.reshape(y, [batch, channels, y.shape[2], height, width])


@converts("GlobalAveragePool", "GlobalMaxPool")
def convert_global(n):
    x = n.value(0)
    pooled = "average_pool2d" if n.op_type == "GlobalAveragePool" else "max_pool2d"
    plane = x if n.rank(x) == 4 else merge_spatial(n, x)
    return n.reshape(getattr(n.b, pooled)(plane), n.shape(x)[:2] + [1] * (n.rank(x) - 2))


@converts("GlobalLpPool")
def convert_global_lp(n):
    x, p = n.value(0, least=3), n.attr("p", 2)
    if p not in (1, 2):
        n.fail(f"attribute p = {p} is not supported, only 1 and 2")
    reduce = n.b.reduce_l1 if p == 1 else n.b.reduce_l2
    return reduce(x, axes=list(range(2, n.rank(x))), keep_dimensions=True)
