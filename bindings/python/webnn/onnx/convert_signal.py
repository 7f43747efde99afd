"""Fourier transforms, as products with matrices of cosines and sines."""

import numpy as np

from .node import FOLD_LIMIT, converts


@converts("DFT")
def convert_dft(n):
    """[…, size, …, 1 or 2] to [… , bins, …, 2]; real and imaginary part are the last axis."""
    x = n.value(0)
    rank = n.rank(x)
    axis = n.attr("axis", 1) if n.opset < 20 else n.int(2) if n.has(2) else -2
    axis = n.axis(axis, rank)
    if axis == rank - 1 or x.shape[-1] not in (1, 2):
        n.fail(f"axis {axis} of the shape {n.shape(x)}")
    length = n.int(1) if n.has(1) else x.shape[axis]
    inverse, one_sided = n.attr("inverse", 0), n.attr("onesided", 0)
    if inverse and one_sided:
        n.fail("attributes inverse = 1 and onesided = 1 together are not supported")
    order = [other for other in range(rank) if other not in (axis, rank - 1)] + [rank - 1, axis]
    x = _fitted(n, n.b.transpose(x, permutation=order), length)
    y = transform(n, _part(n, x, 0), _part(n, x, 1), length, one_sided, inverse)  # […, bins, 2]
    back = list(range(rank - 2))
    back.insert(axis, rank - 2)
    return n.transpose(y, back + [rank - 1])


def _fitted(n, x, length):
    """The last axis cut or filled with zeros."""
    shape = n.shape(x)
    if length < 1:
        n.fail(f"a length of {length}")
    if length < shape[-1]:
        return n.b.slice(x, [0] * len(shape), [*shape[:-1], length])
    if length > shape[-1]:
        return n.b.pad(x, [0] * len(shape), [0] * (len(shape) - 1) + [length - shape[-1]])
    return x


def _part(n, x, index):
    """Real (0) or imaginary (1) part, which may be missing, of an array with these before the last axis."""
    *lead, parts, size = x.shape
    if index >= parts:
        return None
    part = n.b.slice(x, [0] * len(lead) + [index, 0], [*lead, 1, size])
    return n.reshape(part, [*lead, size])


def transform(n, real, imaginary, size, one_sided, inverse=False):
    """The transform of the last axis, with a new axis for the parts."""
    bins = size // 2 + 1 if one_sided else size
    if size * bins * 8 > 4 * FOLD_LIMIT:
        n.fail(f"a transform of {size} elements is not supported")
    turns = np.outer(np.arange(size), np.arange(bins)) % size * (2 * np.pi / size)
    kind, scale = n.type(real), 1 / size if inverse else 1
    cos, sin = (np.cos(turns) * scale).astype(kind), (np.sin(turns) * (scale if inverse else -scale)).astype(kind)
    lead = n.shape(real)[:-1]
    rows = n.reshape(real, [int(np.prod(lead)), size])
    y_real, y_imaginary = n.b.matmul(rows, cos), n.b.matmul(rows, sin)
    if imaginary is not None:
        rows = n.reshape(imaginary, [int(np.prod(lead)), size])
        y_real = n.b.sub(y_real, n.b.matmul(rows, sin))
        y_imaginary = n.b.add(y_imaginary, n.b.matmul(rows, cos))
    one = [*lead, bins, 1]
    return n.b.concat([n.reshape(y_real, one), n.reshape(y_imaginary, one)], len(one) - 1)


@converts("STFT")
def convert_stft(n):
    """Frames of a signal [batch, samples, 1 or 2], each weighted and transformed."""
    x, step = n.value(0, 2, 3), n.int(1)
    x = x if n.rank(x) == 3 else n.reshape(x, [*x.shape, 1])
    window = n.optional(2, 1)
    size = n.int(3) if n.has(3) else window.shape[0] if window is not None else x.shape[1]
    if not 1 <= size <= x.shape[1] or not 1 <= step < 1 << 31:
        n.fail(f"frames of {size}, {step} apart, of {x.shape[1]} samples")
    frames = (x.shape[1] - size) // step + 1
    if frames * size * 8 > 4 * FOLD_LIMIT:
        n.fail(f"{frames} frames of {size} are not supported")
    places = (np.arange(frames)[:, None] * step + np.arange(size)).astype(np.int32)
    x = n.b.gather(n.b.transpose(x, permutation=[0, 2, 1]), places, axis=2)  # [batch, parts, frames, size]
    x = x if window is None else n.b.mul(x, window)
    x = n.b.transpose(x, permutation=[0, 2, 1, 3])
    return transform(n, _part(n, x, 0), _part(n, x, 1), size, n.attr("onesided", 1))
