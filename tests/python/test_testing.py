"""webnn.testing: the reference against the vectors, comparisons that find what is wrong, files that replay."""

import inspect
import json
import subprocess
import sys

import numpy as np
import pytest
from test_wpt import DATA, listed

import webnn
from webnn import testing
from webnn.testing import definition as definitions
from webnn.testing import tolerance, vectors
from webnn.testing.reference import OPERATIONS
from webnn.testing.reference.pool import _options

EXTENSIONS = {"squeeze"}
# The vectors know more than an operation's name: whether a cast rounds, which options a gemm has, the mode of
# resampling.
LOOSER = {"cast": 1, "cumulativeSum": 1, "gemm": 3, "resample2d": 84}
TABLE = json.loads((DATA / "limits" / "ops.json").read_text(encoding="utf-8"))


def chain(count=4):
    """y = ((x · 2 + 1) · 2 + 1) …, exact in float32."""
    operators, last = [], "x"
    for k in range(count):
        operators.append(definitions.operator(
            "linear", f"y{k}", {"input": definitions.operand(last)}, alpha=2, beta=1, label=f"step {k}"))
        last = f"y{k}"
    x = definitions.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    return {"inputs": {"x": x}, "operators": operators, "outputs": [last]}


def numpy_engine(definition, inputs, outputs):
    """An engine without a fault."""
    values = testing.run_reference(definition, inputs)
    return {name: values[name] for name in outputs}


class TestReference:
    def test_has_all_operations(self):
        assert set(OPERATIONS) == {definitions.snake(row["name"]) for row in TABLE} | EXTENSIONS

    @pytest.mark.parametrize("row", TABLE, ids=lambda row: row["name"])
    def test_has_the_builders_parameters(self, row):
        name = definitions.snake(row["name"])
        if name.endswith("_pool2d"):
            own = ["input", *inspect.signature(_options).parameters]
        else:
            own = list(inspect.signature(OPERATIONS[name]).parameters)
        wanted = [definitions.snake(field["name"]) for field in row["parameters"] + row["options"]]
        assert [*own, "label"] == wanted

    @pytest.mark.parametrize(("kind", "name", "count"), listed("wpt") + listed("semantics"))
    def test_vectors(self, kind, name, count):
        tests = vectors.load(DATA / kind / name)
        assert len(tests) == count
        problems = [found for test in tests for found in vectors.check(test)]
        assert not problems, "\n".join(problems)

    def test_names_are_python(self):
        x = np.array([[1, 2], [3, 4]], np.float32)
        assert testing.reference.reduce_sum(x, axes=[1], keep_dimensions=True).tolist() == [[3], [7]]
        assert testing.reference.matmul(x, x).tolist() == [[7, 10], [15, 22]]
        assert testing.reference.max(x, np.float32(3)).tolist() == [[3, 3], [3, 4]]
        with pytest.raises(AttributeError):
            testing.reference.no_such_operation

    def test_float16_is_rounded_once(self):
        """(2048 + 1) · 2 in float16: the sum is rounded where the graph names it, not inside an operation."""
        x = np.array([2048], np.float16)
        one, two = np.array([1], np.float16), np.array([2], np.float16)
        assert testing.reference.mul(testing.reference.add(x, one), two) == 4096
        assert testing.reference.linear(x, alpha=2, beta=2) == 4098 - 2  # 4098 is a tie, 4096 is even

    def test_absent_peepholes_do_not_look(self):
        """0 times an infinite cell state would be NaN."""
        one, state = np.ones([1, 1], np.float32), np.array([[np.inf]], np.float32)
        hidden, cell = testing.reference.lstm_cell(one, np.ones([4, 1], np.float32), np.zeros([4, 1], np.float32),
                                                   one, state, 1)
        assert np.isfinite(hidden).all() and np.isposinf(cell).all()

    @pytest.mark.parametrize(("value", "dtype", "wanted"), [
        (2.5, "int32", 2), (3.5, "int8", 4), (float("nan"), "uint8", 0), (float("inf"), "int8", 127),
        (-1, "uint64", 0), (2**65, "int64", 2**63 - 1), (2**63 - 1, "int64", 2**63 - 1),
        (65520, "float16", float("inf")), (65519, "float16", 65504), (2**128, "float32", float("inf")),
        (2**24 + 1, "float32", 2**24), ((2**24 + 1) * 2**40 + 1, "float32", (2**24 + 2) * 2**40),
        (10**400, "float32", float("inf")), (-(10**400), "float16", float("-inf")),
    ])
    def test_cast_number(self, value, dtype, wanted):
        assert testing.reference.cast_number(value, dtype) == np.dtype(dtype).type(wanted)


