"""Rows of test_errors.py: good calls of all 95 operations, and what makes each fail in every way that the
specification lists.

Operands are written as their descriptors: "f32[2,3]". Entries are the texts of tests/data/limits/errors.json.
"""

import re

INTEGERS = ["i32", "u32", "i64", "u64", "i8", "u8"]
STATE = "builder already built or its context lost"
STATE_ONLY_BUILT = "builder already built (context loss is not tested here, unlike every other op)"
TOO_LARGE = ("output element count / byte length never checked; reject when over the limits "
             "(WPT 2025-03-31 expects TypeError above maxTensorByteLength)")

ARITHMETIC = ["add", "sub", "mul", "div", "max", "min", "pow"]
COMPARISON = ["equal", "notEqual", "greater", "greaterOrEqual", "lesser", "lesserOrEqual"]
LOGICAL = ["logicalAnd", "logicalOr", "logicalXor"]
FLOAT_UNARY = [
    "ceil", "cos", "erf", "exp", "floor", "log", "reciprocal", "roundEven", "sin", "sqrt", "tan", "elu", "gelu",
    "hardSigmoid", "hardSwish", "leakyRelu", "linear", "sigmoid", "softplus", "softsign", "tanh",
]
SIGNED_UNARY = ["abs", "neg", "sign", "relu"]
FLOAT_REDUCE = ["reduceL2", "reduceLogSum", "reduceLogSumExp", "reduceMean"]
WIDE_REDUCE = ["reduceL1", "reduceProduct", "reduceSum", "reduceSumSquare"]
ANY_REDUCE = ["reduceMax", "reduceMin"]
QUANTIZING = ["dequantizeLinear", "quantizeLinear"]
POOLS = ["averagePool2d", "l2Pool2d", "maxPool2d"]

# A good call of each operation: its parameters in IDL order.
GOOD = {
    "argMin": dict(input="f32[2,3]", axis=1),
    "argMax": dict(input="f32[2,3]", axis=1),
    "batchNormalization": dict(input="f32[2,3,4]", mean="f32[3]", variance="f32[3]"),
    "cast": dict(input="f32[2]", data_type="int32"),
    "clamp": dict(input="f32[2]"),
    "concat": dict(inputs=["f32[2,3]", "f32[2,4]"], axis=1),
    "conv2d": dict(input="f32[1,4,5,5]", filter="f32[6,4,3,3]"),
    "convTranspose2d": dict(input="f32[1,4,3,3]", filter="f32[4,2,3,3]"),
    "cumulativeSum": dict(input="f32[2,3]", axis=1),
    "identity": dict(input="f32[2]"),
    "logicalNot": dict(a="u8[2]"),
    "isNaN": dict(a="f32[2]"),
    "isInfinite": dict(a="f32[2]"),
    "dequantizeLinear": dict(input="i8[4,6]", scale="f32[2,1]", zero_point="i8[2,1]"),
    "quantizeLinear": dict(input="f32[4,6]", scale="f32[2,1]", zero_point="i8[2,1]"),
    "expand": dict(input="f32[3,1]", new_shape=[2, 3, 4]),
    "gather": dict(input="f32[3,4]", indices="i32[5]"),
    "gatherElements": dict(input="f32[3,4]", indices="i32[2,4]"),
    "gatherND": dict(input="f32[3,4]", indices="i32[5,1]"),
    "gemm": dict(a="f32[2,3]", b="f32[3,4]"),
    "gru": dict(input="f32[2,3,5]", weight="f32[1,12,5]", recurrent_weight="f32[1,12,4]", steps=2,
                hidden_size=4),
    "gruCell": dict(input="f32[3,5]", weight="f32[12,5]", recurrent_weight="f32[12,4]",
                    hidden_state="f32[3,4]", hidden_size=4),
    "instanceNormalization": dict(input="f32[1,3,4,5]"),
    "layerNormalization": dict(input="f32[2,3,4]"),
    "lstm": dict(input="f32[2,3,5]", weight="f32[1,16,5]", recurrent_weight="f32[1,16,4]", steps=2,
                 hidden_size=4),
    "lstmCell": dict(input="f32[3,5]", weight="f32[16,5]", recurrent_weight="f32[16,4]",
                     hidden_state="f32[3,4]", cell_state="f32[3,4]", hidden_size=4),
    "matmul": dict(a="f32[2,3]", b="f32[3,4]"),
    "pad": dict(input="f32[2,3]", beginning_padding=[1, 1], ending_padding=[0, 2]),
    "prelu": dict(input="f32[2,3]", slope="f32[3]"),
    "resample2d": dict(input="f32[1,2,3,4]"),
    "reshape": dict(input="f32[2,6]", new_shape=[3, 4]),
    "reverse": dict(input="f32[2,3]"),
    "scatterElements": dict(input="f32[3,4]", indices="i32[2,4]", updates="f32[2,4]"),
    "scatterND": dict(input="f32[3,4]", indices="i32[5,1]", updates="f32[5,4]"),
    "slice": dict(input="f32[4,5]", starts=[1, 0], sizes=[3, 5]),
    "softmax": dict(input="f32[2,3]", axis=1),
    "split": dict(input="f32[4,6]", splits=2),
    "tile": dict(input="f32[2,3]", repetitions=[3, 1]),
    "transpose": dict(input="f32[2,3,4]"),
    "triangular": dict(input="f32[2,3]"),
    "where": dict(condition="u8[2,3]", true_value="f32[2,3]", false_value="f32[2,3]"),
}
GOOD.update({op: dict(a="f32[2,3]", b="f32[2,3]") for op in ARITHMETIC + COMPARISON})
GOOD.update({op: dict(a="u8[2,3]", b="u8[2,3]") for op in LOGICAL})
GOOD.update({op: dict(input="f32[2,3]") for op in FLOAT_UNARY + SIGNED_UNARY})
GOOD.update({op: dict(input="f32[2,3]") for op in FLOAT_REDUCE + WIDE_REDUCE + ANY_REDUCE})
GOOD.update({op: dict(input="f32[1,2,8,8]") for op in POOLS})

