"""LSTM, GRU and RNN. What WebNN's own operations can't do is unrolled: other activations, clipping, known
sequence lengths, coupled gates, and the output gate's peephole, which in WebNN reads the old cell state."""

import numpy as np

from .node import MICROSOFT, converts, is_constant

_WEBNN_ACTIVATIONS = ("Relu", "Sigmoid", "Tanh")
_DIRECTIONS = {"forward": "forward", "reverse": "backward", "bidirectional": "both"}
_DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_ALPHAS = {"LeakyRelu": 0.01, "ThresholdedRelu": 1.0, "HardSigmoid": 0.2, "Elu": 1.0, "Affine": 1.0,
           "ScaledTanh": 1.0}
_MOST_STEPS = 100_000  # one by one
_BETAS = {"HardSigmoid": 0.5, "ScaledTanh": 1.0, "Affine": 0.0}


class Cell:
    """The parameters of a recurrent node, the same whatever becomes of it."""

    def __init__(self, n, kind):
        self.kind = kind
        self.direction = n.choice("direction", "forward", tuple(_DIRECTIONS))
        self.directions = 2 if self.direction == "bidirectional" else 1
        self.x, self.weight, self.recurrent = n.value(0, 3), n.value(1, 3), n.value(2, 3)
        self.batch_first = n.attr("layout", 0)
        self.hidden = n.attr("hidden_size", self.recurrent.shape[-1])
        rows = [self.directions, _GATES[kind] * self.hidden]
        for name, value, columns in (("W", self.weight, self.x.shape[2]), ("R", self.recurrent, self.hidden)):
            if n.shape(value) != [*rows, columns]:
                n.fail(f"{name} has the shape {n.shape(value)}, {[*rows, columns]} is needed")
        self.clip = n.attr("clip")
        names = n.attr("activations", _DEFAULTS[kind] * self.directions)
        self.activations = _activations(n, names, len(_DEFAULTS[kind]) * self.directions)
        if self.batch_first:
            self.x = n.transpose(self.x, [1, 0, 2])
        self.steps, self.batch = self.x.shape[:2]
        self.lengths = _lengths(n, self.steps, self.batch)
        self.bias, self.recurrent_bias = _biases(n, n.optional(3), *rows)
        self.h, self.c = (self._state(n, k) for k in (5, 6 if kind == "LSTM" else len(n.inputs)))

    def _state(self, n, index):
        state = n.optional(index)
        if state is None:
            return None
        state = n.transpose(state, [1, 0, 2]) if self.batch_first else state
        if n.shape(state) != [self.directions, self.batch, self.hidden]:
            n.fail(f"input {index} has the shape {n.shape(n.value(index))}, with {self.directions} directions, a batch "
                   f"of {self.batch} and {self.hidden} cells")
        return state

    def is_plain(self):
        """Whether WebNN's own operation has all that is asked for."""
        size = len(self.activations) // self.directions
        return (self.clip is None and self.lengths is None
                and all(name in _WEBNN_ACTIVATIONS for name, _, _ in self.activations)
                and self.activations[:size] == self.activations[-size:])

    def options(self):
        size = len(self.activations) // self.directions
        return {"bias": self.bias, "recurrent_bias": self.recurrent_bias, "return_sequence": True,
                "direction": _DIRECTIONS[self.direction], "initial_hidden_state": self.h,
                "activations": [name.lower() for name, _, _ in self.activations[:size]]}

    def outputs(self, n, sequence, *states):
        """In ONNX's order and layout."""
        if self.batch_first:
            states = tuple(n.transpose(state, [1, 0, 2]) for state in states)
            sequence = n.transpose(sequence, [2, 0, 1, 3])
        return (sequence, *states)


