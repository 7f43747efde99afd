"""Numbers as the specification sees them: widened inside an operation, rounded once at its end.

Floats are computed in float64 and integers in their own type, where NumPy wraps modulo 2ⁿ.
"""

import contextlib
import contextvars
import functools

import numpy as np

DATA_TYPES = ("float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8")

OPERATIONS = {}

_working = contextvars.ContextVar("working", default=np.float64)
_tip = contextvars.ContextVar("tip", default=0.0)


@contextlib.contextmanager
def working_type(dtype):
    """Computes in another type than float64: shows what is lost, and what overflows, in an engine's float32."""
    token = _working.set(dtype)
    try:
        yield
    finally:
        _working.reset(token)


@contextlib.contextmanager
def tipped(share):
    """Moves what is rounded to integers by a share of itself: shows where an error decides a tie."""
    token = _tip.set(share)
    try:
        yield
    finally:
        _tip.reset(token)


def half_even(array):
    """Whole numbers, halves to even, as long as nothing tips them."""
    return np.rint(array * (1 + _tip.get()))


def operation(function):
    """Registers a function under its name as the operation; IEEE results are no warnings there."""

    @functools.wraps(function)
    def run(*args, **options):
        with np.errstate(all="ignore"):
            return function(*args, **options)

    OPERATIONS[function.__name__] = run
    return run


def is_float(array):
    return array.dtype.kind == "f"


def wide(array):
    """Floats as float64, or the working type; integers as they are."""
    array = np.asarray(array)
    return array.astype(_working.get()) if is_float(array) else array


def narrow(array, dtype):
    """Rounds float64 to nearest, halves to even; integers keep their low bits."""
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(dtype)


def floating(function, x, *others):
    """function of the operands in float64, rounded to the type of the first."""
    return narrow(function(wide(x), *(wide(other) for other in others)), np.asarray(x).dtype)


def _to_odd(value):
    """A Python integer as float64, inexact ones with the last bit set: rounding it again is then as good as
    rounding the integer itself."""
    size = abs(value)
    shift = max(size.bit_length() - 53, 0)
    if shift > 1100:
        return float("inf") if value > 0 else float("-inf")
    kept = (size >> shift) | int(size & ((1 << shift) - 1) != 0)
    with np.errstate(over="ignore"):
        result = np.ldexp(np.float64(kept), shift)
    return float(result if value > 0 else -result)


def cast_number(value, dtype):
    """An MLNumber as an element of a type: saturates, halves to even, NaN is 0 for integers."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return narrow(np.float64(_to_odd(value) if isinstance(value, int) else value), dtype)[()]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if isinstance(value, int):
        whole = value
    elif np.isnan(value):
        whole = 0
    elif np.isinf(value):
        whole = high if value > 0 else low
    else:
        whole = round(float(value))
    return dtype.type(min(max(whole, low), high))


def option(value, dtype):
    """A numeric option, cast to the operand's type as at build time, ready for arithmetic."""
    return _working.get()(cast_number(value, dtype))


def to_integer(array, dtype, rounding=np.trunc):
    """Floats as integers: out of range saturates, NaN is 0."""
    limits = np.iinfo(dtype)
    whole = rounding(np.asarray(array, np.float64))
    beyond = float(int(limits.max) + 1)
    inside = (whole >= float(limits.min)) & (whole < beyond)
    result = np.asarray(np.where(inside, whole, 0).astype(dtype))
    result[whole >= beyond] = limits.max
    result[whole < float(limits.min)] = limits.min
    return result
