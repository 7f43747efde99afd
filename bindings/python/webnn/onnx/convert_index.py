"""Gathers and scatters."""

import math

import numpy as np

from .node import FOLD_LIMIT, converts, is_constant

_COMBINE = {"add": "add", "mul": "mul", "max": "max", "min": "min"}


@converts("Gather")
def convert_gather(n):
    x, places = n.value(0), n.value(1)
    axis = n.axis(n.attr("axis", 0), n.rank(x))
    shape = [*x.shape[:axis], *places.shape, *x.shape[axis + 1:]]
    if 0 in shape:
        return n.empty(shape, x)
    _check_bounds(n, places, x.shape[axis])
    return n.b.gather(x, places, axis=axis)


@converts("GatherElements")
def convert_gather_elements(n):
    """The other axes of the indices may be shorter than the input's, which is cut to them first."""
    x, places = n.value(0), n.value(1)
    axis = n.axis(n.attr("axis", 0), n.rank(x))
    if n.rank(places) != n.rank(x):
        n.fail(f"indices of shape {n.shape(places)} don't fit the input's {n.shape(x)}")
    _check_bounds(n, places, x.shape[axis])
    sizes = [have if other == axis else want for other, (have, want) in enumerate(zip(x.shape, places.shape))]
    if sizes != n.shape(x):
        x = n.b.slice(x, [0] * n.rank(x), sizes)
    return n.b.gather_elements(x, places, axis=axis)


@converts("GatherND")
def convert_gather_nd(n):
    """Batch axes become further coordinates."""
    x, places, batch_dims = n.value(0), n.value(1), n.attr("batch_dims", 0)
    if not 0 <= batch_dims < min(n.rank(x), n.rank(places)):
        n.fail(f"attribute batch_dims = {batch_dims} doesn't fit {n.shape(x)} and {n.shape(places)}")
    if batch_dims == 0:
        return n.b.gather_nd(x, places)
    _check_grid(n, places, 1)
    lead, middle, last = places.shape[:batch_dims], places.shape[batch_dims:-1], places.shape[-1]
    if list(lead) != list(x.shape[:batch_dims]):
        n.fail(f"the first {batch_dims} axes of {n.shape(x)} and {n.shape(places)} differ")
    batch, rest = math.prod(lead), [int(size) for size in x.shape[batch_dims:]]
    rows = np.broadcast_to(np.arange(batch).reshape(-1, 1, 1), (batch, math.prod(middle), 1))
    places = n.reshape(places, [batch, math.prod(middle), last])
    places = n.b.concat([rows.astype(n.type(places)), places], 2)
    y = n.b.gather_nd(n.reshape(x, [batch, *rest]), places)
    return n.reshape(y, [*lead, *middle, *rest[last:]])


@converts("ScatterElements", "Scatter")
def convert_scatter_elements(n):
    x, places, updates = n.value(0), n.value(1), n.value(2)
    axis, reduction = n.axis(n.attr("axis", 0), n.rank(x)), n.attr("reduction", "none")
    if n.rank(places) != n.rank(x) or any(want > have for other, (have, want) in enumerate(zip(x.shape, places.shape))
                                          if other != axis):
        n.fail(f"indices of shape {n.shape(places)} don't fit the input's {n.shape(x)}")
    _check_bounds(n, places, x.shape[axis])
    if reduction != "none":
        step = _combine(n, reduction)
        _check_grid(n, n.array(1), n.rank(x))
        grid = np.indices(n.array(1).shape)
        grid[axis] = places % x.shape[axis]
        _check_distinct(n, np.ravel_multi_index(tuple(grid), tuple(x.shape)), reduction)
        sizes = [have if other == axis else want for other, (have, want) in enumerate(zip(x.shape, places.shape))]
        old = n.b.gather_elements(n.b.slice(x, [0] * n.rank(x), sizes), places, axis=axis)
        updates = step(old, updates)
    return _scattered(n, x, places, updates, axis)


def _scattered(n, x, places, updates, axis):
    """Indices that are shorter than the input on other axes are written out as coordinates."""
    if all(have == want for other, (have, want) in enumerate(zip(x.shape, places.shape)) if other != axis):
        return n.b.scatter_elements(x, places, updates, axis=axis)
    _check_grid(n, places, n.rank(x))
    kind = n.type(places)
    column = [*places.shape, 1]
    if is_constant(places):
        grid = np.indices(places.shape)
        grid[axis] = places
        return n.b.scatter_nd(x, np.moveaxis(grid, 0, -1).astype(kind), updates)
    parts = list(np.indices(tuple(places.shape)).astype(kind).reshape(n.rank(x), *column))
    parts[axis] = n.reshape(places, column)
    return n.b.scatter_nd(x, n.b.concat(parts, n.rank(x)), updates)


@converts("ScatterND")
def convert_scatter_nd(n):
    x, places, updates = n.value(0), n.value(1, least=1), n.value(2)
    if places.shape[-1] > n.rank(x):
        n.fail(f"indices of shape {n.shape(places)} don't fit the input's {n.shape(x)}")
    reduction = n.attr("reduction", "none")
    if reduction != "none":
        step = _combine(n, reduction)
        _check_grid(n, n.array(1), 1)
        last = places.shape[-1]
        for axis in range(last):
            _check_bounds(n, places[..., axis], x.shape[axis])
        wrapped = tuple(np.moveaxis(places, -1, 0) % np.array(x.shape[:last]).reshape([-1] + [1] * (places.ndim - 1)))
        _check_distinct(n, np.ravel_multi_index(wrapped, tuple(x.shape[:last])), reduction)
        updates = step(n.b.gather_nd(x, places), updates)
    return n.b.scatter_nd(x, places, updates)


def _combine(n, reduction):
    if reduction not in _COMBINE:
        n.fail(f"attribute reduction = {reduction!r} is not supported")
    return getattr(n.b, _COMBINE[reduction])


def _check_grid(n, places, rank):
    if math.prod(places.shape) * rank * 8 > 4 * FOLD_LIMIT:
        n.fail(f"indices of shape {n.shape(places)} are too many to be written out as coordinates")


def _check_distinct(n, flat, reduction):
    if np.unique(flat).size != flat.size:
        n.fail(f"attribute reduction = {reduction!r} is not supported with an index that occurs twice")


def _check_bounds(n, places, size):
    """Known indices; others are clamped when the graph runs."""
    if is_constant(places) and 0 < places.nbytes <= FOLD_LIMIT:
        low, high = int(places.min()), int(places.max())
        if not -size <= low <= high < size:
            n.fail(f"indices {low} … {high} are outside an axis of {size}")
