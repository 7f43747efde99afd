"""webnn.onnx: how graphs are walked, what is folded, how it says no, and damaged or hostile files."""

import contextlib
import gc
import os
import random
import re
import sys
import tracemalloc

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from test_onnx import assert_close, by_peer, run  # noqa: E402

import webnn  # noqa: E402
import webnn.onnx  # noqa: E402
import webnn.serialize  # noqa: E402
import webnn.testing  # noqa: E402
from webnn.onnx import ModelError  # noqa: E402

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


@pytest.fixture(scope="module")
def ctx():
    with webnn.ML().create_context().result() as context:
        yield context


def node(op_type, inputs, outputs, **attributes):
    return helper.make_node(op_type, inputs, outputs, **attributes)


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def constants(**arrays):
    return [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()]


def model(nodes, inputs, outputs, initializers=(), opset=13, functions=(), opsets=()):
    """Outputs are names; inputs (name, shape) or value infos."""
    inputs = [value(*item) if isinstance(item, tuple) else item for item in inputs]
    outputs = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(*item) for item in opsets)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10, functions=list(functions))


def body(nodes, inputs, outputs, initializers=()):
    return helper.make_graph(nodes, "body", [helper.make_empty_tensor_value_info(name) for name in inputs],
                             [helper.make_empty_tensor_value_info(name) for name in outputs], list(initializers))


def typed_body(nodes, inputs, outputs):
    return helper.make_graph(nodes, "body", inputs, outputs)


RELU = [node("Relu", ["x"], ["y"], name="only")]
X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)


def check(ctx, proto, feeds, peer="ort", **options):
    for ours, theirs in zip(run(ctx, proto, feeds, **options), by_peer(proto, feeds, peer)):
        assert_close(ours, theirs)


# Ways in

def test_path_bytes_and_proto_are_the_same(ctx, tmp_path):
    weights = np.arange(3000, dtype=np.float32).reshape(3, 1000)  # big enough to be cut out of the file
    proto = model([node("MatMul", ["x", "w"], ["y"])], [("x", [2, 3])], ["y"], constants(w=weights))
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    for source in (path, str(path), path.read_bytes(), bytearray(path.read_bytes()), proto):
        graph = webnn.onnx.load(source, ctx)
        np.testing.assert_allclose(ctx.compute(graph, {"x": X})["y"], X @ weights, rtol=1e-6)
    assert numpy_helper.to_array(proto.graph.initializer[0]).tolist() == weights.tolist()  # untouched


def test_add_to_gives_operands_by_name(ctx):
    builder = webnn.GraphBuilder(ctx)
    outputs = webnn.onnx.add_to(builder, model(RELU, [("x", [2, 3])], ["y"]))
    assert list(outputs) == ["y"] and outputs["y"].shape == [2, 3] and outputs["y"].label == "only"
    graph = builder.build({"z": builder.neg(outputs["y"])}).result()
    np.testing.assert_array_equal(ctx.compute(graph, {"x": X})["z"], -np.maximum(X, 0))


def test_a_refused_model_leaves_nothing_on_the_builder(ctx):
    builder = webnn.GraphBuilder(ctx)
    bad = model([node("Relu", ["x"], ["a"]), node("NoSuch", ["a"], ["y"])], [("x", [2, 3])], ["y"])
    with pytest.raises(ModelError):
        webnn.onnx.add_to(builder, bad)
    outputs = webnn.onnx.add_to(builder, model(RELU, [("x", [2, 3])], ["y"]))
    graph = builder.build(outputs).result()
    np.testing.assert_array_equal(ctx.compute(graph, {"x": X})["y"], np.maximum(X, 0))


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs Linux")
def test_file_is_let_go_at_once(ctx, tmp_path):
    """No cycle keeps the mapped file until the collector comes."""
    path = tmp_path / "weights-are-here.onnx"
    path.write_bytes(model([node("Mul", ["x", "w"], ["y"])], [("x", [1, 4000])], ["y"],
                           constants(w=np.ones(4000, np.float32))).SerializeToString())
    builder = webnn.GraphBuilder(ctx)
    gc.disable()
    try:
        webnn.onnx.add_to(builder, path)
        with open("/proc/self/maps") as maps:
            assert path.name not in maps.read()
    finally:
        gc.enable()


@pytest.mark.parametrize("missing", ["onnx", "numpy"])
def test_without_the_onnx_package(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "webnn.onnx")
    with pytest.raises(ImportError, match=r"webnn.onnx needs the onnx package: pip install 'webnn\[onnx\]'"):
        import webnn.onnx  # noqa: F401


@pytest.mark.parametrize("model, options, words", [
    ("a\0b.onnx", {}, "model: 'a.*' can't be a path"),
    ("\ud800.onnx", {}, "model: '.*' can't be a path"),
    (memoryview(bytes(8))[::2], {}, "model: its bytes must lie"),
    (None, {"shapes": "abc"}, "shapes must be a dict"),
    (None, {"shapes": 3}, "shapes must be a dict"),
    (None, {"constants": "abc"}, "constants must be a dict"),
    (None, {"shapes": {"x": [np.array([1, 2]), 1]}}, "shapes: input 'x' needs a list"),
    (None, {"shapes": {"x": [[2], 3]}}, "shapes: input 'x' needs a list"),
    (None, {"shapes": {"x": [2, 3] * 10}}, "input 'x' is declared as"),
    (None, {"constants": {"x": [[1], [1, 2]]}}, "constants: input 'x' needs numbers"),
    (None, {"constants": {"x": [[10**400] * 3] * 2}}, "constants: input 'x' needs numbers"),
])
def test_wrong_arguments_are_type_errors_that_name_them(ctx, model, options, words):
    model = globals()["model"](RELU, [("x", [2, 3])], ["y"]) if model is None else model
    with pytest.raises(TypeError, match=words):
        webnn.onnx.load(model, ctx, **options)


def test_add_to_needs_a_builder():
    with pytest.raises(TypeError, match="builder must be a GraphBuilder"):
        webnn.onnx.add_to(None, model(RELU, [("x", [2, 3])], ["y"]))


def test_wrong_kind_of_model(ctx):
    for wrong in (None, 3, object(), helper.make_graph([], "g", [], [])):
        with pytest.raises(TypeError):
            webnn.onnx.load(wrong, ctx)
    with pytest.raises(FileNotFoundError):
        webnn.onnx.load("no such file.onnx", ctx)


# Shapes

def test_open_dimensions_need_shapes(ctx):
    proto = model(RELU, [("x", ["batch", 3])], ["y"])
    with pytest.raises(ModelError, match=r"'x'.*dimension 0 \(batch\).*shapes="):
        webnn.onnx.load(proto, ctx)
    assert webnn.onnx.load(proto, ctx, shapes={"x": [2, 3]}).outputs["y"].shape == [2, 3]


@pytest.mark.parametrize("shapes", [{"z": [1]}, {"x": [2, 4]}, {"x": [2]}, {"x": [2, -3]}, {"x": [2, 0]}, {"x": "23"},
                                    {"x": [2, 1.5]}, {"x": [2, True]}, {"x": 6}])
def test_wrong_shapes(ctx, shapes):
    with pytest.raises(TypeError, match="shapes|no input"):
        webnn.onnx.load(model(RELU, [("x", ["batch", 3])], ["y"]), ctx, shapes=shapes)


def test_input_without_shape(ctx):
    proto = model(RELU, [helper.make_tensor_value_info("x", FLOAT, None)], ["y"])
    with pytest.raises(ModelError, match="no shape"):
        webnn.onnx.load(proto, ctx)
    check(ctx, proto, {"x": X}, shapes={"x": [2, 3]})


def test_constant_inputs(ctx):
    proto = model([node("Reshape", ["x", "s"], ["y"])], [("x", [2, 3]), ("s", [2], INT64)], ["y"])
    with pytest.raises(ModelError, match="input 1 .'s'. must be constant"):
        webnn.onnx.load(proto, ctx)
    graph = webnn.onnx.load(proto, ctx, constants={"s": [3, 2]})
    assert list(graph.inputs) == ["x"] and graph.outputs["y"].shape == [3, 2]
    with pytest.raises(TypeError, match=r"constants: input 's' is declared as \[2\], which \[3\] doesn't fit"):
        webnn.onnx.load(proto, ctx, constants={"s": [3, 2, 1]})


