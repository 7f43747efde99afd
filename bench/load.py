#!/usr/bin/env python3
"""What it takes to load a model: memory and time, each engine in a process of its own.

Called by bench.py, which prints the tables; as a program it loads one model with one engine and prints what that
took as JSON: seconds from the start of loading to the first result (imports not counted), and how many bytes the process
has more then: resident (and the part of that which is no file's), and at the highest.

    bench/load.py ENGINE MODEL THREADS INPUTS.npz
"""

import gc
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np


def _status():
    """Resident bytes, those that are no file's, the highest mark."""
    fields = {}
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in ("VmRSS", "RssAnon", "VmHWM"):
                fields[name] = int(value.split()[0]) * 1024
    return fields


def _reset_peak():
    """Makes the highest mark the present one."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def _importer(engine):
    if engine == "webnn":
        import onnx  # noqa: F401
        import webnn.onnx  # noqa: F401
    elif engine == "webnn file":
        import webnn.serialize  # noqa: F401
    else:
        __import__(engine)


def _load_webnn(engine, path, shapes, inputs, threads):
    import webnn

    context = webnn.ML().create_context(threads=threads).result()
    if engine == "webnn":
        graph = webnn.onnx.load(path, context, shapes=shapes)
    else:
        graph = webnn.serialize.load(path, context)
    feeds = {name: value for name, value in inputs.items() if name in graph.inputs}
    return lambda: context.compute(graph, feeds), lambda: graph.memory


def _load(engine, path, inputs, threads):
    """A function that runs it, and one that tells the engine's own account of its memory."""
    shapes = {name: list(value.shape) for name, value in inputs.items()}
    if engine in ("webnn", "webnn file"):
        return _load_webnn(engine, path, shapes, inputs, threads)
    import bench

    run = bench.ENGINES[engine](path, shapes, inputs, threads)
    return run, dict


def measure_here(engine, path, threads, inputs):
    _importer(engine)
    if engine in ("onnxruntime", "openvino"):
        import bench  # noqa: F401
    gc.collect()
    _reset_peak()
    before, start, cpu = _status(), time.perf_counter(), time.process_time()
    run, account = _load(engine, path, inputs, threads)
    outputs = run()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    del outputs
    gc.collect()
    after = _status()
    return {
        "seconds": seconds,
        "cpu": cpu,
        "resident": after["VmRSS"] - before["VmRSS"],
        "anonymous": after["RssAnon"] - before["RssAnon"],
        "highest": after["VmHWM"] - before["VmRSS"],
        "account": account(),
    }


def measure(engine, path, threads, inputs_path, times):
    """Medians of several processes."""
    command = [sys.executable, __file__, engine, str(path), str(threads), str(inputs_path)]
    found = []
    for _ in range(times):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError((done.stderr.strip().splitlines() or ["no reason given"])[-1])
        found.append(json.loads(done.stdout))
    medians = {key: statistics.median(one[key] for one in found)
               for key in ("seconds", "cpu", "resident", "anonymous", "highest")}
    return {**medians, "account": found[0]["account"]}


def graph_file(path, shapes, folder):
    """The model as a graph file, made in a process of its own."""
    made = pathlib.Path(folder) / "model.webnn"
    program = (
        "import json, sys, webnn, webnn.onnx, webnn.serialize\n"
        "path, out, shapes = sys.argv[1:]\n"
        "builder = webnn.GraphBuilder(webnn.ML().create_context(backend='reference').result())\n"
        "webnn.serialize.save(out, builder, webnn.onnx.add_to(builder, path, json.loads(shapes)))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path), str(made), json.dumps(shapes)], check=True)
    return made


def rows(models, engines, threads, times):
    """For each (name, path, inputs): what each engine takes, by name; or the reason why it doesn't run."""
    for name, path, inputs in models:
        shapes = {key: list(value.shape) for key, value in inputs.items()}
        with tempfile.TemporaryDirectory() as folder:
            inputs_path = pathlib.Path(folder) / "inputs.npz"
            np.savez(inputs_path, **inputs)
            found = {}
            for engine in engines:
                try:
                    source = graph_file(path, shapes, folder) if engine == "webnn file" else path
                    found[engine] = measure(engine, source, threads, inputs_path, times)
                except (RuntimeError, subprocess.SubprocessError) as error:
                    found[engine] = str(error)
            yield name, found


if __name__ == "__main__":
    engine, path, threads, inputs = sys.argv[1:]
    with np.load(inputs) as data:
        arrays = {name: data[name] for name in data.files}
    print(json.dumps(measure_here(engine, path, int(threads), arrays)))
