"""Reductions, running sums, positions of extremes."""

import numpy as np

from .numbers import narrow, operation, wide


def reduced_axes(input, axes):
    return tuple(range(input.ndim)) if axes is None else tuple(axes)


def _sum(x, axes, keep):
    """float64 pairwise, integers in their own type: they wrap."""
    return np.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)


def _reduce(function, input, axes, keep_dimensions):
    axes = reduced_axes(input, axes)
    return narrow(function(wide(input), axes, keep_dimensions), input.dtype)


@operation
def reduce_l1(input, *, axes=None, keep_dimensions=False):
    return _reduce(lambda x, *how: _sum(np.absolute(x), *how), input, axes, keep_dimensions)


@operation
def reduce_l2(input, *, axes=None, keep_dimensions=False):
    return _reduce(lambda x, *how: np.sqrt(_sum(x * x, *how)), input, axes, keep_dimensions)


@operation
def reduce_log_sum(input, *, axes=None, keep_dimensions=False):
    return _reduce(lambda x, *how: np.log(_sum(x, *how)), input, axes, keep_dimensions)


def _log_sum_exp(x, axes, keep):
    """Shifted by the maximum where that is finite, so that nothing overflows."""
    top = np.max(x, axis=axes, keepdims=True)
    shift = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(x - shift), axis=axes, keepdims=True)) + shift
    return total if keep else np.squeeze(total, axis=axes)


@operation
def reduce_log_sum_exp(input, *, axes=None, keep_dimensions=False):
    return _reduce(_log_sum_exp, input, axes, keep_dimensions)


@operation
def reduce_max(input, *, axes=None, keep_dimensions=False):
    return np.asarray(np.max(input, axis=reduced_axes(input, axes), keepdims=keep_dimensions))


@operation
def reduce_mean(input, *, axes=None, keep_dimensions=False):
    return _reduce(lambda x, axes, keep: np.mean(x, axis=axes, keepdims=keep), input, axes, keep_dimensions)


@operation
def reduce_min(input, *, axes=None, keep_dimensions=False):
    return np.asarray(np.min(input, axis=reduced_axes(input, axes), keepdims=keep_dimensions))


@operation
def reduce_product(input, *, axes=None, keep_dimensions=False):
    return _reduce(
        lambda x, axes, keep: np.prod(x, axis=axes, keepdims=keep, dtype=x.dtype), input, axes, keep_dimensions
    )


@operation
def reduce_sum(input, *, axes=None, keep_dimensions=False):
    return _reduce(_sum, input, axes, keep_dimensions)


@operation
def reduce_sum_square(input, *, axes=None, keep_dimensions=False):
    return _reduce(lambda x, *how: _sum(x * x, *how), input, axes, keep_dimensions)


@operation
def cumulative_sum(input, axis, *, exclusive=False, reversed=False):
    x = np.flip(wide(input), axis) if reversed else wide(input)
    if exclusive:
        # The last element is in no sum and a 0 starts them.
        start = np.zeros_like(np.take(x, [0], axis))
        x = np.concatenate([start, np.take(x, range(x.shape[axis] - 1), axis)], axis)
    total = np.cumsum(x, axis=axis, dtype=x.dtype)
    return narrow(np.flip(total, axis) if reversed else total, input.dtype)


def _position(function, input, axis, keep_dimensions, output_data_type):
    found = function(input, axis=axis).astype(output_data_type)
    return np.expand_dims(found, axis) if keep_dimensions else np.asarray(found)


@operation
def arg_min(input, axis, *, keep_dimensions=False, output_data_type="int32"):
    """The lowest position of equals; the first NaN before all."""
    return _position(np.argmin, input, axis, keep_dimensions, output_data_type)


@operation
def arg_max(input, axis, *, keep_dimensions=False, output_data_type="int32"):
    return _position(np.argmax, input, axis, keep_dimensions, output_data_type)
