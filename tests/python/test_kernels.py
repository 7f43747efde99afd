"""No operation is left to the naive reference by the oneDNN backend, in any data type.

    python tests/python/test_kernels.py [OPERATION ...]    prints the kernels that serve each of them
"""

import collections
import sys

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, Phase, given, seed, settings

import webnn
from webnn import testing
from webnn.testing import strategies

# What is served by the reference, and why that is right.
LEFT_TO_REFERENCE = {}


def data_types(context, op):
    """Those that any operand of the operation may have."""
    limits = context.op_support_limits()[testing.definition.camel(op)]
    return sorted({name for of in limits.values() if isinstance(of, dict) for name in of.get("dataTypes", [])})


def kernels(context, op, data_type, examples):
    """How often which kernel ran in graphs of one call with an operand of that type."""
    found = collections.Counter()

    @seed(0)
    @settings(max_examples=examples, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(strategies.calls(op, data_types=[data_type]))
    def run(definition):
        if data_type not in {one["dataType"] for one in definition["inputs"].values()}:
            return
        with testing.definition.build(definition, context) as graph:
            found.update(step["kernel"] for step in graph.steps)

    run()
    return found


@pytest.fixture(scope="module")
def context():
    try:
        future = webnn.ML().create_context(backend="onednn", passes="-all")
    except webnn.NotSupportedError:
        pytest.skip("this build has no oneDNN")
    with future.result() as context:
        yield context


def test_the_reference_would_be_seen():
    with webnn.ML().create_context(backend="reference").result() as context:
        assert set(kernels(context, "relu", "int32", examples=3)) == {"reference"}


@pytest.mark.parametrize("op", sorted(strategies.OPERATIONS))
def test_every_type_has_a_kernel(op, context):
    naive = [data_type for data_type in data_types(context, op)
             if "reference" in kernels(context, op, data_type, examples=3)]
    assert naive == LEFT_TO_REFERENCE.get(op, [])


def main(operations):
    with webnn.ML().create_context(backend="onednn", passes="-all").result() as context:
        for op in operations or sorted(strategies.OPERATIONS):
            for data_type in data_types(context, op):
                found = kernels(context, op, data_type, examples=30)
                print(f"{op:24}{data_type:9}{', '.join(sorted(found)) or 'a view'}", flush=True)


@pytest.mark.parametrize("size, threads", [(48, {1}), (1024, {2})])
def test_small_graphs_get_one_thread(size, threads):
    """Steps that are done before a second thread has woken; of a graph that isn't small each that has work for two."""
    try:
        context = webnn.ML().create_context(backend="onednn", threads=2).result()
    except webnn.NotSupportedError:
        pytest.skip("this build has no onednn")
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [size, size], "float32")
    with builder.build({"y": builder.softmax(builder.matmul(x, builder.matmul(x, x)), 1)}).result() as graph:
        steps = graph.profile({"x": np.ones((size, size), "float32")}, 1)
        assert context.info["threads"] == 2
        assert {step["threads"] for step in steps if step["flops"] > 0} == threads


def products(builder, data_type):
    """What activations are fused behind, by name."""
    x = builder.input("x", [1, 16, 20, 20], data_type)
    constant = lambda *shape: builder.constant(np.ones(shape, data_type))
    return {
        "conv2d": builder.conv2d(x, constant(16, 16, 3, 3), padding=[1, 1, 1, 1]),
        "winograd": builder.conv2d(x, constant(32, 16, 3, 3)),
        "depthwise": builder.conv2d(x, constant(16, 1, 3, 3), groups=16),
        "channels last": builder.conv2d(x, constant(24, 3, 3, 20), input_layout="nhwc", filter_layout="ohwi"),
        "narrow": builder.conv2d(x, constant(1, 16, 3, 3)),
        "transposed": builder.conv_transpose2d(x, constant(16, 24, 2, 2), strides=[2, 2]),
        "matmul": builder.matmul(x, constant(20, 24)),
        "few rows": builder.matmul(builder.slice(x, [0, 0, 0, 0], [1, 1, 2, 20]), constant(20, 24)),
        "gemm": builder.gemm(builder.reshape(x, [80, 80]), constant(80, 24)),
    }


def products_of_bytes(builder):
    """The same of products of bytes."""
    rng = np.random.default_rng(0)

    def dequantised(x, zero):
        ones = [1] * len(x.shape)
        return builder.dequantize_linear(x, builder.constant(np.full(ones, 0.02, "float32")),
                                         builder.constant(np.full(ones, zero)))

    def weights(*shape):
        return dequantised(builder.constant(rng.integers(-60, 60, shape).astype("int8")), np.int8(0))

    x = dequantised(builder.input("x", [1, 16, 20, 20], "uint8"), np.uint8(7))
    return {"conv2d": builder.conv2d(x, weights(24, 16, 3, 3)), "matmul": builder.matmul(x, weights(20, 24))}


OPERANDS = {
    "none": None,
    "same": lambda builder, shape, of: builder.input("r", shape, of),
    "lower rank": lambda builder, shape, of: builder.input("r", shape[1:] if shape[0] == 1 else shape[-1:], of),
    "constant": lambda builder, shape, of: builder.constant(np.full(shape, 2, of)),
    "lower constant": lambda builder, shape, of: builder.constant(np.full(shape[1:], 2, of)),
}


# Convolutions of bytes are for channels last alone.
KINDS = [(data_type, passes) for data_type in ("float32", "float16", "bytes") for passes in (None, "-layout", "-fuse")
         if (data_type, passes) != ("bytes", "-layout")]


@pytest.mark.parametrize("data_type, passes", KINDS)
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("activation", ["relu", "sigmoid", "tanh", "gelu", "silu", "softplus"])
def test_nothing_fused_needs_the_reference(activation, operand, data_type, passes):
    """What follows a product, an operand behind its activation too, is fused only where a quick kernel can do it."""
    try:
        context = webnn.ML().create_context(backend="onednn", passes=passes).result()
    except webnn.NotSupportedError:
        pytest.skip("this build has no oneDNN")
    of = "float32" if data_type == "bytes" else data_type
    make = products_of_bytes if data_type == "bytes" else lambda builder: products(builder, data_type)
    for name in make(webnn.GraphBuilder(context)):
        builder = webnn.GraphBuilder(context)
        y = make(builder)[name]
        y = builder.mul(y, builder.sigmoid(y)) if activation == "silu" else getattr(builder, activation)(y)
        if OPERANDS[operand] is not None:
            y = builder.add(y, OPERANDS[operand](builder, list(y.shape), of))
        with builder.build({"y": y}).result() as graph:
            assert [step["operations"] for step in graph.steps if step["kernel"] == "reference"] == [], name


def test_a_product_and_its_input_need_no_reference(context):
    """The input lies as the convolution left it."""
    with webnn.ML().create_context(backend="onednn").result() as context:
        builder = webnn.GraphBuilder(context)
        constant = lambda *shape: builder.constant(np.ones(shape, "float32"))
        x = builder.relu(builder.conv2d(builder.input("x", [1, 16, 20, 20], "float32"), constant(16, 16, 3, 3),
                                        padding=[1, 1, 1, 1]))
        y = builder.add(x, builder.tanh(builder.matmul(x, constant(20, 20))))
        with builder.build({"y": y}).result() as graph:
            assert "reference" not in {step["kernel"] for step in graph.steps}


if __name__ == "__main__":
    main(sys.argv[1:])
