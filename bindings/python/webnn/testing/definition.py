"""Graphs as data: the JSON of the conformance vectors, which can be built, run and saved.

    {"inputs":    {"x": {"shape": [2], "dataType": "float32", "constant": false, "data": [1, "NaN"]}},
     "operators": [{"op": "relu", "args": {"input": {"operand": "x"}}, "options": {}, "outputs": ["y"]}],
     "outputs":   ["y"]}

Names of operations, parameters and options are the specification's. `outputs` may be missing: then those of
`expected` are the outputs, or else all that no operator consumes. Numbers that JSON doesn't have are strings. In
Python `data` may be an array too, or be missing where an input is given at each run; `to_json` makes plain JSON.
"""

import re

import numpy as np

import webnn
from webnn import _definition

from .reference import OPERATIONS

_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_NUMBER = re.compile(r"NaN|-?Infinity|-?\d+")
_EXACT = 2**53


snake = _definition.snake


def camel(name):
    """The specification's name of an operation, parameter or option."""
    special = {"gather_nd": "gatherND", "scatter_nd": "scatterND", "is_nan": "isNaN"}
    return special.get(name) or re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


# Numbers and arrays


def number(text):
    return _SPECIAL[text] if text in _SPECIAL else int(text)


def array(tensor):
    """The elements of an input or an expected result; a ValueError where its type cannot hold one exactly."""
    data, dtype = tensor["data"], np.dtype(tensor["dataType"])
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, dict):
        return np.full(tensor["shape"], data["fill"], dtype)
    values = [number(value) if isinstance(value, str) else value for value in data]
    if dtype.kind != "f":
        return np.array(values, dtype).reshape(tensor["shape"])
    wide = np.array(values, np.float64)
    with np.errstate(over="ignore"):
        exact = wide.astype(dtype)
    if not np.array_equal(exact.astype(np.float64), wide, equal_nan=True):
        raise ValueError(f"a value is not a {dtype.name}")
    return exact.reshape(tensor["shape"])


def plain(value):
    """A number as JSON has it, or as a string."""
    if isinstance(value, float):
        if value != value:
            return "NaN"
        return value if abs(value) != float("inf") else ("Infinity" if value > 0 else "-Infinity")
    return value if abs(value) <= _EXACT else str(value)


def tensor(values, constant=False):
    """An array as an input of a definition."""
    values = np.array(values, order="C")
    return {"shape": list(values.shape), "dataType": values.dtype.name, "constant": constant, "data": values}


def to_json(value):
    """A definition, or a part of one, as JSON has it."""
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.ravel().tolist()]
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return plain(value)
    return value


# Definitions


def operand(name):
    """A reference to an operand, as arguments have it."""
    return {"operand": name}


def operator(op, outputs, args=None, **options):
    """One call, its options in snake_case or the specification's names; those that are None are absent."""
    return {
        "op": camel(op),
        "args": {camel(key): value for key, value in (args or {}).items()},
        "options": {camel(key): value for key, value in options.items() if value is not None},
        "outputs": [outputs] if isinstance(outputs, str) else list(outputs),
    }


def operands_of(step):
    """The names of all operands that a call takes, in order."""
    def walk(value):
        if isinstance(value, dict):
            yield value["operand"]
        elif isinstance(value, list):
            for item in value:
                yield from walk(item)

    for value in (*step["args"].values(), *step["options"].values()):
        yield from walk(value)


def output_names(definition):
    if "outputs" in definition:
        return list(definition["outputs"])
    if definition.get("expected"):
        return list(definition["expected"])
    used = {name for step in definition["operators"] for name in operands_of(step)}
    return [name for step in definition["operators"] for name in step["outputs"] if name not in used]


