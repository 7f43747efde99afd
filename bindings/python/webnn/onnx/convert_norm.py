"""Normalisations and softmax."""

import math

import numpy as np

from .node import MICROSOFT, converts
from .windows import merge_spatial


@converts("BatchNormalization")
def convert_batch_normalization(n):
    n.ignore("momentum")
    n.refuse("training_mode", 0)
    n.refuse("spatial", 1)
    if n.opset < 7:
        n.ignore("is_test")
    x = n.value(0)
    scale, bias, mean, variance = (n.cast(n.value(k), n.type(x)) for k in range(1, 5))
    return n.b.batch_normalization(x, mean, variance, scale=scale, bias=bias, axis=1,
                                   epsilon=n.attr("epsilon", 1e-5))


@converts("InstanceNormalization")
def convert_instance_normalization(n):
    x = n.value(0)
    if n.rank(x) < 3:
        n.fail(f"an input of rank {n.rank(x)} is not supported")
    y = n.b.instance_normalization(merge_spatial(n, x), scale=n.value(1), bias=n.value(2),
                                   epsilon=n.attr("epsilon", 1e-5))
    return n.reshape(y, x.shape)


@converts("LayerNormalization")
def convert_layer_normalization(n):
    x = n.value(0)
    axis = n.axis(n.attr("axis", -1), n.rank(x))
    epsilon = n.attr("epsilon", 1e-5)
    n.refuse("stash_type", 1)
    y = layer_normalization(n, x, n.value(1), n.optional(2), axis, epsilon)
    return (y, *statistics(n, x, axis, epsilon)) if n.n_outputs > 1 else y


def layer_normalization(n, x, scale, bias, axis, epsilon):
    """Over all axes from `axis` on. Scale and bias that only broadcast to these are applied afterwards."""
    axes = list(range(axis, n.rank(x)))
    shape = n.shape(x)[axis:]
    if all(value is None or n.shape(value) == shape for value in (scale, bias)):
        return n.b.layer_normalization(x, scale=scale, bias=bias, axes=axes, epsilon=epsilon)
    y = n.b.layer_normalization(x, axes=axes, epsilon=epsilon)
    y = y if scale is None else n.b.mul(y, scale)
    return y if bias is None else n.b.add(y, bias)


def statistics(n, x, axis, epsilon):
    """Mean, and reciprocal of the deviation, as LayerNormalization's further outputs."""
    axes = list(range(axis, n.rank(x)))
    mean = n.b.reduce_mean(x, axes=axes, keep_dimensions=True)
    rest = n.b.sub(x, mean)
    variance = n.b.reduce_mean(n.b.mul(rest, rest), axes=axes, keep_dimensions=True)
    return mean, n.b.reciprocal(n.b.sqrt(n.b.add(variance, n.scalar(epsilon, x))))


@converts("RMSNormalization", "SimplifiedLayerNormalization")
def convert_rms_normalization(n):
    x = n.value(0)
    axis = n.axis(n.attr("axis", -1), n.rank(x))
    n.refuse("stash_type", 1)
    y, inverse = rms_normalization(n, x, n.value(1), axis, n.attr("epsilon", 1e-5))
    return (y, inverse) if n.n_outputs > 1 else y


def rms_normalization(n, x, scale, axis, epsilon):
    axes = list(range(axis, n.rank(x)))
    mean = n.b.reduce_mean(n.b.mul(x, x), axes=axes, keep_dimensions=True)
    root = n.b.sqrt(n.b.add(mean, n.scalar(epsilon, x)))
    return n.b.mul(n.b.div(x, root), scale), n.b.reciprocal(root)


