"""python -m webnn: what commands print, write and give back."""

import json
import pathlib
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import webnn
from webnn import serialize
from webnn._cli import bench, main, picture

HOSTILE = "../a=b<\u202e>"


@pytest.fixture
def model(context, tmp_path):
    """A .webnn file: y = relu(x @ 2s), and an input whose name is no file name."""
    builder = webnn.GraphBuilder(context)
    x, z = builder.input("x", [2, 3], "float32"), builder.input(HOSTILE, [5], "int32")
    w = builder.constant(np.full((3, 4), 2, "float32"))
    path = tmp_path / "model.webnn"
    serialize.save(path, builder, {"y": builder.relu(builder.matmul(x, w), label="head"), HOSTILE: builder.neg(z)})
    return path


@pytest.fixture
def onnx_model(tmp_path):
    onnx = pytest.importorskip("onnx", reason="reading .onnx needs the onnx package")
    value = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", 3])
    node = onnx.helper.make_node("Softmax", ["x"], ["y"], axis=1)
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "tiny", [value("x")], [value("y")]))
    path = tmp_path / "tiny.onnx"
    onnx.save(model, str(path))
    return path


def run(capsys, *arguments):
    """What a command that goes well prints."""
    assert main([*map(str, arguments)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def refuse(capsys, *arguments):
    """The one line that a command says when it can't."""
    assert main([*map(str, arguments)]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("webnn: ") and captured.err.count("\n") == 1 and captured.err.endswith("\n")
    return captured.err[7:-1]


def info_of(path):
    (n,) = (int.from_bytes(path.read_bytes()[:8], "little"),)
    return json.loads(json.loads(path.read_bytes()[8 : 8 + n])["__metadata__"]["webnn"])


# ---- run


def test_info_lists_the_devices(capsys):
    lines = run(capsys, "info").splitlines()
    listed = [line for line in lines if line.startswith("device: ")]
    assert len(listed) == len(webnn.devices())
    for line, device in zip(listed, webnn.devices()):
        assert device["device"] in line and device["driver"] in line and " units, " in line and " GiB" in line


def test_run_says_what_comes_out_and_saves_it(capsys, model, tmp_path):
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3], [-1, -2, -3]], "float32"))
    out = run(capsys, "run", model, "--input", f"x={tmp_path}/x.npy", "--input", f"{HOSTILE}=ones", "--output",
              tmp_path / "out", "--threads", 1)
    assert "in   x: float32 [2, 3]" in out and "\\u{202e}" in out and "\u202e" not in out
    assert "out  y: float32 [2, 4]: from 0 to 12, mean 6\n" in out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["..%2Fa%3Db%3C%E2%80%AE%3E.npy", "y.npy"]
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"), np.array([[12] * 4, [0] * 4], "float32"))
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "..%2Fa%3Db%3C%E2%80%AE%3E.npy"), [-1] * 5)


def test_random_inputs_come_from_the_seed(capsys, model):
    lines = [re.sub(r"[\d.]+ ms", "", run(capsys, "run", model, "--seed", seed)) for seed in (1, 1, 2)]
    assert lines[0] == lines[1] != lines[2]


def test_onnx_models_take_shapes(capsys, onnx_model):
    assert "--shape NAME=SIZES" in refuse(capsys, "run", onnx_model)
    assert "out  y: float32 [4, 3]: from " in run(capsys, "run", onnx_model, "--shape", "x=4,3")


# ---- bench


def test_bench_tells_of_each_step(capsys, model):
    out = run(capsys, "bench", model, "--runs", 3)
    (row,) = [line for line in out.splitlines() if re.match(r" +\d+  .*matmul.* -> ", line)]
    assert "head" in row and "float32[2,3]" in row
    for words in ("peak here: ", "products 0.000 GFLOP a run", "memory   weights 0.0 MiB", "median of 3"):
        assert words in out, out
    steps = {int(found) for found in re.findall(r"^ +(\d+)  .* -> ", out, re.M)}
    assert steps == set(range(1, len(steps) + 1)) and f"model.webnn: {len(steps)} steps" in out


def test_bench_shows_the_longest_steps_only(capsys, model):
    out = run(capsys, "bench", model, "--runs", 3, "--top", 1, "--backend", "reference")
    assert len(re.findall(r"^ +(\d+)  .* -> ", out, re.M)) == 1


def step(operations, seconds, flops, n_bytes, label=""):
    return {"operations": operations, "kernel": "k", "shapes": "a -> b", "label": label, "seconds": seconds,
            "flops": flops, "bytes": n_bytes, "threads": 2}


