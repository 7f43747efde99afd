"""The surface as docs and notebooks use it: contexts, builders, operations, graphs, errors."""

import fractions
import gc
import inspect
import itertools
import math
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest

import webnn

DATA_TYPES = ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"]


# ---- contexts


def test_context_options_are_remembered(ml):
    for accelerated, power in itertools.product([True, False], ["default", "high-performance", "low-power", None]):
        with ml.create_context(accelerated=accelerated, power_preference=power).result() as context:
            assert context.accelerated is accelerated


def test_device_type_none_is_the_cpu_and_gpu_falls_back(ml):
    for device_type in [None, "cpu", "gpu"]:
        with ml.create_context(device_type=device_type).result() as context:
            info = context.info
            assert set(info) == {"backend", "device", "driver", "threads", "why"}
            assert type(info["threads"]) is int and info["threads"] >= 1
            if device_type != "gpu":
                assert info["why"] == ""


def test_contexts_are_never_shared(ml):
    with ml.create_context().result() as a, ml.create_context().result() as b:
        assert a is not b


@pytest.mark.parametrize("options", [
    {"device_type": "npu"}, {"device_type": "CPU"}, {"device_type": 1}, {"power_preference": "low"},
    {"power_preference": ""}, {"backend": "cuda"}, {"backend": 3}, {"math": "sloppy"}, {"threads": -1},
    {"threads": 1.5}, {"threads": 2**32}, {"threads": "2"}, {"accelerated": "yes"}, {"passes": 5},
    {"passes": "-nonsense"}, {"passes": "a\0b"}, {"passes": "-fuse\0"}, {"passes": "\ud800"}, {"device": "\0"},
    {"device": 0}, {"unknown": 1},
], ids=str)
def test_bad_context_options_are_type_errors_of_the_future(ml, options):
    future = ml.create_context(**options)
    assert isinstance(future, webnn.Future)
    assert type(future.exception()) is TypeError
    with pytest.raises(TypeError):
        future.result()


def test_absent_backend_is_not_supported(ml):
    for backend in ["onednn", "opencl", "reference"]:
        error = ml.create_context(backend=backend).exception()
        assert error is None or type(error) is webnn.NotSupportedError
    assert ml.create_context(backend="reference").exception() is None


def test_opencl_queue_is_not_supported_without_opencl(ml):
    with ml.create_context(backend="auto").result() as context:
        assert context.info["backend"] != "opencl"  # the CPU unless a GPU is asked for
    assert isinstance(ml.create_context(opencl=object()).exception(), (webnn.NotSupportedError, TypeError))


def test_threads_are_as_asked(ml):
    with ml.create_context(threads=1).result() as context:
        assert context.info["threads"] == 1
    for threads in [0, None, np.int32(2)]:
        ml.create_context(threads=threads).result().destroy()


def test_limits_are_the_specifications_json(context):
    limits = context.op_support_limits()
    assert limits["preferredInputLayout"] == "nhwc"
    assert limits["maxTensorByteLength"] <= 2**32 - 1 and limits["maxTensorByteLength"] % 4 == 3
    assert limits["input"]["rankRange"] == {"min": 0, "max": 8}
    assert "convTranspose2d" in limits and "isNaN" in limits
    limits.clear()
    assert context.op_support_limits()
    context.destroy()
    assert context.op_support_limits()["add"]


def test_lost_is_one_future_and_tells_why(context):
    lost = context.lost
    assert isinstance(lost, webnn.Future) and context.lost is lost
    assert not lost.done() and not lost.cancel()
    context.destroy()
    info = lost.result(5)
    assert info.message == info["message"] and isinstance(info.message, str) and info.message
    assert context.lost is lost and lost.exception() is None


# ---- operands


@pytest.mark.parametrize(("shape", "data_type"), [
    ([2**31 - 1], "uint8"), ([2**31 - 1], "float16"), ([2**30 - 1], "float32"), ([1] * 8, "int64"), ([], "int8"),
])
def test_the_largest_inputs(builder, shape, data_type):
    assert builder.input("x", shape, data_type).shape == shape


