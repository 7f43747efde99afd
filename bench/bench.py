#!/usr/bin/env python3
"""Times models, transformers, dispatch, loading and import against onnxruntime and OpenVINO, and weighs loaded models.
Single operations are timed against onnxruntime, NumPy and PyTorch: see ops.py.

All engines run in one process, in turns: engines' threads spin for a while after a run and disturb the next one,
so each turn begins with a pause and a run that isn't counted. Figures are medians; the last column is ours divided by the
better peer's. A ratio is worth no more than the spread of an engine against itself, which is printed too.

    bench/bench.py [models|transformers|dispatch|load|import|ops|opencl ...] [--threads N ...] [--only NAME ...]
                   [--seconds S] [--json FILE] [--join FILE ...] [--table FILE]
"""

import argparse
import ctypes
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAUSE = 0.010


def machine():
    """The processor, and how many of its threads are there."""
    names = [line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")] if pathlib.Path("/proc/cpuinfo").exists() else []
    return f"{names[0] if names else platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} threads"


def versions():
    found = {"python": platform.python_version()}
    for name in (*ENGINES, "numpy", "torch"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    import webnn

    found["driver"] = webnn.ML().create_context().result().info["driver"]
    return found


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- engines: make one for a model, get a function that runs it and gives its outputs


def with_webnn(path, shapes, inputs, threads, backend="auto"):
    import webnn
    import webnn.onnx

    context = webnn.ML().create_context(threads=threads, backend=backend).result()
    graph = webnn.onnx.load(str(path), context, shapes=shapes)
    outputs = {
        name: np.empty(described.shape, described.data_type) for name, described in graph.outputs.items()
    }
    feeds = {name: value for name, value in inputs.items() if name in graph.inputs}

    def run():
        context.compute(graph, feeds, outputs)
        return outputs

    run.graph = graph
    return run


def with_onnxruntime(path, shapes, inputs, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return lambda: dict(zip(names, session.run(names, inputs)))


def with_openvino(path, shapes, inputs, threads):
    import openvino

    core = openvino.Core()
    model = core.read_model(str(path))
    model.reshape({name: list(shape) for name, shape in shapes.items()})
    hints = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(model, "CPU", hints).create_infer_request()
    for name, value in inputs.items():
        request.set_tensor(name, openvino.Tensor(value))
    return request.infer


ENGINES = {"webnn": with_webnn, "onnxruntime": with_onnxruntime, "openvino": with_openvino}


def find_torch():
    """PyTorch's module, or None after a line that says why."""
    try:
        import torch
    except ImportError as error:
        print(f"PyTorch is left out: {error}")
        return None
    return torch


# ---- timing


def one_turn(run, seconds):
    time.sleep(PAUSE)
    run()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return times


def interleave(runs, seconds, turns=8):
    """Medians by engine, and how far medians of single turns of one engine lie apart."""
    times = {name: [] for name in runs}
    for _ in range(turns):
        for name, run in runs.items():
            times[name].append(one_turn(run, seconds / turns))
    medians = {name: statistics.median(sum(turn_times, [])) for name, turn_times in times.items()}
    spreads = {}
    for name, turn_times in times.items():
        halves = [statistics.median(sum(turn_times[k::2], [])) for k in (0, 1)]
        spreads[name] = max(halves) / min(halves)
    return medians, spreads


def draw(entry, seed=7):
    rng = np.random.default_rng(seed)
    inputs = {}
    for name, about in entry["inputs"].items():
        shape, low, high = about["shape"], about.get("low", 0), about.get("high", 1)
        if about.get("data_type", "float32").startswith("int"):
            inputs[name] = rng.integers(low, high, shape).astype(about["data_type"])
        else:
            inputs[name] = (rng.random(shape) * (high - low) + low).astype("float32")
    return inputs


def farthest(ours, theirs):
    """max|ours − theirs| / max|theirs| over the outputs, which are called as ours are."""
    worst = 0.0
    for name, got in ours.items():
        expected = np.asarray(theirs[name], "float64")
        got = np.asarray(got, "float64").reshape(expected.shape)
        worst = max(worst, float(np.max(np.abs(got - expected)) / max(np.max(np.abs(expected)), 1e-30)))
    return worst


def distances(runs):
    """How far we are from each peer. One alone may be the one that is off: where numbers are small in all, an activation's
    approximation can be as large as they are."""
    return {engine: farthest(runs["webnn"](), run()) for engine, run in runs.items()
            if engine != "webnn" and "webnn" in runs}


def print_row(name, threads, medians, spreads, note="", far=None, engines=ENGINES):
    peers = [value for engine, value in medians.items() if engine != "webnn"]
    ratio = medians["webnn"] / min(peers) if peers and "webnn" in medians else None
    cells = [f"{medians[e] * 1e3:10.3f}" if e in medians else f"{'-':>10}" for e in engines]
    shown = f"{ratio:7.2f}" if ratio else f"{'-':>7}"
    spread = max(spreads.values()) if spreads else 1.0
    differs = ", ".join(f"{engine} {value:.1e}" for engine, value in (far or {}).items())
    print(f"{name:18} {threads:2} {' '.join(cells)} {shown}   A/A {spread:4.2f}  "
          f"{'differs from ' + differs + '; ' if differs else ''}{note}", flush=True)
    return {"name": name, "threads": threads, "ms": {e: v * 1e3 for e, v in medians.items()}, "ratio": ratio,
            "spread": spread, "note": note, "far": far or {}}


# ---- what is timed


def bench_models(options):
    fetch = load_tool("fetch_models")
    rows = []
    for name, entry in fetch.entries().items():
        if "inputs" not in entry or (options.only and name not in options.only):
            continue
        path = fetch.fetch(name)
        inputs = draw(entry)
        shapes = {key: list(value.shape) for key, value in inputs.items()}
        for threads in options.threads:
            runs, notes = {}, []
            for engine, make in ENGINES.items():
                try:
                    run = make(path, shapes, inputs, threads)
                    run()
                    runs[engine] = run
                except Exception as error:  # a model that can't run says why
                    notes.append(f"{engine}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")
            far = distances(runs)
            rows.append(print_row(name, threads, *interleave(runs, options.seconds), "; ".join(notes), far))
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    if ratios:
        print(f"geometric mean of the ratios: {statistics.geometric_mean(ratios):.2f}")
    return rows


def bench_opencl(options):
    """Models on an OpenCL device against the CPU's backend, then products by our kernels, by CLBlast in them and alone."""
    import webnn

    with webnn.ML().create_context(backend="opencl").result() as context:
        print(f"{'':18} {'cpu':>10} {'opencl':>10}   ratio   (milliseconds), {context.info['device']}")
    fetch, rows = load_tool("fetch_models"), []
    for name, entry in fetch.entries().items():
        if "inputs" not in entry or (options.only and name not in options.only):
            continue
        path, inputs, threads = fetch.fetch(name), draw(entry), max(options.threads)
        shapes, runs, launches = {key: list(value.shape) for key, value in inputs.items()}, {}, 0
        for key, backend in (("cpu", "auto"), ("opencl", "opencl")):
            runs[key] = with_webnn(path, shapes, inputs, threads, backend=backend)
        launches = sum(step["launches"] for step in runs["opencl"].graph.steps)
        error = farthest(runs["opencl"](), with_onnxruntime(path, shapes, inputs, threads)())
        rows.append(print_pair(name, runs, options.seconds, f"{launches} launches, max error {error:.1e}"))
    for m, n, k in () if options.only else ((512, 512, 512), (196, 128, 1152), (3136, 64, 576)):
        runs = products(m, n, k)
        note = ", ".join(f"{name} {most / 1e9:.1f}" for name, most in rates(runs, 2 * m * n * k).items()) + " GFLOP/s"
        rows.append(print_pair(f"{m} x {n} x {k}", {name: runs[name] for name in ("CLBlast", "tiles")}, options.seconds, note))
    return rows


def rates(runs, flops):
    """What each way reaches; the pages of the results are there already."""
    return {name: flops / min(one_turn(run, 0.2)) for name, run in runs.items()}


def print_pair(name, runs, seconds, note):
    medians, spreads = interleave(runs, seconds)
    first, second = medians.values()
    print(f"{name:18} {first * 1e3:10.3f} {second * 1e3:10.3f} {second / first:7.2f}   A/A {max(spreads.values()):4.2f}  {note}",
          flush=True)
    return {"name": name, "ms": {key: value * 1e3 for key, value in medians.items()}, "ratio": second / first, "note": note}


def products(m, n, k):
    """A product by each of the ways that the OpenCL backend has, on tensors of the device."""
    import webnn

    runs = {}
    for name, passes in (("CLBlast", "-tiles"), ("tiles", "-clblast")):
        context = webnn.ML().create_context(backend="opencl", passes=passes).result()
        b = webnn.GraphBuilder(context)
        graph = b.build({"z": b.matmul(b.input("x", [m, k], "float32"), b.input("y", [k, n], "float32"))}).result()
        x, y, z = (context.create_tensor(shape, "float32", readable=True, writable=True).result()
                   for shape in ([m, k], [k, n], [m, n]))
        one = np.empty((m, n), "float32")

        def run(context=context, graph=graph, x=x, y=y, z=z, one=one):
            context.dispatch(graph, {"x": x, "y": y}, {"z": z})
            context.read_tensor(z, out=one).result()

        runs[name] = run
    try:
        runs["CLBlast alone"] = clblast_alone(m, n, k, context.info["device"])
    except OSError:
        pass  # there is none
    return runs


def clblast_alone(m, n, k, device_name):
    """CLBlast called as its own client does, on a queue of its own; the result is read as ours is."""
    cl, blast = ctypes.CDLL("libOpenCL.so.1"), ctypes.CDLL("libclblast.so.1")
    for create in (cl.clCreateContext, cl.clCreateCommandQueue, cl.clCreateBuffer):
        create.restype = ctypes.c_void_p
    platforms, devices, name = (ctypes.c_void_p * 16)(), (ctypes.c_void_p * 32)(), ctypes.create_string_buffer(128)
    n_platforms, n_devices, device = ctypes.c_uint(), ctypes.c_uint(), None
    cl.clGetPlatformIDs(16, platforms, ctypes.byref(n_platforms))
    for driver in platforms[: n_platforms.value]:
        cl.clGetDeviceIDs(ctypes.c_void_p(driver), ctypes.c_ulong(0xFFFFFFFF), 32, devices, ctypes.byref(n_devices))
        for each in devices[: n_devices.value]:
            cl.clGetDeviceInfo(ctypes.c_void_p(each), 0x102B, ctypes.c_size_t(128), name, None)  # CL_DEVICE_NAME
            if name.value.decode() == device_name:
                device = ctypes.c_void_p(each)
    context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
    queue = ctypes.c_void_p(cl.clCreateCommandQueue(context, device, ctypes.c_ulong(0), None))
    x, y, z = (np.ones(count, "float32") for count in (m * k, k * n, m * n))
    a, b, c = (ctypes.c_void_p(cl.clCreateBuffer(context, ctypes.c_ulong(1 | 32), ctypes.c_size_t(data.nbytes),  # a copy
                                                 data.ctypes.data_as(ctypes.c_void_p), None)) for data in (x, y, z))
    sizes = [ctypes.c_size_t(value) for value in (m, n, k, 0)]

    def run():
        m_, n_, k_, zero = sizes
        status = blast.CLBlastSgemm(101, 111, 111, m_, n_, k_, ctypes.c_float(1), a, zero, k_, b, zero, n_, ctypes.c_float(0),
                                    c, zero, n_, ctypes.byref(queue), None)
        status = status or cl.clEnqueueReadBuffer(queue, c, 1, zero, ctypes.c_size_t(z.nbytes),
                                                  z.ctypes.data_as(ctypes.c_void_p), 0, None, None)
        if status != 0 or z[-1] != k:
            raise RuntimeError(f"CLBlast failed: {status}")

    return run


def tiny_model():
    import onnx
    from onnx import TensorProto, helper

    def value(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [16])

    graph = helper.make_graph([helper.make_node("Add", ["a", "b"], ["c"])], "tiny", [value("a"), value("b")], [value("c")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    path = ROOT / "build" / "tiny.onnx"
    path.parent.mkdir(exist_ok=True)
    onnx.save(model, str(path))
    return path


def bench_dispatch(options):
    path = tiny_model()
    inputs = {"a": np.arange(16, dtype="float32"), "b": np.ones(16, "float32")}
    shapes = {"a": [16], "b": [16]}

    def many(run, n=200):
        def repeat():
            for _ in range(n):
                run()

        return repeat

    runs = {engine: many(make(path, shapes, inputs, 1)) for engine, make in ENGINES.items()}
    medians, spreads = interleave(runs, options.seconds)
    medians = {name: value / 200 for name, value in medians.items()}
    print("add of 16 floats, microseconds a run: " + ", ".join(f"{k} {v * 1e6:.2f}" for k, v in medians.items()))
    return [print_row("tiny add", 1, medians, spreads)]


def bench_import(options):
    """Milliseconds that an import takes beyond NumPy's own."""
    medians = {}
    program = "import time, numpy; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
    for engine in ENGINES:
        times = [
            float(subprocess.run([sys.executable, "-c", program.format(engine)], capture_output=True, text=True,
                                 check=True).stdout)
            for _ in range(7)
        ]
        medians[engine] = statistics.median(times)
    return [print_row("import", 1, medians, {})]


def bench_transformers(options):
    """An encoder of 128 tokens and a decoder's step with a cache of 1,024, built here and as ONNX for the others."""
    import tempfile

    import onnx
    import text_models as models
    import webnn

    weights = models.read_safetensors(load_tool("fetch_models").fetch("minilm-weights"))
    rows = []
    for name, describe in (("encoder", lambda m: models.encoder(m, weights)), ("decoder", models.decoder)):
        if options.only and name not in options.only:
            continue
        for threads in options.threads:
            context, runs = webnn.ML().create_context(threads=threads).result(), {}
            maker = models.WebnnMaker(context)
            graph = maker.build(describe(maker)[0])
            inputs = models.draw_inputs(graph)
            outputs = {key: np.empty(one.shape, one.data_type) for key, one in graph.outputs.items()}
            runs["webnn"] = lambda: context.compute(graph, inputs, outputs)
            maker = models.OnnxMaker()
            with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
                onnx.save(maker.build(*describe(maker)), file.name)
                for engine in ("onnxruntime", "openvino"):
                    shapes = {key: value.shape for key, value in inputs.items()}
                    runs[engine] = ENGINES[engine](file.name, shapes, inputs, threads)
                    runs[engine]()
            far = distances(runs)
            rows.append(print_row(name, threads, *interleave(runs, options.seconds), far=far))
    return rows


def bench_load(options):
    """Memory that a loaded model adds and the time to its first result, each engine in processes of its own."""
    import load

    fetch = load_tool("fetch_models")
    models = [(name, fetch.fetch(name), draw(entry)) for name, entry in fetch.entries().items()
              if "inputs" in entry and (not options.only or name in options.only)]
    engines, threads, rows = ("webnn", "webnn file", "onnxruntime", "openvino"), max(options.threads), []
    print(f"{'':18} {'resident MiB':^35}   {'ratio':^11}   {'to the first result, ms':^35}   {'ratio':^11}   build's peak / kept")
    print(f"{'':18} " + " ".join(f"{e[:8]:>8}" for e in engines) + "    onnx  file  "
          + " ".join(f"{e[:8]:>8}" for e in engines) + "    onnx  file")
    for name, found in load.rows(models, engines, threads, options.times):
        rows.append({"name": name, "threads": threads, "engines": found})
        print_load(name, found, engines)
    return rows


def print_load(name, found, engines):
    cells = []
    for key, unit, digits in (("resident", 1 << 20, 1), ("seconds", 1e-3, 1)):
        values = {e: found[e][key] / unit for e in engines if not isinstance(found[e], str)}
        base = values.get("onnxruntime")
        cells += [" ".join(f"{values[e]:8.{digits}f}" if e in values else f"{'-':>8}" for e in engines), "  "]
        cells += [f"{values[e] / base:6.2f}" if e in values and base else f"{'-':>6}" for e in engines[:2]]
    ours = found["webnn file"]
    if not isinstance(ours, str):
        kept = ours["account"]["weights"] + ours["account"]["arena"] + ours["account"]["scratch"]
        code = ours["resident"] - ours["anonymous"]  # of the library: not what a model takes
        cells.append(f"  {(ours['highest'] - code) / kept:6.2f}")
    reasons = "; ".join(f"{e}: {found[e][:120]}" for e in engines if isinstance(found[e], str))
    print(f"{name:18} {''.join(cells)}  {reasons}", flush=True)


def bench_ops(options):
    """Last, as it loads PyTorch and tells the allocator to keep what is freed."""
    import ops

    return ops.measure(options.only, options.threads, seconds=options.seconds / 4)


BENCHES = {"models": bench_models, "transformers": bench_transformers, "dispatch": bench_dispatch, "load": bench_load,
           "import": bench_import, "opencl": bench_opencl, "ops": bench_ops}


def load_table(rows):
    """What bench_load has found."""
    engines = ("webnn", "webnn file", "onnxruntime", "openvino")
    lines = ["", "What a loaded model adds to resident memory, in MiB, and the milliseconds from the file to the first result, "
             "imports not counted: we from ONNX, and from a graph file.", "",
             "| model | threads | " + " | ".join(f"{e}, MiB" for e in engines) + " | " + " | ".join(f"{e}, ms" for e in engines)
             + " |", "| --- " * (2 + 2 * len(engines)) + "|"]
    for row in rows:
        cells = [f"{row['engines'][e][key] / unit:.1f}" if isinstance(row["engines"].get(e), dict) else "–"
                 for key, unit in (("resident", 1 << 20), ("seconds", 1e-3)) for e in engines]
        lines.append(f"| {row['name']} | {row['threads']} | {' | '.join(cells)} |")
    return lines


def ops_table(rows):
    """What bench_ops has found."""
    import ops

    engines = ops.ENGINES
    lines = ["", "Single operations on large tensors, in milliseconds; a copy of as many bytes; what we read and write a second, "
             "in GB, and in parts of what the copy does; ours divided by the fastest peer's.", "",
             "| operation | threads | " + " | ".join(engines) + " | GB/s | of the copy | ratio |",
             "| --- " * (len(engines) + 5) + "|"]
    for row in rows:
        cells = [f"{row['seconds'][e] * 1e3:.2f}" if e in row["seconds"] else "–" for e in engines]
        cells += [f"{row['bytes'] / row['seconds']['webnn'] / 1e9:.1f}", f"{row['copy_share']:.2f}", f"{row['ratio']:.2f}"]
        crowded = ", while others were at work" if row["crowded"] else ""
        lines.append(f"| {row['name']}{crowded} | {row['threads']} | {' | '.join(cells)} |")
    mean = statistics.geometric_mean([row["ratio"] for row in rows])
    return [*lines, "", f"Geometric mean of the operations' ratios: {mean:.2f}."]


NO_MODELS = ("tiny add", "import")


def write_table(path, rows):
    """The rows, for people."""
    lines = ["# " + machine(), "", ", ".join(f"{name} {version}" for name, version in versions().items()) + ".", "",
             "Medians in milliseconds; the ratio is ours divided by the better peer's, A/A what an engine differs from itself by. "
             "The last columns: the largest difference between our outputs and a peer's, in parts of its largest number.",
             "", "| work | threads | " + " | ".join(ENGINES) + " | ratio | A/A | to onnxruntime | to openvino |",
             "| --- " * (len(ENGINES) + 6) + "|"]
    timed = [row for row in rows if "ms" in row]
    for row in timed:
        cells = [f"{row['ms'][e]:.3f}" if e in row["ms"] else "–" for e in ENGINES]
        ratio = f"{row['ratio']:.2f}" if row["ratio"] else "–"
        cells += [ratio, f"{row['spread']:.2f}"]
        cells += [f"{row['far'][e]:.1e}" if e in row.get("far", {}) else "–" for e in ("onnxruntime", "openvino")]
        lines.append(f"| {row['name']} | {row['threads']} | {' | '.join(cells)} |")
    ratios = [row["ratio"] for row in timed if row["ratio"] and row["name"] not in NO_MODELS]
    if ratios:
        lines += ["", f"Geometric mean of the models' ratios: {statistics.geometric_mean(ratios):.2f}."]
    loaded = [row for row in rows if row.get("engines")]
    if loaded:
        lines += load_table(loaded)
    operations = [row for row in rows if "copy_share" in row]
    if operations:
        lines += ops_table(operations)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def joined(paths, about, refuse):
    """The rows of former runs, of this machine and these versions; not all need have been there."""
    rows = []
    for path in paths:
        try:
            former = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
            if former["machine"] != about["machine"] or not former["versions"].items() <= about["versions"].items():
                refuse(f"{path} comes from another machine, or from other versions")
            rows += former["rows"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            refuse(f"{path}: {error}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"what to time: {', '.join(BENCHES)} (default: all)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N", help="thread counts (default: 1 2)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME",
                        help="rows to time, by name, operations by a part of it (default: all)")
    parser.add_argument("--seconds", type=float, default=2.0,
                        help="for each engine and row, a quarter of it for operations (default: 2)")
    parser.add_argument("--times", type=int, default=3, help="processes for each engine and model of load (default: 3)")
    parser.add_argument("--json", help="where to write the rows too")
    parser.add_argument("--join", nargs="+", default=[], metavar="FILE", help="rows of former runs, written by --json")
    parser.add_argument("--table", help="a Markdown file to write the ratios to: bench/results/NAME.md")
    options = parser.parse_args()
    for name in options.what:
        if name not in BENCHES:
            parser.error(f"there is no bench {name!r}, but {', '.join(BENCHES)}")
    all_benches = [] if options.join else [each for each in BENCHES if each != "opencl"]  # not every machine has it
    wanted = options.what or all_benches
    missing = [name for name in ("onnx", "onnxruntime", "openvino") if importlib.util.find_spec(name) is None]
    if wanted and missing:
        parser.error(f"what we are timed against isn't here: {', '.join(missing)} (make bench installs it)")
    print(f"{'':18} th {' '.join(f'{engine:>10}' for engine in ENGINES)}   ratio   (milliseconds)")
    rows = joined(options.join, {"machine": machine(), "versions": versions()}, parser.error)
    for name in wanted:
        rows += BENCHES[name](options)
    if wanted and options.only and not rows:
        parser.error(f"nothing that {', '.join(wanted)} would time is called {' or '.join(options.only)}")
    if options.json:
        about = {"machine": machine(), "versions": versions(), "rows": rows}
        pathlib.Path(options.json).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    if options.table:
        write_table(pathlib.Path(options.table), rows)


if __name__ == "__main__":
    main()
