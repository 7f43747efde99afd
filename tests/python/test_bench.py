"""The benchmarks' own arithmetic: turns of two builds, tables of ratios; that peers compute the same."""

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
    for name in ("bench", "compare", "ops", "recurrent"):
        sys.modules.pop(name, None)


@pytest.fixture
def ops(modules):
    import ops

    return ops


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
    part, other, older, broken = (tmp_path / name for name in ("part", "other", "older", "broken"))
    part.write_text(json.dumps({**about, "rows": [1]}))
    other.write_text(json.dumps({**about, "machine": "that one", "rows": [2]}))
    older.write_text(json.dumps({**about, "versions": {"python": "2"}, "rows": [3]}))
    broken.write_text("{}")

    def refuse(reason):
        raise ValueError(reason)

    assert bench.joined([part, part], about, refuse) == [1, 1]
    about["versions"]["torch"] = "2"  # where the table is written, not where the part was timed
    assert bench.joined([part], about, refuse) == [1]
    for path, reason in ((other, "another machine"), (older, "other versions"), (broken, "broken: 'machine'"), (tmp_path / "none", "none")):
        with pytest.raises(ValueError, match=reason):
            bench.joined([part, path], about, refuse)


def test_an_operation_is_held_against_its_peers(ops, monkeypatch):
    monkeypatch.setattr(ops.bench, "PAUSE", 0)
    row = ops.compare("clamp", 1, 1, 0.001, ops.time.perf_counter, 1, None)
    assert list(row["seconds"]) == ["webnn", "copy", "numpy", "onnxruntime"] and row["differs"] == []
    assert row["bytes"] == 2 << 20 and row["ratio"] == row["seconds"]["webnn"] / min(
        row["seconds"][engine] for engine in ("numpy", "onnxruntime"))
    shapes, build, _, *others = ops.ROWS["clamp"]
    monkeypatch.setitem(ops.ROWS, "clamp", (shapes, build, lambda y, x: np.copyto(y, x), *others))
    assert ops.compare("clamp", 1, 1, 0.001, ops.time.perf_counter, 1, None)["differs"] == ["numpy"]


def test_without_pytorch_a_line_says_so(modules, monkeypatch, capsys):
    bench, _ = modules
    monkeypatch.setitem(sys.modules, "torch", None)
    assert bench.find_torch() is None and "PyTorch is left out: " in capsys.readouterr().out


def test_pytorch_computes_what_we_compute(ops):
    torch = pytest.importorskip("torch", reason="PyTorch is no dependency of the tests: it is too large")
    threads, without = torch.get_num_threads(), []
    for name, (shapes, build, *_) in ops.ROWS.items():
        operands = [ops.draw(text, 1, np.random.default_rng(k)) for k, text in enumerate(shapes)]
        result = ops.with_webnn(build, operands, 1)[0]()
        _, found = ops.peers(name, operands, result, 1, torch)
        if "torch" not in found:
            without.append(name)
            continue
        np.testing.assert_allclose(result, found["torch"].reshape(result.shape), atol=2e-2, err_msg=name,
                                   rtol=1e-2 if result.dtype == np.float16 else 1e-3)
    torch.set_num_threads(threads)
    assert without == ["pad, symmetric"]


@pytest.mark.parametrize("layer", ["lstm-50x64-b4-both", "gru-100x200-b8-both", "gru-before-128x256-b1"])
def test_pytorch_has_our_recurrent_layers(modules, layer):
    torch = pytest.importorskip("torch", reason="PyTorch is no dependency of the tests: it is too large")
    bench, _ = modules
    import recurrent

    one = recurrent.Layer(*recurrent.LAYERS[layer])
    theirs = one.with_torch(torch, torch.get_num_threads())
    assert (theirs is None) == ("before" in layer)
    if theirs:
        run, as_ours = theirs
        assert bench.farthest(one.with_webnn(1)(), as_ours(run())) < 1e-5


def test_a_table_of_operations(modules, tmp_path):
    bench, _ = modules
    row = {"name": "clamp", "threads": 2, "seconds": {"webnn": 0.002, "numpy": 0.004, "torch": 0.0025, "copy": 0.003},
           "bytes": 64_000_000, "copy_share": 1.5, "ratio": 0.8, "crowded": False, "differs": []}
    bench.write_table(tmp_path / "here.md", [row, {**row, "ratio": 0.2, "crowded": True}])
    text = (tmp_path / "here.md").read_text(encoding="utf-8").splitlines()
    assert "| clamp | 2 | 2.00 | – | 4.00 | 2.50 | 3.00 | 32.0 | 1.50 | 0.80 |" in text
    assert "| clamp, while others were at work | 2 | 2.00 | – | 4.00 | 2.50 | 3.00 | 32.0 | 1.50 | 0.20 |" in text
    assert text[-1] == "Geometric mean of the operations' ratios: 0.40."


def test_what_is_missing_is_named(modules, monkeypatch, capsys):
    bench, _ = modules
    found = bench.importlib.util.find_spec
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: found(name) if name != "openvino" else None)
    monkeypatch.setattr(sys, "argv", ["bench.py", "models"])
    with pytest.raises(SystemExit):
        bench.main()
    assert "openvino" in capsys.readouterr().err


def test_a_row_that_is_not_there_is_an_error(modules, monkeypatch, capsys):
    bench, _ = modules
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(sys, "argv", ["bench.py", "models", "--only", "nonesuch"])
    with pytest.raises(SystemExit):
        bench.main()
    assert "nonesuch" in capsys.readouterr().err
