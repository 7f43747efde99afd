"""The real models on OpenCL, against onnxruntime, and the kernels that they launch. Programs that are not in the cache are
compiled: some three minutes of a processor for all of them."""

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from test_models import MODELS, by_ort, distances, draw, fetched, session_of

import webnn
import webnn.onnx

# Kernels of a run. What is element-wise goes with what is before it: more of them than steps with an anchor would be lost fusion.
LAUNCHES = {"open-nsfw": 57, "nudenet-320n": 105, "ddddocr-det": 111, "ddddocr-common": 25, "ddddocr-old": 199, "ppocr-det": 92,
            "ppocr-rec": 80, "ppocr-cls": 76, "silero-vad": 14, "silero-vad-sequence": 12, "magika": 8}


@pytest.mark.parametrize("name", MODELS)
def test_model_on_opencl(opencl, name):
    path, feeds = fetched(name), draw(MODELS[name])
    graph = webnn.onnx.load(path, opencl, shapes={key: value.shape for key, value in feeds.items()})
    steps = graph.steps
    assert sum(step["launches"] for step in steps) <= LAUNCHES[name]
    assert not [step for step in steps if step["launches"] == 0]
    far = distances(opencl.compute(graph, feeds), by_ort(session_of(path), feeds))
    # A sensitive model has a measure of its own: see test_models.
    assert max(far.values()) <= (1e-3 if "sensitive" not in MODELS[name] else 0.05), far