def _activations(n, names, count):
    """(name, alpha, beta) of each; the two lists of numbers are used up by those that need them."""
    if len(names) != count:
        n.fail(f"attribute activations has {len(names)} names, {count} are needed")
    alphas, betas = iter(n.attr("activation_alpha", [])), iter(n.attr("activation_beta", []))
    canonical = {name.lower(): name for name in (*_WEBNN_ACTIVATIONS, *_ALPHAS, "Softsign", "Softplus")}
    found = []
    for name in names:
        known = canonical.get(name.lower())
        if known is None:
            n.fail(f"attribute activations names {name!r}, which is not supported")
        alpha = next(alphas, _ALPHAS[known]) if known in _ALPHAS else None
        beta = next(betas, _BETAS[known]) if known in _BETAS else None
        found.append((known, alpha, beta))
    return found


def _lengths(n, steps, batch):
    """Known lengths of the sequences; None when all are as long as the input."""
    if not n.has(4):
        return None
    lengths = n.ints(4)
    if len(lengths) != batch or any(not 0 <= length <= steps for length in lengths):
        n.fail(f"sequence_lens are {lengths}, with {steps} steps and a batch of {batch}")
    return None if all(length == steps for length in lengths) else np.array(lengths)


def _biases(n, bias, directions, size):
    """[d, 2·size] as two of [d, size]"""
    if bias is None:
        return None, None
    if n.shape(bias) != [directions, 2 * size]:
        n.fail(f"B has the shape {n.shape(bias)}, {[directions, 2 * size]} is needed")
    if is_constant(bias):
        return bias[:, :size], bias[:, size:]
    return n.b.split(bias, 2, axis=1)


@converts("LSTM")
def convert_lstm(n):
    cell = Cell(n, "LSTM")
    return lstm(n, cell, n.optional(7))


def lstm(n, cell, peephole):
    coupled = n.attr("input_forget", 0)
    hidden = cell.hidden
    if peephole is not None and n.shape(peephole) != [cell.directions, 3 * hidden]:
        n.fail(f"P has the shape {n.shape(peephole)}")
    if is_constant(peephole) and not peephole.any():
        peephole = None
    old_cell_only = peephole is None or is_constant(peephole) and not peephole[:, hidden:2 * hidden].any()
    if not cell.is_plain() or coupled or not old_cell_only:
        return _unrolled(n, cell, peephole, coupled)
    h, c, sequence = n.b.lstm(cell.x, cell.weight, cell.recurrent, cell.steps, hidden, peephole_weight=peephole,
                              initial_cell_state=cell.c, layout="iofg", **cell.options())
    return cell.outputs(n, sequence, h, c)


@converts("GRU")
def convert_gru(n):
    cell = Cell(n, "GRU")
    reset_after = bool(n.attr("linear_before_reset", 0))
    if not cell.is_plain():
        return _unrolled(n, cell, None, reset_after)
    h, sequence = n.b.gru(cell.x, cell.weight, cell.recurrent, cell.steps, cell.hidden, reset_after=reset_after,
                          layout="zrn", **cell.options())
    return cell.outputs(n, sequence, h)


@converts("RNN")
def convert_rnn(n):
    return _unrolled(n, Cell(n, "RNN"), None, None)


# Step by step

def _unrolled(n, cell, peephole, option):
    """`option` is what the kind has besides: coupled gates of an LSTM, the reset gate's place in a GRU."""
    if cell.steps > _MOST_STEPS:
        n.fail(f"{cell.steps} steps, which WebNN's own operation can't do here, are not supported")
    runs = [_run(n, cell, d, peephole, option) for d in range(cell.directions)]
    sequence = [n.b.concat([run[0][t] for run in runs], 1) if len(runs) > 1 else runs[0][0][t]
                for t in range(cell.steps)]
    sequence = n.b.concat(sequence, 0) if cell.steps > 1 else sequence[0]
    states = [[run[k] for run in runs] for k in range(1, 3 if cell.kind == "LSTM" else 2)]
    states = [n.b.concat(state, 0) if len(state) > 1 else state[0] for state in states]
    return cell.outputs(n, sequence, *states)


