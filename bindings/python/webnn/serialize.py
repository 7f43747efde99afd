"""Graphs in files: what Python has prepared, Lua and C load too.

A file is a safetensors file whose metadata holds the structure as JSON. It has everything that a build needs: names,
operations with their options and labels, constants.
"""

import os

from . import _definition
from ._core import GraphBuilder

__all__ = ["add_to", "dumps", "load", "save"]


def dumps(graph, outputs=None):
    """The bytes of a graph file.

    `graph` is a builder, with the dict of its outputs as `build` takes it; the builder stays open. Or it is a Graph that
    was built with keep_definition=True.
    """
    return _definition.encode("save", graph, outputs)


def save(path, graph, outputs=None):
    """Writes a graph file; the file is there whole or not at all. `graph` and `outputs` as in `dumps`."""
    path = _checked_path(path)
    _definition.write_whole(path, [dumps(graph, outputs)])


def _checked_path(path):
    path = os.fspath(path)
    try:
        encoded = os.fsencode(path)
    except UnicodeError:
        raise TypeError("save: path holds what no name of a file can") from None
    if b"\0" in encoded:
        raise TypeError("save: path holds a NUL")
    return os.fsdecode(path)


def add_to(builder, source):
    """Adds what a file holds to a builder: a dict of output operands by name.

    `source` is a path, whose constants are mapped and must not change, or bytes.
    Raises OperationError for what is no such file, TypeError where a name is taken.
    """
    return builder._decode(source)


def load(source, context, keep_definition=False):
    """A Graph from a file (a path or bytes), its inputs and outputs named as they were."""
    builder = GraphBuilder(context)
    return builder.build(add_to(builder, source), keep_definition=keep_definition).result()
