"""Calls that must fail: a valid one with one thing broken, and the error that it must give."""

import copy
import dataclasses

from hypothesis import strategies as st

import webnn

from .. import definition as definitions
from ..reference.numbers import DATA_TYPES
from .scope import OPERATIONS, Scope, limits

BREAKS = {}


@dataclasses.dataclass
class InvalidCall:
    """A definition of which the only call must raise `error`; `state` breaks the builder and not the call."""

    definition: dict
    error: type
    why: str
    state: str | None = None

    def attempt(self, context):
        """Makes the call and raises what it raises."""
        builder = webnn.GraphBuilder(context)
        step = self.definition["operators"][0]
        inputs = {"inputs": self.definition["inputs"], "operators": []}
        operands = definitions.add_to(builder, inputs)
        if self.state == "foreign":
            other = definitions.add_to(webnn.GraphBuilder(context), inputs)
            name = next(definitions.operands_of(step))
            operands[name] = other[name]
        if self.state == "built":
            builder.build({"y": _result(builder)}).result()
        args, options = definitions.call(step, operands)
        return getattr(builder, definitions.snake(step["op"]))(*args, **options)


def _result(builder):
    return builder.identity(builder.constant(data_type="float32", value=0))


def breaks(function):
    """Registers a function (draw, definition, step) that breaks the call and says how, or gives None."""
    BREAKS[function.__name__] = function
    return function


def _operand_fields(step):
    """(where, key, tensor's name) of each operand argument, in lists too."""
    for where in ("args", "options"):
        for key, value in step[where].items():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    yield where, key, item["operand"]


def _limits_of(step, key):
    return limits()[step["op"]][key]


def _refill(tensor, shape=None, dtype=None):
    """Changes a descriptor; the operand is an input then, which needs no elements."""
    tensor["shape"] = tensor["shape"] if shape is None else shape
    tensor["dataType"] = dtype or tensor["dataType"]
    tensor["constant"] = False
    tensor["data"] = []


@breaks
def type_not_allowed(draw, definition, step):
    fields = [field for field in _operand_fields(step)
              if len(_limits_of(step, field[1])["dataTypes"]) < len(DATA_TYPES)]
    if not fields:
        return None
    _, key, name = draw(st.sampled_from(fields))
    wrong = [dtype for dtype in DATA_TYPES if dtype not in _limits_of(step, key)["dataTypes"]]
    dtype = draw(st.sampled_from(wrong))
    _refill(definition["inputs"][name], dtype=dtype)
    return f"{key} may not be {dtype}"


_SAME_TYPE = {
    "a": "b", "input": ("filter", "slope", "bias", "scale", "mean", "variance", "updates", "weight",
                        "recurrentWeight", "hiddenState", "cellState", "peepholeWeight", "recurrentBias"),
    "trueValue": "falseValue", "c": "a",
}
_OTHER_TYPE = ("quantizeLinear", "dequantizeLinear")


@breaks
def types_differ(draw, definition, step):
    keys = {key: name for _, key, name in _operand_fields(step)}
    pairs = [(second, keys[second]) for first, others in _SAME_TYPE.items() if first in keys
             for second in ([others] if isinstance(others, str) else others)
             if second in keys and keys[second] != keys[first]]
    if not pairs or step["op"] in _OTHER_TYPE:
        return None
    key, name = draw(st.sampled_from(pairs))
    tensor = definition["inputs"][name]
    dtype = draw(st.sampled_from([d for d in DATA_TYPES if d != tensor["dataType"]]))
    _refill(tensor, dtype=dtype)
    return f"{key} is {dtype}, the other operand isn't"


@breaks
def rank_not_allowed(draw, definition, step):
    whole = {"min": 0, "max": 8}
    fields = [field for field in _operand_fields(step) if _limits_of(step, field[1])["rankRange"] != whole]
    if not fields:
        return None
    _, key, name = draw(st.sampled_from(fields))
    rank = _limits_of(step, key)["rankRange"]
    wrong = [n for n in range(9) if not rank["min"] <= n <= rank["max"]]
    if not wrong:
        return None
    shape = [1] * draw(st.sampled_from(wrong))
    _refill(definition["inputs"][name], shape=shape)
    return f"{key} may not have rank {len(shape)}"


_DOUBLES = {
    "elu": ["alpha"], "leakyRelu": ["alpha"], "hardSigmoid": ["alpha", "beta"], "linear": ["alpha", "beta"],
    "gemm": ["alpha", "beta"], "batchNormalization": ["epsilon"], "instanceNormalization": ["epsilon"],
    "layerNormalization": ["epsilon"],
}


@breaks
def double_not_finite(draw, definition, step):
    if step["op"] not in _DOUBLES:
        return None
    name = draw(st.sampled_from(_DOUBLES[step["op"]]))
    step["options"][name] = draw(st.sampled_from([float("nan"), float("inf"), float("-inf")]))
    return f"{name} is not finite"


