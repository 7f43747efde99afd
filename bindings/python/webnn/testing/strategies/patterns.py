"""Groups of operators as exporters spell them out: what compilers recognise, absorb, fold and fuse."""

import numpy as np

from .scope import OPERATIONS, ref

QUIET = ("ordinary", "whole", "equal")
PATTERNS = []


def pattern(function):
    PATTERNS.append(function)
    return function


def float_operand(scope, low=0, high=4):
    """An operand of floats, mostly one that is there."""
    known = [name for name, value in scope.values.items()
             if value.dtype.kind == "f" and low <= value.ndim <= high and value.size <= 1024]
    if known and scope.chance(70):
        return scope.one_of(known)
    allowed = [name for name in ("float32", "float16") if scope.data_types is None or name in scope.data_types]
    dtype = scope.one_of(allowed or ["float32"])
    return scope.fresh(dtype, scope.shape(low, high))


def either_way(scope, op, a, b):
    a, b = (a, b) if scope.chance(50) else (b, a)
    return scope.call(op, {"a": ref(a), "b": ref(b)})[0]


def unary(scope, op, x, **options):
    return scope.call(op, {"input": ref(x)}, **options)[0]


def scaled(scope, op, x, value):
    return either_way(scope, op, x, scope.number(value, x))


@pattern
def gated(scope):
    """x · gate(x): silu, mish, gelu."""
    x = float_operand(scope)
    kind = scope.one_of(["silu", "mish", "gelu", "gelu_tanh"])
    if kind == "silu":
        gate = unary(scope, "sigmoid", x)
    elif kind == "mish":
        gate = unary(scope, "tanh", unary(scope, "softplus", x))
    elif kind == "gelu":
        half = scaled(scope, "mul", x, 0.5**0.5)
        gate = scaled(scope, "mul", scaled(scope, "add", unary(scope, "erf", half), 1), 0.5)
    else:
        cube = scope.call("pow", {"a": ref(x), "b": ref(scope.number(3, x))})[0]
        inner = either_way(scope, "add", x, scaled(scope, "mul", cube, 0.044715))
        wave = unary(scope, "tanh", scaled(scope, "mul", inner, 0.7978845608028654))
        gate = scaled(scope, "mul", scaled(scope, "add", wave, 1), 0.5)
    either_way(scope, "mul", x, gate)


@pattern
def hard_swish(scope):
    x = float_operand(scope)
    gate = unary(scope, "clamp", scaled(scope, "add", x, 3), min_value=0, max_value=6)
    if scope.chance(50):
        y = either_way(scope, "mul", x, gate)
        scope.call("div", {"a": ref(y), "b": ref(scope.number(6, y))})
    else:
        either_way(scope, "mul", x, scaled(scope, "mul", gate, 1 / 6))


@pattern
def layer_normalization(scope):
    x = float_operand(scope, low=1)
    rank = len(scope.dims(x))
    axes = list(range(scope.integer(0, rank - 1), rank))
    mean = unary(scope, "reduce_mean", x, axes=axes, keep_dimensions=True)
    centre = scope.call("sub", {"a": ref(x), "b": ref(mean)})[0]
    if scope.chance(50):
        square = scope.call("pow", {"a": ref(centre), "b": ref(scope.number(2, x))})[0]
    else:
        square = either_way(scope, "mul", centre, centre)
    variance = unary(scope, "reduce_mean", square, axes=axes, keep_dimensions=True)
    deviation = unary(scope, "sqrt", scaled(scope, "add", variance, 1e-3))
    y = scope.call("div", {"a": ref(centre), "b": ref(deviation)})[0]
    shape = [scope.dims(x)[axis] for axis in axes]
    for op in ("mul", "add"):
        if scope.chance(60):
            y = either_way(scope, op, y, scope.fresh(scope.dtype(x), shape, QUIET, constant=True))


@pattern
def softmax(scope):
    x = float_operand(scope, low=1)
    axes = [scope.integer(0, len(scope.dims(x)) - 1)]
    if scope.chance(70):
        top = unary(scope, "reduce_max", x, axes=axes, keep_dimensions=True)
        x = scope.call("sub", {"a": ref(x), "b": ref(top)})[0]
    powers = unary(scope, "exp", x)
    total = unary(scope, "reduce_sum", powers, axes=axes, keep_dimensions=True)
    scope.call("div", {"a": ref(powers), "b": ref(total)})


ACTIVATIONS = (
    "relu sigmoid tanh gelu hard_swish elu leaky_relu hard_sigmoid softplus softsign clamp abs sqrt exp linear"
).split()


def posts(scope, y, channels, axis):
    """What follows a convolution or product: affine steps by channel, activations, sums with an equal shape."""
    rank, dtype = len(scope.dims(y)), scope.dtype(y)
    by_channel = [channels if at == axis else 1 for at in range(rank)][axis:]
    for _ in range(scope.integer(1, 4)):
        kind = scope.one_of(["norm", "affine", "scalar", "activation", "residual"])
        if kind == "norm":
            args = {name: ref(scope.fresh(dtype, [channels], QUIET, constant=True)) for name in ("mean", "variance")}
            options = {name: ref(scope.fresh(dtype, [channels], QUIET, constant=True)) for name in ("scale", "bias")}
            y = scope.call("batch_normalization", {"input": ref(y), **args}, axis=axis, epsilon=1, **options)[0]
        elif kind == "affine":
            other = scope.fresh(dtype, by_channel, QUIET, constant=scope.chance(80))
            y = either_way(scope, scope.one_of(["mul", "add", "sub", "div", "max", "min"]), y, other)
        elif kind == "scalar":
            y = scaled(scope, scope.one_of(["mul", "add"]), y, scope.one_of([0.5, -2, 3]))
        elif kind == "activation":
            op = scope.one_of(ACTIVATIONS)
            y = unary(scope, op, y, **({"min_value": -1, "max_value": 1} if op == "clamp" else {}))
        else:
            y = either_way(scope, scope.one_of(["add", "mul", "sub"]), y, scope.like(dtype, scope.dims(y), QUIET))


