"""What webnn-native's users know: error scopes, the handler of uncaught errors, activations as options."""

import gc
import math
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import webnn

FILTERS = ("validation", "out-of-memory", "internal")


def wait_for(condition):
    """Until it holds: the handler runs in a thread of the library, a moment later."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


class Ear(list):
    """A handler that notes what it hears, and in which thread."""

    def __call__(self, error):
        self.append((error, threading.current_thread()))

    def errors(self):
        return [error for error, _ in self]


# ---- failures: calls, and futures that fail


def bad_tensor(context):
    return context.create_tensor([0], "float32").result()


def bad_constant(context):
    return webnn.GraphBuilder(context).constant(b"1", shape=[1], data_type="float32")


def bad_operation(context):
    builder = webnn.GraphBuilder(context)
    a = builder.input("a", [2], "float32")
    return builder.add(a, builder.input("b", [3], "float32"), label="sum")


def bad_build(context):
    return webnn.GraphBuilder(context).build({}).result()


def bad_compute(context):
    builder = webnn.GraphBuilder(context)
    graph = builder.build({"y": builder.relu(builder.input("x", [2], "float32"))}).result()
    return context.compute(graph, {})


def read_of_a_destroyed_tensor(context):
    tensor = context.create_tensor([2], "float32", readable=True).result()
    future = context.read_tensor(tensor)
    tensor.destroy()
    return future.result()


def call_on_a_lost_context(context):
    context.destroy()
    return webnn.GraphBuilder(context)


FAILURES = [
    (bad_tensor, TypeError, "create_tensor"),
    (bad_constant, TypeError, "constant"),
    (bad_operation, TypeError, "[sum] add: "),
    (bad_build, TypeError, "build: there are no outputs"),
    (bad_compute, TypeError, "compute: input"),
    (read_of_a_destroyed_tensor, webnn.InvalidStateError, "read_tensor: the tensor was destroyed"),
    (call_on_a_lost_context, webnn.InvalidStateError, "the context is lost"),
]

failures = pytest.mark.parametrize(
    "fail, kind, words", FAILURES, ids=[fail.__name__ for fail, _, _ in FAILURES]
)


@failures
def test_scopes_note_what_is_raised(context, fail, kind, words):
    ear = Ear()
    context.on_uncaptured_error = ear
    context.push_error_scope("validation")
    context.push_error_scope("internal")
    with pytest.raises(kind) as raised:
        fail(context)
    assert context.pop_error_scope().result() is None
    noted = context.pop_error_scope().result()
    assert type(noted) is kind and str(noted) == str(raised.value)
    assert words in str(noted)
    assert not ear


@failures
def test_the_handler_hears_the_rest(context, fail, kind, words):
    ear = Ear()
    context.on_uncaptured_error = ear
    context.push_error_scope("out-of-memory")
    with pytest.raises(kind):
        fail(context)
    wait_for(lambda: ear)
    assert [type(error) for error in ear.errors()] == [kind]
    assert words in str(ear[0][0])
    assert ear[0][1] is not threading.current_thread()


def test_scopes_nest_and_keep_the_first(context):
    context.push_error_scope("validation")
    context.push_error_scope(filter="validation")
    for fail in (bad_tensor, bad_build):
        with pytest.raises(TypeError):
            fail(context)
    assert "create_tensor" in str(context.pop_error_scope().result())
    with pytest.raises(TypeError):
        bad_build(context)
    assert "build" in str(context.pop_error_scope().result())


def test_popping_nothing_fails_through_the_future(context):
    ear = Ear()
    context.on_uncaptured_error = ear
    future = context.pop_error_scope()
    assert isinstance(future.exception(), webnn.InvalidStateError)
    assert "no error scope is open" in str(future.exception())
    for wrong in ("none", "Validation", None, 1):
        with pytest.raises(TypeError):
            context.push_error_scope(wrong)
    with pytest.raises(TypeError):
        context.push_error_scope()
    assert not ear


def test_pop_can_be_awaited(context):
    import asyncio

    async def main():
        context.push_error_scope("validation")
        try:
            bad_tensor(context)
        except TypeError:
            pass
        return await context.pop_error_scope()

    assert isinstance(asyncio.run(main()), TypeError)


# ---- the handler


def test_the_handler_is_an_attribute(context):
    ear = Ear()
    assert context.on_uncaptured_error is None
    context.on_uncaptured_error = ear
    assert context.on_uncaptured_error is ear
    for wrong in (1, "print"):
        with pytest.raises(TypeError, match="callable"):
            context.on_uncaptured_error = wrong
    assert context.on_uncaptured_error is ear
    context.on_uncaptured_error = None
    assert context.on_uncaptured_error is None
    with pytest.raises(TypeError):
        bad_tensor(context)
    context.on_uncaptured_error = ear
    with pytest.raises(TypeError):
        bad_build(context)
    wait_for(lambda: ear)
    assert [str(error) for error in ear.errors()] == ["build: there are no outputs"]
    del context.on_uncaptured_error
    assert context.on_uncaptured_error is None


def test_handlers_can_be_exchanged(context):
    first, second = Ear(), Ear()
    for handler in (first, second):
        context.on_uncaptured_error = handler
        with pytest.raises(TypeError):
            bad_tensor(context)
        wait_for(lambda handler=handler: handler)
    assert len(first) == len(second) == 1


def test_a_handler_that_raises_stops_nothing(context, monkeypatch):
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: unraisable.append(str(info.exc_value)))

    def handler(error):
        raise RuntimeError(f"about {error}")

    context.on_uncaptured_error = handler
    for _ in range(2):
        with pytest.raises(TypeError):
            bad_build(context)
    wait_for(lambda: len(unraisable) == 2)
    assert unraisable == ["about build: there are no outputs"] * 2


def test_a_handler_may_use_the_context(context):
    heard = []

    def handler(error):
        if len(heard) < 3:
            heard.append(error)
            try:
                bad_tensor(context)
            except TypeError:
                pass
            context.push_error_scope("validation")
            assert context.pop_error_scope().result() is None

    context.on_uncaptured_error = handler
    with pytest.raises(TypeError):
        bad_tensor(context)
    wait_for(lambda: len(heard) == 3)
    context.on_uncaptured_error = None


def test_many_threads_are_heard(context):
    ear = Ear()
    context.on_uncaptured_error = ear

    def work():
        for _ in range(50):
            with pytest.raises(TypeError):
                bad_tensor(context)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_for(lambda: len(ear) == 200)


def test_context_and_handler_can_be_collected(ml):
    class Owner:
        def __init__(self):
            self.context = ml.create_context().result()
            self.context.on_uncaptured_error = self.handle

        def handle(self, error):
            pass

    owner = Owner()
    with pytest.raises(TypeError):
        bad_tensor(owner.context)
    gone = weakref.ref(owner)
    context_gone = weakref.ref(owner.context)
    del owner

    def collected():
        gc.collect()
        return gone() is None and context_gone() is None

    wait_for(collected)


def test_a_process_may_end_with_errors_on_their_way():
    script = """
        import webnn
        context = webnn.ML().create_context().result()
        context.on_uncaptured_error = lambda error: print(error)
        tensor = context.create_tensor([200000], "float32", readable=True).result()
        for _ in range(50):
            future = context.read_tensor(tensor)
        tensor.destroy()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) <= {"read_tensor: the tensor was destroyed"}
    assert done.stderr == ""


