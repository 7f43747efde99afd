#!/usr/bin/env python3
"""What a tiny graph costs from Lua and from Python: write, dispatch, await; and one compute into the caller's memory.

    bench/lua/tiny.py [--check] COMMAND ...    each a quoted command that runs a Lua with the module in reach

Rounds of all sides, processes that wait for their turn alike, are interleaved in one run, so that whatever else the
machine does meets all of them; each side's best turn counts. With --check it fails when a Lua costs more than Python.
"""

import argparse
import asyncio
import pathlib
import shlex
import subprocess
import sys
import time

import numpy as np

import webnn

SCRIPT = pathlib.Path(__file__).with_name("tiny.lua")
ROUNDS, TURNS = 200, 150


class Python:
    def __init__(self):
        self.context = webnn.ML().create_context(threads=1).result()
        builder = webnn.GraphBuilder(self.context)
        x = builder.input("x", [4], "float32")
        self.graph = builder.build({"y": builder.relu(x)}).result()
        self.x = self.context.create_tensor([4], "float32", writable=True).result()
        self.y = self.context.create_tensor([4], "float32", readable=True).result()
        self.data = np.array([-1, 0, 1, 2], "float32")
        self.result = np.empty(4, "float32")

    def block(self, n):
        for _ in range(n):
            self.context.write_tensor(self.x, self.data)
            self.context.dispatch(self.graph, {"x": self.x}, {"y": self.y})
            self.context.read_tensor(self.y).result()

    def compute(self, n):
        for _ in range(n):
            self.context.compute(self.graph, {"x": self.data}, {"y": self.result})

    def coroutine(self, n):
        asyncio.run(self._awaiting(n))

    async def _awaiting(self, n):
        for _ in range(n):
            self.context.write_tensor(self.x, self.data)
            self.context.dispatch(self.graph, {"x": self.x}, {"y": self.y})
            await self.context.read_tensor(self.y)

    def serve(self):
        """What tiny.lua does, likewise."""
        for line in sys.stdin:
            how, n = line.split()
            getattr(self, how)(int(n))
            start = time.perf_counter()
            getattr(self, how)(int(n))
            print((time.perf_counter() - start) / int(n) * 1e6, flush=True)


class Side:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self, how):
        self.process.stdin.write(f"{how} {ROUNDS}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def measure(sides, how):
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(TURNS):
        for name, side in sides.items():
            best[name] = min(best[name], side.turn(how))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("commands", nargs="*", metavar="NAME=COMMAND")
    args = parser.parse_args()
    if args.serve:
        return Python().serve()
    sides, dear = {"Python": Side([sys.executable, __file__, "--serve"])}, []
    for name, command in (pair.split("=", 1) for pair in args.commands):
        sides[name] = Side([*shlex.split(command), SCRIPT, "webnn.ffi" if name.endswith("ffi") else "webnn"])
    for how in ("block", "compute", "coroutine"):
        best = measure(sides, how)
        for name, cost in best.items():
            print(f"{how:10} {name:14} {cost:7.2f} us, {cost / best['Python']:.2f} of Python's")
            if name != "Python" and cost > best["Python"]:
                dear.append(f"{name} ({how})")
    if any([side.end() for side in sides.values()]):
        return 1
    if args.check and dear:
        print("A tiny graph costs more than from Python:", ", ".join(dear))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