def test_constant_inputs_bring_their_shape(ctx):
    """It need not be said twice, and may be without elements."""
    nodes = [node("ReduceSum", ["x", "axes"], ["y"])]
    proto = model(nodes, [("x", [2, 3]), ("axes", ["k"], INT64)], ["y"])
    for axes, shape in ([1], [2, 1]), ([], [1, 1]):
        graph = webnn.onnx.load(proto, ctx, constants={"axes": np.array(axes, np.int64)})
        assert graph.outputs["y"].shape == shape


def test_shape_arithmetic_is_folded(ctx):
    nodes = [
        node("Shape", ["x"], ["shape"]), node("Gather", ["shape", "zero"], ["n"]),
        node("Unsqueeze", ["n", "axes"], ["n1"]), node("Mul", ["n1", "three"], ["n2"]),
        node("Slice", ["shape", "one", "end"], ["rest"]), node("Concat", ["n2", "minus"], ["new"], axis=0),
        node("Cast", ["rest"], ["restf"], to=FLOAT), node("ReduceProd", ["restf"], ["size"], keepdims=0),
        node("ConstantOfShape", ["new2"], ["ones"], value=helper.make_tensor("v", FLOAT, [1], [1.0])),
        node("Range", ["start", "limit", "delta"], ["range"]), node("Equal", ["range", "range"], ["same"]),
        node("Where", ["same", "range", "range"], ["range2"]), node("Expand", ["range2", "shape"], ["grid"]),
        node("Concat", ["n1", "one"], ["new2"], axis=0),
        node("Reshape", ["x", "new"], ["a"]), node("Add", ["x", "ones"], ["b"]), node("Mul", ["x", "size"], ["c"]),
        node("Add", ["x", "grid"], ["d"]),
    ]
    numbers = constants(zero=np.int64(0), axes=[0], three=[3], one=[1], end=[9], minus=[-1], start=np.float32(0),
                        limit=np.float32(3), delta=np.float32(1))
    check(ctx, model(nodes, [("x", [2, 3])], ["a", "b", "c", "d", "shape"], numbers), {"x": X})


def test_only_what_outputs_need_is_converted(ctx):
    nodes = [*RELU, node("NonZero", ["x"], ["unused"])]
    graph = webnn.onnx.load(model(nodes, [("x", [2, 3]), ("other", [1])], ["y"]), ctx)
    assert list(graph.inputs) == ["x"]


def test_outputs_that_are_inputs_constants_or_the_same(ctx):
    nodes = [node("Identity", ["x"], ["y"]), node("Identity", ["k"], ["z"]), node("Relu", ["x"], ["a"]),
             node("Identity", ["a"], ["b"])]
    proto = model(nodes, [("x", [2, 3])], ["y", "z", "a", "b", "k"], constants(k=np.arange(4)))
    check(ctx, proto, {"x": X})


def test_nodes_may_be_in_any_order(ctx):
    nodes = [node("Neg", ["a"], ["y"]), node("Relu", ["x"], ["a"])]
    check(ctx, model(nodes, [("x", [2, 3])], ["y"]), {"x": X})


def test_long_chains_need_no_recursion(ctx):
    nodes = [node("Neg", [f"v{k}"], [f"v{k + 1}"]) for k in range(5000)]
    check(ctx, model(nodes, [("v0", [2, 3])], ["v5000"]), {"v0": X})


# Types

def test_double_becomes_float32(ctx):
    proto = model([node("Mul", ["x", "k"], ["y"])], [("x", [3], TensorProto.DOUBLE)], ["y"],
                  constants(k=np.array([0.1, 0.2, 0.3])))
    graph = webnn.onnx.load(proto, ctx)
    assert graph.inputs["x"].data_type == graph.outputs["y"].data_type == "float32"


@pytest.mark.parametrize("kind", [TensorProto.STRING, TensorProto.COMPLEX64, TensorProto.INT16])
def test_types_without_counterpart(ctx, kind):
    with pytest.raises(ModelError, match="input 'x' has elements of type"):
        webnn.onnx.load(model(RELU, [("x", [3], kind)], ["y"]), ctx)


@pytest.mark.parametrize("kind", ["bfloat16", "int4", "uint4", "float16", "bool", "uint32", "float8e4m3fn"])
def test_constants_of_rare_types(ctx, kind):
    elem_type = {"bfloat16": 16, "int4": 22, "uint4": 21, "float16": 10, "bool": 9, "uint32": 12,
                 "float8e4m3fn": 17}[kind]
    numbers = [0, 1, 2, 3, 7] if kind != "bool" else [0, 1, 1, 0, 1]
    tensor = helper.make_tensor("k", elem_type, [5], numbers)
    for raw in (False, True):
        if raw and not tensor.HasField("raw_data"):
            tensor = numpy_helper.from_array(numpy_helper.to_array(tensor), "k")
        nodes = [node("Cast", ["k"], ["c"], to=FLOAT), node("Add", ["x", "c"], ["y"])]
        graph = webnn.onnx.load(model(nodes, [("x", [5])], ["y"], [tensor], opset=21), ctx)
        assert ctx.compute(graph, {"x": np.zeros(5, np.float32)})["y"].tolist() == numbers


def test_sparse_constants(ctx):
    values = helper.make_tensor("k", FLOAT, [2], [3.0, 4.0])
    for indices in (helper.make_tensor("i", INT64, [2], [1, 5]), helper.make_tensor("i", INT64, [2, 2], [0, 1, 1, 2])):
        proto = model([node("Add", ["x", "k"], ["y"])], [("x", [2, 3])], ["y"])
        proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [2, 3]))
        graph = webnn.onnx.load(proto, ctx)
        result = ctx.compute(graph, {"x": np.zeros((2, 3), np.float32)})["y"]
        assert result.tolist() == [[0, 3, 0], [0, 0, 4]]


@pytest.mark.parametrize("values, indices, shape", [
    ([1.0], [9], [1, 4]), ([1.0], [[0, 9]], [1, 4]), ([1.0], [[0, 1, 2]], [1, 4]), ([1.0, 2.0], [0, 1, 2], [1, 4]),
    ([1.0], 1, [1, 4]), ([1.0], [1.5], [1, 4]), ([1.0], [-1], [1, 4]), ([1.0], [0, 1, 2], [1, 4]),
    ([[1.0]], [1], [1, 4]), ([1.0], [1], [0, 4]), ([1.0], [1], [1 << 31, 4]), ([1.0], [1], [1 << 62, 1 << 62]),
    ([1.0], [1], [1] * 40), ([], [], [0]),
])
def test_sparse_constants_that_are_wrong(ctx, values, indices, shape):
    sparse = onnx.SparseTensorProto(dims=shape)
    sparse.values.CopyFrom(numpy_helper.from_array(np.array(values, np.float32), "k"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.array(indices, np.float32 if 1.5 in np.ravel(indices) else
                                                             np.int64), "i"))
    proto = model([node("Add", ["x", "k"], ["y"])], [("x", [1, 4])], ["y"])
    proto.graph.sparse_initializer.append(sparse)
    refused(ctx, proto, "sparse tensor 'k'")
    inner = model([node("Constant", [], ["k"], name="n", sparse_value=sparse), node("Add", ["x", "k"], ["y"])],
                  [("x", [1, 4])], ["y"])
    refused(ctx, inner, "node 'n' .Constant.*sparse tensor 'k'")