class TestDefinition:
    def test_run_gives_every_operand(self):
        values = testing.run_reference(chain(2), {"x": np.full([2, 3], 5, np.float32)})
        assert sorted(values) == ["x", "y0", "y1"]
        assert values["y0"].tolist() == [[11] * 3] * 2 and values["y1"].tolist() == [[23] * 3] * 2

    def test_refuses_other_inputs(self):
        with pytest.raises(ValueError, match="'x' must be float32"):
            testing.run_reference(chain(), {"x": np.zeros([2, 3], np.float64)})

    def test_build(self, context):
        with testing.build(chain(1), context) as graph:
            assert list(graph.inputs) == ["x"] and list(graph.outputs) == ["y0"]
            y = context.compute(graph, {"x": np.ones([2, 3], np.float32)})["y0"]
        assert y.tolist() == [[3] * 3] * 2

    def test_outputs_are_what_nobody_takes(self):
        definition = chain(2)
        del definition["outputs"]
        assert definitions.output_names(definition) == ["y1"]

    @pytest.mark.parametrize("values", [
        np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 0.1], np.float32),
        np.array([65504, 6e-8, -0.0, np.nan], np.float16),
        np.array([2**63 - 1, -(2**63), 2**53 + 1, 0]),
        np.array([2**64 - 1, 0], np.uint64),
        np.array(7, np.int8),
    ])
    def test_arrays_survive_json(self, values):
        tensor = json.loads(json.dumps(definitions.to_json(definitions.tensor(values)), allow_nan=False))
        back = definitions.array(tensor)
        assert back.dtype == values.dtype and back.shape == values.shape and back.tobytes() == values.tobytes()


class TestCompare:
    def test_finds_nothing_in_a_good_engine(self):
        outcome = testing.compare(chain(), context=numpy_engine)
        assert outcome and str(outcome) == "no difference"

    @pytest.mark.parametrize("wrong", ["y0", "y2", "y3"])
    def test_names_the_first_operand(self, wrong):
        """What comes later is wrong too, but follows from it."""
        def engine(definition, inputs, outputs):
            values = definitions.values_of(definition, inputs)
            for step in definition["operators"]:
                (values[step["outputs"][0]],) = definitions.run_operator(step, values)
                if step["outputs"] == [wrong]:
                    values[wrong][1, 2] += 1
            return {name: values[name] for name in outputs}

        outcome = testing.compare(chain(), context=engine)
        assert not outcome
        found = outcome.mismatch
        assert (found.operand, found.element, found.count, found.whole) == (wrong, (1, 2), 1, False)
        assert found.actual == found.expected + 1
        assert f"[step {wrong[1]}] linear: '{wrong}'[1][2]" in str(outcome) and "ULP apart" in str(outcome)

    def test_finds_what_only_the_whole_graph_does(self):
        """Right as long as all operands are outputs: so does a wrong fusion look."""
        def engine(definition, inputs, outputs):
            result = numpy_engine(definition, inputs, outputs)
            if len(outputs) == 1:
                result[outputs[0]] = result[outputs[0]] * np.float32(1.001)
            return result

        found = testing.compare(chain(), context=engine).mismatch
        assert found.operand == "y3" and found.whole and "as a whole" in str(found)

    def test_allows_what_rounding_does(self):
        """Sums in another order: the terms cancel, so the difference is many ULP of the result."""
        x = np.array([[1e4, 0.1, -1e4, 0.2]], np.float32)
        definition = {
            "inputs": {"x": definitions.tensor(x)},
            "operators": [definitions.operator("reduceSum", "y", {"input": definitions.operand("x")})],
        }

        def engine(sum_of):
            return lambda definition, inputs, outputs: {"y": np.array(sum_of(inputs["x"][0]), np.float32)}

        def in_order(x):
            return np.float32(np.float32(np.float32(x[0] + x[1]) + x[2]) + x[3])

        assert testing.compare(definition, context=engine(in_order))
        assert abs(in_order(x[0]) - 0.3) > 1e-4
        assert not testing.compare(definition, context=engine(lambda x: in_order(x) + 0.01))

    @pytest.mark.parametrize(("actual", "expected"), [(1, "nan"), ("nan", 1), ("inf", "-inf"), (0, 1e-45)])
    def test_special_values_differ(self, actual, expected):
        x = np.array([float(expected)], np.float32)
        definition = {
            "inputs": {"x": definitions.tensor(x)},
            "operators": [definitions.operator("identity", "y", {"input": definitions.operand("x")})],
        }
        assert testing.compare(definition, context=lambda *_: {"y": x.copy()})
        assert not testing.compare(definition, context=lambda *_: {"y": np.array([float(actual)], np.float32)})

    def test_against_another_engine(self, context):
        with webnn.ML().create_context(backend="reference").result() as other:
            assert testing.compare(chain(), against=other, context=context)

        def off(definition, inputs, outputs):
            return {name: value + 1 for name, value in numpy_engine(definition, inputs, outputs).items()}

        assert testing.compare(chain(), against=off, context=context).mismatch.operand == "y0"

    def test_inputs_replace_the_definitions(self, context):
        outcome = testing.compare(chain(), {"x": np.full([2, 3], 9, np.float32)}, context=context)
        assert outcome and outcome.definition["inputs"]["x"]["data"].ravel().tolist() == [9] * 6

    def test_refuses_what_is_no_graph(self, context):
        with pytest.raises(TypeError):
            testing.compare(3, context=context)
        with pytest.raises(TypeError):
            testing.compare(chain(), context=3)