@pytest.fixture
def report():
    steps = [step("conv2d+relu", 4e-3, 10**8, 10**6, "<stem>&"), step("reorder", 1e-3, 0, 5 * 10**6)]
    steps += [step("softmax", 5e-7, 0, 100, "\u202e"), step("matmul", 5e-4, 10**6, 10**6)]
    info = {"backend": "onednn", "device": "CPU", "driver": "", "threads": 2, "why": ""}
    memory = {"weights": 1 << 20, "arena": 0, "scratch": 512}
    return bench.Report("model", info, steps, [6e-3, 5.5e-3, 9e-3], bench.Peaks(5e10, 1e10), memory)


def test_rates_and_shares_are_what_was_measured(report):
    rows = list(bench._rows(report, None))
    assert rows[0][:8] == ("1", "4.000 ms", "72.7%", "25.0", "0.2", "50%", "2", "conv2d+relu")
    assert rows[1][:8] == ("2", "1.000 ms", "18.2%", "-", "5.0", "50%", "2", "reorder")
    assert rows[2][1] == "0.5 µs" and rows[2][6] == "2" and rows[2][9] == "\\u{202e}"
    assert rows[3][3:6] == ("2.0", "2.0", "20%")  # memory is the nearer roof
    assert [row[0] for row in bench._rows(report, 2)] == ["1", "2"]
    text = "\n".join(bench.text(report))
    assert "run      6.000 ms, median of 3; the best 5.500 ms" in text
    assert "products 0.101 GFLOP a run: 16.8 GFLOP/s, 34% of the peak" in text


def test_kernels_are_added_up(report):
    report.steps[1]["kernel"] = "movement"
    found = bench.by_kernel(report.steps)
    assert [(kernel, n) for kernel, n, _ in found] == [("k", 3), ("movement", 1)]
    assert sum(seconds for *_, seconds in found) == pytest.approx(report.in_steps)


def test_peaks_are_of_this_machine(context):
    peaks = context.measure_peaks()
    assert 1e6 < peaks["flops"] < 1e15 and 1e7 < peaks["bytes"] < 1e13
    assert context.measure_peaks() == peaks  # measured once
    lost = webnn.ML().create_context().result()
    lost.destroy()
    with pytest.raises(webnn.InvalidStateError, match="measure_peaks"):
        lost.measure_peaks()


SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_shows_every_step_where_it_belongs(report):
    svg = picture.picture(report)
    root = ElementTree.fromstring(svg)
    assert all(one == "\n" or one.isprintable() for one in svg)
    groups = [group for group in root.iter(SVG + "g") if group.find(SVG + "title") is not None]
    bars = [group.find(SVG + "rect") for group in groups[: len(report.steps)]]
    widths = [float(bar.get("width")) for bar in bars]
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.02)
    circles = [group.find(SVG + "circle") for group in groups if group.find(SVG + "circle") is not None]
    assert len(circles) == len(report.steps)
    roof = next(path.get("d") for path in root.iter(SVG + "path") if path.get("stroke-linejoin") == "round")
    top = float(re.search(r"L[\d.]+ ([\d.]+) H", roof)[1])
    assert all(float(circle.get("cy")) > top for circle in circles)
    assert "<stem>&" in ["".join(text.itertext()) for text in root.iter(SVG + "text")]


def test_pictures_of_little(report):
    """Nothing that multiplies, nothing but what multiplies, times of nothing."""
    for keep in ([1, 2], [0, 3], [2]):
        some = bench.Report(report.title, report.info, [report.steps[i] for i in keep], report.seconds, report.peaks,
                            report.memory)
        ElementTree.fromstring(picture.picture(some))
    nothing = [dict(one, seconds=0.0) for one in report.steps]
    ElementTree.fromstring(picture.picture(bench.Report("", report.info, nothing, [1e-9], report.peaks, report.memory)))


def test_bench_writes_the_picture(capsys, model, tmp_path):
    run(capsys, "bench", model, "--runs", 2, "--picture", tmp_path / "where.svg")
    assert "model.webnn" in (tmp_path / "where.svg").read_text(encoding="utf-8")
    ElementTree.parse(tmp_path / "where.svg")


# ---- export


def test_export_writes_each_form(capsys, model, tmp_path):
    for suffix in (".webnn", ".js", ".mjs", ".svg", ".dot"):
        out = tmp_path / f"out{suffix}"
        assert run(capsys, "export", model, out) == f"wrote {out}, {out.stat().st_size:,} bytes\n"
    assert (tmp_path / "out.webnn").read_bytes() == model.read_bytes()
    assert "export default async function buildGraph(context)" in (tmp_path / "out.js").read_text(encoding="utf-8")
    ElementTree.parse(tmp_path / "out.svg")
    assert (tmp_path / "out.dot").read_text(encoding="utf-8").startswith("digraph {")


