"""Quantisation. Integer products are float products between dequantizeLinear and quantizeLinear, which is
exact up to 2²⁴; passes and backends make integer arithmetic of them again."""

import numpy as np

from . import tensors
from .convert_conv import conv
from .convert_matmul import matmul
from .convert_pool import pool
from .node import MICROSOFT, converts, is_constant
from .windows import Window

_QUANTIZED = ("int8", "uint8", "int32", "uint32")
_OUTPUT_TYPES = {0: None, tensors.UINT8: "uint8", tensors.INT8: "int8", tensors.INT32: "int32"}


@converts("QuantizeLinear")
@converts("QuantizeLinear", domain=MICROSOFT)
def convert_quantize_linear(n):
    n.ignore("saturate", "precision")
    x, scale, zero_point = n.value(0), n.value(1), n.optional(2)
    wanted = n.attr("output_dtype", 0)
    if wanted not in _OUTPUT_TYPES:
        n.fail(f"attribute output_dtype = {tensors.NAMES.get(wanted, wanted)} is not supported")
    kind = _OUTPUT_TYPES[wanted] or "uint8"
    if zero_point is not None and n.type(zero_point) in _QUANTIZED:
        kind = n.type(zero_point)
    _check_stored(n, zero_point)
    scale, zero_point = _blocks(n, x, scale, zero_point, kind, n.attr("axis", 1), n.attr("block_size", 0))
    return n.b.quantize_linear(x, n.cast(scale, n.type(x)), zero_point)


@converts("DequantizeLinear")
@converts("DequantizeLinear", domain=MICROSOFT)
def convert_dequantize_linear(n):
    n.ignore("output_dtype")
    x, scale, zero_point = n.value(0), n.value(1), n.optional(2)
    axis, block = n.attr("axis", 1), n.attr("block_size", 0)
    if is_constant(x) and (x.dtype.kind == "f" or x.dtype.itemsize == 2):
        return _dequantized_here(n, x, n.array(1), zero_point, axis, block)
    if n.type(x) not in _QUANTIZED:
        n.fail(f"an input of type {n.type(x)} is not supported")
    scale, zero_point = _blocks(n, x, scale, zero_point, n.type(x), axis, block)
    return n.b.dequantize_linear(x, scale, zero_point)


def _check_stored(n, zero_point):
    """Four bits take a byte here, so that results would saturate at the wrong bounds."""
    name = n.proto.input[2] if zero_point is not None else ""
    scope = n.scope.home(name) if name else None
    tensor = scope.initializers.get(name) if scope else None
    stored = getattr(tensor, "data_type", None)
    if stored in (tensors.UINT4, tensors.INT4, tensors.UINT2, tensors.INT2, tensors.UINT16, tensors.INT16):
        n.fail(f"a result of type {tensors.NAMES[stored]} is not supported")
    if zero_point is not None and n.type(zero_point) not in _QUANTIZED:
        n.fail(f"a zero point of type {n.type(zero_point)} is not supported")


def _blocks(n, x, scale, zero_point, kind, axis, block):
    """Scale and zero point with the rank of `x`, as WebNN wants them."""
    rank, count = n.rank(x), int(np.prod(scale.shape))
    if n.rank(scale) == rank and rank > 1 and block:
        axis = n.axis(axis, rank)
        if x.shape[axis] % block or scale.shape[axis] * block != x.shape[axis]:
            n.fail(f"blocks of {block} don't divide the axis of {x.shape[axis]}")
        shape = n.shape(scale)
    else:
        shape = [1] * rank
        if count > 1:
            shape[n.axis(axis, rank)] = count
    if zero_point is None:
        zero_point = np.broadcast_to(np.zeros((), kind), shape)
    return n.reshape(scale, shape), n.reshape(zero_point, shape)


