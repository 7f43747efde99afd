"""Tensors of a model as NumPy arrays: views where the bytes allow it; and element types on both sides."""

import math

import numpy as np

from .errors import ModelError, quoted

# ONNX's numbers of element types.
FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64 = range(1, 14)
BFLOAT16, UINT4, INT4, UINT2, INT2 = 16, 21, 22, 25, 26

NAMES = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
    10: "float16", 11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
    17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
    23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
}

_NUMPY = {
    FLOAT: "<f4", UINT8: "u1", INT8: "i1", UINT16: "<u2", INT16: "<i2", INT32: "<i4", INT64: "<i8", BOOL: "u1",
    FLOAT16: "<f2", DOUBLE: "<f8", UINT32: "<u4", UINT64: "<u8", BFLOAT16: "<u2",
}
_PACKED = {UINT4: (4, False), INT4: (4, True), UINT2: (2, False), INT2: (2, True)}  # bits, signed

# Where a tensor without raw bytes keeps its numbers.
_FIELDS = {FLOAT: "float_data", DOUBLE: "double_data", INT64: "int64_data", UINT32: "uint64_data",
           UINT64: "uint64_data"}

# What a value of this ONNX type is in a graph. float64 is narrowed; bool is uint8, as in WebNN itself.
GRAPH_TYPES = {
    FLOAT: "float32", DOUBLE: "float32", BFLOAT16: "float32", FLOAT16: "float16", INT32: "int32",
    UINT32: "uint32", INT64: "int64", UINT64: "uint64", INT8: "int8", UINT8: "uint8", BOOL: "uint8",
}
# The type that an array gets when it becomes a constant of the graph.
_CONSTANT_TYPES = {
    "float32": "float32", "float64": "float32", "float16": "float16", "int32": "int32", "uint32": "uint32",
    "int64": "int64", "uint64": "uint64", "int8": "int8", "uint8": "uint8", "bool": "uint8", "int16": "int32",
    "uint16": "int32",
}


_HIGHEST_RANK = 32  # as NumPy had for long; operands have less


def constant_type(array):
    """The graph's name for the type of an array."""
    return _CONSTANT_TYPES[array.dtype.name]


def numpy_type(elem_type):
    """The NumPy type of constants of an ONNX type; None for those that arrays here can't have."""
    if elem_type == BOOL:
        return np.dtype(bool)
    if elem_type == BFLOAT16:
        return np.dtype(np.float32)
    name = _NUMPY.get(elem_type)
    return np.dtype(name).newbyteorder("=") if name else None


def to_array(source, tensor):
    """A tensor's value: a read-only view on the model's bytes where these have the right form."""
    shape = tuple(tensor.dims)
    if len(shape) > _HIGHEST_RANK or any(not 0 <= size < 1 << 32 for size in shape):
        raise ModelError(f"tensor {quoted(tensor.name)} has the shape {list(shape)}")
    if tensor.HasField("segment"):
        raise ModelError(f"tensor {quoted(tensor.name)} is stored in segments")
    count, elem_type = math.prod(shape), tensor.data_type
    raw = source.raw(tensor)
    if elem_type in _PACKED:
        values = _unpack(tensor, count, raw)
    elif elem_type not in _NUMPY:
        return _foreign_array(tensor, count)
    elif raw is not None:
        values = np.frombuffer(_sized(tensor, raw, count * np.dtype(_NUMPY[elem_type]).itemsize),
                               dtype=_NUMPY[elem_type])
    else:
        values = _listed(tensor, count)
    if elem_type == BOOL:
        values = values != 0
    elif elem_type == BFLOAT16:
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(values.dtype.newbyteorder("="), copy=False).reshape(shape)


