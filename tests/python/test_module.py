"""The module as a guest of the interpreter: cheap to import, in any interpreter, leaving nothing behind."""

import gc
import json
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import webnn

SANITIZED = "libasan" in Path("/proc/self/maps").read_text()
STUB = Path(webnn.__file__).with_name("__init__.pyi")


def run(program, *options):
    done = subprocess.run([sys.executable, *options, "-c", textwrap.dedent(program)], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_brings_little_along():
    program = "import sys; before = set(sys.modules); import webnn; print(*sorted(set(sys.modules) - before))"
    assert run(program).split() == ["webnn", "webnn._core"]


@pytest.mark.skipif(SANITIZED, reason="a sanitizer makes everything slow")
def test_import_is_fast():
    program = """
        import time
        start = time.perf_counter()
        import webnn
        print(time.perf_counter() - start)
    """
    assert min(float(run(program)) for _ in range(10)) < 0.015


def test_public_names():
    assert all(hasattr(webnn, name) for name in webnn.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+", webnn.__version__)
    with pytest.raises(AttributeError):
        webnn.nonsense
    with pytest.raises(AttributeError):
        webnn._nonsense
    assert not hasattr(webnn, "__nonsense__")


def test_stub_lists_what_is_there():
    stub = STUB.read_text(encoding="utf-8")
    for name in webnn.__all__:
        assert re.search(rf"^(class|def) {name}\b", stub, re.MULTILINE), name
    for cls in [webnn.ML, webnn.Context, webnn.Tensor, webnn.Graph, webnn.Operand, webnn.Future]:
        body = re.search(rf"^class {cls.__name__}\b.*?(?=^\S|\Z)", stub, re.MULTILINE | re.DOTALL).group()
        for name in vars(cls):
            if not name.startswith("_"):
                assert re.search(rf"def {name}\(", body), (cls, name)


# ---- leaks


def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def everything(ml):
    """Every kind of object and of failure, once."""
    context = ml.create_context().result()
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [64, 64], "float32")
    data = np.ones((64, 64), np.float32)
    constant = context.create_constant_tensor(data).result()
    y = builder.add(builder.constant(data), builder.constant(constant), label="sum") * 2.0 + x
    y = builder.add(y, builder.constant(data, copy=False))
    for bad in [lambda: builder.add(x, 1), lambda: builder.reshape(x, [-1]), lambda: builder.constant(data.T[:, 1:]),
                lambda: builder.relu(x, label=1), lambda: builder.concat([x, None], 0), lambda: x + "1",
                lambda: builder.input("x", [1], "float32"), lambda: webnn.GraphBuilder(None)]:
        with pytest.raises(TypeError):
            bad()
    builder.split(x, 4)
    graph = builder.build({"y": y}, keep_definition=True).result()
    tx = context.create_tensor([64, 64], "float32", writable=True, readable=True).result()
    ty = context.create_tensor([64, 64], "float32", readable=True).result()
    context.write_tensor(tx, data)
    context.dispatch(graph, {"x": tx}, {"y": ty})
    context.read_tensor(ty).add_done_callback(lambda done: done.result())
    out = bytearray(64 * 64 * 4)
    context.read_tensor(ty, out=out)
    context.read_tensor(ty).cancel()
    assert context.read_tensor(ty).result()[0, 0] == 6
    with pytest.raises(TypeError):
        context.read_tensor(ty, out=b"").result()
    with pytest.raises(TypeError):
        context.compute(graph, {"x": data}, {"y": b""})
    context.compute(graph, {"x": data})
    context.compute(graph, {"x": data}, {"y": out})
    np.from_dlpack(ty), np.asarray(ty), memoryview(ty), ty.__dlpack__()
    repr([context, builder, x, graph, tx, context.lost]), graph.inputs, graph.memory, context.info
    context.lost.add_done_callback(lambda done, graph=graph: None)
    context.destroy()


@pytest.mark.skipif(SANITIZED, reason="a sanitizer keeps what is freed")
def test_nothing_leaks(ml):
    everything(ml)
    for _ in range(30):
        everything(ml)
    before = resident()
    for _ in range(120):
        everything(ml)
    assert resident() - before < 2 << 20  # a round allocates some 200 KiB


def test_references_balance(ml):
    data = np.ones((2, 2), np.float32)
    name, label = "some input name", "some label"

    def round_trip():
        context = ml.create_context().result()
        builder = webnn.GraphBuilder(context)
        y = builder.add(builder.input(name, [2, 2], "float32"), builder.constant(data), label=label)
        graph = builder.build({name: y}).result()
        context.compute(graph, {name: data}, {name: np.empty((2, 2), np.float32)})
        with pytest.raises(TypeError):
            context.compute(graph, {name: data, label: data}, {name: data})

    round_trip()
    gc.collect()
    watched = [data, name, label, np.asarray, webnn.Context, webnn.Graph, webnn.Operand, webnn.Future, webnn.Tensor,
               webnn.GraphBuilder, webnn.Descriptor]
    before = [sys.getrefcount(thing) for thing in watched]
    for _ in range(50):
        round_trip()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in watched]
    assert all(b - a < 5 for a, b in zip(before, after)), (before, after)


