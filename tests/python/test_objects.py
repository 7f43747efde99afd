"""States and orders of the objects, rule by rule as the specification's algorithms have them."""

import gc
import threading
import time

import numpy as np
import pytest

import webnn

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
Y = np.maximum(X, 0)


def error_of(call):
    """The exception of a call, raised or brought by its future; None when it went well."""
    try:
        result = call()
    except Exception as error:
        return error
    return result.exception() if isinstance(result, webnn.Future) else None


def check(error, expected, text=""):
    assert type(error) is expected and text in str(error), (error, expected)


def make_relu(context):
    builder = webnn.GraphBuilder(context)
    return builder.build({"y": builder.relu(builder.input("x", [2, 3], "float32"))}).result()


def make_tensor(context, readable=True, writable=True, shape=(2, 3), data_type="float32"):
    return context.create_tensor(shape, data_type, readable=readable, writable=writable).result()


# ---- tensors


def test_tensor_attributes(context):
    for readable in [False, True]:
        for writable in [False, True]:
            tensor = make_tensor(context, readable, writable)
            assert tensor.readable is readable and tensor.writable is writable and tensor.constant is False
            assert tensor.shape == [2, 3] and type(tensor.shape) is list and tensor.data_type == "float32"
            assert tensor.byte_length == 24 and tensor.context is context
            tensor.destroy()
            assert tensor.shape == [2, 3] and tensor.readable is readable
    plain = context.create_tensor(shape=[], data_type="int8").result()
    assert plain.shape == [] and not plain.readable and not plain.writable
    assert repr(make_tensor(context)) == "<webnn.Tensor float32[2, 3] readable writable>"
    with pytest.raises(AttributeError):
        plain.shape = [1]


def test_constant_tensor_attributes(context):
    tensor = context.create_constant_tensor(X).result()
    assert tensor.constant and not tensor.readable and not tensor.writable
    check(error_of(lambda: context.read_tensor(tensor)), TypeError)
    check(error_of(lambda: context.write_tensor(tensor, X)), TypeError)


def test_new_tensors_are_zero(context):
    assert not context.read_tensor(make_tensor(context)).result().any()


@pytest.mark.parametrize("shape", [[0], [2, 0], [2**31], [2**16, 2**16], [2**31 - 1, 2**31 - 1], [2**32 - 1] * 8,
                                   [1] * 9, [2**31 - 1] * 3])
@pytest.mark.parametrize("data_type", ["uint8", "float32", "int64"])
def test_bad_descriptors(context, builder, shape, data_type):
    check(error_of(lambda: context.create_tensor(shape=shape, data_type=data_type)), TypeError)
    check(error_of(lambda: builder.input("x", shape=shape, data_type=data_type)), TypeError)
    check(error_of(lambda: builder.constant(b"", shape=shape, data_type=data_type)), TypeError)
    check(error_of(lambda: context.create_constant_tensor(b"", shape=shape, data_type=data_type)), TypeError)


def test_missing_arguments_of_asynchronous_calls_arrive_through_the_future(context, builder):
    for call in [lambda: context.create_tensor(data_type="float32"), lambda: context.create_tensor(shape=[1]),
                 lambda: context.create_constant_tensor(), lambda: context.read_tensor(),
                 lambda: context.read_tensor(None), lambda: context.read_tensor(3), lambda: builder.build(),
                 lambda: builder.build(None), lambda: builder.build([]),
                 lambda: context.create_tensor([1], "int8", readable="yes")]:
        future = call()
        assert type(future) is webnn.Future
        check(future.exception(), TypeError)


def test_flags_gate_read_and_write_but_not_dispatch(context):
    graph = make_relu(context)
    x, y = make_tensor(context, False, False), make_tensor(context, False, False)
    context.dispatch(graph, {"x": x}, {"y": y})
    check(error_of(lambda: context.read_tensor(y)), TypeError, "readable")
    check(error_of(lambda: context.read_tensor(y, out=bytearray(24))), TypeError, "readable")
    check(error_of(lambda: context.write_tensor(x, X)), TypeError, "writable")


def test_destroyed_tensor(context):
    graph, x, y = make_relu(context), make_tensor(context), make_tensor(context)
    x.destroy()
    x.destroy()
    for call in [lambda: context.read_tensor(x), lambda: context.read_tensor(x, out=bytearray(24)),
                 lambda: context.write_tensor(x, X), lambda: context.dispatch(graph, {"x": x}, {"y": y}),
                 lambda: context.dispatch(graph, {"x": y}, {"y": x})]:
        check(error_of(call), TypeError)