def test_dynamic_quantised_lstm_has_dequantised_weights(ctx):
    rng = np.random.default_rng(3)
    weight, recurrent = (rng.integers(-100, 100, (2, size, 16)).astype(np.int8) for size in (6, 4))
    scale, zero = np.array([0.02, 0.03], np.float32), np.array([3, -2], np.int8)
    arrays = constants(w=weight, r=recurrent, b=rng.random((2, 32)).astype(np.float32), s=scale, z=zero)
    common = {"hidden_size": 4, "direction": "bidirectional"}
    ours = model([node("DynamicQuantizeLSTM", ["x", "w", "r", "b", "", "", "", "", "s", "z", "s", "z"],
                       ["y", "h", "c"], domain="com.microsoft", **common)],
                 [("x", [5, 2, 6])], ["y", "h", "c"], arrays, opsets=[("com.microsoft", 1)])
    real = [((part - zero.reshape(2, 1, 1).astype(np.float32)) * scale.reshape(2, 1, 1)).transpose(0, 2, 1)
            for part in (weight, recurrent)]
    theirs = model([node("LSTM", ["x", "w", "r", "b"], ["y", "h", "c"], **common)], [("x", [5, 2, 6])],
                   ["y", "h", "c"], [*constants(w=real[0], r=real[1]), arrays[2]])
    feeds = {"x": rng.random((5, 2, 6)).astype(np.float32)}
    for mine, other in zip(run(ctx, ours, feeds), by_peer(theirs, feeds)):
        assert_close(mine, other)


# Control flow

def _if(condition, then_op="Neg", else_op="Abs"):
    then_branch = body([node(then_op, ["x"], ["t"])], [], ["t"])
    else_branch = body([node(else_op, ["x"], ["e"])], [], ["e"])
    return node("If", [condition], ["y"], then_branch=then_branch, else_branch=else_branch)


@pytest.mark.parametrize("truth", [True, False])
def test_if_with_known_condition(ctx, truth):
    check(ctx, model([_if("c")], [("x", [2, 3])], ["y"], constants(c=np.array(truth))), {"x": X})


def test_branch_not_taken_may_be_unsupported(ctx):
    proto = model([_if("c", else_op="NonZero")], [("x", [2, 3])], ["y"], constants(c=np.array(True)))
    graph = webnn.onnx.load(proto, ctx)
    np.testing.assert_array_equal(ctx.compute(graph, {"x": X})["y"], -X)


@pytest.mark.parametrize("truth", [True, False])
def test_if_at_run_time_chooses(ctx, truth):
    check(ctx, model([_if("c")], [("x", [2, 3]), ("c", [1], BOOL)], ["y"]), {"x": X, "c": np.array([truth])})


def test_if_at_run_time_with_different_shapes(ctx):
    else_branch = body([node("ReduceSum", ["x"], ["e"])], [], ["e"])
    then_branch = body([node("Neg", ["x"], ["t"])], [], ["t"])
    nodes = [node("If", ["c"], ["y"], then_branch=then_branch, else_branch=else_branch, name="choice")]
    with pytest.raises(ModelError, match="'choice' .If.*differ in shape"):
        webnn.onnx.load(model(nodes, [("x", [2, 3]), ("c", [1], BOOL)], ["y"]), ctx)


def test_if_returns_outer_value(ctx):
    then_branch, else_branch = body([], [], ["x"]), body([node("Neg", ["a"], ["e"])], [], ["e"])
    nodes = [node("Relu", ["x"], ["a"]), node("If", ["c"], ["y"], then_branch=then_branch, else_branch=else_branch)]
    graph = webnn.onnx.load(model(nodes, [("x", [2, 3])], ["y"], constants(c=np.array(True))), ctx)
    np.testing.assert_array_equal(ctx.compute(graph, {"x": X})["y"], X)


def _loop_body():
    """sum += x · i, and x · i is collected; goes on while i < 3."""
    nodes = [node("Cast", ["i"], ["f"], to=FLOAT), node("Mul", ["x", "f"], ["m"]), node("Add", ["sum", "m"], ["new"]),
             node("Less", ["i", "three"], ["more"]), node("Identity", ["m"], ["out"])]
    return typed_body(nodes, [value("i", [], INT64), value("go", [], BOOL), value("sum", [2, 3])],
                      [value("more", [], BOOL), value("new", [2, 3]), value("out", [2, 3])])


@pytest.mark.parametrize("count", [2, 9])
def test_loop_is_unrolled(ctx, count):
    nodes = [node("Loop", ["n", "go0", "x"], ["s", "scan"], body=_loop_body())]
    arrays = constants(n=np.int64(count), go0=np.array(True), three=np.int64(3))
    check(ctx, model(nodes, [("x", [2, 3])], ["s", "scan"], arrays), {"x": X})


def test_loop_of_unknown_length(ctx):
    nodes = [node("Loop", ["", "go0", "x"], ["s", "scan"], body=_loop_body(), name="forever")]
    proto = model(nodes, [("x", [2, 3]), ("go0", [], BOOL)], ["s"], constants(three=np.int64(3)))
    with pytest.raises(ModelError, match="'forever' .Loop.*only known when the graph runs"):
        webnn.onnx.load(proto, ctx)


def test_scan_is_unrolled(ctx):
    nodes = [node("Add", ["state", "step"], ["new"]), node("Neg", ["new"], ["out"])]
    inner = typed_body(nodes, [value("state", [3]), value("step", [3])], [value("new", [3]), value("out", [3])])
    scan = node("Scan", ["s0", "x"], ["last", "all"], body=inner, num_scan_inputs=1, scan_input_directions=[1],
                scan_output_directions=[1], scan_output_axes=[1])
    check(ctx, model([scan], [("s0", [3]), ("x", [2, 3])], ["last", "all"]), {"s0": X[0], "x": X})


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_no_rounds_collect_nothing_of_the_right_shape(ctx, axis):
    """What was collected is empty: its shape goes on, and what is joined to it."""
    inner = typed_body([node("Add", ["state", "step"], ["new"]), node("Identity", ["new"], ["out"])],
                       [value("state", [3]), value("step", [3])], [value("new", [3]), value("out", [3])])
    nodes = [node("Loop", ["n", "go0", "x"], ["s", "scan"], body=_loop_body()), node("Shape", ["scan"], ["shape"]),
             node("Scan", ["first", "steps"], ["last", "all"], body=inner, num_scan_inputs=1, scan_output_axes=[axis]),
             node("Shape", ["all"], ["shape2"]), node("Unsqueeze", ["x", "zero"], ["x3"]),
             node("Concat", ["scan", "x3"], ["joined"], axis=0)]
    arrays = constants(n=np.int64(0), go0=np.array(True), three=np.int64(3), first=np.zeros(3, np.float32),
                       steps=np.zeros((0, 3), np.float32), zero=np.array([0], np.int64))
    graph = webnn.onnx.load(model(nodes, [("x", [2, 3])], ["s", "shape", "shape2", "joined"], arrays), ctx)
    found = ctx.compute(graph, {"x": X})
    assert found["shape"].tolist() == [0, 2, 3] and found["shape2"].tolist() == ([0, 3] if axis == 0 else [3, 0])
    np.testing.assert_array_equal(found["s"], X)
    np.testing.assert_array_equal(found["joined"], X[None])


def test_sequences(ctx):
    nodes = [node("SplitToSequence", ["x", "one"], ["parts"], axis=1),
             node("SequenceAt", ["parts", "minus"], ["last"]),
             node("SequenceInsert", ["parts", "last", "zero"], ["more"]),
             node("SequenceErase", ["more", "one"], ["less"]),
             node("SequenceLength", ["less"], ["n"]), node("ConcatFromSequence", ["less"], ["y"], axis=1)]
    numbers = constants(one=np.int64(1), minus=np.int64(-1), zero=np.int64(0))
    check(ctx, model(nodes, [("x", [2, 3])], ["y", "last", "n"], numbers), {"x": X})


def test_functions_of_the_model(ctx):
    alpha = onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    inner = node("LeakyRelu", ["a"], ["b"])
    inner.attribute.append(alpha)
    function = helper.make_function("mine", "Twice", ["a"], ["c"], [inner, node("Add", ["b", "b"], ["c"])],
                                    [helper.make_opsetid("", 13)], ["slope"])
    nodes = [node("Twice", ["x"], ["y"], domain="mine", slope=0.3), node("Twice", ["y"], ["z"], domain="mine",
                                                                         slope=0.1)]
    proto = model(nodes, [("x", [2, 3])], ["y", "z"], functions=[function], opsets=[("mine", 1)])
    check(ctx, proto, {"x": X})