# Good operands for the options that take one.
OPTIONAL = {
    "batchNormalization": dict(scale="f32[3]", bias="f32[3]"),
    "conv2d": dict(bias="f32[6]"),
    "convTranspose2d": dict(bias="f32[2]"),
    "gemm": dict(c="f32[2,4]"),
    "gru": dict(bias="f32[1,12]", recurrent_bias="f32[1,12]", initial_hidden_state="f32[1,3,4]"),
    "gruCell": dict(bias="f32[12]", recurrent_bias="f32[12]"),
    "instanceNormalization": dict(scale="f32[3]", bias="f32[3]"),
    "layerNormalization": dict(scale="f32[3,4]", bias="f32[3,4]"),
    "lstm": dict(bias="f32[1,16]", recurrent_bias="f32[1,16]", peephole_weight="f32[1,12]",
                 initial_hidden_state="f32[1,3,4]", initial_cell_state="f32[1,3,4]"),
    "lstmCell": dict(bias="f32[16]", recurrent_bias="f32[16]", peephole_weight="f32[12]"),
}

ROWS = []  # (operation, entry, changes)


def bad(ops, when, *variants, **changes):
    """Adds a row for each operation and variant; keyword arguments are the only variant."""
    for op in [ops] if isinstance(ops, str) else ops:
        ROWS.extend((op, when, variant) for variant in variants or [changes])


def typed(ops, when, name, types):
    """Adds rows in which operand `name` has one of the types, its shape unchanged."""
    for op in [ops] if isinstance(ops, str) else ops:
        good = {**GOOD[op], **OPTIONAL.get(op, {})}[name]
        bad(op, when, *({name: re.sub(r"^\w+", kind, good)} for kind in types))


# Element-wise operations.
typed(FLOAT_UNARY, "dtype(input) not allowed", "input", INTEGERS)
typed(SIGNED_UNARY, "dtype(input) not allowed", "input", ["u32", "u64", "u8"])
typed(["isNaN", "isInfinite"], "dtype(a) not float32 or float16", "a", INTEGERS)
typed(["logicalNot"] + LOGICAL, "dtype(a) != uint8", "a", ["f32", "f16", "i32", "i8"])
typed(ARITHMETIC, "dtype(a) != dtype(b)", "b", ["f16", "i32", "u8"])
typed(COMPARISON, "dtype(b) != dtype(a)", "b", ["f16", "i32", "u8"])
typed(LOGICAL, "dtype(b) != dtype(a)", "b", ["f32", "i8"])
bad(ARITHMETIC + COMPARISON, "shapes not bidirectionally broadcastable", dict(b="f32[2]"), dict(b="f32[2,4]"))
bad(LOGICAL, "shapes not bidirectionally broadcastable", b="u8[2]")
bad(ARITHMETIC, TOO_LARGE, dict(a="f32[65536,1]", b="f32[65536]"), dict(a="f32[32768,1]", b="f32[32768]"))
bad(COMPARISON, TOO_LARGE, a="f32[65536,1]", b="f32[65536]")
bad(LOGICAL, TOO_LARGE, a="u8[65536,1]", b="u8[65536]")
bad("prelu", "dtype(input) not allowed or dtype(slope) != dtype(input)",
    dict(input="u8[2,3]", slope="u8[3]"), dict(input="u32[2,3]", slope="u32[3]"),
    dict(input="u64[2,3]", slope="u64[3]"), dict(slope="f16[3]"))