def test_input_is_an_operand(builder):
    x = builder.input("x", shape=[1, 3, 4], data_type="float16")
    assert type(x) is webnn.Operand
    assert x.shape == [1, 3, 4] and type(x.shape) is list
    assert x.data_type == "float16" and type(x.data_type) is str
    assert x.label == "x" and x.builder is builder
    assert repr(x) == "<webnn.Operand float16[1, 3, 4] 'x'>"
    for attribute in ["shape", "data_type", "label"]:
        with pytest.raises(AttributeError):
            setattr(x, attribute, None)


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_scalars_have_rank_zero(builder, data_type):
    assert builder.input("x", [], data_type).shape == []
    k = builder.constant(data_type=data_type, value=1)
    assert k.shape == [] and k.data_type == data_type


@pytest.mark.parametrize("shape", [(1, 2), [1, 2], np.array([1, 2]), range(1, 3), [np.int64(1), np.uint8(2)]],
                         ids=repr)
def test_shapes_are_any_sequence_of_integers(builder, shape):
    assert builder.input("x", shape=shape, data_type="float32").shape == [1, 2]


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


BAD_INTEGERS = [1.5, 1.0, "1", None, -1, 2**32, 2**64, -(2**70), 10**6000, [1], b"\1", math.inf, math.nan, 1j,
                np.float32(1), Index(-1), Index(2**40)]


@pytest.mark.parametrize("bad", BAD_INTEGERS, ids=lambda bad: str(type(bad)) + repr(bad)[:12] if type(bad) is not int
                         else f"bits{bad.bit_length()}")
def test_bad_integers_are_type_errors(builder, context, bad):
    x = builder.input("x", [1, 2, 3, 4], "float32")
    with pytest.raises(TypeError):
        builder.input("y", shape=[2, bad], data_type="float32")
    with pytest.raises(TypeError):
        builder.softmax(x, bad)
    with pytest.raises(TypeError):
        builder.transpose(x, permutation=[0, 1, 2, bad])
    if bad is not None:  # None leaves an option out
        with pytest.raises(TypeError):
            builder.gather(x, builder.constant(np.array([0], np.int32)), axis=bad)
    if bad != [1]:  # a list of sizes
        with pytest.raises(TypeError):
            builder.split(x, bad)
    assert type(context.create_tensor(shape=[bad], data_type="float32").exception()) is TypeError


@pytest.mark.parametrize("bad", ["12", b"12", bytearray(b"12"), 3, None, {}, {1: 2}, object(), np.float32(1)], ids=repr)
def test_bad_lists_are_type_errors(builder, bad):
    with pytest.raises(TypeError):
        builder.input("x", bad, "float32")
    x = builder.input("x", [2], "float32")
    with pytest.raises(TypeError):
        builder.reshape(x, bad)
    with pytest.raises(TypeError):
        builder.concat(bad, 0)


@pytest.mark.parametrize("bad", ["float64", "Float32", "", "float32 ", "int4", "bool", None, 1, np.float32,
                                 "float32\0", b"float32"], ids=repr)
def test_bad_data_types_are_type_errors(builder, context, bad):
    x = builder.input("x", [2], "float32")
    for call in [lambda: builder.input("y", [2], bad), lambda: builder.cast(x, bad),
                 lambda: builder.constant(data_type=bad, value=1)]:
        with pytest.raises(TypeError):
            call()
    assert type(context.create_tensor(shape=[2], data_type=bad).exception()) is TypeError


def test_bad_enums_are_type_errors(builder):
    x = builder.input("x", [1, 1, 4, 4], "float32")
    for bad in ["NCHW", "chwn", "", 0, True, ["nchw"]]:
        with pytest.raises(TypeError):
            builder.max_pool2d(x, layout=bad)
    with pytest.raises(TypeError, match="'nchw', 'nhwc'"):
        builder.max_pool2d(x, layout="chwn")


def test_bools(builder):
    x = builder.input("x", [2, 3], "float32")
    for true in [True, np.True_, 1]:
        assert builder.reduce_sum(x, axes=[1], keep_dimensions=true).shape == [2, 1]
    for bad in ["yes", [True], {}, np.array([True, False])]:
        with pytest.raises(TypeError):
            builder.reduce_sum(x, axes=[1], keep_dimensions=bad)


def test_signed_options_are_signed(builder):
    x = builder.input("x", [3, 3], "float32")
    for diagonal in [-(2**31), -1, 0, 2**31 - 1]:
        assert builder.triangular(x, diagonal=diagonal).shape == [3, 3]
    for diagonal in [-(2**31) - 1, 2**31, 1.5, "1"]:
        with pytest.raises(TypeError):
            builder.triangular(x, diagonal=diagonal)