# How it says no

@pytest.mark.parametrize("op_type, options, words", [
    ("NonZero", {}, "node 'n' (NonZero, opset 13): input 0 ('x') must be constant here"),
    ("Frobnicate", {}, "node 'n' (Frobnicate, opset 13): the operation Frobnicate of domain 'ai.onnx' is not"),
    ("Frobnicate", {"domain": "my.domain"}, "node 'n' (my.domain.Frobnicate, opset 1): the operation Frobnicate of "
     "domain 'my.domain' is not supported"),
    ("Relu", {"consumed_inputs": [1]}, "attribute consumed_inputs = [1] is not supported"),
    ("LpNormalization", {"p": 3}, "attribute p = 3 is not supported, only 1 and 2"),
    ("Gelu", {"approximate": "fast"}, "attribute approximate = 'fast' is not supported; 'none', 'tanh' are"),
    ("Transpose", {"perm": [0, 0]}, "attribute perm = [0, 0] is no order of 2 axes"),
    ("Softmax", {"axis": 5}, "axis 5 is outside the rank 2"),
    ("Cast", {"to": 8}, "attribute to = string is not supported"),
    ("Concat", {}, "attribute axis is missing"),
    ("Add", {}, "input 1 is missing"),
    ("MaxPool", {"kernel_shape": [2, 2]}, "kernel_shape = [2, 2] doesn't fit 0 spatial axes"),
])
def test_message_names_node_and_attribute(ctx, op_type, options, words):
    proto = model([node(op_type, ["x"], ["y"], name="n", **options)], [("x", [2, 3])], ["y"],
                  opsets=[("my.domain", 1)])
    with pytest.raises(ModelError) as caught:
        webnn.onnx.load(proto, ctx)
    assert words in str(caught.value)
    assert isinstance(caught.value, webnn.OperationError)


@pytest.mark.parametrize("op_type, shape, arrays, options, words", [
    ("Softmax", [2, 3], {}, {"axis": [1]}, "attribute axis must be a whole number, not a list of whole numbers"),
    ("Softmax", [2, 3], {}, {"axis": 1.0}, "attribute axis must be a whole number, not a number"),
    ("Softmax", [2, 3], {}, {"axis": constants(k=[1])[0]}, "attribute axis must be a whole number, not a tensor"),
    ("Concat", [2, 3], {}, {"axis": "1"}, "attribute axis must be a whole number, not a string"),
    ("LRN", [1, 2, 3, 3], {}, {"size": [3]}, "attribute size must be a whole number, not a list of whole numbers"),
    ("LpPool", [1, 1, 4, 4], {}, {"kernel_shape": [2, 2], "p": [2]}, "attribute p must be a whole number"),
    ("ReduceMax", [2, 3], {}, {"keepdims": 2}, "attribute keepdims = 2 must be 0 or 1"),
    ("Elu", [2, 3], {}, {"alpha": "x"}, "attribute alpha must be a number, not a string"),
    ("Transpose", [2, 3], {}, {"perm": [1.0, 0.0]}, "attribute perm must be a list of whole numbers"),
    ("Einsum", [2, 3], {}, {"equation": 3}, "attribute equation must be a string"),
    ("RNN", [2, 3, 4], {"w": np.ones((1, 5, 4)), "r": np.ones((1, 5, 5))}, {"activations": "Relu"},
     "attribute activations must be a list of strings, not a string"),
    ("SpaceToDepth", [1, 2, 4], {}, {"blocksize": 2}, "input 0 must have rank 4, its shape is [1, 2, 4]"),
    ("DepthToSpace", [1, 8, 2, 2, 2], {}, {"blocksize": 2}, "input 0 must have rank 4, its shape is [1, 8, 2, 2, 2]"),
    ("GridSample", [1, 2, 6, 6], {"g": np.zeros((3, 2))}, {}, "places of shape [3, 2]"),
    ("ReverseSequence", [3], {"s": [1, 2, 3]}, {"batch_axis": 0, "time_axis": 1}, "input 0 must have rank 2 or more"),
    ("Gemm", [2, 3, 4], {"b": np.ones((4, 4))}, {}, "input 0 must have rank 2, its shape is [2, 3, 4]"),
    ("GlobalAveragePool", [3], {}, {}, "an input of rank 1 is not supported"),
    ("LSTM", [2, 3], {"w": np.ones((1, 4, 3)), "r": np.ones((1, 4, 1))}, {}, "input 0 must have rank 3"),
    ("LSTM", [2, 3, 4], {"w": np.ones((1, 4, 3)), "r": np.ones((1, 4, 1))}, {}, "W has the shape [1, 4, 3], [1, 4, 4]"),
    ("GatherND", [2, 3], {"i": np.int64(1)}, {"batch_dims": 1}, "batch_dims = 1 doesn't fit"),
    ("ScatterND", [2], {"i": np.zeros((1, 3), np.int64), "u": np.zeros(1)}, {}, "indices of shape [1, 3] don't fit"),
    ("ScatterND", [4], {"i": np.array([[9]]), "u": np.zeros(1)}, {"reduction": "add"}, "indices 9"),
    ("Compress", [2, 3], {"c": np.array([False, False, True])}, {"axis": 0}, "place 2 is chosen of 2"),
    ("OneHot", [2], {"d": np.int64(3), "v": np.ones(3)}, {}, "its shape is [3]"),
    ("Add", [2, 3], {"b": np.ones(4)}, {}, "add"),
    ("Upsample", [1, 2], {"s": np.zeros(0)}, {"opset": 9}, "0 scales or sizes for 2 axes"),
    ("TopK", [2, 3], {}, {"opset": 9}, "attribute k is missing"),
    ("STFT", [1, 40, 1], {"step": np.int64(1 << 40), "w": np.ones(16)}, {}, "frames of 16, 1099511627776 apart"),
    ("Sum", [], {"a": np.ones(2), "b": np.ones(3)}, {}, "the shapes [2], [3] don't fit each other"),
    ("Expand", [2, 3], {"s": [-1]}, {}, "input 1 is [-1], which is no shape"),
    ("SequenceLength", [2, 3], {}, {}, "input 0 must be a sequence"),
])
def test_wrong_kinds_and_ranks_are_named(ctx, op_type, shape, arrays, options, words):
    """In our words: with the attribute, or the input and its shape."""
    floats = {name: array.astype(np.float32) if getattr(array, "dtype", None) == np.float64 else array
              for name, array in arrays.items()}
    options = dict(options)
    opset = options.pop("opset", 17)
    names = list(arrays) if op_type == "Sum" else ["x", *arrays]
    proto = model([node(op_type, names, ["y"], name="n", **options)], [("x", shape)], ["y"], constants(**floats),
                  opset=opset)
    refused(ctx, proto, f"^node 'n' .{op_type}, opset {opset}.: .*{re.escape(words)}")


def test_diagonals_far_outside(ctx):
    for far, kept in (1 << 62, 0), (-(1 << 62), 1):
        proto = model([node("Trilu", ["a", "k"], ["t"]), node("Mul", ["x", "t"], ["y"])], [("x", [2, 3])], ["y"],
                      constants(a=np.ones((2, 3), np.float32), k=np.int64(far)), opset=14)
        (y,) = run(ctx, proto, {"x": X})
        np.testing.assert_array_equal(y, X * kept)


def test_sequences_are_no_tensors(ctx):
    for nodes in ([node("SequenceConstruct", ["x"], ["s"]), node("Relu", ["s"], ["y"], name="n")],
                  [node("SequenceConstruct", ["x"], ["s"]), node("Concat", ["x", "s"], ["y"], name="n", axis=0)]):
        refused(ctx, model(nodes, [("x", [2, 3])], ["y"]), "^node 'n' .*input [01] is a sequence")


