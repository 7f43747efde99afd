"""Convolutions."""

import math

import numpy as np

from .convert_sample import blend
from .node import FOLD_LIMIT, MICROSOFT, converts, is_constant
from .windows import Window, narrow, widen


@converts("Conv")
def convert_conv(n):
    return conv(n, n.value(0), n.value(1), n.optional(2))


def conv(n, x, filter, bias):
    """The convolution that the attributes of `n` describe, over one, two or three spatial axes."""
    rank = n.rank(x) - 2
    if rank not in (1, 2, 3) or n.rank(filter) != rank + 2:
        n.fail(f"input of rank {n.rank(x)} and filter of rank {n.rank(filter)} are not supported")
    window = Window(n, n.shape(x)[2:], _kernel(n, filter))
    groups = n.attr("group", 1)
    if rank == 3:
        return _conv3d(n, x, filter, bias, window, groups)
    if rank == 1:
        x, filter, window = widen(n, x), widen(n, filter), window.widened()
    y = n.b.conv2d(x, filter, bias=bias, padding=window.padding(), strides=window.strides,
                   dilations=window.dilations, groups=groups)
    return narrow(n, y) if rank == 1 else y


def _kernel(n, filter):
    kernel = n.shape(filter)[2:]
    if n.attr("kernel_shape", kernel) != kernel:
        n.fail(f"attribute kernel_shape = {n.attr('kernel_shape')} contradicts the filter's shape {n.shape(filter)}")
    return kernel


def _conv3d(n, x, filter, bias, window, groups):
    """A sum of 2-D convolutions, one for each layer of the filter; layers of the output go into the batch."""
    batch, channels, depth, height, width = x.shape
    out_depth = (depth + window.begins[0] + window.ends[0] - window.extents[0]) // window.strides[0] + 1
    if out_depth < 1:
        n.fail("the filter is deeper than the padded input")
    x = n.b.transpose(x, permutation=[2, 0, 1, 3, 4])
    x = n.b.pad(x, [window.begins[0], 0, 0, 0, 0], [window.ends[0], 0, 0, 0, 0])
    flat = _plane(window)
    total = None
    for k in range(window.kernel[0]):
        span = (out_depth - 1) * window.strides[0] + 1
        layers = n.b.slice(x, [k * window.dilations[0], 0, 0, 0, 0], [span, batch, channels, height, width],
                           strides=[window.strides[0], 1, 1, 1, 1])
        layers = n.b.reshape(layers, [out_depth * batch, channels, height, width])
        part = n.b.conv2d(layers, _layer(n, filter, k), bias=bias if k == 0 else None, groups=groups, **flat)
        total = part if total is None else n.b.add(total, part)
    _, out_channels, out_height, out_width = total.shape
    total = n.b.reshape(total, [out_depth, batch, out_channels, out_height, out_width])
    return n.b.transpose(total, permutation=[1, 2, 0, 3, 4])


def _plane(window):
    """The last two of three spatial axes, as options."""
    begins, ends = window.begins[1:], window.ends[1:]
    return {"padding": [begins[0], ends[0], begins[1], ends[1]], "strides": window.strides[1:],
            "dilations": window.dilations[1:]}


def _layer(n, filter, k):
    if is_constant(filter):
        return filter[:, :, k]
    out_channels, channels, _, height, width = filter.shape
    layer = n.b.slice(filter, [0, 0, k, 0, 0], [out_channels, channels, 1, height, width])
    return n.b.reshape(layer, [out_channels, channels, height, width])


@converts("ConvTranspose")
def convert_conv_transpose(n):
    x, filter, bias = n.value(0), n.value(1), n.optional(2)
    rank = n.rank(x) - 2
    if rank not in (1, 2) or n.rank(filter) != rank + 2:
        n.fail(f"input of rank {n.rank(x)} and filter of rank {n.rank(filter)} are not supported")
    window = Window(n, n.shape(x)[2:], _kernel(n, filter))
    sizes = _transposed_sizes(n, n.shape(x)[2:], window)
    if rank == 1:
        x, filter, window, sizes = widen(n, x), widen(n, filter), window.widened(), [1, *sizes]
    y = n.b.conv_transpose2d(x, filter, bias=bias, padding=window.padding(), strides=window.strides,
                             dilations=window.dilations, output_sizes=sizes, groups=n.attr("group", 1))
    return narrow(n, y) if rank == 1 else y


def _transposed_sizes(n, sizes, window):
    """The output's sizes; paddings that these imply are put into the window."""
    rank = len(sizes)
    extra = n.attr("output_padding", [0] * rank)
    wanted = n.attr("output_shape") or None
    for name, numbers in (("output_padding", extra), ("output_shape", wanted or [0] * rank)):
        if len(numbers) not in (rank, rank + 2 if name == "output_shape" else rank) or min(numbers) < 0:
            n.fail(f"attribute {name} = {numbers} doesn't fit {rank} spatial axes")
    if wanted is not None:
        wanted = wanted[-rank:]
    elif window.auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [size * stride for size, stride in zip(sizes, window.strides)]
    out = []
    for axis in range(rank):
        full = (sizes[axis] - 1) * window.strides[axis] + window.extents[axis]
        if wanted is not None:
            total = max(0, full + extra[axis] - wanted[axis])
            small, large = total // 2, total - total // 2
            upper = window.auto_pad == "SAME_UPPER"
            window.begins[axis], window.ends[axis] = (small, large) if upper else (large, small)
        cropped = full - window.begins[axis] - window.ends[axis]
        out.append(wanted[axis] if wanted is not None else cropped + extra[axis])
        spare = out[axis] - cropped
        if 0 < window.strides[axis] <= spare <= window.ends[axis] + window.strides[axis] - 1:
            window.ends[axis] -= spare - window.strides[axis] + 1  # the same cells, not cut off in the first place
    return out