bad("prelu", "shapes not bidirectionally broadcastable", slope="f32[2]")
bad("prelu", TOO_LARGE, input="f32[65536,1]", slope="f32[65536]")
bad("where", "dtype(condition) != uint8 or dtype(falseValue) != dtype(trueValue)",
    dict(condition="i8[2,3]"), dict(condition="f32[2,3]"), dict(false_value="f16[2,3]"))
bad("where", "trueValue and falseValue not bidirectionally broadcastable", false_value="f32[2,4]")
bad("where", "condition not bidirectionally broadcastable with that shape", condition="u8[2]")
bad("where", TOO_LARGE, condition="u8[65536,1]", true_value="f32[65536]", false_value="f32[1]")
bad("clamp", "cast minValue > cast maxValue", dict(min_value=2, max_value=1),
    dict(min_value=float("inf"), max_value=float("-inf")), dict(input="i32[2]", min_value=1.6, max_value=1.4),
    dict(input="u64[2]", min_value=2**64 - 1, max_value=2**64 - 2))

# Reductions.
bad(["argMin", "argMax"], "axis >= rank(input)", dict(axis=2), dict(input="f32[]", axis=0))
bad(["argMin", "argMax"], "outputDataType not int32 or int64",
    *(dict(output_data_type=t) for t in ["float32", "float16", "uint32", "uint64", "int8", "uint8"]))
typed(FLOAT_REDUCE, "dtype(input) not allowed", "input", INTEGERS)
typed(WIDE_REDUCE + ["cumulativeSum"], "dtype(input) not allowed", "input", ["i8", "u8"])
bad(FLOAT_REDUCE + WIDE_REDUCE + ANY_REDUCE, "axes given: duplicates, or an item >= rank(input)",
    dict(axes=[0, 0]), dict(axes=[2]), dict(input="f32[]", axes=[0]))
bad(["cumulativeSum", "softmax"], "axis >= rank(input)", dict(axis=2), dict(input="f32[]", axis=0))
typed("softmax", "dtype(input) not allowed", "input", INTEGERS)

# Normalisations, products, quantisation.
NORMS = ["batchNormalization", "instanceNormalization", "layerNormalization"]
typed("batchNormalization", "dtype(input) not allowed", "input", INTEGERS)
bad("batchNormalization", "axis >= rank(input)", dict(axis=3), dict(input="f32[3]"))
typed("batchNormalization", "dtype(mean) != dtype(input)", "mean", ["f16", "i32"])
bad("batchNormalization", "shape(mean) != [shape(input)[axis]]", dict(mean="f32[4]"), dict(mean="f32[1,3]"))
typed("batchNormalization", "dtype(variance) != dtype(input)", "variance", ["f16", "i32"])
bad("batchNormalization", "shape(variance) != [shape(input)[axis]]", dict(variance="f32[4]"),
    dict(variance="f32[]"))
for norm in NORMS:
    for name in ["scale", "bias"]:
        typed(norm, f"{name} given: dtype({name}) != dtype(input)", name, ["f16", "i32"])
for name in ["scale", "bias"]:
    bad("batchNormalization", f"{name} given: shape({name}) != [shape(input)[axis]]",
        {name: "f32[4]"}, {name: "f32[3,1]"})
    bad("instanceNormalization", f"{name} given: shape({name}) != [C]",
        {name: "f32[4]"}, {name: "f32[1,3]"}, {name: "f32[3]", "layout": "nhwc"})
    bad("layerNormalization", f"{name} given: rank({name}) != len(axes)",
        {name: "f32[3]"}, {name: "f32[4]", "axes": []}, {name: "f32[]", "axes": [2]})
    bad("layerNormalization", f"{name} given: shape({name})[k] != shape(input)[axes[k]]",
        {name: "f32[3,5]"}, {name: "f32[3,4]", "axes": [2, 1]})