def test_kinds_of_attributes_are_those_of_the_schemas():
    from webnn.onnx import attributes, fold
    from webnn.onnx.node import CONVERTERS

    ours = {op_type for domain, op_type in CONVERTERS if not domain} | set(fold.FOLDERS)
    checked = set()
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain or schema.name not in ours:
            continue
        newest = onnx.defs.get_schema(schema.name)
        for name, attribute in schema.attributes.items():
            kind = attributes.kind_of(schema.name, name)
            wanted = attribute.type.value
            changed = name in newest.attributes and newest.attributes[name].type.value != wanted
            if kind is not None and not changed:  # a few were of another kind before opset 6
                assert kind == wanted, (schema.name, schema.since_version, name)
                checked.add(name)
    assert len(checked) > 80


HOSTILE = "\u202e\n\x1b[31m'"


@pytest.mark.parametrize("text", [HOSTILE, "n" * 10**6])
def test_text_of_the_model_is_printable_and_cut(ctx, text):
    relu = node("Relu", ["x"], ["y"])
    named = {
        "op_type": model([node("No" + text, ["x"], ["y"])], [("x", [1])], ["y"]),
        "domain": model([node("No", ["x"], ["y"], domain=text)], [("x", [1])], ["y"]),
        "attribute": model([node("Relu", ["x"], ["y"], **{"a" + text: 1})], [("x", [1])], ["y"]),
        "string": model([node("Conv", ["x", "x"], ["y"], auto_pad=text)], [("x", [1, 1, 2, 2])], ["y"]),
        "unread": model([node("Relu", ["x"], ["y"], strange=text)], [("x", [1])], ["y"]),
        "dimension": model([relu], [("x", ["d" + text, 1])], ["y"]),
        "node": model([node("No", ["x"], ["y"], name=text)], [("x", [1])], ["y"]),
        "missing": model([node("Relu", [text], ["y"])], [("x", [1])], ["y"]),
        "output": model([relu], [("x", [1])], [text]),
        "input": model([node("Relu", [text], ["y"])], [value(text, [1], TensorProto.STRING)], ["y"]),
        "tensor": model([node("Add", ["x", text], ["y"])], [("x", [1])], ["y"],
                        [onnx.TensorProto(name=text, data_type=FLOAT, dims=[4], raw_data=b"1")]),
        "list": model([node("Transpose", ["x"], ["y"], perm=[0] * 50_000)], [("x", [1])], ["y"]),
    }
    for what, proto in named.items():
        with pytest.raises(ModelError) as caught:
            webnn.onnx.load(proto, ctx)
        words = str(caught.value)
        assert words.isprintable() and len(words) <= 1100, what
    with pytest.raises(TypeError) as caught:
        webnn.onnx.load(model([relu], [("x", [1])], ["y"]), ctx, shapes={text: [1]})
    assert str(caught.value).isprintable() and len(str(caught.value)) <= 1100


def test_builder_errors_come_with_the_node(ctx):
    proto = model([node("Add", ["x", "z"], ["y"], name="sum")], [("x", [2, 3]), ("z", [4])], ["y"])
    with pytest.raises(ModelError, match=r"node 'sum' \(Add, opset 13\): \[sum\] add"):
        webnn.onnx.load(proto, ctx)


def test_old_opsets(ctx):
    """Before 6, what hasn't changed since."""
    with pytest.raises(ModelError, match="opset 5 is older than 6"):
        webnn.onnx.load(model(RELU, [("x", [2, 3])], ["y"], opset=5), ctx)
    graph = webnn.onnx.load(model([node("Softmax", ["x"], ["y"])], [("x", [2, 3])], ["y"], opset=2), ctx)
    np.testing.assert_allclose(ctx.compute(graph, {"x": X})["y"].sum(1), 1, rtol=1e-6)


@pytest.mark.parametrize("shape, attributes, aligned", [
    ([3], {"broadcast": 1}, [1, 1, 3]), ([2], {"broadcast": 1, "axis": 0}, [2, 1, 1]),
    ([2, 5], {"broadcast": 1, "axis": 0}, [2, 5, 1]), ([5], {"broadcast": 1, "axis": -2}, [1, 5, 1]),
    ([], {"broadcast": 1}, [1, 1, 1]), ([2, 5, 3], {}, [2, 5, 3]),
])
@pytest.mark.parametrize("op_type, function", [("Sub", np.subtract), ("Pow", np.power)])
@pytest.mark.parametrize("constant", [False, True])
def test_opset_6_aligns_the_second_operand(ctx, op_type, function, shape, attributes, aligned, constant):
    rng = np.random.default_rng(3)
    a, b = rng.uniform(1, 2, [2, 5, 3]).astype(np.float32), rng.uniform(1, 2, shape).astype(np.float32)
    nodes = [node(op_type, ["a", "b"], ["y"], **attributes)]
    given = {"initializers": constants(a=a, b=b)} if constant else {}
    inputs = [] if constant else [("a", a.shape), ("b", b.shape)]
    graph = webnn.onnx.load(model(nodes, inputs, ["y"], opset=6, **given), ctx)
    y = ctx.compute(graph, {} if constant else {"a": a, "b": b})["y"]
    np.testing.assert_allclose(y, function(a, b.reshape(aligned)), rtol=1e-6)


def test_opset_6_operand_that_does_not_fit(ctx):
    nodes = [node("Add", ["a", "b"], ["y"], broadcast=1, axis=2)]
    with pytest.raises(ModelError, match=r"\[5, 3\] doesn't fit \[2, 5, 3\] at axis 2"):
        webnn.onnx.load(model(nodes, [("a", [2, 5, 3]), ("b", [5, 3])], ["y"], opset=6), ctx)


def test_keep_definition(ctx):
    proto = model(RELU, [("x", [2, 3])], ["y"])
    with webnn.onnx.load(proto, ctx) as graph, pytest.raises(TypeError, match="keep_definition"):
        webnn.testing.compare(graph, {"x": X})
    with webnn.onnx.load(proto, ctx, keep_definition=True) as graph:
        assert webnn.testing.compare(graph, {"x": X})


# Damaged and hostile

def refused(ctx, proto, words="."):
    with pytest.raises(ModelError, match=words):
        webnn.onnx.load(proto, ctx)


def test_names_of_bytes_beside_names_of_text(ctx):
    """An If reads two values of the outer graph, and one's name is damaged."""
    branch = body([node("Add", ["a", "QQQQ"], ["t"])], [], ["t"])
    proto = model([node("Relu", ["x"], ["a"]), node("Neg", ["x"], ["QQQQ"]),
                   node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)],
                  [("x", [2, 3]), ("c", [1], BOOL)], ["y"]).SerializeToString()
    for damaged in (proto.replace(b"QQQQ", b"Q\xff\xfeQ"), proto.replace(b"QQQQ", b"Q\xff\xfeQ", 1),
                    b"Q\xff\xfeQ".join(proto.rsplit(b"QQQQ", 1))):
        try:
            graph = webnn.onnx.load(damaged, ctx)
        except ModelError:
            continue
        found = ctx.compute(graph, {"x": X, "c": np.array([1], np.uint8)})
        np.testing.assert_array_equal(found["y"], np.maximum(X, 0) - X)


