"""What a converter sees: one node with its inputs and attributes, and the builder that it adds operations to.

A value is a NumPy array (known while importing), an operand of the graph, a list of values (a sequence), or
None (an input that is left out). Converters are functions of a node that give its output, or a tuple of them.
"""

import math
import weakref

import numpy as np

from . import attributes, tensors
from .errors import ModelError, quoted, shown

# (domain, op type) → converter; see `converts`. The default domain is "".
CONVERTERS = {}
MICROSOFT = "com.microsoft"

# Bytes that one computed constant may have; what is larger is left to the graph.
FOLD_LIMIT = 1 << 24
_MOST_OPERATIONS = 500_000  # in one import: loops and recurrent networks may be unrolled
_LONGEST_LIST = 1 << 16     # numbers in an input that is a list of axes, sizes, lengths …
_TENSOR_LIMIT = (1 << 32) - 1
_HIGHEST_RANK = 32
_SMALL = 1 << 16  # bytes: arrays up to this are kept while importing

_MAKE_BOOL = {"equal", "not_equal", "greater", "greater_or_equal", "lesser", "lesser_or_equal", "logical_not",
              "logical_and", "logical_or", "logical_xor", "is_nan", "is_infinite"}
_KEEP_BOOL = {"identity", "reshape", "transpose", "slice", "expand", "gather", "gather_elements", "gather_nd",
              "tile", "reverse", "split", "concat", "where", "scatter_elements", "scatter_nd", "pad"}


def converts(*op_types, domain=""):
    """Registers a converter for operations."""
    def register(function):
        for op_type in op_types:
            CONVERTERS[domain, op_type] = function
        return function
    return register


def is_constant(value):
    return isinstance(value, np.ndarray)


class Emitter:
    """A builder that takes arrays where operands are expected, labels operations, and remembers what is bool."""

    def __init__(self, builder, ledger):
        self.builder = builder
        self.label = ""
        self._ledger = ledger
        self._n_operations = 0
        self._constants = {}  # id of an array → (weak reference to it, its operand)
        self._scalars = {}
        self._bools = {}      # id of an operand → the operand
        self._leaves = {}     # the same, for inputs and constants

    def __getattr__(self, name):
        method = getattr(self.builder, name)

        def call(*args, **options):
            self._n_operations += 1
            if self._n_operations > _MOST_OPERATIONS:
                raise ModelError(f"the model has more than {_MOST_OPERATIONS} operations, loops unrolled")
            operands = [self._argument(arg) for arg in args]
            options = {key: self._argument(value) for key, value in options.items() if value is not None}
            try:
                result = method(*operands, label=self.label, **options)
            except TypeError as error:
                raise ModelError(str(error)) from error
            if name in _MAKE_BOOL or name in _KEEP_BOOL and self._keeps_bool(name, operands):
                self.mark_bool(*(result if isinstance(result, (tuple, list)) else (result,)))
            return result
        return call

    def _argument(self, value):
        if isinstance(value, np.ndarray):
            return self.operand(value)
        if isinstance(value, (list, tuple)):
            return [self._argument(item) for item in value]
        return value.item() if isinstance(value, np.generic) else value

    def _keeps_bool(self, name, operands):
        first = operands[1 if name == "where" else 0]
        return self.is_bool(first[0] if isinstance(first, list) else first)

    def mark_bool(self, *operands):
        self._bools.update((id(operand), operand) for operand in operands)

    def is_bool(self, value):
        return value.dtype == bool if is_constant(value) else id(value) in self._bools

    def input(self, name, shape, data_type, is_bool):
        """An input of the graph."""
        operand = self._leaf(self.builder.input(name, shape=shape, data_type=data_type))
        if is_bool:
            self.mark_bool(operand)
        return operand

    def is_leaf(self, operand):
        """Inputs and constants, which can't be outputs of a graph."""
        return id(operand) in self._leaves

    def _leaf(self, operand):
        self._leaves[id(operand)] = operand
        return operand

    def operand(self, value):
        """The operand of a value; an array is handed over once."""
        if not is_constant(value):
            return value
        operand = self._known(value)
        if operand is None:
            operand = self._constant(value)
            if value.dtype == bool:
                self.mark_bool(operand)
            self._constants[id(value)] = (weakref.ref(value), operand)
        return operand

    def _known(self, array):
        """The operand of an array that was handed over."""
        reference, operand = self._constants.get(id(array), (None, None))
        return operand if reference is not None and reference() is array else None

    def taken(self, array):
        """An array that was handed over and is big becomes its operand, and isn't held any longer."""
        operand = self._known(array) if array.nbytes > _SMALL else None
        return array if operand is None else operand

    def _constant(self, array):
        kind = tensors.constant_type(array)
        if array.size == 0:
            raise ModelError(f"a value of shape {list(array.shape)} has no elements and can't be an operand or output")
        stored = array[tuple(slice(0, 1 if step == 0 else None) for step in array.strides)]
        if stored.size < array.size:  # broadcast: no memory for the copies
            return self.expand(self._constant(stored), list(array.shape))
        self._ledger.hand_over(array)
        plain = np.ascontiguousarray(array.astype(kind, copy=False))
        data = memoryview(plain.reshape(-1).view(np.uint8))
        try:
            return self._leaf(self.builder.constant(data, shape=list(array.shape), data_type=kind))
        except TypeError as error:
            raise ModelError(str(error)) from error

    def scalar(self, number, data_type):
        """A scalar constant of the graph."""
        key = data_type, repr(number)
        if key not in self._scalars:
            self._scalars[key] = self._leaf(self.builder.constant(data_type=data_type, value=number))
        return self._scalars[key]


