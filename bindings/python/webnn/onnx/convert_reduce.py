"""Reductions, places of extremes, running sums, the largest k."""

import math

import numpy as np

from .node import FOLD_LIMIT, converts, is_constant

_REDUCTIONS = {
    "ReduceL1": "reduce_l1", "ReduceL2": "reduce_l2", "ReduceLogSum": "reduce_log_sum",
    "ReduceLogSumExp": "reduce_log_sum_exp", "ReduceMax": "reduce_max", "ReduceMean": "reduce_mean",
    "ReduceMin": "reduce_min", "ReduceProd": "reduce_product", "ReduceSum": "reduce_sum",
    "ReduceSumSquare": "reduce_sum_square",
}
_FLOAT_ONLY = ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp")


@converts(*_REDUCTIONS)
def convert_reduce(n):
    x = n.value(0)
    axes = n.attr_or_ints("axes", 1, 13 if n.op_type == "ReduceSum" else 18)
    keep, no_op = bool(n.attr("keepdims", 1)), n.attr("noop_with_empty_axes", 0)
    if not axes and no_op:
        return n.b.identity(x)
    axes = n.axes(axes, n.rank(x)) if axes else list(range(n.rank(x)))
    reduce, kind = getattr(n.b, _REDUCTIONS[n.op_type]), n.type(x)
    if n.is_float(x) or n.op_type in ("ReduceMax", "ReduceMin"):
        return reduce(x, axes=axes, keep_dimensions=keep)
    if n.op_type == "ReduceMean":
        wide = n.cast(x, "uint64" if kind == "uint64" else "int64")  # sums of narrow numbers don't fit their type
        total = n.b.reduce_sum(wide, axes=axes, keep_dimensions=keep)
        return n.cast(n.b.div(total, n.scalar(math.prod(x.shape[axis] for axis in axes), total)), kind)
    if n.op_type in _FLOAT_ONLY:
        return n.b.cast(reduce(n.b.cast(x, "float32"), axes=axes, keep_dimensions=keep), kind)
    return reduce(x, axes=axes, keep_dimensions=keep)


@converts("ArgMax", "ArgMin")
def convert_arg(n):
    x = n.value(0)
    axis, keep = n.axis(n.attr("axis", 0), n.rank(x)), bool(n.attr("keepdims", 1))
    find = n.b.arg_max if n.op_type == "ArgMax" else n.b.arg_min
    if not n.attr("select_last_index", 0):
        return find(x, axis, keep_dimensions=keep, output_data_type="int64")
    place = find(n.b.reverse(x, axes=[axis]), axis, keep_dimensions=keep, output_data_type="int64")
    return n.b.sub(n.scalar(x.shape[axis] - 1, place), place)


@converts("CumSum")
def convert_cumsum(n):
    x = n.value(0)
    return n.b.cumulative_sum(x, n.axis(n.int(1), n.rank(x)), exclusive=bool(n.attr("exclusive", 0)),
                              reversed=bool(n.attr("reverse", 0)))


_RANKING_LIMIT = 1 << 24  # comparisons
_MOST_ROUNDS = 64


@converts("TopK")
def convert_top_k(n):
    """Values and places of the k largest or smallest, sorted; the lower place first among equals."""
    x, k = n.value(0), n.required("k") if n.opset < 10 else n.int(1)
    axis = n.axis(n.attr("axis", -1), n.rank(x))
    largest = n.attr("largest", 1)
    n.ignore("sorted")
    if not 1 <= k <= x.shape[axis]:
        n.fail(f"k = {k} of {x.shape[axis]} elements is not supported")
    order = [other for other in range(n.rank(x)) if other != axis] + [axis]
    rows = n.transpose(x, order)
    if math.prod(x.shape) * x.shape[axis] <= _RANKING_LIMIT:
        places = _by_ranking(n, rows, k, largest)
    elif k <= _MOST_ROUNDS and n.is_float(x):
        places = _by_rounds(n, rows, k, largest)
    else:
        n.fail(f"k = {k} along an axis of {x.shape[axis]} elements is not supported")
    values = n.b.gather_elements(rows, places, axis=n.rank(x) - 1)
    back = list(np.argsort(order))
    return n.transpose(values, back), n.transpose(n.b.cast(places, "int64"), back)


def _by_ranking(n, x, k, largest):
    """An element's rank is the number of those before it; the place for rank r is where the ranks equal r."""
    size, rank = x.shape[-1], n.rank(x)
    other, own = n.reshape(x, [*x.shape[:-1], 1, size]), n.reshape(x, [*x.shape, 1])
    ahead = n.b.greater(other, own) if largest else n.b.lesser(other, own)
    earlier = np.tri(size, size, -1, dtype=bool)
    tied = n.b.logical_and(n.b.equal(other, own), earlier)
    ranks = n.b.reduce_sum(n.b.cast(n.b.logical_or(ahead, tied), "int32"), axes=[rank])
    wanted = np.arange(k, dtype=np.int32).reshape(k, 1)
    hits = n.b.equal(n.reshape(ranks, [*x.shape[:-1], 1, size]), wanted)
    return n.b.arg_max(n.b.cast(hits, "int32"), rank)


def _by_rounds(n, x, k, largest):
    """k times the place of the extreme, which then is out of the game."""
    axis, size = n.rank(x) - 1, x.shape[-1]
    find, out = (n.b.arg_max, -np.inf) if largest else (n.b.arg_min, np.inf)
    numbers, places = np.arange(size, dtype=np.int32), []
    for _ in range(k):
        places.append(find(x, axis, keep_dimensions=True))
        x = n.b.where(n.b.equal(numbers, places[-1]), n.scalar(out, x), x)
    return n.b.concat(places, axis)


@converts("OneHot")
def convert_one_hot(n):
    """Places outside the depth give rows of the off value; negative ones count from the end."""
    places, depth, values = n.value(0), n.int(1), n.value(2, 1)
    if n.shape(values) != [2]:
        n.fail(f"input 2 must be the off and the on value, its shape is {n.shape(values)}")
    axis = n.axis(n.attr("axis", -1), n.rank(places), extra=1)
    if not 1 <= depth <= FOLD_LIMIT // 8:
        n.fail(f"a depth of {depth} is not supported")
    kind = n.type(places)
    numbers = np.arange(depth).astype(kind).reshape([depth] + [1] * (n.rank(places) - axis))
    places = n.reshape(places, places.shape[:axis] + type(places.shape)([1]) + places.shape[axis:])
    hits = n.b.equal(places, numbers)
    if not kind.startswith("u"):
        hits = n.b.logical_or(hits, n.b.equal(places, numbers - depth))
    if is_constant(values):
        return n.b.where(hits, values[1:2].reshape(()), values[0:1].reshape(()))
    off, on = n.b.split(values, 2)
    return n.b.where(hits, on, off)


@converts("Compress")
def convert_compress(n):
    """A known choice along one axis, or of all elements."""
    x, condition = n.value(0), n.array(1)
    if condition.nbytes > FOLD_LIMIT:
        n.fail(f"a condition of {condition.size} elements is not supported")
    chosen = np.flatnonzero(condition).astype(np.int32)
    axis = n.attr("axis")
    if axis is None:
        x, axis = n.reshape(x, [math.prod(x.shape)]), 0
    axis = n.axis(axis, n.rank(x))
    if chosen.size and chosen[-1] >= x.shape[axis]:
        n.fail(f"place {chosen[-1]} is chosen of {x.shape[axis]}")
    if not chosen.size:
        return n.empty([*x.shape[:axis], 0, *x.shape[axis + 1:]], x)
    return n.b.gather(x, chosen, axis=axis)
