"""Products of matrices, and the triangles of one."""

import numpy as np

from .numbers import narrow, operation, option, wide


def product(a, b):
    """Term by term where a value isn't finite: a library's shortcuts around zeros would hide 0·inf."""
    if np.isfinite(a).all() and np.isfinite(b).all():
        return np.matmul(a, b)
    return np.einsum("...ik,...kj->...ij", a, b)


@operation
def matmul(a, b):
    return narrow(product(wide(a), wide(b)), a.dtype)


@operation
def gemm(a, b, *, c=None, alpha=1.0, beta=1.0, a_transpose=False, b_transpose=False):
    left = wide(a).T if a_transpose else wide(a)
    right = wide(b).T if b_transpose else wide(b)
    result = option(alpha, a.dtype) * product(left, right)
    if c is not None:
        result = result + option(beta, a.dtype) * wide(c)
    return narrow(result, a.dtype)


@operation
def triangular(input, *, upper=True, diagonal=0):
    rows, columns = input.shape[-2:]
    offset = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    kept = offset >= diagonal if upper else offset <= diagonal
    return np.where(kept, input, input.dtype.type(0))