def sparse_to_array(source, sparse, claim):
    """A SparseTensorProto written out; `claim` refuses more bytes than there may be."""
    name, shape = sparse.values.name, tuple(sparse.dims)
    values, places = to_array(source, sparse.values), to_array(source, sparse.indices)
    if len(shape) > _HIGHEST_RANK or any(not 0 < size < 1 << 32 for size in shape):
        raise ModelError(f"sparse tensor {quoted(name)} has the shape {list(shape)}")
    count = math.prod(shape)
    try:
        claim(count * values.dtype.itemsize)
    except ModelError as error:
        raise ModelError(f"sparse tensor {quoted(name)} of shape {list(shape)}: {error}") from None
    dense = np.zeros(count, values.dtype)
    dense[_flat_places(quoted(name), places, values, shape)] = values
    return dense.reshape(shape)


def _flat_places(name, places, values, shape):
    """Where the values of a sparse tensor stand: given as such, or as rows of coordinates."""
    if places.dtype.kind not in "iu" or values.ndim != 1 or places.shape not in ((values.size,),
                                                                                 (values.size, len(shape))):
        raise ModelError(f"sparse tensor {name} of shape {list(shape)} has values of shape {list(values.shape)}, but "
                         f"indices of type {places.dtype.name} and shape {list(places.shape)}")
    sizes = np.array(shape) if places.ndim == 2 else math.prod(shape)
    if ((places < 0) | (places >= sizes)).any():
        raise ModelError(f"sparse tensor {name} has an index outside its shape {list(shape)}")
    return np.ravel_multi_index(tuple(places.T), shape) if places.ndim == 2 else places


def _sized(tensor, raw, needed):
    if len(raw) != needed:
        raise ModelError(f"tensor {quoted(tensor.name)} has {len(raw)} bytes, but {list(tensor.dims)} elements of "
                         f"{NAMES[tensor.data_type]} need {needed}")
    return raw


def _listed(tensor, count):
    """The numbers of a tensor without raw bytes; the 16-bit types are stored as bit patterns."""
    numbers = getattr(tensor, _FIELDS.get(tensor.data_type, "int32_data"))
    if len(numbers) != count:
        raise ModelError(f"tensor {quoted(tensor.name)} has {len(numbers)} numbers, but the shape {list(tensor.dims)}")
    if tensor.data_type == FLOAT16:
        return np.array(numbers, np.int64).astype(np.uint16).view(np.float16)
    wide = {"float_data": np.float32, "double_data": np.float64, "uint64_data": np.uint64}
    kind = wide.get(_FIELDS.get(tensor.data_type), np.int64)
    return np.array(numbers, kind).astype(_NUMPY[tensor.data_type])


def _unpack(tensor, count, raw):
    """2- and 4-bit integers, lowest bits first, each in a byte of its own."""
    bits, signed = _PACKED[tensor.data_type]
    per_byte = 8 // bits
    needed = -(-count // per_byte)
    if raw is None:
        if len(tensor.int32_data) != needed:
            raise ModelError(f"tensor {quoted(tensor.name)} has {len(tensor.int32_data)} numbers, but needs {needed}")
        data = np.array(tensor.int32_data, np.int64).astype(np.uint8)
    else:
        data = np.frombuffer(_sized(tensor, raw, needed), np.uint8)
    parts = np.stack([data >> bits * k & (1 << bits) - 1 for k in range(per_byte)], axis=1).reshape(-1)[:count]
    if not signed:
        return parts
    return (parts.astype(np.int8) ^ 1 << bits - 1) - np.int8(1 << bits - 1)


def _foreign_array(tensor, count):
    """The 8- and 4-bit floats, which only quantisation uses, widened by the onnx package."""
    if tensor.data_type not in (17, 18, 19, 20, 23, 24):
        kind = NAMES.get(tensor.data_type, tensor.data_type)
        raise ModelError(f"tensor {quoted(tensor.name)} has elements of type {kind}, which have no counterpart")
    from onnx import numpy_helper
    if max(len(tensor.raw_data), len(tensor.int32_data)) < count // 2 or tensor.data_location == tensor.EXTERNAL:
        raise ModelError(f"tensor {quoted(tensor.name)} is shorter than its shape {list(tensor.dims)}")
    try:
        return numpy_helper.to_array(tensor).astype(np.float32)
    except ValueError as error:
        raise ModelError(f"tensor {quoted(tensor.name)}: {error}") from None