def _run(n, cell, d, peephole, option):
    """One direction: its outputs by step, each [1, 1, batch, hidden], and its last states."""
    b, batch, hidden = n.b, cell.batch, cell.hidden
    width = _GATES[cell.kind] * hidden
    weight = n.transpose(_direction(n, cell.weight, d), [1, 0])
    step = _Step(n, cell, d, peephole, option)
    flat = n.reshape(cell.x, [cell.steps * batch, cell.x.shape[2]])
    gates = b.matmul(flat, weight)
    if cell.bias is not None:
        gates = b.add(gates, _direction(n, cell.bias, d))
    gates = n.reshape(gates, [cell.steps, batch, width])
    zeros = np.broadcast_to(np.zeros((), n.type(cell.x)), [batch, hidden])
    h, c = (zeros if state is None else _direction(n, state, d) for state in (cell.h, cell.c))
    backward = cell.direction == "reverse" or d == 1
    outputs = [None] * cell.steps
    for t in reversed(range(cell.steps)) if backward else range(cell.steps):
        now = n.reshape(b.slice(gates, [t, 0, 0], [1, batch, width]), [batch, width])
        new_h, new_c = step.take(now, h, c)
        out = new_h
        if cell.lengths is not None and (cell.lengths <= t).any():
            alive = (cell.lengths > t).reshape(batch, 1)
            out = b.where(alive, new_h, n.scalar(0, cell.x))
            new_h = b.where(alive, new_h, h)
            new_c = None if new_c is None else b.where(alive, new_c, c)
        h, c = new_h, new_c
        outputs[t] = n.reshape(out, [1, 1, batch, hidden])
    return outputs, n.reshape(h, [1, batch, hidden]), None if c is None else n.reshape(c, [1, batch, hidden])


def _direction(n, value, d):
    """value[d]"""
    if is_constant(value):
        return value[d]
    shape = n.shape(value)
    if shape[0] > 1:
        value = n.b.slice(value, [d] + [0] * (len(shape) - 1), [1, *shape[1:]])
    return n.reshape(value, shape[1:])


class _Step:
    """The equations of one step of one direction."""

    def __init__(self, n, cell, d, peephole, option):
        self.n, self.cell, self.option = n, cell, option
        size = len(_DEFAULTS[cell.kind])
        self.functions = cell.activations[d * size:(d + 1) * size]
        self.recurrent = n.transpose(_direction(n, cell.recurrent, d), [1, 0])
        self.bias = None if cell.recurrent_bias is None else _direction(n, cell.recurrent_bias, d)
        self.peepholes = None if peephole is None else _thirds(n, _direction(n, peephole, d), cell.hidden)

    def take(self, now, h, c):
        """`now` is x·Wᵀ + bias of all gates."""
        return getattr(self, self.cell.kind.lower())(now, h, c)

    def activate(self, index, value):
        """Clips first: what gates are made of, not the cell state, as onnxruntime does."""
        name, alpha, beta = self.functions[index]
        if self.cell.clip is not None and index < 2:
            value = self.n.b.clamp(value, min_value=-self.cell.clip, max_value=self.cell.clip)
        return activate(self.n, name, value, alpha, beta)

    def with_bias(self, value):
        return value if self.bias is None else self.n.b.add(value, self.bias)

    def rnn(self, now, h, c):
        b = self.n.b
        return self.activate(0, b.add(now, self.with_bias(b.matmul(h, self.recurrent)))), None

    def gru(self, now, h, c):
        b, hidden = self.n.b, self.cell.hidden
        if self.option:
            past = self.with_bias(b.matmul(h, self.recurrent))
            (z, r, x), (past_z, past_r, past_x) = b.split(now, 3, axis=1), b.split(past, 3, axis=1)
            z, r = self.activate(0, b.add(z, past_z)), self.activate(0, b.add(r, past_r))
            new = self.activate(1, b.add(x, b.mul(r, past_x)))
        else:
            now = self.with_bias(now)
            first, second = (self._columns(0, 2 * hidden), self._columns(2 * hidden, 3 * hidden))
            both, x = b.split(now, [2 * hidden, hidden], axis=1)
            z, r = b.split(self.activate(0, b.add(both, b.matmul(h, first))), 2, axis=1)
            new = self.activate(1, b.add(x, b.matmul(b.mul(r, h), second)))
        return b.add(b.mul(z, b.sub(h, new)), new), None

    def _columns(self, start, end):
        if is_constant(self.recurrent):
            return self.recurrent[:, start:end]
        return self.n.b.slice(self.recurrent, [0, start], [self.cell.hidden, end - start])

    def lstm(self, now, h, c):
        b = self.n.b
        i, o, f, g = b.split(b.add(now, self.with_bias(b.matmul(h, self.recurrent))), 4, axis=1)
        i = self.activate(0, self._peeped(0, i, c))
        f = b.sub(self.n.scalar(1, i), i) if self.option else self.activate(0, self._peeped(2, f, c))
        c = b.add(b.mul(f, c), b.mul(i, self.activate(1, g)))
        o = self.activate(0, self._peeped(1, o, c))
        return b.mul(o, self.activate(2, c)), c

    def _peeped(self, gate, value, c):
        return value if self.peepholes is None else self.n.b.add(value, self.n.b.mul(self.peepholes[gate], c))