def test_read_pending_when_its_tensor_is_destroyed(slow):
    reads = [slow.read(), slow.read(out=bytearray(96 * 96 * 4))]
    slow.y.destroy()
    for future in reads:
        check(future.exception(1), webnn.InvalidStateError)
    slow.y.destroy()


@pytest.mark.parametrize("delay", [0, 0.005])
def test_read_that_nobody_looked_at_fails_with_its_tensor(context, delay):
    """Even if the copy has finished, as long as nobody could tell."""
    for _ in range(20):
        tensor, out = make_tensor(context), bytearray(b"\1" * 24)
        futures = [context.read_tensor(tensor), context.read_tensor(tensor, out=out)]
        time.sleep(delay)
        tensor.destroy()
        for future in futures:
            check(future.exception(), webnn.InvalidStateError)
        assert out == b"\1" * 24


def test_read_that_was_done_stays(context):
    tensor, out = make_tensor(context), bytearray(b"\1" * 24)
    futures = [context.read_tensor(tensor), context.read_tensor(tensor, out=out)]
    while not all(future.done() for future in futures):
        pass
    tensor.destroy()
    context.destroy()
    assert not futures[0].result().any() and futures[1].result() is None and out == bytes(24)


def test_destroyed_right_after_dispatch(slow):
    """Queued work keeps what it needs."""
    result = make_tensor(slow.context, shape=[96, 96])
    x = make_tensor(slow.context, shape=[96, 96])
    identity = np.eye(96, dtype=np.float32)
    slow.dispatch()  # keeps the worker busy
    slow.context.write_tensor(x, identity)
    slow.context.dispatch(slow.graph, {"x": x}, {"y": result})
    x.destroy()
    slow.graph.destroy()
    np.testing.assert_array_equal(slow.context.read_tensor(result).result(), identity)


def test_dropped_right_after_dispatch(ml):
    context = ml.create_context().result()
    graph, x, y = make_relu(context), make_tensor(context), make_tensor(context)
    context.write_tensor(x, X)
    context.dispatch(graph, {"x": x}, {"y": y})
    future = context.read_tensor(y)
    del graph, x, y, context
    gc.collect()
    np.testing.assert_array_equal(future.result(), Y)


def test_the_timeline_keeps_its_order(context):
    graph, x, y = make_relu(context), make_tensor(context), make_tensor(context)
    futures = []
    for i in range(200):
        context.write_tensor(x, np.full((2, 3), i, np.float32))
        context.dispatch(graph, {"x": x}, {"y": y})
        futures.append((context.read_tensor(y), context.read_tensor(x)))
    for i, pair in enumerate(futures):
        assert [future.result().tolist() for future in pair] == [[[i] * 3] * 2] * 2


def test_write_after_read_does_not_change_what_was_read(slow):
    future = slow.read()
    tensor = make_tensor(slow.context)
    first = slow.context.read_tensor(tensor)
    slow.context.write_tensor(tensor, X)
    second = slow.context.read_tensor(tensor)
    assert not first.result().any() and not future.result().any()
    np.testing.assert_array_equal(second.result(), X)


# ---- dispatch


def test_dispatch(context, relu_graph, tensors):
    x, y = tensors
    context.write_tensor(x, X)
    assert context.dispatch(relu_graph, {"x": x}, {"y": y}) is None
    np.testing.assert_array_equal(context.read_tensor(y).result(), Y)
    context.dispatch(graph=relu_graph, inputs={"x": x}, outputs={"y": y})