def argument(value, operands):
    """A parameter or option as Python calls take it."""
    if isinstance(value, dict):
        return operands[value["operand"]]
    if isinstance(value, list):
        return [argument(item, operands) for item in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return number(value)
    return value


def call(step, operands):
    """A call's positional arguments and its options by their Python names."""
    args = [argument(value, operands) for value in step["args"].values()]
    return args, {snake(key): argument(value, operands) for key, value in step["options"].items()}


def values_of(definition, inputs=None):
    """The arrays of all inputs and constants; those in `inputs` replace the definition's own."""
    missing = [name for name, wanted in definition["inputs"].items()
               if "data" not in wanted and name not in (inputs or {})]
    if missing:
        raise ValueError(f"input {missing[0]!r} is not given")
    values = {name: array(wanted) for name, wanted in definition["inputs"].items()
              if wanted["constant"] or name not in (inputs or {})}
    for name, value in (inputs or {}).items():
        wanted = definition["inputs"][name]
        value = np.asarray(value)
        if list(value.shape) != wanted["shape"] or value.dtype.name != wanted["dataType"]:
            raise ValueError(f"input {name!r} must be {wanted['dataType']} {wanted['shape']}")
        values[name] = value
    return values


def run_operator(step, values):
    """The outputs of one call in NumPy, in a list."""
    args, options = call(step, values)
    options.pop("label", None)
    result = OPERATIONS[snake(step["op"])](*args, **options)
    return list(result) if isinstance(result, (tuple, list)) else [np.asarray(result)]


def run_reference(definition, inputs=None):
    """Runs a graph in NumPy: a dict of arrays by name, inputs and intermediate operands included."""
    values = values_of(definition, inputs)
    for step in definition["operators"]:
        values.update(zip(step["outputs"], run_operator(step, values)))
    return values


def add_to(builder, definition):
    """Makes the calls of a definition on a builder: all operands by name."""
    operands = {}
    for name, wanted in definition["inputs"].items():
        if wanted["constant"]:
            operands[name] = builder.constant(array(wanted))
        else:
            operands[name] = builder.input(name, shape=wanted["shape"], data_type=wanted["dataType"])
    for step in definition["operators"]:
        args, options = call(step, operands)
        results = getattr(builder, snake(step["op"]))(*args, **options)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        operands.update(zip(step["outputs"], results, strict=True))
    return operands


def build(definition, context, outputs=None):
    """A Graph with the definition's outputs, or with the operands that `outputs` names."""
    builder = webnn.GraphBuilder(context)
    operands = add_to(builder, definition)
    return builder.build({name: operands[name] for name in outputs or output_names(definition)}).result()


def run(definition, context, inputs=None, outputs=None):
    """Builds a graph and runs it once: a dict of arrays by output name."""
    values = values_of(definition, inputs)
    graph = build(definition, context, outputs)
    with graph:
        return context.compute(graph, {name: values[name] for name in graph.inputs})


# Graphs made with a builder


def _names(graph):
    """{operand's id: its name here}: those of inputs and outputs, and new ones for the rest."""
    names = {operand.id: operand.name for operand in graph.inputs}
    for name, operand in graph.outputs:
        if name not in names.values():
            names.setdefault(operand.id, name)
    taken = set(names.values())
    for operand in [*graph.constants, *(result for one in graph.operators for result in one.outputs)]:
        name = f"#{operand.id}"
        while name in taken:
            name += "'"
        names.setdefault(operand.id, name)
    return names


def _leaf(operand):
    if operand.data is None:
        return {"shape": operand.shape, "dataType": operand.data_type, "constant": False}
    return tensor(np.frombuffer(operand.data, operand.data_type).reshape(operand.shape), constant=True)


def from_graph(graph, outputs=None):
    """The definition of what a builder computes for `outputs`, or of a Graph that was built with keep_definition.

    Operands are named after the graph's inputs and outputs, the others by number; inputs have no data.
    """
    read = _definition.read("webnn.testing", graph, outputs)
    names = _names(read)

    def field(value):
        if isinstance(value, _definition.Operand):
            return operand(names[value.id])
        return [field(item) for item in value] if isinstance(value, list) else value

    return {
        "inputs": {names[one.id]: _leaf(one) for one in [*read.inputs, *read.constants]},
        "operators": [
            {"op": one.op, "args": {key: field(value) for key, value in one.args.items()},
             "options": {key: field(value) for key, value in one.options.items()}
             | ({"label": one.label} if one.label else {}),
             "outputs": [names[result.id] for result in one.outputs]}
            for one in read.operators
        ],
        "outputs": list(dict.fromkeys(names[one.id] for _, one in read.outputs)),
    }
