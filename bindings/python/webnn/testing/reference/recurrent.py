"""Recurrent operations: the emulation's equations, in float64 from the first step to the last."""

import numpy as np

from .activation import logistic
from .numbers import narrow, operation, wide

_ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0), "sigmoid": logistic, "tanh": np.tanh}


def _product(x, weight):
    return np.einsum("bi,hi->bh", x, weight)


def _blocks(array, layout, absent=0.0):
    """The parts of a weight or bias by gate."""
    if array is None:
        return dict.fromkeys(layout, absent)
    return dict(zip(layout, np.split(wide(array), len(layout))))


def _gru_step(x, h, weights, activations, reset_after):
    w, r, b, rb = weights
    gate, new = (_ACTIVATIONS[name] for name in activations)
    update = gate(_product(x, w["z"]) + _product(h, r["z"]) + b["z"] + rb["z"])
    reset = gate(_product(x, w["r"]) + _product(h, r["r"]) + b["r"] + rb["r"])
    if reset_after:
        memory = reset * (_product(h, r["n"]) + rb["n"])
    else:
        memory = _product(reset * h, r["n"]) + rb["n"]
    fresh = new(_product(x, w["n"]) + b["n"] + memory)
    return update * h + (1 - update) * fresh


def _lstm_step(x, h, c, weights, activations):
    """The output gate looks at the old cell state, as the others do; without peepholes none looks."""
    w, r, b, rb, peepholes = weights
    gate, new, out = (_ACTIVATIONS[name] for name in activations)

    def before(name):
        return _product(x, w[name]) + _product(h, r[name]) + b[name] + rb[name]

    looks = {name: 0.0 if peephole is None else peephole * c for name, peephole in peepholes.items()}
    i, o, f = (gate(before(name) + looks[name]) for name in "iof")
    cell = f * c + i * new(before("g"))
    return o * out(cell), cell


@operation
def gru_cell(input, weight, recurrent_weight, hidden_state, hidden_size, *, bias=None, recurrent_bias=None,
             reset_after=True, layout="zrn", activations=None):
    weights = [_blocks(part, layout) for part in (weight, recurrent_weight, bias, recurrent_bias)]
    y = _gru_step(wide(input), wide(hidden_state), weights, activations or ["sigmoid", "tanh"], reset_after)
    return narrow(y, input.dtype)


@operation
def lstm_cell(input, weight, recurrent_weight, hidden_state, cell_state, hidden_size, *, bias=None,
              recurrent_bias=None, peephole_weight=None, layout="iofg", activations=None):
    weights = [_blocks(part, layout) for part in (weight, recurrent_weight, bias, recurrent_bias)]
    weights.append(_blocks(peephole_weight, "iof", None))
    hidden, cell = _lstm_step(wide(input), wide(hidden_state), wide(cell_state), weights,
                              activations or ["sigmoid", "tanh", "tanh"])
    return narrow(hidden, input.dtype), narrow(cell, input.dtype)


def _directions(direction, steps):
    """For each direction the order of its steps."""
    forward, backward = range(steps), range(steps - 1, -1, -1)
    return {"forward": [forward], "backward": [backward], "both": [forward, backward]}[direction]


def _of(array, k):
    return None if array is None else array[k]


def _start(state, k, input, hidden_size):
    return wide(np.zeros((input.shape[1], hidden_size)) if state is None else state[k])


def _stack(parts, dtype, axis=0):
    return narrow(np.stack(parts, axis), dtype)


@operation
def gru(input, weight, recurrent_weight, steps, hidden_size, *, bias=None, recurrent_bias=None,
        initial_hidden_state=None, reset_after=True, return_sequence=False, direction="forward", layout="zrn",
        activations=None):
    x, last, sequences = wide(input), [], []
    for k, order in enumerate(_directions(direction, steps)):
        weights = [_blocks(_of(part, k), layout) for part in (weight, recurrent_weight, bias, recurrent_bias)]
        h = _start(initial_hidden_state, k, input, hidden_size)
        sequence = [None] * steps
        for t in order:
            h = sequence[t] = _gru_step(x[t], h, weights, activations or ["sigmoid", "tanh"], reset_after)
        last.append(h)
        sequences.append(np.stack(sequence))
    outputs = (_stack(last, input.dtype),)
    return (*outputs, _stack(sequences, input.dtype, 1)) if return_sequence else outputs


@operation
def lstm(input, weight, recurrent_weight, steps, hidden_size, *, bias=None, recurrent_bias=None,
         peephole_weight=None, initial_hidden_state=None, initial_cell_state=None, return_sequence=False,
         direction="forward", layout="iofg", activations=None):
    x, last, cells, sequences = wide(input), [], [], []
    for k, order in enumerate(_directions(direction, steps)):
        weights = [_blocks(_of(part, k), layout) for part in (weight, recurrent_weight, bias, recurrent_bias)]
        weights.append(_blocks(_of(peephole_weight, k), "iof", None))
        h = _start(initial_hidden_state, k, input, hidden_size)
        c = _start(initial_cell_state, k, input, hidden_size)
        sequence = [None] * steps
        for t in order:
            h, c = _lstm_step(x[t], h, c, weights, activations or ["sigmoid", "tanh", "tanh"])
            sequence[t] = h
        last.append(h)
        cells.append(c)
        sequences.append(np.stack(sequence))
    outputs = _stack(last, input.dtype), _stack(cells, input.dtype)
    return (*outputs, _stack(sequences, input.dtype, 1)) if return_sequence else outputs