@converts("FusedConv", domain=MICROSOFT)
def convert_fused_conv(n):
    """Convolution, an optional sum, then an activation."""
    y = conv(n, n.value(0), n.value(1), n.optional(2))
    if n.has(3):
        y = n.b.add(y, n.value(3))
    return fused_activation(n, y, n.attr("activation_params", []))


def fused_activation(n, y, numbers):
    """What the attribute activation names."""
    activation = n.attr("activation", "")
    if activation == "":
        return y
    if activation in ("Relu", "Sigmoid", "Tanh"):
        return getattr(n.b, activation.lower())(y)
    if activation == "LeakyRelu":
        return n.b.leaky_relu(y, alpha=numbers[0] if numbers else 0.01)
    if activation == "Clip" and len(numbers) == 2:
        return n.b.clamp(y, min_value=numbers[0], max_value=numbers[1])
    if activation == "HardSigmoid" and len(numbers) == 2:
        return n.b.hard_sigmoid(y, alpha=numbers[0], beta=numbers[1])
    return n.fail(f"attribute activation = {activation!r} with {numbers} is not supported")


@converts("Col2Im")
def convert_col2im(n):
    """Columns laid back into the image, sums where they overlap: a transposed convolution that spreads each row of a
    column to its own place."""
    x, image, block = n.value(0), n.sizes(1), n.sizes(2)
    if n.rank(x) != 3 or len(image) != 2 or len(block) != 2:
        n.fail(f"an input of shape {n.shape(x)} for an image {image} of blocks {block} is not supported")
    window = Window(n, image, block)
    cells = math.prod(block)
    if cells < 1 or x.shape[1] % cells or cells * cells > FOLD_LIMIT // 4:
        n.fail(f"{x.shape[1]} channels for blocks of {block} are not supported")
    places = window.outputs(image)
    if min(places) < 1 or math.prod(places) != x.shape[2]:
        n.fail(f"{x.shape[2]} blocks don't fit the image: {places}")
    batch, channels = x.shape[0], x.shape[1] // cells
    x = n.reshape(x, [batch * channels, cells, *places])
    spread = np.eye(cells, dtype=n.type(x)).reshape(cells, 1, *block)
    y = n.b.conv_transpose2d(x, spread, padding=window.padding(), strides=window.strides,
                             dilations=window.dilations, output_sizes=image)
    return n.reshape(y, [batch, channels, *image])


@converts("DeformConv")
def convert_deform_conv(n):
    """Each cell of the filter reads the image where its offset says, and the products are one of matrices."""
    x, filter, offset, bias, mask = n.value(0), n.value(1), n.value(2), n.optional(3), n.optional(4)
    if n.rank(x) != 4 or n.rank(filter) != 4 or n.rank(offset) != 4:
        n.fail(f"input of rank {n.rank(x)} and filter of rank {n.rank(filter)} are not supported")
    window = Window(n, n.shape(x)[2:], _kernel(n, filter))
    groups, offset_groups, cells = n.attr("group", 1), n.attr("offset_group", 1), math.prod(window.kernel)
    batch, channels, height, width = x.shape
    features, _, out_height, out_width = filter.shape[0], *offset.shape[1:]
    if min(groups, offset_groups) < 1 or channels % groups or channels % offset_groups or features % groups or (
            offset.shape[1] != 2 * offset_groups * cells):
        n.fail(f"offsets of shape {n.shape(offset)} for {channels} channels and {cells} cells are not supported")
    sizes = window.outputs([height, width])
    if [out_height, out_width] != sizes:
        n.fail(f"offsets of shape {n.shape(offset)} for an output of {sizes[0]} by {sizes[1]} are not supported")
    pieces, each = batch * offset_groups, channels // offset_groups
    rows, columns = _read_at(n, n.reshape(offset, [pieces, cells, 2, out_height, out_width]), window)
    pixels = n.b.transpose(n.reshape(x, [pieces, each, height, width]), permutation=[0, 2, 3, 1])
    value = blend(n, pixels, columns, rows, "zeros")
    if mask is not None:
        value = n.b.mul(value, n.reshape(mask, [pieces, cells * out_height, out_width, 1]))
    places = out_height * out_width
    value = n.b.transpose(n.reshape(value, [batch, offset_groups, cells, places, each]), permutation=[0, 1, 4, 2, 3])
    value = n.b.reshape(value, [batch, groups, channels // groups * cells, places])
    filter = n.reshape(filter, [1, groups, features // groups, channels // groups * cells])
    y = n.b.reshape(n.b.matmul(filter, value), [batch, features, out_height, out_width])
    return y if bias is None else n.b.add(y, n.reshape(bias, [features, 1, 1]))


def _read_at(n, offset, window):
    """Rows and columns of the image, [pieces, cells * height, width], of offsets [pieces, cells, 2, height, width]."""
    pieces, cells, _, height, width = offset.shape
    kernel = np.indices(window.kernel).reshape(2, cells, 1, 1)
    found = []
    for axis, part in enumerate(n.b.split(offset, 2, axis=2)):
        size = (height, width)[axis]
        start = np.arange(size) * window.strides[axis] - window.begins[axis]
        start = start.reshape((size, 1) if axis == 0 else (1, size))
        home = (start + kernel[axis] * window.dilations[axis]).astype(n.type(offset))
        place = n.b.add(n.reshape(part, [pieces, cells, height, width]), home)
        found.append(n.b.reshape(place, [pieces, cells * height, width]))
    return found
