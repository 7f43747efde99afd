"""webnn.Future: from scripts, threads, asyncio loops and callbacks."""

import asyncio
import concurrent.futures
import gc
import inspect
import math
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import webnn

ZEROS = np.zeros((96, 96), np.float32)


@pytest.fixture
def pending(slow):
    """A function that gives a read which stays pending for a while."""
    return slow.read


# ---- waiting

HOOK = """
import sys, webnn
class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy" and Hook.raised is not None:
            raised, Hook.raised = Hook.raised, None
            raise raised
sys.meta_path.insert(0, Hook())
context = webnn.ML().create_context(backend="reference").result()
tensor = context.create_tensor([2], "float32", readable=True).result()
future = context.read_tensor(tensor)
while not future.done():
    pass
assert "numpy" not in sys.modules
for Hook.raised in (KeyboardInterrupt(), MemoryError()):
    kind = type(Hook.raised)
    assert future.done() and not future.cancelled()
    try:
        future.result()
    except kind:
        continue
    raise AssertionError("nothing was raised")
assert not future.cancel()
assert future.result().tolist() == [0, 0] and future.exception() is None
"""


def test_what_interrupts_the_first_look_is_not_the_answer():
    """The first look at a read imports NumPy; Ctrl-C in there is the looker's, the data stays."""
    child = subprocess.run([sys.executable, "-c", HOOK], capture_output=True, text=True, timeout=120)
    assert child.returncode == 0, child.stderr



def test_settled_future(ml):
    future = ml.create_context()
    assert future.done() and not future.cancelled() and future.exception() is None
    assert future.result() is future.result(timeout=0) is future.result(None)
    assert not future.cancel() and future.done()
    assert repr(future).startswith("<webnn.Future done <webnn.Context")


def test_failed_future(ml):
    future = ml.create_context(backend="nonsense")
    assert future.done() and type(future.exception()) is TypeError and not future.cancel()
    for _ in range(2):
        with pytest.raises(TypeError, match="backend"):
            future.result()
    assert repr(future).startswith("<webnn.Future failed TypeError")


def test_result_waits(pending):
    np.testing.assert_array_equal(pending().result(), ZEROS)
    assert pending().exception() is None
    np.testing.assert_array_equal(pending().result(timeout=60), ZEROS)


def test_result_is_the_same_object_each_time(pending):
    future = pending()
    assert future.result() is future.result()


@pytest.mark.parametrize("timeout", [0, 0.001, -1, -math.inf, np.float32(0.001), 10**-9])
def test_timeout(context, timeout):
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        context.lost.result(timeout)
    with pytest.raises(TimeoutError):
        context.lost.exception(timeout=timeout)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("timeout", [math.inf, 1e300, 10**400, 2**70, None])
def test_no_timeout(pending, timeout):
    np.testing.assert_array_equal(pending().result(timeout), ZEROS)


@pytest.mark.parametrize("timeout", ["1", math.nan, [1], 1j])
def test_bad_timeout(pending, timeout):
    with pytest.raises(TypeError):
        pending().result(timeout)


def test_result_is_interruptible(context):
    main = threading.main_thread().ident
    timer = threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            context.lost.result(30)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_gil_is_free_while_waiting(context):
    counted = 0
    waiter = threading.Thread(target=lambda: context.lost.exception(30))
    waiter.start()
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        counted += 1
    assert counted > 100
    context.destroy()
    waiter.join(10)
    assert not waiter.is_alive()


def test_many_threads_wait_for_one_future(pending):
    future = pending()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: future.result(), range(8)))
    assert all(result is results[0] for result in results)


# ---- cancelling


def test_cancel(pending):
    future = pending()
    called = []
    future.add_done_callback(called.append)
    assert future.cancel() and future.cancel() and future.done() and future.cancelled()
    assert called == [future]
    for wait in [future.result, future.exception]:
        with pytest.raises(concurrent.futures.CancelledError):
            wait()
    assert "cancelled" in repr(future)


def test_cancel_wakes_who_waits(pending):
    future = pending()
    errors = []

    def wait():
        try:
            future.result()
        except concurrent.futures.CancelledError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    future.cancel()
    thread.join(10)
    assert len(errors) == 1


def test_lost_cannot_be_cancelled(context):
    assert not context.lost.cancel() and not context.lost.done()


def test_cancelled_build_still_closes_the_builder(context, builder):
    x = builder.input("x", [2], "float32")
    builder.build({"y": builder.relu(x)}).cancel()
    with pytest.raises(webnn.InvalidStateError):
        builder.relu(x)


# ---- callbacks


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    assert condition()


def test_callback_of_a_settled_future_runs_at_once(ml):
    future, threads = ml.create_context(), []
    future.add_done_callback(lambda done: threads.append((done, threading.current_thread())))
    assert threads == [(future, threading.current_thread())]