class Node:
    """One node being converted."""

    def __init__(self, importer, scope, proto, inputs):
        self.importer, self.scope, self.proto, self.inputs = importer, scope, proto, inputs
        self.op_type = proto.op_type
        self.domain = "" if proto.domain == "ai.onnx" else proto.domain
        self.opset = scope.opset(self.domain)
        self.n_outputs = len(proto.output)
        self.b = importer.emitter
        self._attributes = scope.attributes_of(proto)
        self._read = set()

    def __str__(self):
        name = self.proto.name or (self.proto.output[0] if self.proto.output else "")
        domain = f"{shown(self.domain)}." if self.domain else ""
        return f"node {quoted(name)} ({domain}{shown(self.op_type)}, opset {self.opset})"

    def fail(self, message):
        """Raises; written `raise n.fail(…)` where the reader should see it."""
        raise ModelError(f"{self}: {message}", located=True)

    def described(self):
        """Types and shapes of all inputs."""
        return shown(", ".join(map(_described, self.inputs))) or "none"

    def stored_type(self, index):
        """The ONNX type in which the model stores an input, None where it doesn't: narrow floats come widened."""
        name = self.proto.input[index]
        tensor = self.scope.home(name).initializers.get(name)
        return getattr(getattr(tensor, "values", tensor), "data_type", None)

    # Attributes

    def attr(self, name, default=None):
        """An attribute's value: number, string, list, TensorProto or GraphProto; its kind is checked."""
        self._read.add(name)
        attribute = self._attributes.get(name)
        return default if attribute is None else attributes.value_of(self, name, attribute)

    def required(self, name):
        if name not in self._attributes:
            self.fail(f"attribute {name} is missing")
        return self.attr(name)

    def ignore(self, *names):
        """Attributes that have no bearing here."""
        self._read.update(names)

    def choice(self, name, default, allowed):
        """A string attribute that must be one of `allowed`."""
        value = self.attr(name, default)
        if value not in allowed:
            self.fail(f"attribute {name} = {shown(repr(value))} is not supported; {', '.join(map(repr, allowed))} are")
        return value

    def refuse(self, name, default):
        """An attribute that must have its default value."""
        value = self.attr(name, default)
        if value != default:
            self.fail(f"attribute {name} = {value!r} is not supported, only {default!r}")

    def check_attributes(self):
        """An attribute that no converter has looked at could change the meaning."""
        for name, attribute in self._attributes.items():
            if name not in self._read:
                value = attributes.in_words(self, name, attribute)
                self.fail(f"attribute {shown(name)} = {value} is not supported")

    # Inputs

    def has(self, index):
        return index < len(self.inputs) and self.inputs[index] is not None

    def any(self, index):
        """Input `index`, a tensor or a sequence, which must be there."""
        if not self.has(index):
            self.fail(f"input {index} is missing")
        return self.inputs[index]

    def value(self, index, *ranks, least=0):
        """Input `index`, which must be a tensor, of one of these ranks if any are named, or of `least` axes."""
        value = self.any(index)
        if isinstance(value, list):
            self.fail(f"input {index} is a sequence, a tensor is needed")
        if ranks and self.rank(value) not in ranks or self.rank(value) < least:
            wanted = " or ".join(map(str, ranks)) or f"{least} or more"
            self.fail(f"input {index} must have rank {wanted}, its shape is {self.shape(value)}")
        return value

    def optional(self, index, *ranks):
        """The same, or None where it is left out."""
        return self.value(index, *ranks) if self.has(index) else None

    def values(self):
        """All inputs, of which there must be one and none may be left out."""
        return [self.value(index) for index in range(max(1, len(self.inputs)))]

    def sequence(self, index):
        """Input `index`, which must be a sequence: a list of values."""
        if not isinstance(self.any(index), list):
            self.fail(f"input {index} must be a sequence")
        return self.any(index)

    def broadcast(self, *values):
        """The shape that values have together."""
        try:
            return np.broadcast_shapes(*(tuple(value.shape) for value in values))
        except ValueError:
            shapes = ", ".join(str(self.shape(value)) for value in values)
            return self.fail(f"the shapes {shapes} don't fit each other")

    def pair(self):
        """The two inputs of an element-wise operation. Before opset 7 the second one's dimensions may be told to
        stand at an axis of the first, else they stand at its end; the results broadcast as they do today."""
        a, b = self.value(0), self.value(1)
        if self.opset >= 7 or not self.attr("broadcast", 0):
            return a, b
        axis = self.attr("axis")
        if axis is None:
            return a, b
        behind = self.rank(a) - self.axis(axis, self.rank(a)) - self.rank(b)
        if behind < 0:
            self.fail(f"{self.shape(b)} doesn't fit {self.shape(a)} at axis {axis}")
        return a, self.reshape(b, [*b.shape, *[1] * behind])

    def array(self, index, *ranks):
        """Input `index` as an array: it must be known while importing."""
        value = self.value(index, *ranks)
        if not is_constant(value):
            self.fail(f"input {index} ({quoted(self.proto.input[index])}) must be constant here: its value is only "
                      "known when the graph runs")
        if value.nbytes > _TENSOR_LIMIT:
            self.fail(f"input {index} has {value.size} elements, more than a tensor can have")
        return value

    def numbers(self, index):
        """A constant input as a short list."""
        value = self.array(index)
        if value.size > _LONGEST_LIST:
            self.fail(f"input {index} has {value.size} elements, too many for what it is")
        return value.reshape(-1).tolist()

    def ints(self, index):
        """The same, of whole numbers."""
        items = self.numbers(index)
        if any(isinstance(item, float) and not item.is_integer() for item in items):
            self.fail(f"input {index} must hold whole numbers")
        return [int(item) for item in items]

    def truth(self, value):
        """A known condition."""
        if value.size != 1:
            self.fail(f"a condition of shape {list(value.shape)}")
        return bool(value.reshape(())[()])

    def number(self, index):
        """A constant input that is one number."""
        items = self.numbers(index)
        if len(items) != 1:
            self.fail(f"input {index} must be one number, it has {len(items)}")
        return items[0]

    def int(self, index):
        """The same, a whole one."""
        self.number(index)
        return self.ints(index)[0]

    def sizes(self, index):
        """A constant input that is a shape, or numbers of copies: not too many, and none negative."""
        sizes = self.ints(index)
        if len(sizes) > _HIGHEST_RANK or any(not 0 <= size < 1 << 62 for size in sizes) or (
                math.prod(sizes) >= 1 << 62):
            self.fail(f"input {index} is {shown(str(sizes))}, which is no shape")
        return sizes

    def claim(self, n_bytes):
        """Before a lot of memory is used while importing."""
        self.importer.ledger.claim(n_bytes)

    def attr_or_ints(self, name, index, since):
        """What was an attribute before opset `since` and is an input from then on; None when left out."""
        if self.opset < since:
            value = self.attr(name)
            return None if value is None else list(value)
        return self.ints(index) if self.has(index) else None

    # Values

    def shape(self, value):
        return list(value.shape)

    def rank(self, value):
        return len(value.shape)

    def type(self, value):
        """The type that a value has in the graph: "float32" …"""
        return tensors.constant_type(value) if is_constant(value) else value.data_type

    def is_float(self, value):
        return self.type(value) in ("float32", "float16")

    def scalar(self, number, like):
        return self.b.scalar(number, self.type(like))

    def axis(self, axis, rank, extra=0):
        """A checked, non-negative axis."""
        if not -rank - extra <= axis < rank + extra:
            self.fail(f"axis {axis} is outside the rank {rank}")
        return axis + rank + extra if axis < 0 else axis

    def axes(self, axes, rank):
        found = [self.axis(axis, rank) for axis in axes]
        if len(set(found)) != len(found):
            self.fail(f"axes {list(axes)} name one twice")
        return found

    def reshape(self, value, shape):
        """Reshapes, when there is something to do; arrays stay arrays."""
        shape = [int(size) for size in shape]
        if list(value.shape) == shape:
            return value
        if len(shape) > _HIGHEST_RANK:
            self.fail(f"a shape of {len(shape)} axes is not supported")
        if math.prod(value.shape) != math.prod(shape):
            self.fail(f"the shape {list(value.shape)} can't become {shape}")
        if is_constant(value) and (value.flags.c_contiguous or value.nbytes <= FOLD_LIMIT):
            return value.reshape(shape)
        return self.b.reshape(value, shape)

    def transpose(self, value, permutation):
        if len(permutation) != self.rank(value):
            self.fail(f"a value of shape {self.shape(value)} doesn't have {len(permutation)} axes")
        if list(permutation) == sorted(permutation):
            return value
        if is_constant(value):
            return value.transpose(permutation)
        return self.b.transpose(value, permutation=list(permutation))

    def cast(self, value, data_type):
        """To a type of the graph; not for bool."""
        if self.type(value) == data_type:
            return value
        if is_constant(value) and value.nbytes <= FOLD_LIMIT:
            return value.astype(data_type)
        return self.b.cast(value, data_type)

    def empty(self, shape, like):
        """A constant without elements."""
        return np.zeros(shape, like.dtype if is_constant(like) else like.data_type)


def _described(value):
    if value is None:
        return "none"
    if isinstance(value, list):
        return f"a sequence of {len(value)}"
    kind = value.dtype.name if is_constant(value) else value.data_type
    return f"{kind} {list(value.shape)}"
