#!/usr/bin/env python3
"""Times single LSTM and GRU layers against onnxruntime, OpenVINO and PyTorch (where it is installed), as bench.py does models.

Ours is built with the builder, PyTorch's is its module, theirs an ONNX model of one node, all with the same weights.

    bench/recurrent.py [NAME ...] [--threads N ...] [--seconds S] [--json FILE]
"""

import argparse
import importlib.util
import json
import pathlib
import tempfile

import numpy as np

spec = importlib.util.spec_from_file_location("bench", pathlib.Path(__file__).with_name("bench.py"))
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

# kind, steps, batch, input size, hidden size, direction
LAYERS = {
    "lstm-128x256-b1": ("LSTM", 128, 1, 256, 256, "forward"),
    "lstm-128x256-b32": ("LSTM", 128, 32, 256, 256, "forward"),
    "gru-128x256-b1": ("GRU", 128, 1, 256, 256, "forward"),
    "gru-128x256-b32": ("GRU", 128, 32, 256, 256, "forward"),
    "gru-before-128x256-b1": ("GRU-before", 128, 1, 256, 256, "forward"),
    "lstm-32x128-b1": ("LSTM", 32, 1, 128, 128, "forward"),
    "lstm-1x128-b1": ("LSTM", 1, 1, 128, 128, "forward"),
    "gru-1x64-b1": ("GRU", 1, 1, 64, 64, "forward"),
    "lstm-24x512-both": ("LSTM", 24, 1, 512, 512, "bidirectional"),
    "lstm-50x64-b4-both": ("LSTM", 50, 4, 64, 64, "bidirectional"),
    "gru-100x200-b8-both": ("GRU", 100, 8, 80, 200, "bidirectional"),
}
ENGINES = (*bench.ENGINES, "torch")
DIRECTIONS = {"forward": "forward", "bidirectional": "both"}


class Layer:
    def __init__(self, kind, steps, batch, size, hidden, direction, seed=7):
        self.kind, _, variant = kind.partition("-")
        self.reset_after = variant != "before"
        self.steps, self.batch, self.size, self.hidden, self.direction = steps, batch, size, hidden, direction
        self.directions = 2 if direction == "bidirectional" else 1
        gates = 4 if self.kind == "LSTM" else 3
        rng = np.random.default_rng(seed)

        def draw(*shape, scale=1.0):
            return ((rng.random(shape) - 0.5) * 2 * scale).astype("float32")

        self.weight = draw(self.directions, gates * hidden, size, scale=hidden**-0.5)
        self.recurrent = draw(self.directions, gates * hidden, hidden, scale=hidden**-0.5)
        self.bias = draw(self.directions, 2 * gates * hidden, scale=0.1)
        self.inputs = {"x": draw(steps, batch, size)}
        self.shapes = {"x": [steps, batch, size]}

    def save(self, path):
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        names = ["Y", "Y_h", "Y_c"][: 3 if self.kind == "LSTM" else 2]
        options = {"linear_before_reset": int(self.reset_after)} if self.kind == "GRU" else {}
        node = helper.make_node(self.kind, ["x", "w", "r", "b"], names, hidden_size=self.hidden,
                                direction=self.direction, **options)
        weights = [numpy_helper.from_array(value, name)
                   for name, value in zip("wrb", (self.weight, self.recurrent, self.bias))]
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shapes["x"])
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]
        graph = helper.make_graph([node], "layer", [x], outputs, weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 9
        onnx.save(model, str(path))

    def with_webnn(self, threads):
        import webnn

        context = webnn.ML().create_context(threads=threads).result()
        b = webnn.GraphBuilder(context)
        x = b.input("x", shape=self.shapes["x"], data_type="float32")
        half = self.bias.shape[1] // 2
        biases = {"bias": b.constant(np.ascontiguousarray(self.bias[:, :half])),
                  "recurrent_bias": b.constant(np.ascontiguousarray(self.bias[:, half:]))}
        call = b.lstm if self.kind == "LSTM" else b.gru
        options = {} if self.kind == "LSTM" else {"reset_after": self.reset_after}
        results = call(x, b.constant(self.weight), b.constant(self.recurrent), self.steps, self.hidden,
                       return_sequence=True, direction=DIRECTIONS[self.direction], **biases, **options)
        names = ["Y_h", "Y_c", "Y"] if self.kind == "LSTM" else ["Y_h", "Y"]
        graph = b.build(dict(zip(names, results))).result()
        outputs = {name: np.empty(result.shape, "float32") for name, result in zip(names, results)}

        def run():
            context.compute(graph, self.inputs, outputs)
            return outputs

        return run

    def with_torch(self, torch, threads):
        """Its run, and what makes our outputs of what it gives; None where it has no such layer."""
        if not self.reset_after:
            return None
        torch.set_num_threads(threads)
        kinds = {"LSTM": (torch.nn.LSTM, [0, 2, 3, 1]), "GRU": (torch.nn.GRU, [1, 0, 2])}
        kind, order = kinds[self.kind]  # of its gates in ours
        module = kind(self.size, self.hidden, bidirectional=self.directions == 2)
        halves = np.split(self.bias, 2, 1)
        for direction, suffix in zip(range(self.directions), ("_l0", "_l0_reverse")):
            for part, value in (("weight_ih", self.weight), ("weight_hh", self.recurrent),
                                ("bias_ih", halves[0]), ("bias_hh", halves[1])):
                gates = np.concatenate([np.split(value[direction], len(order))[gate] for gate in order])
                getattr(module, part + suffix).data = torch.from_numpy(gates)
        x = torch.from_numpy(self.inputs["x"])

        def as_ours(found):
            y, last = found
            y = y.reshape(self.steps, self.batch, self.directions, self.hidden).swapaxes(1, 2)
            return {"Y": y, "Y_h": last[0], "Y_c": last[1]} if self.kind == "LSTM" else {"Y": y, "Y_h": last}

        return torch.inference_mode()(lambda: module(x)), as_ours


def bench_layer(name, threads, seconds, torch):
    layer = Layer(*LAYERS[name])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "layer.onnx"
        layer.save(path)
        runs = {"webnn": layer.with_webnn(threads)}
        for engine in ("onnxruntime", "openvino"):
            try:
                run = bench.ENGINES[engine](path, layer.shapes, layer.inputs, threads)
                run()
                runs[engine] = run
            except ImportError:
                pass
    far = bench.distances(runs)
    theirs = torch and layer.with_torch(torch, threads)
    if theirs:
        runs["torch"], as_ours = theirs
        far["torch"] = bench.farthest(runs["webnn"](), as_ours(runs["torch"]()))
    return bench.print_row(name, threads, *bench.interleave(runs, seconds), far=far, engines=ENGINES)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *LAYERS], default=[])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each engine and row")
    parser.add_argument("--json", help="where to write the rows too")
    options = parser.parse_args()
    torch = bench.find_torch()
    print(f"{'':18} th {' '.join(f'{engine:>10}' for engine in ENGINES)}   ratio   (milliseconds)")
    rows = [bench_layer(name, threads, options.seconds, torch)
            for name in options.names or LAYERS for threads in options.threads]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
