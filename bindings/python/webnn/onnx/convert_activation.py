"""Activations."""

import math

import numpy as np

from .node import MICROSOFT, converts, is_constant

_PLAIN = {"Sigmoid": "sigmoid", "Tanh": "tanh", "Softplus": "softplus", "Softsign": "softsign",
          "HardSwish": "hard_swish"}


@converts(*_PLAIN)
def convert_plain(n):
    return getattr(n.b, _PLAIN[n.op_type])(n.value(0))


@converts("Relu")
def convert_relu(n):
    x = n.value(0)
    return n.b.identity(x) if n.type(x).startswith("u") else n.b.relu(x)


@converts("LeakyRelu")
def convert_leaky_relu(n):
    return n.b.leaky_relu(n.value(0), alpha=n.attr("alpha", 0.01))


@converts("Elu")
def convert_elu(n):
    return n.b.elu(n.value(0), alpha=n.attr("alpha", 1.0))


@converts("Celu")
def convert_celu(n):
    """alpha · elu(x / alpha) for the negative side, x for the other."""
    x, alpha = n.value(0), n.attr("alpha", 1.0)
    if alpha == 0:
        n.fail("attribute alpha is 0")
    scaled = n.b.elu(n.b.linear(x, alpha=1 / alpha))
    return n.b.linear(scaled, alpha=alpha)


@converts("Selu")
def convert_selu(n):
    x = n.value(0)
    alpha, gamma = n.attr("alpha", 1.6732632423543772), n.attr("gamma", 1.0507009873554805)
    return n.b.linear(n.b.elu(x, alpha=alpha), alpha=gamma)


@converts("HardSigmoid")
def convert_hard_sigmoid(n):
    return n.b.hard_sigmoid(n.value(0), alpha=n.attr("alpha", 0.2), beta=n.attr("beta", 0.5))


@converts("ThresholdedRelu")
def convert_thresholded_relu(n):
    x = n.value(0)
    return n.b.where(n.b.greater(x, n.scalar(n.attr("alpha", 1.0), x)), x, n.scalar(0, x))


@converts("Shrink")
def convert_shrink(n):
    x, bias, bound = n.value(0), n.attr("bias", 0.0), n.attr("lambd", 0.5)
    above = n.b.where(n.b.greater(x, n.scalar(bound, x)), n.b.sub(x, n.scalar(bias, x)), n.scalar(0, x))
    return n.b.where(n.b.lesser(x, n.scalar(-bound, x)), n.b.add(x, n.scalar(bias, x)), above)


@converts("Mish")
def convert_mish(n):
    x = n.value(0)
    return n.b.mul(x, n.b.tanh(n.b.softplus(x)))


@converts("Swish")
def convert_swish(n):
    return swish(n, n.value(0), n.attr("alpha", 1.0))


@converts("SwiGLU")
def convert_swiglu(n):
    return n.b.mul(swish(n, n.value(0), n.attr("alpha", 1.0)), n.value(1))


@converts("QuickGelu", domain=MICROSOFT)
def convert_quick_gelu(n):
    return swish(n, n.value(0), n.attr("alpha", 1.702))


def swish(n, x, alpha):
    return n.b.mul(x, n.b.sigmoid(x if alpha == 1 else n.b.linear(x, alpha=alpha)))


@converts("Gelu")
def convert_gelu(n):
    form = n.choice("approximate", "none", ("none", "tanh"))
    return n.b.gelu(n.value(0)) if form == "none" else gelu_tanh(n, n.value(0))


def gelu_tanh(n, x):
    """x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))"""
    cube = n.b.mul(n.b.mul(x, x), x)
    inner = n.b.add(x, n.b.linear(cube, alpha=0.044715))
    bent = n.b.tanh(n.b.linear(inner, alpha=float(np.sqrt(2 / np.pi))))
    return n.b.mul(n.b.linear(x, alpha=0.5), n.b.add(bent, n.scalar(1, x)))


@converts("PRelu")
def convert_prelu(n):
    """The slope broadcasts to the input, never the other way round."""
    x, slope = n.value(0), n.value(1)
    if n.opset < 7 and slope.shape and math.prod(slope.shape) > 1:  # one number a channel
        slope = n.reshape(slope, [*slope.shape, *[1] * max(0, n.rank(x) - 2)])
    if n.broadcast(x, slope) != tuple(x.shape):
        n.fail(f"slope of shape {n.shape(slope)} doesn't fit the input's {n.shape(x)}")
    if n.type(x).startswith("u"):
        return n.b.identity(x)
    if is_constant(slope) and slope.size == 1 and n.is_float(x) and np.isfinite(slope).all():
        return n.b.leaky_relu(x, alpha=slope.reshape(-1)[0].item())
    return n.b.prelu(x, slope)
