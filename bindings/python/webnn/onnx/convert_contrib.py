"""Attention, and what onnxruntime's optimiser writes in the domain com.microsoft."""

import math

import numpy as np

from .convert_activation import gelu_tanh
from .convert_matmul import swap_last
from .node import MICROSOFT, converts

_MASK_LIMIT = 1 << 26


@converts("BiasGelu", domain=MICROSOFT)
def convert_bias_gelu(n):
    return n.b.gelu(n.b.add(n.value(0), n.value(1)))


@converts("Gelu", domain=MICROSOFT)
def convert_gelu(n):
    return n.b.gelu(n.value(0))


@converts("FastGelu", domain=MICROSOFT)
def convert_fast_gelu(n):
    x = n.value(0)
    return gelu_tanh(n, n.b.add(x, n.value(1)) if n.has(1) else x)


@converts("BiasSplitGelu", domain=MICROSOFT)
def convert_bias_split_gelu(n):
    x = n.b.add(n.value(0), n.value(1))
    left, right = n.b.split(x, 2, axis=n.rank(x) - 1)
    return n.b.mul(left, n.b.gelu(right))


@converts("BiasAdd", domain=MICROSOFT)
def convert_bias_add(n):
    return n.b.add(n.b.add(n.value(0), n.value(1)), n.value(2))