def test_callbacks_run_once_in_order(pending):
    future, called = pending(), []
    for i in range(5):
        future.add_done_callback(lambda done, i=i: called.append((i, done.done())))
    wait_until(lambda: len(called) == 5)
    future.result()
    time.sleep(0.01)
    assert called == [(i, True) for i in range(5)]


def test_callback_needs_nobody_to_hold_the_future(pending):
    called = []
    pending().add_done_callback(lambda done: called.append(done.result()))
    gc.collect()
    wait_until(lambda: called)
    np.testing.assert_array_equal(called[0], ZEROS)


def test_callbacks_that_raise_do_not_stop_the_others(pending, monkeypatch):
    raised, called = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: raised.append(info.exc_type))
    future = pending()
    future.add_done_callback(lambda done: 1 / 0)
    future.add_done_callback(called.append)
    wait_until(lambda: called)
    assert raised == [ZeroDivisionError]
    future.add_done_callback(lambda done: 1 / 0)
    assert len(raised) == 2


def test_callback_must_be_callable(pending):
    for bad in [None, 1, "f"]:
        with pytest.raises(TypeError):
            pending().add_done_callback(bad)


def test_callback_may_use_the_library(context, pending, relu_graph):
    results = []

    def more(_):
        results.append(context.compute(relu_graph, {"x": np.ones((2, 3), np.float32)})["y"])

    pending().add_done_callback(more)
    wait_until(lambda: results)
    assert results[0].tolist() == [[1] * 3] * 2


def test_lost_calls_back(ml):
    context, called = ml.create_context().result(), []
    context.lost.add_done_callback(lambda done: called.append(done.result().message))
    context.destroy()
    wait_until(lambda: called)
    assert isinstance(called[0], str)


def test_lost_calls_back_for_a_dropped_context(ml):
    context, called = ml.create_context().result(), []
    context.lost.add_done_callback(called.append)
    del context
    gc.collect()
    wait_until(lambda: called)


# ---- awaiting


def test_await(ml):
    async def main():
        context = await ml.create_context()
        x = await context.create_tensor(shape=[2], data_type="float32", readable=True, writable=True)
        context.write_tensor(x, np.array([1, 2], np.float32))
        assert (await context.read_tensor(x)).tolist() == [1, 2]
        buffer = bytearray(8)
        assert await context.read_tensor(x, out=buffer) is None
        assert buffer == np.array([1, 2], np.float32).tobytes()
        builder = webnn.GraphBuilder(context)
        y = builder.relu(builder.input("x", [2], "float32"))
        assert type(await builder.build({"y": y})) is webnn.Graph
        with pytest.raises(webnn.InvalidStateError):
            await builder.build({"y": y})
        with pytest.raises(TypeError):
            await context.create_tensor([0], "float32")
        context.destroy()
        assert (await context.lost).message

    asyncio.run(main())


def test_futures_are_awaitable_but_not_coroutines(ml):
    future = ml.create_context()
    assert inspect.isawaitable(future) and not inspect.iscoroutine(future)
    with pytest.raises(TypeError):
        iter(future)


def test_loop_runs_on_while_awaiting(pending):
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticker = asyncio.create_task(tick())
        result = await pending()
        ticker.cancel()
        return result, ticks

    result, ticks = asyncio.run(main())
    np.testing.assert_array_equal(result, ZEROS)
    assert ticks > 1


def test_one_future_in_several_loops(pending):
    async def main(future):
        results = await asyncio.gather(*(wait(future) for _ in range(3)))
        assert all(result is results[0] for result in results)
        return results[0]

    async def wait(future):
        return await future

    future = pending()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda _: asyncio.run(main(future)), range(3)))
    assert all(result is future.result() for result in results)


def test_cancelled_task_leaves_the_future_alone(pending):
    async def main():
        future = pending()
        task = asyncio.create_task(wait(future))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not future.cancelled()
        return await future

    async def wait(future):
        return await future

    np.testing.assert_array_equal(asyncio.run(main()), ZEROS)


def test_wait_for(context, pending):
    async def main():
        for _ in range(3):
            with pytest.raises((TimeoutError, asyncio.TimeoutError)):
                await asyncio.wait_for(context.lost, 0.001)
        return await asyncio.wait_for(pending(), 60)

    np.testing.assert_array_equal(asyncio.run(main()), ZEROS)
    assert not context.lost.done()


def test_await_of_a_cancelled_future(pending):
    async def main():
        future = pending()
        waiting = asyncio.ensure_future(future)
        await asyncio.sleep(0)
        future.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(asyncio.CancelledError):
            await future

    asyncio.run(main())


