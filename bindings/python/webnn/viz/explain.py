"""What became of a graph: which operations run in which step, by which kernel."""

from __future__ import annotations

import collections
import dataclasses
import html
from typing import TYPE_CHECKING, Any

from .. import _definition
from .._core import Graph as _Graph

if TYPE_CHECKING:
    from .. import Graph

_COLUMNS = ("step", "operations", "kernel", "label", "operands and result")


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Prints as a text, and as a table in notebooks.

    `steps` is the graph's list of them. `gone` and `new` count the operations of the builder that no step has any
    more, and those of steps that the builder didn't have; both are None where the graph kept no definition.
    `reference` are the numbers of the steps, from 0, that only the slow kernel takes; their `reason` tells why, and
    `declined` names the kernels that were asked before.
    """

    info: dict[str, Any]
    steps: list[dict[str, Any]]
    n_operations: int | None
    gone: dict[str, int] | None
    new: dict[str, int] | None
    reference: list[int]

    def _head(self) -> str:
        origin = "" if self.n_operations is None else f" for {_count(self.n_operations, 'operation')}"
        return f"{_count(len(self.steps), 'step')}{origin}, on {self.info['backend']} ({self.info['device']})"

    def _notes(self):
        fused = sum(step["operations"].count("+") for step in self.steps)
        yield f"Fused into the step of the operation before: {fused or 'none'}."
        if self.gone is not None:
            yield f"No longer there (computed at build, merged or without effect): {_counts(self.gone)}."
            yield f"Put there by the passes: {_counts(self.new)}."
        if self.info["backend"] == "reference":
            yield "All kernels are the reference's: that is this context's backend."
        elif self.reference:
            for reason, steps in self._reasons().items():
                yield f"On the reference kernel: {steps}: {reason}."
        else:
            yield "On the reference kernel: none."
        yield "In shapes, :0231 is the order of the axes in memory, :8x a block of so many channels, c a constant."

    def _reasons(self):
        """Which steps are on the reference kernel, by the reason."""
        found = {}
        for i in self.reference:
            step = self.steps[i]
            asked = f" (asked: {step['declined']})" if step["declined"] else ""
            found.setdefault(step["reason"] + asked, []).append(str(i + 1))
        return {reason: f"step{'' if len(steps) == 1 else 's'} {', '.join(steps)}" for reason, steps in found.items()}

    def _rows(self):
        for i, step in enumerate(self.steps):
            yield (str(i + 1), step["operations"].replace("+", " + "), step["kernel"],
                   _definition.visible(step["label"]), step["shapes"])

    def __str__(self) -> str:
        rows = [_COLUMNS, *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([self._head(), "", *table, "", *self._notes()])

    def _repr_html_(self) -> str:
        slow, shade = set(self.reference), ' style="background:#fef3c7"'
        cell = lambda tag, text: f'<{tag} style="text-align:left">{html.escape(text)}</{tag}>'
        head = "".join(cell("th", name) for name in _COLUMNS)
        body = "".join(
            f'<tr{shade if i in slow else ""}>{"".join(cell("td", text) for text in row)}</tr>'
            for i, row in enumerate(self._rows())
        )
        notes = "<br>".join(map(html.escape, self._notes()))
        return f"<p>{html.escape(self._head())}</p><table><tr>{head}</tr>{body}</table><p>{notes}</p>"


def _count(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def _counts(counts):
    return ", ".join(f"{n} × {op}" if n > 1 else op for op, n in sorted(counts.items())) or "nothing"


def explain(graph: Graph) -> Explanation:
    """What the context made of a graph. With keep_definition=True it also tells what the passes changed."""
    if not isinstance(graph, _Graph):
        raise TypeError(f"viz: explain needs a built Graph, not {type(graph).__name__!r}")
    steps = graph.steps
    n_operations = gone = new = None
    if graph._definition is not None:
        had = collections.Counter(_definition.snake(one.op) for one in _definition.read("viz", graph).operators)
        has = collections.Counter(op for step in steps for op in step["operations"].split("+"))
        n_operations, gone, new = had.total(), dict(had - has), dict(has - had)
    reference = [i for i, step in enumerate(steps) if step["reason"]]
    return Explanation(graph.context.info, steps, n_operations, gone, new, reference)
