"""Graphs as JavaScript: what modules say, and what they do when node runs them on a builder that writes down calls."""

import base64
import json
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import webnn
from webnn import js
from webnn.testing import definition, vectors

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
OPERATIONS = json.loads((DATA / "js" / "operations.json").read_text(encoding="utf-8"))
NODE = shutil.which("node") or shutil.which("nodejs")
needs_node = pytest.mark.skipif(NODE is None, reason="no node to run the modules with")


@pytest.fixture(scope="module")
def context():
    with webnn.ML().create_context(backend="reference").result() as context:
        yield context


def run_modules(paths):
    """What each module has called."""
    command = [NODE, str(DATA / "js" / "runner.mjs"), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    return [json.loads(line, object_hook=minus_zero) for line in done.stdout.split("\n")[:-1]]


def minus_zero(found):
    return {key: -0.0 if value == "-0" else value for key, value in found.items()}


def run_text(text, folder):
    path = folder / "module.mjs"
    path.write_text(text, encoding="utf-8")
    (calls,) = run_modules([path])
    assert "error" not in calls, calls["error"]
    return calls


# ---- all vectors


def all_vectors():
    files = json.loads((DATA / "wpt" / "files.json").read_text(encoding="utf-8"))["files"]
    for name in files:
        yield from (test for test in vectors.load(DATA / "wpt" / name) if not test.get("large"))


def rebuild(context, calls):
    """The calls made again on a builder of ours."""
    builder = webnn.GraphBuilder(context)
    operands = {one["operand"]: builder.input(one["name"], one["shape"], one["dataType"]) for one in calls["inputs"]}
    for one in calls["constants"]:
        data = base64.b64decode(one["data"])
        operands[one["operand"]] = builder.constant(data, shape=one["shape"], data_type=one["dataType"])
    for step in calls["operators"]:
        args, options = definition.call(step, operands)
        results = getattr(builder, definition.snake(step["op"]))(*args, **options)
        operands.update(zip(step["outputs"], results if isinstance(results, tuple) else [results], strict=True))
    return builder.build({one["name"]: operands[one["operand"]] for one in calls["outputs"]}).result()


class Comparer:
    """Goes through a vector and through what was called in parallel, from the outputs up."""

    def __init__(self, test, calls):
        self.test, self.calls, self.seen = test, calls, set()
        self.wanted = {name: (step, i) for step in test["operators"] for i, name in enumerate(step["outputs"])}
        self.found = {name: (step, i) for step in calls["operators"] for i, name in enumerate(step["outputs"])}
        self.leaves = {one["operand"]: one for one in calls["inputs"] + calls["constants"]}

    def run(self):
        outputs = {one["name"]: one["operand"] for one in self.calls["outputs"]}
        assert outputs.keys() == self.test["expected"].keys()
        for name, operand in outputs.items():
            self.operand(name, operand)
        assert len({operand for _, operand in self.seen}) == len(self.found) + len(self.leaves), "something is unused"

    def operand(self, name, operand):
        if (name, operand) in self.seen:
            return
        self.seen.add((name, operand))
        if name not in self.wanted:
            return self.leaf(self.test["inputs"][name], name, self.leaves[operand])
        (wanted, i), (found, k) = self.wanted[name], self.found[operand]
        assert i == k and len(wanted["outputs"]) == len(found["outputs"])
        for one, other in zip(wanted["outputs"], found["outputs"]):
            self.seen.add((one, other))
        assert wanted["op"] == found["op"] and list(wanted["args"]) == list(found["args"])
        for key, value in wanted["args"].items():
            self.value(value, found["args"][key])
        for key, value in wanted["options"].items():
            if key in found["options"]:
                self.value(value, found["options"][key])
            else:
                assert self.may_be_left_out(wanted, key, value), (wanted["op"], key, value)

    def leaf(self, wanted, name, found):
        assert wanted["shape"] == found["shape"] and wanted["dataType"] == found["dataType"]
        if wanted["constant"]:
            assert definition.array(wanted).tobytes() == base64.b64decode(found["data"])
        else:
            assert found["name"] == name

    def value(self, wanted, found):
        if isinstance(wanted, dict):
            self.operand(wanted["operand"], found["operand"])
        elif isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
            assert len(wanted) == len(found)
            for one, other in zip(wanted, found):
                self.value(one, other)
        elif isinstance(wanted, int) and isinstance(found, list):
            assert wanted == len(found) == found.count(found[0])  # splits
        else:
            wanted, found = definition.argument(wanted, {}), definition.argument(found, {})
            found = definition.argument(found, {})  # written as short as float32 allows
            exact = float(np.float32(found)) if isinstance(found, float) else found
            assert {str(found), str(exact)} & set(map(str, self.casts(definition.argument(wanted, {}))))

    @staticmethod
    def casts(value):
        """What a builder makes of a number for operands of some type."""
        if isinstance(value, float) or isinstance(value, int) and not isinstance(value, bool):
            ends = [np.iinfo(name) for name in ("int8", "uint8", "int32", "uint32", "int64", "uint64")]
            whole = value if isinstance(value, float) and not np.isfinite(value) else round(value)
            with np.errstate(over="ignore"):
                narrow = [float(np.float32(value)), float(np.float16(value))]
            return [value, *narrow, *(min(max(whole, one.min), one.max) for one in ends)]
        return [value]

    def may_be_left_out(self, step, key, value):
        _, *default = OPERATIONS[step["op"]]["options"][key]
        if default and value == default[0]:
            return True
        if step["op"] == "clamp":  # no bound at all; integers reach no further than their ends
            value = definition.argument(value, {})
            return value != value or abs(value) >= 127
        if step["op"] == "pad":
            return step["options"]["mode"] != "constant"
        return key == "outputSizes"


@needs_node
def test_every_vector_comes_back_as_it_was(context, tmp_path):
    tests, paths = list(all_vectors()), []
    for i, test in enumerate(tests):
        builder = webnn.GraphBuilder(context)
        operands = definition.add_to(builder, test)
        paths.append(tmp_path / f"{i}.mjs")
        js.save(paths[-1], builder, {name: operands[name] for name in test["expected"]}, inline=200)
    assert len(tests) > 1600 and len(list(tmp_path.glob("*.safetensors"))) > 10
    problems = []
    for test, calls in zip(tests, run_modules(paths), strict=True):
        assert "error" not in calls, f"{test['id']}: {calls['error']}"
        Comparer(test, calls).run()
        for name, wanted in test["expected"].items():
            assert calls["returned"]["outputs"][name] == {key: wanted[key] for key in ("dataType", "shape")}
        values = definition.values_of(test)
        with rebuild(context, calls) as graph:
            results = context.compute(graph, {name: values[name] for name in graph.inputs})
        problems += [vectors.problem(test, name, results[name]) for name in test["expected"]]
    assert not any(problems), "\n".join(filter(None, problems))


# ---- extensions


def run_both(context, build, folder, x):
    """The results of a graph as it is and as JavaScript has it."""
    builder = webnn.GraphBuilder(context)
    y = build(builder, builder.input("x", list(x.shape), x.dtype.name))
    calls = run_text(js.dumps(builder, {"y": y}), folder)
    expected = context.compute(builder.build({"y": y}).result(), {"x": x})["y"]
    return calls, expected, context.compute(rebuild(context, calls), {"x": x})["y"]


@needs_node
@pytest.mark.parametrize(
    ("begin", "end"), [([0, 2, 1], [3, 0, 4]), ([0, 0, 0], [0, 0, 0]), ([2, 3, 4], [2, 3, 4]), ([0, 0, 4], [0, 0, 0])]
)
def test_symmetric_padding_is_spelled_out(context, tmp_path, begin, end):
    x = np.arange(24, dtype="float32").reshape(2 + 1, 2 + 0, 4)
    begin, end = [min(n, size) for n, size in zip(begin, x.shape)], [min(n, size) for n, size in zip(end, x.shape)]
    build = lambda b, operand: b.pad(operand, begin, end, mode="symmetric", label="mirror")
    calls, expected, got = run_both(context, build, tmp_path, x)
    np.testing.assert_array_equal(expected, np.pad(x, list(zip(begin, end)), mode="symmetric"))
    np.testing.assert_array_equal(got, expected)
    assert {step["options"]["label"] for step in calls["operators"]} == {"mirror"}


@needs_node
def test_squeeze_auto_pad_and_activations_become_operations(context, tmp_path):
    def build(b, x):
        y = b.conv2d(x, b.constant(np.ones((1, 2, 3, 3), "float32")), auto_pad="same-upper", activation="leakyRelu",
                     activation_alpha=0.25, strides=[2, 2])
        return b.squeeze(b.max_pool2d(y, window_dimensions=[2, 2], auto_pad="same-lower"), axes=[1])

    x = np.linspace(-3, 3, 2 * 2 * 5 * 6, dtype="float32").reshape(2, 2, 5, 6)
    calls, expected, got = run_both(context, build, tmp_path, x)
    np.testing.assert_array_equal(got, expected)
    assert [step["op"] for step in calls["operators"]] == ["conv2d", "leakyRelu", "maxPool2d", "reshape"]
    assert calls["operators"][0]["options"] == {"padding": [1, 1, 0, 1], "strides": [2, 2]}


# ---- names


HOSTILE = [
    'a"b\\c', "</script><!--", "x\0y\n\u2028", "\u202egnp.exe", "`${alert(1)}`", "await", "__proto__", "1st", "été",
    "שלום", "🙂", "builder", "x y", "x_y", "constructor", "*/ //",
]


@needs_node
def test_hostile_names_and_labels_come_through(context, tmp_path):
    builder = webnn.GraphBuilder(context)
    outputs = {name: builder.neg(builder.input(name, [1], "float32"), label=name) for name in HOSTILE}
    text = js.dumps(builder, outputs)
    assert "</" not in text and "<!--" not in text and "שלום" not in text and "été" in text
    assert all(one == "\n" or one.isprintable() for one in text)
    calls = run_text(text, tmp_path)
    assert [one["name"] for one in calls["inputs"]] == HOSTILE
    assert [one["name"] for one in calls["outputs"]] == HOSTILE
    assert [step["options"]["label"] for step in calls["operators"]] == HOSTILE
    # JSON's own keys: __proto__ is one like any other here
    assert list(calls["returned"]["inputs"]) == list(calls["returned"]["outputs"]) == HOSTILE


def test_variables_are_called_as_their_operands(context):
    builder = webnn.GraphBuilder(context)
    x = builder.input("image", [1, 2, 4, 4], "float32")
    w = builder.constant(np.ones((3, 2, 1, 1), "float32"))
    y = builder.conv2d(x, w, bias=builder.constant(np.array([0.1, 2, -0.0], "float32")), label="/stem")
    text = js.dumps(builder, {"out": builder.relu(builder.relu(y))})
    for line in (
        '  const image = builder.input("image", {dataType: "float32", shape: [1, 2, 4, 4]});',
        "  const stem_bias = builder.constant({dataType: \"float32\", shape: [3]}, new Float32Array([0.1, 2, -0]));",
        '  const stem = builder.conv2d(image, stem_filter, {bias: stem_bias, label: "/stem"});',
        "  const relu_1 = builder.relu(stem);",
        "  const out = builder.relu(relu_1);",
        "  const graph = await builder.build({out});",
    ):
        assert line in text.splitlines(), text


@needs_node
@pytest.mark.parametrize("data_type", ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"])
@pytest.mark.parametrize("n", [0, 3, 50])
def test_constants_of_each_type_keep_their_bits(context, tmp_path, data_type, n):
    shape = [n] if n else []
    data = np.random.default_rng(n).integers(0, 256, max(n, 1) * np.dtype(data_type).itemsize).astype("uint8").tobytes()
    builder = webnn.GraphBuilder(context)
    y = builder.identity(builder.constant(data, shape=shape, data_type=data_type))
    (constant,) = run_text(js.dumps(builder, {"y": y}), tmp_path)["constants"]
    assert constant["shape"] == shape and constant["dataType"] == data_type
    assert base64.b64decode(constant["data"]) == data


@needs_node
def test_special_numbers(context, tmp_path):
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4028235e38, 0.1, 16777216], "float32")
    builder = webnn.GraphBuilder(context)
    y = builder.linear(builder.constant(values), alpha=-0.0, beta=1e30)
    z = builder.clamp(builder.input("i", [2], "int64"), min_value=-(2**63) + 1, max_value=2**62)
    calls = run_text(js.dumps(builder, {"y": y, "z": z}), tmp_path)
    assert base64.b64decode(calls["constants"][0]["data"]) == values.tobytes()
    options = {step["op"]: step["options"] for step in calls["operators"]}
    assert str(options["linear"]["alpha"]) == "-0.0" and options["linear"]["beta"] == 1e30
    assert options["clamp"] == {"minValue": str(-(2**63) + 1), "maxValue": str(2**62)}