def test_a_loop_may_close_with_a_future_pending(context):
    async def main():
        asyncio.create_task(wait())
        await asyncio.sleep(0.01)

    async def wait():
        await context.lost

    start = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - start < 5 and not context.lost.done()


def test_result_inside_a_running_loop(pending):
    async def main():
        return pending().result()

    np.testing.assert_array_equal(asyncio.run(main()), ZEROS)


def test_await_without_a_loop(pending):
    with pytest.raises(RuntimeError):
        next(pending().__await__())


def test_awaiters_let_go_of_the_future(context):
    class Thing:
        pass

    async def main():
        thing = Thing()

        async def wait():
            await context.lost
            return thing

        task = asyncio.create_task(wait())
        await asyncio.sleep(0.01)
        task.cancel()
        return weakref.ref(thing)

    ref = asyncio.run(main())
    gc.collect()
    assert ref() is None


# ---- lost, pending as long as its context lives


def test_a_callback_of_lost_may_know_its_context():
    """The two hold each other: the collector finds them."""
    context = webnn.ML().create_context().result()
    context.lost.add_done_callback(lambda done, context=context: None)
    gone = weakref.ref(context)
    del context
    gc.collect()
    assert gone() is None


def test_callbacks_of_lost_run_when_the_context_is_dropped():
    called = threading.Event()
    webnn.ML().create_context().result().lost.add_done_callback(lambda done: called.set())
    gc.collect()
    assert called.wait(10)


def test_callbacks_of_lost_run_once_when_destroyed(context):
    seen = []
    called = threading.Event()
    context.lost.add_done_callback(lambda done: seen.append(done.result().message))
    context.lost.add_done_callback(lambda done: called.set())
    gc.collect()
    context.destroy()
    assert called.wait(10)
    assert seen == ["the context was destroyed"]


def test_lost_outlives_its_context():
    context = webnn.ML().create_context().result()
    lost, seen, called = context.lost, [], threading.Event()
    lost.add_done_callback(seen.append)
    lost.add_done_callback(lambda done: called.set())
    del context
    gc.collect()
    assert called.wait(10) and seen == [lost]
    assert lost.result().message == "the context was released"


def test_a_collected_cycle_calls_nothing():
    """What the collector takes apart is not run: its pieces may be gone."""
    called = []

    class Owner:
        def __init__(self):
            self.context = webnn.ML().create_context().result()
            self.context.lost.add_done_callback(self.on_lost)

        def on_lost(self, done):
            called.append(self.context)

    for _ in range(20):
        Owner()
    gc.collect()
    time.sleep(0.05)
    assert called == []


def test_generic_alias():
    assert webnn.Future[int].__origin__ is webnn.Future


# ---- the end of the interpreter

ENDS = {
    "pending read into a buffer": """
        buffer = np.zeros((96, 96), np.float32)
        context.dispatch(graph, {"x": x}, {"y": y})
        context.read_tensor(y, out=buffer)
    """,
    "pending callback": """
        context.dispatch(graph, {"x": x}, {"y": y})
        context.read_tensor(y).add_done_callback(lambda done: None)
    """,
    "lost watched": "context.lost.add_done_callback(lambda done: print('lost'))",
    "kept in a module": "import builtins; builtins.kept = [context, graph, x, y, context.read_tensor(y)]",
    "used by atexit": """
        import atexit
        atexit.register(lambda: print(context.compute(graph, {"x": np.zeros((96, 96), np.float32)})["y"].sum()))
        context.lost.add_done_callback(print)
    """,
    "a thread waits": """
        import threading
        threading.Thread(target=lambda: context.lost.result(), daemon=True).start()
        context.lost.add_done_callback(print)
    """,
    "dropped at the end": """
        class Late:
            def __init__(self, *things): self.things = things
            def __del__(self):
                context, graph, x, y, buffer = self.things
                context.dispatch(graph, {"x": x}, {"y": y})
                context.read_tensor(y, out=buffer)
        late = Late(context, graph, x, y, bytearray(96 * 96 * 4))
        context.lost.add_done_callback(print)
        del context
    """,
}

PROGRAM = """
import textwrap, numpy as np, webnn
context = webnn.ML().create_context(backend='reference').result()
builder = webnn.GraphBuilder(context)
v = builder.input("x", [96, 96], "float32")
for _ in range(40): v = builder.matmul(v, v)
graph = builder.build({"y": v}).result()
x = context.create_tensor([96, 96], "float32", writable=True).result()
y = context.create_tensor([96, 96], "float32", readable=True).result()
"""


@pytest.mark.parametrize("end", ENDS)
def test_interpreter_ends_well(end):
    import textwrap

    program = PROGRAM + textwrap.dedent(ENDS[end])
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", program], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