# ---- activations as options

X = np.array([-4, -1.5, -0.75, -0.125, 0, 0.25, 1, 3.5], np.float32).reshape(1, 1, 2, 4)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = [
    ({}, lambda x: x),
    ({"activation": "none"}, lambda x: x),
    ({"activation": None}, lambda x: x),
    ({"activation": "relu"}, lambda x: np.maximum(x, 0)),
    ({"activation": "sigmoid"}, sigmoid),
    ({"activation": "tanh"}, np.tanh),
    ({"activation": "clamp", "activation_min_value": -1, "activation_max_value": 2.5}, lambda x: np.clip(x, -1, 2.5)),
    ({"activation": "leakyRelu", "activation_alpha": 0.25}, lambda x: np.where(x < 0, 0.25 * x, x)),
    ({"activation": "leakyRelu"}, lambda x: np.where(x < 0, 0.01 * x, x)),
    ({"activation": "hardSigmoid"}, lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    ({"activation": "hardSwish"}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ({"activation": "elu"}, lambda x: np.where(x < 0, np.exp(x) - 1, x)),
    ({"activation": "gelu"}, lambda x: 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))),
    ({"activation": "softplus"}, lambda x: np.log(1 + np.exp(x))),
    ({"activation": "softsign"}, lambda x: x / (1 + abs(x))),
    ({"activation": "linear", "activation_alpha": 3, "activation_beta": 1}, lambda x: 3 * x + 1),
]