@breaks
def axis_outside(draw, definition, step):
    name = next(definitions.operands_of(step))
    rank = len(definition["inputs"][name]["shape"])
    where = "args" if "axis" in step["args"] else "options"
    if "axis" not in {**step["args"], **step["options"]}:
        return None
    step[where]["axis"] = rank + draw(st.integers(0, 3))
    return "axis is outside"


@breaks
def axes_wrong(draw, definition, step):
    takes = step["op"].startswith("reduce") or step["op"] in ("reverse", "layerNormalization", "resample2d")
    if not takes:
        return None
    rank = len(definition["inputs"][next(definitions.operands_of(step))]["shape"])
    choices = [[rank], [0, rank + 7], *([[0, 0]] if rank else [])]
    step["options"]["axes"] = draw(st.sampled_from(choices))
    return f"axes {step['options']['axes']} of rank {rank}"


_LISTS = {
    "padding": 4, "strides": 2, "dilations": 2, "windowDimensions": 2, "outputPadding": 2, "outputSizes": 2,
    "sizes": 2, "scales": 2,
}


def _list_options(step):
    spatial = step["op"] in ("conv2d", "convTranspose2d", "resample2d") or step["op"].endswith("Pool2d")
    return [key for key in _LISTS if key in step["options"]] if spatial else []


@breaks
def list_too_long(draw, definition, step):
    keys = _list_options(step)
    if not keys:
        return None
    key = draw(st.sampled_from(keys))
    step["options"][key] = [*step["options"][key], 1]
    return f"{key} is too long"


@breaks
def zero_in_list(draw, definition, step):
    keys = [key for key in _list_options(step) if key not in ("padding", "outputPadding")]
    if not keys:
        return None
    key = draw(st.sampled_from(keys))
    step["options"][key] = [0, step["options"][key][1]]
    return f"{key} has a 0"


@breaks
def per_dimension_list(draw, definition, step):
    lists = ("beginningPadding", "endingPadding", "starts", "sizes", "repetitions")
    keys = [key for key in lists if key in step["args"]]
    if not keys or step["op"] not in ("pad", "slice", "tile"):
        return None
    key = draw(st.sampled_from(keys))
    step["args"][key] = [*step["args"][key], 1]
    return f"{key} has more items than dimensions"


@breaks
def shape_clash(draw, definition, step):
    """Two operands that must broadcast, one of which is made not to."""
    pair = [key for key in ("a", "b", "input", "slope", "trueValue", "falseValue") if key in step["args"]]
    if len(pair) != 2 or step["op"] in ("gemm", "matmul", "conv2d", "convTranspose2d"):
        return None
    first, second = (step["args"][key]["operand"] for key in pair)
    if first == second:
        return None
    shape = definition["inputs"][first]["shape"]
    large = [at for at, dim in enumerate(shape) if dim > 1]
    if not large:
        return None
    at = draw(st.sampled_from(large))
    _refill(definition["inputs"][second], shape=[shape[at] + 1, *[1] * (len(shape) - at - 1)])
    return f"{pair[1]} does not broadcast"


@breaks
def not_an_unsigned_number(draw, definition, step):
    keys = [(where, key) for where in ("args", "options") for key in ("axis", "groups", "steps", "hiddenSize")
            if key in step[where]]
    if not keys:
        return None
    where, key = draw(st.sampled_from(keys))
    absent = [None] if where == "args" else []
    step[where][key] = draw(st.sampled_from([-1, 0.5, 2**32, -(2**40), *absent]))
    return f"{key} is {step[where][key]}"


@breaks
def unknown_enumeration(draw, definition, step):
    keys = [key for key in ("inputLayout", "filterLayout", "layout", "mode", "direction", "outputShapeRounding")
            if key in step["options"]]
    if not keys:
        return None
    key = draw(st.sampled_from(keys))
    step["options"][key] = draw(st.sampled_from(["", "NCHW", "none", "nchw\0"]))
    return f"{key} is no such value"


@breaks
def reshape_to_another_count(draw, definition, step):
    if step["op"] != "reshape":
        return None
    step["args"]["newShape"] = [*step["args"]["newShape"], 2]
    return "newShape has another number of elements"


@breaks
def groups_do_not_divide(draw, definition, step):
    if step["op"] not in ("conv2d", "convTranspose2d"):
        return None
    step["options"]["groups"] = draw(st.sampled_from([0, 1000003]))
    return "groups do not divide the channels"


@st.composite
def invalid_calls(draw, operations=None):
    """InvalidCalls of the operations named, of any by default."""
    scope = Scope(draw, reuse=False, max_elements=64)
    op = draw(st.sampled_from(sorted(operations or OPERATIONS)))
    OPERATIONS[op](scope, op)
    definition = scope.definition()
    ways = draw(st.permutations(sorted(BREAKS))) if draw(st.integers(0, 9)) else []
    for how in ways:
        broken = copy.deepcopy(definition)
        why = BREAKS[how](draw, broken, broken["operators"][0])
        if why is not None:
            return InvalidCall(broken, TypeError, why)
    if draw(st.booleans()):
        return InvalidCall(definition, webnn.InvalidStateError, "the builder is built", "built")
    return InvalidCall(definition, TypeError, "an operand of another builder", "foreign")
