"""Operations that move elements and change none."""

import numpy as np

from .numbers import cast_number, operation

_PAD_MODES = {"edge": "edge", "reflection": "reflect", "symmetric": "symmetric"}


@operation
def concat(inputs, axis):
    return np.concatenate(inputs, axis)


@operation
def expand(input, new_shape):
    return np.array(np.broadcast_to(input, new_shape))


@operation
def pad(input, beginning_padding, ending_padding, *, mode="constant", value=0):
    widths = list(zip(beginning_padding, ending_padding))
    if not widths:
        return np.array(input)
    if mode == "constant":
        return np.pad(input, widths, constant_values=cast_number(value, input.dtype))
    return np.pad(input, widths, mode=_PAD_MODES[mode])


@operation
def reshape(input, new_shape):
    return np.array(input).reshape(new_shape)


@operation
def reverse(input, *, axes=None):
    return np.array(np.flip(input, tuple(range(input.ndim)) if axes is None else tuple(axes)))


@operation
def slice(input, starts, sizes, *, strides=None):
    """Sizes are counted before striding."""
    steps = strides if strides is not None else [1] * input.ndim
    ranges = [range(start, start + size, step) for start, size, step in zip(starts, sizes, steps)]
    return np.array(input[np.ix_(*ranges)]) if ranges else np.array(input)


@operation
def split(input, splits, *, axis=0):
    if isinstance(splits, int):
        return tuple(np.split(input, splits, axis))
    return tuple(np.split(input, np.cumsum(splits)[:-1], axis))


@operation
def squeeze(input, *, axes=None):
    """An extension of the builder's: drops dimensions of size 1."""
    return np.array(np.squeeze(input, None if axes is None else tuple(axes)))


@operation
def tile(input, repetitions):
    return np.array(np.tile(input, repetitions))


@operation
def transpose(input, *, permutation=None):
    return np.array(np.transpose(input, permutation))