activations = pytest.mark.parametrize(
    "options, formula", ACTIVATIONS, ids=[" ".join(map(str, options.values())) for options, _ in ACTIVATIONS]
)


def conv2d(builder, x, **options):
    return builder.conv2d(x, builder.constant(np.full((1, 1, 1, 1), 2, np.float32)), **options)


def conv_transpose2d(builder, x, **options):
    return builder.conv_transpose2d(x, builder.constant(np.full((1, 1, 1, 1), 2, np.float32)), **options)


def batch_normalization(builder, x, **options):
    mean, variance = builder.constant(np.float32([0])), builder.constant(np.float32([0.25]))
    return builder.batch_normalization(x, mean, variance, epsilon=0, **options)


hosts = pytest.mark.parametrize("host", [conv2d, conv_transpose2d, batch_normalization])


@hosts
@activations
def test_activations_are_applied(context, builder, host, options, formula):
    y = host(builder, builder.input("x", X.shape, "float32"), label="stem", **options)
    assert y.label == "stem" and y.shape == list(X.shape)
    graph = builder.build({"y": y}).result()
    result = context.compute(graph, {"x": X})["y"]
    np.testing.assert_allclose(result, formula(2 * X.astype(np.float64)), rtol=2e-6, atol=2e-6)


@hosts
@pytest.mark.parametrize(
    "options, words",
    [
        ({"activation": "swish"}, "activation"),
        ({"activation": 1}, "activation"),
        ({"activation": "relu", "activation_alpha": 1}, "activationAlpha is given, which activation relu has no use"),
        ({"activation_min_value": 1}, "activationMinValue is given, which activation none has no use"),
        ({"activation": "clamp", "activation_min_value": 2, "activation_max_value": 1}, "clamp: "),
    ],
)
def test_activations_are_checked(builder, host, options, words):
    x = builder.input("x", X.shape, "float32")
    with pytest.raises(TypeError) as raised:
        host(builder, x, label="stem", **options)
    assert "[stem]" in str(raised.value) and words in str(raised.value)
    assert host(builder, x).shape == list(X.shape)


# ---- what else was there


def test_sugar_beside_activations(context, builder):
    """autoPad, squeeze and symmetric padding, by hand: windows of ones are sums."""
    x = builder.input("x", [1, 1, 2, 3], "float32")
    ones = builder.constant(np.ones((1, 1, 2, 2), np.float32))
    outputs = {
        "upper": builder.conv2d(x, ones, auto_pad="same-upper"),
        "lower": builder.conv2d(x, ones, auto_pad="same-lower"),
        "squeezed": builder.squeeze(x),
        "kept": builder.squeeze(x, axes=[0]),
        "mirrored": builder.pad(builder.squeeze(x), [0, 2], [1, 1], mode="symmetric"),
    }
    data = np.arange(1, 7, dtype=np.float32).reshape(1, 1, 2, 3)
    results = context.compute(builder.build(outputs).result(), {"x": data})
    assert results["upper"].tolist() == [[[[12, 16, 9], [9, 11, 6]]]]
    assert results["lower"].tolist() == [[[[1, 3, 5], [5, 12, 16]]]]
    assert results["squeezed"].tolist() == data[0, 0].tolist()
    assert results["kept"].shape == (1, 2, 3)
    assert results["mirrored"].tolist() == [[2, 1, 1, 2, 3, 3], [5, 4, 4, 5, 6, 6], [5, 4, 4, 5, 6, 6]]
