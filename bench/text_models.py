"""Transformers: an encoder and a step of a decoder, each described once and made for WebNN and as an ONNX model.

The encoder is all-MiniLM-L6-v2 (6 layers, 384 wide) over 128 tokens, with its own weights. The decoder (4 layers, 768 wide,
12 heads) takes one token and a cache of 1,023 keys and values; its weights are random.
"""

import json

import numpy as np

TOKENS, CACHED = 128, 1023


class WebnnMaker:
    """The operations that both models need, on a WebNN builder."""

    def __init__(self, context):
        import webnn

        self.b = webnn.GraphBuilder(context)

    def input(self, name, shape, data_type="float32"):
        return self.b.input(name, shape, data_type)

    def constant(self, array):
        return self.b.constant(np.ascontiguousarray(array))

    def add(self, x, y):
        return self.b.add(x, y)

    def matmul(self, x, y):
        return self.b.matmul(x, y)

    def scale(self, x, number):
        return self.b.mul(x, self.b.constant(data_type="float32", value=number))

    def norm(self, x, scale, bias):
        return self.b.layer_normalization(x, scale=self.constant(scale), bias=self.constant(bias), axes=[2],
                                          epsilon=1e-12)

    def softmax(self, x):
        return self.b.softmax(x, 3)

    def gelu(self, x):
        return self.b.gelu(x)

    def reshape(self, x, shape):
        return self.b.reshape(x, shape)

    def transpose(self, x, axes):
        return self.b.transpose(x, permutation=axes)

    def rows(self, table, indices):
        return self.b.gather(self.constant(table), indices, axis=0)

    def concat(self, parts, axis):
        return self.b.concat(parts, axis)

    def build(self, outputs):
        return self.b.build(outputs).result()


class OnnxMaker:
    """The same as an ONNX model."""

    def __init__(self):
        from onnx import helper

        self.helper, self.nodes, self.constants, self.inputs = helper, [], [], []

    def _add(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _value(self, name, shape, data_type):
        kind = self.helper.np_dtype_to_tensor_dtype(np.dtype(data_type))
        return self.helper.make_tensor_value_info(name, kind, shape)

    def input(self, name, shape, data_type="float32"):
        self.inputs.append(self._value(name, shape, data_type))
        return name

    def constant(self, array):
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, x, y):
        return self._add("Add", x, y)

    def matmul(self, x, y):
        return self._add("MatMul", x, y)

    def scale(self, x, number):
        return self._add("Mul", x, self.constant(np.float32(number)))

    def norm(self, x, scale, bias):
        return self._add("LayerNormalization", x, self.constant(scale), self.constant(bias), axis=-1, epsilon=1e-12)

    def softmax(self, x):
        return self._add("Softmax", x, axis=3)

    def gelu(self, x):
        gate = self._add("Erf", self._add("Div", x, self.constant(np.float32(2**0.5))))
        return self.scale(self._add("Mul", x, self._add("Add", gate, self.constant(np.float32(1)))), 0.5)

    def reshape(self, x, shape):
        return self._add("Reshape", x, self.constant(np.array(shape, "int64")))

    def transpose(self, x, axes):
        return self._add("Transpose", x, perm=axes)

    def rows(self, table, indices):
        return self._add("Gather", self.constant(table), indices)

    def concat(self, parts, axis):
        return self._add("Concat", *parts, axis=axis)

    def build(self, outputs, shapes):
        """A model whose outputs are called as in the dict."""
        for name, value in outputs.items():
            self.nodes.append(self.helper.make_node("Identity", [value], [name]))
        values = [self._value(name, shapes[name], "float32") for name in outputs]
        graph = self.helper.make_graph(self.nodes, "transformer", self.inputs, values, self.constants)
        model = self.helper.make_model(graph, opset_imports=[self.helper.make_opsetid("", 17)])
        model.ir_version = 9
        return model


# ---- the models


def read_safetensors(path):
    with open(path, "rb") as file:
        n = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(n))
        data = file.read()
    return {name: np.frombuffer(data[slice(*one["data_offsets"])], {"F32": "float32", "I64": "int64"}[one["dtype"]])
            .reshape(one["shape"]) for name, one in header.items() if name != "__metadata__"}