class TestGraphs:
    """What a builder made, instead of a definition."""

    @staticmethod
    def made(builder):
        x = builder.input("x", shape=[2, 3], data_type="float32")
        w = builder.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
        hidden = builder.relu(builder.matmul(x, w, label="product") - 20.0)
        first, second = builder.split(hidden, [1, 3], axis=1)
        return {"y": builder.concat([second, first], 1), "s": builder.reduce_sum(hidden, axes=[1])}

    X = {"x": np.array([[1, 2, 3], [-1, 0, 5]], np.float32)}

    def test_builder(self, context, builder):
        outputs = self.made(builder)
        assert testing.compare(builder, self.X, outputs=outputs)
        definition = definitions.from_graph(builder, outputs)
        assert [step["op"] for step in definition["operators"]] == [
            "matmul", "sub", "relu", "split", "concat", "reduceSum"]
        assert definition["outputs"] == ["y", "s"]
        values = testing.run_reference(definition, self.X)
        assert values["y"].tolist() == [[18, 24, 30, 12], [24, 28, 32, 20]]
        assert values["s"].tolist() == [84, 104]

    def test_kept_definition(self, context, builder):
        with builder.build(self.made(builder), keep_definition=True).result() as graph:
            assert testing.compare(graph, self.X)

    def test_needs_the_inputs(self, builder):
        with pytest.raises(ValueError, match="input 'x' is not given"):
            testing.compare(builder, outputs=self.made(builder))

    def test_needs_a_definition(self, builder):
        with builder.build(self.made(builder)).result() as graph, pytest.raises(TypeError, match="keep_definition"):
            testing.compare(graph, self.X)

    def test_names_what_is_wrong(self, builder):
        def engine(definition, inputs, outputs):
            values = numpy_engine(definition, inputs, outputs)
            values["s"] = values["s"] + np.float32(1)
            return values

        found = testing.compare(builder, self.X, outputs=self.made(builder), context=engine).mismatch
        assert (found.operand, found.op) == ("s", "reduceSum")

    def test_survives_being_saved(self, builder, tmp_path):
        path = tmp_path / "graph.json"
        testing.compare(builder, self.X, outputs=self.made(builder)).save(path)
        assert all(outcome for _, outcome in testing.replay(path, ["reference"]))


