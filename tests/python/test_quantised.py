"""Quantised models: the integers of a QDQ model are found, run as such, and give what floats give."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
quantization = pytest.importorskip("onnxruntime.quantization")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import webnn  # noqa: E402
import webnn.onnx  # noqa: E402

SHAPE = (1, 3, 32, 32)


def float_model():
    """Convolutions with relu, a residual, a pool, parts joined, a mean, a product."""
    rng = np.random.default_rng(11)

    def weight(name, *shape):
        array = rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        return numpy_helper.from_array(array.astype("float32"), name)

    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w0", "b0"], ["c0"], pads=[1] * 4, strides=[2, 2]),
        node("Relu", ["c0"], ["r0"]),
        node("MaxPool", ["r0"], ["p0"], kernel_shape=[3, 3], pads=[1] * 4),
        node("Conv", ["p0", "w1", "b1"], ["c1"], pads=[1] * 4),
        node("Relu", ["c1"], ["r1"]),
        node("Conv", ["r1", "w2", "b2"], ["c2"]),
        node("Add", ["c2", "p0"], ["s2"]),
        node("Relu", ["s2"], ["r2"]),
        node("Concat", ["r2", "r1"], ["j"], axis=1),
        node("Conv", ["j", "w3", "b3"], ["c3"], pads=[1] * 4, group=2),
        node("GlobalAveragePool", ["c3"], ["g"]),
        node("Flatten", ["g"], ["f"]),
        node("Gemm", ["f", "w4", "b4"], ["y"], transB=1),
    ]
    shapes = {"w0": (16, 3, 3, 3), "w1": (24, 16, 3, 3), "w2": (16, 24, 1, 1), "w3": (32, 20, 3, 3), "w4": (10, 32)}
    weights = [weight(name, *shape) for name, shape in shapes.items()]
    biases = [numpy_helper.from_array(rng.standard_normal(shape[0]).astype("float32") * 0.1, f"b{name[1:]}")
              for name, shape in shapes.items()]
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 10))], weights + biases)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


class Samples:
    """What the quantiser looks at."""

    def __init__(self):
        rng = np.random.default_rng(5)
        self.left = [{"x": rng.standard_normal(SHAPE).astype("float32")} for _ in range(4)]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantised(tmp_path, **options):
    source, target = tmp_path / "float.onnx", tmp_path / "int8.onnx"
    onnx.save(float_model(), source)
    kinds = quantization.QuantType
    settings = {"quant_format": quantization.QuantFormat.QDQ, "per_channel": True, "reduce_range": True,
                "activation_type": kinds.QUInt8, "weight_type": kinds.QInt8, **options}
    quantization.quantize_static(str(source), str(target), Samples(), **settings)
    return target


def run(path, **options):
    context = webnn.ML().create_context(**options).result()
    graph = webnn.onnx.load(str(path), context, shapes={"x": list(SHAPE)})
    x = np.random.default_rng(9).standard_normal(SHAPE).astype("float32")
    operations = [step["operations"].split("+") for step in graph.steps]
    return context.compute(graph, {"x": x})["y"], operations, graph.steps, x


FORMATS = {
    "by channel": {},
    "by tensor": {"per_channel": False},
    "signed": {"activation_type": quantization.QuantType.QInt8},
    "unsigned weights": {"weight_type": quantization.QuantType.QUInt8, "per_channel": False},
    "full range": {"reduce_range": False},
    "operators": {"quant_format": quantization.QuantFormat.QOperator},
}


@pytest.mark.parametrize("options", FORMATS.values(), ids=FORMATS.keys())
def test_integers_are_found_and_right(tmp_path, options):
    path = quantised(tmp_path, **options)
    y, operations, steps, x = run(path)
    floats, _, _, _ = run(path, backend="reference", passes="-all")
    names = [name for step in operations for name in step]
    assert names.count("conv2d_integer") == 4 and names.count("matmul_integer") == 1
    assert "conv2d" not in names and "gemm" not in names and "matmul" not in names
    # The largest result has some sixty steps; a few roundings on the way may fall to the other side.
    step = np.max(np.abs(floats)) / 64
    assert np.max(np.abs(y - floats)) <= step
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    if options.get("reduce_range", True):  # else its sums may saturate
        assert np.max(np.abs(session.run(None, {"x": x})[0] - y)) <= 2 * step


def test_what_follows_is_fused(tmp_path):
    _, operations, steps, _ = run(quantised(tmp_path))
    convolutions = [step for step in operations if step[0] == "conv2d_integer"]
    assert all("quantize_linear" in step[1:] for step in convolutions)
    pools = [step for step, about in zip(operations, steps) if "max_pool2d" in step and "uint8" in about["shapes"]]
    assert len(pools) == 1  # on bytes


def test_the_switch(tmp_path):
    path = quantised(tmp_path)
    y, operations, _, _ = run(path, passes="-quantise")
    assert not any(name.endswith("_integer") for step in operations for name in step)
    integers, _, _, _ = run(path)
    assert np.max(np.abs(y - integers)) <= np.max(np.abs(y)) / 64
