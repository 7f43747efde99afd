"""What an element of a sum is made of: how many terms, and how large they are together.

The error of a sum is bounded by the sizes of its terms and not by the result, which cancellation may make small.
"""

import math

import numpy as np

from .reference import OPERATIONS
from .reference.conv import from_nchw, padded, to_nchw, window_count
from .reference.reduce import reduced_axes

LARGEST = float(np.finfo(np.float32).max)
LEAST = float(np.finfo(np.float32).tiny)


def _sizes(value):
    """Finite magnitudes in float64; what isn't finite decides by itself."""
    if isinstance(value, np.ndarray):
        wide = np.absolute(value.astype(np.float64)) if value.dtype.kind == "f" else value
        return np.where(np.isfinite(wide), wide, 0.0) if value.dtype.kind == "f" else value
    if isinstance(value, float):
        return abs(value) if math.isfinite(value) else 0.0
    return value


def _on_sizes(name, args, options):
    return OPERATIONS[name](*map(_sizes, args), **{key: _sizes(value) for key, value in options.items()})


def _reduced_count(x, options):
    return math.prod(x.shape[axis] for axis in reduced_axes(x, options.get("axes")))


def _count(name, args, options):
    """The number of terms of the longest sum."""
    x = args[0]
    if name in ("conv2d", "conv_transpose2d"):
        transposed = name == "conv_transpose2d"
        layout = options.get("filter_layout", "iohw" if transposed else "oihw")
        return window_count(args[1].shape, layout, options.get("groups", 1), transposed)
    if name == "matmul":
        return x.shape[-1]
    if name == "gemm":
        return x.shape[0 if options.get("a_transpose") else 1]
    if name in ("softmax", "cumulative_sum"):
        return x.shape[args[1]]
    if name.endswith("_pool2d"):
        spatial = x.shape[1:3] if options.get("layout") == "nhwc" else x.shape[2:]
        return math.prod(options.get("window_dimensions") or spatial)
    return _reduced_count(x, options)


def _product(args, options):
    """Sizes of the result; the largest and the least that some order of multiplying may meet."""
    sizes = _sizes(args[0])
    multiply = OPERATIONS["reduce_product"]
    peak = multiply(np.maximum(sizes, 1), **options)
    least = multiply(np.where(sizes == 0, 1, np.minimum(sizes, 1)), **options)
    return multiply(sizes, **options), np.where(least < LEAST, np.inf, peak)


def _log_sum(args, options):
    total = OPERATIONS["reduce_sum"](args[0].astype(np.float64), **options)
    sizes = _on_sizes("reduce_sum", args, options)
    lost = sizes * _count("reduce_log_sum", args, options) * 2.0**-22 > np.absolute(total)
    return np.absolute(np.log(total)) + sizes / np.absolute(total), np.where(lost, np.inf, sizes)


def _log_sum_exp(args, options):
    x = np.where(np.isfinite(args[0]), args[0], 0).astype(np.float64)
    size = _on_sizes("reduce_max", args, options) + np.absolute(OPERATIONS["reduce_log_sum_exp"](x, **options))
    return np.maximum(size, 1), size


def _softmax(args, options):
    """The difference to the maximum is rounded, and its exponential multiplies that error."""
    x, axis = args[0].astype(np.float64), args[1]
    below = np.max(x, axis=axis, keepdims=True) - x
    size = OPERATIONS["softmax"](x, axis) * (1 + below)
    return np.where(np.isfinite(size), size, 0), np.zeros_like(size)


def _gemm(args, options):
    """The factors may come first or last: beta, unless it is tiny, as a factor of the sum, divided by it before."""
    size = _on_sizes("gemm", args, options)
    plain = _on_sizes("gemm", args, {**options, "alpha": 1.0, "beta": 1.0})
    beta = max(abs(float(options.get("beta", 1.0))), 2.0**-16)
    return size, np.maximum(size / beta if beta < 1 else size, plain)


def _conv(args, options):
    """Where a filter's infinity or NaN meets padding it is left open whether 0 is multiplied with it."""
    size = _on_sizes("conv2d", args, options)
    strange = np.where(np.isfinite(args[1]), 0.0, 1.0)
    image = np.ones(args[0].shape)
    options = {key: value for key, value in options.items() if key != "bias"}
    inside = OPERATIONS["conv2d"](image, strange, **options)
    layout, padding = options.get("input_layout", "nchw"), options.get("padding") or [0] * 4
    image = from_nchw(padded(to_nchw(image, layout), padding, 1.0), layout)
    everywhere = OPERATIONS["conv2d"](image, strange, **{**options, "padding": None})
    return size, np.where(everywhere > inside, np.inf, size)


_SPECIAL = {
    "conv2d": _conv, "gemm": _gemm, "reduce_log_sum": _log_sum, "reduce_log_sum_exp": _log_sum_exp,
    "reduce_product": _product, "softmax": _softmax,
}


def terms(name, args, options):
    """(count, size of the terms by element, largest number on the way)."""
    with np.errstate(all="ignore"):
        count = _count(name, args, options)
        if name in _SPECIAL:
            size, peak = _SPECIAL[name](args, options)
        else:
            size = _on_sizes(name, args, options)
            peak = size
            if name in ("reduce_mean", "average_pool2d"):
                peak = size * count
            elif name in ("reduce_l2", "l2_pool2d"):
                # Squares below the least float32 vanish; above the largest the sum is infinite.
                peak, size = size * size, size + math.sqrt(count) * 2.0**-74 * 2.0**22
    return count, size, peak