class TestTolerances:
    def test_levels_have_all_operations(self):
        wanted = {row["name"] for row in TABLE} | EXTENSIONS
        for level in tolerance.LEVELS:
            assert set(tolerance.table(level)) == wanted

    def test_conformance_is_the_vectors(self):
        """Every vector of a single operation has the tolerance that the table's rule gives for its sizes."""
        checked = 0
        for kind, name, _ in listed("wpt"):
            for test in vectors.load(DATA / kind / name):
                if len(test["operators"]) == 1 and not test.get("large"):
                    checked += self.agrees(test)
        assert checked > 1200

    @staticmethod
    def agrees(test):
        (step,) = test["operators"]
        values = definitions.values_of(test)
        limits = tolerance.allowances(step, values, definitions.run_operator(step, values), "conformance")
        for name, limit in zip(step["outputs"], limits):
            expected = test["expected"][name]
            found = tolerance.rule(step["op"], expected["dataType"], "conformance")
            allowed = found["value"] + found.get("perTerm", 0) * limit.count
            wanted = expected["tolerance"]["value"]
            if np.dtype(expected["dataType"]).kind == "f":
                assert wanted <= allowed <= wanted + LOOSER.get(step["op"], 0), test["id"]
            else:
                assert allowed <= wanted, test["id"]
        return 1


class TestVectors:
    def test_check_can_fail(self, context):
        (test, *_) = vectors.load(DATA / "wpt" / "exp.json")
        assert vectors.check(test, context) == []
        name = next(iter(test["expected"]))
        test["expected"][name]["data"][0] = 7
        (problem,) = vectors.check(test, context)
        assert test["id"] in problem and "element 0" in problem and "expected 7.0" in problem

    def test_signed_zeros(self):
        zero = {"shape": [1], "dataType": "float32", "data": [-0.0], "tolerance": {"metric": "ULP", "value": 0}}
        test = {"id": "zero", "expected": {"y": zero}}
        assert vectors.problem(test, "y", np.zeros(1, np.float32)) is None
        assert vectors.problem({**test, "signedZero": True}, "y", np.zeros(1, np.float32))


class TestReplay:
    def test_file(self, context, tmp_path):
        path = tmp_path / "found.json"
        testing.compare(chain(), context=context).save(path)
        outcomes = testing.replay(path)
        assert {"reference", "reference, passes off"} <= {name for name, _ in outcomes}
        assert all(outcome for _, outcome in outcomes)

    def test_command(self, context, tmp_path):
        path = tmp_path / "found.json"
        testing.compare(chain(), context=context).save(path)
        done = subprocess.run([sys.executable, "-m", "webnn", "replay", str(path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "reference: no difference" in done.stdout

    def test_own_engine(self, tmp_path):
        (tmp_path / "mine.py").write_text(
            "import numpy as np\n\n\ndef run(definition, inputs, outputs):\n"
            "    return {name: np.zeros([2, 3], np.float32) for name in outputs}\n", encoding="utf-8")
        path = tmp_path / "found.json"
        definition = chain()
        testing.compare(definition, context=numpy_engine).save(path)
        ((name, outcome),) = testing.replay(path, engine=numpy_engine)
        assert name == "engine" and outcome and repr(outcome) == "<Comparison: no difference>"
        command = [sys.executable, "-m", "webnn", "replay", str(path), "--engine"]
        for engine, code, text in [("mine:run", 1, "mine:run: "), ("mine", 1, "MODULE:NAME"), ("mine:nothing", 1, "nothing"),
                                   ("no_such_module:run", 1, "no_such_module")]:
            done = subprocess.run([*command, engine], capture_output=True, text=True, cwd=tmp_path)
            assert done.returncode == code and text in done.stdout + done.stderr, done
            assert "Traceback" not in done.stderr

    def test_saved_mismatch_says_what_was_found(self, tmp_path):
        path = tmp_path / "found.json"
        outcome = testing.compare(chain(), context=lambda d, i, names: {
            name: np.zeros([2, 3], np.float32) for name in names})
        outcome.save(path)
        assert json.loads(path.read_text(encoding="utf-8"))["found"] == str(outcome)