LEAST = np.iinfo(np.int64).min
CONSTANT_OR_NOT = [
    ("Pow", np.array([1, -1, -1, -2, 0, 3], np.int64), np.array([-5, -3, -4, -1, -1, 0], np.int64)),
    ("Pow", np.array([3, -1, 127, 2], np.int8), np.array([5, 2**31 - 1, -(2**31), 7], np.int32)),
    ("Pow", np.array([5, 2**64 - 1], np.uint64), np.array([27, 2], np.int32)),
    ("Pow", np.array([5, 1, 255], np.uint8), np.array([-3, -(2**31), 3], np.int32)),
    ("Pow", np.array([-5, 5, 2], np.int8), np.array([7, 3e38, 3], np.float32)),
    ("Pow", np.array([5, 3, -3, 7, 10**6], np.int32), np.array([3, 15, 3, 9, -2], np.float32)),
    ("Pow", np.array([3, 2**64 - 1], np.uint64), np.array([40, 3], np.float16)),
    ("Mod", np.array([7, -7, LEAST, 0], np.int64), np.array([0, 0, 0, 0], np.int64)),
    ("Mod", np.array([7e9, -7e9, 0.3, 5.5], np.float32), np.array([0.7, 3, 0.1, -2], np.float32)),
    ("Mod fmod", np.array([7e9, -7e9, 0.3, 3e38], np.float32), np.array([0.7, 3, 0.1, 1e-40], np.float32)),
    ("Mod fmod", np.array([7e3, -7e3, np.inf, -0.0], np.float16), np.array([0.7, 3e-7, 1, 2], np.float16)),
    ("ReduceMean", np.array([2**31 - 1, 2**31 - 1, 5], np.int32), None),
    ("ReduceMean", np.array([-7, -8], np.int64), None),
    ("ReduceMean", np.array([2**32 - 1, 2**32 - 1], np.uint32), None),
    ("Mod", np.array([7, -7, 7, -7], np.int64), np.array([3, 3, -3, -3], np.int64)),
    ("Div", np.array([7, -7, LEAST, 0], np.int64), np.array([0, 2, -1, 5], np.int64)),
    ("Sign", np.array([np.nan, -np.inf, 0.5, -0.0], np.float32), None),
    *((f"Cast {to}", np.array([np.inf, -np.inf, np.nan, -1.5, 65504], np.float16), None)
      for to in ("int8", "uint8", "int32", "uint32", "int64", "uint64")),
]


@pytest.mark.parametrize("op, a, b", CONSTANT_OR_NOT)
def test_constants_give_what_inputs_give(ctx, op, a, b):
    """What is folded while importing is what the graph would compute."""
    arrays = {"a": a} if b is None else {"a": a, "b": b}
    op, _, to = op.partition(" ")
    options = {"fmod": 1} if to == "fmod" else {"to": helper.np_dtype_to_tensor_dtype(np.dtype(to))} if to else {}
    nodes = [node(op, list(arrays), ["y"], **options)]
    inputs = [value(name, list(x.shape), helper.np_dtype_to_tensor_dtype(x.dtype)) for name, x in arrays.items()]
    run = webnn.onnx.load(model(nodes, inputs, ["y"], opset=15), ctx)
    folded = webnn.onnx.load(model(nodes, [], ["y"], constants(**arrays), opset=15), ctx)
    expected, found = ctx.compute(run, arrays)["y"], ctx.compute(folded, {})["y"]
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_units_are_their_own_reciprocals(ctx):
    arrays = constants(a=np.array([1, -1, -1, 2], np.int64), b=np.array([-7, -3, -2, -1], np.int64))
    graph = webnn.onnx.load(model([node("Pow", ["a", "b"], ["y"])], [], ["y"], arrays, opset=15), ctx)
    assert ctx.compute(graph, {})["y"].tolist() == [1, -1, 1, 0]


@pytest.mark.parametrize("kind, name", [(17, "float8e4m3fn"), (5, "int16"), (4, "uint16")])
def test_cast_like_what_there_is_not(ctx, kind, name):
    like = onnx.TensorProto(dims=[1], data_type=kind, raw_data=bytes(1 if kind == 17 else 2), name="like")
    proto = model([node("CastLike", ["x", "like"], ["y"])], [("x", [2, 3])], ["y"], opset=19)
    proto.graph.initializer.append(like)
    refused(ctx, proto, f"type {name} is not supported")


def test_damaged_bytes_never_crash(ctx):
    weights = np.arange(600, dtype=np.float32).reshape(3, 200)
    good = model([node("MatMul", ["x", "w"], ["a"]), _if("c"), node("Reshape", ["a", "s"], ["b"])],
                 [("x", [2, 3])], ["a", "b", "y"],
                 constants(w=weights, c=np.array(True), s=np.array([4, 100]))).SerializeToString()
    refused(ctx, b"")
    refused(ctx, b"\xff" * 100)
    refused(ctx, b"GIF89a, or something else that is no model")
    for size in range(0, len(good) - 1, 31):
        with pytest.raises((ModelError, TypeError)):
            webnn.onnx.load(good[:size], ctx)
    rng = random.Random(5)
    for _ in range(300):
        bad = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        try:
            webnn.onnx.load(bytes(bad), ctx)
        except (ModelError, TypeError):
            pass


@pytest.mark.parametrize("dims", [[1 << 40, 1 << 40], [1 << 62, 4], [-1], [0x7FFFFFFF] * 8, [4]])
def test_tensors_that_lie_about_their_size(ctx, dims):
    tensor = onnx.TensorProto(name="k", data_type=FLOAT, dims=dims, raw_data=b"1234")
    refused(ctx, model([node("Add", ["x", "k"], ["y"])], [("x", [2, 3])], ["y"], [tensor]), "tensor 'k'")
    tensor = onnx.TensorProto(name="k", data_type=FLOAT, dims=dims, float_data=[1.0])
    refused(ctx, model([node("Add", ["x", "k"], ["y"])], [("x", [2, 3])], ["y"], [tensor]), "tensor 'k'")


def test_huge_results_are_refused_before_memory_is_touched(ctx):
    huge = constants(s=np.array([1 << 30, 1 << 30]), big=np.int64(1 << 50), zero=np.int64(0), one=np.int64(1),
                     tiles=np.array([1 << 30, 1 << 31]), grid=np.array([[1]]), flat=np.array([-1]),
                     row=np.array([[1, 2, 3]]), wide=np.array([1 << 33, 3]), four=np.ones((1, 1, 1, 1), np.float32),
                     scales=np.array([1, 1, 1e9, 1e9], np.float32))
    for nodes in ([node("ConstantOfShape", ["s"], ["k"]), node("Add", ["x", "k"], ["y"])],
                  [node("ConstantOfShape", ["s"], ["k"]), node("Exp", ["k"], ["y"])],
                  [node("Range", ["zero", "big", "one"], ["y"])],
                  [node("Expand", ["x", "s"], ["y"])],
                  [node("Expand", ["grid", "s"], ["k"]), node("Mul", ["k", "k"], ["y"])],
                  [node("Tile", ["grid", "tiles"], ["y"])],
                  [node("OneHot", ["grid", "big", "grid"], ["y"])],
                  [node("Expand", ["row", "wide"], ["k"]), node("Mul", ["k", "x"], ["y"])],
                  [node("Expand", ["row", "wide"], ["k"]), node("Reshape", ["x", "k"], ["y"])],
                  [node("Expand", ["row", "wide"], ["k"]), node("Reshape", ["k", "flat"], ["y"])],
                  [node("ConstantOfShape", ["s"], ["k"]), node("If", ["k"], ["y"], then_branch=body([], [], ["x"]),
                                                               else_branch=body([], [], ["x"]))],
                  [node("Resize", ["four", "", "scales"], ["y"])]):
        with pytest.raises(ModelError):
            webnn.onnx.load(model(nodes, [("x", [1, 1])], ["y"], huge), ctx)


