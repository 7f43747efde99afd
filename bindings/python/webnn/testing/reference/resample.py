"""resample2d: half-pixel centres, clamped to the edge."""

import math

import numpy as np

from .numbers import half_even, is_float, narrow, operation, to_integer, wide


def target_sizes(shape, scales, sizes, axes):
    """sizes, or what the scales, which are float32, leave of each dimension."""
    if sizes is not None:
        return list(sizes)
    scales = [1.0, 1.0] if scales is None else scales
    return [math.floor(shape[axis] * float(np.float32(scale))) for axis, scale in zip(axes, scales)]


def _centres(before, after):
    """Where the centre of each output element lies among the input's, from the sizes and never the scales."""
    return np.clip((np.arange(after) + 0.5) * before / after - 0.5, 0, before - 1)


def _nearest(x, axis, size):
    """Halves go down."""
    return np.take(x, np.ceil(_centres(x.shape[axis], size) - 0.5).astype(int), axis)


def _linear(x, axis, size):
    centres = _centres(x.shape[axis], size)
    low, high = np.floor(centres).astype(int), np.ceil(centres).astype(int)
    share = (centres - low).astype(x.dtype).reshape([-1 if k == axis else 1 for k in range(x.ndim)])
    first, second = np.take(x, low, axis), np.take(x, high, axis)
    return np.where(share == 0, first, first * (1 - share) + second * share)


@operation
def resample2d(input, *, mode="nearest-neighbor", scales=None, sizes=None, axes=None):
    axes = [2, 3] if axes is None else axes
    targets = target_sizes(input.shape, scales, sizes, axes)
    if mode == "nearest-neighbor":
        for axis, size in zip(axes, targets):
            input = _nearest(input, axis, size)
        return np.array(input)
    # Of integers each step is rounded to float32, along the first axis and then along the second: that decides ties.
    y = wide(input) if is_float(input) else input.astype(np.float32)
    for axis, size in sorted(zip(axes, targets)):
        y = _linear(y, axis, size)
    return narrow(y, input.dtype) if is_float(input) else to_integer(y, input.dtype, half_even)
