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


@pytest.mark.parametrize("passes", [None, "-layout", "-fuse", "-layout,-fuse"])
@pytest.mark.parametrize("activation", ["relu", "sigmoid", "tanh", "gelu", "elu", "softplus"])
@pytest.mark.parametrize("data_type", ["float32", "float16"])
def test_nothing_fused_needs_the_reference(passes, activation, data_type):
    """What follows a convolution is fused only where a quick kernel can do it, whatever is switched off."""
    try:
        context = webnn.ML().create_context(backend="onednn", passes=passes).result()
    except webnn.NotSupportedError:
        pytest.skip("this build has no oneDNN")
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [1, 16, 20, 20], data_type)
    filters = builder.constant(np.ones((16, 16, 3, 3), data_type))
    y = getattr(builder, activation)(builder.conv2d(x, filters))
    z = getattr(builder, activation)(builder.conv_transpose2d(x, filters))
    with builder.build({"y": y, "z": z}).result() as graph:
        assert "reference" not in {step["kernel"] for step in graph.steps}


if __name__ == "__main__":
    main(sys.argv[1:])