NUMBERS = [0, 1, -1, 255, 300, -5, 2**31, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, -(2**64), 2**200, 10**400,
           -(10**400), 1.5, 2.5, -0.0, math.inf, -math.inf, math.nan, True, np.float32(0.5), np.float16(0.25),
           np.int8(-3), np.uint64(2**64 - 1), np.array(2.0), np.array(7)]


def cast_number(value, data_type):
    """castNumber: saturates, rounds halves to even, NaN is 0 for integers."""
    dtype = np.dtype(data_type)
    if isinstance(value, np.generic | np.ndarray):
        value = value.item()
    if dtype.kind == "f":
        try:
            with np.errstate(over="ignore"):
                return np.array(float(value)).astype(dtype)
        except OverflowError:
            return np.array(math.inf if value > 0 else -math.inf).astype(dtype)
    limits = np.iinfo(dtype)
    if isinstance(value, float):
        if math.isnan(value):
            return np.array(0, dtype)
        value = round(value) if math.isfinite(value) else int(math.copysign(2**70, value))
    return np.array(min(max(value, limits.min), limits.max), dtype)


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_numbers_of_every_kind_for_every_type(context, data_type):
    builder = webnn.GraphBuilder(context)
    outputs = {str(i): builder.identity(builder.constant(data_type=data_type, value=value))
               for i, value in enumerate(NUMBERS)}
    results = context.compute(builder.build(outputs).result(), {})
    for i, value in enumerate(NUMBERS):
        expected = cast_number(value, data_type)
        assert results[str(i)].shape == () and results[str(i)].dtype == expected.dtype
        assert results[str(i)].tobytes() == expected.tobytes() or (
            np.isnan(expected) and np.isnan(results[str(i)])), (value, results[str(i)])


@pytest.mark.parametrize("bad", ["1", b"1", None, [1], 1j, object(), np.array([1, 2])], ids=repr)
def test_what_is_no_number_is_a_type_error(builder, bad):
    with pytest.raises(TypeError):
        builder.constant(data_type="float32", value=bad)
    x = builder.input("x", [2], "float32")
    if bad is not None:
        with pytest.raises(TypeError):
            builder.elu(x, alpha=bad)


def test_finite_lists_of_floats(builder):
    x = builder.input("x", [1, 1, 2, 2], "float32")
    assert builder.resample2d(x, scales=[2, np.float32(1.5)]).shape == [1, 1, 4, 3]
    for bad in [[math.inf, 1], [1, math.nan], ["1", 1], 2, [10**400, 1], [-1.0, 1.0]]:
        with pytest.raises(TypeError):
            builder.resample2d(x, scales=bad)


# ---- operations


def test_names_of_the_specification_in_snake_case():
    for name in ["conv_transpose2d", "gather_nd", "reduce_log_sum_exp", "is_nan", "round_even", "average_pool2d",
                 "resample2d", "gru_cell", "hard_swish", "where", "max", "min", "pow", "abs", "logical_not"]:
        assert callable(getattr(webnn.GraphBuilder, name))


def test_required_arguments_also_as_keywords(builder):
    x = builder.input("x", [2, 3], "float32")
    assert builder.concat(axis=0, inputs=[x, x]).shape == [4, 3]
    assert builder.reshape(x, new_shape=[6]).shape == [6]
    keywords = {"".join(["new_", "shape"]): [3, 2]}  # a key that nobody interned
    assert builder.reshape(x, **keywords).shape == [3, 2]


