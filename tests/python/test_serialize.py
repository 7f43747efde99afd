"""Graph files from Python."""

import gc
import json
import os
import pathlib
import struct
import threading

import numpy as np
import pytest

import webnn
from webnn import serialize


@pytest.fixture
def small(context):
    """A builder with y = relu(x @ w) * 3 and z = x as int8, its outputs, and what they give."""
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [2, 3], "float32")
    w = builder.constant(np.arange(6, dtype="float32").reshape(3, 2) - 2)
    y = builder.relu(x @ w, label="höhe\0") * 3.0
    return builder, {"y": y, "z\0": builder.cast(x, "int8")}


def run(graph, context):
    x = np.array([[1, 2, 3], [-4, 5, -6]], "float32")
    return context.compute(graph, {"x": x})


def test_files_and_bytes_give_the_same_graph(context, small, tmp_path):
    builder, outputs = small
    path = tmp_path / "small.webnn"
    serialize.save(path, builder, outputs)
    assert path.read_bytes() == serialize.dumps(builder, outputs)
    expected = run(builder.build(outputs).result(), context)
    for source in (path, str(path), path.read_bytes(), bytearray(path.read_bytes())):
        got = run(serialize.load(source, context), context)
        assert got.keys() == expected.keys()
        for name in expected:
            np.testing.assert_array_equal(got[name], expected[name])


def test_it_is_a_safetensors_file(small):
    data = serialize.dumps(*small)
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + n])
    structure = json.loads(header["__metadata__"]["webnn"])
    assert (8 + n) % 64 == 0
    assert structure["version"] == 1
    assert [operator["op"] for operator in structure["operators"]] == ["matmul", "relu", "mul", "cast"]
    tensors = {key: value for key, value in header.items() if key != "__metadata__"}
    assert sorted(tuple(value["shape"]) for value in tensors.values()) == [(), (3, 2)]
    assert max(value["data_offsets"][1] for value in tensors.values()) == len(data) - 8 - n


def test_numbers_are_written_as_they_were_read(context):
    """Options keep the digits that they were given, in a file of a file, too."""
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [1, 1, 10, 10], "float32")
    y = builder.resample2d(x, scales=[2.3, 1 / 3])
    y = builder.pad(builder.elu(y, alpha=0.1), [0] * 4, [1] * 4, value=-0.0)
    z = builder.clamp(builder.cast(x, "int64"), min_value=-(2**63), max_value=2**63 - 1)
    data = serialize.dumps(builder, {"y": builder.clamp(y, max_value=float("inf")), "z": z})
    header = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])
    assert json.loads(header["__metadata__"]["webnn"])["operators"][0]["options"]["scales"] == [2.3, 1 / 3]
    again = webnn.GraphBuilder(context)
    outputs = serialize.add_to(again, data)
    assert serialize.dumps(again, outputs) == data
    assert outputs["y"].shape == [2, 2, 23, 4]  # floor(10 · 2.3 as a float32), and 1 of padding


def test_a_built_graph_keeps_its_definition_when_asked(context, small, tmp_path):
    builder, outputs = small
    data = serialize.dumps(builder, outputs)
    graph = builder.build(outputs, keep_definition=True).result()
    serialize.save(tmp_path / "kept", graph)
    assert (tmp_path / "kept").read_bytes() == data
    again = serialize.load(data, context, keep_definition=True)
    assert serialize.dumps(again) == data
    with pytest.raises(TypeError, match="keep_definition"):
        serialize.dumps(serialize.load(data, context))


def test_add_to_goes_on_from_the_outputs(context, small):
    data = serialize.dumps(*small)
    builder = webnn.GraphBuilder(context)
    outputs = serialize.add_to(builder, data)
    graph = builder.build({"sum": builder.reduce_sum(outputs["y"])}).result()
    assert list(graph.inputs) == ["x"] and list(graph.outputs) == ["sum"]
    with pytest.raises(TypeError, match="'x' is taken"):
        serialize.add_to(*(lambda b: (b, data))(builder_with_x(context)))


def builder_with_x(context):
    builder = webnn.GraphBuilder(context)
    builder.input("x", [1], "float32")
    return builder


@pytest.mark.parametrize("cut", [0, 7, 8, 100, -1])
def test_what_is_cut_off_is_refused(context, small, cut):
    with pytest.raises(webnn.OperationError, match="^read: "):
        serialize.load(serialize.dumps(*small)[:cut], context)


