"""Arithmetic, comparisons, logic, rounding, trigonometry, casts."""

import numpy as np

from . import tensors
from .node import converts, is_constant

_UNARY = {
    "Abs": "abs", "Ceil": "ceil", "Floor": "floor", "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Sin": "sin",
    "Cos": "cos", "Tan": "tan", "Erf": "erf", "Neg": "neg", "Reciprocal": "reciprocal", "Sign": "sign",
    "Round": "round_even", "Not": "logical_not", "IsNaN": "is_nan",
}
_BINARY = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "Equal": "equal", "Less": "lesser",
    "Greater": "greater", "LessOrEqual": "lesser_or_equal", "GreaterOrEqual": "greater_or_equal",
    "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
}
_UNSIGNED = ("uint8", "uint32", "uint64")


@converts(*_UNARY)
def convert_unary(n):
    x = n.value(0)
    if n.type(x) in _UNSIGNED and n.op_type == "Abs":
        return x
    if n.type(x) in _UNSIGNED and n.op_type == "Sign":
        return n.b.min(x, n.scalar(1, x))
    return getattr(n.b, _UNARY[n.op_type])(x)


@converts(*_BINARY)
def convert_binary(n):
    return getattr(n.b, _BINARY[n.op_type])(*n.pair())


@converts("Max", "Min", "Sum", "Mean")
def convert_variadic(n):
    step = getattr(n.b, {"Max": "max", "Min": "min"}.get(n.op_type, "add"))
    result, *rest = n.values()
    for value in rest:
        result = step(result, value)
    if n.op_type == "Mean":
        return n.b.div(result, n.scalar(len(n.inputs), result))
    return n.b.identity(result) if is_constant(result) else result


@converts("Pow")
def convert_pow(n):
    base, exponent = n.pair()
    kinds = {n.type(base), n.type(exponent)}
    if n.is_float(base) or len(kinds) == 1:
        return n.b.pow(base, n.cast(exponent, n.type(base)))
    if n.is_float(exponent):
        return _power_of_integer(n, base, exponent)
    wide = "int64" if kinds & {"int64", "uint64", "uint32"} else "int32"
    return n.cast(n.b.pow(n.cast(base, wide), n.cast(exponent, wide)), n.type(base))


def _power_of_integer(n, base, exponent):
    """With whole exponents exact, as of two integers: a float32 may fall short of 125 and be cut to 124."""
    kind, exponent = n.type(base), n.cast(exponent, "float32")
    whole = n.b.equal(n.b.floor(exponent), exponent)
    whole = n.b.logical_and(whole, n.b.greater_or_equal(exponent, n.scalar(0, exponent)))
    exact = n.b.pow(n.cast(base, "int64"), n.b.cast(exponent, "int64"))
    real = n.b.pow(n.cast(base, "float32"), exponent)
    return n.b.where(whole, n.b.cast(exact, kind), n.b.cast(real, kind))


@converts("Mod")
def convert_mod(n):
    """The remainder has the divisor's sign, with fmod the dividend's."""
    a, b = n.value(0), n.value(1)
    rest = _rest(n, a, b) if n.is_float(a) else n.b.sub(a, n.b.mul(n.b.div(a, b), b))
    if n.attr("fmod", 0) or n.type(a) in _UNSIGNED:
        return rest
    zero = n.scalar(0, a)
    crosses = n.b.logical_xor(n.b.lesser(rest, zero), n.b.lesser(b, zero))
    wrong = n.b.logical_and(crosses, n.b.not_equal(rest, zero))
    return n.b.where(wrong, n.b.add(rest, b), rest)


_DIGIT = 9  # bits of a quotient at a time: their products with half of a divisor's bits, and what is left, are exact


