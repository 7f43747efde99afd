"""What a drawing shows of a graph: its inputs, operations and outputs as nodes, constants as lines in them."""

import dataclasses
import struct

from .._definition import Operand, snake, visible

_FAMILIES = {
    "conv": "conv2d convTranspose2d",
    "matrix": "gemm matmul",
    "recurrent": "gru gruCell lstm lstmCell",
    "pool": "averagePool2d l2Pool2d maxPool2d resample2d",
    "norm": "batchNormalization instanceNormalization layerNormalization softmax",
    "activation": "elu gelu hardSigmoid hardSwish leakyRelu linear prelu relu sigmoid softplus softsign tanh clamp",
    "reduce": "argMin argMax cumulativeSum reduceL1 reduceL2 reduceLogSum reduceLogSumExp reduceMax reduceMean "
    "reduceMin reduceProduct reduceSum reduceSumSquare",
    "movement": "concat expand pad reshape reverse slice split squeeze tile transpose triangular identity cast reorder",
    "index": "gather gatherElements gatherND scatterElements scatterND where",
    "quantize": "dequantizeLinear quantizeLinear",
}
_FAMILY_OF = {snake(op): family for family, ops in _FAMILIES.items() for op in ops.split()}
_SCALARS = {"float32": "<f", "float16": "<e", "int64": "<q", "uint64": "<Q", "int32": "<i", "uint32": "<I",
            "int8": "<b", "uint8": "<B"}


@dataclasses.dataclass
class Node:
    """`lines` are its constants, `results` its outputs' descriptions, `tip` everything there is to know."""

    kind: str  # "input", "output", or an operation's family
    title: str
    label: str
    lines: list
    results: list
    tip: str


def describe(operand):
    return f"{operand.data_type} [{', '.join(map(str, operand.shape))}]"


def _size(operand):
    return "×".join(map(str, operand.shape))


def _constant(field, operand):
    """A line for a constant: its value where it has one, else its size."""
    if operand.shape == []:
        (value,) = struct.unpack(_SCALARS[operand.data_type], operand.data)
        return f"{field} = {value:.6g}" if isinstance(value, float) else f"{field} = {value}"
    return f"{field}  {_size(operand)}"


def _plain(value):
    if isinstance(value, Operand):
        return describe(value)
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(_plain, value))
    return f"{value:.9g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def _tip(operator):
    lines = [operator.op + (f"  [{visible(operator.label)}]" if operator.label else "")]
    lines += [f"{field}: {_plain(value)}" for field, value in operator.fields.items()]
    return "\n".join([*lines, *(f"→ {describe(operand)}" for operand in operator.outputs)])


def family(op):
    """By either of an operation's names, or that of a step's first one."""
    return _FAMILY_OF.get(snake(op), "elementwise")


def nodes_of(definition):
    """The nodes, each after what it needs, and the edges (source, output, target) between them."""
    nodes, edges, made = [], [], {}
    for operand in definition.inputs:
        made[operand.id] = (len(nodes), 0)
        text = describe(operand)
        nodes.append(Node("input", visible(operand.name), "", [], [text], f"input {visible(operand.name)}\n{text}"))
    for operator in definition.operators:
        constants = [_constant(field, operand) for field, operand in operator.operands() if operand.data is not None]
        for _, operand in operator.operands():
            if operand.data is None:
                edges.append((*made[operand.id], len(nodes)))
        for i, operand in enumerate(operator.outputs):
            made[operand.id] = (len(nodes), i)
        nodes.append(Node(family(operator.op), operator.op, visible(operator.label), constants,
                          _results(operator), _tip(operator)))
    for name, operand in definition.outputs:
        edges.append((*made[operand.id], len(nodes)))
        text = describe(operand)
        nodes.append(Node("output", visible(name), "", [], [text], f"output {visible(name)}\n{text}"))
    return nodes, edges


def _results(operator):
    """Equal ones once: split gives many."""
    texts = [describe(operand) for operand in operator.outputs]
    if len(texts) > 1 and len(set(texts)) == 1:
        return [f"{len(texts)} × {texts[0]}"]
    return texts if len(texts) <= 3 else [*texts[:2], f"and {len(texts) - 2} more"]
