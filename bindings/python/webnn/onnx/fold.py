"""What is computed while importing: operations whose inputs are all known, shapes above all.

A folder is a function of a node that gives an array, a tuple of them, or None: the graph shall do it. Inputs and
results are limited in size before anything is made; views cost nothing and are not.
"""

import math

import numpy as np

from . import tensors
from .node import FOLD_LIMIT, is_constant

FOLDERS = {}


def folds(*op_types):
    def register(function):
        for op_type in op_types:
            FOLDERS[op_type] = function
        return function
    return register


# What only looks at some elements of its first input, or at none.
_PICK = {"Gather", "GatherElements", "GatherND", "Expand"}


def fold(n):
    """The node's outputs as arrays, or None."""
    folder = FOLDERS.get(n.op_type) if n.domain == "" else None
    if folder is None or not all(value is None or is_constant(value) for value in n.inputs):
        return None
    read = n.inputs[1:] if n.op_type in _PICK else n.inputs
    if not all(value is None or 0 < value.nbytes <= FOLD_LIMIT or fits(value.shape, value.dtype) for value in read):
        return None
    try:
        return folder(n)
    except (IndexError, OverflowError, TypeError, ValueError):  # NumPy's: the graph says what is wrong in its own words
        return None


def fits(shape, dtype):
    """Whether an array may be made here. One without elements counts as if it had some: results and work space of
    operations on it may have."""
    return math.prod(size or 1 for size in shape) * np.dtype(dtype).itemsize <= FOLD_LIMIT


def same_type(result, like):
    return np.asarray(result).astype(like.dtype, copy=False)


def saturated(x, kind):
    """Floats as integers, as the graph casts: towards zero, NaN is 0."""
    limits = np.iinfo(kind)
    wide = np.where(np.isnan(x), 0, x).astype(float)
    inside = (wide < limits.max) & (wide > limits.min)
    out = np.where(wide >= limits.max, limits.max, np.where(wide <= limits.min, limits.min, 0)).astype(kind)
    return np.where(inside, np.where(inside, wide, 0).astype(kind), out)


# Element by element

def signs(x):
    return np.sign(np.where(x == x, x, 0))  # NaN has none


_UNARY = {
    "Abs": np.abs, "Neg": np.negative, "Ceil": np.ceil, "Floor": np.floor, "Round": np.rint, "Sqrt": np.sqrt,
    "Exp": np.exp, "Log": np.log, "Reciprocal": np.reciprocal, "Sign": signs, "Sin": np.sin, "Cos": np.cos,
    "Tanh": np.tanh, "BitwiseNot": np.invert, "Not": np.logical_not, "IsNaN": np.isnan,
    "Relu": lambda x: np.maximum(x, 0),
}
_TRUTH = {"Not", "IsNaN", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor"}


def truncated_division(a, b):
    """As the graph divides: integers towards zero."""
    if a.dtype.kind == "f":
        return a / b
    quotient = a // np.where(b == 0, 1, b)
    inexact = (quotient * b != a) & ((a < 0) != (b < 0))
    return np.where(b == 0, 0, quotient + inexact)


_BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": truncated_division, "Equal": np.equal,
    "Less": np.less, "Greater": np.greater, "LessOrEqual": np.less_equal, "GreaterOrEqual": np.greater_equal,
    "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
}
_VARIADIC = {"Max": np.maximum, "Min": np.minimum, "Sum": np.add}


@folds(*_UNARY)
def fold_unary(n):
    x = n.array(0)
    if not fits(x.shape, x.dtype):
        return None
    result = _UNARY[n.op_type](x)
    return result if n.op_type in _TRUTH else same_type(result, x)


@folds(*_BINARY)
def fold_binary(n):
    a, b = n.pair()
    if not fits(n.broadcast(a, b), a.dtype):
        return None
    result = _BINARY[n.op_type](a, b)
    return np.asarray(result) if n.op_type in _TRUTH else same_type(result, a)