# ---- other interpreters

WORK = """
import array, webnn
context = webnn.ML().create_context().result()
builder = webnn.GraphBuilder(context)
x = builder.input("x", [3], "float32")
graph = builder.build({"y": builder.relu(x)}).result()
out = array.array("f", bytes(12))
context.compute(graph, {"x": array.array("f", [1, -2, 3])}, {"y": out})
assert out.tolist() == [1, 0, 3]
tensor = context.create_tensor([3], "float32", readable=True).result()
called = []
tensor_read = context.read_tensor(tensor)
context.lost.add_done_callback(called.append)
context.destroy()
import time
end = time.monotonic() + 10
while not called and time.monotonic() < end:
    time.sleep(0.001)
assert called and called[0].result().message
"""

SUBINTERPRETERS = """
import sys
sys.modules["numpy"] = None
WORK = {work!r}
exec(WORK)
if sys.version_info >= (3, 14):
    from concurrent import interpreters
    for _ in range(3):
        other = interpreters.create()
        other.exec("import sys; sys.path[:] = %r; sys.modules['numpy'] = None" % sys.path)
        other.exec(WORK)
        other.close()
else:
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    own_gil = sys.version_info >= (3, 12)  # before, isolated ones had no threads either
    for _ in range(3):
        other = interpreters.create() if own_gil else interpreters.create(isolated=False)
        prefix = "import sys; sys.path[:] = %r; sys.modules['numpy'] = None\\n" % sys.path
        end = "" if own_gil else "import atexit; atexit._run_exitfuncs()"  # destroy wants all threads gone first
        failed = interpreters.run_string(other, prefix + WORK + end)
        assert failed is None, failed
        interpreters.destroy(other)
exec(WORK)
print("done")
"""


def test_subinterpreters():
    assert run(SUBINTERPRETERS.format(work=WORK)) == "done\n"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="as 3.11 leaves interpreters behind")
def test_forgotten_subinterpreters():
    program = """
        import sys, _xxsubinterpreters as interpreters
        other = interpreters.create(isolated=False)
        interpreters.run_string(other, "import sys; sys.path[:] = %r; import webnn;"
                                       "context = webnn.ML().create_context().result()" % sys.path)
        print("done")
    """
    assert run(program) == "done\n"


def test_two_copies_of_the_module():
    program = """
        import sys, array, webnn
        first = webnn
        for name in [name for name in sys.modules if name.startswith("webnn")]:
            del sys.modules[name]
        import webnn as second
        assert first.Context is not second.Context
        context = first.ML().create_context().result()
        try:
            second.GraphBuilder(context)
        except TypeError:
            print("strangers")
        del first, webnn
        import gc; gc.collect()
        builder = type(context).__mro__ and second.GraphBuilder(second.ML().create_context().result())
        print(builder.input("x", [1], "int8").data_type)
    """
    assert run(program) == "strangers\nint8\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forked_children_start_afresh(ml):
    program = """
        import os, sys, warnings
        warnings.simplefilter("ignore")
        import numpy as np, webnn
        context = webnn.ML().create_context().result()
        called = []
        context.lost.add_done_callback(called.append)
        if os.fork() == 0:
            fresh = webnn.ML().create_context().result()
            tensor = fresh.create_tensor([2], "float32", readable=True).result()
            fresh.lost.add_done_callback(called.append)
            assert fresh.read_tensor(tensor).result().tolist() == [0, 0]
            try:
                context.create_tensor([2], "float32").result()
            except webnn.InvalidStateError:
                fresh.destroy()
                import time
                end = time.monotonic() + 10
                while not called and time.monotonic() < end:
                    time.sleep(0.001)
                os._exit(7 if called else 8)
            os._exit(9)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    """
    assert run(program) == "7\n"


def test_the_package_is_typed():
    assert STUB.exists() and STUB.with_name("py.typed").exists() and STUB.with_name("_ops.pyi").exists()


def test_limits_are_json(ml):
    with ml.create_context().result() as context:
        assert json.loads(json.dumps(context.op_support_limits())) == context.op_support_limits()


def test_poller_thread_is_lazy():
    program = """
        import threading, webnn
        context = webnn.ML().create_context().result()
        context.create_tensor([2], "int8", readable=True).result()
        before = threading.active_count()
        context.lost.add_done_callback(print)
        print(before, threading.active_count())
    """
    assert run(program) == "1 2\n"


def test_contexts_give_their_threads_back(ml):
    def count():
        return len(os.listdir("/proc/self/task"))

    before = count()
    for _ in range(20):
        context = ml.create_context(threads=2).result()
        assert context.info["threads"] == 2
        del context
    end = time.monotonic() + 10
    while count() > before and time.monotonic() < end:
        time.sleep(0.001)
    assert count() <= before
