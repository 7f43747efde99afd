"""Normalisations: statistics in two passes."""

import numpy as np

from .numbers import narrow, operation, option, wide


def along(vector, rank, axis, default):
    """A vector laid out along one axis of so many."""
    if vector is None:
        return default
    shape = [1] * rank
    shape[axis] = -1
    return wide(vector).reshape(shape)


@operation
def batch_normalization(input, mean, variance, *, scale=None, bias=None, axis=1, epsilon=1e-5):
    def vector(values, default=None):
        return along(values, input.ndim, axis, default)

    deviation = np.sqrt(vector(variance) + option(epsilon, input.dtype))
    y = vector(scale, 1.0) * (wide(input) - vector(mean)) / deviation + vector(bias, 0.0)
    return narrow(y, input.dtype)


def _normalise(input, axes, scale, bias, epsilon):
    x = wide(input)
    centred = x - np.mean(x, axis=axes, keepdims=True)
    variance = np.mean(centred * centred, axis=axes, keepdims=True)
    return narrow(scale * centred / np.sqrt(variance + option(epsilon, input.dtype)) + bias, input.dtype)


@operation
def instance_normalization(input, *, scale=None, bias=None, epsilon=1e-5, layout="nchw"):
    channel, spatial = (1, (2, 3)) if layout == "nchw" else (3, (1, 2))
    return _normalise(input, spatial, along(scale, 4, channel, 1.0), along(bias, 4, channel, 0.0), epsilon)


def spread_over(values, axes, rank, default):
    """Scale or bias, whose dimension k belongs to axes[k], in the order of the input's dimensions."""
    if values is None:
        return default
    order = np.argsort(axes) if len(axes) else []
    ordered = np.transpose(wide(values), order)
    shape = [1] * rank
    for axis, size in zip(sorted(axes), ordered.shape):
        shape[axis] = size
    return ordered.reshape(shape)


@operation
def layer_normalization(input, *, scale=None, bias=None, axes=None, epsilon=1e-5):
    """Absent axes are all but the first; over no axis the input is its own mean."""
    axes = list(range(1, input.ndim)) if axes is None else list(axes)
    scale, bias = (spread_over(values, axes, input.ndim, default)
                   for values, default in ((scale, 1.0), (bias, 0.0)))
    return _normalise(input, tuple(axes), scale, bias, epsilon)
