"""What is done where the web-platform-tests and the specification differ: a test for each entry of the list."""

import json
from pathlib import Path

import numpy as np
import pytest

import webnn

LIST = Path(__file__).resolve().parent.parent / "data" / "wpt-differences" / "differences.json"
ENTRIES = json.loads(LIST.read_text(encoding="utf-8"))
CHECKS = {}


def checks(name):
    def register(function):
        CHECKS[name] = function
        return function
    return register


def image(builder, size=5, name="x"):
    return builder.input(name, [1, 1, size, size], "float32")


def lose(context, tensor):
    context.destroy()


def destroy(context, tensor):
    tensor.destroy()


def access_fails(end, context):
    tensor = context.create_tensor([2], "float32", readable=True, writable=True).result()
    end(context, tensor)
    with pytest.raises(TypeError):
        context.read_tensor(tensor).result()
    with pytest.raises(TypeError):
        context.read_tensor(tensor, out=bytearray(8)).result()
    with pytest.raises(TypeError):
        context.write_tensor(tensor, bytes(8))


@checks("device-type")
def device_type(context, builder):
    options = {"device_type": "cpu", "power_preference": "low-power", "accelerated": False}
    with webnn.ML().create_context(**options).result() as other:
        assert other.accelerated is False


@checks("rounding-type")
def rounding_type(context, builder):
    x = image(builder, 6)
    options = {"window_dimensions": [3, 3], "strides": [2, 2]}
    assert builder.max_pool2d(x, output_shape_rounding="ceil", **options).shape == [1, 1, 3, 3]
    with pytest.raises(TypeError):
        builder.max_pool2d(x, rounding_type="ceil", **options)


@checks("destroyed-tensor")
def destroyed_tensor(context, builder):
    access_fails(destroy, context)


@checks("lost-context")
def lost_context(context, builder):
    access_fails(lose, context)


@checks("pending-read")
def pending_read(context, builder):
    tensor = context.create_tensor([2], "float32", readable=True).result()
    future = context.read_tensor(tensor)
    tensor.destroy()
    assert type(future.exception()) is webnn.InvalidStateError


@checks("read-length")
def read_length(context, builder):
    tensor = context.create_tensor([2], "float32", readable=True).result()
    for length in 4, 12:
        with pytest.raises(TypeError):
            context.read_tensor(tensor, out=bytearray(length)).result()
    context.read_tensor(tensor, out=bytearray(8)).result()


def takes(context, data_type, array):
    """Whether the array is taken wherever data goes in or out."""
    tensor = context.create_tensor([2], data_type, readable=True, writable=True).result()
    builder = webnn.GraphBuilder(context)
    calls = [lambda: builder.constant(array, shape=[2], data_type=data_type),
             lambda: context.create_constant_tensor(array, shape=[2], data_type=data_type).result(),
             lambda: context.write_tensor(tensor, array), lambda: context.read_tensor(tensor, out=array).result()]
    taken = []
    for call in calls:
        try:
            call()
            taken.append(True)
        except TypeError:
            taken.append(False)
    assert len(set(taken)) == 1, taken
    return taken[0]


@checks("view-type")
def view_type(context, builder):
    for data_type, other in ("int32", "uint32"), ("uint8", "int8"), ("int64", "uint64"), ("float32", "int32"):
        assert takes(context, data_type, np.zeros(2, data_type))
        assert not takes(context, data_type, np.zeros(2, other))
        assert takes(context, data_type, np.zeros(2 * np.dtype(data_type).itemsize, np.uint8))


@checks("half-bits")
def half_bits(context, builder):
    for data, fits in (np.float16, True), (np.uint16, False), (np.int16, False):
        assert takes(context, "float16", np.zeros(2, data)) is fits
    assert takes(context, "float16", bytearray(4))


@checks("input-names")
def input_names(context, builder):
    builder.input("input", [2], "float32")
    with pytest.raises(TypeError, match="input"):
        builder.input("input", [3], "int32")
    assert builder.input("Input", [3], "int32").shape == [3]


@checks("tensor-descriptor")
def tensor_descriptor(context, builder):
    for shape in [0], [2, 0], [2**31], [65536, 65536, 65536], [1] * 9:
        with pytest.raises(TypeError):
            context.create_tensor(shape, "float32").result()
    with pytest.raises(TypeError):
        context.create_tensor([1], "int4").result()


