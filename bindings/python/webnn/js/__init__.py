"""Graphs as JavaScript: an ES module that builds the same graph with the MLGraphBuilder of a browser.

    webnn.js.save("model.js", builder, {"y": y})    # large constants go to model.safetensors beside it
    text = webnn.js.dumps(graph)                    # one text with everything; built with keep_definition=True

On the page, or in any other program that has the API:

    import buildGraph from "./model.js";
    const context = await navigator.ml.createContext();
    const {graph, inputs, outputs} = await buildGraph(context);

`inputs` and `outputs` are descriptors by name. Only what the specification has is used: our extensions are written
as operations that it has, or refused with NotSupportedError. Options that have their default value are left out.
"""

from __future__ import annotations

import json
import os
import pathlib
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .. import _definition
from .module import Module

if TYPE_CHECKING:
    from .. import Graph, GraphBuilder, Operand

__all__ = ["dumps", "save"]

_DTYPES = {name: dtype for dtype, name in _definition.DATA_TYPES.items()}


def dumps(graph: GraphBuilder | Graph, outputs: Mapping[str, Operand] | None = None) -> str:
    """The text of the module, constants included as base64.

    `graph` is a builder, with the dict of its outputs as `build` takes it; the builder stays open. Or it is a Graph
    that was built with keep_definition=True.
    """
    return Module(_definition.read("js", graph, outputs)).text()


def save(
    path: str | os.PathLike[str],
    graph: GraphBuilder | Graph,
    outputs: Mapping[str, Operand] | None = None,
    *,
    inline: int = 256,
) -> None:
    """Writes the module; constants of more than `inline` bytes go to a safetensors file of its name beside it.

    The module fetches that file from where it lies itself. The function takes another URL, or the file's bytes, as a
    second argument. `graph` and `outputs` as in `dumps`.
    """
    path = pathlib.Path(path)
    weights = path.with_suffix(".safetensors")
    if weights == path:
        raise ValueError("js: the module can't have the name of its own weights: call it .js or .mjs")
    url = "./" + urllib.parse.quote(weights.name)
    module = Module(_definition.read("js", graph, outputs), inline=inline, weights=url)
    text = module.text()
    if module.tensors:
        _definition.write_whole(weights, _safetensors(module.tensors))
    _definition.write_whole(path, [text.encode()])


def _safetensors(tensors):
    """The parts of a safetensors file; the data begins at a multiple of 64."""
    header, end = {}, 0
    largest_elements_first = sorted(tensors.items(), key=lambda item: -_definition.BYTES[item[1].data_type])
    for name, operand in largest_elements_first:
        begin, end = end, end + len(operand.data)
        header[name] = {"dtype": _DTYPES[operand.data_type], "shape": operand.shape, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    return [len(text).to_bytes(8, "little"), text, *(operand.data for _, operand in largest_elements_first)]