def peak_of(function):
    """What Python and NumPy allocate at most meanwhile, in MiB."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("nodes, arrays", [
    ([node("ConstantOfShape", ["s"], ["a"], value=constants(v=[0])[0]), node("Transpose", ["a"], ["b"]),
      node("MatMul", ["a", "b"], ["y"])], {"s": [1 << 14, 0]}),
    ([node("ConstantOfShape", ["s"], ["a"]), node("ReduceSum", ["a", "axes"], ["y"])], {"s": [1 << 28, 0], "axes": [1]}),
    ([node("ConstantOfShape", ["s"], ["a"]), node("Trilu", ["a"], ["y"])], {"s": [0, 1 << 15, 1 << 15]}),
    ([node("ConstantOfShape", ["s"], ["a"]), node("CumSum", ["a", "zero"], ["y"])], {"s": [0, 1 << 30], "zero": 0}),
    ([node("ConstantOfShape", ["s"], ["a"], value=constants(v=[0])[0]), node("GatherElements", ["x", "a"], ["y"])],
     {"s": [1 << 28, 0]}),
    ([node("ConstantOfShape", ["s"], ["a"]), node("Gather", ["a", "zero"], ["y"])], {"s": [1 << 29, 1], "zero": 0}),
    ([node("ConstantOfShape", ["s"], ["a"]), node("NonZero", ["a"], ["y"])], {"s": [1 << 28]}),
])
def test_no_elements_are_no_way_around_the_limit(ctx, nodes, arrays):
    proto = model(nodes, [("x", [1, 1])], ["y"], constants(**arrays), opset=14)

    def load():
        try:
            webnn.onnx.load(proto, ctx)
        except ModelError:
            pass
    assert peak_of(load) < 40


def _adds(count, more=()):
    """A chain of sums of 16 MiB each."""
    nodes = [node("Add", [f"k{i}", "one"], [f"k{i + 1}"], name=f"n{i}") for i in range(count)]
    return [node("ConstantOfShape", ["s"], ["k0"]), *nodes, *more]


def test_folded_values_are_dropped_after_their_last_use(ctx):
    proto = model(_adds(60, [node("ReduceMax", ["k60"], ["m"]), node("Add", ["x", "m"], ["y"])]), [("x", [1, 1])],
                  ["y"], constants(s=[1 << 22], one=np.float32(1)))
    graphs = []
    assert peak_of(lambda: graphs.append(webnn.onnx.load(proto, ctx))) < 100
    assert ctx.compute(graphs[0], {"x": np.zeros((1, 1), np.float32)})["y"].item() == 60


def test_folded_values_that_live_together_are_limited(ctx):
    most = 300  # MiB
    numbers = constants(s=[1 << 22], one=np.float32(1), n=np.int64(100))
    total = node("Sum", [f"k{i}" for i in range(100)], ["y"])
    held = model(_adds(100, [total]), [("x", [1, 1])], ["y"], numbers)
    assert peak_of(lambda: refused(ctx, held, "^node 'n[0-9]+' .Add.*would take more than")) < most
    used = [part for i in range(40) for part in (node("Add", ["k0", "one"], [f"h{i}"], name=f"n{i}"),
                                                 node("Mul", [f"h{i}", "x"], [f"y{i}"], name=f"m{i}"))]
    handed = model(_adds(0, used), [("x", [1])], [f"y{i}" for i in range(40)], numbers)
    assert peak_of(lambda: refused(ctx, handed, "^node '[mn][0-9]+' .*would take more than")) < most
    inner = typed_body([node("Cast", ["i"], ["f"], to=FLOAT), node("Add", ["big", "f"], ["o"], name="n"),
                        node("Identity", ["c"], ["d"])], [value("i", [], INT64), value("c", [], BOOL)],
                       [value("d", [], BOOL), value("o", None)])
    loop = model([node("ConstantOfShape", ["s"], ["big"]), node("Loop", ["n", ""], ["all"], body=inner),
                  node("ReduceMax", ["all"], ["m"]), node("Add", ["x", "m"], ["y"])], [("x", [1, 1])], ["y"], numbers)
    assert peak_of(lambda: refused(ctx, loop, "^node 'n' .Add.*would take more than")) < most


def test_views_of_a_weight_are_limited_as_constants(ctx):
    nodes = [part for i in range(400) for part in (
        node("Slice", ["w", "begin", "end"], [f"v{i}"], name=f"v{i}"),
        node("Mul", ["x", f"v{i}"], [f"m{i}"], name=f"m{i}"), node("ReduceMax", [f"m{i}"], [f"r{i}"]))]
    proto = model([*nodes, node("Sum", [f"r{i}" for i in range(400)], ["y"])], [("x", [1])], ["y"],
                  constants(w=np.ones(1 << 18, np.float32), begin=[1], end=[1 << 18]))
    refused(ctx, proto, "^node 'm[0-9]+' .*would take more than")


@pytest.mark.parametrize("initializer", [True, False])
@pytest.mark.parametrize("as_bytes", [True, False])
def test_what_a_loop_stores_is_one_constant(ctx, initializer, as_bytes):
    stored = constants(w=np.arange(10_000, dtype=np.float32))
    nodes = [node("Add", ["s", "w"], ["t"]), node("Identity", ["c"], ["d"])]
    inner = typed_body(nodes if initializer else [node("Constant", [], ["w"], value=stored[0]), *nodes],
                       [value("i", [], INT64), value("c", [], BOOL), value("s", [10_000])],
                       [value("d", [], BOOL), value("t", [10_000])])
    inner.initializer.extend(stored if initializer else [])
    proto = model([node("Loop", ["n", "", "x"], ["y"], body=inner)], [("x", [10_000])], ["y"], constants(n=np.int64(50)))
    builder = webnn.GraphBuilder(ctx)
    outputs = webnn.onnx.add_to(builder, proto.SerializeToString() if as_bytes else proto)
    assert len(webnn.serialize.dumps(builder, outputs)) < 100_000
    y = ctx.compute(builder.build(outputs).result(), {"x": np.zeros(10_000, np.float32)})["y"]
    np.testing.assert_array_equal(y, 50 * np.arange(10_000, dtype=np.float32))


def test_large_weights_may_be_widened(ctx):
    """What may be computed grows with what is stored: here 24 casts to 16 MiB each."""
    weights = {f"w{i}": np.full(1 << 22, i, np.float16) for i in range(24)}
    nodes = [part for i in range(24) for part in (
        node("Cast", [f"w{i}"], [f"f{i}"], to=FLOAT), node("Mul", [f"s{i}", f"f{i}"], [f"m{i}"]),
        node("ReduceMax", [f"m{i}"], [f"s{i + 1}"], keepdims=0))]
    proto = model([node("Identity", ["x"], ["s0"]), *nodes, node("Identity", ["s24"], ["y"])], [("x", [])], ["y"],
                  constants(**weights))
    assert webnn.onnx.load(proto.SerializeToString(), ctx).outputs["y"].shape == []


def test_values_are_kept_for_all_that_need_them(ctx):
    """Names that are used twice, by graphs within nodes, by outputs, and in an order that is not the file's."""
    inner = body([node("Add", ["a", "k"], ["t"])], [], ["t"])
    nodes = [node("Add", ["b", "b"], ["c"]), node("Add", ["a", "k"], ["b"]), node("Relu", ["x"], ["a"]),
             node("If", ["yes"], ["d"], then_branch=inner, else_branch=body([], [], ["a"])),
             node("If", ["go"], ["e"], then_branch=inner, else_branch=body([], [], ["a"])),
             node("Sum", ["a", "c", "d", "e", "k"], ["y"])]
    proto = model(nodes, [("x", [2, 3]), ("go", [], BOOL)], ["y", "b", "a"],
                  constants(k=np.float32(3), yes=np.array(True)))
    y, b, a = run(ctx, proto, {"x": X, "go": np.array(False)})
    relu = np.maximum(X, 0)
    assert np.array_equal(a, relu) and np.array_equal(b, relu + 3)
    assert np.array_equal(y, relu + 2 * (relu + 3) + (relu + 3) + relu + 3)


def test_cycles(ctx):
    refused(ctx, model([node("Add", ["x", "b"], ["a"]), node("Neg", ["a"], ["b"])], [("x", [1])], ["b"]), "cycle")
    refused(ctx, model([node("Neg", ["a"], ["a"])], [("x", [1])], ["a"]), "cycle")


def test_names_that_clash(ctx):
    twice = [node("Neg", ["x"], ["y"]), node("Abs", ["x"], ["y"])]
    refused(ctx, model(twice, [("x", [1])], ["y"]), "two nodes have the output 'y'")
    refused(ctx, model(RELU, [("x", [1]), ("x", [1])], ["y"]), "two inputs")
    refused(ctx, model(RELU, [("x", [1])], ["y", "y"]), "two outputs")
    refused(ctx, model(RELU, [("x", [1])], ["y"], [*constants(k=1.0), *constants(k=2.0)]), "two initializers")
    refused(ctx, model(RELU, [("x", [1])], ["y"], constants(y=1.0)), "initializer and the output")
    refused(ctx, model(RELU, [("x", [1]), ("y", [1])], ["y"]), "an input and the output")


