"""Runs a graph on an engine and finds the first operand that is wrong, and by how much."""

import dataclasses
import json

import numpy as np

import webnn

from . import definition as definitions
from .noise import output_allowances
from .tolerance import Allowance, allowances

_RUNS = (8, 200)


@dataclasses.dataclass
class Mismatch:
    """One operand out of tolerance."""

    operand: str
    op: str
    label: str
    element: tuple
    actual: float
    expected: float
    distance: float
    allowed: float
    count: int
    size: int
    whole: bool

    def __str__(self):
        label = f"[{self.label}] " if self.label else ""
        place = "".join(f"[{i}]" for i in self.element)
        how = ", in the graph as a whole" if self.whole else ""
        return (
            f"{label}{self.op}: {self.operand!r}{place} is {self.actual}, expected {self.expected}: "
            f"{self.distance:g} ULP apart, {self.allowed:g} allowed; {self.count} of {self.size} elements{how}"
        )


@dataclasses.dataclass(repr=False)
class Comparison:
    """The outcome: true when nothing is wrong."""

    definition: dict
    mismatch: Mismatch | None
    level: str

    def __bool__(self):
        return self.mismatch is None

    def __repr__(self):
        return f"<Comparison: {self}>"

    def __str__(self):
        return "no difference" if self.mismatch is None else str(self.mismatch)

    def save(self, path):
        """Writes what `python -m webnn replay` runs again: the graph, its inputs, what was found."""
        saved = dict(definitions.to_json(self.definition), level=self.level)
        if self.mismatch is not None:
            saved["found"] = str(self.mismatch)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(saved, file, indent=1, ensure_ascii=False)


def engine(target):
    """What runs graphs: a Context, or a function (definition, inputs, outputs) -> dict of arrays."""
    if isinstance(target, webnn.Context):
        return lambda definition, inputs, outputs: definitions.run(definition, target, inputs, outputs)
    if callable(target):
        return target
    raise TypeError("an engine is a webnn.Context or a function (definition, inputs, outputs)")


def single(step, values):
    """A graph of one call, its operands as inputs."""
    used = dict.fromkeys(definitions.operands_of(step))
    return {
        "inputs": {name: definitions.tensor(values[name]) for name in used},
        "operators": [step],
        "outputs": list(step["outputs"]),
    }


def _mismatch(step, name, actual, expected, allowance, whole=False):
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise ValueError(
            f"{step['op']}: {name!r} is {actual.dtype} {list(actual.shape)}, "
            f"expected {expected.dtype} {list(expected.shape)}"
        )
    excess = allowance.excess(actual, expected)
    wrong = np.flatnonzero(~np.isnan(excess))
    if wrong.size == 0:
        return None
    worst = wrong[np.argmax(excess.ravel()[wrong])]
    at = tuple(int(i) for i in np.unravel_index(worst, expected.shape))
    return Mismatch(
        name, step["op"], step["options"].get("label", ""), at, actual[at], expected[at],
        float(excess[at]), _in_ulps(allowance, expected, at), int(wrong.size), int(expected.size), whole,
    )


def _in_ulps(allowance, expected, at):
    """What was allowed to one element."""
    absolute = np.broadcast_to(allowance.absolute, expected.shape)[at]
    if expected.dtype.kind != "f" or not np.isfinite(expected[at]):
        return float(max(allowance.ulps, absolute))
    return float(max(allowance.ulps, absolute / float(np.spacing(np.absolute(expected[at])))))


def _twice(allowance):
    """Two engines may err in opposite directions."""
    return Allowance(2 * allowance.ulps, 2 * allowance.absolute, allowance.doubt)


def _excused(definition, inputs, name, actual, expected, level):
    """Whether a group of operators that was compiled as one may give such a result: an operand that is an output
    does not keep an engine from computing another one without it."""
    if len(definition["operators"]) == 1:
        return False
    wanted = None if expected is None else {name: expected}
    return whole_graph(definition, inputs, {name: actual}, level, wanted) is None


def _operators(definition, inputs, values, other, level):
    """The first operator whose results don't follow from the operands that the engine itself computed."""
    for step in definition["operators"]:
        exact = definitions.run_operator(step, values)
        limits = allowances(step, values, exact, level)
        if other is not None:
            found = other(single(step, values), None, list(step["outputs"]))
            exact, limits = [found[name] for name in step["outputs"]], [_twice(limit) for limit in limits]
        for name, expected, limit in zip(step["outputs"], exact, limits):
            mismatch = _mismatch(step, name, values[name], expected, limit)
            wanted = None if other is None else expected
            if mismatch is not None and not _excused(definition, inputs, name, values[name], wanted, level):
                return mismatch
    return None


def whole_graph(definition, inputs, results, level="strict", expected=None):
    """The first of a graph's results that is wrong, though all operators may err as they are allowed to. Without
    `expected`, another engine's results, they are compared with the exact ones."""
    values = definitions.run_reference(definition, inputs)
    producers = {name: step for step in definition["operators"] for name in step["outputs"]}
    mismatch = None
    for runs in _RUNS:
        limits = output_allowances(definition, values, list(results), level, runs)
        for name, actual in results.items():
            wanted, limit = values[name], limits[name]
            if expected is not None:
                wanted, limit = expected[name], _twice(limit)
            mismatch = _mismatch(producers[name], name, actual, wanted, limit, whole=True)
            if mismatch is not None:
                break
        if mismatch is None:
            return None
    return mismatch


def compare(graph, inputs=None, against="numpy", *, outputs=None, context=None, level="strict"):
    """Runs a graph on `context` and compares each operand with NumPy, or with what another engine makes of it.

    `graph` is a definition, a GraphBuilder with the dict of its `outputs`, or a Graph built with keep_definition.
    `inputs` are arrays by name; they replace those of a definition.

    First all operands are outputs, and each operator is judged by the operands that it got; then the graph runs as
    it is, fused and folded. The Comparison is true when nothing is wrong; else its `mismatch` names the first
    operand that is out of tolerance. `context` and `against` may be functions (definition, inputs, outputs) -> dict
    of arrays. Without a context it is the graph's own, or a default one for a definition.
    """
    definition = graph if isinstance(graph, dict) else definitions.from_graph(graph, outputs)
    if context is None:
        context = webnn.ML().create_context().result() if isinstance(graph, dict) else graph.context
    run, other = engine(context), None if against == "numpy" else engine(against)
    values = definitions.values_of(definition, inputs)
    given = {name: value for name, value in values.items() if not definition["inputs"][name]["constant"]}
    everything = [name for step in definition["operators"] for name in step["outputs"]]
    values.update(run(definition, given, everything))
    mismatch = _operators(definition, given, values, other, level)
    names = definitions.output_names(definition)
    if mismatch is None and (len(definition["operators"]) > 1 or set(names) != set(everything)):
        wanted = None if other is None else other(definition, given, names)
        mismatch = whole_graph(definition, given, run(definition, given, names), level, wanted)
    kept = {**definition, "inputs": {
        name: definitions.tensor(values[name], wanted["constant"]) for name, wanted in definition["inputs"].items()
    }}
    return Comparison(kept, mismatch, level)
