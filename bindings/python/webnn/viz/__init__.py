"""Graphs to look at: drawings, and what a compiled graph does in which step.

    webnn.viz.draw(builder, {"y": y})          # in a notebook: the picture
    webnn.viz.svg(graph)                       # its text; the graph was built with keep_definition=True
    webnn.viz.explain(graph)                   # operations in steps, kernels, and what the passes took away

Drawing needs nothing else; `dot` is for those who have Graphviz.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .. import _definition
from .dot import dot_graph
from .explain import Explanation, explain
from .svg import draw_graph

if TYPE_CHECKING:
    from .. import Graph, GraphBuilder, Operand

__all__ = ["Drawing", "Explanation", "dot", "draw", "explain", "svg"]


class Drawing:
    """A picture that notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="max-height:720px;overflow:auto">{self.svg}</div>'


def svg(graph: GraphBuilder | Graph, outputs: Mapping[str, Operand] | None = None) -> str:
    """The text of an SVG file.

    `graph` is a builder, with the dict of its outputs as `build` takes it; the builder stays open. Or it is a Graph
    that was built with keep_definition=True.
    """
    return draw_graph(_definition.read("viz", graph, outputs))


def draw(graph: GraphBuilder | Graph, outputs: Mapping[str, Operand] | None = None) -> Drawing:
    """The same as an object that a notebook shows as the picture."""
    return Drawing(svg(graph, outputs))


def dot(graph: GraphBuilder | Graph, outputs: Mapping[str, Operand] | None = None) -> str:
    """The graph in Graphviz's language."""
    return dot_graph(_definition.read("viz", graph, outputs))