def test_dispatch_refusals_in_order(ml, context):
    other = ml.create_context().result()
    graph, foreign_graph = make_relu(context), make_relu(other)
    x, y, foreign = make_tensor(context), make_tensor(context), make_tensor(other)
    constant = context.create_constant_tensor(X).result()
    small = make_tensor(context, shape=[6])
    halves = make_tensor(context, data_type="float16")
    gone = make_tensor(context)
    gone.destroy()
    for arguments in [
        (foreign_graph, {"x": x}, {"y": y}), (graph, {"x": foreign}, {"y": y}), (graph, {"x": x}, {"y": foreign}),
        (graph, {"x": x}, {"y": x}), (graph, {"x": gone}, {"y": y}), (graph, {"x": x}, {"y": gone}),
        (graph, {}, {"y": y}), (graph, {"x": x}, {}), (graph, {"z": x}, {"y": y}), (graph, {"x": x}, {"z": y}),
        (graph, {"x": x, "z": small}, {"y": y}), (graph, {"x": x}, {"y": y, "z": small}),
        (graph, {"x": constant}, {"y": y}), (graph, {"x": x}, {"y": constant}), (graph, {"x": small}, {"y": y}),
        (graph, {"x": x}, {"y": small}), (graph, {"x": halves}, {"y": y}), (graph, {"x": x}, {"y": halves}),
        (graph, {"x": X}, {"y": y}), (graph, {"x": x}, {"y": None}), (graph, {1: x}, {"y": y}),
        (graph, [x], {"y": y}), (graph, {"x": x}, None), (None, {"x": x}, {"y": y}), (x, {"x": x}, {"y": y}),
        (graph, {"X": x}, {"y": y}), (graph, {"x ": x}, {"y": y}), (graph, {"x\0": x}, {"y": y}),
    ]:
        check(error_of(lambda: context.dispatch(*arguments)), TypeError)
    foreign_graph.destroy()
    check(error_of(lambda: context.dispatch(foreign_graph, {"x": x}, {"y": y})), TypeError)
    graph.destroy()
    check(error_of(lambda: context.dispatch(graph, {"x": x}, {"y": x})), webnn.InvalidStateError)
    with pytest.raises(TypeError):
        context.dispatch(graph, {"x": x})
    other.destroy()


def test_one_tensor_for_two_inputs_is_refused(context, builder):
    a, b = builder.input("a", [2, 3], "float32"), builder.input("b", [2, 3], "float32")
    y = builder.add(a, b)
    graph = builder.build({"y": y, "z": y}).result()
    x, out, out2 = (make_tensor(context) for _ in range(3))
    check(error_of(lambda: context.dispatch(graph, {"a": x, "b": x}, {"y": out, "z": out2})), TypeError)
    check(error_of(lambda: context.dispatch(graph, {"a": x, "b": out}, {"y": out2, "z": out2})), TypeError)


def test_tensors_of_another_context(ml, context):
    with ml.create_context().result() as other:
        foreign = make_tensor(other)
        constant = other.create_constant_tensor(X).result()
        for call in [lambda: context.read_tensor(foreign), lambda: context.write_tensor(foreign, X),
                     lambda: context.read_tensor(foreign, out=bytearray(24)),
                     lambda: webnn.GraphBuilder(context).constant(constant),
                     lambda: context.compute(make_relu(other), {"x": X})]:
            check(error_of(call), TypeError)


# ---- graphs


def test_destroyed_graph(context):
    graph, x, y = make_relu(context), make_tensor(context), make_tensor(context)
    graph.destroy()
    graph.destroy()
    check(error_of(lambda: context.dispatch(graph, {"x": x}, {"y": y})), webnn.InvalidStateError)
    check(error_of(lambda: context.compute(graph, {"x": X})), webnn.InvalidStateError)
    assert list(graph.inputs) == ["x"] and "destroyed" in repr(graph)


def test_graphs_do_not_share_their_end(context):
    first, second = make_relu(context), make_relu(context)
    first.destroy()
    np.testing.assert_array_equal(context.compute(second, {"x": X})["y"], Y)


# ---- builders


def test_build_closes_the_builder_at_the_call(context, builder):
    x = builder.input("x", [2, 3], "float32")
    y = builder.relu(x)
    constant = context.create_constant_tensor(X).result()
    future = builder.build({"y": y})
    for call in [lambda: builder.build({"y": y}), lambda: builder.input("z", [1], "int8"), lambda: builder.relu(x),
                 lambda: builder.constant(X), lambda: builder.constant(data_type="int8", value=1), lambda: x + 1,
                 lambda: builder.constant(constant), lambda: -x, lambda: builder.constant(X, copy=False)]:
        check(error_of(call), webnn.InvalidStateError)
    assert y.shape == [2, 3] and y.data_type == "float32"
    np.testing.assert_array_equal(context.compute(future.result(), {"x": X})["y"], Y)


def test_state_errors_of_build_arrive_through_the_future(builder):
    y = builder.relu(builder.input("x", [2, 3], "float32"))
    builder.build({"y": y}).result()
    future = builder.build({})
    check(future.exception(), webnn.InvalidStateError)


