"""A graph while it is drawn: its operands with their values, so that shapes need no second inference."""

import functools
import math

import numpy as np
from hypothesis import strategies as st

import webnn

from .. import definition as definitions
from .values import KINDS, arrays

OPERATIONS = {}


def draws(*names):
    """Registers a function (scope, op) that adds one call of `op`, one of the names."""
    def register(function):
        for name in names:
            OPERATIONS[name] = function
        return function

    return register


@functools.cache
def limits():
    """opSupportLimits: which types and ranks each operand may have."""
    with webnn.ML().create_context(backend="reference").result() as context:
        return context.op_support_limits()


def types_of(op, operand):
    return tuple(limits()[definitions.camel(op)][definitions.camel(operand)]["dataTypes"])


class Scope:
    """Draws inputs and calls, and keeps them as a definition. `data_types`, `kinds` and `reuse` narrow it."""

    def __init__(self, draw, *, data_types=None, kinds=KINDS, max_elements=256, reuse=True):
        self.draw = draw
        self.data_types = data_types
        self.kinds = kinds
        self.max_elements = max_elements
        self.largest = 6 if max_elements <= 1024 else 24
        self.reuse = reuse
        self.inputs, self.operators, self.values = {}, [], {}

    # ---- what is drawn

    def chance(self, percent):
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def one_of(self, choices):
        return self.draw(st.sampled_from(list(choices)))

    def integer(self, low, high):
        return self.draw(st.integers(low, high))

    def permutation(self, count):
        return self.draw(st.permutations(range(count)))

    def maybe(self, make):
        """An option that is absent half the time."""
        return make() if self.draw(st.booleans()) else None

    def data_type(self, op, operand):
        allowed = types_of(op, operand)
        wanted = [name for name in allowed if self.data_types is None or name in self.data_types]
        return self.one_of(wanted or allowed)

    def shape(self, low=0, high=4, largest=None):
        """A shape of few elements, now and then with one long dimension."""
        rank, largest = self.integer(low, high), largest or self.largest
        shape = [self.integer(1, largest) for _ in range(rank)]
        if rank and self.chance(15):
            shape[self.integer(0, rank - 1)] = self.integer(largest, max(self.max_elements // 4, largest))
        while math.prod(shape) > self.max_elements:
            shape[shape.index(max(shape))] = max(max(shape) // 2, 1)
        return shape

    # ---- operands

    def dtype(self, name):
        return self.values[name].dtype.name

    def dims(self, name):
        return list(self.values[name].shape)

    def add_input(self, values, constant=None):
        """A new input or constant; which of them is drawn unless it is said."""
        name = f"in{len(self.inputs)}"
        constant = self.draw(st.booleans()) if constant is None else constant
        self.inputs[name] = definitions.tensor(values, constant)
        self.values[name] = values
        return name

    def fresh(self, dtype, shape, kinds=None, constant=None):
        return self.add_input(self.draw(arrays(dtype, shape, kinds or self.kinds)), constant)

    def number(self, value, like):
        """A constant of one element, of the type of another operand."""
        return self.add_input(np.array(value, self.values[like].dtype), constant=True)

    def _known(self, fits):
        return [name for name, value in self.values.items() if fits(value)] if self.reuse else []

    def some(self, op, operand="input", low=0, high=4, shape=None):
        """An operand of any type and rank that the operation takes: one that is there, or a new one."""
        allowed = types_of(op, operand)
        known = self._known(lambda value: value.dtype.name in allowed and low <= value.ndim <= high
                            and value.size <= 4 * self.max_elements)
        if known and shape is None and self.chance(75):
            return self.one_of(known)
        return self.fresh(self.data_type(op, operand), self.shape(low, high) if shape is None else shape)

    def like(self, dtype, shape, kinds=None):
        """An operand of that type and shape."""
        known = self._known(lambda value: value.dtype.name == dtype and list(value.shape) == list(shape))
        if known and self.chance(50):
            return self.one_of(known)
        return self.fresh(dtype, shape, kinds)

    def maybe_like(self, dtype, shape, kinds=None):
        return self.maybe(lambda: definitions.operand(self.like(dtype, shape, kinds)))

    # ---- calls

    def call(self, op, args, **options):
        """Adds a call, and knows its results; operands are given as ref(name)."""
        base = f"{op}{len(self.operators)}"
        step = definitions.operator(op, [], args, **options)
        results = definitions.run_operator(step, self.values)
        step["outputs"] = [base] if len(results) == 1 else [f"{base}.{k}" for k in range(len(results))]
        self.values.update(zip(step["outputs"], results))
        self.operators.append(step)
        return step["outputs"]

    def definition(self):
        used = {name for step in self.operators for name in definitions.operands_of(step)}
        result = {
            "inputs": {name: tensor for name, tensor in self.inputs.items() if name in used},
            "operators": self.operators,
        }
        result["outputs"] = definitions.output_names(result)
        return result


def ref(name):
    return definitions.operand(name)
