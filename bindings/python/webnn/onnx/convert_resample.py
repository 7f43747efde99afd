"""Resize and Upsample: the places that each output element is made from are computed here, axis by axis.

Where they are those of WebNN's resample2d, that is used; else nearest is a gather along the axis, linear two
gathers and a blend, and what has more taps a product with a matrix.
"""

import math

import numpy as np

from .node import converts, is_constant

_NEAREST = {
    "round_prefer_floor": lambda place: np.ceil(place - 0.5),
    "round_prefer_ceil": lambda place: np.floor(place + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
_MODES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
          "tf_half_pixel_for_nn", "tf_crop_and_resize")
_LONGEST_AXIS = 1 << 20
_MATRIX_LIMIT = 1 << 24  # elements


class Axis:
    """One axis: sizes, scale, and where each output element lies in the input."""

    def __init__(self, number, size, out, scale, places):
        self.number, self.size, self.out, self.scale, self.places = number, size, out, scale, places


@converts("Upsample")
def convert_upsample(n):
    x = n.value(0)
    scales = n.required("scales") if n.opset < 9 else n.numbers(1)
    mode = n.choice("mode", "nearest", ("nearest", "linear", "bilinear"))
    return _resize(n, x, _axes(n, x, scales, None, "asymmetric", None), mode, "floor", {})


@converts("Resize")
def convert_resize(n):
    x = n.value(0)
    mode = n.choice("mode", "nearest", ("nearest", "linear", "cubic"))
    if n.opset < 11:
        scales = n.numbers(1)
        axes = _axes(n, x, scales, None, "asymmetric", None)
        shrinks = any(scale < 1 for scale in scales)
        return _resize(n, x, axes, mode, "ceil" if shrinks else "floor", {})
    coordinates = n.choice("coordinate_transformation_mode", "half_pixel", _MODES)
    rule = n.choice("nearest_mode", "round_prefer_floor", tuple(_NEAREST))
    cubic = {"a": n.attr("cubic_coeff_a", -0.75), "exclude_outside": n.attr("exclude_outside", 0),
             "antialias": n.attr("antialias", 0)}
    outside = n.attr("extrapolation_value", 0.0)
    named = n.attr("axes")
    given = list(range(n.rank(x))) if named is None else n.axes(named, n.rank(x))
    scales, sizes = _wanted(n, x, given)
    crop = _crop(n, given, n.rank(x)) if coordinates == "tf_crop_and_resize" else None
    axes = _axes(n, x, scales, sizes, coordinates, crop)
    y = _resize(n, x, axes, mode, rule, cubic)
    return _extrapolated(n, y, axes, outside) if crop else y


def _wanted(n, x, given):
    """Scales or sizes for all axes, one of them None, from inputs that may name some axes only."""
    policy = n.choice("keep_aspect_ratio_policy", "stretch", ("stretch", "not_larger", "not_smaller"))
    scales = n.numbers(2) if n.has(2) else []
    sizes = n.ints(3) if n.has(3) else []
    if bool(scales) == bool(sizes) or max(len(scales), len(sizes)) != len(given):
        n.fail(f"{len(scales)} scales and {len(sizes)} sizes for {len(given)} axes")
    if scales:
        all_scales = [1.0] * n.rank(x)
        for axis, scale in zip(given, scales):
            all_scales[axis] = scale
        return all_scales, None
    if policy != "stretch":
        choose = min if policy == "not_larger" else max
        scale = choose(size / x.shape[axis] for axis, size in zip(given, sizes))
        sizes = [int(math.floor(scale * x.shape[axis] + 0.5)) for axis in given]
    all_sizes = n.shape(x)
    for axis, size in zip(given, sizes):
        all_sizes[axis] = size
    return None, all_sizes


def _crop(n, given, rank):
    roi = n.numbers(1)
    if len(roi) != 2 * len(given) or not np.isfinite(roi).all():
        n.fail(f"a region of {len(roi)} numbers for {len(given)} axes")
    crop = [(0.0, 1.0)] * rank
    for axis, start, end in zip(given, roi, roi[len(given):]):
        crop[axis] = (start, end)
    return crop


def _axes(n, x, scales, sizes, coordinates, crop):
    """The axes that change."""
    found, numbers = [], scales or sizes or []
    if len(numbers) != n.rank(x):
        n.fail(f"{len(numbers)} scales or sizes for {n.rank(x)} axes")
    for number, size in enumerate(n.shape(x)):
        if scales and not 0 < scales[number] < math.inf:
            n.fail(f"a scale of {scales[number]}")
        start, end = crop[number] if crop else (0.0, 1.0)
        out = int(math.floor(size * (end - start) * scales[number])) if scales else sizes[number]
        scale = scales[number] if scales else out / size
        if not 1 <= out <= _LONGEST_AXIS:
            n.fail(f"axis {number} would have {out} elements")
        if (out, scale, start, end) != (size, 1.0, 0.0, 1.0):
            places = _places(coordinates, size, out, scale, start, end)
            if not np.isfinite(places).all() or scale * size < 0.5:
                n.fail(f"a scale of {scale} doesn't fit axis {number} of {size}")
            found.append(Axis(number, size, out, scale, places))
    return found


def _places(coordinates, size, out, scale, start, end):
    """In single precision, as the tie between two neighbours depends on it."""
    scale, k = np.float32(scale), np.arange(out, dtype=np.float32)
    if coordinates == "asymmetric":
        return k / scale
    if coordinates == "align_corners":
        return k * np.float32(size - 1) / np.float32(out - 1) if out > 1 else k
    if coordinates == "tf_half_pixel_for_nn":
        return (k + np.float32(0.5)) / scale
    if coordinates == "pytorch_half_pixel" and out == 1:
        return k
    if coordinates == "tf_crop_and_resize":
        if out > 1:
            return np.float32(start * (size - 1)) + k * np.float32((end - start) * (size - 1) / (out - 1))
        return k + np.float32(0.5 * (start + end) * (size - 1))
    places = (k + np.float32(0.5)) / scale - np.float32(0.5)
    if coordinates == "half_pixel_symmetric":
        exact = float(scale) * size
        places = places + np.float32(size / 2 * (1 - out / exact))
    return places


def _resize(n, x, axes, mode, rule, cubic):
    if not axes:
        return n.b.identity(x) if is_constant(x) else x
    if mode == "nearest":
        return _nearest(n, x, axes, rule)
    if not n.is_float(x):
        kind = n.type(x)
        y = _resize(n, n.b.cast(x, "float32"), axes, mode, rule, cubic)
        return n.b.cast(n.b.round_even(y), kind)
    if mode == "cubic" or cubic.get("antialias") and any(axis.scale < 1 for axis in axes):
        for axis in axes:
            if axis.out * max(axis.size, 256) > _MATRIX_LIMIT:
                n.fail(f"an axis from {axis.size} to {axis.out} is too long for this mode")
            x = _product(n, x, axis, _matrix(axis, mode, **cubic))
        return x
    return _linear(n, x, axes)


def _nearest(n, x, axes, rule):
    picked = [np.clip(_NEAREST[rule](axis.places), 0, axis.size - 1).astype(np.int32) for axis in axes]
    same = all(np.array_equal(pick, np.ceil(_webnn_places(axis) - 0.5)) for axis, pick in zip(axes, picked))
    if same and n.type(x) in ("float32", "float16", "int8", "uint8"):
        return _resample2d(n, x, axes, "nearest-neighbor")
    for axis, pick in zip(axes, picked):
        x = n.b.gather(x, pick, axis=axis.number)
    return x


def _linear(n, x, axes):
    if all(np.abs(_clamped(axis) - _webnn_places(axis)).max() < 1e-4 for axis in axes):
        return _resample2d(n, x, axes, "linear")
    for axis in axes:
        places = _clamped(axis)
        low = np.floor(places).astype(np.int32)
        high = np.minimum(low + 1, axis.size - 1)
        weight = (places - low).astype(n.type(x)).reshape([-1] + [1] * (n.rank(x) - axis.number - 1))
        first, second = n.b.gather(x, low, axis=axis.number), n.b.gather(x, high, axis=axis.number)
        x = n.b.add(n.b.mul(first, 1 - weight), n.b.mul(second, weight))
    return x


def _clamped(axis):
    return np.clip(axis.places, 0, axis.size - 1)


def _webnn_places(axis):
    return np.clip((np.arange(axis.out) + 0.5) * (axis.size / axis.out) - 0.5, 0, axis.size - 1)


def _resample2d(n, x, axes, mode):
    """Two axes at a time where there are four; else one, what is before and after it merged."""
    if n.rank(x) != 4:
        for axis in axes:
            shape = n.shape(x)
            before, after = shape[:axis.number], shape[axis.number + 1:]
            flat = n.reshape(x, [math.prod(before), axis.size, math.prod(after), 1])
            y = n.b.resample2d(flat, mode=mode, sizes=[axis.out, 1], axes=[1, 3])
            x = n.reshape(y, [*before, axis.out, *after])
        return x
    for k in range(0, len(axes), 2):
        sizes = {axis.number: axis.out for axis in axes[k:k + 2]}
        if len(sizes) == 1:
            other = 3 if 3 not in sizes else 2
            sizes[other] = x.shape[other]
        numbers = sorted(sizes)
        x = n.b.resample2d(x, mode=mode, sizes=[sizes[number] for number in numbers], axes=numbers)
    return x


def _matrix(axis, mode, a=-0.75, exclude_outside=0, antialias=0):
    """Row k has the weights of the inputs in output k; taps outside go to the edge, or are left out."""
    spread = max(1.0, 1 / axis.scale) if antialias else 1.0
    reach = (2 if mode == "cubic" else 1) * spread
    places = axis.places.astype(np.float64)[:, None]
    taps = np.ceil(places - reach) + np.arange(math.floor(2 * reach) + 1)
    weights = _kernel(np.abs(taps - places) / spread, mode, a)
    if exclude_outside:
        weights = np.where((taps >= 0) & (taps < axis.size), weights, 0)
    totals = weights.sum(1, keepdims=True)
    weights = np.divide(weights, totals, out=np.zeros_like(weights), where=totals != 0)
    columns = np.clip(taps, 0, axis.size - 1).astype(np.intp)
    rows = np.arange(axis.out)[:, None] * axis.size
    return np.bincount((rows + columns).ravel(), weights.ravel(), axis.out * axis.size).reshape(axis.out, axis.size)


def _kernel(distance, mode, a):
    """The triangle, or Keys' cubic."""
    if mode != "cubic":
        return np.maximum(0, 1 - distance)
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


def _product(n, x, axis, matrix):
    """The axis times a matrix: as the last one, or the last but one where it is that already."""
    matrix = matrix.astype(n.type(x))
    rank = n.rank(x)
    if rank >= 2 and axis.number == rank - 2:
        return n.b.matmul(matrix, x)
    order = [other for other in range(rank) if other != axis.number] + [axis.number]
    rows = n.transpose(x, order)
    rows = n.reshape(rows, [1, axis.size]) if rank == 1 else rows
    y = n.b.matmul(rows, np.ascontiguousarray(matrix.T))
    y = n.reshape(y, [axis.out]) if rank == 1 else y
    return n.transpose(y, list(np.argsort(order)))


def _extrapolated(n, y, axes, value):
    """What lies outside the input is the given number."""
    for axis in axes:
        inside = (axis.places >= 0) & (axis.places <= axis.size - 1)
        if not inside.all():
            mask = inside.reshape([-1] + [1] * (n.rank(y) - axis.number - 1))
            y = n.b.where(mask, y, n.scalar(value, y))
    return y
