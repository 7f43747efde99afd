"""Operations that move elements and compute nothing."""

import math

import numpy as np

from .node import converts, is_constant


@converts("Identity")
def convert_identity(n):
    return n.any(0)


@converts("Dropout")
def convert_dropout(n):
    n.ignore("ratio", "seed", "is_test")
    x = n.value(0)
    if n.has(2) and n.truth(n.array(2)):
        n.fail("training mode is not supported")
    mask = np.broadcast_to(np.bool_(n.opset >= 12), n.shape(x))  # older versions leave the mask open
    return x, mask if n.opset >= 10 else n.cast(mask, n.type(x))


@converts("Shape")
def convert_shape(n):
    shape = n.shape(n.value(0))
    return np.array(shape[slice(n.attr("start", 0), n.attr("end"))], np.int64)


@converts("Size")
def convert_size(n):
    return np.array(math.prod(n.value(0).shape), np.int64)


@converts("Reshape")
def convert_reshape(n):
    x, shape = n.value(0), n.ints(1)
    if not n.attr("allowzero", 0):
        shape = [x.shape[axis] if size == 0 and axis < n.rank(x) else size for axis, size in enumerate(shape)]
    if any(size < -1 for size in shape) or shape.count(-1) > 1:
        n.fail(f"the new shape is {shape}")
    if -1 in shape:
        known = -math.prod(shape)
        if known == 0 or math.prod(x.shape) % known:
            n.fail(f"the shape {n.shape(x)} can't become {shape}")
        shape[shape.index(-1)] = math.prod(x.shape) // known
    return n.reshape(x, shape)


@converts("Flatten")
def convert_flatten(n):
    x = n.value(0)
    axis = n.attr("axis", 1)
    axis = n.rank(x) if axis == n.rank(x) else n.axis(axis, n.rank(x))
    return n.reshape(x, [math.prod(x.shape[:axis]), math.prod(x.shape[axis:])])


@converts("Squeeze")
def convert_squeeze(n):
    x, axes = n.value(0), n.attr_or_ints("axes", 1, 13)
    if axes is None:
        return n.reshape(x, [size for size in x.shape if size != 1])
    axes = n.axes(axes, n.rank(x))
    if any(x.shape[axis] != 1 for axis in axes):
        n.fail(f"axes {axes} of the shape {n.shape(x)} aren't all of size 1")
    return n.reshape(x, [size for axis, size in enumerate(x.shape) if axis not in axes])


@converts("Unsqueeze")
def convert_unsqueeze(n):
    x, axes = n.value(0), n.attr_or_ints("axes", 1, 13)
    if axes is None:
        n.fail("axes are missing")
    axes = n.axes(axes, n.rank(x) + len(axes))
    sizes = iter(n.shape(x))
    return n.reshape(x, [1 if axis in axes else next(sizes) for axis in range(n.rank(x) + len(axes))])


@converts("Transpose")
def convert_transpose(n):
    x = n.value(0)
    order = n.attr("perm", list(reversed(range(n.rank(x)))))
    if sorted(order) != list(range(n.rank(x))):
        n.fail(f"attribute perm = {order} is no order of {n.rank(x)} axes")
    return n.transpose(x, order)


@converts("Concat")
def convert_concat(n):
    """Inputs without elements vanish."""
    axis = n.axis(n.required("axis"), n.rank(n.value(0)))
    parts = [value for value in n.values() if math.prod(value.shape)]
    if not parts:
        n.fail(f"its inputs, {n.described()}, don't fit each other")
    return parts[0] if len(parts) == 1 else n.b.concat(parts, axis)