def test_after_a_type_error_the_builder_is_usable(context, builder):
    x = builder.input("x", [2, 3], "float32")
    y, k = builder.relu(x), builder.constant(X)
    other = webnn.GraphBuilder(context)
    foreign = other.relu(other.input("x", [1], "float32"))
    for outputs in [{}, {"": y}, {"y": foreign}, {"y": y, "z": foreign}, {"y": x}, {"y": k}, {"y": None}, {"y": X},
                    {1: y}, None, [y], {"y": y, "": y}]:
        check(error_of(lambda: builder.build(outputs)), TypeError)
    for call in [lambda: builder.input("x", [1], "float32"), lambda: builder.input("", [1], "float32"),
                 lambda: builder.relu(foreign), lambda: builder.add(y, foreign), lambda: y + foreign,
                 lambda: builder.concat([y, foreign], 0), lambda: builder.gemm(y, y, c=foreign)]:
        check(error_of(call), TypeError)
    graph = builder.build({"y": y}).result()
    np.testing.assert_array_equal(context.compute(graph, {"x": X})["y"], Y)


def test_one_operand_under_several_names(context, builder):
    x = builder.input("y", [2, 3], "float32")
    y = builder.relu(x)
    graph = builder.build({"y": y, "z": y, "x": builder.identity(x)}).result()
    results = context.compute(graph, {"y": X})
    assert list(graph.outputs) == ["y", "z", "x"]
    for name, expected in [("y", Y), ("z", Y), ("x", X)]:
        np.testing.assert_array_equal(results[name], expected)


def test_graph_without_inputs(context, builder):
    graph = builder.build({"y": builder.relu(builder.constant(X))}).result()
    assert graph.inputs == {}
    y = make_tensor(context)
    context.dispatch(graph, {}, {"y": y})
    np.testing.assert_array_equal(context.read_tensor(y).result(), Y)
    np.testing.assert_array_equal(context.compute(graph, {})["y"], Y)


def test_deep_diamonds_build(context, builder):
    y = builder.input("x", [1], "float32")
    for _ in range(200):
        y = builder.max(y, y)
    graph = builder.build({"y": y}).result()
    assert context.compute(graph, {"x": np.array([3], np.float32)})["y"].tolist() == [3]


def test_constant_tensor(context):
    tensor = context.create_constant_tensor(X).result()
    builder = webnn.GraphBuilder(context)
    y = builder.identity(builder.constant(tensor))
    assert y.shape == [2, 3] and y.data_type == "float32"
    graph = builder.build({"y": y}).result()
    tensor.destroy()
    np.testing.assert_array_equal(context.compute(graph, {})["y"], X)
    check(error_of(lambda: webnn.GraphBuilder(context).constant(tensor)), TypeError)
    check(error_of(lambda: webnn.GraphBuilder(context).constant(make_tensor(context))), TypeError)


def test_constant_tensor_destroyed_before_the_build(context, builder):
    """Refused where the outputs need it, and the builder stays open."""
    tensor = context.create_constant_tensor(X).result()
    x = builder.input("x", [2, 3], "float32")
    y = builder.add(x, builder.constant(tensor))
    tensor.destroy()
    check(builder.build({"y": builder.relu(y)}).exception(), TypeError, "destroyed")
    graph = builder.build({"y": builder.relu(x)}).result()
    np.testing.assert_array_equal(context.compute(graph, {"x": X})["y"], Y)


def test_constant_tensor_destroyed_while_the_build_runs(context, builder):
    tensor = context.create_constant_tensor(X).result()
    future = builder.build({"y": builder.relu(builder.constant(tensor))})
    tensor.destroy()
    np.testing.assert_array_equal(context.compute(future.result(), {})["y"], Y)


def test_constant_tensor_dropped_before_the_build(context, builder):
    """Dropping the last handle is no destruction."""
    y = builder.relu(builder.constant(context.create_constant_tensor(X).result()))
    gc.collect()
    np.testing.assert_array_equal(context.compute(builder.build({"y": y}).result(), {})["y"], Y)


# ---- loss