typed("instanceNormalization", "dtype(input) not allowed", "input", INTEGERS)
bad("instanceNormalization", "rank(input) != 4", dict(input="f32[1,3,4]"), dict(input="f32[1,3,4,5,6]"))
typed("layerNormalization", "dtype(input) not allowed", "input", INTEGERS)
bad("layerNormalization", "axes given: duplicates, or an item >= rank(input)", dict(axes=[1, 1]), dict(axes=[3]))
bad(["gemm", "matmul"], "dtype(a) not allowed or dtype(b) != dtype(a)",
    *(dict(a=f"{t}[2,3]", b=f"{t}[3,4]") for t in INTEGERS), dict(b="f16[3,4]"))
bad("gemm", "rank(a) != 2 or rank(b) != 2", dict(a="f32[3]"), dict(b="f32[3]"), dict(a="f32[1,2,3]"),
    dict(b="f32[1,3,4]"))
bad("gemm", "inner dims differ after optional transposes", dict(b="f32[2,4]"), dict(a_transpose=True),
    dict(b_transpose=True))
bad("gemm", "c given: not unidirectionally broadcastable to [M,N]", dict(c="f32[2,3]"), dict(c="f32[2]"),
    dict(c="f32[1,2,4]"))
typed("gemm", "c given: dtype(c) != dtype(a)", "c", ["f16", "i32"])
bad("matmul", "rank(a) < 2 or rank(b) < 2", dict(a="f32[3]"), dict(b="f32[3]"), dict(a="f32[]", b="f32[]"))
bad("matmul", "shape(a)[-1] != shape(b)[-2]", b="f32[4,3]")
bad("matmul", "leading dims not bidirectionally broadcastable", a="f32[2,2,3]", b="f32[3,3,4]")
bad("matmul", TOO_LARGE, a="f32[65536,1]", b="f32[1,65536]")
typed("dequantizeLinear", "dtype(input) not allowed", "input", ["f32", "f16", "i64", "u64"])
typed(QUANTIZING, "dtype(scale) not allowed", "scale", INTEGERS)
typed(QUANTIZING, "dtype(zeroPoint) not allowed", "zero_point",
      ["f32", "f16", "i64", "u64"])
typed("dequantizeLinear", "dtype(zeroPoint) != dtype(input)", "zero_point", ["u8", "i32"])
typed("quantizeLinear", "dtype(input) not allowed", "input", INTEGERS)
typed("quantizeLinear", "dtype(scale) != dtype(input)", "scale", ["f16"])
bad(QUANTIZING, "rank(scale) or rank(zeroPoint) != rank(input)",
    dict(scale="f32[2]"), dict(zero_point="i8[2]"), dict(scale="f32[]", zero_point="i8[]"))
bad(QUANTIZING, "shape(scale) != shape(zeroPoint)", zero_point="i8[1,2]")
bad(QUANTIZING, "some dim of scale does not divide the input dim",
    dict(scale="f32[3,1]", zero_point="i8[3,1]"), dict(scale="f32[8,1]", zero_point="i8[8,1]"))

# Convolutions and pools.
CONVS = ["conv2d", "convTranspose2d"]
typed(CONVS, "dtype(input) not allowed", "input", INTEGERS)
bad(CONVS, "rank(input) != 4", dict(input="f32[4,5,5]"), dict(input="f32[1,4,5,5,1]"))
bad(CONVS, "rank(filter) != 4", dict(filter="f32[4,3,3]"), dict(filter="f32[6,4,3,3,1]"))
typed(CONVS, "dtype(filter) != dtype(input)", "filter", ["f16", "i32"])
bad(CONVS, "padding given and length != 4", dict(padding=[]), dict(padding=[1, 1]), dict(padding=[1] * 5))
bad(CONVS, "strides given and length != 2", dict(strides=[]), dict(strides=[1]), dict(strides=[1] * 3))
bad(CONVS, "a stride is 0", dict(strides=[0, 1]), dict(strides=[1, 0]))
bad(CONVS, "dilations given and length != 2", dict(dilations=[]), dict(dilations=[1]), dict(dilations=[1] * 3))
bad(CONVS, "a dilation is 0", dict(dilations=[0, 1]), dict(dilations=[1, 0]))
bad(CONVS, "groups == 0", groups=0)
bad("conv2d", "inputChannels % groups != 0", dict(groups=3), dict(groups=8))
bad("conv2d", "inputChannels / groups != filter input channels", dict(groups=2), dict(input_layout="nhwc"),
    dict(filter_layout="hwio"), dict(filter_layout="ohwi"), dict(filter_layout="ihwo"))