def test_export_of_a_model_names_its_weights(capsys, context, tmp_path):
    builder = webnn.GraphBuilder(context)
    y = builder.add(builder.constant(np.arange(5000, dtype="float32")), builder.input("x", [5000], "float32"))
    serialize.save(tmp_path / "big.webnn", builder, {"y": y})
    out = run(capsys, "export", tmp_path / "big.webnn", tmp_path / "big.js")
    assert [pathlib.Path(line.split(",")[0][6:]).name for line in out.splitlines()] == ["big.js", "big.safetensors"]


def test_export_of_onnx(capsys, onnx_model, tmp_path):
    run(capsys, "export", onnx_model, tmp_path / "t.webnn", "--shape", "x=2,3")
    found = info_of(tmp_path / "t.webnn")
    assert found["operators"][0]["op"] == "softmax" and found["inputs"][0]["shape"] == [2, 3]


# ---- what goes wrong


def test_errors_are_one_line(capsys, model, tmp_path):
    (tmp_path / "broken.webnn").write_bytes(b"nothing of the kind")
    (tmp_path / "no.onnx").write_bytes(b"\xff" * 50)
    np.save(tmp_path / "x.npy", np.zeros((3, 2), "float32"))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    assert "there is no such file" in refuse(capsys, "run", tmp_path / "missing.onnx")
    assert "must be an .onnx model or a .webnn graph file" in refuse(capsys, "run", tmp_path / "x.npy")
    assert "read: " in refuse(capsys, "run", tmp_path / "broken.webnn")
    refuse(capsys, "run", tmp_path / "no.onnx")
    assert "no input has this name; the inputs are: x, " in refuse(capsys, "run", model, "--input", "w=ones")
    assert "must be NAME=DATA; the inputs are: x, " in refuse(capsys, "run", model, "--input", "ones")
    refused = refuse(capsys, "run", model, "--input", f"x={tmp_path}/x.npy")
    assert "is float32 [3, 2], input x is float32 [2, 3]" in refused
    refuse(capsys, "run", model, "--input", f"x={tmp_path}/objects.npy")
    assert refuse(capsys, "run", model, "--input", "x=missing.npy") == "missing.npy: there is no such file"
    assert refuse(capsys, "run", model, "--input", f"x={tmp_path}") == f"{tmp_path}: Is a directory"
    assert "are fixed" in refuse(capsys, "run", model, "--shape", "x=1,3")
    assert "must end in .webnn, .js" in refuse(capsys, "export", model, tmp_path / "model.png")
    assert "is the model itself" in refuse(capsys, "export", model, model)
    assert "no" in refuse(capsys, "export", model, tmp_path / "no" / "x.svg")
    (tmp_path / "empty.json").write_text("{}")
    assert refuse(capsys, "replay", tmp_path / "empty.json") == f"{tmp_path}/empty.json: is no saved comparison"
    (tmp_path / "other.json").write_bytes(b"\xf6")
    assert refuse(capsys, "replay", tmp_path / "other.json").startswith(f"{tmp_path}/other.json: ")
    assert refuse(capsys, "replay", tmp_path / "missing.json") == f"{tmp_path}/missing.json: there is no such file"


def test_without_a_command_there_is_help(capsys):
    assert run(capsys).startswith("usage: python -m webnn")


def test_version(capsys):
    with pytest.raises(SystemExit) as found:
        main(["--version"])
    assert not found.value.code and capsys.readouterr().out == f"webnn {webnn.__version__}\n"


def test_info_says_when_a_device_is_not_there(capsys):
    lines = run(capsys, "info").splitlines()
    with webnn.ML().create_context(device_type="gpu").result() as context:
        info = context.info
    (line,) = [line for line in lines if line.startswith("gpu: ")]
    assert line.startswith("gpu: none; falls back to " if info["why"] else f"gpu: {info['backend']} on ")


@pytest.mark.parametrize("arguments", [
    ["nonsense"], ["run"], ["bench", "m", "--runs", "0"], ["run", "m", "--shape", "x"],
    ["run", "m", "--shape", "x=a"], ["run", "m", "--shape", "=1"], ["run", "m", "--backend", "tpu"], ["export", "m"],
])
def test_wrong_arguments_end_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as found:
        main(arguments)
    assert found.value.code == 2 and "usage: python -m webnn" in capsys.readouterr().err


def test_shapes_of_scalars(capsys, onnx_model):
    refuse(capsys, "run", onnx_model, "--shape", "x=")


def test_a_reader_that_has_enough(model):
    """As with `| head`: no traceback, whoever closes the pipe."""
    command = [sys.executable, "-m", "webnn", "run", str(model)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == "" and process.wait() == 1