def _dense(m, x, weight, bias):
    """`weight` as it is stored: a row for each output."""
    return m.add(m.matmul(x, m.constant(weight.T)), m.constant(bias))


def _heads(m, x, n_tokens, n_heads, width):
    return m.transpose(m.reshape(x, [1, n_tokens, n_heads, width // n_heads]), [0, 2, 1, 3])


def _attend(m, q, k, v, n_tokens, width, head):
    scores = m.softmax(m.scale(m.matmul(q, m.transpose(k, [0, 1, 3, 2])), head**-0.5))
    return m.reshape(m.transpose(m.matmul(scores, v), [0, 2, 1, 3]), [1, n_tokens, width])


def encoder(m, weights, width=384, n_heads=12, n_layers=6):
    """Outputs by name."""
    norm = lambda x, name: m.norm(x, weights[f"{name}.weight"], weights[f"{name}.bias"])
    dense = lambda x, name: _dense(m, x, weights[f"{name}.weight"], weights[f"{name}.bias"])
    table = weights["embeddings.word_embeddings.weight"]
    places = weights["embeddings.position_embeddings.weight"][:TOKENS] + weights["embeddings.token_type_embeddings.weight"][0]
    x = m.add(m.rows(table, m.input("tokens", [1, TOKENS], "int64")), m.constant(places[None]))
    x = norm(x, "embeddings.LayerNorm")
    for i in range(n_layers):
        layer = f"encoder.layer.{i}"
        q, k, v = (_heads(m, dense(x, f"{layer}.attention.self.{part}"), TOKENS, n_heads, width)
                   for part in ("query", "key", "value"))
        y = dense(_attend(m, q, k, v, TOKENS, width, width // n_heads), f"{layer}.attention.output.dense")
        x = norm(m.add(y, x), f"{layer}.attention.output.LayerNorm")
        y = dense(m.gelu(dense(x, f"{layer}.intermediate.dense")), f"{layer}.output.dense")
        x = norm(m.add(y, x), f"{layer}.output.LayerNorm")
    return {"hidden": x}, {"hidden": [1, TOKENS, width]}


def decoder(m, seed=5, width=768, n_heads=12, n_layers=4):
    """One token behind a cache; the longer caches are outputs too."""
    rng, head = np.random.default_rng(seed), width // n_heads
    draw = lambda *shape: (rng.standard_normal(shape) * shape[-1] ** -0.5).astype("float32")
    dense = lambda x, out, of: _dense(m, x, draw(out, of), draw(out))
    ones, zeros = np.ones(width, "float32"), np.zeros(width, "float32")
    x, outputs, shapes = m.input("token", [1, 1, width]), {}, {}
    for i in range(n_layers):
        y = m.norm(x, ones, zeros)
        q, k, v = (_heads(m, dense(y, width, width), 1, n_heads, width) for _ in range(3))
        kept = []
        for name, new in (("keys", k), ("values", v)):
            cache = m.input(f"{name}{i}", [1, n_heads, CACHED, head])
            kept.append(m.concat([cache, new], 2))
            outputs[f"new_{name}{i}"], shapes[f"new_{name}{i}"] = kept[-1], [1, n_heads, CACHED + 1, head]
        x = m.add(x, dense(_attend(m, q, *kept, 1, width, head), width, width))
        y = m.gelu(dense(m.norm(x, ones, zeros), 4 * width, width))
        x = m.add(x, dense(y, width, 4 * width))
    outputs["hidden"], shapes["hidden"] = m.add(x, m.constant(zeros)), [1, 1, width]
    return outputs, shapes


def draw_inputs(graph, seed=9):
    """Arrays for the inputs of a graph."""
    rng, inputs = np.random.default_rng(seed), {}
    for name, one in graph.inputs.items():
        if one.data_type == "int64":
            inputs[name] = rng.integers(1000, 20000, one.shape)
        else:
            inputs[name] = rng.standard_normal(one.shape).astype("float32")
    return inputs