@folds(*_VARIADIC)
def fold_variadic(n):
    result, inputs = n.array(0), n.values()
    if not fits(n.broadcast(*inputs), result.dtype):
        return None
    for x in inputs[1:]:
        result = _VARIADIC[n.op_type](result, x)
    return same_type(result, n.inputs[0])


@folds("Pow")
def fold_pow(n):
    a, b = n.pair()
    if not fits(n.broadcast(a, b), a.dtype):
        return None
    if a.dtype.kind == "f":
        return same_type(np.power(a.astype(float), b), a)
    if b.dtype.kind in "iu":
        return integer_power(a, b)
    whole = (np.floor(b) == b) & (b >= 0)
    exact = integer_power(a, saturated(np.where(whole, b, 0), np.dtype(np.int64)))
    return np.where(whole, exact, saturated(np.power(a.astype(float), b), a.dtype))


def integer_power(a, b):
    units = np.where((a == 1) | (a == -1), np.where(b & 1, a, a * a), 0)  # their own reciprocals
    power = np.power(a.astype(np.uint64), np.maximum(b, 0).astype(np.uint64))  # its low bits are the power's
    return same_type(np.where(b < 0, units, same_type(power, a)), a)


@folds("Mod")
def fold_mod(n):
    a, b = n.array(0), n.array(1)
    if not fits(n.broadcast(a, b), a.dtype):
        return None
    rest = np.fmod(a, b) if n.attr("fmod", 0) else np.mod(a, b)
    return same_type(rest if a.dtype.kind == "f" else np.where(b == 0, a, rest), a)


@folds("BitShift")
def fold_shift(n):
    a, b = n.array(0), n.array(1)
    shift = np.left_shift if n.choice("direction", None, ("LEFT", "RIGHT")) == "LEFT" else np.right_shift
    return same_type(shift(a, b), a) if fits(n.broadcast(a, b), a.dtype) else None


@folds("Where")
def fold_where(n):
    condition, a, b = n.array(0), n.array(1), n.array(2)
    shape = n.broadcast(condition, a, b)
    return same_type(np.where(condition, a, b), a) if fits(shape, a.dtype) else None


@folds("Clip")
def fold_clip(n):
    if n.opset < 11 or not fits(n.array(0).shape, n.array(0).dtype):
        return None
    x = n.array(0)
    x = np.maximum(x, n.array(1)) if n.has(1) else x
    return same_type(np.minimum(x, n.array(2)) if n.has(2) else x, n.array(0))


@folds("Cast", "CastLike")
def fold_cast(n):
    x = n.array(0)
    kind = tensors.numpy_type(n.required("to")) if n.op_type == "Cast" else n.array(1).dtype
    n.ignore("saturate", "round_mode")
    if kind is None or not fits(x.shape, kind):
        return None
    return saturated(x, kind) if kind.kind in "iu" and x.dtype.kind == "f" else x.astype(kind, copy=False)


# Shapes

@folds("Constant")
def fold_constant(n):
    value = n.attr("value")
    if value is not None:
        return n.scope.stored(id(n.proto), value)
    for name, kind in (("value_float", np.float32), ("value_int", np.int64), ("value_floats", np.float32),
                       ("value_ints", np.int64)):
        value = n.attr(name)
        if value is not None:
            return np.array(value, kind)
    if n.attr("sparse_value") is not None:
        return tensors.sparse_to_array(n.importer.source, n.attr("sparse_value"), n.importer.ledger.claim)
    return n.fail("it has no value that is a number, a list of numbers or a tensor")


@folds("ConstantOfShape")
def fold_constant_of_shape(n):
    value = n.attr("value")
    value = np.zeros(1, np.float32) if value is None else tensors.to_array(n.importer.source, value)
    if value.size != 1:
        n.fail(f"attribute value has {value.size} elements, not one")
    return np.broadcast_to(value.reshape(()), n.sizes(0))


