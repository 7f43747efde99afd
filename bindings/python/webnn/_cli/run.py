"""`run`: one run of a model."""

import pathlib
import time
import urllib.parse

import numpy as np

from webnn._definition import visible

from . import models


def _summary(array):
    if array.size == 0:
        return "empty"
    if array.size <= 4:
        return " ".join(f"{value:.6g}" for value in array.ravel().tolist())
    values = array.astype(np.float64)
    words = f"from {values.min():.6g} to {values.max():.6g}, mean {values.mean():.6g}"
    n_strange = int((~np.isfinite(values)).sum())
    return f"{words}, {n_strange} not finite" if n_strange else words


def _save(folder, name, array):
    """Whatever an output is called, its file lies in the folder."""
    path = folder / f"{urllib.parse.quote(name, safe=' ()[],;+@')}.npy"
    np.save(path, array, allow_pickle=False)
    return path


def main(options):
    with models.open_context(options) as context, models.build(context, options) as graph:
        inputs = models.feeds(graph, options)
        begin = time.perf_counter()
        outputs = context.compute(graph, inputs)
        took = time.perf_counter() - begin
        backend = context.info["backend"]
    for name, array in inputs.items():
        print(f"in   {visible(name)}: {array.dtype} {list(array.shape)}")
    for name, array in outputs.items():
        print(f"out  {visible(name)}: {array.dtype} {list(array.shape)}: {_summary(array)}")
    print(f"{took * 1e3:.2f} ms on {backend}, the first run")
    if options.output:
        folder = pathlib.Path(options.output)
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in outputs.items():
            print(f"wrote {_save(folder, name, array)}")
    return 0
