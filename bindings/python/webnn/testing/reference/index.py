"""Gathers, scatters, selection. An index counts from the end where it is negative, and is then clamped."""

import numpy as np

from .numbers import operation


def valid(indices, size):
    """Positions in 0 … size − 1."""
    indices = indices.astype(np.int64)
    return np.clip(np.where(indices < 0, indices + size, indices), 0, size - 1)


@operation
def gather(input, indices, *, axis=0):
    return np.asarray(np.take(input, valid(indices, input.shape[axis]), axis))


@operation
def gather_elements(input, indices, *, axis=0):
    return np.take_along_axis(input, valid(indices, input.shape[axis]), axis)


def _coordinates(indices, shape):
    return tuple(valid(indices[..., k], shape[k]) for k in range(indices.shape[-1]))


@operation
def gather_nd(input, indices):
    return np.array(input[_coordinates(indices, input.shape)])


@operation
def scatter_elements(input, indices, updates, *, axis=0):
    """In row-major order of the indices: the last of duplicates wins."""
    result = np.array(input)
    along = valid(indices, input.shape[axis])
    for at in np.ndindex(*indices.shape):
        result[(*at[:axis], along[at], *at[axis + 1:])] = updates[at]
    return result


@operation
def scatter_nd(input, indices, updates):
    result = np.array(input)
    coordinates = _coordinates(indices, input.shape)
    for at in np.ndindex(*indices.shape[:-1]):
        result[tuple(coordinate[at] for coordinate in coordinates)] = updates[at]
    return result


@operation
def where(condition, true_value, false_value):
    return np.where(condition != 0, true_value, false_value)