# ---- files


def test_large_constants_go_to_a_file_beside_it(context, tmp_path):
    builder = webnn.GraphBuilder(context)
    big = np.arange(1000, dtype="float16")
    ones = builder.constant(np.ones(1000, "float32"))
    y = builder.add(builder.cast(builder.constant(big), "float32"), ones, label="a")
    path = tmp_path / "my net#1.js"
    js.save(path, builder, {"y": y})
    assert sorted(one.name for one in tmp_path.iterdir()) == ["my net#1.js", "my net#1.safetensors"]
    assert 'new URL("./my%20net%231.safetensors", import.meta.url)' in path.read_text(encoding="utf-8")
    file = path.with_suffix(".safetensors").read_bytes()
    n = int.from_bytes(file[:8], "little")
    header = json.loads(file[8 : 8 + n])
    assert (8 + n) % 64 == 0 and header["a_b"] == {"dtype": "F32", "shape": [1000], "data_offsets": [0, 4000]}
    begin, end = header["cast_1_input"]["data_offsets"]
    assert file[8 + n :][begin:end] == big.tobytes() and len(file) == 8 + n + end
    if NODE:
        (calls,) = run_modules([path])
        datas = [base64.b64decode(one["data"]) for one in calls["constants"]]
        assert datas == [big.tobytes(), np.ones(1000, "float32").tobytes()]


