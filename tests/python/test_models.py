"""The real models of bench/models.json, imported, against onnxruntime."""

import hashlib
import pathlib
import sys
import zipfile

import numpy as np
import pytest

pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import fetch_models  # noqa: E402

import webnn  # noqa: E402
import webnn.onnx  # noqa: E402

MODELS = {name: entry for name, entry in fetch_models.entries().items() if "inputs" in entry}


@pytest.fixture(scope="module")
def ctx():
    with webnn.ML().create_context().result() as context:
        yield context


def draw(entry):
    rng = np.random.default_rng(11)
    return {name: rng.uniform(about["low"], about["high"], about["shape"]).astype(about.get("data_type", "float32"))
            for name, about in entry["inputs"].items()}


def fetched(name):
    try:
        return fetch_models.fetch(name, download=False)
    except fetch_models.FetchError as error:
        pytest.skip(str(error))


def session_of(path):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def by_ort(session, feeds):
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))


def distances(ours, theirs):
    """Largest difference for each output, in units of its largest number."""
    assert ours.keys() == theirs.keys()
    assert all(ours[name].shape == theirs[name].shape for name in theirs)
    return {name: np.abs(ours[name] - value).max() / np.abs(value).max() for name, value in theirs.items()}


@pytest.mark.parametrize("name", [name for name, entry in MODELS.items() if "sensitive" not in entry])
def test_model_agrees_with_onnxruntime(ctx, name):
    path, feeds = fetched(name), draw(MODELS[name])
    graph = webnn.onnx.load(path, ctx, shapes={key: value.shape for key, value in feeds.items()})
    assert set(graph.inputs) == set(feeds)
    far = distances(ctx.compute(graph, feeds), by_ort(session_of(path), feeds))
    assert max(far.values()) <= 1e-4, far


@pytest.mark.parametrize("name", [name for name, entry in MODELS.items() if "sensitive" in entry])
def test_sensitive_model_is_within_its_own_spread(ctx, name):
    """Such a model doubles any rounding until it is as large as its quantisation steps: the measure is how far
    onnxruntime itself moves when the input changes by a millionth."""
    path, feeds = fetched(name), draw(MODELS[name])
    graph = webnn.onnx.load(path, ctx, shapes={key: value.shape for key, value in feeds.items()})
    session = session_of(path)
    theirs = by_ort(session, feeds)
    spread = {key: 0.0 for key in theirs}
    for change in (1e-6, -1e-6, 2e-6):
        moved = by_ort(session, {key: value * np.float32(1 + change) for key, value in feeds.items()})
        spread = {key: max(spread[key], far) for key, far in distances(moved, theirs).items()}
    far = distances(ctx.compute(graph, feeds), theirs)
    assert all(far[key] <= 2 * spread[key] for key in far), (far, spread)
    assert max(far.values()) < 0.03


def test_models_are_what_the_list_says():
    """One digest for each, and no two of a name."""
    listed = fetch_models.entries()
    assert len({entry["sha256"] for entry in listed.values()}) == len(listed)
    assert all(len(entry["sha256"]) == 64 for entry in listed.values())


@pytest.mark.parametrize("digest", [None, "0" * 64])
def test_unpacking_checks_the_digest(tmp_path, monkeypatch, digest):
    """A wrong file is refused, and neither it nor a part of it stays in the cache."""
    monkeypatch.setenv("WEBNN_CACHE", str(tmp_path / "cache"))
    content = b"a model" * 1000
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as wheel:
        wheel.writestr("folder/model.onnx", content)
    entry = {"package": "some", "version": "1", "member": "folder/model.onnx",
             "sha256": digest or hashlib.sha256(content).hexdigest()}
    with zipfile.ZipFile(tmp_path / "some.whl") as wheel:
        if digest is None:
            fetch_models._unpack(wheel, entry)
            assert fetch_models.path_of(entry).read_bytes() == content
        else:
            with pytest.raises(fetch_models.FetchError, match="has SHA-256"):
                fetch_models._unpack(wheel, entry)
            assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
        with pytest.raises(fetch_models.FetchError, match="no member"):
            fetch_models._unpack(wheel, {**entry, "member": "folder/other.onnx"})


def test_missing_files_are_said_to_be_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("WEBNN_CACHE", str(tmp_path))
    with pytest.raises(fetch_models.FetchError, match="is not in"):
        fetch_models.fetch("magika", download=False)
    with pytest.raises(fetch_models.FetchError, match="not listed"):
        fetch_models.fetch("no such model")