def _rest(n, a, b):
    """What floats leave when they are divided, without an error, and with a's sign."""
    kind = n.type(a)
    largest, least = (16, -24) if kind == "float16" else (128, -149)
    if is_constant(a):
        largest = _exponents(a, (largest,))[-1] + 1
    if is_constant(b):
        least = _exponents(b, (largest,))[0]
    a, b = n.cast(a, "float32"), n.cast(b, "float32")
    size, divisor = n.b.abs(a), n.b.abs(b)
    rest = _long_division(n, size, divisor, max(1, -(-(largest - least) // _DIGIT)))
    rest = n.b.where(n.b.lesser(a, n.scalar(0, a)), n.b.neg(rest), rest)
    rest = n.b.where(n.b.lesser(size, divisor), a, rest)
    none = n.b.logical_or(n.b.is_infinite(a), n.b.equal(b, n.scalar(0, b)))
    none = n.b.logical_or(none, n.b.is_nan(b))
    return n.cast(n.b.where(none, n.scalar(np.nan, a), rest), kind)


def _exponents(values, default):
    """The least and the largest of what isn't 0 or infinite, as powers of two that are not above them."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)]).astype(float)
    return (np.frexp([sizes.min(), sizes.max()])[1] - 1).tolist() if sizes.size else default


def _long_division(n, rest, divisor, digits):
    """What stays of the rest, digit by digit. Neither is negative; where the rest is the smaller one, or one of them
    isn't finite, anything may come out."""
    b = n.b
    large = b.greater(divisor, n.scalar(0.5, divisor))  # then so is the rest, and both can be made smaller
    rest, divisor = (b.where(large, _shifted(n, x, -24), x) for x in (rest, divisor))
    below = b.mul(divisor, n.scalar(1 - 2.0**-12, divisor))
    spread = b.mul(below, n.scalar(4097.0, divisor))
    high = b.sub(spread, b.sub(spread, below))  # its first 12 bits
    low = b.sub(divisor, high)
    for place in reversed(range(digits)):
        down = 2 if place * _DIGIT > 117 else 0  # where a digit that is rounded up may lead beyond all numbers
        part = _shifted(n, rest, -down)
        unit, first, second = (_shifted(n, x, place * _DIGIT - down) for x in (divisor, high, low))
        digit = b.round_even(b.div(part, unit))
        less = b.sub(b.sub(part, b.mul(digit, first)), b.mul(digit, second))
        less = b.where(b.lesser(less, n.scalar(0, less)), b.add(less, unit), less)
        rest = b.where(b.greater_or_equal(part, unit), _shifted(n, less, down), rest)
    return b.where(large, _shifted(n, rest, 24), rest)


def _shifted(n, x, bits):
    """x · 2^bits, which may be infinite."""
    while bits != 0:
        step = min(bits, 100)
        x, bits = n.b.mul(x, n.scalar(2.0**step, x)), bits - step
    return x


@converts("BitShift")
def convert_shift(n):
    """Shifts are products with, and quotients by, powers of two; to the right the sign fills in. A power beyond
    the type wraps to 0, and so does what is multiplied with it or divided by it."""
    x, count = n.value(0), n.value(1)
    factor = n.b.pow(n.scalar(2, x), count)
    if n.choice("direction", None, ("LEFT", "RIGHT")) == "LEFT":
        return n.b.mul(x, factor)
    if n.type(x) in _UNSIGNED:
        return n.b.div(x, factor)
    below, ones = n.b.lesser(x, n.scalar(0, x)), n.scalar(-1, x)
    quotient = n.b.div(n.b.where(below, n.b.sub(ones, x), x), factor)
    return n.b.where(below, n.b.sub(ones, quotient), quotient)


@converts("Clip")
def convert_clip(n):
    x = n.value(0)
    low, high = (n.attr("min"), n.attr("max")) if n.opset < 11 else (n.optional(1), n.optional(2))
    low, high = _number(low), _number(high)
    numbers = [bound for bound in (low, high) if isinstance(bound, (int, float))]
    if len(numbers) == sum(bound is not None for bound in (low, high)):
        if not numbers:
            return n.b.identity(x)
        if len(numbers) == 1 or low <= high:
            return n.b.clamp(x, min_value=low, max_value=high)
    bounds = [n.scalar(bound, x) if isinstance(bound, (int, float)) else bound for bound in (low, high)]
    result = x if low is None else n.b.max(x, bounds[0])
    return result if high is None else n.b.min(result, bounds[1])


def _number(bound):
    return bound.reshape(-1)[0].item() if is_constant(bound) and bound.size == 1 else bound


@converts("Where")
def convert_where(n):
    return n.b.where(n.value(0), n.value(1), n.value(2))


@converts("IsInf")
def convert_is_inf(n):
    x = n.value(0)
    positive, negative = n.attr("detect_positive", 1), n.attr("detect_negative", 1)
    if positive and negative:
        return n.b.is_infinite(x)
    if not positive and not negative:
        return n.b.logical_and(n.b.is_infinite(x), n.b.scalar(0, "uint8"))
    return n.b.equal(x, n.scalar(np.inf if positive else -np.inf, x))


@converts("Cast", "CastLike")
def convert_cast(n):
    n.ignore("saturate", "round_mode")
    x = n.value(0)
    if n.op_type == "CastLike":
        like, stored = n.value(1), n.stored_type(1)
        if stored is not None and stored not in tensors.GRAPH_TYPES:
            n.fail(f"type {tensors.NAMES.get(stored, stored)} is not supported: there is no such type")
        return to_bool(n, x) if n.b.is_bool(like) else n.b.cast(x, n.type(like))
    to = n.required("to")
    if to == tensors.BOOL:
        return to_bool(n, x)
    if to not in tensors.GRAPH_TYPES:
        n.fail(f"attribute to = {tensors.NAMES.get(to, to)} is not supported: there is no such type")
    target = tensors.GRAPH_TYPES[to]
    return n.b.identity(x) if n.type(x) == target else n.b.cast(x, target)


def to_bool(n, x):
    return n.b.identity(x) if n.b.is_bool(x) else n.b.not_equal(x, n.scalar(0, x))


# Functions that WebNN has no operation for, from those that it has.

@converts("Sinh", "Cosh")
def convert_hyperbolic(n):
    x = n.value(0)
    cosh = n.b.mul(n.b.add(n.b.exp(x), n.b.exp(n.b.neg(x))), n.scalar(0.5, x))
    return cosh if n.op_type == "Cosh" else n.b.mul(n.b.tanh(x), cosh)  # tanh keeps small numbers exact


@converts("Asinh")
def convert_asinh(n):
    x = n.value(0)
    size = n.b.abs(x)
    root = n.b.sqrt(n.b.add(n.b.mul(x, x), n.scalar(1, x)))
    far = n.b.log(n.b.add(size, root))
    near = n.b.mul(size, n.b.sub(n.scalar(1, x), n.b.div(n.b.mul(x, x), n.scalar(6, x))))
    return n.b.mul(n.b.sign(x), n.b.where(n.b.lesser(size, n.scalar(0.01, x)), near, far))


@converts("Acosh")
def convert_acosh(n):
    x, one = n.value(0), n.scalar(1, n.value(0))
    root = n.b.mul(n.b.sqrt(n.b.sub(x, one)), n.b.sqrt(n.b.add(x, one)))
    return n.b.log(n.b.add(x, root))


@converts("Atanh")
def convert_atanh(n):
    x, one = n.value(0), n.scalar(1, n.value(0))
    return n.b.mul(n.b.log(n.b.div(n.b.add(one, x), n.b.sub(one, x))), n.scalar(0.5, x))


# Least-squares coefficients, in x², of (atan(x) / x − 1) / x² for |x| ≤ tan(π/8): off by less than 1e-9.
_ARCTAN = (-0.06081153824925423, 0.10595139116048813, -0.1424373835325241, 0.1999848335981369, -0.33333316445350647)


def arctan(n, x):
    """By reduction to |x| ≤ tan(π/8): atan(x) = π/4 + atan((x−1)/(x+1)) = π/2 − atan(1/x)."""
    b, one, size = n.b, n.scalar(1, x), n.b.abs(x)
    middle, far = b.greater(size, n.scalar(np.tan(np.pi / 8), x)), b.greater(size, n.scalar(np.tan(np.pi * 3 / 8), x))
    reduced = b.where(middle, b.div(b.sub(size, one), b.add(size, one)), size)
    reduced = b.where(far, b.neg(b.reciprocal(size)), reduced)
    offset = b.where(middle, n.scalar(np.pi / 4, x), n.scalar(0, x))
    offset = b.where(far, n.scalar(np.pi / 2, x), offset)
    square = b.mul(reduced, reduced)
    series = n.scalar(_ARCTAN[0], x)
    for coefficient in _ARCTAN[1:]:
        series = b.add(b.mul(series, square), n.scalar(coefficient, x))
    angle = b.add(reduced, b.mul(reduced, b.mul(square, series)))
    return b.mul(b.sign(x), b.add(offset, angle))


@converts("Atan")
def convert_atan(n):
    return arctan(n, n.value(0))


@converts("Asin")
def convert_asin(n):
    x, one = n.value(0), n.scalar(1, n.value(0))
    return arctan(n, n.b.div(x, n.b.sqrt(n.b.mul(n.b.sub(one, x), n.b.add(one, x)))))


@converts("Acos")
def convert_acos(n):
    x, one = n.value(0), n.scalar(1, n.value(0))
    ratio = n.b.sqrt(n.b.div(n.b.sub(one, x), n.b.add(one, x)))
    return n.b.mul(arctan(n, ratio), n.scalar(2, x))