def test_after_loss(ml):
    context = ml.create_context().result()
    graph, x, y = make_relu(context), make_tensor(context), make_tensor(context)
    constant = context.create_constant_tensor(X).result()
    builder = webnn.GraphBuilder(context)
    a = builder.input("a", [2, 3], "float32")
    b = builder.relu(a)
    context.destroy()
    context.destroy()
    assert context.lost.done()
    for call, expected in [
        (lambda: context.dispatch(graph, {"x": x}, {"y": y}), webnn.InvalidStateError),
        (lambda: context.compute(graph, {"x": X}), webnn.InvalidStateError),
        (lambda: context.read_tensor(y), TypeError), (lambda: context.read_tensor(y, out=bytearray(24)), TypeError),
        (lambda: context.write_tensor(x, X), TypeError),
        (lambda: context.create_tensor([1], "float32"), webnn.InvalidStateError),
        (lambda: context.create_constant_tensor(X), webnn.InvalidStateError),
        (lambda: webnn.GraphBuilder(context), webnn.InvalidStateError),
        (lambda: builder.input("z", [1], "float32"), webnn.InvalidStateError),
        (lambda: builder.constant(X), webnn.InvalidStateError), (lambda: builder.relu(a), webnn.InvalidStateError),
        (lambda: builder.constant(constant), TypeError), (lambda: a + 1, webnn.InvalidStateError),
        (lambda: builder.constant(data_type="int8", value=1), webnn.InvalidStateError),
        (lambda: builder.build({"b": b}), webnn.InvalidStateError),
    ]:
        check(error_of(call), expected)
    for thing in [graph, x, y, constant, context]:
        thing.destroy()
    assert b.shape == [2, 3] and x.shape == [2, 3]


def test_loss_says_why(context):
    context.destroy()
    message = context.lost.result().message
    assert message in str(error_of(lambda: context.create_tensor([1], "float32")))


def test_reads_pending_when_the_context_is_lost(slow):
    futures = [slow.read(), slow.context.read_tensor(slow.y, out=bytearray(96 * 96 * 4))]
    slow.context.destroy()
    for future in futures:
        check(future.exception(10), webnn.InvalidStateError)


def test_build_pending_when_the_context_is_lost(slow):
    slow.dispatch()
    builder = webnn.GraphBuilder(slow.context)
    future = builder.build({"y": builder.relu(builder.input("x", [2], "float32"))})
    slow.context.destroy()
    error = future.exception(10)
    assert error is None or type(error) is webnn.InvalidStateError


def test_contexts_are_lost_alone(ml, context):
    with ml.create_context().result() as other:
        context.destroy()
        assert not other.lost.done()
        np.testing.assert_array_equal(other.compute(make_relu(other), {"x": X})["y"], Y)


# ---- threads


def run_threads(n, work):
    errors = []

    def run(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors and not any(thread.is_alive() for thread in threads)


def test_one_context_from_many_threads(context, relu_graph):
    def work(i):
        x, y = make_tensor(context), make_tensor(context)
        for k in range(30):
            data = np.full((2, 3), i * 100 + k, np.float32)
            context.write_tensor(x, data)
            context.dispatch(relu_graph, {"x": x}, {"y": y})
            np.testing.assert_array_equal(context.read_tensor(y).result(), data)
            out = np.empty((2, 3), np.float32)
            context.compute(relu_graph, {"x": data}, {"y": out})
            np.testing.assert_array_equal(out, data)
        x.destroy()

    run_threads(6, work)


def test_builders_in_many_threads(context):
    def work(i):
        for k in range(20):
            builder = webnn.GraphBuilder(context)
            x = builder.input("x", [2, 3], "float32")
            graph = builder.build({"y": x * 2.0 + float(i)}).result()
            np.testing.assert_array_equal(context.compute(graph, {"x": X})["y"], X * 2 + i)

    run_threads(4, work)


def test_a_builder_in_two_threads_gives_results_or_state_errors(context):
    builder = webnn.GraphBuilder(context)
    data = np.zeros(1 << 20, np.float32)
    x = builder.input("x", [1 << 20], "float32")

    def work(i):
        for _ in range(20):
            try:
                builder.add(x, builder.constant(data))
            except webnn.InvalidStateError:
                pass

    run_threads(4, work)


def test_destroy_races_with_everything(ml):
    for _ in range(10):
        context = ml.create_context().result()
        graph = make_relu(context)
        start = threading.Barrier(3)

        def work(i):
            start.wait()
            if i == 0:
                context.destroy()
                return
            try:
                for _ in range(50):
                    tensor = make_tensor(context)
                    context.write_tensor(tensor, X)
                    context.read_tensor(tensor).result()
                    context.compute(graph, {"x": X})
            except (webnn.InvalidStateError, TypeError):
                pass

        run_threads(3, work)
        assert context.lost.done()
