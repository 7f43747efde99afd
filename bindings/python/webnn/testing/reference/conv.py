"""Convolutions, window position by window position."""

import math

import numpy as np

from .matrix import product
from .numbers import narrow, operation, wide

# Where the dimensions stand that a filter layout names.
_FILTER = {
    "oihw": (0, 1, 2, 3), "hwio": (3, 2, 0, 1), "ohwi": (0, 3, 1, 2), "ihwo": (3, 0, 1, 2),
    "iohw": (0, 1, 2, 3), "hwoi": (3, 2, 0, 1),
}
_TRANSPOSED_OHWI = (3, 0, 1, 2)


def to_nchw(x, layout):
    return np.transpose(x, (0, 3, 1, 2)) if layout == "nhwc" else x


def from_nchw(y, layout):
    return np.transpose(y, (0, 2, 3, 1)) if layout == "nhwc" else y


def padded(x, padding, value):
    top, bottom, left, right = padding
    return np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=value)


def extent(size, dilation):
    """What a window of so many cells covers."""
    return (size - 1) * dilation + 1


def _mixed(x, weights):
    """Features from channels, group by group: [n, g, c, h, w] and [g, f, c]."""
    n, groups, channels, *size = x.shape
    return product(weights, x.reshape(n, groups, channels, -1)).reshape(n, groups, -1, *size)


def _add_bias(y, bias):
    return y if bias is None else y + wide(bias)[None, :, None, None]


@operation
def conv2d(input, filter, *, padding=None, strides=None, dilations=None, groups=1, input_layout="nchw",
           filter_layout="oihw", bias=None):
    """What lies outside the input takes no part, whatever the filter holds there."""
    padding, strides, dilations = padding or [0] * 4, strides or [1, 1], dilations or [1, 1]
    x = to_nchw(wide(input), input_layout)
    inside = padded(np.ones((1, 1, *x.shape[2:]), bool), padding, False)[0, 0]
    x = padded(x, padding, 0.0)
    w = np.transpose(wide(filter), _FILTER[filter_layout])
    batch, channels = x.shape[:2]
    features, _, *window = w.shape
    size = [
        (whole - extent(cells, dilation)) // stride + 1
        for whole, cells, dilation, stride in zip(x.shape[2:], window, dilations, strides)
    ]
    x = x.reshape(batch, groups, channels // groups, *x.shape[2:])
    w = w.reshape(groups, features // groups, channels // groups, *window)
    y = np.zeros((batch, groups, features // groups, *size), x.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            rows, columns = (
                slice(at * dilation, at * dilation + (n - 1) * stride + 1, stride)
                for at, dilation, n, stride in zip((i, j), dilations, size, strides)
            )
            part = _mixed(x[..., rows, columns], w[..., i, j])
            y += np.where(inside[rows, columns], part, 0)
    y = _add_bias(y.reshape(batch, features, *size), bias)
    return narrow(from_nchw(y, input_layout), input.dtype)


@operation
def conv_transpose2d(input, filter, *, padding=None, strides=None, dilations=None, output_padding=None,
                     output_sizes=None, groups=1, input_layout="nchw", filter_layout="iohw", bias=None):
    """Each element is spread over a window; what falls into the padding is dropped."""
    padding, strides, dilations = padding or [0] * 4, strides or [1, 1], dilations or [1, 1]
    x = to_nchw(wide(input), input_layout)
    w = np.transpose(wide(filter), _TRANSPOSED_OHWI if filter_layout == "ohwi" else _FILTER[filter_layout])
    batch, channels, *places = x.shape
    _, per_group, *window = w.shape
    spread = [(n - 1) * stride + extent(cells, dilation)
              for n, stride, cells, dilation in zip(places, strides, window, dilations)]
    least = [whole - before - after
             for whole, before, after in zip(spread, padding[0::2], padding[1::2])]
    size = output_sizes or [n + more for n, more in zip(least, output_padding or [0, 0])]
    room = [max(whole, before + n) for whole, before, n in zip(spread, padding[0::2], size)]
    x = x.reshape(batch, groups, channels // groups, *places)
    w = w.reshape(groups, channels // groups, per_group, *window)
    y = np.zeros((batch, groups, per_group, *room), x.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            rows, columns = (
                slice(at * dilation, at * dilation + (n - 1) * stride + 1, stride)
                for at, dilation, n, stride in zip((i, j), dilations, places, strides)
            )
            y[..., rows, columns] += _mixed(x, np.swapaxes(w[..., i, j], 1, 2))
    y = y[..., padding[0]:padding[0] + size[0], padding[2]:padding[2] + size[1]]
    y = _add_bias(y.reshape(batch, groups * per_group, *size), bias)
    return narrow(from_nchw(y, input_layout), input.dtype)


def window_count(filter_shape, layout, groups, transposed):
    """How many products a sum of a convolution has."""
    order = _TRANSPOSED_OHWI if transposed and layout == "ohwi" else _FILTER[layout]
    shape = [filter_shape[axis] for axis in order]
    channels = shape[0] // groups if transposed else shape[1]
    return channels * math.prod(shape[2:])
