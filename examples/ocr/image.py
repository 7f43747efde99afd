"""Images as arrays [height, width, 3] of uint8: loading, scaling, cutting out."""

import numpy as np
from PIL import Image

_FRACTION_BITS = 11  # of the weights when scaling


def load(path):
    """A file as blue, green, red, as the models were trained. Transparency is put on white."""
    with Image.open(path) as picture:
        if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
            white = Image.new("RGBA", picture.size, "white")
            picture = Image.alpha_composite(white, picture.convert("RGBA"))
        return np.ascontiguousarray(np.asarray(picture.convert("RGB"))[:, :, ::-1])


def resize(image, width, height):
    """Bilinear between the centres of pixels, in whole numbers: weights have 11 bits, sums are cut once."""
    if image.shape[:2] == (height, width):
        return image
    left, right, x_weights = _line(width, image.shape[1])
    top, bottom, y_weights = _line(height, image.shape[0])
    whole = image.astype(np.int32)
    rows = whole[:, left] * x_weights[0][:, None] + whole[:, right] * x_weights[1][:, None]
    rows >>= 4
    upper = rows[top] * y_weights[0][:, None, None] >> 16
    lower = rows[bottom] * y_weights[1][:, None, None] >> 16
    return np.clip(upper + lower + 2 >> 2, 0, 255).astype(np.uint8)


def _line(size, source):
    """For each of `size` pixels: two of `source`, both the last one beyond the edge, and their weights."""
    place = ((np.arange(size) + 0.5) * (source / size) - 0.5).astype(np.float32)
    first = np.floor(place).astype(np.int64)
    part = place - first.astype(np.float32)
    one = np.float32(1 << _FRACTION_BITS)
    weights = np.rint((1 - part) * one).astype(np.int32), np.rint(part * one).astype(np.int32)
    return np.clip(first, 0, source - 1), np.clip(first + 1, 0, source - 1), weights


def cut_out(image, corners):
    """The quadrilateral with these corners (clockwise from top left) made upright, with bicubic interpolation.
    What stands on its side (half as high again as wide, or more) is laid down."""
    a, b, c, d = np.asarray(corners, np.float32)
    width = int(max(np.linalg.norm(a - b), np.linalg.norm(c - d)))
    height = int(max(np.linalg.norm(a - d), np.linalg.norm(b - c)))
    matrix = _perspective([(0, 0), (width, 0), (width, height), (0, height)], corners)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    depth = matrix[6] * x + matrix[7] * y + 1
    column = (matrix[0] * x + matrix[1] * y + matrix[2]) / depth
    row = (matrix[3] * x + matrix[4] * y + matrix[5]) / depth
    piece = _bicubic(image, column, row)
    return np.rot90(piece) if height / width >= 1.5 else piece


def _perspective(source, target):
    """m with target = (m0 x + m1 y + m2, m3 x + m4 y + m5) / (m6 x + m7 y + 1) at four points."""
    rows, right = [], []
    for (x, y), (u, v) in zip(source, np.asarray(target, np.float64)):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
        right += [u, v]
    return np.linalg.solve(np.array(rows, np.float64), np.array(right))


def _bicubic(image, column, row):
    """16 pixels around each place; the edge repeats outside."""
    height, width = image.shape[:2]
    left, top = np.floor(column).astype(np.int64), np.floor(row).astype(np.int64)
    x_weights, y_weights = _cubic(column - left), _cubic(row - top)
    total = np.zeros((*column.shape, 3))
    for j in range(4):
        y = np.clip(top + j - 1, 0, height - 1)
        for i in range(4):
            x = np.clip(left + i - 1, 0, width - 1)
            total += image[y, x] * (x_weights[i] * y_weights[j])[..., None]
    return np.clip(np.floor(total + 0.5), 0, 255).astype(np.uint8)


def _cubic(t):
    """Keys' kernel with a = −3/4 at the four pixels around a place, `t` behind the second."""
    a = -0.75
    first = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    second = ((a + 2) * t - (a + 3)) * t * t + 1
    third = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) ** 2 + 1
    return first, second, third, 1 - first - second - third
