"""Saved comparisons: runs one again on every backend that is here."""

import json
from pathlib import Path

import webnn

from .compare import compare

BACKENDS = ("reference", "onednn", "opencl")
PASSES = (None, "-all")


def contexts(backends=BACKENDS):
    """(name, context) for each backend that is here, with passes and without."""
    for backend in backends:
        for passes in PASSES:
            try:
                context = webnn.ML().create_context(backend=backend, passes=passes).result()
            except webnn.NotSupportedError:
                break
            yield backend if passes is None else f"{backend}, passes off", context


def replay(path):
    """[(name, Comparison)]: a saved graph on all backends."""
    saved = json.loads(Path(path).read_text(encoding="utf-8"))
    results = []
    for name, context in contexts():
        with context:
            results.append((name, compare(saved, context=context, level=saved.get("level", "strict"))))
    return results
