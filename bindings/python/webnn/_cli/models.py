"""Models by file name, and data for their inputs."""

import pathlib

import numpy as np

import webnn
from webnn import serialize
from webnn._definition import visible


def open_context(options):
    """The context that the options ask for."""
    return webnn.ML().create_context(
        device_type=options.device, backend=options.backend, threads=options.threads, math=options.math
    ).result()


def add_to(builder, options):
    """The model's operations on a builder: a dict of its outputs."""
    suffix = pathlib.Path(options.model).suffix.lower()
    if suffix not in (".onnx", ".webnn"):
        raise ValueError(f"{options.model}: must be an .onnx model or a .webnn graph file")
    if not pathlib.Path(options.model).is_file():
        raise FileNotFoundError(f"{options.model}: there is no such file")
    if suffix == ".webnn":
        if options.shape:
            raise ValueError("--shape: the shapes in a .webnn file are fixed")
        return serialize.add_to(builder, options.model)
    from webnn import onnx

    try:
        return onnx.add_to(builder, options.model, dict(options.shape))
    except onnx.ModelError as error:
        hint = " (--shape NAME=SIZES)" if "give shapes=" in str(error) else ""
        raise ValueError(f"{error}{hint}") from error


def build(context, options):
    builder = webnn.GraphBuilder(context)
    return builder.build(add_to(builder, options), keep_definition=True).result()


# ---- inputs


def _given(options, inputs):
    """What is asked for, by input; a name may have a = in it."""
    given = {}
    for text in options.inputs:
        names = [name for name in inputs if text.startswith(f"{name}=")]
        if not names:
            known = ", ".join(map(visible, inputs)) or "none"
            wrong = "no input has this name" if "=" in text else "must be NAME=DATA"
            raise ValueError(f"--input {text}: {wrong}; the inputs are: {known}")
        name = max(names, key=len)
        given[name] = text[len(name) + 1 :]
    return given


def _random(rng, shape, dtype):
    """Numbers as data usually has them: from 0 to 1, bytes in full, else 0 and 1, which are indices everywhere."""
    if dtype.kind == "f":
        return rng.random(shape).astype(dtype)
    high = 256 if dtype == np.uint8 else 128 if dtype == np.int8 else 2
    return rng.integers(0, high, shape).astype(dtype)


def _load(path, name, described):
    data = np.load(path, allow_pickle=False)
    if list(data.shape) != described.shape or data.dtype != np.dtype(described.data_type):
        raise ValueError(
            f"{path}: is {data.dtype} {list(data.shape)}, input {visible(name)} is {described.data_type} "
            f"{described.shape}"
        )
    return np.ascontiguousarray(data)


def feeds(graph, options):
    """An array for each input."""
    given, rng = _given(options, graph.inputs), np.random.default_rng(options.seed)
    made = {}
    for name, described in graph.inputs.items():
        dtype, what = np.dtype(described.data_type), given.get(name, "random")
        if what == "random":
            made[name] = _random(rng, described.shape, dtype)
        elif what in ("zeros", "ones"):
            made[name] = getattr(np, what)(described.shape, dtype)
        else:
            made[name] = _load(what, name, described)
    return made
