"""webnn.onnx: single nodes against onnxruntime or the reference evaluator, and how graphs are walked."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

import onnx_rows as rows  # noqa: E402
import onnx_rows_more as more  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import webnn  # noqa: E402
import webnn.onnx  # noqa: E402

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
ROWS = [*rows.ELEMENTWISE, *rows.ACTIVATIONS, *rows.CONV, *rows.POOL, *rows.MATMUL, *rows.NORM, *more.REDUCE,
        *more.MOVEMENT, *more.INDEX, *more.RESAMPLE, *more.RECURRENT, *more.QUANTIZE, *more.ATTENTION,
        *more.SIGNAL]
SETTINGS = ("opset", "domain", "outputs", "tolerance", "peer")


@pytest.fixture(scope="module")
def ctx():
    with webnn.ML().create_context().result() as context:
        yield context


def one_node(op_type, inputs, options):
    """The model of a row, and what is fed to it."""
    attributes = {key: value for key, value in options.items() if key not in SETTINGS}
    names, feeds, declared, initializers = [], {}, [], []
    for k, value in enumerate(inputs):
        names.append("" if value is None else f"in{k}")
        if isinstance(value, rows.K):
            initializers.append(numpy_helper.from_array(value.array, f"in{k}"))
        elif value is not None:
            feeds[f"in{k}"] = value = np.asarray(value)
            declared.append(helper.make_tensor_value_info(
                f"in{k}", helper.np_dtype_to_tensor_dtype(value.dtype), value.shape))
    wanted = options.get("outputs", 1)
    wanted = range(wanted) if isinstance(wanted, int) else wanted
    outputs = [f"out{k}" if k in wanted else "" for k in range(max(wanted) + 1)]
    domain = options.get("domain", "")
    node = helper.make_node(op_type, names, outputs, name="the node", domain=domain, **attributes)
    graph = helper.make_graph([node], "g", declared,
                              [helper.make_empty_tensor_value_info(name) for name in outputs if name], initializers)
    opsets = [helper.make_opsetid("", options.get("opset", 13))]
    opsets += [helper.make_opsetid(domain, 1)] if domain else []
    return helper.make_model(graph, opset_imports=opsets, ir_version=10), feeds


def by_peer(model, feeds, peer="ort"):
    if peer == "reference":
        from onnx.reference import ReferenceEvaluator
        return ReferenceEvaluator(model).run(None, feeds)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def run(ctx, model, feeds, **options):
    """Our results in the order of the model's outputs."""
    graph = webnn.onnx.load(model, ctx, **options)
    used = {name: value.astype(np.uint8) if value.dtype == bool else value
            for name, value in feeds.items() if name in graph.inputs}
    results = ctx.compute(graph, used)
    return [results[output.name] for output in model.graph.output]


def assert_close(ours, expected, tolerance=2e-6):
    """Within `tolerance` of the largest number; whole numbers are off by no more than a `tolerance` of them."""
    expected = np.asarray(expected)
    if expected.dtype == bool:
        expected = expected.astype(np.uint8)
    if expected.dtype == np.float64:
        expected = expected.astype(np.float32)
    assert ours.shape == expected.shape and ours.dtype == expected.dtype
    if expected.dtype.kind in "iu":
        allowed = tolerance if tolerance >= 1 else 0
        assert np.abs(ours.astype(np.int64) - expected.astype(np.int64)).max(initial=0) <= allowed
        return
    if expected.dtype == np.float16:
        tolerance = max(tolerance, 1e-3)
    finite = np.isfinite(expected)
    largest = np.abs(expected[finite].astype(np.float64)).max(initial=0)
    np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance * max(largest, 1e-3))


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_node(ctx, row):
    _, op_type, inputs, options = row
    model, feeds = one_node(op_type, inputs, options)
    expected = by_peer(model, feeds, options.get("peer", "ort"))
    for ours, theirs in zip(run(ctx, model, feeds), expected):
        assert_close(ours, theirs, options.get("tolerance", 2e-6))


def test_row_names_are_unique():
    assert len({row[0] for row in ROWS}) == len(ROWS)
