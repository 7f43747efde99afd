"""From operations of a graph to calls that the specification has: defaults left out, extensions spelled out."""

import dataclasses
import inspect
import math

from .._core import GraphBuilder, NotSupportedError
from .._definition import Operand, snake

_LISTS = ("split", "gru", "lstm", "lstmCell")
_PLANE = {"nchw": (2, 3), "nhwc": (1, 2)}
_ENDS = {
    "int8": (-(2**7), 2**7 - 1), "uint8": (0, 2**8 - 1),
    "int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1),
}


@dataclasses.dataclass
class Call:
    """A method of MLGraphBuilder with what it takes. `names` are identifiers of operands between our calls."""

    op: str
    args: list
    options: dict
    outputs: list
    label: str = ""
    names: dict = dataclasses.field(default_factory=dict)
    is_list: bool = False


def calls(operator, unique):
    """The calls that make an operation; `unique` gives an identifier for a part of it."""
    method = getattr(GraphBuilder, snake(operator.op))
    if operator.op == "squeeze":
        return [_squeeze(operator)]
    if operator.options.get("mode") == "symmetric":
        return list(_symmetric_pad(operator, unique))
    _refuse_extensions(operator, method.__doc__)
    options = {key: value for key, value in operator.options.items()
               if not _is_default(operator, key, value, inspect.signature(method).parameters[snake(key)].default)}
    args = list(operator.args.values())
    return [Call(operator.op, args, options, operator.outputs, operator.label, is_list=operator.op in _LISTS)]


def _refuse_extensions(operator, doc):
    """Those that have no counterpart: today there are none left here, which a new one would change."""
    label = f"[{operator.label}] " if operator.label else ""
    if "\nAn extension" in doc:
        raise NotSupportedError(f"js: {label}{operator.op}: an extension; the specification has no such operation")
    for key in operator.options:
        if f"\n{snake(key)}: Extension" in doc:
            raise NotSupportedError(f"js: {label}{operator.op}: {key} is an extension; the specification has none")


# ---- defaults


def _equal(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return a == b


def _is_default(operator, key, value, default):
    if isinstance(value, Operand):
        return False
    if key in ("padding", "outputPadding"):
        return not any(value)
    if key in ("strides", "dilations"):
        return all(one == 1 for one in value)
    if key == "outputSizes":
        return operator.op == "convTranspose2d" or value == _pooled_plane(operator)
    if key in ("minValue", "maxValue"):
        return _equal(value, _bounds(operator)[key == "maxValue"])
    if key == "activations":
        return value == ["sigmoid", "tanh", "tanh"][: len(value)]
    if operator.op == "pad" and key == "value" and operator.options["mode"] != "constant":
        return True
    return _equal(value, default)


def _bounds(operator):
    """What an absent bound of clamp means."""
    return _ENDS.get(operator.args["input"].data_type, (-math.inf, math.inf))


def _pooled_plane(operator):
    """The size that a pool's rounding gives when none is asked for. convTranspose2d has it in outputPadding."""
    options = operator.options
    shape = operator.args["input"].shape
    plane = []
    for i, axis in enumerate(_PLANE[options["layout"]]):
        window = (options["windowDimensions"][i] - 1) * options["dilations"][i] + 1
        room = shape[axis] + sum(options["padding"][2 * i : 2 * i + 2]) - window
        steps = -(-room // options["strides"][i]) if options["outputShapeRounding"] == "ceil" else (
            room // options["strides"][i])
        plane.append(steps + 1)
    return plane


# ---- extensions


def _squeeze(operator):
    (output,) = operator.outputs
    return Call("reshape", [operator.args["input"], output.shape], {}, [output], operator.label)


def _symmetric_pad(operator, unique):
    """Axis by axis: the border with its mirror image on either side."""
    args = operator.args
    current, names = args["input"], {}
    axes = [axis for axis in range(len(current.shape))
            if args["beginningPadding"][axis] or args["endingPadding"][axis]]
    if not axes:
        yield Call("identity", [current], {}, operator.outputs, operator.label)
    for axis in axes:
        before, after = args["beginningPadding"][axis], args["endingPadding"][axis]
        size = current.shape[axis]
        parts = [current]
        for n, start in ((before, 0), (after, size - after)):
            if n == 0:
                continue
            starts = [start if i == axis else 0 for i in range(len(current.shape))]
            shape = [n if i == axis else one for i, one in enumerate(current.shape)]
            border = _between(current, shape, names, unique("border"))
            mirror = _between(current, shape, names, unique("mirror"))
            yield Call("slice", [current, starts, shape], {}, [border], operator.label, names)
            yield Call("reverse", [border], {"axes": [axis]}, [mirror], operator.label, names)
            parts.append(mirror)
        if before:
            parts[:2] = parts[1::-1]
        shape = [size + before + after if i == axis else one for i, one in enumerate(current.shape)]
        last = axis == axes[-1]
        current = operator.outputs[0] if last else _between(current, shape, names, unique("padded"))
        yield Call("concat", [parts, axis], {}, [current], operator.label, names)


def _between(like, shape, names, name):
    """An operand that the graph itself doesn't have: its ids are below zero."""
    operand = Operand(-1 - len(names), like.data_type, shape)
    names[operand.id] = name
    return operand