bad("conv2d", "outputChannels % groups != 0", filter="f32[5,2,3,3]", groups=2)
bad("conv2d", "bias given: shape(bias) != [outputChannels]", dict(bias="f32[4]"), dict(bias="f32[6,1]"))
typed(CONVS, "bias given: dtype(bias) != dtype(input)", "bias", ["f16", "i32"])
bad("conv2d", "outputHeight or outputWidth not in 1..2^31-1", dict(input="f32[1,4,2,5]"),
    dict(input="f32[1,4,5,2]", strides=[2, 2]), dict(dilations=[2**32 - 1, 1]),
    dict(padding=[2**32 - 1, 2**32 - 1, 0, 0]), dict(padding=[0, 0, 0, 2**31]))
bad("conv2d", TOO_LARGE, padding=[50000] * 4)
bad("convTranspose2d", "outputPadding given and length != 2", dict(output_padding=[0]),
    dict(output_padding=[0], output_sizes=[5, 5]))
bad("convTranspose2d", "outputSizes given and length != 2", dict(output_sizes=[5]), dict(output_sizes=[]))
bad("convTranspose2d", "outputSizes absent and some outputPadding[i] >= strides[i]", dict(output_padding=[0, 1]),
    dict(output_padding=[2, 0], strides=[2, 1]))
bad("convTranspose2d", "inputChannels != filter input channels", dict(filter="f32[2,4,3,3]"),
    dict(input_layout="nhwc"), dict(filter_layout="hwoi"), dict(filter_layout="ohwi"))
bad("convTranspose2d", "filterOutputChannels * groups not in 1..2^31-1", dict(groups=2**31), dict(groups=2**32 - 1))
bad("convTranspose2d", "bias given: shape(bias) != [outputChannels]", dict(bias="f32[4]"), dict(bias="f32[2,1]"),
    dict(bias="f32[2]", groups=2))
bad("convTranspose2d", "outputSizes given: height outside [calcH, calcH + strideH)", dict(output_sizes=[4, 5]),
    dict(output_sizes=[6, 5]), dict(output_sizes=[9, 7], strides=[2, 2]))
bad("convTranspose2d", "outputSizes given: width outside [calcW, calcW + strideW)", dict(output_sizes=[5, 4]),
    dict(output_sizes=[5, 6]), dict(output_sizes=[7, 9], strides=[2, 2]))
bad("convTranspose2d", "outputHeight or outputWidth not in 1..2^31-1", dict(padding=[3, 2, 0, 0]),
    dict(padding=[0, 0, 2**32 - 1, 2**32 - 1]), dict(strides=[2**32 - 1, 1]), dict(dilations=[1, 2**32 - 1]))
bad("convTranspose2d", "inputChannels % groups not checked: reject when non-zero", groups=3)
bad("convTranspose2d", TOO_LARGE, strides=[50000, 50000])
typed(["averagePool2d", "l2Pool2d"], "dtype(input) not allowed", "input", INTEGERS)
bad(POOLS, "rank(input) != 4", dict(input="f32[2,8,8]"), dict(input="f32[1,2,8,8,1]"))
bad(POOLS, "windowDimensions length != 2", dict(window_dimensions=[3]), dict(window_dimensions=[]))
bad(POOLS, "a window dim is 0", dict(window_dimensions=[0, 3]), dict(window_dimensions=[3, 0]))
bad(POOLS, "padding length != 4 (padding is replaced by zeros first when outputSizes given, so not tested then)",
    dict(padding=[1, 1]), dict(padding=[]))
bad(POOLS, "strides length != 2", dict(strides=[1]), dict(strides=[1, 1, 1]))
bad(POOLS, "a stride is 0", dict(strides=[0, 1]), dict(strides=[1, 0]))
bad(POOLS, "outputSizes given and length != 2", dict(output_sizes=[1]), dict(output_sizes=[1, 1, 1]))
bad(POOLS, "dilations length != 2", dict(dilations=[1]), dict(dilations=[]))
bad(POOLS, "a dilation is 0", dict(dilations=[0, 1]), dict(dilations=[1, 0]))
bad(POOLS, "outputSizes given: neither equal to both floor sizes nor to both ceil sizes",
    *(dict(window_dimensions=[3, 3], strides=[2, 2], output_sizes=s) for s in ([3, 4], [4, 3], [5, 5], [2, 2])))