@converts("GroupNormalization")
def convert_group_normalization(n):
    """Scale and bias belong to groups before opset 21, to channels from then on."""
    x, scale, bias = n.value(0, least=3), n.value(1), n.value(2)
    groups, epsilon = n.required("num_groups"), n.attr("epsilon", 1e-5)
    n.refuse("stash_type", 1)
    batch, channels = x.shape[:2]
    if groups < 1 or channels % groups:
        n.fail(f"attribute num_groups = {groups} doesn't divide {channels} channels")
    grouped = n.reshape(x, [batch, groups, math.prod(x.shape[1:]) // groups])
    y = n.b.layer_normalization(grouped, axes=[2], epsilon=epsilon)
    if n.opset < 21:
        y = n.b.add(n.b.mul(y, n.reshape(scale, [groups, 1])), n.reshape(bias, [groups, 1]))
        return n.reshape(y, x.shape)
    column = [channels] + [1] * (n.rank(x) - 2)
    y = n.b.mul(n.reshape(y, x.shape), n.reshape(scale, column))
    return n.b.add(y, n.reshape(bias, column))


@converts("MeanVarianceNormalization")
def convert_mean_variance_normalization(n):
    x = n.value(0)
    axes = n.axes(n.attr("axes", [0, 2, 3]), n.rank(x))
    rest = n.b.sub(x, n.b.reduce_mean(x, axes=axes, keep_dimensions=True))
    deviation = n.b.sqrt(n.b.reduce_mean(n.b.mul(rest, rest), axes=axes, keep_dimensions=True))
    return n.b.div(rest, n.b.add(deviation, n.scalar(1e-9, x)))


@converts("LpNormalization")
def convert_lp_normalization(n):
    """Where the norm is 0, so is the result."""
    x, p = n.value(0), n.attr("p", 2)
    axis = n.axis(n.attr("axis", -1), n.rank(x))
    if p not in (1, 2):
        n.fail(f"attribute p = {p} is not supported, only 1 and 2")
    reduce = n.b.reduce_l1 if p == 1 else n.b.reduce_l2
    norm = reduce(x, axes=[axis], keep_dimensions=True)
    return n.b.div(x, n.b.where(n.b.equal(norm, n.scalar(0, x)), n.scalar(1, x), norm))


@converts("LRN")
def convert_lrn(n):
    """x / (bias + alpha · mean of squares over `size` neighbouring channels, with zeros outside) ^ beta"""
    x, size = n.value(0, least=3), n.required("size")
    if not 1 <= size <= 2 * x.shape[1]:
        n.fail(f"attribute size = {size} doesn't fit {x.shape[1]} channels")
    alpha, beta, bias = n.attr("alpha", 1e-4), n.attr("beta", 0.75), n.attr("bias", 1.0)
    channels = x.shape[1]
    plane = n.reshape(n.b.mul(x, x), [x.shape[0], 1, channels, math.prod(x.shape[2:])])
    plane = n.b.pad(plane, [0, 0, (size - 1) // 2, 0], [0, 0, size // 2, 0])
    mean = n.b.average_pool2d(plane, window_dimensions=[size, 1])
    base = n.b.linear(n.reshape(mean, x.shape), alpha=alpha, beta=bias)
    return n.b.div(x, n.b.pow(base, n.scalar(beta, x)))


@converts("Softmax")
def convert_softmax(n):
    return _over_rows(n, lambda x, axis: n.b.softmax(x, axis))


@converts("LogSoftmax")
def convert_log_softmax(n):
    def log_softmax(x, axis):
        x = n.b.sub(x, n.b.reduce_max(x, axes=[axis], keep_dimensions=True))  # else large numbers lose digits
        return n.b.sub(x, n.b.reduce_log_sum_exp(x, axes=[axis], keep_dimensions=True))
    return _over_rows(n, log_softmax)


@converts("Hardmax")
def convert_hardmax(n):
    def hardmax(x, axis):
        place = n.b.arg_max(x, axis, keep_dimensions=True)
        n.claim(4 * x.shape[axis])
        numbers = np.arange(x.shape[axis], dtype=np.int32).reshape([-1] + [1] * (n.rank(x) - axis - 1))
        return n.b.cast(n.b.equal(numbers, place), n.type(x))
    return _over_rows(n, hardmax)


def _over_rows(n, function):
    """Along one axis; before opset 13 over everything from `axis` on, as one row."""
    x = n.value(0)
    rank = n.rank(x)
    if n.opset >= 13:
        return function(x, n.axis(n.attr("axis", -1), rank))
    axis = n.axis(n.attr("axis", 1), rank)
    if axis == rank - 1:
        return function(x, axis)
    flat = n.reshape(x, [math.prod(x.shape[:axis]), math.prod(x.shape[axis:])])
    return n.reshape(function(flat, 1), x.shape)


@converts("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def convert_skip_layer_normalization(n):
    """The sum of two inputs and a bias, normalised; the sum is the fourth output."""
    x, skip, scale = n.value(0), n.value(1), n.value(2)
    simplified = n.op_type.startswith("SkipSimplified")
    shift, bias = (None, n.optional(3)) if simplified else (n.optional(3), n.optional(4))
    total = n.b.add(x, skip)
    total = total if bias is None else n.b.add(total, bias)
    axis, epsilon = n.rank(total) - 1, n.attr("epsilon", 1e-12 if not simplified else 1e-5)
    if any(n.proto.output[1:3]):
        n.fail("the outputs mean and inv_std_var are not supported")
    if simplified:
        y = rms_normalization(n, total, scale, axis, epsilon)[0]
    else:
        y = layer_normalization(n, total, scale, shift, axis, epsilon)
    return y, None, None, total