@needs_node
def test_one_operand_under_several_names_and_no_input(context, tmp_path):
    builder = webnn.GraphBuilder(context)
    y = builder.relu(builder.constant(np.ones((2, 2), "float32")))
    calls = run_text(js.dumps(builder, {"a": y, "b": y}), tmp_path)
    assert calls["inputs"] == [] and calls["returned"]["inputs"] == {}
    assert [(one["name"], one["operand"]) for one in calls["outputs"]] == [("a", "v1"), ("b", "v1")]


def test_a_built_graph_that_kept_its_definition(context):
    builder = webnn.GraphBuilder(context)
    outputs = {"y": builder.relu(builder.input("x", [3], "float32"))}
    text = js.dumps(builder, outputs)
    assert js.dumps(builder.build(outputs, keep_definition=True).result()) == text


def test_wrong_arguments(context, relu_graph, tmp_path):
    with pytest.raises(TypeError, match="^js: .*keep_definition=True"):
        js.dumps(relu_graph)
    with pytest.raises(TypeError, match="^js: a builder needs its outputs"):
        js.dumps(webnn.GraphBuilder(context))
    with pytest.raises(TypeError, match="^js: must be a GraphBuilder or a Graph, not 'str'"):
        js.dumps("model.onnx")
    builder = webnn.GraphBuilder(context)
    outputs = {"y": builder.relu(builder.input("x", [3], "float32"))}
    with pytest.raises(ValueError, match="its own weights"):
        js.save(tmp_path / "x.safetensors", builder, outputs)
    with pytest.raises(FileNotFoundError):
        js.save(tmp_path / "no" / "x.js", builder, outputs)
    assert list(tmp_path.iterdir()) == []
