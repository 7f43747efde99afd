"""A graph on every backend that is here, with passes and without: first differences, and saved ones again."""

import contextlib
import json
from pathlib import Path

import webnn

from .compare import compare

BACKENDS = ("reference", "onednn", "opencl")
PASSES = {None: "", "-all": ", passes off"}


@contextlib.contextmanager
def contexts(backends=BACKENDS):
    """{name: Context} for each of the backends that is here; destroyed at the end."""
    found = {}
    try:
        for backend in backends:
            for passes, suffix in PASSES.items():
                with contextlib.suppress(webnn.NotSupportedError):
                    found[backend + suffix] = webnn.ML().create_context(backend=backend, passes=passes).result()
        yield found
    finally:
        for context in found.values():
            context.destroy()


def differ(definition, contexts, level="strict"):
    """(name, Comparison) of the first context on which something is wrong, None when all is well."""
    for name, context in contexts.items():
        outcome = compare(definition, context=context, level=level)
        if not outcome:
            return name, outcome
    return None


def replay(path, backends=BACKENDS, *, engine=None):
    """[(name, Comparison)]: a saved graph on each backend, or on an engine as `compare` takes it."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(saved, dict) or not {"inputs", "outputs"} <= saved.keys():
        raise ValueError(f"{path}: is no saved comparison")
    with contextlib.nullcontext({"engine": engine}) if engine is not None else contexts(backends) as found:
        return [(name, compare(saved, context=context, level=saved.get("level", "strict")))
                for name, context in found.items()]