bad(POOLS, "outputHeight or outputWidth not in 1..2^31-1", dict(window_dimensions=[9, 1]),
    dict(window_dimensions=[1, 10], strides=[2, 2]), dict(padding=[2**32 - 1, 2**32 - 1, 0, 0]))
bad(POOLS, TOO_LARGE, padding=[50000] * 4)

# Recurrent operations: the names of operands, then gates, then the factor of the bound.
WHOLE = {"gru": (["weight", "recurrent_weight"], 3, 6), "lstm": (["weight", "recurrent_weight"], 4, 8)}
CELLS = {
    "gruCell": (["weight", "recurrent_weight", "hidden_state"], 3, 6),
    "lstmCell": (["weight", "recurrent_weight", "hidden_state", "cell_state"], 4, 8),
}
SPEC_NAME = {
    "recurrent_weight": "recurrentWeight", "hidden_state": "hiddenState", "cell_state": "cellState",
    "recurrent_bias": "recurrentBias", "peephole_weight": "peepholeWeight",
    "initial_hidden_state": "initialHiddenState", "initial_cell_state": "initialCellState",
}


def all_of(names, conjunction):
    spec = [SPEC_NAME.get(name, name) for name in ["input"] + names]
    return ", ".join(spec[:-1]) + f" {conjunction} " + spec[-1]


for op, (names, gates, factor) in {**WHOLE, **CELLS}.items():
    rank = 3 if op in WHOLE else 2
    when = f"dtype of {all_of(names, 'or')} not allowed / not dtype(input)"
    bad(op, when, *({k: re.sub(r"^f32", t, v) for k, v in GOOD[op].items() if isinstance(v, str)}
                    for t in INTEGERS))
    for name in names:
        typed(op, when, name, ["f16", "i32"])
    bad(op, f"rank of {all_of(names, 'or')} != {rank}",
        *({name: GOOD[op][name][:-1] + ",1]"} for name in ["input"] + names))
    bad(op, f"hiddenSize * {factor} not in 1..2^31-1", dict(hidden_size=0), dict(hidden_size=2**32 - 1))
    lead, shape = ("[D, ", "[1,") if op in WHOLE else ("[", "[")
    rows = gates * 4
    bad(op, f"shape(weight) != {lead}{gates}H, inputSize]", dict(weight=f"f32{shape}{rows},6]"),
        dict(weight=f"f32{shape}{rows + 1},5]"), dict(hidden_size=5))
    bad(op, f"shape(recurrentWeight) != {lead}{gates}H, H]", dict(recurrent_weight=f"f32{shape}{rows},5]"),
        dict(recurrent_weight=f"f32{shape}{rows + 1},4]"))
    for name, value in OPTIONAL[op].items():
        spec = SPEC_NAME.get(name, name)
        typed(op, f"{spec} given: dtype != dtype(input)", name, ["f16", "i32"])
        wanted = (f"{lead}batch, H]" if name.startswith("initial") else
                  f"{lead}3H]" if name.startswith("peephole") else f"{lead}{gates}H]")
        bad(op, f"{spec} given: shape != {wanted}", {name: re.sub(r"\d+\]", "5]", value)},
            {name: value[:-1] + ",1]"})
    n = 2 if gates == 3 else 3
    bad(op, f"activations given and length != {n}", dict(activations=[]), dict(activations=["tanh"]),
        dict(activations=["tanh"] * (n + 1)))
bad("gruCell", "shape(hiddenState) != [batch, H]", dict(hidden_state="f32[2,4]"), dict(hidden_state="f32[3,5]"))
bad("lstmCell", "shape(hiddenState) != [batch, H]", dict(hidden_state="f32[2,4]"), dict(hidden_state="f32[3,5]"))
bad("lstmCell", "shape(cellState) != [batch, H]", dict(cell_state="f32[2,4]"), dict(cell_state="f32[3,5]"))
bad("gru", "shape(weight) != [D, 3H, inputSize]", direction="both")
bad("lstm", "shape(weight) != [D, 4H, inputSize]", direction="both")
bad(["gru", "lstm"], "shape(input)[0] != steps", dict(steps=1), dict(steps=2**32 - 1))
bad("lstm", "steps == 0", steps=0)
bad("gru", "steps = 0 not tested on its own: falls out since dims are >= 1", steps=0)