def _dequantized_here(n, x, scale, zero_point, axis, block):
    """Types that a graph doesn't have: 8-bit floats and 16-bit integers."""
    rank = x.ndim
    n.claim(3 * 4 * x.size)
    parts = [scale] if zero_point is None else [scale, n.array(2)]
    if block and any(n.rank(part) != rank or not part.shape[n.axis(axis, rank)] or block != -(
            -x.shape[n.axis(axis, rank)] // part.shape[n.axis(axis, rank)]) for part in parts):
        n.fail(f"attribute block_size = {block} doesn't fit scales of shape {n.shape(scale)} and an input of shape "
               f"{n.shape(x)}")
    if block:
        parts = [np.repeat(part, block, n.axis(axis, rank))[tuple(slice(size) for size in x.shape)] for part in parts]
    elif scale.size > 1:
        shape = [-1 if other == n.axis(axis, rank) else 1 for other in range(rank)]
        if any(part.size != x.shape[n.axis(axis, rank)] for part in parts):
            n.fail(f"scales of shape {n.shape(scale)} don't fit an input of shape {n.shape(x)}")
        parts = [part.reshape(shape) for part in parts]
    values = x.astype(np.float32) - (parts[1].astype(np.float32) if len(parts) > 1 else 0)
    return (values * parts[0]).astype(scale.dtype)


@converts("DynamicQuantizeLinear")
def convert_dynamic_quantize_linear(n):
    """The range, 0 included, on 256 steps."""
    b, x = n.b, n.value(0)
    zero = n.scalar(0, x)
    high, low = b.max(b.reduce_max(x), zero), b.min(b.reduce_min(x), zero)
    scale = b.div(b.sub(high, low), n.scalar(255, x))
    scale = b.where(b.equal(scale, zero), n.scalar(1, x), scale)
    zero_point = b.cast(b.clamp(b.round_even(b.sub(zero, b.div(low, scale))), min_value=0, max_value=255), "uint8")
    ones = [1] * n.rank(x)
    y = b.quantize_linear(x, n.reshape(scale, ones), n.reshape(zero_point, ones))
    return y, scale, zero_point


def as_float(n, x, zero_point, axis, scale=None):
    """(x − zero point) · scale; without a scale, the whole numbers themselves."""
    if scale is None:
        count = 1 if zero_point is None else int(np.prod(zero_point.shape))
        scale = np.broadcast_to(np.float32(1), [count])
    scale, zero_point = _blocks(n, x, scale, zero_point, n.type(x), axis, 0)
    return n.b.dequantize_linear(x, scale, _stretched(n, zero_point, scale))


def _stretched(n, zero_point, scale):
    """One zero point for many scales."""
    if n.shape(zero_point) == n.shape(scale):
        return zero_point
    if list(n.broadcast(zero_point, scale)) != n.shape(scale):
        n.fail(f"zero points of shape {n.shape(zero_point)} don't fit scales of shape {n.shape(scale)}")
    return np.broadcast_to(zero_point, n.shape(scale)) if is_constant(zero_point) else n.b.expand(zero_point,
                                                                                                  n.shape(scale))


def to_int32(n, x):
    return n.b.cast(n.b.round_even(x), "int32")


@converts("ConvInteger")
def convert_conv_integer(n):
    x, filter = as_float(n, n.value(0), n.optional(2), 1), as_float(n, n.value(1), n.optional(3), 0)
    return to_int32(n, conv(n, x, filter, None))


@converts("MatMulInteger")
def convert_matmul_integer(n):
    return to_int32(n, _integer_product(n, n.value(0), n.value(1), n.optional(2), n.optional(3)))


def _integer_product(n, a, b, a_zero, b_zero, a_scale=None, b_scale=None):
    """Zero points and scales of `a` go by rows, of `b` by columns."""
    a = as_float(n, a, a_zero, max(0, n.rank(a) - 2), a_scale)
    return matmul(n, a, as_float(n, b, b_zero, n.rank(b) - 1, b_scale))


@converts("MatMulIntegerToFloat", domain=MICROSOFT)
def convert_matmul_integer_to_float(n):
    y = _integer_product(n, n.value(0), n.value(1), n.optional(4), n.optional(5), n.value(2), n.value(3))
    return n.b.add(y, n.value(6)) if n.has(6) else y


@converts("DynamicQuantizeMatMul", domain=MICROSOFT)
def convert_dynamic_quantize_matmul(n):
    b = n.value(1)
    n.inputs, inputs = [n.value(0)], n.inputs
    quantized, scale, zero_point = convert_dynamic_quantize_linear(n)
    n.inputs = inputs
    y = _integer_product(n, quantized, b, zero_point, n.optional(3), scale, n.value(2))
    return n.b.add(y, n.value(4)) if n.has(4) else y


def quantized(n, y, scale, zero_point):
    """A result quantised with one scale."""
    scale, zero_point = _blocks(n, y, scale, zero_point, n.type(zero_point), 1, 0)
    return n.b.quantize_linear(y, scale, zero_point)


@converts("QLinearConv")
def convert_qlinear_conv(n):
    """The bias is int32 in units of the product of both scales."""
    x = as_float(n, n.value(0), n.value(2), 1, n.value(1))
    filter = as_float(n, n.value(3), n.value(5), 0, n.value(4))
    bias = n.optional(8)
    if bias is not None:
        unit = n.b.mul(n.value(1), n.value(4))
        bias = n.b.mul(n.b.cast(bias, "float32"), unit)
    return quantized(n, conv(n, x, filter, bias), n.value(6), n.value(7))


@converts("QLinearMatMul")
def convert_qlinear_matmul(n):
    y = _integer_product(n, n.value(0), n.value(3), n.value(2), n.value(5), n.value(1), n.value(4))
    return quantized(n, y, n.value(6), n.value(7))


@converts("QGemm", domain=MICROSOFT)
def convert_qgemm(n):
    """a, its scale and zero point, b and its, a bias in units of both scales, then the result's if it is one."""
    a, b = n.value(0), n.value(3)
    a = as_float(n, n.transpose(a, [1, 0]) if n.attr("transA", 0) else a, n.value(2), 0, n.value(1))
    b = as_float(n, b, n.value(5), 0 if n.attr("transB", 0) else 1, n.value(4))
    y = n.b.gemm(a, b, alpha=n.attr("alpha", 1.0), b_transpose=bool(n.attr("transB", 0)))
    if n.has(6):
        y = n.b.add(y, n.b.mul(n.b.cast(n.value(6), "float32"), n.b.mul(n.value(1), n.value(4))))
    return quantized(n, y, n.value(7), n.value(8)) if n.has(7) else y


@converts("QLinearAdd", "QLinearMul", domain=MICROSOFT)
def convert_qlinear_binary(n):
    a = as_float(n, n.value(0), n.optional(2), 0, n.value(1))
    b = as_float(n, n.value(3), n.optional(5), 0, n.value(4))
    y = n.b.add(a, b) if n.op_type == "QLinearAdd" else n.b.mul(a, b)
    return quantized(n, y, n.value(6), n.value(7))


@converts("QLinearSigmoid", "QLinearLeakyRelu", domain=MICROSOFT)
def convert_qlinear_activation(n):
    x = as_float(n, n.value(0), n.optional(2), 0, n.value(1))
    y = n.b.sigmoid(x) if n.op_type == "QLinearSigmoid" else n.b.leaky_relu(x, alpha=n.attr("alpha", 0.01))
    return quantized(n, y, n.value(3), n.value(4))


@converts("QLinearConcat", domain=MICROSOFT)
def convert_qlinear_concat(n):
    """The result's scale and zero point, then each part with its own."""
    n.value(2)
    parts = [as_float(n, n.value(k), n.value(k + 2), 0, n.value(k + 1)) for k in range(2, len(n.inputs), 3)]
    y = n.b.concat(parts, n.axis(n.required("axis"), n.rank(parts[0])))
    return quantized(n, y, n.value(0), n.value(1))


@converts("QLinearGlobalAveragePool", "QLinearAveragePool", domain=MICROSOFT)
def convert_qlinear_pool(n):
    n.refuse("channels_last", 0)
    x = as_float(n, n.value(0), n.optional(2), 0, n.value(1))
    if n.op_type == "QLinearGlobalAveragePool":
        y = n.b.reduce_mean(x, axes=list(range(2, n.rank(x))), keep_dimensions=True)
    else:
        n.refuse("count_include_pad", 0)
        y = pool(n, "average_pool2d", x, Window(n, n.shape(x)[2:], n.required("kernel_shape")))
    return quantized(n, y, n.value(3), n.value(4))
