"""Memory across the border: what is taken, what is refused, what is lent out, and for how long."""

import array
import ctypes
import gc
import mmap
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import webnn

DATA_TYPES = ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"]
MACHINE, FOREIGN = ("<", ">") if sys.byteorder == "little" else (">", "<")


class Lender:
    """A DLPack exporter that is no buffer, as other libraries' tensors are."""

    def __init__(self, array, versions=True, device=None):
        self.array, self.versions, self.device, self.asked = array, versions, device, []

    def __dlpack__(self, **kwargs):
        self.asked.append(kwargs)
        if kwargs and not self.versions:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def values_of(context, operand):
    """What a constant holds."""
    builder = operand.builder
    return context.compute(builder.build({"y": builder.identity(operand)}).result(), {})["y"]


# ---- constants: shape and type are the array's


@pytest.mark.parametrize("data_type", DATA_TYPES)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (2, 1, 3, 1)], ids=str)
def test_constants_of_arrays(context, builder, data_type, shape):
    data = np.arange(np.prod(shape, dtype=int)).astype(data_type).reshape(shape)
    operand = builder.constant(data)
    assert operand.shape == list(shape) and operand.data_type == data_type
    result = values_of(context, operand)
    assert result.dtype == data.dtype and result.shape == shape and result.tobytes() == data.tobytes()