def test_names_that_are_missing(ctx):
    refused(ctx, model([node("Neg", ["nothing"], ["y"])], [("x", [1])], ["y"]), "'nothing' is used")
    refused(ctx, model(RELU, [("x", [1])], ["z"]), "'z' is used")
    refused(ctx, model(RELU, [("x", [1])], []), "no outputs")
    for condition in ([], [""]):
        choice = node("If", condition, ["y"], then_branch=body([], [], ["x"]), else_branch=body([], [], ["x"]))
        refused(ctx, model([choice], [("x", [1])], ["y"]), "input 0")


def field(number, content):
    """A length-delimited field of a protobuf message."""
    size, out = len(content), bytearray([number << 3 | 2])
    while size > 127:
        out.append(size & 127 | 128)
        size >>= 7
    return bytes(out) + bytes([size]) + content


def nested(depth):
    """A model whose one node is an If in whose branch is an If in whose branch …, written by hand."""
    graph = body([node("Neg", ["x"], ["y"])], [], ["y"]).SerializeToString()
    branch = field(1, b"else_branch") + field(6, body([], [], ["x"]).SerializeToString()) + b"\xa0\x01\x05"
    for _ in range(depth):
        attribute = field(1, b"then_branch") + field(6, graph) + b"\xa0\x01\x05"
        call = field(1, b"c") + field(2, b"y") + field(4, b"If") + field(5, attribute) + field(5, branch)
        graph = field(1, call) + field(12, helper.make_empty_tensor_value_info("y").SerializeToString())
    whole = model([], [("x", [2, 3])], [], constants(c=np.array(True)))
    graph += whole.graph.SerializeToString()
    whole.ClearField("graph")
    return whole.SerializeToString() + field(7, graph)


@pytest.mark.parametrize("depth", [1, 20])
def test_nested_branches(ctx, depth):
    graph = webnn.onnx.load(nested(depth), ctx)
    np.testing.assert_array_equal(ctx.compute(graph, {"x": X})["y"], -X)


@pytest.mark.parametrize("depth", [200, 3000])
def test_branches_nested_too_deeply(ctx, depth):
    refused(ctx, nested(depth))


def test_calls_that_double_each_time(ctx):
    functions = [helper.make_function("mine", "F0", ["a"], ["b"], [node("Neg", ["a"], ["b"])],
                                      [helper.make_opsetid("", 13), helper.make_opsetid("mine", 1)])]
    for k in range(1, 40):
        calls = [node(f"F{k - 1}", ["a"], ["c"], domain="mine"), node(f"F{k - 1}", ["c"], ["b"], domain="mine")]
        functions.append(helper.make_function("mine", f"F{k}", ["a"], ["b"], calls, [helper.make_opsetid("mine", 1)]))
    refused(ctx, model([node("F39", ["x"], ["y"], domain="mine")], [("x", [1])], ["y"], functions=functions,
                       opsets=[("mine", 1)]), "more than")


def test_function_that_calls_itself(ctx):
    function = helper.make_function("mine", "Again", ["a"], ["b"], [node("Again", ["a"], ["b"], domain="mine")],
                                    [helper.make_opsetid("mine", 1), helper.make_opsetid("", 13)])
    refused(ctx, model([node("Again", ["x"], ["y"], domain="mine")], [("x", [1])], ["y"], functions=[function],
                       opsets=[("mine", 1)]), "nested more than")


def test_endless_loop(ctx):
    inner = typed_body([node("Identity", ["go"], ["more"]), node("Identity", ["s"], ["t"])],
                       [value("i", [], INT64), value("go", [], BOOL), value("s", [1])],
                       [value("more", [], BOOL), value("t", [1])])
    refused(ctx, model([node("Loop", ["", "go0", "x"], ["y"], body=inner)], [("x", [1])], ["y"],
                       constants(go0=np.array(True))), "runs more than")


def test_loops_of_nothing(ctx):
    """Rounds are counted, whether or not there is anything in them."""
    outer = typed_body([], [value("i", [], INT64), value("c", [], BOOL)], [value("c", [], BOOL)])
    outer.node.extend([node("Loop", ["n", "c"], ["s"], body=typed_body([], [value("i", [], INT64), value("d", [], BOOL)],
                                                                      [value("d", [], BOOL), value("i", [], INT64)])),
                       node("ReduceMax", ["s"], ["r"])])
    outer.output.append(value("r", [1], INT64))
    refused(ctx, model([node("Loop", ["n", ""], ["y"], body=outer)], [("x", [1])], ["y"],
                       constants(n=np.int64(9999))), "more than 100000 nodes")
    refused(ctx, model([node("Loop", ["", ""], ["y"], name="n", body=typed_body(
        [], [value("i", [], INT64), value("c", [], BOOL)], [value("c", [], BOOL), value("i", [], INT64)]))], [("x", [1])],
        ["y"]), "^node 'n' .*neither a number of rounds nor a condition")


# Weights in files of their own

def external(tmp_path, location, **entries):
    tensor = onnx.TensorProto(name="k", data_type=FLOAT, dims=[2, 3], data_location=onnx.TensorProto.EXTERNAL)
    for key, text in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(text))
    (tmp_path / "model.onnx").write_bytes(
        model([node("Add", ["x", "k"], ["y"])], [("x", [2, 3])], ["y"], [tensor]).SerializeToString())
    return tmp_path / "model.onnx"


def test_external_data(ctx, tmp_path):
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "k.bin").write_bytes(b"12345678" + X.tobytes())
    path = external(tmp_path, "weights/k.bin", offset=8, length=24)
    graph = webnn.onnx.load(path, ctx)
    np.testing.assert_array_equal(ctx.compute(graph, {"x": X})["y"], 2 * X)
    refused(ctx, path.read_bytes(), "give the model by its path")


@pytest.mark.parametrize("entries", [{"offset": 8, "length": 240}, {"offset": -8}, {"length": -1}, {"offset": 1000},
                                     {"offset": "x"}, {"offset": 1 << 70}, {"offset": 0, "length": 20}])
def test_external_data_out_of_bounds(ctx, tmp_path, entries):
    (tmp_path / "k.bin").write_bytes(b"12345678" + X.tobytes())
    refused(ctx, external(tmp_path, "k.bin", **entries), "tensor 'k'")


@pytest.mark.parametrize("location", ["../secret", "/etc/hostname", "a/../../secret", "link", "", ".", "missing",
                                      "k\0.bin"])
def test_external_data_outside_its_folder(ctx, tmp_path, location):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(X.tobytes())
    os.symlink(tmp_path / "secret", folder / "link")
    refused(ctx, external(folder, location), "tensor 'k'")


def test_files_that_are_none(ctx, tmp_path):
    (tmp_path / "empty.onnx").write_bytes(b"")
    refused(ctx, tmp_path / "empty.onnx")
    os.mkfifo(tmp_path / "pipe")
    refused(ctx, tmp_path / "pipe", "not a regular file")
    for path in ("a\0b", "\ud800"):
        with pytest.raises(TypeError, match="can't be a path"):
            webnn.onnx.load(path, ctx)
    with pytest.raises((OSError, ModelError)):
        webnn.onnx.load(tmp_path, ctx)


def test_offsets_of_another_output_are_refused(ctx):
    for side, fits in ((3, True), (9, False), (1, False)):
        deform = model([node("DeformConv", ["x", "w", "o"], ["y"])],
                       [("x", [1, 2, 4, 4]), ("w", [2, 2, 2, 2]), ("o", [1, 8, side, side])], ["y"], opset=19)
        with contextlib.nullcontext() if fits else pytest.raises(ModelError, match="for an output of 3 by 3"):
            assert webnn.onnx.load(deform, ctx).outputs["y"].shape == [1, 2, 3, 3]
