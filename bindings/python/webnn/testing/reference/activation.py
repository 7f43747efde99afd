"""Activations: element by element, and softmax."""

import math

import numpy as np

from .numbers import cast_number, floating, narrow, operation, option, wide

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


@operation
def clamp(input, *, min_value=None, max_value=None):
    """A bound that is absent or NaN is none; NaN stays."""
    result = input
    if min_value is not None:
        low = cast_number(min_value, input.dtype)
        result = np.where(result < low, low, result)
    if max_value is not None:
        high = cast_number(max_value, input.dtype)
        result = np.where(result > high, high, result)
    return np.array(result, input.dtype)


@operation
def relu(input):
    return np.maximum(input, input.dtype.type(0))


@operation
def prelu(input, slope):
    """The select form: an infinite slope has no say where x is not negative."""
    x, s = np.broadcast_arrays(wide(input), wide(slope))
    return narrow(np.where(x < 0, x * s, x), input.dtype)


@operation
def leaky_relu(input, *, alpha=0.01):
    slope = option(alpha, input.dtype)
    return floating(lambda x: np.where(x < 0, x * slope, x), input)


@operation
def elu(input, *, alpha=1):
    factor = option(alpha, input.dtype)
    return floating(lambda x: np.where(x < 0, factor * np.expm1(x), x), input)


@operation
def gelu(input):
    return floating(lambda x: 0.5 * x * _erfc(-x / math.sqrt(2)), input)


@operation
def hard_sigmoid(input, *, alpha=0.2, beta=0.5):
    slope, shift = option(alpha, input.dtype), option(beta, input.dtype)
    return floating(lambda x: np.maximum(0, np.minimum(1, slope * x + shift)), input)


@operation
def hard_swish(input):
    return floating(lambda x: x * np.maximum(0, np.minimum(6, x + 3)) / 6, input)


@operation
def linear(input, *, alpha=1, beta=0):
    slope, shift = option(alpha, input.dtype), option(beta, input.dtype)
    return floating(lambda x: slope * x + shift, input)


def logistic(x):
    """1 / (1 + exp(-x)) without an overflow on the way."""
    small = np.exp(-np.absolute(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


@operation
def sigmoid(input):
    return floating(logistic, input)


@operation
def softplus(input):
    return floating(lambda x: np.logaddexp(0, x), input)


@operation
def softsign(input):
    return floating(lambda x: x / (1 + np.absolute(x)), input)


@operation
def tanh(input):
    return floating(np.tanh, input)


@operation
def softmax(input, axis):
    def along(x):
        powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return powers / np.sum(powers, axis=axis, keepdims=True)

    return floating(along, input)