BUFFERS = {
    "array.array f": (array.array("f", [1, 2, 3]), "float32", [3]),
    "array.array b": (array.array("b", [1, 2, 3]), "int8", [3]),
    "array.array i": (array.array("i", [1, 2, 3]), "int32", [3]),
    "array.array L": (array.array("L", [1, 2]), f"uint{8 * array.array('L').itemsize}", [2]),
    "array.array q": (array.array("q", [1, 2, 3]), "int64", [3]),
    "array.array Q": (array.array("Q", [1, 2, 3]), "uint64", [3]),
    "ctypes float": ((ctypes.c_float * 3)(1, 2, 3), "float32", [3]),
    "ctypes matrix": (((ctypes.c_int32 * 3) * 2)((1, 2, 3), (4, 5, 6)), "int32", [2, 3]),
    "ctypes size_t": ((ctypes.c_int64 * 2)(1, 2), "int64", [2]),
    "ctypes bool": ((ctypes.c_bool * 2)(True, False), "uint8", [2]),
    "bytes": (b"\1\2\3", "uint8", [3]),
    "bytearray": (bytearray(b"\1\2\3"), "uint8", [3]),
    "memoryview": (memoryview(b"\1\2\3\4\5\6").cast("B", [2, 3]), "uint8", [2, 3]),
    "memoryview q": (memoryview(bytes(16)).cast("q"), "int64", [2]),
    "numpy bool": (np.array([[True], [False]]), "uint8", [2, 1]),
    "numpy longlong": (np.array([1, 2], np.longlong), "int64", [2]),
    "numpy scalar": (np.float32(2), "float32", []),
    "numpy Fortran vector": (np.asfortranarray(np.ones(3, np.float32)), "float32", [3]),
    "numpy read-only": (np.broadcast_to(np.float32(1), (1,)), "float32", [1]),
    "numpy slice": (np.arange(6, dtype=np.int32)[2:5], "int32", [3]),
    "numpy of one": (np.zeros((4, 4), np.float32)[:1, :1], "float32", [1, 1]),
    "numpy native order": (np.ones(2, MACHINE + "f4"), "float32", [2]),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_constants_of_any_buffer(context, builder, name):
    data, data_type, shape = BUFFERS[name]
    operand = builder.constant(data)
    assert operand.data_type == data_type and operand.shape == shape
    assert values_of(context, operand).tobytes() == memoryview(data).tobytes()
    tensor = context.create_constant_tensor(data).result()
    assert tensor.data_type == data_type and tensor.shape == shape


REFUSED = {
    "float64": np.ones(2), "int16": np.ones(2, np.int16), "uint16": np.ones(2, np.uint16),
    "complex": np.ones(2, np.complex64), "string": np.array(["ab"]), "datetime": np.ones(2, "M8[s]"),
    "object": np.array([None]), "record": np.zeros(2, [("a", "f4"), ("b", "f4")]),
    "other byte order": np.ones(2, FOREIGN + "f4"), "longdouble": np.ones(2, np.longdouble),
    "double array": array.array("d", [1]), "short array": array.array("h", [1]),
    "not contiguous": np.ones((3, 4), np.float32)[:, ::2], "transposed": np.ones((3, 4), np.float32).T,
    "reversed": np.ones(3, np.float32)[::-1], "broadcast": np.broadcast_to(np.float32(1), (3,)),
    "strided view": memoryview(bytes(6))[::2], "list": [1.0, 2.0], "none": None, "number": 2.0, "text": "ab",
    "empty": np.zeros((0, 3), np.float32), "empty bytes": b"", "too many ranks": np.zeros((1,) * 9, np.float32),
    "released": None,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_buffers_are_type_errors(context, builder, name):
    data = REFUSED[name]
    if name == "released":
        data = memoryview(b"abc")
        data.release()
    with pytest.raises(TypeError):
        builder.constant(data)
    assert type(context.create_constant_tensor(data).exception()) is TypeError
    tensor = context.create_tensor([2], "float32", writable=True, readable=True).result()
    with pytest.raises(TypeError):
        context.write_tensor(tensor, data)
    if data is not None:
        assert type(context.read_tensor(tensor, out=data).exception()) is TypeError
    assert context.read_tensor(tensor).result().tolist() == [0, 0]


# ---- given shape and type: judged by length and element type, not by shape


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_bytes_are_raw_data_of_any_type(context, builder, data_type):
    data = np.arange(6).astype(data_type)
    for raw in [data.tobytes(), bytearray(data.tobytes()), data.view(np.uint8), data.view(np.bool_),
                memoryview(data.tobytes()), np.frombuffer(data.tobytes(), np.uint8).reshape(2, -1)]:
        operand = builder.constant(raw, shape=[2, 3], data_type=data_type)
        assert operand.shape == [2, 3] and operand.data_type == data_type
        tensor = context.create_tensor([2, 3], data_type, writable=True, readable=True).result()
        context.write_tensor(tensor, raw)
        assert context.read_tensor(tensor).result().tobytes() == data.tobytes()
        constant = context.create_constant_tensor(raw, shape=[3, 2], data_type=data_type).result()
        assert constant.shape == [3, 2] and constant.constant


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_other_elements_must_match(context, builder, data_type):
    for other in DATA_TYPES:
        data = np.zeros(48 // np.dtype(other).itemsize, other)
        shape = [48 // np.dtype(data_type).itemsize]
        tensor = context.create_tensor(shape, data_type, writable=True, readable=True).result()
        calls = [lambda: builder.constant(data, shape=shape, data_type=data_type),
                 lambda: context.create_constant_tensor(data, shape=shape, data_type=data_type).result(),
                 lambda: context.write_tensor(tensor, data),
                 lambda: context.read_tensor(tensor, out=data).result()]
        for call in calls:
            if other in (data_type, "uint8"):
                call()
            else:
                with pytest.raises(TypeError):
                    call()


def test_shape_of_the_buffer_does_not_matter(context, builder):
    data = np.arange(6, dtype=np.float32)
    for shape in [[6], [3, 2], [1, 6, 1]]:
        operand = builder.constant(data.reshape(2, 3), shape=shape, data_type="float32")
        assert operand.shape == shape
        tensor = context.create_tensor(shape, "float32", writable=True, readable=True).result()
        context.write_tensor(tensor, data.reshape(1, 1, 6))
        out = np.zeros((2, 3), np.float32)
        context.read_tensor(tensor, out=out).result()
        assert out.ravel().tolist() == data.tolist()
    assert builder.constant(data, shape=[2, 3]).data_type == "float32"
    assert builder.constant(data, data_type="float32").shape == [6]


def test_length_must_be_exact(context, builder):
    tensor = context.create_tensor([2, 2], "float32", writable=True, readable=True).result()
    for n in [0, 1, 12, 15, 17, 20, 32]:
        with pytest.raises(TypeError):
            builder.constant(bytes(n), shape=[2, 2], data_type="float32")
        with pytest.raises(TypeError):
            context.write_tensor(tensor, bytes(n))
        assert type(context.create_constant_tensor(bytes(n), shape=[4], data_type="float32").exception()) is TypeError
        assert type(context.read_tensor(tensor, out=bytearray(n)).exception()) is TypeError


def test_wrong_mixes_of_arguments_are_type_errors(context, builder):
    tensor = context.create_constant_tensor(np.ones(2, np.float32)).result()
    for call in [lambda: builder.constant(), lambda: builder.constant(None),
                 lambda: builder.constant(b"abcd", data_type="float32"),
                 lambda: builder.constant(b"abcd", shape=[1], data_type="float32", value=1.0),
                 lambda: builder.constant(value=1.0), lambda: builder.constant(value=1.0, shape=[], data_type="int8"),
                 lambda: builder.constant(tensor, data_type="float32"), lambda: builder.constant(tensor, shape=[2]),
                 lambda: builder.constant(b"abcd", [1], "float32"), lambda: builder.constant(b"a", copy="no"),
                 lambda: builder.constant(b"abcd", shape=[2**31, 2**31], data_type="int8")]:
        with pytest.raises(TypeError):
            call()
    assert builder.constant(tensor).shape == [2]


# ---- copies are taken before the call returns


def test_snapshots(context):
    builder = webnn.GraphBuilder(context)
    data = np.array([1, 2], np.float32)
    constant = builder.constant(data)
    fixed = context.create_constant_tensor(data).result()
    tensor = context.create_tensor([2], "float32", writable=True, readable=True).result()
    context.write_tensor(tensor, data)
    data[:] = 9
    graph = builder.build({"a": builder.identity(constant), "b": builder.identity(builder.constant(fixed))}).result()
    results = context.compute(graph, {})
    assert results["a"].tolist() == results["b"].tolist() == [1, 2]
    assert context.read_tensor(tensor).result().tolist() == [1, 2]


def test_buffers_are_let_go_at_once(context, builder):
    tensor = context.create_tensor([4], "uint8", writable=True).result()
    data = bytearray(4)
    context.write_tensor(tensor, data)
    builder.constant(data)
    context.create_constant_tensor(data).result()
    data.append(0)  # a held buffer refuses this
    for call in [lambda: context.write_tensor(tensor, data), lambda: builder.constant(data, shape=[9]),
                 lambda: context.create_constant_tensor(data, shape=[9]).result(),
                 lambda: context.read_tensor(tensor, out=data).result()]:
        with pytest.raises(TypeError):
            call()
    data.append(0)


def test_unaligned_memory(context, relu_graph):
    data = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    for shift in [1, 2, 3]:
        memory = bytearray(64)
        view = memoryview(memory)[shift : shift + 24]
        view[:] = data.tobytes()
        out = bytearray(64)
        result = context.compute(relu_graph, {"x": view})["y"]
        context.compute(relu_graph, {"x": view}, {"y": memoryview(out)[shift : shift + 24]})
        np.testing.assert_array_equal(result, np.maximum(data, 0))
        assert bytes(out[shift : shift + 24]) == result.tobytes() and out[:shift] + out[shift + 24 :] == bytes(40)
        tensor = context.create_tensor([2, 3], "float32", writable=True, readable=True).result()
        context.write_tensor(tensor, view)
        context.read_tensor(tensor, out=memoryview(out)[shift : shift + 24]).result()
        assert out[shift : shift + 24] == data.tobytes()
        builder = webnn.GraphBuilder(context)
        constant = builder.constant(view, shape=[2, 3], data_type="float32", copy=False)
        np.testing.assert_array_equal(values_of(context, constant), data)


def test_mapped_files(context, builder, tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        constant = builder.constant(mapped, shape=[4], data_type="float32")
    assert values_of(context, constant).tolist() == [0, 1, 2, 3]


def test_constants_without_a_copy(context):
    class Watched(np.ndarray):
        ended = 0

        def __del__(self):
            Watched.ended += 1

    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [3], "float32")
    data = np.array([1, 2, 3], np.float32).view(Watched)
    graph = builder.build({"y": x + builder.constant(data, copy=False)}).result()
    del builder, data, x
    gc.collect()
    assert context.compute(graph, {"x": np.ones(3, np.float32)})["y"].tolist() == [2, 3, 4]
    Watched.ended = 0
    data = bytearray(12)
    builder = webnn.GraphBuilder(context)
    builder.constant(data, shape=[3], data_type="float32", copy=False)
    with pytest.raises(BufferError):
        data.append(0)
    with pytest.raises(TypeError):
        builder.constant(data, shape=[4], data_type="float32", copy=False)
    del builder, graph
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            data.append(0)
            break
        except BufferError:
            time.sleep(0.001)
    assert len(data) == 13


# ---- reads


@pytest.mark.parametrize("data_type", DATA_TYPES)
@pytest.mark.parametrize("shape", [[], [1], [2, 3], [2, 1, 3, 1]], ids=str)
def test_read_is_an_array_of_its_own(context, data_type, shape):
    tensor = context.create_tensor(shape, data_type, writable=True, readable=True).result()
    data = (np.arange(np.prod(shape, dtype=int)) + 1).astype(data_type).reshape(shape)
    first = context.read_tensor(tensor).result()
    context.write_tensor(tensor, data)
    second = context.read_tensor(tensor).result()
    assert type(first) is type(second) is np.ndarray and second.flags.writeable and second.flags.c_contiguous
    assert first.dtype == second.dtype == np.dtype(data_type) and first.shape == second.shape == tuple(shape)
    assert not first.any() and second.tobytes() == data.tobytes()
    second[...] = 0
    assert context.read_tensor(tensor).result().tobytes() == data.tobytes()
    del tensor
    gc.collect()
    assert not first.any()


def test_read_into_holds_the_buffer_until_settled(slow):
    buffer = bytearray(96 * 96 * 4)
    future = slow.read(out=buffer)
    with pytest.raises(BufferError):
        buffer.append(0)
    assert future.result() is None
    buffer.append(0)


def test_dropped_read_into_still_holds_the_buffer(slow):
    buffer = bytearray(b"\1" * (96 * 96 * 4))
    for _ in range(5):  # the thread that lets go is started first
        slow.dispatch()
    slow.read(out=buffer)
    with pytest.raises(BufferError):
        buffer.append(0)
    slow.context.read_tensor(slow.y).result()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            buffer.append(0)
            break
        except BufferError:
            time.sleep(0.001)
    assert buffer == bytes(len(buffer))


def test_cancelled_read_into_still_holds_the_buffer(slow):
    buffer = bytearray(96 * 96 * 4)
    future = slow.read(out=buffer)
    assert future.cancel()
    with pytest.raises(BufferError):
        buffer.append(0)
    slow.context.read_tensor(slow.y).result()
    assert future.done()
    buffer.append(0)


def test_failed_read_into_lets_go(slow):
    buffer = bytearray(b"\1" * (96 * 96 * 4))
    future = slow.read(out=buffer)
    slow.y.destroy()
    assert type(future.exception()) is webnn.InvalidStateError
    buffer.append(0)
    assert buffer[0] == 1


def test_read_into_read_only_is_a_type_error(context):
    tensor = context.create_tensor([2], "float32", readable=True).result()
    frozen = np.zeros(2, np.float32)
    frozen.flags.writeable = False
    for out in [bytes(8), frozen, memoryview(bytearray(8)).toreadonly(), np.zeros((2, 2), np.float32)[:, 0]]:
        assert type(context.read_tensor(tensor, out=out).exception()) is TypeError


# ---- DLPack in


@pytest.mark.parametrize("versions", [True, False])
@pytest.mark.parametrize("data_type", [*DATA_TYPES, "bool"])
def test_dlpack_in(context, builder, data_type, versions):
    data = np.array([[0, 1, 1], [1, 0, 1]]).astype(data_type)
    lender = Lender(data, versions)
    operand = builder.constant(lender)
    expected = "uint8" if data_type == "bool" else data_type
    assert operand.shape == [2, 3] and operand.data_type == expected
    assert values_of(context, operand).tobytes() == data.tobytes()
    assert lender.asked[0] == {"max_version": (1, 0)}
    tensor = context.create_tensor([6], expected, writable=True, readable=True).result()
    context.write_tensor(tensor, lender)
    out = np.zeros(6, data_type)
    context.read_tensor(tensor, out=Lender(out, versions)).result()
    assert out.tobytes() == data.tobytes()
    assert sys.getrefcount(data) <= 4


def test_dlpack_in_compute(context, relu_graph):
    x, y = np.full((2, 3), -1, np.float32), np.ones((2, 3), np.float32)
    context.compute(relu_graph, {"x": Lender(x)}, {"y": Lender(y)})
    assert not y.any()


def test_refused_dlpack(context, builder):
    class Raises:
        def __dlpack__(self, **kwargs):
            raise BufferError("on another device")

    class Nonsense:
        def __dlpack__(self, **kwargs):
            return 5

    frozen = np.ones(2, np.float32)
    frozen.flags.writeable = False
    for bad in [Lender(np.ones(2)), Lender(np.ones(2, np.int16)), Lender(np.ones((3, 4), np.float32)[:, ::2]),
                Lender(np.ones((3, 4), np.float32).T), Raises(), Nonsense(), Lender(np.ones(2, np.complex64))]:
        with pytest.raises(TypeError):
            builder.constant(bad)
    tensor = context.create_tensor([2], "float32", writable=True, readable=True).result()
    assert type(context.read_tensor(tensor, out=Lender(frozen)).exception()) is TypeError
    builder.constant(Lender(frozen))


class DLTensor(ctypes.Structure):
    """The tensor of a capsule, as DLPack lays it out."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


class Forger:
    """A DLPack exporter of what no library would give."""

    def __init__(self, shape=(2,), device=1, kind=2, bits=32, lanes=1, major=None):
        self.bytes, self.dims = (ctypes.c_float * 4)(), (ctypes.c_int64 * 4)(*shape)
        tensor = DLTensor(ctypes.addressof(self.bytes), device, 0, len(shape), kind, bits, lanes, self.dims, None, 0)
        self.managed = Managed(tensor) if major is None else Versioned(major=major, tensor=tensor)
        self.name = b"dltensor" if major is None else b"dltensor_versioned"

    def __dlpack__(self, **kwargs):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), self.name, None)


@pytest.mark.parametrize(("options", "words"), [
    ({"device": 2}, "lies on DLPack device 2, not on the CPU"), ({"major": 2}, "gave DLPack version 2.0"),
    ({"bits": 64}, "no type"), ({"lanes": 4}, "no type"), ({"shape": (-1,)}, "impossible shape"),
    ({"shape": (2**33,)}, "dimension 0 too large"), ({"shape": (-1,), "kind": 1, "bits": 8}, "impossible shape"),
    ({"shape": (2**62, 8)}, "impossible shape"), ({"shape": (2**40, 2**40, 2**40)}, "impossible shape"),
])
def test_forged_dlpack(builder, options, words):
    assert builder.constant(Forger()).shape == [2]
    assert builder.constant(Forger(major=1, device=3)).shape == [2]
    with pytest.raises(TypeError, match=words):
        builder.constant(Forger(**options))


# ---- tensors lend their memory


@pytest.fixture
def lent(context):
    tensor = context.create_tensor([2, 3], "float32", writable=True, readable=True).result()
    context.write_tensor(tensor, np.arange(6, dtype=np.float32))
    return tensor


def test_buffer_export(context, lent):
    view = memoryview(lent)
    assert (view.format, view.shape, view.strides, view.readonly) == ("f", (2, 3), (12, 4), False)
    assert view.c_contiguous and view.nbytes == 24 and view.tolist() == [[0, 1, 2], [3, 4, 5]]
    array = np.asarray(lent)
    assert array.dtype == np.float32 and array.shape == (2, 3)
    array[0, 0] = 9
    assert view[0, 0] == 9
    del array
    view.release()
    assert context.read_tensor(lent).result()[0, 0] == 9


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_export_of_every_type(context, data_type):
    tensor = context.create_tensor([3], data_type, writable=True, readable=True).result()
    context.write_tensor(tensor, np.array([1, 2, 3], data_type))
    for array in [np.asarray(tensor), np.from_dlpack(tensor), np.array(memoryview(tensor))]:
        assert array.dtype.name == data_type and array.tolist() == [1, 2, 3]
    scalar = context.create_tensor([], data_type, readable=True).result()
    assert memoryview(scalar).shape == () and np.asarray(scalar).shape == np.from_dlpack(scalar).shape == ()


def test_a_view_is_row_after_row_and_as_writable_as_its_tensor(context, lent):
    """Asked for another order, or to write where that isn't allowed, a tensor lends nothing."""
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get.argtypes, release.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int], [ctypes.c_void_p]
    view, writable, strides, fortran = ctypes.create_string_buffer(256), 0x1, 0x18, 0x58
    with pytest.raises(BufferError, match="C-contiguous, not Fortran"):
        get(lent, view, fortran)
    frozen = context.create_tensor([2, 3], "float32", readable=True).result()
    with pytest.raises(BufferError, match="read-only"):
        get(frozen, view, strides | writable)
    for tensor, flags in (lent, strides | writable), (frozen, strides):
        assert get(tensor, view, flags) == 0
        release(view)


def test_export_sees_queued_work(slow):
    slow.dispatch()
    view = np.asarray(slow.y)
    assert view.shape == (96, 96) and not view.any()


@pytest.mark.parametrize("export", [memoryview, np.asarray, np.from_dlpack, lambda t: t.__dlpack__(),
                                    lambda t: t.__dlpack__(max_version=(1, 0))])
def test_while_exported_write_and_dispatch_are_refused(context, relu_graph, lent, export):
    other = context.create_tensor([2, 3], "float32", writable=True, readable=True).result()
    held = export(lent)
    for call in [lambda: context.write_tensor(lent, bytes(24)),
                 lambda: context.dispatch(relu_graph, {"x": lent}, {"y": other}),
                 lambda: context.dispatch(relu_graph, {"x": other}, {"y": lent})]:
        with pytest.raises(webnn.InvalidStateError):
            call()
    del held
    gc.collect()
    context.write_tensor(lent, bytes(24))
    context.dispatch(relu_graph, {"x": lent}, {"y": other})
    assert not context.read_tensor(other).result().any()


def test_destroy_waits_for_the_last_view(context, lent):
    view = memoryview(lent)
    lent.destroy()
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(TypeError):
        memoryview(lent)
    view.release()
    with pytest.raises(TypeError):
        memoryview(lent)


def test_views_outlive_context_and_tensor(ml):
    context = ml.create_context().result()
    tensor = context.create_tensor([3], "int32", writable=True, readable=True).result()
    context.write_tensor(tensor, np.array([1, 2, 3], np.int32))
    views = [np.asarray(tensor), np.from_dlpack(tensor)]
    context.destroy()
    del context, tensor
    gc.collect()
    assert [view.tolist() for view in views] == [[1, 2, 3]] * 2


def test_flags_say_what_a_view_may(context):
    read_only = context.create_tensor([2], "float32", readable=True).result()
    assert memoryview(read_only).readonly and not np.asarray(read_only).flags.writeable
    assert not np.from_dlpack(read_only).flags.writeable
    write_only = context.create_tensor([2], "float32", writable=True).result()
    assert not memoryview(write_only).readonly
    neither = context.create_tensor([2], "float32").result()
    with pytest.raises(TypeError):
        memoryview(neither)
    with pytest.raises(TypeError):
        neither.__dlpack__()


def test_dlpack_protocol(context, lent):
    assert lent.__dlpack_device__() == (1, 0)
    assert '"dltensor"' in repr(lent.__dlpack__())
    assert '"dltensor"' in repr(lent.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(lent.__dlpack__(max_version=(1, 0), stream=None, dl_device=(1, 0)))
    assert '"dltensor_versioned"' in repr(lent.__dlpack__(max_version=(2, 3)))
    with pytest.raises(BufferError):
        lent.__dlpack__(dl_device=(2, 0))
    copied = np.from_dlpack(lent, copy=True)
    lent_again = np.from_dlpack(lent, copy=False)
    copied[:] = 5
    assert lent_again.tolist() == [[0, 1, 2], [3, 4, 5]]
    del lent_again
    read_only = context.create_tensor([2], "float32", readable=True).result()
    capsule = read_only.__dlpack__()  # the first protocol cannot say read-only: a copy
    assert '"dltensor"' in repr(capsule)
    with pytest.raises(BufferError):
        read_only.__dlpack__(copy=False)
    context.destroy()
    with pytest.raises((TypeError, webnn.InvalidStateError)):
        lent.__dlpack__()


def test_constant_tensors_are_not_lent(context):
    constant = context.create_constant_tensor(np.ones(2, np.float32)).result()
    with pytest.raises(TypeError):
        memoryview(constant)


# ---- without NumPy

WITHOUT = """
import sys
sys.modules["numpy"] = None
import array, webnn
context = webnn.ML().create_context().result()
builder = webnn.GraphBuilder(context)
x = builder.input("x", [2, 3], "float32")
graph = builder.build({"y": x + 1}).result()
data = array.array("f", range(6))
result = context.compute(graph, {"x": data})["y"]
assert type(result) is memoryview and result.format == "f" and result.shape == (2, 3) and not result.readonly
assert result.tolist() == [[1, 2, 3], [4, 5, 6]]
out = array.array("f", bytes(24))
context.compute(graph, {"x": data}, {"y": out})
assert out.tolist() == [1, 2, 3, 4, 5, 6]
for data_type, code in [("float16", "e"), ("int64", "l"), ("uint8", "B"), ("float32", "f")]:
    tensor = context.create_tensor([2], data_type, readable=True, writable=True).result()
    context.write_tensor(tensor, bytes([0] * tensor.byte_length))
    view = context.read_tensor(tensor).result()
    assert type(view) is memoryview and view.format == code and view.shape == (2,) and view.tobytes() == bytes(view.nbytes)
scalar = context.create_tensor([], "int32", readable=True).result()
assert context.read_tensor(scalar).result().tolist() == 0
print("done")
"""


def test_without_numpy():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(WITHOUT)], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr
