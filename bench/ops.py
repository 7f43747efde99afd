#!/usr/bin/env python3
"""Times single operations on large tensors against onnxruntime, NumPy, PyTorch (where it is installed) and a plain copy.

Each operand or result of most bytes has 64 MiB (--mib). Ours runs on arrays that are there, onnxruntime on bound ones,
NumPy into an array that is there, on one thread; PyTorch into a tensor that is there, where it has a way to say so, and
into one anew otherwise. Freed memory stays with the process: fresh pages would cost more than most of these operations.
Printed are times in milliseconds, ours as GB/s of what is read and written (each once), its share of what the copy moves
with as many threads, and the ratio to the fastest peer.

Others' work on the machine takes time from whoever uses more threads, by the scheduler's slices of some milliseconds.
So a row in which others had more than a tenth of a processor is timed again, --tries times at most, and marked as
crowded if it stays so: its ratios say little.

    bench/ops.py [NAME ...] [--threads N ...] [--mib M] [--seconds S] [--tries N] [--json FILE]
"""

import argparse
import ctypes
import importlib.util
import json
import math
import os
import pathlib
import statistics
import tempfile
import time

import numpy as np

spec = importlib.util.spec_from_file_location("bench", pathlib.Path(__file__).with_name("bench.py"))
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

ROWS = {}


def row(name, shapes, build, numpy, torch=None, node=None, attributes=None, extra=()):
    """`shapes`: one `dtype shape` an operand, in which S is the side of a square of --mib of that type, N all of its
    elements. `build` has a builder before the operands, `numpy` the result's array, `torch` the module and a tensor for
    the result, which it gives back, or another. `node`: ONNX's operation, its attributes, and constants that follow the
    operands."""
    ROWS[name] = (shapes, build, numpy, torch, node, attributes or {}, extra)


# ---- operands


def elements(dtype, mib):
    return (mib << 20) // np.dtype(dtype).itemsize


def shape_of(text, dtype, mib):
    n = elements(dtype, mib)
    return [eval(part, {"N": n, "S": math.isqrt(n), "np": np}) for part in text.split("x")]


def draw(text, mib, rng):
    """`float32 SxS`; `int32<S N` has an upper bound, `int32!S N` no number twice too."""
    kind, shape = text.split()
    kind, _, distinct = kind.partition("!")
    dtype, _, high = kind.partition("<")
    shape = shape_of(shape, dtype, mib)
    if distinct:
        return rng.permutation(shape_of(distinct, dtype, mib)[0])[:math.prod(shape)].reshape(shape).astype(dtype)
    if np.dtype(dtype).kind == "f":
        return (1 - 2 * rng.random(shape, dtype=np.float32)).astype(dtype)  # never -1, which no unsigned number is
    low = 0 if high else 1
    high = shape_of(high, dtype, mib)[0] if high else min(np.iinfo(dtype).max, 1000)
    return rng.integers(low, high, shape, dtype=np.int64).astype(dtype)


# ---- engines: each gives a function that runs once, theirs also one that runs and gives the result


def with_webnn(build, operands, threads):
    import webnn

    context = webnn.ML().create_context(threads=threads).result()
    builder = webnn.GraphBuilder(context)
    names = [f"x{k}" for k in range(len(operands))]
    inputs = [builder.input(name, shape=list(x.shape), data_type=x.dtype.name) for name, x in zip(names, operands)]
    graph = builder.build({"y": build(builder, *inputs)}).result()
    described = graph.outputs["y"]
    feeds, outputs = dict(zip(names, operands)), {"y": np.zeros(described.shape, described.data_type)}
    kernels = "+".join(dict.fromkeys(step["kernel"] for step in graph.steps))

    def run():
        context.compute(graph, feeds, outputs)
        return outputs["y"]

    return run, kernels


