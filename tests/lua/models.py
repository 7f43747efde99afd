#!/usr/bin/env python3
"""Graph files between Python and Lua: `models.py make FOLDER` before tests/lua/models.lua, `models.py check FOLDER`
behind it, which loads what Lua saved again. What the graphs have to give is NumPy's."""

import json
import pathlib
import sys

import numpy as np

import webnn
from webnn import serialize

rng = np.random.default_rng(7)


def dense(builder):
    x = rng.uniform(-1, 1, (3, 8)).astype("float32")
    w, c = rng.uniform(-1, 1, (8, 5)).astype("float32"), rng.uniform(-1, 1, 5).astype("float32")
    y = builder.relu(builder.matmul(builder.input("x", [3, 8], "float32"), builder.constant(w)) + builder.constant(c))
    wanted = np.maximum(x.astype("float64") @ w + c, 0)
    return {"x": x}, {"y": y}, {"y": (wanted, 1e-5)}


def integers(builder):
    x = np.array([1, -2, 0], "int64")
    k = np.array([2**53 + 1, -(2**63), 2**63 - 1], "int64")
    u = np.array([2**64 - 1, 2**63], "uint64")
    y = builder.input("x", [3], "int64") + builder.constant(k)
    wanted = (x.astype("object") + k.astype("object") + 2**63) % 2**64 - 2**63
    return {"x": x}, {"y": y, "u": builder.identity(builder.constant(u))}, {"y": (wanted, None), "u": (u, None)}


def halves(builder):
    x = rng.uniform(-2, 2, (2, 3, 4)).astype("float16")
    y = builder.transpose(builder.input("x", [2, 3, 4], "float16"), permutation=[2, 0, 1], label="höhe")
    flags = builder.cast(builder.greater(y, builder.constant(data_type="float16", value=0.0)), "uint8")
    turned = x.transpose(2, 0, 1)
    return {"x": x}, {"y": y, "flags": flags}, {"y": (turned, 0.0), "flags": (turned > 0, None)}


def types(builder):
    inputs, outputs, wanted = {}, {}, {}
    for name in ("float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"):
        values = np.array([[0, 1, 2], [3, 100, 127]], name)
        outputs[name] = builder.concat([builder.input(f"x_{name}", [2, 3], name), builder.constant(values)], 0)
        inputs[f"x_{name}"] = values[::-1].copy()
        wanted[name] = (np.concatenate([values[::-1], values]), None)
    return inputs, outputs, wanted


CASES = [dense, integers, halves, types]


def as_json(array):
    if array.dtype.kind in "iuOb":
        return [str(int(value)) for value in array.ravel()]
    return [float(value) for value in array.ravel()]


def make(folder):
    cases = []
    for case in CASES:
        context = webnn.ML().create_context().result()
        builder = webnn.GraphBuilder(context)
        inputs, outputs, wanted = case(builder)
        serialize.save(folder / f"{case.__name__}.webnn", builder, outputs)
        cases.append({
            "name": case.__name__,
            "inputs": {name: as_json(array) for name, array in inputs.items()},
            "outputs": {name: {"shape": list(array.shape), "data_type": outputs[name].data_type, "data": as_json(array),
                               **({} if tolerance is None else {"tolerance": tolerance})}
                        for name, (array, tolerance) in wanted.items()},
        })
        np.savez(folder / f"{case.__name__}.npz", **inputs)
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")


def check(folder):
    context = webnn.ML().create_context().result()
    for case in json.loads((folder / "cases.json").read_text(encoding="utf-8")):
        graph = serialize.load(folder / f"{case['name']}.lua.webnn", context)
        results = context.compute(graph, dict(np.load(folder / f"{case['name']}.npz")))
        for name, expected in case["outputs"].items():
            actual = results[name]
            assert str(actual.dtype) == expected["data_type"] and list(actual.shape) == expected["shape"], name
            if "tolerance" in expected:
                assert np.abs(actual.ravel().astype("float64") - expected["data"]).max() <= expected["tolerance"], name
            else:
                assert [int(value) for value in actual.ravel()] == [int(value) for value in expected["data"]], name
    print("Python loads what Lua saved.")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
