"""What a graph consists of, taken from its graph file: operations, constants, and descriptors of all operands.

What js, viz and the command line look at. Names of operations and their fields are the specification's.
"""

import dataclasses
import json
import os
import re
import secrets
import struct

from ._core import ML, Graph, GraphBuilder

DATA_TYPES = {
    "F32": "float32", "F16": "float16", "I64": "int64", "U64": "uint64",
    "I32": "int32", "U32": "uint32", "I8": "int8", "U8": "uint8",
}
BYTES = {
    "float32": 4, "float16": 2, "int64": 8, "uint64": 8, "int32": 4, "uint32": 4, "int8": 1, "uint8": 1,
}
_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_INTEGER = re.compile(r"-?\d+")


@dataclasses.dataclass(eq=False)
class Operand:
    """A value of the graph; `name` is an input's, `data` the bytes of a constant."""

    id: int
    data_type: str
    shape: list[int]
    name: str | None = None
    data: memoryview | None = None


@dataclasses.dataclass(eq=False)
class Operator:
    """One call. `fields` are its arguments, then its options: an Operand, a list of them, or plain values."""

    op: str
    n_args: int
    fields: dict
    outputs: list[Operand]
    label: str

    @property
    def args(self):
        return dict(list(self.fields.items())[: self.n_args])

    @property
    def options(self):
        return dict(list(self.fields.items())[self.n_args :])

    def operands(self):
        """(field, Operand) for each operand that the call takes, in order."""
        for field, value in self.fields.items():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, Operand):
                    yield field, item


@dataclasses.dataclass(eq=False)
class Definition:
    inputs: list[Operand]
    constants: list[Operand]
    operators: list[Operator]
    outputs: list[tuple[str, Operand]]

    def producers(self):
        """{operand's id: its Operator}."""
        return {operand.id: operator for operator in self.operators for operand in operator.outputs}


def snake(name):
    """averagePool2d -> average_pool2d, gatherND -> gather_nd, isNaN -> is_nan."""
    return re.sub(r"(?<=[a-z0-9])(NaN|ND|[A-Z])", r"_\1", name).lower()


def encode(what, graph, outputs=None):
    """The bytes of the graph file of a builder with its outputs, or of a Graph that kept its definition.

    `what`, the call, begins the messages.
    """
    if isinstance(graph, GraphBuilder):
        if outputs is None:
            raise TypeError(f"{what}: a builder needs its outputs, a dict of operands by name")
        return graph._encode(outputs)
    if not isinstance(graph, Graph):
        raise TypeError(f"{what}: must be a GraphBuilder or a Graph, not {type(graph).__name__!r}")
    if outputs is not None:
        raise TypeError(f"{what}: a Graph has its outputs")
    if graph._definition is None:
        raise TypeError(f"{what}: the graph keeps only what running needs: build it with keep_definition=True")
    return graph._definition


def write_whole(path, parts):
    """The file is there whole or not at all: until then it has a name that nobody else has."""
    part = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.part")
    with open(part, "xb") as file:
        try:
            for data in parts:
                file.write(data)
            file.close()
            os.replace(part, path)
        except BaseException:
            os.remove(part)
            raise


def read(what, graph, outputs=None):
    """The Definition of a builder with its outputs, or of a Graph that kept it."""
    return _Reader(encode(what, graph, outputs)).definition()


def _integer(text):
    """JSON's -0 is a number whose sign counts."""
    return -0.0 if text == "-0" else int(text)


class _Reader:
    """Makes every call once more, on a builder of its own that has inputs for constants: so shapes become known."""

    def __init__(self, file):
        (n,) = struct.unpack_from("<Q", file)
        self.header = json.loads(bytes(file[8 : 8 + n]))
        self.structure = json.loads(self.header["__metadata__"]["webnn"], parse_int=_integer)
        self.data = memoryview(file)[8 + n :]
        self.operands = {}
        self.handles = {}

    def definition(self):
        with ML().create_context(backend="reference", threads=1).result() as context:
            self.builder = GraphBuilder(context)
            self.limits = context.op_support_limits()
            inputs = [self.leaf(one["id"], one["dataType"], one["shape"], name=one["name"])
                      for one in self.structure["inputs"]]
            constants = [self.constant(id) for id in self.structure["constants"]]
            operators = [self.operator(one) for one in self.structure["operators"]]
        outputs = [(one["name"], self.operands[one["id"]]) for one in self.structure["outputs"]]
        return Definition(inputs, constants, operators, outputs)

    def constant(self, id):
        tensor = self.header[str(id)]
        begin, end = tensor["data_offsets"]
        return self.leaf(id, DATA_TYPES[tensor["dtype"]], tensor["shape"], data=self.data[begin:end])

    def leaf(self, id, data_type, shape, name=None, data=None):
        self.operands[id] = Operand(id, data_type, shape, name, data)
        self.handles[id] = self.builder.input(str(id), shape, data_type)
        return self.operands[id]

    def operator(self, one):
        options = dict(one["options"])
        label = options.pop("label", "")
        fields = {**one["args"], **options}
        tensors = self.limits.get(one["op"], {"input"})  # extensions aren't listed; squeeze is the only one
        handles = {key: self.value(key, value, tensors, self.handles) for key, value in fields.items()}
        args = [handles.pop(key) for key in one["args"]]
        results = getattr(self.builder, snake(one["op"]))(
            *args, **{snake(key): value for key, value in handles.items()}
        )
        results = results if isinstance(results, tuple) else (results,)
        for id, result in zip(one["outputs"], results, strict=True):
            self.handles[id] = result
            self.operands[id] = Operand(id, result.data_type, result.shape)
        fields = {key: self.value(key, value, tensors, self.operands) for key, value in fields.items()}
        return Operator(one["op"], len(args), fields, [self.operands[id] for id in one["outputs"]], label)

    @staticmethod
    def value(key, value, tensors, found):
        if key not in tensors:
            return plain(value)
        return [found[id] for id in value] if isinstance(value, list) else found[value]


def plain(value):
    """A number that stands as a string in the file; all else as it is."""
    if isinstance(value, str):
        return int(value) if _INTEGER.fullmatch(value) else _NUMBERS.get(value, value)
    return value


def visible(text):
    """Text without anything that can't be seen or turns other text round: such characters as escapes."""
    return "".join(one if one.isprintable() else f"\\u{{{ord(one):x}}}" for one in text)
