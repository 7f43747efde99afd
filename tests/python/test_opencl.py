"""The OpenCL backend from Python: graphs against the CPU, launches, memory shared with pyopencl."""

import numpy as np
import pytest

import webnn


@pytest.fixture(scope="module")
def cl():
    return pytest.importorskip("pyopencl")


@pytest.fixture(scope="module")
def owner(cl, opencl):
    """A context and queue of pyopencl's, on the device that ours has."""
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            if device.name.strip() == opencl.info["device"].strip():
                context = cl.Context([device])
                return context, cl.CommandQueue(context)
    pytest.skip("pyopencl sees another set of devices")


def block(context, rng):
    """A convolution with bias, activation and residual, pooled and normalised."""
    b = webnn.GraphBuilder(context)
    x = b.input("x", [1, 8, 12, 12], "float32")
    w = b.constant(rng.normal(size=(8, 8, 3, 3)).astype("float32"))
    bias = b.constant(rng.normal(size=8).astype("float32"))
    y = b.conv2d(x, w, bias=bias, padding=[1, 1, 1, 1])
    y = b.add(b.hard_swish(y), x)
    y = b.average_pool2d(y, window_dimensions=[2, 2], strides=[2, 2])
    y = b.softmax(b.reshape(y, [8, 36]), 1)
    return b.build({"y": y}).result()


def test_a_block_computes_what_the_cpu_does_in_few_launches(opencl, ml):
    x = np.random.default_rng(3).normal(size=(1, 8, 12, 12)).astype("float32")
    with ml.create_context(backend="reference").result() as reference:
        wanted = reference.compute(block(reference, np.random.default_rng(5)), {"x": x})["y"]
    graph = block(opencl, np.random.default_rng(5))
    np.testing.assert_allclose(opencl.compute(graph, {"x": x})["y"], wanted, rtol=2e-5, atol=1e-7)
    steps = graph.steps
    assert any(step["operations"] == "conv2d+hard_swish+add" for step in steps)
    # The image turns once, the convolution takes all behind it along, pool and softmax are one each.
    assert sum(step["launches"] for step in steps) <= 5


def layouts(b):
    """Every kind of kernel behind images that lie channels last, and behind turned views: results by name."""
    rng = np.random.default_rng(8)

    def weight(*shape):
        return b.constant(rng.normal(size=shape).astype("float32"))

    x = b.input("x", [2, 4, 8, 8], "float32")
    y = b.conv2d(x, weight(16, 4, 3, 3), padding=[1, 1, 1, 1])
    deep = b.conv2d(y, weight(16, 1, 3, 3), groups=16, padding=[1, 0, 1, 0], dilations=[2, 1])
    out = {"grouped": b.conv2d(y, weight(6, 8, 1, 1), groups=2, strides=[2, 2]), "deep": b.tanh(deep),
           "up": b.conv_transpose2d(y, weight(16, 3, 2, 2), strides=[2, 2])}
    pooled = b.concat([b.max_pool2d(y, window_dimensions=[2, 2], strides=[2, 2]),
                       b.average_pool2d(y, window_dimensions=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])], 1)
    out["padded"] = b.pad(pooled, [0, 1, 2, 0], [1, 0, 0, 3], mode="edge")
    out["cut"] = b.reverse(b.slice(pooled, [0, 3, 1, 0], [2, 20, 2, 4], strides=[1, 1, 1, 2]), axes=[1, 3])
    out["sized"] = b.resample2d(pooled, mode="linear", sizes=[7, 5], axes=[2, 3])
    out["soft"] = b.softmax(pooled, 1)
    out["channels"] = b.instance_normalization(pooled, scale=weight(32), bias=weight(32))
    out["batches"] = b.batch_normalization(pooled, weight(32), b.abs(weight(32)), axis=1, bias=weight(32))
    out["layer"] = b.layer_normalization(pooled, axes=[3, 1], scale=weight(4, 32))
    first, second = b.split(pooled, 2, axis=1)
    out["first"], out["sum"] = first, b.reduce_sum(second, axes=[1, 3])
    out["running"] = b.cumulative_sum(pooled, 2, reversed=True)
    out["where"] = b.arg_max(pooled, 1, output_data_type="int64")
    turned = b.transpose(pooled, permutation=[3, 1, 0, 2])
    index = b.constant(np.array([[2, -1], [0, 1]], "int32"))
    out["gathered"] = b.gather(turned, index, axis=2)
    out["placed"] = b.gather_elements(turned, b.constant(rng.integers(-4, 4, (4, 32, 2, 4)).astype("int32")), axis=0)
    out["scattered"] = b.scatter_elements(turned, b.constant(np.zeros((4, 32, 2, 4), "int32")), turned, axis=0)
    out["rows"] = b.scatter_nd(turned, b.constant(np.array([[1], [1], [-1]], "int64")), weight(3, 32, 2, 4))
    out["product"] = b.matmul(turned, b.transpose(turned, permutation=[0, 1, 3, 2]))
    out["flat"] = b.gemm(b.reshape(turned, [64, 16]), weight(5, 16), b_transpose=True, c=weight(5), alpha=0.5, beta=2)
    out["tiled"] = b.triangular(b.tile(turned, [1, 1, 2, 1]), upper=True, diagonal=-1)
    halves = b.cast(turned, "float16")
    out["halves"] = b.reduce_l2(b.mul(b.sigmoid(halves), halves), axes=[0], keep_dimensions=True)
    scale = b.constant(np.full((1, 1, 1, 1), 0.25, "float32"))
    bytes_ = b.quantize_linear(turned, scale, b.constant(np.full((1, 1, 1, 1), 3, "int8")))
    out["bytes"], out["mirrored"] = bytes_, b.expand(b.slice(turned, [0, 0, 0, 0], [4, 1, 2, 4]), [4, 3, 2, 4])
    return out


def test_every_layout_computes_what_the_reference_does(opencl, ml):
    x = np.random.default_rng(4).normal(size=(2, 4, 8, 8)).astype("float32")
    results = []
    with ml.create_context(backend="reference").result() as reference:
        for context in (reference, opencl):
            b = webnn.GraphBuilder(context)
            results.append(context.compute(b.build(layouts(b)).result(), {"x": x}))
    for name, wanted in results[0].items():
        got = results[1][name]
        if name == "bytes":  # a quotient at a tie may fall to either side
            assert np.abs(got.astype(int) - wanted.astype(int)).max() <= 1, name
        elif wanted.dtype.kind == "i":
            assert np.array_equal(got, wanted), name
        else:
            rough = 2e-3 if wanted.dtype == np.float16 else 2e-5
            np.testing.assert_allclose(got, wanted, rtol=rough, atol=rough, err_msg=name)


@pytest.mark.parametrize("kind", ["float16", "int8"])
def test_rows_of_small_elements_are_padded(opencl, kind):
    """Rows whose ends are left over by vectors of all sizes: compilers have had them begin again at the row's first element."""
    rng = np.random.default_rng(9)
    modes = {"edge": "edge", "reflection": "reflect", "symmetric": "symmetric", "constant": "constant"}
    b = webnn.GraphBuilder(opencl)
    outputs, feeds, wanted = {}, {}, {}
    for n in (22, 38, 46):
        x = b.input(f"x{n}", [3, n], kind)
        feeds[f"x{n}"] = rng.integers(-99, 99, (3, n)).astype(kind)
        for mode, name in modes.items():
            outputs[f"{mode}{n}"] = b.pad(x, [0, 1], [1, 1], mode=mode)
            wanted[f"{mode}{n}"] = np.pad(feeds[f"x{n}"], [(0, 1), (1, 1)], mode=name)
        index = np.minimum(np.arange(n + 2), n - 1).astype("int32")
        outputs[f"gather{n}"], wanted[f"gather{n}"] = b.gather(x, b.constant(index), axis=1), feeds[f"x{n}"][:, index]
    got = opencl.compute(b.build(outputs).result(), feeds)
    assert not [key for key in wanted if not np.array_equal(got[key], wanted[key])]