@folds("Range")
def fold_range(n):
    start, limit, step = (n.number(k) for k in range(3))
    if step == 0:
        n.fail("the step is 0")
    count = max(0, math.ceil((limit - start) / step)) if math.isfinite((limit - start) / step) else FOLD_LIMIT
    if not fits([count], n.array(0).dtype):
        n.fail(f"it has {count} elements")
    return same_type(start + np.arange(count, dtype=n.array(0).dtype) * step, n.array(0))


@folds("EyeLike")
def fold_eye_like(n):
    x = n.array(0)
    kind = tensors.numpy_type(n.attr("dtype", 0)) or x.dtype
    return np.eye(*x.shape, k=min(max(n.attr("k", 0), -x.size), x.size), dtype=kind) if x.ndim == 2 and fits(x.shape, kind) else None


@folds("Concat")
def fold_concat(n):
    inputs = n.values()
    axis = n.axis(n.required("axis"), inputs[0].ndim)
    total = sum(math.prod(size or 1 for size in x.shape) for x in inputs)
    return np.concatenate(inputs, axis) if fits([total], inputs[0].dtype) else None


@folds("Expand")
def fold_expand(n):
    x, shape = n.array(0), n.sizes(1)
    return np.broadcast_to(x, n.broadcast(x, np.broadcast_to(np.uint8(0), shape)))


@folds("Tile")
def fold_tile(n):
    x, repeats = n.array(0), n.sizes(1)
    shape = [x.size, math.prod(count or 1 for count in repeats)]
    return np.tile(x, repeats) if len(repeats) == x.ndim and fits(shape, x.dtype) else None


@folds("Gather")
def fold_gather(n):
    x, indices = n.array(0), n.array(1)
    axis = n.axis(n.attr("axis", 0), x.ndim)
    shape = x.shape[:axis] + indices.shape + x.shape[axis + 1:]
    if not fits(shape, x.dtype) or not x.flags.c_contiguous and not fits(x.shape, x.dtype):
        return None
    return np.take(x, indices, axis)


@folds("GatherElements")
def fold_gather_elements(n):
    x, indices = n.array(0), n.array(1)
    axis = n.axis(n.attr("axis", 0), x.ndim)
    return np.take_along_axis(x, indices, axis) if fits(indices.shape, x.dtype) else None


@folds("GatherND")
def fold_gather_nd(n):
    x, indices = n.array(0), n.array(1)
    if n.attr("batch_dims", 0) or not fits(indices.shape[:-1] + x.shape[indices.shape[-1]:], x.dtype):
        return None
    return x[tuple(np.moveaxis(indices, -1, 0))]


@folds("ScatterElements", "Scatter")
def fold_scatter_elements(n):
    x, indices, updates = n.array(0), n.array(1), n.array(2)
    if n.attr("reduction", "none") != "none" or not fits(x.shape, x.dtype):
        return None
    result = x.copy()
    np.put_along_axis(result, indices, updates, n.axis(n.attr("axis", 0), x.ndim))
    return result


@folds("ScatterND")
def fold_scatter_nd(n):
    x, indices, updates = n.array(0), n.array(1), n.array(2)
    if n.attr("reduction", "none") != "none" or not fits(x.shape, x.dtype):
        return None
    result = x.copy()
    result[tuple(np.moveaxis(indices, -1, 0))] = updates
    return result


@folds("NonZero")
def fold_non_zero(n):
    x = n.array(0)
    return np.array(np.nonzero(x), np.int64).reshape(x.ndim, -1) if fits([x.size, x.ndim], np.int64) else None


@folds("Trilu")
def fold_trilu(n):
    x, k = n.array(0), n.int(1) if n.has(1) else 0
    if not fits(x.shape, x.dtype):
        return None
    bound = sum(x.shape[-2:])
    return (np.triu if n.attr("upper", 1) else np.tril)(x, min(max(k, -bound), bound))


# Reductions and products