def attention(n, q, k, v, scale, mask=None, softcap=0.0, may_be_blind=False):
    """softmax(scale · q·kᵀ + mask) · v with [batch, heads, length, size]; shared heads are repeated.
    A query that may see no key at all gets zeros."""
    heads, shared = q.shape[1], k.shape[1]
    if heads % shared:
        n.fail(f"{heads} heads of queries share {shared} of keys")
    k, v = (_repeated(n, value, heads // shared) for value in (k, v))
    root = math.sqrt(abs(scale))  # half of the scale on each side, so that products stay small
    scores = n.b.matmul(n.b.linear(q, alpha=math.copysign(root, scale)), n.b.linear(swap_last(n, k), alpha=root))
    if softcap:
        scores = n.b.linear(n.b.tanh(n.b.linear(scores, alpha=1 / softcap)), alpha=softcap)
    scores = scores if mask is None else n.b.add(scores, mask)
    weights = n.b.softmax(scores, 3)
    if may_be_blind:
        highest = n.b.reduce_max(scores, axes=[3], keep_dimensions=True)
        weights = n.b.where(n.b.equal(highest, n.scalar(-np.inf, q)), n.scalar(0, q), weights)
    return n.b.matmul(weights, v)


def _repeated(n, value, times):
    if times == 1:
        return value
    batch, heads, length, size = value.shape
    value = n.reshape(value, [batch, heads, 1, length, size])
    return n.reshape(n.b.expand(value, [batch, heads, times, length, size]), [batch, heads * times, length, size])


def split_heads(n, x, heads):
    """[batch, length, heads · size] as [batch, heads, length, size]"""
    if n.rank(x) != 3:
        n.fail(f"an input of shape {n.shape(x)} can't be split into heads")
    batch, length, width = x.shape
    if heads < 1 or width % heads:
        n.fail(f"{heads} heads don't divide a width of {width}")
    return n.transpose(n.reshape(x, [batch, length, heads, width // heads]), [0, 2, 1, 3])


def join_heads(n, x):
    batch, heads, length, size = x.shape
    return n.reshape(n.transpose(x, [0, 2, 1, 3]), [batch, length, heads * size])


def causal_mask(n, rows, columns, dtype, past=0):
    """−∞ for keys after the query; query i has `past` keys before its own."""
    if rows * columns > _MASK_LIMIT:
        n.fail(f"a mask of {rows} × {columns} is not supported")
    kind = np.dtype(dtype).type
    n.claim(2 * rows * columns * np.dtype(dtype).itemsize)
    return np.where(np.tri(rows, columns, past, dtype=bool), kind(0), kind(-np.inf))


@converts("Attention")
def convert_attention(n):
    """The standard one. Keys and values of the past come before those of now."""
    if n.has(6) or any(n.proto.output[3:]):
        n.fail("padded lengths and the output of scores are not supported")
    n.ignore("softmax_precision", "qk_matmul_output_mode")
    n.refuse("left_window_size", -1)
    n.refuse("right_window_size", -1)
    q, k, v = n.value(0, 3, 4), n.value(1), n.value(2)
    if not n.rank(q) == n.rank(k) == n.rank(v):
        n.fail(f"its inputs, {n.described()}, differ in rank")
    flat = n.rank(q) == 3
    if flat:
        q = split_heads(n, q, n.required("q_num_heads"))
        k, v = (split_heads(n, value, n.required("kv_num_heads")) for value in (k, v))
    else:
        n.ignore("q_num_heads", "kv_num_heads")
    past = n.value(4, 4).shape[2] if n.has(4) else 0
    if n.has(4):
        k, v = n.b.concat([n.value(4), k], 2), n.b.concat([n.value(5), v], 2)
    mask = n.optional(3)
    blind = mask is not None and n.b.is_bool(mask)
    if blind:
        mask = n.b.where(mask, n.scalar(0, q), n.scalar(-np.inf, q))
    if n.attr("is_causal", 0):
        causal = causal_mask(n, q.shape[2], k.shape[2], n.type(q), past)
        mask = causal if mask is None else n.b.add(mask, causal)
    scale = n.attr("scale", 1 / math.sqrt(q.shape[3]))
    y = attention(n, q, k, v, scale, mask, n.attr("softcap", 0.0), blind)
    return join_heads(n, y) if flat else y, k, v


def _key_mask(n, mask, batch, columns):
    """Of keys that a mask [batch, keys] hides, or that lie behind a length [batch], the scores' addend."""
    if n.type(mask) != "int32" or n.shape(mask) not in ([batch], [batch, columns]):
        n.fail(f"a mask of type {n.type(mask)} and shape {n.shape(mask)} is not supported")
    if n.rank(mask) == 1:
        seen = n.b.lesser(np.arange(columns, dtype=np.int32), n.reshape(mask, [batch, 1]))
    else:
        seen = n.b.greater(mask, n.scalar(0, mask))
    seen = n.b.cast(seen, "float32")
    low = n.attr("mask_filter_value", -10000.0)
    return n.reshape(n.b.linear(seen, alpha=-low, beta=low), [batch, 1, 1, columns])


@converts("Attention", domain=MICROSOFT)
def convert_packed_attention(n):
    """One product makes queries, keys and values; without past."""
    if any(n.has(index) for index in range(4, len(n.inputs))) or any(n.proto.output[1:]):
        n.fail("past keys and further outputs are not supported")
    x, weight, heads = n.value(0, 3), n.value(1, 2), n.required("num_heads")
    widths = n.attr("qkv_hidden_sizes") or [weight.shape[1] // 3] * 3
    n.ignore("mask_filter_value", "do_rotary", "past_present_share_buffer")
    y = n.b.matmul(x, weight)
    y = n.b.add(y, n.value(2)) if n.has(2) else y
    q, k, v = (split_heads(n, part, heads) for part in n.b.split(y, widths, axis=2))
    mask = causal_mask(n, q.shape[2], k.shape[2], n.type(q)) if n.attr("unidirectional", 0) else None
    if n.has(3):
        hidden = n.cast(_key_mask(n, n.value(3), q.shape[0], k.shape[2]), n.type(q))
        mask = hidden if mask is None else n.b.add(hidden, mask)
    return join_heads(n, attention(n, q, k, v, n.attr("scale") or 1 / math.sqrt(q.shape[3]), mask))


@converts("EmbedLayerNormalization", domain=MICROSOFT)
def convert_embed_layer_normalization(n):
    """The sum of words', positions' and segments' embeddings, normalised; the number of words that are there."""
    ids = n.value(0, 2)
    batch, length = ids.shape
    n.refuse("mask_index_type", 0) if not n.has(7) else n.ignore("mask_index_type")
    if n.has(8):
        places = n.b.gather(n.value(3), n.value(8))
    else:
        places = n.b.slice(n.b.identity(n.value(3)), [0, 0], [length, n.value(3, 2).shape[1]])
    total = n.b.add(n.b.gather(n.value(2), ids), places)
    if n.has(1) and n.has(4):
        total = n.b.add(total, n.b.gather(n.value(4), n.value(1)))
    y = n.b.layer_normalization(total, scale=n.value(5), bias=n.value(6), axes=[2],
                                epsilon=n.attr("epsilon", 1e-12))
    if n.has(7):
        there = n.b.reduce_sum(n.b.cast(n.value(7), "int32"), axes=[1])
    else:
        there = np.zeros([batch], np.int32)
    return y, there, total


@converts("MatMulNBits", domain=MICROSOFT)
def convert_matmul_n_bits(n):
    """Weights of 4 or 8 bits, in blocks along the rows that have a scale and a zero point each."""
    a, packed, depth, columns = n.value(0), n.array(1), n.required("K"), n.required("N")
    bits, block = n.attr("bits", 4), n.required("block_size")
    n.ignore("accuracy_level", "weight_prepacked")
    if block < 1:
        n.fail(f"attribute block_size = {block} is not supported")
    blocks = -(-depth // block)
    if bits not in (4, 8) or n.has(4) or packed.shape != (columns, blocks, block * bits // 8):
        n.fail(f"weights of {bits} bits and shape {list(packed.shape)} are not supported")
    n.claim(4 * packed.nbytes)
    weights = _unpacked(packed, bits).reshape(columns, blocks * block)
    scales = n.reshape(n.value(2), [columns, blocks])
    zeros = np.full((columns, blocks), 1 << (bits - 1), np.uint8)
    if n.has(3):
        given = n.array(3)
        if given.dtype != np.uint8 or given.size != columns * -(-blocks * bits // 8):
            n.fail(f"zero points of type {given.dtype} and shape {n.shape(given)} are not supported")
        zeros = np.ascontiguousarray(_unpacked(given.reshape(columns, -1), bits)[:, :blocks])
    wide = n.b.dequantize_linear(weights, n.cast(scales, n.type(a)), zeros)
    if blocks * block != depth:
        wide = n.b.slice(wide, [0, 0], [columns, depth])
    y = n.b.matmul(a, n.b.transpose(wide))
    return n.b.add(y, n.value(5)) if n.has(5) else y


def _unpacked(packed, bits):
    """Two numbers of 4 bits a byte, the low one first."""
    if bits == 8:
        return packed
    return np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)


@converts("MultiHeadAttention", domain=MICROSOFT)
def convert_multi_head_attention(n):
    """Three inputs of rank 3, an optional bias and an additive one for the scores; without masks and past."""
    if any(n.has(index) for index in (4, 6, 7)) or any(n.proto.output[1:]) or not n.has(1) or not n.has(2):
        n.fail("packed inputs, masks, past keys and further outputs are not supported")
    heads = n.required("num_heads")
    n.ignore("mask_filter_value")
    parts = [n.value(0, 3), n.value(1, 3), n.value(2, 3)]
    if n.has(3):
        biases = n.b.split(n.value(3), [part.shape[2] for part in parts])
        parts = [n.b.add(part, bias) for part, bias in zip(parts, biases)]
    q, k, v = (split_heads(n, part, heads) for part in parts)
    mask = n.optional(5)
    if n.attr("unidirectional", 0):
        causal = causal_mask(n, q.shape[2], k.shape[2], n.type(q))
        mask = causal if mask is None else n.b.add(mask, causal)
    return join_heads(n, attention(n, q, k, v, n.attr("scale") or 1 / math.sqrt(q.shape[3]), mask))


@converts("RotaryEmbedding")
def convert_rotary_embedding(n):
    return rotary_embedding(n, n.value(0), n.value(1), n.value(2), n.optional(3))


@converts("RotaryEmbedding", domain=MICROSOFT)
def convert_old_rotary_embedding(n):
    """The positions come second: one a word, or where the first word stands."""
    n.refuse("is_packed_batching", 0)
    n.refuse("scale", 1.0)
    x, positions = n.value(0, 3, 4), n.value(1)
    if n.shape(positions) == [1]:
        length = x.shape[1 if n.rank(x) == 3 else 2]
        positions = n.b.add(positions, np.arange(length, dtype=np.int64))
        positions = n.b.expand(n.reshape(positions, [1, length]), [x.shape[0], length])
    turned = 2 * n.value(2, 2).shape[1]
    if n.rank(x) == 3 and not n.attr("num_heads", 0):
        if x.shape[2] % turned:
            n.fail(f"{turned} coordinates don't divide a width of {x.shape[2]}")
        return rotary_embedding(n, x, n.value(2), n.value(3), positions, x.shape[2] // turned)
    return rotary_embedding(n, x, n.value(2), n.value(3), positions)


def rotary_embedding(n, x, cos, sin, positions, heads=None):
    """Pairs of coordinates are turned by angles whose cosines and sines are given, by position if there are any."""
    interleaved, flat = n.attr("interleaved", 0), n.rank(x) == 3
    if n.rank(x) not in (3, 4):
        n.fail(f"an input of shape {n.shape(x)} is not supported")
    heads = heads or n.attr("num_heads", 0)
    y = split_heads(n, x, heads) if flat else x
    batch, heads, length, size = y.shape
    turned = n.attr("rotary_embedding_dim", 0) or size
    if positions is not None:
        cos, sin = (n.b.gather(table, positions) for table in (cos, sin))
    cos, sin = (n.reshape(table, [table.shape[0], 1, length, turned // 2]) for table in (cos, sin))
    rest = None
    if turned < size:
        y, rest = n.b.split(y, [turned, size - turned], axis=3)
    pairs = [batch, heads, length, turned // 2, 2] if interleaved else [batch, heads, length, 2, turned // 2]
    axis = 4 if interleaved else 3
    one = [batch, heads, length, turned // 2]
    a, b = (n.reshape(part, one) for part in n.b.split(n.reshape(y, pairs), 2, axis=axis))
    real = n.b.sub(n.b.mul(a, cos), n.b.mul(b, sin))
    imaginary = n.b.add(n.b.mul(a, sin), n.b.mul(b, cos))
    single = [1 if place == axis else width for place, width in enumerate(pairs)]
    y = n.b.concat([n.reshape(real, single), n.reshape(imaginary, single)], axis)
    y = n.reshape(y, [batch, heads, length, turned])
    y = y if rest is None else n.b.concat([y, rest], 3)
    return join_heads(n, y) if flat else y