# Movement.
bad("concat", "number of inputs not in 1..8192", dict(inputs=[]), dict(inputs=["f32[1,1]"] * 8193))
bad("concat", "axis >= rank(inputs[0])", dict(axis=2), dict(inputs=["f32[]", "f32[]"], axis=0))
bad("concat", "dtype(inputs[k]) != dtype(inputs[0])", inputs=["f32[2,3]", "f32[2,3]", "f16[2,3]"])
bad("concat", "rank(inputs[k]) != rank(inputs[0])", inputs=["f32[2,3]", "f32[2,3,1]"])
bad("concat", "some dim other than axis differs from inputs[0]", inputs=["f32[2,3]", "f32[3,3]"])
bad("concat", "running size along axis leaves 1..2^31-1", inputs=["u8[1,2147483647]", "u8[1,1]"])
bad("concat", TOO_LARGE, dict(inputs=["u8[2,1073741823]", "u8[2,1]"]), dict(inputs=["f32[1,536870912]"] * 2))
bad("expand", "input not unidirectionally broadcastable to newShape", dict(new_shape=[2, 4, 4]), dict(new_shape=[3]),
    dict(new_shape=[]))
bad("expand", "len(newShape) outside the allowed output ranks (implementation limit only)",
    new_shape=[1] * 7 + [3, 1])
bad("expand", "newShape items never tested as dims: a 0 passes where the input dim is 1 or missing, and sizes above "
    "2^31-1 pass; reject both", dict(new_shape=[3, 0]), dict(new_shape=[0, 3, 1]), dict(new_shape=[3, 2**31]))
bad("expand", TOO_LARGE, dict(input="u8[1]", new_shape=[65536, 32768]), dict(input="f32[1]", new_shape=[2**30]))
bad("pad", "len(beginningPadding) or len(endingPadding) != rank(input)", dict(beginning_padding=[1]),
    dict(ending_padding=[0, 2, 0]), dict(beginning_padding=[], ending_padding=[]))
bad("pad", "reflection: beginningPadding[d] >= shape(input)[d]", mode="reflection", beginning_padding=[2, 0])
bad("pad", "reflection: endingPadding[d] >= shape(input)[d]", mode="reflection", ending_padding=[0, 3])
bad("pad", "an output dim not in 1..2^31-1", dict(ending_padding=[2**31 - 2, 0]),
    dict(beginning_padding=[2**32 - 1, 0], ending_padding=[2**32 - 1, 0]))
bad("pad", TOO_LARGE, beginning_padding=[50000, 50000])
bad("reshape", "len(newShape) outside the allowed ranks (implementation limit only)", new_shape=[1] * 7 + [3, 4])
bad("reshape", "an item of newShape not in 1..2^31-1", dict(new_shape=[0, 12]), dict(new_shape=[2**31, 12]))
bad("reshape", "product(newShape) != element count of input", dict(new_shape=[3, 5]), dict(new_shape=[]),
    dict(new_shape=[65536] * 4 + [12]))
bad("reverse", "axes given: duplicates, or an item >= rank(input)", dict(axes=[0, 0]), dict(axes=[2]))
bad("slice", "an item of sizes is 0", dict(sizes=[0, 5]), dict(sizes=[0]))
bad("slice", "len(starts) or len(sizes) != rank(input)", dict(starts=[1]), dict(sizes=[3, 5, 1]))
bad("slice", "strides given and length != rank(input)", dict(strides=[1]), dict(strides=[]))
bad("slice", "a stride < 1", strides=[1, 0])
bad("slice", "starts[d] > shape(input)[d]", starts=[5, 0])
bad("slice", "starts[d] + sizes[d] > shape(input)[d]", dict(starts=[4, 0]), dict(starts=[2, 0]),
    dict(starts=[1, 0], sizes=[2**32 - 1, 5]))
