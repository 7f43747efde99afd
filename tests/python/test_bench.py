"""The benchmarks' own arithmetic: turns of two builds, tables of ratios."""

import json
import pathlib
import sys

import numpy as np
import pytest

import webnn

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
pytest.importorskip("onnx")


@pytest.fixture
def modules(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import bench
    import compare

    yield bench, compare
    for name in ("bench", "compare"):
        sys.modules.pop(name, None)


def test_two_builds_take_turns(modules, tmp_path):
    bench, compare = modules
    stage, inputs = pathlib.Path(webnn.__file__).parent.parent, tmp_path / "inputs.npz"
    np.savez(inputs, a=np.zeros(16, "float32"), b=np.ones(16, "float32"))
    old, new, spread = compare.compared([stage, stage], bench.tiny_model(), inputs, 1, 0.2)
    assert 0 < old < 1 and 0 < new < 1 and spread >= 1


def test_a_build_that_cannot_run_says_so(modules, tmp_path):
    bench, compare = modules
    inputs = tmp_path / "inputs.npz"
    np.savez(inputs, a=np.zeros(16, "float32"))
    (tmp_path / "webnn").mkdir()
    (tmp_path / "webnn" / "__init__.py").write_text("raise ImportError('no build')\n")
    with pytest.raises(RuntimeError, match="can't run"):
        compare.compared([tmp_path, tmp_path], bench.tiny_model(), inputs, 1, 0.1)


def test_a_table_names_the_machine(modules, tmp_path):
    bench, _ = modules
    rows = [{"name": "one", "threads": 1, "ms": {"webnn": 1.0, "onnxruntime": 2.0}, "ratio": 0.5, "spread": 1.01, "note": "",
             "far": {"onnxruntime": 2e-6}},
            {"name": "two", "threads": 2, "ms": {"webnn": 2.0, "openvino": 1.0}, "ratio": 2.0, "spread": 1.2, "note": ""},
            {"name": "import", "threads": 1, "ms": {"webnn": 9.0, "openvino": 1.0}, "ratio": 9.0, "spread": 1.0, "note": ""},
            {"name": "three", "threads": 2, "engines": {}},
            {"name": "four", "threads": 2, "engines": {"webnn": {"resident": 3 << 20, "seconds": 0.025}, "openvino": "no reason"}}]
    path = tmp_path / "results" / "here.md"
    bench.write_table(path, rows)
    text = path.read_text(encoding="utf-8").splitlines()
    assert text[0] == "# " + bench.machine() and "oneDNN" in text[2]
    assert "| one | 1 | 1.000 | 2.000 | – | 0.50 | 1.01 | 2.0e-06 | – |" in text
    assert "| two | 2 | 2.000 | – | 1.000 | 2.00 | 1.20 | – | – |" in text
    assert "Geometric mean of the models' ratios: 1.00." in text
    assert text[-1] == "| four | 2 | 3.0 | – | – | – | 25.0 | – | – | – |"


def test_differences_are_in_parts_of_the_largest_number(modules):
    bench, _ = modules
    ours = {"y": np.array([1.0, 2.0, 8.0]), "z": np.array([[0.5]])}
    theirs = {"y": np.array([[1.0, 2.5, 10.0]]), "z": np.array([0.5]), "more": np.array([7.0])}
    runs = {"webnn": lambda: ours, "onnxruntime": lambda: theirs, "openvino": lambda: ours}
    assert bench.distances(runs) == {"onnxruntime": 0.2, "openvino": 0.0}
    assert bench.distances({"openvino": lambda: ours}) == {}


def test_parts_of_a_table_are_of_one_machine(modules, tmp_path):
    bench, _ = modules
    about = {"machine": "this one", "versions": {"python": "3"}}
    part, other, broken = (tmp_path / name for name in ("part", "other", "broken"))
    part.write_text(json.dumps({**about, "rows": [1]}))
    other.write_text(json.dumps({**about, "machine": "that one", "rows": [2]}))
    broken.write_text("{}")

    def refuse(reason):
        raise ValueError(reason)

    assert bench.joined([part, part], about, refuse) == [1, 1]
    for path, reason in ((other, "another machine"), (broken, "broken: 'machine'"), (tmp_path / "none", "none")):
        with pytest.raises(ValueError, match=reason):
            bench.joined([part, path], about, refuse)