@checks("output-sizes")
def output_sizes(context, builder):
    x = image(builder)
    options = {"window_dimensions": [3, 3], "padding": [1, 0, 0, 1], "strides": [2, 2]}
    for sizes in [2, 2], [3, 3]:
        assert builder.average_pool2d(x, output_sizes=sizes, **options).shape == [1, 1, *sizes]
    for sizes in [2, 3], [1, 1], [4, 4]:
        with pytest.raises(TypeError):
            builder.average_pool2d(x, output_sizes=sizes, **options)


def value_of(context, builder, y, **inputs):
    return context.compute(builder.build({"y": y}).result(), inputs)["y"]


@checks("scalar-pad")
def scalar_pad(context, builder):
    y = builder.pad(builder.input("x", [], "float32"), [], [])
    assert value_of(context, builder, y, x=np.float32(7)) == 7


@checks("clamp-infinity")
def clamp_infinity(context, builder):
    x = np.array([-np.inf, 3], np.float32)
    y = builder.clamp(builder.input("x", [2], "float32"), min_value=float("-inf"), max_value=2)
    assert value_of(context, builder, y, x=x).tolist() == [-np.inf, 2]


@checks("large-output")
def large_output(context, builder):
    x = builder.input("x", [1], "float32")
    assert context.op_support_limits()["maxTensorByteLength"] == 2**32 - 1
    assert builder.expand(x, [2**30 - 1]).shape == [2**30 - 1]
    with pytest.raises(TypeError):
        builder.expand(x, [2**30])


@checks("resample-axes")
def resample_axes(context, builder):
    x = builder.input("x", [2, 3, 4, 5], "float32")
    assert builder.resample2d(x, sizes=[7, 9], axes=[3, 0]).shape == [9, 3, 4, 7]
    for axes in [], [2], [1, 2, 3]:
        with pytest.raises(TypeError):
            builder.resample2d(x, sizes=[7, 9], axes=axes)


@checks("slice-strides")
def slice_strides(context, builder):
    y = builder.slice(builder.input("x", [2, 5], "float32"), [1, 1], [1, 3], strides=[2, 7])
    x = np.arange(10, dtype=np.float32).reshape(2, 5)
    assert value_of(context, builder, y, x=x).tolist() == [[6]]


@checks("small-integers")
def small_integers(context, builder):
    for data_type in "int4", "uint4":
        with pytest.raises(TypeError):
            builder.input("x", [2], data_type)
        with pytest.raises(TypeError):
            builder.cast(image(builder, name=data_type), data_type)


@checks("scale-rank")
def scale_rank(context, builder):
    x = builder.input("x", [2, 4], "float32")
    for shape, fits in ([1, 4], True), ([2, 1], True), ([4], False), ([], False):
        scale = builder.constant(np.ones(shape, np.float32))
        zero = builder.constant(np.zeros(shape, np.int8))
        if fits:
            assert builder.quantize_linear(x, scale, zero).shape == [2, 4]
        else:
            with pytest.raises(TypeError):
                builder.quantize_linear(x, scale, zero)


@checks("softmax-axis")
def softmax_axis(context, builder):
    x = builder.input("x", [2, 3], "float32")
    with pytest.raises(TypeError):
        builder.softmax(x)
    assert builder.softmax(x, 1).shape == [2, 3]


@checks("no-tests")
def no_tests(context, builder):
    x = np.array([np.nan, -np.inf, 2.5, -0.5], np.float32)
    a = builder.input("a", [4], "float32")
    outputs = {"nan": builder.is_nan(a), "inf": builder.is_infinite(a), "even": builder.round_even(a)}
    found = context.compute(builder.build(outputs).result(), {"a": x})
    assert found["nan"].tolist() == [1, 0, 0, 0] and found["inf"].tolist() == [0, 1, 0, 0]
    assert found["even"].tolist()[1:] == [-np.inf, 2, 0]


@checks("label")
def label(context, builder):
    with pytest.raises(TypeError, match=r"\[my label\]"):
        builder.conv2d(image(builder), builder.constant(np.ones([1, 2, 1, 1], np.float32)), label="my label")


@checks("symmetric")
def symmetric(context, builder):
    x = np.array([1, 2, 3], np.float32)
    y = builder.pad(builder.input("x", [3], "float32"), [2], [1], mode="symmetric")
    assert value_of(context, builder, y, x=x).tolist() == [2, 1, 1, 2, 3, 3]


def test_each_entry_is_checked():
    assert [entry["id"] for entry in ENTRIES] == list(CHECKS)
    assert all(set(entry) == {"id", "tests", "text", "here"} for entry in ENTRIES)


@pytest.mark.parametrize("name", CHECKS)
def test_difference(name, context, builder):
    CHECKS[name](context, builder)