bad("split", "axis >= rank(input)", dict(axis=2), dict(input="f32[]"))
bad("split", "count form: splits not in 1..8192", dict(splits=0), dict(input="f32[8193]", splits=8193))
bad("split", "count form: shape(input)[axis] % splits != 0", dict(splits=3), dict(splits=8))
bad("split", "list form: length not in 1..8192", dict(splits=[]), dict(input="f32[8193]", splits=[1] * 8193))
bad("split", "list form: an item is 0", splits=[4, 0])
bad("split", "list form: sum != shape(input)[axis]", dict(splits=[1, 2]), dict(splits=[2**32 - 1, 5]))
bad("tile", "len(repetitions) != rank(input)", dict(repetitions=[3]), dict(repetitions=[3, 1, 1]))
bad("tile", "a repetition is 0", repetitions=[3, 0])
bad("tile", "output dims not range-checked: reject products above 2^31-1 (WPT expects TypeError)",
    dict(repetitions=[2**30, 1]), dict(repetitions=[2**32 - 1, 1]))
bad("tile", TOO_LARGE, repetitions=[50000, 50000])
bad("transpose", "permutation given and length != rank(input)", dict(permutation=[1, 0]), dict(permutation=[]))
bad("transpose", "an item >= rank(input)", permutation=[0, 1, 3])
bad("transpose", "permutation has duplicates", permutation=[0, 1, 1])
bad("triangular", "rank(input) < 2", dict(input="f32[3]"), dict(input="f32[]"))

# Gathers, scatters, resampling.
INDEXED = ["gather", "gatherElements", "gatherND", "scatterElements", "scatterND"]
typed(INDEXED, "dtype(indices) not allowed", "indices", ["f32", "f16", "u64", "i8", "u8"])
typed(["scatterElements", "scatterND"], "dtype(updates) != dtype(input)", "updates", ["f16", "i32"])
bad(["gather", "gatherElements", "scatterElements"], "axis >= rank(input)", axis=2)
bad("gather", "axis >= rank(input)", input="f32[]", indices="i32[1]")
bad("gather", TOO_LARGE, dict(input="u8[2,65536]", indices="i32[65536]"),
    dict(input="f32[2,32768]", indices="i32[32768]"))
bad("gatherElements", "rank(input) < 1 or rank(indices) != rank(input)", dict(input="f32[]", indices="i32[]"),
    dict(indices="i32[2]"), dict(indices="i32[2,4,1]"))
bad(["gatherElements", "scatterElements"], "shape(indices) != shape(input) on some dim other than axis",
    dict(axis=1), dict(indices="i32[2,3]"))
bad(["gatherND", "scatterND"], "shape(indices)[-1] > rank(input)", indices="i32[5,3]")
bad(["gatherND", "scatterND"], "rank(input) < 1 or rank(indices) < 1", dict(input="f32[]"), dict(indices="i32[]"))
bad("gatherND", TOO_LARGE, input="u8[2,65536]", indices="i32[65536,1]")
bad("scatterElements", "rank(input) < 1, or rank(indices) or rank(updates) != rank(input)",
    dict(input="f32[]", indices="i32[]", updates="f32[]"), dict(indices="i32[2]"), dict(updates="f32[2]"))
bad("scatterElements", "shape(updates) != shape(indices)", updates="f32[3,4]")
bad("scatterND", "shape(updates) != shape(indices)[:-1] + shape(input)[k:]", dict(updates="f32[5,3]"),
    dict(updates="f32[5]"), dict(updates="f32[3,4]"))
typed("resample2d", "dtype(input) not allowed", "input", ["i32", "u32", "i64", "u64"])
bad("resample2d", "rank(input) != 4", dict(input="f32[2,3,4]"), dict(input="f32[1,2,3,4,5]"))
bad("resample2d", "scales given: length != 2 or an item <= 0 (tested even when sizes is given)", dict(scales=[2.0]),
    dict(scales=[2.0, 0.0]), dict(scales=[-1.0, 2.0], sizes=[6, 8]), dict(scales=[1e-60, 2.0]))
bad("resample2d", "sizes given: length != 2 or an item is 0", dict(sizes=[6]), dict(sizes=[6, 0]), dict(sizes=[]))
bad("resample2d", "axes given: duplicates, or an item >= 4", dict(axes=[2, 2]), dict(axes=[2, 4]))
bad("resample2d", "a target size not in 1..2^31-1", dict(scales=[0.3, 1.0]), dict(scales=[1.0, 1e9]),
    dict(sizes=[1, 2**31]))
bad("resample2d", "length of axes not tested: require 2 (WPT does)",
    dict(axes=[2]), dict(axes=[1, 2, 3]), dict(axes=[]))
bad("resample2d", TOO_LARGE, sizes=[50000, 50000])