def _thirds(n, value, hidden):
    if is_constant(value):
        return [value[k * hidden:(k + 1) * hidden] for k in range(3)]
    return n.b.split(value, 3)


def activate(n, name, x, alpha, beta):
    b = n.b
    if name in ("Relu", "Sigmoid", "Tanh", "Softsign", "Softplus"):
        return getattr(b, name.lower())(x)
    if name == "LeakyRelu":
        return b.leaky_relu(x, alpha=alpha)
    if name == "ThresholdedRelu":
        return b.where(b.greater_or_equal(x, n.scalar(alpha, x)), x, n.scalar(0, x))
    if name == "HardSigmoid":
        return b.hard_sigmoid(x, alpha=alpha, beta=beta)
    if name == "Elu":
        return b.elu(x, alpha=alpha)
    if name == "Affine":
        return b.linear(x, alpha=alpha, beta=beta)
    return b.linear(b.tanh(b.linear(x, alpha=beta)), alpha=alpha)  # ScaledTanh


@converts("DynamicQuantizeLSTM", domain=MICROSOFT)
def convert_dynamic_quantize_lstm(n):
    """Its weights are [d, inputs, 4·hidden], quantised by direction or by column; they stay bytes behind
    dequantizeLinear. Inputs and states stay floats, which is closer to the model before it was quantised."""
    for weight, scale, zero_point in ((1, 8, 9), (2, 10, 11)):
        zero_point = n.array(zero_point) if n.has(zero_point) else None
        n.inputs[weight] = _dequantized(n, n.array(weight, 3), n.array(scale), zero_point)
    cell = Cell(n, "LSTM")
    return lstm(n, cell, n.optional(7))


def _dequantized(n, weight, scale, zero_point):
    n.claim(weight.nbytes)
    directions, _, columns = weight.shape
    if scale.size not in (directions, directions * columns) or zero_point is not None and zero_point.size != scale.size:
        n.fail(f"{scale.size} scales don't fit a weight of shape {n.shape(weight)}, or the zero points")
    scale = scale.reshape(directions, -1, 1)
    if zero_point is None:
        zero_point = np.zeros(scale.shape, weight.dtype)
    weight = np.ascontiguousarray(weight.transpose(0, 2, 1))
    return n.b.dequantize_linear(weight, scale, zero_point.reshape(scale.shape))