@pattern
def convolution(scope):
    """A convolution with constant weights and what is fused behind it."""
    before = len(scope.operators)
    op = "conv2d" if scope.chance(80) else "conv_transpose2d"
    OPERATIONS[op](scope, op)
    step = scope.operators[before]
    weights = step["args"]["filter"]["operand"]
    if weights in scope.inputs:
        scope.inputs[weights]["constant"] = scope.inputs[weights]["constant"] or scope.chance(80)
    y = step["outputs"][0]
    axis = 3 if step["options"]["inputLayout"] == "nhwc" else 1
    posts(scope, y, scope.dims(y)[axis], axis)


@pattern
def product(scope):
    """A product with constant weights, bias and what is fused behind it."""
    a = float_operand(scope, low=2)
    dtype, depth, columns = scope.dtype(a), scope.dims(a)[-1], scope.one_of([1, 2, 3, 8, 17])
    b = scope.fresh(dtype, [depth, columns], QUIET, constant=scope.chance(80))
    y = scope.call("matmul", {"a": ref(a), "b": ref(b)})[0]
    posts(scope, y, columns, len(scope.dims(y)) - 1)


@pattern
def attention(scope):
    dtype = scope.one_of(["float32", "float16"])
    heads, rows, others, size = scope.integer(1, 4), *(scope.integer(1, scope.largest) for _ in range(3))
    rows = scope.one_of([rows, rows + 7])  # few stay two products and a softmax
    q, k, v = (scope.like(dtype, [1, heads, n, size], QUIET) for n in (rows, others, others))
    turned = unary(scope, "transpose", k, permutation=[0, 1, 3, 2])
    scores = scope.call("matmul", {"a": ref(q), "b": ref(turned)})[0]
    scores = scaled(scope, scope.one_of(["mul", "div"]), scores, 0.5)
    if scope.chance(50):
        scores = either_way(scope, "add", scores, scope.like(dtype, [1, 1, rows, others], QUIET))
    weights = scope.call("softmax", {"input": ref(scores), "axis": 3})[0]
    scope.call("matmul", {"a": ref(weights), "b": ref(v)})


def quantised(scope, x, dtype, size=None):
    """(integers, scale, zero point) with one scale, or one for each index of the first axis."""
    shape = [1] * len(x) if size is None else [size, *[1] * (len(x) - 1)]
    scale = np.full(shape, scope.one_of([0.5, 0.25, 0.0625]), np.float32)
    zero = np.full(shape, 0 if dtype == "int8" else scope.one_of([0, 128, 7]), dtype)
    return scope.add_input(scale, constant=True), scope.add_input(zero, constant=True)


@pattern
def quantised_product(scope):
    """dequantizeLinear, a product or convolution, quantizeLinear."""
    first = scope.one_of(["uint8", "int8"])
    if scope.chance(50):
        a_shape = [scope.integer(1, scope.largest), scope.integer(1, 2 * scope.largest)]
        b_shape = [a_shape[1], scope.integer(1, 2 * scope.largest)]
        op, names = "matmul", ("a", "b")
    else:
        channels, features = scope.integer(1, scope.largest), scope.integer(1, scope.largest)
        a_shape, b_shape = [1, channels, scope.integer(2, 9), scope.integer(2, 9)], [features, channels, 2, 2]
        op, names = "conv2d", ("input", "filter")
    operands = []
    for shape, dtype, constant in ((a_shape, first, False), (b_shape, "int8", True)):
        x = scope.fresh(dtype, shape, ("ordinary", "special", "whole"), constant=constant)
        scale, zero = quantised(scope, shape, dtype, shape[0] if constant and op == "conv2d" else None)
        args = {"input": ref(x), "scale": ref(scale), "zero_point": ref(zero)}
        operands.append(scope.call("dequantize_linear", args)[0])
    y = scope.call(op, dict(zip(names, map(ref, operands))))[0]
    if scope.chance(50):
        y = unary(scope, scope.one_of(["relu", "clamp"]), y)
    scale, zero = quantised(scope, scope.dims(y), scope.one_of(["uint8", "int8"]))
    scope.call("quantize_linear", {"input": ref(y), "scale": ref(scale), "zero_point": ref(zero)})


@pattern
def movements(scope):
    """Transposes, reshapes, slices and joins in a row."""
    names = ["transpose", "reshape", "slice", "concat", "split", "expand", "identity", "reverse", "pad", "cast"]
    scope.call("identity", {"input": ref(float_operand(scope, low=1))})
    for _ in range(scope.integer(2, 4)):
        op = scope.one_of(names)
        OPERATIONS[op](scope, op)


@pattern
def chain(scope):
    """Element-wise operators one behind the other."""
    x = float_operand(scope)
    for _ in range(scope.integer(2, 6)):
        if scope.chance(50):
            x = unary(scope, scope.one_of([*ACTIVATIONS, "neg", "sign", "floor", "sin", "log", "reciprocal"]), x)
        else:
            shape = scope.dims(x)
            other = scope.like(scope.dtype(x), shape if scope.chance(50) else shape[len(shape) // 2:])
            x = either_way(scope, scope.one_of(["add", "sub", "mul", "div", "max", "min"]), x, other)