def test_devices_are_listed_as_contexts_find_them(opencl, ml):
    for power in ("default", "high-performance", "low-power", None):
        found = webnn.devices(power_preference=power)
        assert {device["backend"] for device in found} >= {"reference", "opencl"}
        for device in found:
            assert set(device) == {"backend", "device_type", "device", "driver", "memory", "compute_units",
                                   "shares_memory", "usable"}
            assert device["device_type"] in ("cpu", "gpu") and device["memory"] > 0 and device["compute_units"] > 0
        first = next(device for device in found if device["backend"] == "opencl" and device["usable"])
        options = {} if power is None else {"power_preference": power}
        with ml.create_context(backend="opencl", **options).result() as context:
            assert context.info["device"] == first["device"]
        with ml.create_context(backend="opencl", device=first["device"][-6:].upper()).result() as context:
            assert context.info["backend"] == "opencl"
    for wrong in ("most", 3, object()):
        with pytest.raises(TypeError):
            webnn.devices(power_preference=wrong)
    with pytest.raises(TypeError):
        webnn.devices("default")


def products(b):
    """What CLBlast computes: operands that lie in every way, and what follows them."""
    rng = np.random.default_rng(6)

    def weight(*shape, of="float32"):
        return b.constant(rng.normal(size=shape).astype(of))

    x, y = b.input("x", [2, 3, 20, 12], "float32"), b.input("y", [12, 20], "float32")
    image = b.reshape(x, [2, 12, 10, 6])
    turned = b.transpose(x, permutation=[0, 1, 3, 2])
    out = {"plain": b.matmul(y, weight(20, 9)), "batches": b.matmul(x, turned), "shared": b.relu(b.matmul(x, y)),
           "turned": b.matmul(turned, weight(20, 7)), "odd": b.matmul(b.transpose(x, permutation=[3, 0, 2, 1]), weight(3, 5)),
           "broadcast": b.matmul(b.slice(x, [0, 0, 0, 0], [2, 1, 20, 12]), b.reshape(x, [2, 3, 12, 20])),
           "gemm": b.gemm(y, weight(12, 8), c=weight(8), alpha=0.5, beta=-2, a_transpose=True),
           "both": b.sigmoid(b.gemm(y, weight(11, 12), c=weight(20, 1), a_transpose=True, b_transpose=True)),
           "row": b.matmul(weight(1, 12), y), "column": b.matmul(y, weight(20, 1)),
           "halves": b.add(b.matmul(b.cast(y, "float16"), weight(20, 9, of="float16")), weight(9, of="float16"))}
    first = b.conv2d(image, weight(16, 12, 1, 1), bias=weight(16))
    out["pixels"] = b.add(b.relu(first), weight(16, 1, 1))
    out["window"] = b.conv2d(first, weight(10, 16, 3, 3), padding=[1, 1, 1, 1], strides=[2, 1])
    out["groups"] = b.tanh(b.conv2d(first, weight(12, 4, 3, 2), groups=4, padding=[0, 2, 1, 0], dilations=[2, 1]))
    out["narrow"] = b.conv2d(b.cast(first, "float16"), weight(4, 16, 3, 3, of="float16"))
    return out


@pytest.mark.parametrize("passes", ["-tiles", "-tiles,-layout", "-tiles,-views,-fuse", "-clblast"])
def test_products_are_the_same_by_every_way(opencl, ml, passes):
    rng = np.random.default_rng(7)
    feeds = {"x": rng.normal(size=(2, 3, 20, 12)).astype("float32"), "y": rng.normal(size=(12, 20)).astype("float32")}
    with (ml.create_context(backend="reference").result() as reference,
          ml.create_context(backend="opencl", passes=passes).result() as context):
        results = []
        for each in (reference, context):
            b = webnn.GraphBuilder(each)
            graph = b.build(products(b)).result()
            results.append(each.compute(graph, feeds))
        kernels = {step["kernel"] for step in graph.steps}
    for name, wanted in results[0].items():
        rough = 4e-3 if wanted.dtype == np.float16 else 1e-5
        np.testing.assert_allclose(results[1][name], wanted, rtol=rough, atol=rough * np.abs(wanted).max(), err_msg=name)
    assert "opencl clblast" not in kernels or passes.startswith("-tiles")
    assert kernels & {"opencl clblast", "opencl product"}


def test_chained_graphs_stay_on_the_device(opencl):
    b = webnn.GraphBuilder(opencl)
    graph = b.build({"y": b.sin(b.input("x", [64], "float32")) + 1.0}).result()
    a, c = (opencl.create_tensor([64], "float32", readable=True, writable=True).result() for _ in range(2))
    x = np.linspace(-2, 2, 64, dtype="float32")
    opencl.write_tensor(a, x)
    for _ in range(3):
        opencl.dispatch(graph, {"x": a}, {"y": c})
        opencl.dispatch(graph, {"x": c}, {"y": a})
        x = np.sin(np.sin(x) + 1) + 1
    np.testing.assert_allclose(opencl.read_tensor(a).result(), x, rtol=1e-5)
    with pytest.raises(webnn.NotSupportedError):
        np.from_dlpack(a)


