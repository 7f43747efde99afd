"""The vectors of tests/data through the Python API, on each backend, with their own tolerances."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import webnn

DATA = Path(__file__).resolve().parent.parent / "data"
BACKENDS = ["reference", "onednn"]  # OpenCL's run in C: their programs take long to compile
SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def listed(kind):
    files = json.loads((DATA / kind / "files.json").read_text(encoding="utf-8"))["files"]
    return [(kind, name, count) for name, count in files.items()]


def load(kind, name):
    return json.loads((DATA / kind / name).read_text(encoding="utf-8"))["tests"]


@pytest.fixture(scope="module", params=BACKENDS)
def context(request):
    try:
        ctx = webnn.ML().create_context(backend=request.param).result()
    except webnn.NotSupportedError as error:
        pytest.skip(f"no backend {request.param} here: {error}")
    assert ctx.info["backend"] == request.param
    with ctx:
        yield ctx


def snake(name):
    """averagePool2d -> average_pool2d, gatherND -> gather_nd, isNaN -> is_nan."""
    return re.sub(r"(?<=[a-z0-9])(NaN|ND|[A-Z])", r"_\1", name).lower()


def number(text):
    return SPECIAL[text] if text in SPECIAL else int(text)


def array(tensor):
    """The bytes of an input or of a result, exact or not at all."""
    data, dtype = tensor["data"], np.dtype(tensor["dataType"])
    if isinstance(data, dict):
        return np.full(tensor["shape"], data["fill"], dtype)
    values = [number(v) if isinstance(v, str) else v for v in data]
    if dtype.kind != "f":
        return np.array(values, dtype).reshape(tensor["shape"])
    wide = np.array(values, np.float64)
    exact = wide.astype(dtype)
    assert np.array_equal(exact.astype(np.float64), wide, equal_nan=True)
    return exact.reshape(tensor["shape"])


def argument(value, operands):
    if isinstance(value, dict):
        return operands[value["operand"]]
    if isinstance(value, list):
        return [argument(item, operands) for item in value]
    if isinstance(value, str) and re.fullmatch(r"NaN|-?Infinity|-?\d+", value):
        return number(value)
    return value


def build(context, test):
    builder = webnn.GraphBuilder(context)
    operands, inputs = {}, {}
    for name, tensor in test["inputs"].items():
        if tensor["constant"]:
            operands[name] = builder.constant(array(tensor))
        else:
            shape, data_type = tensor["shape"], tensor["dataType"]
            operands[name] = builder.input(name, shape=shape, data_type=data_type)
            inputs[name] = array(tensor)
    for step in test["operators"]:
        args = [argument(value, operands) for value in step["args"].values()]
        options = {snake(key): argument(value, operands) for key, value in step["options"].items()}
        result = getattr(builder, snake(step["op"]))(*args, label=test["id"], **options)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        assert len(results) == len(step["outputs"])
        operands.update(zip(step["outputs"], results))
    outputs = {name: operands[name] for name in test["expected"]}
    for name, operand in outputs.items():
        assert operand.shape == test["expected"][name]["shape"]
        assert operand.data_type == test["expected"][name]["dataType"]
    return builder.build(outputs).result(), inputs


def distance(actual, expected, metric):
    """How far two elements are apart; NaN equals NaN, an infinity only itself."""
    if expected.dtype.kind != "f":
        pairs = zip(actual.flat, expected.flat)
        return np.array([abs(int(a) - int(b)) for a, b in pairs], np.float64)
    a, b = actual.astype(np.float64).ravel(), expected.astype(np.float64).ravel()
    if metric == "ULP":
        places = []
        for x in (actual, expected):
            signed = x.ravel().view(f"i{x.dtype.itemsize}").astype(np.int64)
            low = np.int64(np.iinfo(f"i{x.dtype.itemsize}").min)
            places.append(np.where(signed < 0, low - signed, signed))
        apart = np.abs(places[0] - places[1]).astype(np.float64)
    else:
        with np.errstate(invalid="ignore"):
            apart = np.abs(a - b)
    apart[~(np.isfinite(a) & np.isfinite(b))] = np.inf
    apart[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
    return apart


def compare(test, name, actual):
    """What is wrong with a result, None when nothing is."""
    wanted = test["expected"][name]
    expected, tolerance = array(wanted), wanted["tolerance"]
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    if isinstance(wanted["data"], dict):
        # All elements are equal: so many of them are compared at once, one of them in full.
        if not (actual == actual.flat[0]).all():
            return f"{test['id']}: {name}: elements differ"
        actual, expected = actual.ravel()[:1], expected.ravel()[:1]
    apart = distance(actual, expected, tolerance["metric"])
    if test.get("signedZero"):
        zeros = ((actual == 0) & (expected == 0)).ravel()
        apart[zeros & (np.signbit(actual) != np.signbit(expected)).ravel()] = np.inf
    wrong = np.flatnonzero(~(apart <= tolerance["value"]))
    if wrong.size == 0:
        return None
    i = wrong[0]
    return (
        f"{test['id']}: {name}[{i}] is {actual.flat[i]}, expected {expected.flat[i]} "
        f"({apart[i]:g} apart, {tolerance['metric']} {tolerance['value']}; {wrong.size} elements)"
    )


def dispatch(context, graph, test, inputs):
    """The same run on tensors."""
    tensors = {}
    for name, data in inputs.items():
        tensors[name] = context.create_tensor(
            shape=list(data.shape), data_type=data.dtype.name, writable=True
        ).result()
        context.write_tensor(tensors[name], data)
    results = {
        name: context.create_tensor(
            shape=wanted["shape"], data_type=wanted["dataType"], readable=True
        ).result()
        for name, wanted in test["expected"].items()
    }
    context.dispatch(graph, tensors, results)
    return {name: context.read_tensor(tensor).result() for name, tensor in results.items()}


def run(context, test):
    graph, inputs = build(context, test)
    inputs = {name: inputs[name] for name in graph.inputs}
    results = [context.compute(graph, inputs)]
    if not test.get("large"):
        results.append(dispatch(context, graph, test, inputs))
    graph.destroy()
    problems = [compare(test, name, one[name]) for one in results for name in test["expected"]]
    return [problem for problem in problems if problem]


@pytest.mark.parametrize(("kind", "name", "count"), listed("wpt") + listed("semantics"))
def test_vectors(context, kind, name, count):
    tests = load(kind, name)
    assert len(tests) == count
    problems = [problem for test in tests for problem in run(context, test)]
    assert not problems, "\n".join(problems)


def test_symmetric_padding_is_an_extension(context):
    """The specification dropped it; we kept it."""
    (test,) = [t for t in load("wpt", "nonspec.json") if "symmetric" in t["title"]]
    assert run(context, test) == []


def test_refuses_data_types_that_do_not_exist(context):
    builder = webnn.GraphBuilder(context)
    tests = [t for t in load("wpt", "nonspec.json") if any("int4" in why for why in t["nonSpec"])]
    assert len(tests) == 28
    for test in tests:
        small = [t for t in test["inputs"].values() if t["dataType"] in ("int4", "uint4")]
        assert small
        for tensor in small:
            with pytest.raises(TypeError):
                builder.input("x", shape=tensor["shape"], data_type=tensor["dataType"])
            with pytest.raises(TypeError):
                builder.constant(b"\0" * 8, shape=tensor["shape"], data_type=tensor["dataType"])


class TestJudge:
    """The comparison itself can fail."""

    @staticmethod
    def verdict(actual, expected, dtype, metric="ULP", value=0, signed_zero=False):
        wanted = {
            "shape": [1],
            "dataType": dtype,
            "data": [expected],
            "tolerance": {"metric": metric, "value": value},
        }
        test = {"id": "judge", "expected": {"y": wanted}, "signedZero": signed_zero}
        return compare(test, "y", np.array([actual], dtype)) is None

    def test_floats(self):
        assert self.verdict(1.0, 1, "float32")
        assert not self.verdict(np.nextafter(np.float32(1), np.float32(2)), 1, "float32")
        assert self.verdict(np.nextafter(np.float32(1), np.float32(2)), 1, "float32", value=1)
        assert self.verdict(2047, 2048, "float16", value=1)
        assert not self.verdict(2046, 2048, "float16", value=1)
        assert not self.verdict(-6e-8, 5.960464477539063e-08, "float16", value=1)
        assert self.verdict(1.5, 1, "float32", "ATOL", 0.5)
        assert not self.verdict(1.625, 1, "float32", "ATOL", 0.5)

    def test_special_values(self):
        assert self.verdict(float("nan"), "NaN", "float16")
        assert not self.verdict(1, "NaN", "float32", "ATOL", 9)
        assert not self.verdict(float("nan"), 1, "float32", value=9)
        assert self.verdict(float("inf"), "Infinity", "float32")
        assert not self.verdict(65504, "Infinity", "float16", value=1)
        assert not self.verdict(float("-inf"), "Infinity", "float16", "ATOL", 9)
        assert self.verdict(-0.0, 0, "float32")
        assert not self.verdict(-0.0, 0, "float32", signed_zero=True)

    def test_integers(self):
        assert not self.verdict(9007199254740993, "9007199254740992", "int64")
        assert not self.verdict(-(2**63), str(2**63 - 1), "int64", value=1)
        assert self.verdict(2**64 - 1, str(2**64 - 2), "uint64", value=1)
        assert not self.verdict(-1, 0, "int8")
