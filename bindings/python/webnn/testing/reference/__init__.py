"""The 95 operations in NumPy, written from the specification: what an engine is compared with.

Each has the name, the parameters and the options of its GraphBuilder method, takes arrays for operands and gives
an array, or a tuple of them where the operation gives a list:

    webnn.testing.reference.conv2d(x, w, padding=[1, 1, 1, 1], bias=b)

Nothing is validated here: a builder has done that.
"""

from . import activation, conv, elementwise, index, matrix, movement, norm, pool, quantize, recurrent
from . import reduce, resample
from .numbers import DATA_TYPES, OPERATIONS, cast_number

__all__ = ["DATA_TYPES", "OPERATIONS", "cast_number"]


def __getattr__(name):
    if name in OPERATIONS:
        return OPERATIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *OPERATIONS])