@converts("Split")
def convert_split(n):
    x = n.value(0)
    axis = n.axis(n.attr("axis", 0), n.rank(x))
    sizes = n.attr_or_ints("split", 1, 13)
    count = n.n_outputs
    if n.attr("num_outputs", count) != count:
        n.fail(f"attribute num_outputs = {n.attr('num_outputs')}, but it has {count} outputs")
    if sizes is None:
        step = -(-x.shape[axis] // count)
        sizes = [max(0, min(step, x.shape[axis] - k * step)) for k in range(count)]
    if len(sizes) != count:
        n.fail(f"{len(sizes)} parts for {count} outputs")
    return cut(n, x, sizes, axis)


def cut(n, x, sizes, axis):
    """The parts of a value; some may have no elements."""
    if sum(sizes) != x.shape[axis] or any(size < 0 for size in sizes):
        n.fail(f"parts of {sizes} don't make up {x.shape[axis]}")
    if is_constant(x):
        return tuple(np.split(x, np.cumsum(sizes)[:-1], axis))
    if len(sizes) == 1:
        return (x,)
    pieces = iter(n.b.split(x, [size for size in sizes if size], axis=axis))
    shape = n.shape(x)
    return tuple(next(pieces) if size else n.empty(shape[:axis] + [0] + shape[axis + 1:], x) for size in sizes)


@converts("Slice")
def convert_slice(n):
    x = n.value(0)
    if n.opset < 10:
        starts, ends, axes = n.required("starts"), n.required("ends"), n.attr("axes")
        steps = None
    else:
        starts, ends = n.ints(1), n.ints(2)
        axes, steps = (n.ints(k) if n.has(k) else None for k in (3, 4))
    axes = n.axes(range(len(starts)) if axes is None else axes, n.rank(x))
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        n.fail(f"starts {starts}, ends {ends}, axes {axes} and steps {steps} don't fit each other")
    picks = [slice(None)] * n.rank(x)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        picks[axis] = _pick(x.shape[axis], start, end, step)
    return _sliced(n, x, picks)


def _pick(size, start, end, step):
    """As a slice with plain, non-negative bounds; a negative end beyond the first element is None."""
    if start < 0:
        start += size
    if end < 0:
        end += size
    if step > 0:
        start, end = min(max(start, 0), size), min(max(end, 0), size)
        return slice(start, max(start, end), step)
    start, end = min(max(start, -1), size - 1), min(max(end, -1), size - 1)
    return slice(0, 0, 1) if end >= start else slice(start, end if end >= 0 else None, step)


def _sliced(n, x, picks):
    """Negative steps reverse first, then step forward."""
    if is_constant(x):
        return x[tuple(picks)]
    ranges = [range(size)[pick] for size, pick in zip(x.shape, picks)]
    if not all(len(places) for places in ranges):
        return n.empty([len(places) for places in ranges], x)
    backward = [axis for axis, places in enumerate(ranges) if places.step < 0 and len(places) > 1]
    starts, sizes, steps = [], [], []
    for axis, places in enumerate(ranges):
        first = x.shape[axis] - 1 - places[0] if axis in backward else places[0]
        step = min(abs(places.step), x.shape[axis])
        starts.append(first)
        sizes.append((len(places) - 1) * step + 1)
        steps.append(step if len(places) > 1 else 1)
    if backward:
        x = n.b.reverse(x, axes=backward)
    if sizes == n.shape(x):
        return x
    return n.b.slice(x, starts, sizes, strides=steps)


@converts("Pad")
def convert_pad(n):
    """Negative paddings cut off; they come first, as what is cut off can't be mirrored."""
    x = n.value(0)
    mode = n.choice("mode", "constant", ("constant", "reflect", "edge", "wrap"))
    pads = n.required("pads") if n.opset < 11 else n.ints(1)
    value = n.attr("value", 0.0) if n.opset < 11 else n.optional(2)
    axes = n.axes(n.ints(3), n.rank(x)) if n.has(3) else list(range(n.rank(x)))
    if len(pads) != 2 * len(axes):
        n.fail(f"pads {pads} don't fit {len(axes)} axes")
    begins, ends = [0] * n.rank(x), [0] * n.rank(x)
    for axis, begin, end in zip(axes, pads, pads[len(axes):]):
        begins[axis], ends[axis] = begin, end
    picks = [slice(max(0, -begin), size - max(0, -end)) for begin, end, size in zip(begins, ends, x.shape)]
    if any(begin < 0 for begin in begins) or any(end < 0 for end in ends):
        x = _sliced(n, x, picks)
    begins, ends = [max(0, size) for size in begins], [max(0, size) for size in ends]
    if not any(begins) and not any(ends):
        return x
    if mode == "wrap":
        return _wrapped(n, x, begins, ends)
    if mode != "constant":
        return n.b.pad(x, begins, ends, mode="reflection" if mode == "reflect" else mode)
    if is_constant(value) and value.size != 1:
        n.fail(f"the padding's value has the shape {n.shape(value)}, one number is needed")
    if value is None or isinstance(value, float) or is_constant(value):
        number = value if isinstance(value, float) or value is None else value.reshape(())[()].item()
        return n.b.pad(x, begins, ends, value=number or 0)
    return _padded_with_operand(n, x, begins, ends, value)


def _padded_with_operand(n, x, begins, ends, value):
    """The padding's value is only known when the graph runs: it is chosen where a padded mask is 0."""
    mask = n.b.pad(n.b.expand(n.b.scalar(1, "uint8"), n.shape(x)), begins, ends)
    return n.b.where(mask, n.b.pad(x, begins, ends), n.reshape(value, []))


def _wrapped(n, x, begins, ends):
    for axis, (begin, end) in enumerate(zip(begins, ends)):
        size = x.shape[axis]
        if begin > size or end > size:
            n.fail(f"attribute mode = 'wrap' with padding {begin}, {end} of an axis of {size} is not supported")
        whole = [slice(None)] * n.rank(x)
        parts = [x]
        if begin:
            whole[axis] = slice(size - begin, size)
            parts.insert(0, _sliced(n, x, whole))
        if end:
            whole[axis] = slice(0, end)
            parts.append(_sliced(n, x, whole))
        x = n.b.concat(parts, axis) if len(parts) > 1 else x
    return x


@converts("CenterCropPad")
def convert_center_crop_pad(n):
    x, sizes = n.value(0), n.ints(1)
    axes = n.axes(n.attr("axes", list(range(n.rank(x)))), n.rank(x))
    if len(sizes) != len(axes) or any(size < 1 for size in sizes):
        n.fail(f"sizes {sizes} don't fit {len(axes)} axes")
    begins, ends, picks = [0] * n.rank(x), [0] * n.rank(x), [slice(None)] * n.rank(x)
    for axis, size in zip(axes, sizes):
        have = x.shape[axis]
        begins[axis] = max(0, size - have) // 2
        ends[axis] = max(0, size - have) - begins[axis]
        first = max(0, have - size) // 2
        picks[axis] = slice(first, first + min(have, size))
    x = _sliced(n, x, picks)
    return n.b.pad(x, begins, ends) if any(begins) or any(ends) else x


@converts("Tile")
def convert_tile(n):
    x, repeats = n.value(0), n.ints(1)
    if 0 in repeats and len(repeats) == n.rank(x):
        return n.empty([size * count for size, count in zip(x.shape, repeats)], x)
    return n.b.tile(x, repeats)


@converts("Expand")
def convert_expand(n):
    x, shape = n.value(0), n.sizes(1)
    shape = list(n.broadcast(x, np.broadcast_to(np.uint8(0), shape)))
    if 0 in shape:
        return n.empty(shape, x)
    return x if shape == n.shape(x) else n.b.expand(x, shape)


@converts("Trilu")
def convert_trilu(n):
    x, k = n.value(0), n.int(1) if n.has(1) else 0
    bound = sum(x.shape[-2:])
    return n.b.triangular(x, upper=bool(n.attr("upper", 1)), diagonal=min(max(k, -bound), bound))


@converts("DepthToSpace")
def convert_depth_to_space(n):
    x, block = n.value(0, 4), n.required("blocksize")
    batch, channels, height, width = x.shape
    if block < 1 or channels % (block * block):
        n.fail(f"attribute blocksize = {block} doesn't fit {channels} channels")
    depth = channels // (block * block)
    if n.choice("mode", "DCR", ("DCR", "CRD")) == "DCR":
        y = n.transpose(n.reshape(x, [batch, block, block, depth, height, width]), [0, 3, 4, 1, 5, 2])
    else:
        y = n.transpose(n.reshape(x, [batch, depth, block, block, height, width]), [0, 1, 4, 2, 5, 3])
    return n.reshape(y, [batch, depth, height * block, width * block])


@converts("SpaceToDepth")
def convert_space_to_depth(n):
    x, block = n.value(0, 4), n.required("blocksize")
    batch, channels, height, width = x.shape
    if block < 1 or height % block or width % block:
        n.fail(f"attribute blocksize = {block} doesn't divide {height} × {width}")
    y = n.reshape(x, [batch, channels, height // block, block, width // block, block])
    depth_first = n.choice("mode", "DCR", ("DCR", "CRD")) == "DCR"
    y = n.transpose(y, [0, 3, 5, 1, 2, 4] if depth_first else [0, 1, 3, 5, 2, 4])
    return n.reshape(y, [batch, channels * block * block, height // block, width // block])


@converts("ReverseSequence")
def convert_reverse_sequence(n):
    """The first lengths[b] steps of each batch backward: a gather, for the lengths are known."""
    x, lengths = n.value(0, least=2), n.ints(1)
    time_axis, batch_axis = n.attr("time_axis", 0), n.attr("batch_axis", 1)
    if {time_axis, batch_axis} != {0, 1} or len(lengths) != x.shape[batch_axis]:
        n.fail("time_axis and batch_axis must be the first two, with a length for each batch")
    steps, batches = x.shape[time_axis], x.shape[batch_axis]
    n.claim(4 * steps * batches * 8)
    if any(not 0 <= length <= steps for length in lengths):
        n.fail(f"the lengths {lengths} aren't in 0 … {steps}")
    time, batch = np.meshgrid(np.arange(steps), np.arange(batches), indexing="ij")
    length = np.array(lengths)
    time = np.where(time < length, length - 1 - time, time)
    places = np.stack([time, batch] if time_axis == 0 else [batch.T, time.T], axis=-1).astype(np.int32)
    return n.b.gather_nd(x, places)