def test_what_is_no_handle_is_refused(opencl, ml):
    for wrong in (object(), "queue", 0):
        assert isinstance(ml.create_context(opencl=wrong).exception(), TypeError)
        assert isinstance(opencl.import_opencl(wrong, [4], "float32").exception(), TypeError)


def test_only_opencl_shares_opencl_memory(context):
    tensor = context.create_tensor([4], "float32").result()
    if context.info["backend"] != "opencl":
        with pytest.raises(webnn.NotSupportedError):
            tensor.export_opencl()
        assert isinstance(context.import_opencl(1234, [4], "float32").exception(), webnn.NotSupportedError)
    with pytest.raises(webnn.InvalidStateError):
        tensor.return_opencl()


@pytest.mark.parametrize("kind", ["context", "queue", "number"])
def test_a_context_on_an_owners_device(ml, owner, kind):
    given = {"context": owner[0], "queue": owner[1], "number": owner[1].int_ptr}[kind]
    with ml.create_context(opencl=given).result() as context:
        assert context.info["backend"] == "opencl"
        assert context.info["device"].strip() == owner[1].device.name.strip()
        b = webnn.GraphBuilder(context)
        graph = b.build({"y": b.relu(b.input("x", [3], "float32"))}).result()
        y = context.compute(graph, {"x": np.array([-1, 0, 2], "float32")})["y"]
        assert y.tolist() == [0, 0, 2]
    assert isinstance(ml.create_context(opencl=given, backend="reference").exception(), webnn.NotSupportedError)


def test_memory_goes_both_ways_without_a_copy(ml, cl, owner):
    cl_context, queue = owner
    x = np.arange(16, dtype="float32")
    with ml.create_context(opencl=queue).result() as context:
        b = webnn.GraphBuilder(context)
        graph = b.build({"y": b.input("x", [16], "float32") * 2.0}).result()
        buffer = cl.Buffer(cl_context, cl.mem_flags.READ_WRITE, x.nbytes)
        filled = cl.enqueue_copy(queue, buffer, x, is_blocking=False)
        tensor = context.import_opencl(buffer, [16], "float32", event=filled).result()
        y = context.create_tensor([16], "float32", readable=True).result()
        context.dispatch(graph, {"x": tensor}, {"y": y})

        memory, event = y.export_opencl()
        cl.Event.from_int_ptr(event, retain=False).wait()
        lent = cl.MemoryObject.from_int_ptr(memory) if hasattr(cl.MemoryObject, "from_int_ptr") else cl.Buffer.from_int_ptr(memory)
        assert lent.int_ptr == memory
        back = np.empty_like(x)
        cl.enqueue_copy(queue, back, lent).wait()
        assert (back == 2 * x).all()

        for refused in (lambda: y.export_opencl(), lambda: context.read_tensor(y).result(),
                        lambda: context.dispatch(graph, {"x": tensor}, {"y": y})):
            with pytest.raises(webnn.InvalidStateError):
                refused()
        y.return_opencl(cl.enqueue_fill_buffer(queue, lent, np.float32(7), 0, x.nbytes))
        assert (context.read_tensor(y).result() == 7).all()
        with pytest.raises(webnn.InvalidStateError):
            y.return_opencl()

        memory, event = tensor.export_opencl()  # an imported buffer is the owner's own
        cl.Event.from_int_ptr(event, retain=False).wait()
        assert memory == buffer.int_ptr
        tensor.destroy()
        tensor.return_opencl()


def test_imported_buffers_are_checked(ml, cl, owner):
    cl_context, queue = owner
    other = cl.Context([queue.device])
    with ml.create_context(opencl=cl_context).result() as context:
        small = cl.Buffer(cl_context, cl.mem_flags.READ_WRITE, 8)
        foreign = cl.Buffer(other, cl.mem_flags.READ_WRITE, 64)
        for buffer in (small, foreign):
            assert isinstance(context.import_opencl(buffer, [16], "float32").exception(), TypeError)