def save(path, node, attributes, operands, extra, result):
    import onnx
    from onnx import helper, numpy_helper

    def info(name, x):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)

    names = [f"x{k}" for k in range(len(operands))]
    constants = [numpy_helper.from_array(np.asarray(value), f"c{k}") for k, value in enumerate(extra)]
    made = helper.make_node(node, [*names, *(one.name for one in constants)], ["y"], **attributes)
    graph = helper.make_graph([made], "one", [info(*pair) for pair in zip(names, operands)], [info("y", result)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 8
    onnx.save(model, str(path))


def with_onnxruntime(node, attributes, operands, extra, result, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "one.onnx"
        save(path, node, attributes, operands, extra, result)
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for k, x in enumerate(operands):
        binding.bind_cpu_input(f"x{k}", x)
    y = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros_like(result))
    binding.bind_ortvalue_output("y", y)

    def run():
        session.run_with_iobinding(binding)

    def result_of_run():
        run()
        return y.numpy()

    return run, result_of_run


def with_torch(torch, expression, operands, result, threads):
    torch.set_num_threads(threads)
    y, *tensors = (torch.from_numpy(x) for x in (np.zeros_like(result), *operands))
    run = torch.inference_mode()(lambda: expression(torch, y, *tensors))

    def result_of_run():
        found = run()
        return (found.int_repr() if found.is_quantized else found).numpy()

    return run, result_of_run


def keep_freed_pages():
    """glibc then neither maps large blocks one by one nor gives any back; other libraries have no such call."""
    libc, trim_threshold, mmap_max = ctypes.CDLL(None), -1, -4
    if hasattr(libc, "mallopt"):
        libc.mallopt(mmap_max, 0)
        libc.mallopt(trim_threshold, -1)


def with_copy(n_bytes, threads):
    """A copy that reads and writes as many bytes, in as many parts as there are threads."""
    from concurrent.futures import ThreadPoolExecutor

    n = max(n_bytes // 2, 1)
    source, target = np.ones(n, np.uint8), np.zeros(n, np.uint8)
    cuts = [n * k // threads for k in range(threads + 1)]
    parts = [(target[low:high], source[low:high]) for low, high in zip(cuts, cuts[1:])]
    if threads == 1:
        return lambda: np.copyto(*parts[0])
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(lambda part: np.copyto(*part), parts))


# ---- what is timed


def along_rows(indices, low=0):
    """Indices as NumPy's take_along_axis has them."""
    return indices.astype(np.int64) + low


def scattered(y, x, indices, updates):
    np.copyto(y, x)
    np.put_along_axis(y, along_rows(indices), updates, 1)


def scattered_rows(y, x, indices, updates):
    np.copyto(y, x)
    y[indices[:, 0]] = updates


def clamped(y, x, low, high):
    np.clip(x, low, high, out=y)


def quantized(y, x):
    np.copyto(y, np.clip(np.rint(x / STEP) + 128, 0, 255), casting="unsafe")


def folded(y, x, fold, axis):
    """Of float16 in float32: where it folds columns, NumPy would round with each element."""
    if x.dtype == np.float16:
        np.copyto(y, fold(x, axis, dtype=np.float32, keepdims=True), casting="same_kind")
    else:
        fold(x, axis, out=y, keepdims=True)


def softmaxed(y, x, axis):
    np.exp(x - x.max(axis, keepdims=True), out=y)
    y /= y.sum(axis, keepdims=True)


def between(x, axis):
    """Twice as many along the axis: a quarter of the way from each to its neighbours."""
    edge = np.take(x, [0], axis), np.take(x, [-1], axis)
    padded = np.concatenate([edge[0], x, edge[1]], axis)
    n = x.shape[axis]
    before, after = (np.take(padded, range(k, k + n), axis) for k in (0, 2))
    pairs = np.stack([x * np.float32(0.75) + before * np.float32(0.25), x * np.float32(0.75) + after * np.float32(0.25)],
                     axis + 1)
    return pairs.reshape(*x.shape[:axis], 2 * n, *x.shape[axis + 1:])


def torch_folded(t, y, x, fold, axis):
    sums = {} if fold == "amax" else {"dtype": x.dtype}  # of small integers it makes int64 otherwise
    return getattr(t, fold)(x, axis, keepdim=True, out=y, **sums)


def torch_where(t, y, c, x, z):
    return t.where(c.view(t.bool), x, z, out=y)


def doubled(y, x):
    np.copyto(y, between(between(x, 2), 3))


def normalised(y, x):
    np.subtract(x, x.mean(1, keepdims=True), out=y)
    y /= np.sqrt((y * y).mean(1, keepdims=True) + np.float32(1e-5))


STEP = np.float32(1 / 64)  # of quantized numbers: some divide by it, some multiply by its inverse, which is exact
IMAGE = "8x64x(N//512//256)x256"  # NCHW
i64 = np.int64

for dtype in ("float32", "float16", "uint8", "int64"):
    row(f"transpose, {dtype}", [f"{dtype} SxS"], lambda b, x: b.transpose(x), lambda y, x: np.copyto(y, x.T),
        lambda t, y, x: y.copy_(x.t()), "Transpose", {"perm": [1, 0]})
row("transpose to channels last", [f"float32 {IMAGE}"], lambda b, x: b.transpose(x, permutation=[0, 2, 3, 1]),
    lambda y, x: np.copyto(y, x.transpose(0, 2, 3, 1)), lambda t, y, x: y.copy_(x.permute(0, 2, 3, 1)),
    "Transpose", {"perm": [0, 2, 3, 1]})
row("transpose of middle axes", ["float32 64x32x(N//64//32//64)x64"], lambda b, x: b.transpose(x, permutation=[0, 2, 1, 3]),
    lambda y, x: np.copyto(y, x.transpose(0, 2, 1, 3)), lambda t, y, x: y.copy_(x.transpose(1, 2)),
    "Transpose", {"perm": [0, 2, 1, 3]})
row("slice of rows", ["float32 SxS"], lambda b, x: b.slice(x, [1, 0], [x.shape[0] - 2, x.shape[1]]),
    lambda y, x: np.copyto(y, x[1:-1]), lambda t, y, x: y.copy_(x[1:-1]), "Slice", extra=[[1], [-1], [0]])
row("slice of columns", ["float32 SxS"], lambda b, x: b.slice(x, [0, 1], [x.shape[0], x.shape[1] - 2]),
    lambda y, x: np.copyto(y, x[:, 1:-1]), lambda t, y, x: y.copy_(x[:, 1:-1]), "Slice", extra=[[1], [-1], [1]])
row("slice with strides", ["float32 SxS"], lambda b, x: b.slice(x, [0, 0], x.shape, strides=[1, 2]),
    lambda y, x: np.copyto(y, x[:, ::2]), lambda t, y, x: y.copy_(x[:, ::2]), "Slice", extra=[[0], [1 << 30], [1], [2]])
row("slice of every third row", ["float32 SxS"],
    lambda b, x: b.slice(x, [1, 0], [x.shape[0] - 1, x.shape[1]], strides=[3, 1]),
    lambda y, x: np.copyto(y, x[1::3]), lambda t, y, x: y.copy_(x[1::3]), "Slice", extra=[[1], [1 << 30], [0], [3]])
for dtype in ("float16", "uint8"):
    row(f"slice with strides of 3, {dtype}", [f"{dtype} SxS"], lambda b, x: b.slice(x, [0, 0], x.shape, strides=[1, 3]),
        lambda y, x: np.copyto(y, x[:, ::3]), lambda t, y, x: y.copy_(x[:, ::3]), "Slice", extra=[[0], [1 << 30], [1], [3]])
row("slice with strides, uint8", ["uint8 SxS"], lambda b, x: b.slice(x, [0, 0], x.shape, strides=[1, 2]),
    lambda y, x: np.copyto(y, x[:, ::2]), lambda t, y, x: y.copy_(x[:, ::2]), "Slice", extra=[[0], [1 << 30], [1], [2]])
for mode, theirs, numpys, torchs in (("constant", "constant", "constant", "constant"),
                                     ("reflection", "reflect", "reflect", "reflect"),
                                     ("edge", "edge", "edge", "replicate"), ("symmetric", None, "symmetric", None)):
    row(f"pad, {mode}", ["float32 (S-4)x(S-4)"], lambda b, x, mode=mode: b.pad(x, [2, 2], [2, 2], mode=mode),
        lambda y, x, numpys=numpys: np.copyto(y, np.pad(x, 2, numpys)),
        torchs and (lambda t, y, x, torchs=torchs: t.nn.functional.pad(x[None], (2, 2, 2, 2), torchs)[0]),
        theirs and "Pad", {"mode": theirs}, [[2, 2, 2, 2]])
row("pad, constant, uint8", ["uint8 (S-4)x(S-4)"], lambda b, x: b.pad(x, [2, 2], [2, 2]),
    lambda y, x: np.copyto(y, np.pad(x, 2)), lambda t, y, x: t.nn.functional.pad(x, (2, 2, 2, 2)),
    "Pad", {"mode": "constant"}, [[2, 2, 2, 2]])
row("concat of rows", ["float32 (S//2)xS", "float32 (S//2)xS"], lambda b, x, z: b.concat([x, z], 0),
    lambda y, x, z: np.concatenate([x, z], 0, out=y), lambda t, y, x, z: t.cat([x, z], 0, out=y), "Concat", {"axis": 0})
row("concat of columns", ["float32 Sx(S//2)", "float32 Sx(S//2)"], lambda b, x, z: b.concat([x, z], 1),
    lambda y, x, z: np.concatenate([x, z], 1, out=y), lambda t, y, x, z: t.cat([x, z], 1, out=y), "Concat", {"axis": 1})
row("concat of pairs", ["float32 (N//2)x1", "float32 (N//2)x1"], lambda b, x, z: b.concat([x, z], 1),
    lambda y, x, z: np.concatenate([x, z], 1, out=y), lambda t, y, x, z: t.cat([x, z], 1, out=y), "Concat", {"axis": 1})
row("reverse rows", ["float32 SxS"], lambda b, x: b.reverse(x, axes=[0]), lambda y, x: np.copyto(y, x[::-1]),
    lambda t, y, x: t.flip(x, [0]), "Slice", extra=[[-1], [-(1 << 40)], [0], [-1]])
row("reverse columns", ["float32 SxS"], lambda b, x: b.reverse(x, axes=[1]), lambda y, x: np.copyto(y, x[:, ::-1]),
    lambda t, y, x: t.flip(x, [1]), "Slice", extra=[[-1], [-(1 << 40)], [1], [-1]])
row("reverse columns, uint8", ["uint8 SxS"], lambda b, x: b.reverse(x, axes=[1]),
    lambda y, x: np.copyto(y, x[:, ::-1]), lambda t, y, x: t.flip(x, [1]), "Slice", extra=[[-1], [-(1 << 40)], [1], [-1]])
row("reverse both, int64", ["int64 SxS"], lambda b, x: b.reverse(x), lambda y, x: np.copyto(y, x[::-1, ::-1]),
    lambda t, y, x: t.flip(x, [0, 1]), "Slice", extra=[[-1, -1], [-(1 << 40)] * 2, [0, 1], [-1, -1]])
row("reverse columns, float16", ["float16 SxS"], lambda b, x: b.reverse(x, axes=[1]),
    lambda y, x: np.copyto(y, x[:, ::-1]), lambda t, y, x: t.flip(x, [1]), "Slice", extra=[[-1], [-(1 << 40)], [1], [-1]])
row("tile rows", ["float32 (S//2)x(S//2)"], lambda b, x: b.tile(x, [2, 2]),
    lambda y, x: np.copyto(y, np.tile(x, (2, 2))), lambda t, y, x: t.tile(x, (2, 2)), "Tile", extra=[[2, 2]])
row("tile of 3", ["float32 (N//48)x3"], lambda b, x: b.tile(x, [1, 16]),
    lambda y, x: np.copyto(y, np.tile(x, (1, 16))), lambda t, y, x: t.tile(x, (1, 16)), "Tile", extra=[[1, 16]])
row("expand columns", ["float32 Sx1"], lambda b, x: b.expand(x, [x.shape[0]] * 2),
    lambda y, x: np.copyto(y, np.broadcast_to(x, y.shape)), lambda t, y, x: y.copy_(x), "Expand", extra=["square"])
row("expand rows", ["float32 1xS"], lambda b, x: b.expand(x, [x.shape[1]] * 2),
    lambda y, x: np.copyto(y, np.broadcast_to(x, y.shape)), lambda t, y, x: y.copy_(x), "Expand", extra=["square"])
row("expand the middle, uint8", ["uint8 (S//2)x1x(S//2)"], lambda b, x: b.expand(x, [x.shape[0], 4, x.shape[2]]),
    lambda y, x: np.copyto(y, np.broadcast_to(x, y.shape)), lambda t, y, x: y.copy_(x), "Expand", extra=["square"])
row("gather rows", ["float32 SxS", "int32<S S"], lambda b, x, i: b.gather(x, i),
    lambda y, x, i: np.take(x, i, 0, out=y, mode="clip"), lambda t, y, x, i: t.index_select(x, 0, i, out=y),
    "Gather", {"axis": 0})
row("gather columns", ["float32 SxS", "int32<S S"], lambda b, x, i: b.gather(x, i, axis=1),
    lambda y, x, i: np.take(x, i, 1, out=y, mode="clip"), lambda t, y, x, i: t.index_select(x, 1, i, out=y),
    "Gather", {"axis": 1})
for dtype, side in (("uint8", "2*S"), ("float16", "int(np.sqrt(2*N))")):
    row(f"gather columns, {dtype}", [f"{dtype} SxS", f"int32<{side} {side}"], lambda b, x, i: b.gather(x, i, axis=1),
        lambda y, x, i: np.take(x, i, 1, out=y, mode="clip"), lambda t, y, x, i: t.index_select(x, 1, i, out=y),
        "Gather", {"axis": 1})
row("gather numbers", ["float32 N", "int32<N N"], lambda b, x, i: b.gather(x, i),
    lambda y, x, i: np.take(x, i, 0, out=y, mode="clip"), lambda t, y, x, i: t.index_select(x, 0, i, out=y),
    "Gather", {"axis": 0})
row("gather triples", ["float32 (N//3)x3", "int32<(N//3) (N//3)"], lambda b, x, i: b.gather(x, i),
    lambda y, x, i: np.take(x, i, 0, out=y, mode="clip"), lambda t, y, x, i: t.index_select(x, 0, i, out=y),
    "Gather", {"axis": 0})
row("gatherElements in rows", ["float32 SxS", "int32<S SxS"], lambda b, x, i: b.gather_elements(x, i, axis=1),
    lambda y, x, i: np.copyto(y, np.take_along_axis(x, i, 1)), lambda t, y, x, i: t.gather(x, 1, i, out=y),
    "GatherElements", {"axis": 1})
row("gatherElements in columns", ["float32 SxS", "int32<S SxS"], lambda b, x, i: b.gather_elements(x, i),
    lambda y, x, i: np.copyto(y, np.take_along_axis(x, i, 0)), lambda t, y, x, i: t.gather(x, 0, i, out=y),
    "GatherElements", {"axis": 0})
row("gatherElements in columns, int64", ["int64 (N//1000)x1000", "int64<(N//1000) (N//1000)x1000"],
    lambda b, x, i: b.gather_elements(x, i), lambda y, x, i: np.copyto(y, np.take_along_axis(x, i, 0)),
    lambda t, y, x, i: t.gather(x, 0, i, out=y), "GatherElements", {"axis": 0})
row("gatherND of pairs", ["float32 SxS", "int32<S (N//2)x2"], lambda b, x, i: b.gather_nd(x, i),
    lambda y, x, i: np.copyto(y, x[i[:, 0], i[:, 1]]), lambda t, y, x, i: x[i[:, 0], i[:, 1]])
row("gatherND of rows", ["float32 SxS", "int64<S Sx1"], lambda b, x, i: b.gather_nd(x, i),
    lambda y, x, i: np.copyto(y, x[i[:, 0]]), lambda t, y, x, i: t.index_select(x, 0, i[:, 0], out=y), "GatherND")
row("scatterND of rows", ["float32 SxS", "int64!S 256x1", "float32 256xS"],
    lambda b, x, i, u: b.scatter_nd(x, i, u), scattered_rows, lambda t, y, x, i, u: t.index_copy(x, 0, i[:, 0], u, out=y),
    "ScatterND")
row("scatterElements in rows", ["float32 SxS", "int32<S Sx(S//4)", "float32 Sx(S//4)"],
    lambda b, x, i, u: b.scatter_elements(x, i, u, axis=1), scattered, lambda t, y, x, i, u: t.scatter(x, 1, i, u, out=y),
    "ScatterElements", {"axis": 1})
row("where, float32", ["uint8<2 N//4", "float32 N", "float32 N"], lambda b, c, x, z: b.where(c, x, z),
    lambda y, c, x, z: np.copyto(y, np.where(c.view(bool), x, z)), torch_where, "Where")
row("where, int64", ["uint8<2 N//8", "int64 N", "int64 N"], lambda b, c, x, z: b.where(c, x, z),
    lambda y, c, x, z: np.copyto(y, np.where(c.view(bool), x, z)), torch_where, "Where")
row("where, float16", ["uint8<2 N//2", "float16 N", "float16 N"], lambda b, c, x, z: b.where(c, x, z),
    lambda y, c, x, z: np.copyto(y, np.where(c.view(bool), x, z)), torch_where)
row("where of rows, uint8", ["uint8<2 Sx1", "uint8 SxS", "uint8 SxS"], lambda b, c, x, z: b.where(c, x, z),
    lambda y, c, x, z: np.copyto(y, np.where(c.view(bool), x, z)), torch_where, "Where")
row("triangular", ["float32 SxS"], lambda b, x: b.triangular(x, upper=False),
    lambda y, x: np.copyto(y, np.tril(x)), lambda t, y, x: t.tril(x, out=y), "Trilu", {"upper": 0})
for start, end in (("float32", "float16"), ("float16", "float32"), ("float32", "int32"), ("float32", "uint8"),
                   ("float32", "int64"), ("uint8", "float32"), ("int32", "float32"), ("int64", "int32"),
                   ("int32", "int64"), ("int64", "float32")):
    row(f"cast {start} to {end}", [f"{start} N//{max(np.dtype(end).itemsize // np.dtype(start).itemsize, 1)}"],
        lambda b, x, end=end: b.cast(x, end), lambda y, x: np.copyto(y, x, casting="unsafe"), lambda t, y, x: y.copy_(x),
        "Cast", {"to": end})
for axis, name in ((1, "rows"), (0, "columns")):
    at = {"axis": axis, "keepdims": 1}
    for dtype in ("float32", "float16", "int32", "int64", "uint8"):
        row(f"argMax of {name}, {dtype}", [f"{dtype} SxS"],
            lambda b, x, axis=axis: b.arg_max(x, axis, keep_dimensions=True, output_data_type="int64"),
            lambda y, x, axis=axis: np.argmax(x, axis, out=y, keepdims=True),
            lambda t, y, x, axis=axis: t.argmax(x, axis, keepdim=True, out=y), "ArgMax", at)
    for dtype in ("float32", "int32", "int64"):
        row(f"cumulativeSum of {name}, {dtype}", [f"{dtype} SxS"], lambda b, x, axis=axis: b.cumulative_sum(x, axis),
            lambda y, x, axis=axis: np.cumsum(x, axis, out=y),
            lambda t, y, x, axis=axis: t.cumsum(x, axis, dtype=x.dtype, out=y), "CumSum", extra=[np.int64(axis)])
    for dtype, op, theirs, numpys, torchs in (
            ("float32", "reduce_sum", "ReduceSum", np.sum, "sum"), ("float16", "reduce_sum", "ReduceSum", np.sum, "sum"),
            ("float32", "reduce_max", "ReduceMax", np.max, "amax"), ("float32", "reduce_mean", "ReduceMean", np.mean, "mean"),
            ("float32", "reduce_product", "ReduceProd", np.prod, "prod"), ("int32", "reduce_sum", "ReduceSum", np.sum, "sum"),
            ("int64", "reduce_sum", "ReduceSum", np.sum, "sum"), ("int32", "reduce_max", "ReduceMax", np.max, "amax"),
            ("uint8", "reduce_max", "ReduceMax", np.max, "amax")):
        row(f"{op} of {name}, {dtype}", [f"{dtype} SxS"],
            lambda b, x, op=op, axis=axis: getattr(b, op)(x, axes=[axis], keep_dimensions=True),
            lambda y, x, f=numpys, axis=axis: folded(y, x, f, axis),
            lambda t, y, x, f=torchs, axis=axis: torch_folded(t, y, x, f, axis), theirs, {"keepdims": 1}, [[axis]])
    row(f"softmax of {name}", ["float32 SxS"], lambda b, x, axis=axis: b.softmax(x, axis),
        lambda y, x, axis=axis: softmaxed(y, x, axis), lambda t, y, x, axis=axis: t.softmax(x, axis, out=y),
        "Softmax", {"axis": axis})
row("argMax of all", ["float32 N"], lambda b, x: b.arg_max(x, 0, keep_dimensions=True, output_data_type="int64"),
    lambda y, x: np.argmax(x, 0, out=y, keepdims=True), lambda t, y, x: t.argmax(x, 0, keepdim=True, out=y),
    "ArgMax", {"axis": 0, "keepdims": 1})
row("argMax of few columns", ["float32 (N//8)x8"],
    lambda b, x: b.arg_max(x, 0, keep_dimensions=True, output_data_type="int64"),
    lambda y, x: np.argmax(x, 0, out=y, keepdims=True), lambda t, y, x: t.argmax(x, 0, keepdim=True, out=y),
    "ArgMax", {"axis": 0, "keepdims": 1})
row("reduce_sum of the middle, float32", ["float32 64xSx(N//64//S)"],
    lambda b, x: b.reduce_sum(x, axes=[1], keep_dimensions=True), lambda y, x: np.sum(x, 1, out=y, keepdims=True),
    lambda t, y, x: t.sum(x, 1, keepdim=True, out=y), "ReduceSum", {"keepdims": 1}, [[1]])
for dtype in ("float32", "int8", "uint8", "int32", "int64"):
    for op, theirs, numpys, torchs in (("add", "Add", np.add, "add"), ("mul", "Mul", np.multiply, "mul"),
                                       ("max", "Max", np.maximum, "maximum")):
        row(f"{op}, {dtype}", [f"{dtype} N", f"{dtype} N"], lambda b, x, z, op=op: getattr(b, op)(x, z),
            lambda y, x, z, f=numpys: f(x, z, out=y), lambda t, y, x, z, f=torchs: getattr(t, f)(x, z, out=y), theirs)
    row(f"greater, {dtype}", [f"{dtype} N", f"{dtype} N"], lambda b, x, z: b.greater(x, z),
        lambda y, x, z: np.greater(x, z, out=y.view(bool)), lambda t, y, x, z: t.gt(x, z, out=y.view(t.bool)), "Greater")
for op, theirs, numpys, torchs in (("equal", "Equal", np.equal, "eq"), ("lesser_or_equal", "LessOrEqual", np.less_equal, "le")):
    for dtype in ("float32", "float16", "uint8"):
        row(f"{op}, {dtype}", [f"{dtype} N", f"{dtype} N"], lambda b, x, z, op=op: getattr(b, op)(x, z),
            lambda y, x, z, f=numpys: f(x, z, out=y.view(bool)),
            lambda t, y, x, z, f=torchs: getattr(t, f)(x, z, out=y.view(t.bool)), theirs)
row("div, int32", ["int32 N", "int32 N"], lambda b, x, z: b.div(x, z),
    lambda y, x, z: np.floor_divide(x, z, out=y), lambda t, y, x, z: t.div(x, z, rounding_mode="trunc", out=y), "Div")
row("clamp", ["float32 N"], lambda b, x: b.clamp(x, min_value=-0.5, max_value=0.5),
    lambda y, x: clamped(y, x, np.float32(-0.5), np.float32(0.5)),
    lambda t, y, x: t.clamp(x, -0.5, 0.5, out=y), "Clip", extra=[np.float32(-0.5), np.float32(0.5)])
row("quantizeLinear", ["float32 SxS"],
    lambda b, x: b.quantize_linear(x, b.constant(np.full((1, 1), STEP)), b.constant(np.full((1, 1), 128, "uint8"))),
    quantized, lambda t, y, x: t.quantize_per_tensor(x, float(STEP), 128, t.quint8), "QuantizeLinear",
    extra=[STEP, np.uint8(128)])
row("quantizeLinear by rows, int8", ["float32 SxS"],
    lambda b, x: b.quantize_linear(x, b.constant(np.full((x.shape[0], 1), STEP)),
                                   b.constant(np.zeros((x.shape[0], 1), "int8"))),
    lambda y, x: np.copyto(y, np.clip(np.rint(x / STEP), -128, 127), casting="unsafe"),
    lambda t, y, x: t.quantize_per_channel(x, t.full(x.shape[:1], float(STEP)),
                                           t.zeros(x.shape[:1], dtype=t.int32), 0, t.qint8))
row("dequantizeLinear, int32", ["int32 SxS"],
    lambda b, x: b.dequantize_linear(x, b.constant(np.full((1, 1), 0.01, "float32")), b.constant(np.full((1, 1), 128, "int32"))),
    lambda y, x: np.multiply(x - np.int32(128), np.float32(0.01), out=y, casting="unsafe"),
    lambda t, y, x: t.sub(x, 128, out=y).mul_(0.01))
row("dequantizeLinear", ["uint8 SxS"],
    lambda b, x: b.dequantize_linear(x, b.constant(np.full((1, 1), 0.01, "float32")), b.constant(np.full((1, 1), 128, "uint8"))),
    lambda y, x: np.multiply(np.subtract(x, np.float32(128)), np.float32(0.01), out=y),
    lambda t, y, x: y.copy_(x).sub_(128).mul_(0.01), "DequantizeLinear", extra=[np.float32(0.01), np.uint8(128)])
row("layerNormalization", ["float32 (N//768)x768"], lambda b, x: b.layer_normalization(x, axes=[1]), normalised,
    lambda t, y, x: t.nn.functional.layer_norm(x, x.shape[1:]))
row("averagePool2d", [f"float32 {IMAGE}"],
    lambda b, x: b.average_pool2d(x, window_dimensions=[2, 2], strides=[2, 2]), lambda y, x: np.mean(
        x.reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2), (3, 5), out=y),
    lambda t, y, x: t.nn.functional.avg_pool2d(x, 2), "AveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]})
row("maxPool2d", [f"float32 {IMAGE}"],
    lambda b, x: b.max_pool2d(x, window_dimensions=[2, 2], strides=[2, 2]), lambda y, x: np.max(
        x.reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2), (3, 5), out=y),
    lambda t, y, x: t.nn.functional.max_pool2d(x, 2), "MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]})
row("resample2d", [f"float32 8x64x(N//512//512)x128"], lambda b, x: b.resample2d(x, scales=[2, 2]),
    lambda y, x: np.copyto(y, x.repeat(2, 2).repeat(2, 3)),
    lambda t, y, x: t.nn.functional.interpolate(x, scale_factor=2), "Resize",
    {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_floor"},
    [np.zeros(0, "float32"), np.float32([1, 1, 2, 2])])
row("resample2d, linear", [f"float32 8x64x(N//512//512)x128"],
    lambda b, x: b.resample2d(x, mode="linear", scales=[2, 2]), doubled,
    lambda t, y, x: t.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"), "Resize",
    {"coordinate_transformation_mode": "half_pixel", "mode": "linear"},
    [np.zeros(0, "float32"), np.float32([1, 1, 2, 2])])


# ---- all of it


def for_onnx(node, attributes, operands, extra, result):
    """Operands and constants as ONNX has them; None where it has no such operation."""
    import onnx

    if node is None:
        return None
    operands = [x.view(bool) if node == "Where" and k == 0 else x for k, x in enumerate(operands)]
    if node in ("Greater", "Equal", "LessOrEqual"):
        result = result.view(bool)
    if node == "Expand":
        extra = [result.shape]
    attributes = {key: getattr(onnx.TensorProto, value.upper().replace("FLOAT32", "FLOAT")) if key == "to" else value
                  for key, value in attributes.items()}
    extra = [np.asarray(one, None if isinstance(one, (np.generic, np.ndarray)) else i64) for one in extra]
    return node, attributes, operands, extra, result


def interleave(runs, seconds, clock, turns=3):
    """Medians by engine."""
    times = {name: [] for name in runs}
    for _ in range(turns):
        for name, run in runs.items():
            time.sleep(bench.PAUSE)
            run()
            end = time.perf_counter() + seconds / turns
            while time.perf_counter() < end or len(times[name]) < 3:
                start = clock()
                run()
                times[name].append(clock() - start)
    return {name: statistics.median(some) for name, some in times.items()}


CROWDED = 0.1  # processors that others have


def busy_seconds():
    """What the processors have done, for others and for this process; None where the system doesn't say."""
    try:
        with open("/proc/stat") as file:
            user, nice, system, _, _, *rest = map(int, file.readline().split()[1:9])
    except OSError:
        return None
    own = os.times()
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK") - own.user - own.system


def time_calmly(runs, seconds, clock, tries):
    """Medians, and how many processors others had meanwhile: of the calmest try."""
    best = None
    for _ in range(tries):
        before, start = busy_seconds(), time.perf_counter()
        medians = interleave(runs, seconds, clock)
        others = 0 if before is None else (busy_seconds() - before) / (time.perf_counter() - start)
        if best is None or others < best[1]:
            best = medians, others
        if others <= CROWDED:
            break
    return best


def lacks(error):
    """An engine has no such operation, or not for these types."""
    return "NOT_IMPLEMENTED" in str(error) or "NotImplemented" in type(error).__name__


def peers(name, operands, result, threads, torch):
    """NumPy's, onnxruntime's and PyTorch's runs of a row, and what they give."""
    _, _, numpys, torchs, node, attributes, extra = ROWS[name]
    expected = np.zeros_like(result)
    numpys(expected, *operands)
    runs, found = {"numpy": lambda: numpys(expected, *operands)}, {"numpy": expected}
    theirs = for_onnx(node, attributes, operands, extra, result)
    for engine, make in (("onnxruntime", theirs and (lambda: with_onnxruntime(*theirs, threads))),
                         ("torch", torch and torchs and (lambda: with_torch(torch, torchs, operands, result, threads)))):
        if make:
            try:
                run, result_of_run = make()
                runs[engine], found[engine] = run, result_of_run()
            except Exception as error:
                if not lacks(error):
                    raise
    return runs, found


def compare(name, threads, mib, seconds, clock, tries, torch):
    shapes, build = ROWS[name][:2]
    operands = [draw(text, mib, np.random.default_rng(k)) for k, text in enumerate(shapes)]
    run, kernels = with_webnn(build, operands, threads)
    result = run()
    n_bytes = sum(x.nbytes for x in operands) + result.nbytes
    runs, found = peers(name, operands, result, threads, torch)
    rtol = 1e-2 if result.dtype == np.float16 else 1e-3
    differs = [engine for engine, theirs in found.items()
               if not np.allclose(result, theirs.reshape(result.shape), rtol=rtol, atol=2e-2, equal_nan=True)]
    medians, others = time_calmly({"webnn": run, "copy": with_copy(n_bytes, threads), **runs}, seconds, clock, tries)
    return {"name": name, "threads": threads, "kernel": kernels, "bytes": n_bytes, "differs": differs,
            "others": round(others, 2), "crowded": others > CROWDED, "seconds": medians,
            "copy_share": medians["copy"] / medians["webnn"],
            "ratio": medians["webnn"] / min(medians[engine] for engine in runs)}


ENGINES = ("webnn", "onnxruntime", "numpy", "torch", "copy")


def show(result):
    seconds = result["seconds"]
    times = " ".join(f"{seconds[engine] * 1e3:11.2f}" if engine in seconds else " " * 10 + "-" for engine in ENGINES)
    flags = (f"  differs from {', '.join(result['differs'])}" if result["differs"] else "") + (
        "  slow" if result["copy_share"] < 0.5 else "") + ("  behind" if result["ratio"] > 1 else "") + (
        "  crowded" if result["crowded"] else "")
    print(f"{result['name']:34}{result['threads']:2}{times}{result['bytes'] / seconds['webnn'] / 1e9:8.1f}"
          f"{result['copy_share']:7.2f}{result['ratio']:7.2f}{flags}", flush=True)


def measure(names, threads, mib=64, seconds=0.6, clock=time.perf_counter, tries=3):
    """Rows whose name contains one of `names`, or all."""
    keep_freed_pages()
    torch = bench.find_torch()
    print(f"{'ms':36}{' '.join(f'{engine:>11}' for engine in ENGINES)}{'GB/s':>8}{'copy':>7}{'peer':>7}")
    results = []
    for name in ROWS:
        if names and not any(part in name for part in names):
            continue
        for n in threads:
            results.append(compare(name, n, mib, seconds, clock, tries, torch))
            show(results[-1])
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="rows whose name contains one of these")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.6, help="for each engine and row")
    parser.add_argument("--tries", type=int, default=3, help="for a row while others are at work")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the rows too, for bench.py's --join")
    parser.add_argument("--cpu", action="store_true",
                        help="the processor's time by all threads instead of the wall's, where others are at work too")
    args = parser.parse_args()
    clock = time.process_time if args.cpu else time.perf_counter
    results = measure(args.names, args.threads, args.mib, args.seconds, clock, args.tries)
    if args.json:
        about = {"machine": bench.machine(), "versions": bench.versions(), "rows": results}
        args.json.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
