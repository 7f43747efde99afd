#!/usr/bin/env python3
"""Whether a commit made models slower: two commits, built here, in turns in one run.

Each commit is checked out, built and installed below build/compare, once. For each model and number of threads two
processes load it, one with each build, and take turns; while one works, the other waits without a thread that spins. A
ratio counts when it is farther from 1 than turns of the older build lie apart; one beyond the limit fails the run.

    bench/compare.py OLD [NEW] [--only NAME ...] [--threads N ...] [--seconds S] [--limit 1.05] [--json FILE]

`.` stands for the files as they are, committed or not.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import bench

ROOT = bench.ROOT
PLACE = ROOT / "build" / "compare"
TURNS = 8


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, **options)


def installed(commit, arguments):
    """The folder that holds the commit's Python package."""
    if commit == ".":
        name, source = "here", ROOT
    else:
        name = run("git", "rev-parse", "--short=12", f"{commit}^{{commit}}", cwd=ROOT, stdout=subprocess.PIPE).stdout.strip()
        source = PLACE / name / "source"
    build, stage = PLACE / name / "build", PLACE / name / "stage"
    if name != "here" and stage.exists():
        return stage
    if name != "here" and not source.exists():
        source.mkdir(parents=True)
        archive = subprocess.Popen(["git", "archive", name], cwd=ROOT, stdout=subprocess.PIPE)
        run("tar", "-x", "-C", source, stdin=archive.stdout)
        if archive.wait() != 0:
            raise SystemExit(f"git archive {name} failed")
    quiet = {"stdout": subprocess.DEVNULL}
    run("cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DWEBNN_TESTS=OFF", "-DWEBNN_PYTHON=ON",
        f"-DPython_EXECUTABLE={sys.executable}", f"-DPython3_EXECUTABLE={sys.executable}", *arguments, **quiet)
    run("cmake", "--build", build, "--parallel", **quiet)
    run("cmake", "--install", build, "--component", "webnn", "--prefix", stage, **quiet)
    return stage


class Side:
    """A process with one build that has the model loaded and runs it for a turn when asked."""

    def __init__(self, stage, path, inputs, threads):
        command = [sys.executable, __file__, "--turns", path, inputs, str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PYTHONPATH": str(stage)})
        self.ask("0")

    def ask(self, seconds):
        print(seconds, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a build can't run the model")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(path, inputs, threads):
    """What a Side's process does: a list of times for each number of seconds that it reads."""
    with np.load(inputs) as data:
        arrays = {name: data[name] for name in data.files}
    shapes = {name: list(value.shape) for name, value in arrays.items()}
    once = bench.with_webnn(path, shapes, arrays, threads)
    for line in sys.stdin:
        print(json.dumps(bench.one_turn(once, float(line))), flush=True)


def compared(stages, path, inputs, threads, seconds):
    """The medians of both, and how far the older one's own turns lie apart."""
    sides = [Side(stage, path, inputs, threads) for stage in stages]
    try:
        turns = [[side.ask(seconds / TURNS) for side in sides] for _ in range(TURNS)]
    finally:
        for side in sides:
            side.close()
    old, new = ([turn[k] for turn in turns] for k in (0, 1))
    halves = [statistics.median(sum(old[k::2], [])) for k in (0, 1)]
    return statistics.median(sum(old, [])), statistics.median(sum(new, [])), max(halves) / min(halves)


def main():
    if sys.argv[1:2] == ["--turns"]:
        take_turns(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new", nargs="?", default=".")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each build and row")
    parser.add_argument("--limit", type=float, default=1.05, help="a slower model than this fails the run")
    parser.add_argument("--cmake", nargs="+", default=[], help="arguments for the builds, as WEBNN_ONEDNN_FROM=WHEEL")
    parser.add_argument("--json", help="where to write the rows too")
    options = parser.parse_args()
    stages = [installed(commit, [f"-D{one}" for one in options.cmake]) for commit in (options.old, options.new)]
    fetch, rows, slower = bench.load_tool("fetch_models"), [], []
    print(f"{'':20} th {options.old[:10]:>10} {options.new[:10]:>10}   ratio   (milliseconds)")
    for name, entry in fetch.entries().items():
        if "inputs" not in entry or (options.only and name not in options.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            inputs = pathlib.Path(folder) / "inputs.npz"
            np.savez(inputs, **bench.draw(entry))
            for threads in options.threads:
                old, new, spread = compared(stages, fetch.fetch(name), inputs, threads, options.seconds)
                bad = new / old > max(options.limit, spread)
                slower += [f"{name} on {threads}"] if bad else []
                rows.append({"name": name, "threads": threads, "old": old * 1e3, "new": new * 1e3, "spread": spread})
                print(f"{name:20} {threads:2} {old * 1e3:10.3f} {new * 1e3:10.3f} {new / old:7.2f}   A/A {spread:4.2f}"
                      f"{'   slower' if bad else ''}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"machine": bench.machine(), "rows": rows}, indent=1) + "\n",
                                              encoding="utf-8")
    if slower:
        print("slower: " + ", ".join(slower))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