def mean(x, axis, keepdims):
    """Of integers it is cut; their sum fits 64 bits or wraps."""
    if x.dtype.kind == "f":
        return np.mean(x, axis=axis, keepdims=keepdims)
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return truncated_division(total, total.dtype.type(x.size // total.size))


_REDUCTIONS = {"ReduceSum": np.sum, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
               "ReduceMean": mean}


@folds(*_REDUCTIONS)
def fold_reduce(n):
    x = n.array(0)
    axes = n.attr_or_ints("axes", 1, 13 if n.op_type == "ReduceSum" else 18)
    if not axes and n.attr("noop_with_empty_axes", 0):
        return x
    axes = tuple(n.axes(axes, x.ndim)) if axes else None
    if not fits(x.shape, x.dtype):
        return None
    return same_type(_REDUCTIONS[n.op_type](x, axis=axes, keepdims=bool(n.attr("keepdims", 1))), x)


@folds("ArgMax", "ArgMin")
def fold_arg(n):
    x = n.array(0)
    if n.attr("select_last_index", 0) or not fits(x.shape, np.int64):
        return None
    axis = n.axis(n.attr("axis", 0), x.ndim)
    find = np.argmax if n.op_type == "ArgMax" else np.argmin
    return find(x, axis, keepdims=bool(n.attr("keepdims", 1))).astype(np.int64)


@folds("CumSum")
def fold_cumsum(n):
    x = n.array(0)
    if n.attr("exclusive", 0) or n.attr("reverse", 0) or not fits(x.shape, x.dtype):
        return None
    return same_type(np.cumsum(x, n.axis(n.int(1), x.ndim)), x)


@folds("MatMul")
def fold_matmul(n):
    """Products of a few whole numbers, as in shapes; real ones are the graph's."""
    a, b = n.array(0), n.array(1)
    few = fits(a.shape[:-1] + b.shape, a.dtype) and a.size * b.size <= 1 << 16
    return np.asarray(a @ b) if few and a.dtype.kind in "iu" else None


# Windows

_WINDOWS = {"HannWindow": (0.5, 0.5, 0.0), "HammingWindow": (25 / 46, 21 / 46, 0.0),
            "BlackmanWindow": (0.42, 0.5, 0.08)}


@folds(*_WINDOWS)
def fold_window(n):
    size = n.int(0)
    kind = tensors.numpy_type(n.attr("output_datatype", tensors.FLOAT))
    if size < 1 or kind is None or not fits([size], np.float64):
        n.fail(f"a window of {size} samples")
    with np.errstate(invalid="ignore"):  # a symmetric window of one sample is 0 / 0, as it is elsewhere
        turn = 2 * np.pi * np.arange(size) / (size if n.attr("periodic", 1) else size - 1)
    a, b, c = _WINDOWS[n.op_type]
    return (a - b * np.cos(turn) + c * np.cos(2 * turn)).astype(kind)


@folds("MelWeightMatrix")
def fold_mel_weight_matrix(n):
    """Triangles over the bins of a spectrum, their corners evenly spaced in mel."""
    count, length, rate, low, high = (n.number(k) for k in range(5))
    kind = tensors.numpy_type(n.attr("output_datatype", tensors.FLOAT))
    if count < 1 or length < 1 or rate < 1 or not 0 <= low < high or kind is None or (
            not fits([length // 2 + 1, count + 2], np.float64)):
        n.fail(f"{count} bands from {low} to {high} Hz of {length} samples")
    mel = 2595 * np.log10(1 + np.array([low, high]) / 700)
    corners = mel[0] + np.arange(count + 2) * (mel[1] - mel[0]) / (count + 2)
    corners = np.floor((length + 1) * 700 * (10 ** (corners / 2595) - 1) / rate).astype(np.int64)
    bins, (start, peak, end) = np.arange(length // 2 + 1)[:, None], (corners[k:count + k] for k in range(3))
    up = (bins - start) / np.maximum(peak - start, 1)
    down = (end - bins) / np.maximum(end - peak, 1)
    rising = np.where((bins >= start) & (bins <= peak), np.where(peak == start, 1.0, up), 0)
    return np.where((bins >= peak) & (bins < end), down, rising).astype(kind)
