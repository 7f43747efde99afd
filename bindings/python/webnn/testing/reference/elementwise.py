"""Unary and binary arithmetic, comparisons, logic, cast."""

import math

import numpy as np

from .numbers import floating, is_float, narrow, operation, to_integer, wide

# Arithmetic of two operands


@operation
def add(a, b):
    return narrow(wide(a) + wide(b), a.dtype)


@operation
def sub(a, b):
    return narrow(wide(a) - wide(b), a.dtype)


@operation
def mul(a, b):
    return narrow(wide(a) * wide(b), a.dtype)


@operation
def div(a, b):
    """Integers truncate; x/0 is 0; the least one by -1 wraps."""
    if is_float(a):
        return narrow(wide(a) / wide(b), a.dtype)
    a, b = np.broadcast_arrays(a, b)
    minus_one = (b < 0) & (b + b.dtype.type(1) == 0)
    plain = (b != 0) & ~minus_one
    divisor = np.where(plain, b, b.dtype.type(1))
    quotient = a // divisor
    down = (quotient * divisor != a) & ((a < 0) != (divisor < 0))
    quotient = quotient + down.astype(a.dtype)
    return np.where(plain, quotient, np.where(minus_one, a.dtype.type(0) - a, a.dtype.type(0)))


@operation
def max(a, b):
    return np.maximum(a, b)


@operation
def min(a, b):
    return np.minimum(a, b)


def _integer_power(base, exponent):
    """Square and multiply, wrapping; a negative exponent leaves 0 but for bases 1 and -1."""
    base, exponent = (x.copy() for x in np.broadcast_arrays(base, exponent))
    one, zero = base.dtype.type(1), base.dtype.type(0)
    odd = (exponent & one) == one
    units = np.where(base == one, one, np.where((base + one == zero) & (base < zero), np.where(odd, base, one), zero))
    negative = exponent < zero
    left = np.where(negative, zero, exponent)
    result = np.ones_like(base)
    while left.any():
        result = np.where((left & one) == one, result * base, result)
        base = base * base
        left = left >> one
    return np.where(negative, units, result)


@operation
def pow(a, b):
    if is_float(a):
        # Where the exponent is one number NumPy may take a square root, which is NaN for -inf.
        return narrow(np.power(*(x.copy() for x in np.broadcast_arrays(wide(a), wide(b)))), a.dtype)
    return _integer_power(a, b)


# Comparisons and logic: 1 and 0 in uint8


def _truth(condition):
    return np.asarray(condition).astype(np.uint8)


@operation
def equal(a, b):
    return _truth(a == b)


@operation
def not_equal(a, b):
    return _truth(a != b)


@operation
def greater(a, b):
    return _truth(a > b)


@operation
def greater_or_equal(a, b):
    return _truth(a >= b)


@operation
def lesser(a, b):
    return _truth(a < b)


@operation
def lesser_or_equal(a, b):
    return _truth(a <= b)


@operation
def logical_not(a):
    return _truth(a == 0)


@operation
def logical_and(a, b):
    return _truth((a != 0) & (b != 0))


@operation
def logical_or(a, b):
    return _truth((a != 0) | (b != 0))


@operation
def logical_xor(a, b):
    return _truth((a != 0) != (b != 0))


@operation
def is_nan(a):
    return _truth(np.isnan(a))


@operation
def is_infinite(a):
    return _truth(np.isinf(a))


# Functions of one operand

_erf = np.vectorize(math.erf, otypes=[np.float64])


@operation
def abs(input):
    return np.absolute(input)


@operation
def ceil(input):
    return floating(np.ceil, input)


@operation
def cos(input):
    return floating(np.cos, input)


@operation
def erf(input):
    return floating(_erf, input)


@operation
def exp(input):
    return floating(np.exp, input)


@operation
def floor(input):
    return floating(np.floor, input)


@operation
def identity(input):
    return np.array(input)


@operation
def log(input):
    return floating(np.log, input)


@operation
def neg(input):
    return np.negative(input)


@operation
def reciprocal(input):
    return floating(lambda x: 1 / x, input)


@operation
def round_even(input):
    return floating(np.rint, input)


@operation
def sin(input):
    return floating(np.sin, input)


@operation
def sign(input):
    """NaN is neither above nor below 0, so it gives 0."""
    return (input > 0).astype(input.dtype) - (input < 0).astype(input.dtype)


@operation
def sqrt(input):
    return floating(np.sqrt, input)


@operation
def tan(input):
    return floating(np.tan, input)


@operation
def cast(input, data_type):
    if is_float(input) and np.dtype(data_type).kind != "f":
        return to_integer(input, data_type)
    return narrow(input, data_type)
