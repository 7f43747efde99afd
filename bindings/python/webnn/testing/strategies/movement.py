"""Calls of operations that move, pick or place elements, and of the quantising ones."""

import math

import numpy as np

from .elementwise import axes_of, axis_of
from .scope import draws, ref
from .values import numbers


@draws("concat")
def concat(scope, op):
    first = scope.some(op, "inputs", low=1)
    axis = axis_of(scope, first)
    names = [first]
    for _ in range(scope.integer(0, 3)):
        shape = scope.dims(first)
        shape[axis] = scope.integer(1, 5)
        names.append(scope.like(scope.dtype(first), shape))
    scope.call(op, {"inputs": [ref(name) for name in names], "axis": axis})


@draws("expand")
def expand(scope, op):
    x = scope.some(op, high=3)
    shape = [scope.integer(1, 4) if dim == 1 else dim for dim in scope.dims(x)]
    more = [scope.integer(1, 3) for _ in range(scope.integer(0, 2))]
    scope.call(op, {"input": ref(x), "new_shape": more + shape})


@draws("pad")
def pad(scope, op):
    x = scope.some(op)
    mode = scope.maybe(lambda: scope.one_of(["constant", "edge", "reflection"]))
    most = [dim - 1 if mode == "reflection" else 3 for dim in scope.dims(x)]
    before, after = ([scope.integer(0, min(high, 3)) for high in most] for _ in range(2))
    value = scope.maybe(lambda: scope.draw(numbers(scope.dtype(x))))
    scope.call(op, {"input": ref(x), "beginning_padding": before, "ending_padding": after}, mode=mode, value=value)


def factors(scope, count, rank):
    """A shape of so many elements."""
    shape = []
    for _ in range(rank - 1):
        divisors = [d for d in range(1, count + 1) if count % d == 0]
        shape.append(scope.one_of(divisors))
        count //= shape[-1]
    return [*shape, count] if rank else []


@draws("reshape")
def reshape(scope, op):
    x = scope.some(op)
    count = math.prod(scope.dims(x))
    scope.call(op, {"input": ref(x), "new_shape": factors(scope, count, scope.integer(int(count > 1), 5))})


@draws("reverse")
def reverse(scope, op):
    x = scope.some(op)
    scope.call(op, {"input": ref(x)}, axes=scope.maybe(lambda: axes_of(scope, x)))


@draws("slice")
def slice_(scope, op):
    x = scope.some(op)
    starts = [scope.integer(0, dim - 1) for dim in scope.dims(x)]
    sizes = [scope.integer(1, dim - start) for dim, start in zip(scope.dims(x), starts)]
    strides = scope.maybe(lambda: [scope.integer(1, 4) for _ in starts])
    scope.call(op, {"input": ref(x), "starts": starts, "sizes": sizes}, strides=strides)


@draws("split")
def split(scope, op):
    x = scope.some(op, low=1)
    axis = axis_of(scope, x)
    size = scope.dims(x)[axis]
    if scope.chance(50):
        splits = scope.one_of([d for d in range(1, min(size, 8) + 1) if size % d == 0])
    else:
        splits = []
        while sum(splits) < size and len(splits) < 5:
            splits.append(scope.integer(1, size - sum(splits)))
        splits[-1] += size - sum(splits)
    scope.call(op, {"input": ref(x), "splits": splits}, axis=axis)


@draws("tile")
def tile(scope, op):
    x = scope.some(op, high=3)
    scope.call(op, {"input": ref(x), "repetitions": [scope.integer(1, 3) for _ in scope.dims(x)]})


@draws("transpose")
def transpose(scope, op):
    x = scope.some(op, high=5)
    scope.call(op, {"input": ref(x)}, permutation=scope.maybe(lambda: scope.permutation(len(scope.dims(x)))))


@draws("triangular")
def triangular(scope, op):
    x = scope.some(op, low=2)
    diagonal = scope.maybe(lambda: scope.one_of([0, 1, -1, 2, -3, 2**31 - 1, -(2**31)]))
    scope.call(op, {"input": ref(x)}, upper=scope.maybe(lambda: scope.chance(50)), diagonal=diagonal)


# Indices


def indices(scope, op, shape, size):
    """Indices into a dimension, some of them outside it."""
    dtype = scope.data_type(op, "indices")
    low = 0 if dtype == "uint32" else -size - 2
    random = np.random.default_rng(scope.integer(0, 2**32 - 1))
    found = random.integers(low, size + 2, shape)
    info = np.iinfo(dtype)
    if scope.chance(10):
        found = np.where(random.random(shape) < 0.2, random.choice([info.min, info.max], shape), found)
    return scope.add_input(np.asarray(found, dtype))


@draws("gather")
def gather(scope, op):
    x = scope.some(op, low=1, high=3)
    axis = axis_of(scope, x)
    where = indices(scope, op, scope.shape(0, 2, 4), scope.dims(x)[axis])
    scope.call(op, {"input": ref(x), "indices": ref(where)}, axis=axis)


@draws("gather_elements")
def gather_elements(scope, op):
    x = scope.some(op, low=1)
    axis = axis_of(scope, x)
    shape = scope.dims(x)
    size, shape[axis] = shape[axis], scope.integer(1, 6)
    scope.call(op, {"input": ref(x), "indices": ref(indices(scope, op, shape, size))}, axis=axis)


@draws("scatter_elements")
def scatter_elements(scope, op):
    x = scope.some(op, low=1)
    axis = axis_of(scope, x)
    shape = scope.dims(x)
    size, shape[axis] = shape[axis], scope.integer(1, 6)
    where, updates = indices(scope, op, shape, size), scope.like(scope.dtype(x), shape)
    scope.call(op, {"input": ref(x), "indices": ref(where), "updates": ref(updates)}, axis=axis)


def coordinates(scope, op, shape):
    """Indices for gather_nd and scatter_nd; the dimensions that they leave."""
    depth = scope.integer(1, len(shape))
    outer = scope.shape(0, 2, 4)
    return indices(scope, op, [*outer, depth], max(shape[:depth])), [*outer, *shape[depth:]]


@draws("gather_nd")
def gather_nd(scope, op):
    x = scope.some(op, low=1)
    where, _ = coordinates(scope, op, scope.dims(x))
    scope.call(op, {"input": ref(x), "indices": ref(where)})


@draws("scatter_nd")
def scatter_nd(scope, op):
    x = scope.some(op, low=1)
    where, shape = coordinates(scope, op, scope.dims(x))
    updates = scope.like(scope.dtype(x), shape)
    scope.call(op, {"input": ref(x), "indices": ref(where), "updates": ref(updates)})


# Quantisation


def block_shape(scope, shape):
    return [scope.one_of([d for d in range(1, dim + 1) if dim % d == 0]) if scope.chance(60) else 1 for dim in shape]


@draws("quantize_linear")
def quantize_linear(scope, op):
    x = scope.some(op)
    blocks = block_shape(scope, scope.dims(x))
    scale = scope.like(scope.dtype(x), blocks, ("ordinary", "equal", "special"))
    zero = scope.like(scope.data_type(op, "zero_point"), blocks)
    scope.call(op, {"input": ref(x), "scale": ref(scale), "zero_point": ref(zero)})


@draws("dequantize_linear")
def dequantize_linear(scope, op):
    x = scope.some(op)
    blocks = block_shape(scope, scope.dims(x))
    scale = scope.like(scope.data_type(op, "scale"), blocks, ("ordinary", "equal", "special"))
    zero = scope.like(scope.dtype(x), blocks)
    scope.call(op, {"input": ref(x), "scale": ref(scale), "zero_point": ref(zero)})
