"""Calls of element-wise operations, activations and reductions."""

from .scope import draws, ref
from .values import doubles, numbers

UNARY = "abs ceil cos erf exp floor identity log neg reciprocal round_even sin sign sqrt tan".split()
BINARY = "add sub mul div max min pow".split()
COMPARISON = "equal not_equal greater greater_or_equal lesser lesser_or_equal".split()
LOGIC = "logical_and logical_or logical_xor".split()
TRUTH = "logical_not is_nan is_infinite".split()
PLAIN_ACTIVATIONS = "relu gelu hard_swish sigmoid softplus softsign tanh".split()
ALPHA = "elu leaky_relu".split()
ALPHA_BETA = "hard_sigmoid linear".split()
REDUCE = (
    "reduce_l1 reduce_l2 reduce_log_sum reduce_log_sum_exp reduce_max reduce_mean reduce_min reduce_product "
    "reduce_sum reduce_sum_square".split()
)


@draws(*UNARY, *PLAIN_ACTIVATIONS)
def unary(scope, op):
    scope.call(op, {"input": ref(scope.some(op))})


@draws(*TRUTH)
def truth(scope, op):
    scope.call(op, {"a": ref(scope.some(op, "a"))})


def partner(scope, shape, enlarges=True):
    """A shape that broadcasts with another one, to either side; or to that one alone."""
    if scope.chance(50):
        return list(shape)
    dims = [dim if scope.chance(60) else 1 for dim in shape]
    dims = dims[scope.integer(0, len(dims)):]
    if enlarges and dims and shape[-len(dims)] == 1 and scope.chance(20):
        dims[0] = scope.integer(1, 3)
    return dims


@draws(*BINARY, *COMPARISON, *LOGIC)
def binary(scope, op):
    a = scope.some(op, "a")
    b = scope.like(scope.dtype(a), partner(scope, scope.dims(a)))
    if scope.chance(50):
        a, b = b, a
    scope.call(op, {"a": ref(a), "b": ref(b)})


@draws("prelu")
def prelu(scope, op):
    x = scope.some(op)
    slope = scope.like(scope.dtype(x), partner(scope, scope.dims(x)))
    scope.call(op, {"input": ref(x), "slope": ref(slope)})


@draws("where")
def where(scope, op):
    x = scope.some(op, "true_value")
    y = scope.like(scope.dtype(x), partner(scope, scope.dims(x)))
    condition = scope.like("uint8", partner(scope, scope.dims(x)), ("whole", "special"))
    if scope.chance(50):
        x, y = y, x
    scope.call(op, {"condition": ref(condition), "true_value": ref(x), "false_value": ref(y)})


@draws("cast")
def cast(scope, op):
    scope.call(op, {"input": ref(scope.some(op)), "data_type": scope.data_type(op, "output")})


@draws("clamp")
def clamp(scope, op):
    x = scope.some(op)
    dtype = scope.dtype(x)
    low, high = (scope.maybe(lambda: scope.draw(numbers(dtype))) for _ in range(2))
    if low is not None and high is not None and not low <= high:
        low, high = (high, low) if high <= low else (low, None)
    scope.call(op, {"input": ref(x)}, min_value=low, max_value=high)


@draws(*ALPHA)
def alpha(scope, op):
    x = scope.some(op)
    scope.call(op, {"input": ref(x)}, alpha=scope.maybe(lambda: scope.draw(doubles())))


@draws(*ALPHA_BETA)
def alpha_beta(scope, op):
    x = scope.some(op)
    options = {name: scope.maybe(lambda: scope.draw(doubles())) for name in ("alpha", "beta")}
    scope.call(op, {"input": ref(x)}, **options)


@draws("softmax")
def softmax(scope, op):
    x = scope.some(op, low=1)
    scope.call(op, {"input": ref(x), "axis": axis_of(scope, x)})


def axis_of(scope, name):
    return scope.integer(0, len(scope.dims(name)) - 1)


def axes_of(scope, name):
    """Some axes, in any order, or none."""
    return [axis for axis in scope.permutation(len(scope.dims(name))) if scope.chance(50)]


@draws(*REDUCE)
def reduce(scope, op):
    x = scope.some(op)
    scope.call(op, {"input": ref(x)}, axes=scope.maybe(lambda: axes_of(scope, x)),
               keep_dimensions=scope.maybe(lambda: scope.chance(50)))


@draws("cumulative_sum")
def cumulative_sum(scope, op):
    x = scope.some(op, low=1)
    options = {name: scope.maybe(lambda: scope.chance(50)) for name in ("exclusive", "reversed")}
    scope.call(op, {"input": ref(x), "axis": axis_of(scope, x)}, **options)


@draws("arg_min", "arg_max")
def position(scope, op):
    x = scope.some(op, low=1)
    scope.call(op, {"input": ref(x), "axis": axis_of(scope, x)},
               keep_dimensions=scope.maybe(lambda: scope.chance(50)),
               output_data_type=scope.maybe(lambda: scope.data_type(op, "output")))
