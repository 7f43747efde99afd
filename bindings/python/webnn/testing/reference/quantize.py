"""Quantisation, block by block."""

import numpy as np

from .numbers import half_even, narrow, operation, to_integer, wide


def blockwise(values, shape):
    """Repeats each element so that the whole has that shape."""
    for axis, size in enumerate(shape):
        values = np.repeat(values, size // values.shape[axis], axis)
    return values


@operation
def dequantize_linear(input, scale, zero_point):
    """The difference is exact, 32-bit types included."""
    zero = blockwise(zero_point, input.shape).astype(np.int64)
    factor = wide(blockwise(scale, input.shape))
    return narrow((input.astype(np.int64) - zero).astype(factor.dtype) * factor, scale.dtype)


@operation
def quantize_linear(input, scale, zero_point):
    """Rounds x/scale, halves to even, then adds the zero point without an error; NaN gives the zero point."""
    zero = blockwise(zero_point, input.shape).astype(np.float64)
    levels = half_even(wide(input) / wide(blockwise(scale, input.shape))).astype(np.float64)
    return to_integer(np.where(np.isnan(levels), 0, levels) + zero, zero_point.dtype)