def test_wrong_calls_are_type_errors(builder):
    x = builder.input("x", [2, 3], "float32")
    for call, text in [
        (lambda: builder.relu(), r"relu\(\) missing required argument 'input'"),
        (lambda: builder.conv2d(x), r"conv2d\(\) missing required argument 'filter'"),
        (lambda: builder.conv2d(filter=x, groups=1), r"conv2d\(\) missing required argument 'input'"),
        (lambda: builder.relu(x, x), "relu.*positional"),
        (lambda: builder.relu(x, input=x), "multiple values.*input"),
        (lambda: builder.relu(x, alpha=1), "unexpected.*alpha"),
        (lambda: builder.input("y", [1], "float32", name="z"), "multiple values for argument 'name'"),
        (lambda: builder.elu(x, 1.0), "positional"),
        (lambda: builder.relu(1.0), "relu: input must be a webnn.Operand, not 'float'"),
        (lambda: builder.relu(None), "Operand"),
        (lambda: builder.add(x, np.ones((2, 3), np.float32)), "add: b must be a webnn.Operand"),
        (lambda: builder.concat([x, 1], 0), "concat: inputs must be a webnn.Operand"),
        (lambda: builder.concat(x, 0), "concat: inputs must be a sequence"),
        (lambda: builder.conv2d(x, x, label=3), "label must be a str"),
        (lambda: webnn.GraphBuilder.relu(x), "GraphBuilder"),
        (lambda: webnn.GraphBuilder.relu(), "GraphBuilder"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()


class Liar(str):
    """A str whose own __repr__ is no help."""

    answer = ""

    def __repr__(self):
        if self.answer is None:
            raise ValueError("no")
        return self.answer


@pytest.mark.parametrize("answer", ["", "'\u202e\n\x1b[31m'", None])
def test_messages_quote_texts_whatever_their_repr_says(builder, answer):
    Liar.answer = answer
    x = builder.input("x", [2, 3], "float32")
    for call, text in [
        (lambda: builder.relu(None, label=Liar("st\x1bem")), r"^\[st\\x1bem\] relu: input must be a webnn.Operand"),
        (lambda: builder.conv2d(x, x, input_layout=Liar("z\u202ez")), r"not 'z\\u202ez'$"),
        (lambda: builder.relu(x, **{Liar("zz"): 1}), r"keyword argument 'zz'$"),
        (lambda: builder.build({Liar("zz"): 1}).result(), r"^build: outputs\['zz'\] must be a webnn.Operand, not 'int'$"),
        (lambda: builder.relu(type("a\u202eb", (), {})()), r"not 'a\\u202eb'$"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()


def test_messages_are_cut(builder):
    x = builder.input("x", [1, 1, 1, 1], "float32")
    long = "\U000e0001" * 100000
    for options in ({"input_layout": long}, {"label": long, "groups": -1}, {long: 1}):
        with pytest.raises(TypeError) as caught:
            builder.conv2d(x, x, **options)
        assert len(str(caught.value)) < 600 and "..." in str(caught.value)
    with pytest.raises(TypeError, match="groups"):
        builder.conv2d(x, x, label=long, groups=-1)
    with pytest.raises(TypeError) as caught:
        webnn.ML().create_context(**{long: 1}).result()
    assert len(str(caught.value)) < 600


def test_numbers_too_large_for_a_double_are_type_errors(context, builder):
    huge = fractions.Fraction(10**400)
    x = builder.input("x", [1], "float32")
    for call in (lambda: builder.constant(data_type="float32", value=huge),
                 lambda: builder.clamp(x, min_value=huge), lambda: context.lost.result(timeout=huge)):
        with pytest.raises(TypeError, match="refused: .*too large"):
            call()
    with pytest.raises(TypeError, match="unsupported operand"):
        x + huge


def test_compute_and_dispatch_say_which(context, builder):
    a, b = builder.input("alpha", [2, 3], "float32"), builder.input("beta", [2, 3], "float32")
    graph = builder.build({"y": a + b, "z": a - b}).result()
    x = np.zeros((2, 3), "float32")

    def tensor():
        return context.create_tensor([2, 3], "float32", readable=True, writable=True).result()

    both = {"alpha": x, "beta": x}
    for inputs, outputs, text in [
        ({"alpha": x, "beta": x.astype("int32")}, None, r"compute: inputs\['beta'\] holds int32, not float32"),
        ({"alpha": x, "beta": x.T}, None, r"compute: inputs\['beta'\]"),
        ({"alpha": x, "beta": [1]}, None, r"compute: inputs\['beta'\] must be a buffer or a DLPack tensor, not 'list'"),
        (both, {"y": bytes(24), "z": x.copy()}, r"compute: outputs\['y'\]"),
        ({"alpha": x}, None, "compute: input 'beta' is missing"),
        (both, {"y": x.copy()}, "compute: output 'z' is missing"),
        ({**both, "gamma": x}, None, "compute: the graph has no input 'gamma'"),
        ({"alpha": x, 1: x}, None, "compute: a name in inputs must be a str, not 'int'"),
        (both, {1: x}, "compute: a name in outputs must be a str, not 'int'"),
    ]:
        with pytest.raises(TypeError, match=text):
            context.compute(graph, inputs, outputs)
    for inputs, outputs, text in [
        ({"alpha": tensor()}, "yz", "dispatch: input 'beta' is missing"),
        ({"alpha": tensor(), "beta": tensor()}, "z", "dispatch: output 'y' is missing"),
        ({name: tensor() for name in ("alpha", "beta", "gamma", "delta", "eta")}, "yz",
         "dispatch: the graph has no input 'gamma'"),
        ({"alpha": tensor(), "beta": 3}, "yz", r"dispatch: inputs\['beta'\] must be a webnn.Tensor, not 'int'"),
        ({"alpha": tensor(), 1: tensor()}, "yz", "dispatch: a name in inputs must be a str, not 'int'"),
    ]:
        with pytest.raises(TypeError, match=text):
            context.dispatch(graph, inputs, {name: tensor() for name in outputs})


def test_a_lost_context_says_why_everywhere(ml):
    context = ml.create_context().result()
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [4], "float32")
    other = webnn.GraphBuilder(context)
    graph = other.build({"y": other.relu(other.input("x", [4], "float32"))}).result()
    a, b = (context.create_tensor([4], "float32").result() for _ in range(2))
    context.destroy()
    for call, text in [
        (lambda: builder.relu(x, label="head"), r"\[head\] relu: the context is lost: the context was destroyed"),
        (lambda: builder.input("z", [1], "float32"), "input: the context is lost: the context was destroyed"),
        (lambda: builder.build({"y": x}).result(), "build: the context is lost: the context was destroyed"),
        (lambda: context.dispatch(graph, {"x": a}, {"y": b}),
         "dispatch: the context is lost: the context was destroyed"),
        (lambda: context.compute(graph, {"x": bytes(16)}), "compute: the context is lost: the context was destroyed"),
        (lambda: context.create_tensor([1], "int8").result(), "tensor: the context is lost: the context was destroyed"),
    ]:
        with pytest.raises(webnn.InvalidStateError, match=text):
            call()


def test_none_leaves_an_option_out(builder):
    x = builder.input("x", [1, 4, 5, 5], "float32")
    w = builder.constant(np.zeros((2, 4, 3, 3), np.float32))
    y = builder.conv2d(x, w, bias=None, padding=None, groups=None, input_layout=None, label=None)
    assert y.shape == [1, 2, 3, 3] and y.label == ""


def test_operand_lists_are_any_sequence(builder):
    x = builder.input("x", [2], "float32")
    for inputs in [[x, x], (x, x), (x for _ in range(2))]:
        assert builder.concat(inputs, 0).shape == [4]
    assert builder.concat([x] * 3000, 0).shape == [6000]


def test_several_outputs_are_a_tuple(builder):
    x = builder.input("x", [4, 6], "float32")
    halves = builder.split(x, 2)
    assert type(halves) is tuple and [y.shape for y in halves] == [[2, 6]] * 2
    assert [y.shape for y in builder.split(x, [1, 5], axis=1)] == [[4, 1], [4, 5]]
    assert len(builder.split(builder.input("l", [2000], "int8"), np.int64(2000))) == 2000
    for bad in [0, 3, 2**32 - 1, [4, 3], []]:
        with pytest.raises(TypeError):
            builder.split(x, bad)
    weights = [builder.constant(np.zeros(shape, np.float32)) for shape in [(1, 8, 3), (1, 8, 2)]]
    states = builder.lstm(builder.input("s", [5, 1, 3], "float32"), *weights, 5, 2)
    assert type(states) is tuple and [y.shape for y in states] == [[1, 1, 2]] * 2


def test_labels_are_any_text(builder):
    x = builder.input("x", [2], "float32")
    for label in ["", "stem", "naïve ☃", "nul\0inside", "\u202eevil", "a" * 100000]:
        assert builder.relu(x, label=label).label == label
    assert builder.relu(x, label="half \ud800").label == "half ?"


def test_messages_name_label_operation_argument_and_numbers(builder):
    x = builder.input("x", [1, 3, 8, 8], "float32")
    w = builder.constant(np.zeros((4, 4, 3, 3), np.float32))
    with pytest.raises(TypeError, match=r"^\[stem\] conv2d: .*3.*4.*nchw.*1"):
        builder.conv2d(x, w, label="stem")
    with pytest.raises(TypeError, match=r"^\[stem\] conv2d: groups must be"):
        builder.conv2d(x, w, groups=-1, label="stem")
    with pytest.raises(TypeError, match=r"^\[st\\x00em\\u202e\] conv2d: groups"):
        builder.conv2d(x, w, groups=1.5, label="st\0em\u202e")


def test_operations_explain_themselves(builder):
    method = webnn.GraphBuilder.conv2d
    assert method.__name__ == "conv2d" and method.__qualname__ == "GraphBuilder.conv2d"
    assert method.__module__ == "webnn" and "MLGraphBuilder.conv2d" in method.__doc__
    assert "\ninput_layout: Order of the axes of input and output. One of 'nchw', 'nhwc'.\n" in method.__doc__
    assert "Each is one of 'relu', 'sigmoid', 'tanh'." in webnn.GraphBuilder.lstm.__doc__
    signature = inspect.signature(method)
    assert list(signature.parameters)[:3] == ["self", "input", "filter"]
    assert signature.parameters["groups"].default == 1
    assert signature.parameters["input_layout"].default == "nchw"
    assert signature.parameters["label"].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(inspect.signature(builder.relu).parameters) == ["input", "label"]
    assert "conv2d" in repr(method) and "2-D" in inspect.getdoc(builder.conv2d)
    for name, value in vars(webnn.GraphBuilder).items():
        if not name.startswith("_") and callable(value):
            inspect.signature(value)


def test_types_of_ours_have_signatures():
    for cls in [webnn.ML, webnn.Context, webnn.Tensor, webnn.Graph, webnn.GraphBuilder, webnn.Future]:
        for name, value in vars(cls).items():
            if not name.startswith("_") and inspect.isroutine(value):
                assert inspect.signature(value) and value.__doc__, (cls, name)


# ---- operators


@pytest.mark.parametrize("data_type", ["float32", "float16", "int32"])
def test_operators_are_the_operations(context, data_type):
    a = np.array([[3, -2], [5, 4]], data_type)
    b = np.array([[1, 2], [-3, 7]], data_type)
    builder = webnn.GraphBuilder(context)
    x, y = (builder.input(name, [2, 2], data_type) for name in "xy")
    table = {
        "add": (x + y, a + b), "sub": (x - y, a - b), "mul": (x * y, a * b), "neg": (-x, -a), "abs": (abs(x), abs(a)),
        "pow": (x**2, a**2), "radd": (1 + x, 1 + a), "rsub": (1 - x, 1 - a), "rmul": (2 * x, 2 * a),
        "number": (x + 1, a + 1), "pos": (+(x + y), a + b), "zero-rank": (x * np.int64(3), a * 3),
        "array scalar": (np.int32(3) - x, 3 - a),
    }
    if data_type != "int32":
        table |= {"div": (x / y, a / b), "rdiv": (1 / y, 1 / b), "float": (x * 1.5, a * np.array(1.5, a.dtype)),
                  "rpow": (2.0**y, np.array(2, a.dtype) ** b), "numpy float": (np.float32(2) * x, 2 * a),
                  "matmul": (x @ y, a @ b)}
    graph = builder.build({name: pair[0] for name, pair in table.items()}).result()
    results = context.compute(graph, {"x": a, "y": b})
    for name, (_, expected) in table.items():
        assert results[name].dtype == np.dtype(data_type), name
        np.testing.assert_allclose(results[name], expected, rtol=1e-3 if data_type == "float16" else 1e-6,
                                   err_msg=name)


def test_operators_take_operands_and_numbers_only(builder):
    x = builder.input("x", [2], "float32")
    for bad in ["1", None, [1.0], np.ones(2, np.float32), object()]:
        for call in [lambda: x + bad, lambda: bad - x, lambda: x @ bad]:
            with pytest.raises(TypeError):
                call()
    with pytest.raises(TypeError):
        pow(x, 2, 3)
    with pytest.raises(TypeError):
        x += webnn.GraphBuilder(builder.context).input("x", [2], "float32")


def test_operands_are_hashable_and_equal_to_themselves_only(builder):
    x, y = builder.input("x", [2], "float32"), builder.input("y", [2], "float32")
    assert x == x and x != y and len({x, y}) == 2


# ---- graphs


def test_graph_describes_itself(relu_graph, context):
    assert relu_graph.inputs == {"x": {"shape": [2, 3], "data_type": "float32"}}
    assert relu_graph.outputs["y"].shape == [2, 3] and relu_graph.outputs["y"].data_type == "float32"
    assert isinstance(relu_graph.inputs["x"], webnn.Descriptor)
    with pytest.raises(AttributeError):
        relu_graph.inputs["x"].nothing
    assert set(relu_graph.memory) == {"weights", "arena", "scratch"}
    assert relu_graph.context is context and relu_graph._definition is None
    assert repr(relu_graph) == "<webnn.Graph (x: float32[2, 3]) -> (y: float32[2, 3])>"


def test_only_inputs_that_are_needed(context, builder):
    x, _ = builder.input("x", [2], "float32"), builder.input("unused", [2], "float32")
    graph = builder.build({"y": builder.relu(x)}).result()
    assert list(graph.inputs) == ["x"]
    with pytest.raises(TypeError):
        context.compute(graph, {"x": np.zeros(2, np.float32), "unused": np.zeros(2, np.float32)})


def test_keep_definition(builder):
    x = builder.input("x", [2], "float32")
    outputs = {"y": builder.relu(x)}
    written = builder._encode(outputs)
    graph = builder.build(outputs, keep_definition=True).result()
    assert graph._definition == written


def test_names_are_any_text(context):
    names = ["", " ", "a\0b", "☃", "x" * 5000, "\u202e", "𝔘"]
    for name in names:
        builder = webnn.GraphBuilder(context)
        if name == "":
            with pytest.raises(TypeError):
                builder.input(name, [1], "float32")
            x = builder.input("x", [1], "float32")
            assert type(builder.build({name: builder.relu(x)}).exception()) is TypeError
            continue
        graph = builder.build({name: builder.relu(builder.input(name, [1], "float32"))}).result()
        assert list(graph.inputs) == list(graph.outputs) == [name]
        assert context.compute(graph, {name: np.array([3], np.float32)})[name].tolist() == [3]
    builder = webnn.GraphBuilder(context)
    for bad in ["\ud800", 1, None, b"x"]:
        with pytest.raises(TypeError):
            builder.input(bad, [1], "float32")
    x = builder.relu(builder.input("x", [1], "float32"))
    for bad in ["\ud800", 1, None, b"x"]:
        assert type(builder.build({bad: x}).exception()) is TypeError


def test_compute_gives_arrays(context, relu_graph):
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    result = context.compute(relu_graph, {"x": x})
    assert type(result) is dict and type(result["y"]) is np.ndarray
    assert result["y"].dtype == np.float32 and result["y"].flags.writeable
    np.testing.assert_array_equal(result["y"], np.maximum(x, 0))
    again = context.compute(relu_graph, inputs={"x": -x})["y"]
    np.testing.assert_array_equal(again, np.maximum(-x, 0))
    np.testing.assert_array_equal(result["y"], np.maximum(x, 0))  # its own memory


def test_compute_into_buffers(context, relu_graph):
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    y = np.full((2, 3), 9, np.float32)
    outputs = {"y": y}
    assert context.compute(relu_graph, {"x": x}, outputs) is outputs
    np.testing.assert_array_equal(y, np.maximum(x, 0))
    raw = bytearray(24)
    context.compute(relu_graph, {"x": x.tobytes()}, outputs={"y": raw})
    assert raw == np.maximum(x, 0).tobytes()


def test_compute_with_many_names(context):
    builder = webnn.GraphBuilder(context)
    inputs = [builder.input(f"x{i}", [2], "int32") for i in range(40)]
    graph = builder.build({f"y{i}": x + i for i, x in enumerate(inputs)}).result()
    arrays = {f"x{i}": np.array([i, -i], np.int32) for i in range(40)}
    for result in [context.compute(graph, arrays),
                   context.compute(graph, arrays, {f"y{i}": np.zeros(2, np.int32) for i in range(40)})]:
        for i in range(40):
            assert result[f"y{i}"].tolist() == [2 * i, 0]


def test_wrong_computes_are_type_errors(context, relu_graph):
    x, y = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
    frozen = y.copy()
    frozen.flags.writeable = False
    for inputs, outputs in [
        ({}, None), ({"z": x}, None), ({"x": x, "z": x}, None), ({"x": x[:, :2].copy()}, None), ({"x": None}, None),
        ({"x": x.astype(np.float64)}, None), ({"x": x.astype(np.int32)}, None), ({1: x}, None), ([x], None),
        ({"x": x}, {}), ({"x": x}, {"z": y}), ({"x": x}, {"y": frozen}), ({"x": x}, {"y": bytes(24)}),
        ({"x": x}, {"y": y.astype(np.float16)}), ({"x": x}, {"y": x}), ({"x": x}, [y]), ({"x": x.T}, None),
        ({"x": x}, {"y": np.zeros((3, 2), np.float32).T}), ({"x": [0.0] * 6}, None), ({"\ud800": x}, None),
    ]:
        with pytest.raises(TypeError):
            context.compute(relu_graph, inputs, outputs)
    with pytest.raises(TypeError):
        context.compute(None, {"x": x})
    with pytest.raises(TypeError):
        context.compute(relu_graph)
    assert context.compute(relu_graph, {"x": x})["y"].tolist() == y.tolist()


# ---- lifetimes


def test_every_object_can_be_watched(ml, context, builder, relu_graph, tensors):
    x = builder.input("x", [1], "float32")
    things = [ml, context, builder, x, relu_graph, tensors[0], context.lost, webnn.GraphBuilder.relu]
    assert all(weakref.ref(thing)() is thing for thing in things)


def test_context_managers_destroy(ml):
    with ml.create_context().result() as context:
        builder = webnn.GraphBuilder(context)
        x = builder.input("x", [1], "float32")
        with builder.build({"y": builder.relu(x)}).result() as graph:
            pass
        with pytest.raises(webnn.InvalidStateError):
            context.compute(graph, {"x": np.zeros(1, np.float32)})
        with context.create_tensor([1], "float32", readable=True).result() as tensor:
            assert "destroyed" not in repr(tensor)
        assert "destroyed" in repr(tensor)
        with pytest.raises(TypeError):
            context.read_tensor(tensor).result()
    assert context.lost.done() and "lost" in repr(context)


def test_children_outlive_the_names_of_their_parents(ml):
    builder = webnn.GraphBuilder(ml.create_context().result())
    y = builder.relu(builder.input("x", [2], "float32"))
    graph = y.builder.build({"y": y}).result()
    del builder, y
    gc.collect()
    assert graph.context.compute(graph, {"x": np.array([-1, 1], np.float32)})["y"].tolist() == [0, 1]


def test_cycles_through_callbacks_are_collected(ml):
    class Watch:
        pass

    watch = Watch()
    future = ml.create_context()
    watch.future = future
    ref = weakref.ref(watch)
    future.add_done_callback(lambda done, watch=watch: None)
    del watch, future
    gc.collect()
    assert ref() is None


def test_builder_can_be_subclassed(context):
    class Builder(webnn.GraphBuilder):
        def swish(self, x):
            return x * self.sigmoid(x)

    builder = Builder(context)
    builder.note = 1
    y = builder.swish(builder.input("x", [2], "float32"))
    assert y.builder is builder
    graph = builder.build({"y": y}).result()
    assert context.compute(graph, {"x": np.zeros(2, np.float32)})["y"].tolist() == [0, 0]


def test_other_types_are_closed(context):
    for cls in [webnn.Context, webnn.Tensor, webnn.Graph, webnn.Operand, webnn.Future]:
        with pytest.raises(TypeError):
            cls()
        with pytest.raises(TypeError):
            type("Sub", (cls,), {})
        with pytest.raises(TypeError):
            cls.extra = 1
    with pytest.raises(TypeError):
        webnn.GraphBuilder.extra = 1
    for bad in [(), (None,), (1,), (context, context)]:
        with pytest.raises(TypeError):
            webnn.GraphBuilder(*bad)


def test_errors_are_one_family():
    for error in [webnn.InvalidStateError, webnn.NotSupportedError, webnn.OperationError, webnn.UnknownError]:
        assert issubclass(error, webnn.Error) and error.__module__ == "webnn"
    assert issubclass(webnn.Error, Exception) and not issubclass(webnn.Error, TypeError)


# ---- the command


def test_info_command():
    done = subprocess.run([sys.executable, "-m", "webnn", "info"], capture_output=True, text=True, check=True)
    assert re.search(rf"^webnn {re.escape(webnn.__version__)}, Python", done.stdout)
    assert "backend reference: yes" in done.stdout
    assert re.search(r"^cpu: \w+ on .+, \d+ threads", done.stdout, re.MULTILINE)


def test_unknown_command():
    done = subprocess.run([sys.executable, "-m", "webnn", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2 and "info" in done.stderr