def test_wrong_arguments(context, small, tmp_path):
    builder, outputs = small
    with pytest.raises(TypeError, match="outputs"):
        serialize.dumps(builder)
    with pytest.raises(TypeError, match="dict"):
        serialize.dumps(builder, [outputs["y"]])
    with pytest.raises(TypeError, match="GraphBuilder or a Graph"):
        serialize.dumps("model", outputs)
    with pytest.raises(TypeError):
        serialize.load(3.5, context)
    with pytest.raises(webnn.UnknownError, match="no-such-file"):
        serialize.load(tmp_path / "no-such-file", context)
    with pytest.raises(OSError):
        serialize.save(tmp_path / "no" / "folder", builder, outputs)
    builder.build(outputs).result()
    with pytest.raises(webnn.InvalidStateError):
        serialize.dumps(builder, outputs)


def test_a_file_is_mapped_as_long_as_its_bytes_are_needed(tmp_path):
    if not pathlib.Path("/proc/self/maps").exists():
        pytest.skip("looks into Linux's list of mappings")
    context = webnn.ML().create_context(backend="reference").result()  # its kernels read constants as they are
    builder = webnn.GraphBuilder(context)
    rng = np.random.default_rng(3)
    large, small = (rng.random(shape).astype("float32") for shape in ([512, 256], [256]))
    x = builder.input("x", [64, 512], "float32")
    path = tmp_path / "mapped.webnn"
    serialize.save(path, builder, {"y": builder.add(builder.matmul(x, builder.constant(large)), builder.constant(small))})
    is_mapped = lambda: str(path) in pathlib.Path("/proc/self/maps").read_text()
    graph = serialize.load(path, context)
    assert is_mapped()
    ones = np.ones([64, 512], "float32")
    np.testing.assert_allclose(context.compute(graph, {"x": ones})["y"], ones @ large + small, rtol=1e-5)
    del graph
    gc.collect()
    assert not is_mapped()
    context = webnn.ML().create_context().result()
    if context.info["backend"] == "onednn":
        graph = serialize.load(path, context)
        assert not is_mapped()  # packed
        np.testing.assert_allclose(context.compute(graph, {"x": ones})["y"], ones @ large + small, rtol=1e-5)


def test_a_refused_file_leaves_nothing_on_the_builder(context):
    source = webnn.GraphBuilder(context)
    data = serialize.dumps(source, {"y": source.input("a", [1], "float32") + source.input("x", [1], "float32")})
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [2], "float32")
    with pytest.raises(TypeError, match="'x' is taken"):
        serialize.add_to(builder, data)
    a = builder.input("a", [2], "float32")
    graph = builder.build({"y": builder.sub(a, x)}).result()
    assert list(graph.inputs) == ["x", "a"]


def test_saving_takes_a_name_of_its_own(small, tmp_path):
    (tmp_path / "victim").write_text("precious")
    os.symlink("victim", tmp_path / "small.webnn.part")
    serialize.save(os.fsencode(tmp_path / "small.webnn"), *small)
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "small.webnn").is_symlink()
    assert (tmp_path / "small.webnn").read_bytes() == serialize.dumps(*small)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.webnn", "small.webnn.part", "victim"]
    with pytest.raises(OSError):
        serialize.save(tmp_path / "no folder" / "x", *small)


def test_two_threads_save_to_one_path(context, tmp_path):
    errors = []

    def save_and_load(n):
        builder = webnn.GraphBuilder(context)
        x = builder.input("x", [n], "float32")
        outputs = {"y": x + builder.constant(np.ones(n, np.float32))}
        try:
            for _ in range(60):
                serialize.save(tmp_path / "shared", builder, outputs)
                serialize.load(tmp_path / "shared", context)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=save_and_load, args=(n,)) for n in (1000, 100000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert [path.name for path in tmp_path.iterdir()] == ["shared"]


def test_sources_that_are_none(context, small, tmp_path):
    data = serialize.dumps(*small)
    for source in (memoryview(data)[::2], np.frombuffer(data, "u1")[::2], "a\0b", "\ud800"):
        with pytest.raises(TypeError, match="load: source"):
            serialize.load(source, context)
    for path in ("a\0b", b"a\0b", "\ud800"):
        with pytest.raises(TypeError, match="save: path"):
            serialize.save(path, *small)
    with pytest.raises(TypeError):
        serialize.load(3, context)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_no_file(context, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(webnn.OperationError, match="no file"):
        serialize.load(tmp_path / "pipe", context)
