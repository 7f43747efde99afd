"""Models of one node, by family: what test_onnx.py imports, runs and compares.

A row is (name, op type, inputs, options). An input is an array, K(array) for an initializer, or None. Options:
`opset` (13), `domain`, `outputs` (1), `tolerance`, `peer` ("ort" or "reference"); all else are attributes.
"""

import numpy as np


class K:
    """A constant input."""

    def __init__(self, value, dtype=None):
        self.array = np.array(value, dtype)


rng = np.random.default_rng(7)


def f(*shape, low=-2.0, high=2.0):
    return rng.uniform(low, high, shape).astype(np.float32)


def ints(*values):
    return K(values, np.int64)


def whole(*shape, low=-9, high=9, dtype=np.int64):
    return rng.integers(low, high, shape).astype(dtype)


def truth(*shape):
    return rng.integers(0, 2, shape).astype(bool)


SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, 1e-30], np.float32)
# Magnitudes of each type from end to end, special ones, whole multiples of others and what is next to them.
far = np.random.default_rng(8)
FAR = np.concatenate([
    far.choice([-1, 1], 300) * np.exp2(far.uniform(-149, 128, 300)),
    far.choice([-1, 1], 300) * np.exp2(far.uniform(-24, 15, 300)),
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4028235e38, 0.3, 0.1, 65504, 2**-24, -3, 2**24 + 2, 0.7, 2**23 - 0.5],
]).astype(np.float32)
NEAR = np.array([-7.5, -2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 3.49], np.float32)

ELEMENTWISE = [
    *((op, op, [f(2, 3)], {}) for op in ("Abs", "Ceil", "Floor", "Exp", "Sin", "Cos", "Tan", "Erf", "Neg",
                                         "Reciprocal", "Sign", "Atan", "Sinh", "Cosh", "Asinh")),
    *((op, op, [f(2, 3, low=0.1)], {}) for op in ("Log", "Sqrt")),
    *((op, op, [f(9, low=-1, high=1)], {}) for op in ("Asin", "Acos", "Atanh")),
    ("Acosh", "Acosh", [f(9, low=1, high=50)], {}),
    ("Atan far", "Atan", [np.array([-1e9, -3, -0.5, -1e-20, 0, 1e-3, 0.4, 0.5, 2, 3, 1e30, np.inf], np.float32)],
     {}),
    ("Asin edges", "Asin", [np.array([-1, 1, 0, 1e-4], np.float32)], {}),
    ("Acos edges", "Acos", [np.array([-1, 1, 0, 0.99999], np.float32)], {}),
    ("Sinh small", "Sinh", [np.array([-1e-4, 1e-6, 3e-3, 0], np.float32)], {}),
    ("Asinh small", "Asinh", [np.array([-1e-4, 1e-6, 9.9e-3, 1.1e-2, 0, 1e5, -1e5], np.float32)], {}),
    ("Round", "Round", [NEAR], {}),
    ("Abs uint8", "Abs", [whole(5, low=0, high=255, dtype=np.uint8)], {}),
    ("Sign uint8", "Sign", [np.array([0, 1, 200], np.uint8)], {}),
    ("Neg int64", "Neg", [whole(5)], {}),
    *((op, op, [f(2, 3, 4), f(3, 1)], {}) for op in ("Add", "Sub", "Mul", "Div", "Less", "Greater", "Equal",
                                                     "LessOrEqual", "GreaterOrEqual", "Max", "Min")),
    ("Add constant", "Add", [f(2, 3), K(f(3))], {}),
    ("Div int32", "Div", [np.array([7, -7, 7, -7], np.int32), np.array([2, 2, -2, -2], np.int32)], {}),
    ("Mul int64", "Mul", [whole(4), whole(4)], {}),
    ("Equal int64", "Equal", [whole(9, low=0, high=3), whole(9, low=0, high=3)], {}),
    ("Equal bool", "Equal", [truth(9), truth(9)], {}),
    *((op, op, [truth(3, 4), truth(4)], {}) for op in ("And", "Or", "Xor")),
    ("Not", "Not", [truth(6)], {}),
    ("Max of three", "Max", [f(3), f(2, 3), f(1)], {}),
    ("Min of one", "Min", [f(3)], {}),
    ("Sum of three", "Sum", [f(3), f(2, 3), f(2, 1)], {}),
    ("Mean of three", "Mean", [f(3), f(3), f(3)], {}),
    ("Pow", "Pow", [f(5, low=0.1), f(5)], {}),
    ("Pow constant", "Pow", [f(5), K(2.0, np.float32)], {}),
    ("Pow float by int", "Pow", [f(5), K(3, np.int64)], {}),
    ("Pow int by float", "Pow", [whole(5, low=1, high=9, dtype=np.int32), f(1, low=2, high=2)], {}),
    ("Pow int", "Pow", [whole(5, low=1, high=9), K(3, np.int64)], {}),
    ("Pow of int, exact", "Pow", [np.array([5, 3, 7, -3, 4, 5], np.int32),
                                  np.array([3, 15, 9, 3, 0.5, -1], np.float32)], {"tolerance": 0}),
    ("Pow of int64, exact", "Pow", [np.array([3, 5, -7], np.int64), K([33, 22, 17], np.float32)], {"tolerance": 0}),
    ("Mod", "Mod", [whole(9), np.array([3, -3, 4, -4, 5, 2, -2, 7, 1])], {}),
    ("Mod fmod int", "Mod", [whole(9), np.array([3, -3, 4, -4, 5, 2, -2, 7, 1])], {"fmod": 1}),
    ("Mod fmod", "Mod", [f(9), f(9, low=0.5)], {"fmod": 1}),
    *((f"Mod fmod {x.dtype}, {how}", "Mod", [x, b], {"fmod": 1, "tolerance": 0})
      for x in (FAR, FAR[300:-15].astype(np.float16))
      for how, b in (("of inputs", x[::-1].copy()), ("by one", K(1, x.dtype)), ("by a tenth", K(0.1, x.dtype)),
                     ("by constants", K(x[::-1])))),
    ("Mod fmod of constants", "Mod", [K(FAR), FAR[::-1].copy()], {"fmod": 1, "tolerance": 0}),
    ("Mod fmod, at the end", "Mod", [np.array([3.3775153e38, -3.4028235e38], np.float32),
                                     np.array([0.345188, 0.3], np.float32)], {"fmod": 1, "tolerance": 0}),
    ("Mod fmod, small quotients", "Mod", [far.uniform(-9, 9, 500).astype(np.float32),
                                          far.uniform(0.01, 1, 500).astype(np.float32)],
     {"fmod": 1, "tolerance": 0}),
    ("Mod uint8", "Mod", [whole(9, low=0, high=200, dtype=np.uint8), K(7, np.uint8)], {}),
    ("Mod by infinity", "Mod", [np.array([-1, 1, 0, 2.5], np.float32), np.array([np.inf] * 4, np.float32)],
     {"fmod": 1}),
    ("BitShift left", "BitShift", [np.array([1, 3, 255], np.uint8), np.array([2, 7, 1], np.uint8)],
     {"direction": "LEFT"}),
    ("BitShift right", "BitShift", [np.array([16, 3, 2 ** 40], np.uint64), np.array([2, 1, 39], np.uint64)],
     {"direction": "RIGHT"}),
    *((f"BitShift {direction.lower()} {kind}", "BitShift",
       [np.array([-128, -1, -5, 100, 7, -77, 3, -3], kind), np.array([1, 7, 0, 2, 31, 70, -1, -2], kind)],
       {"direction": direction, "opset": 28, "peer": "reference"})
      for direction in ("LEFT", "RIGHT") for kind in ("int32", "int64")),
    ("Clip", "Clip", [f(9), K(-1.0, np.float32), K(0.5, np.float32)], {}),
    ("Clip low", "Clip", [f(9), K(-1.0, np.float32)], {}),
    ("Clip high", "Clip", [f(9), None, K(0.5, np.float32)], {}),
    ("Clip none", "Clip", [f(9)], {}),
    ("Clip of operands", "Clip", [f(9), np.float32(-1), np.float32(0.5)], {}),
    ("Clip crossed", "Clip", [f(9), K(1.0, np.float32), K(-1.0, np.float32)], {}),
    ("Clip 6", "Clip", [f(9)], {"opset": 10, "min": -0.5, "max": 1.0}),
    ("Clip int", "Clip", [whole(9), K(-2, np.int64), K(3, np.int64)], {}),
    ("Where", "Where", [truth(3, 1), f(3, 4), f(4)], {}),
    ("IsNaN", "IsNaN", [SPECIAL], {}),
    ("IsInf", "IsInf", [SPECIAL], {}),
    ("IsInf negative", "IsInf", [SPECIAL], {"detect_positive": 0}),
    ("IsInf positive", "IsInf", [SPECIAL], {"detect_negative": 0}),
    ("Cast to int", "Cast", [NEAR], {"to": 7}),
    ("Cast to bool", "Cast", [NEAR], {"to": 9}),
    ("Cast from bool", "Cast", [truth(5)], {"to": 1}),
    ("Cast to half", "Cast", [f(9)], {"to": 10}),
    ("Cast int to uint8", "Cast", [whole(9, low=0, high=255)], {"to": 2}),
    ("CastLike", "CastLike", [NEAR, whole(2)], {"opset": 15}),
    ("CastLike bool", "CastLike", [NEAR, truth(2)], {"opset": 15}),
]

ACTIVATIONS = [
    *((op, op, [f(2, 9, low=-6, high=6)], {"opset": 20}) for op in (
        "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "HardSwish", "LeakyRelu", "Elu", "Celu", "Selu",
        "HardSigmoid", "ThresholdedRelu", "Shrink", "Mish", "Gelu")),
    ("Relu int", "Relu", [whole(9, dtype=np.int32)], {"opset": 14}),
    ("LeakyRelu alpha", "LeakyRelu", [f(9)], {"alpha": 0.3}),
    ("Elu alpha", "Elu", [f(9)], {"alpha": 0.3}),
    ("Celu alpha", "Celu", [f(9)], {"alpha": 2.5}),
    ("Selu alpha", "Selu", [f(9)], {"alpha": 2.0, "gamma": 3.0}),
    ("HardSigmoid alpha", "HardSigmoid", [f(9)], {"alpha": 0.6, "beta": 0.4}),
    ("ThresholdedRelu alpha", "ThresholdedRelu", [f(9)], {"alpha": 0.4}),
    ("Shrink both", "Shrink", [f(9)], {"lambd": 0.7, "bias": 0.3}),
    ("Gelu tanh", "Gelu", [f(9)], {"opset": 20, "approximate": "tanh"}),
    ("Swish", "Swish", [f(9)], {"opset": 24, "alpha": 1.3, "peer": "reference"}),
    ("SwiGLU", "SwiGLU", [f(2, 5), f(2, 5)], {"opset": 28, "alpha": 0.7, "peer": "reference"}),
    ("PRelu", "PRelu", [f(2, 3, 4), K(f(3, 1))], {}),
    ("PRelu one", "PRelu", [f(2, 3, 4), K(f(1))], {}),
    ("PRelu operand", "PRelu", [f(2, 3), f(3)], {}),
    ("BiasGelu", "BiasGelu", [f(2, 6), K(f(6))], {"domain": "com.microsoft"}),
    ("Gelu contrib", "Gelu", [f(2, 6)], {"domain": "com.microsoft"}),
    ("FastGelu", "FastGelu", [f(2, 6), K(f(6))], {"domain": "com.microsoft", "tolerance": 1e-5}),
    ("QuickGelu", "QuickGelu", [f(2, 6)], {"domain": "com.microsoft"}),
]

CONV = [
    ("Conv", "Conv", [f(2, 3, 9, 8), K(f(4, 3, 3, 3)), K(f(4))], {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    ("Conv without bias", "Conv", [f(1, 3, 9, 8), K(f(4, 3, 3, 2))], {"dilations": [2, 3]}),
    ("Conv groups", "Conv", [f(1, 6, 7, 7), K(f(8, 3, 3, 3)), K(f(8))], {"group": 2}),
    ("Conv depthwise", "Conv", [f(1, 6, 7, 7), K(f(6, 1, 3, 3))], {"group": 6, "pads": [1, 1, 1, 1]}),
    ("Conv operand filter", "Conv", [f(1, 3, 5, 5), f(4, 3, 3, 3), f(4)], {}),
    ("Conv 1-D", "Conv", [f(2, 3, 20), K(f(4, 3, 5)), K(f(4))],
     {"pads": [2, 1], "strides": [3], "dilations": [2]}),
    ("Conv 1-D operand filter", "Conv", [f(2, 3, 20), f(4, 3, 5)], {}),
    ("Conv 3-D", "Conv", [f(2, 2, 6, 7, 5), K(f(4, 2, 3, 2, 3)), K(f(4))],
     {"pads": [1, 0, 1, 1, 1, 0], "strides": [2, 1, 2]}),
    ("Conv 3-D operand filter", "Conv", [f(1, 4, 5, 6, 5), f(4, 2, 2, 2, 3)],
     {"group": 2, "dilations": [2, 1, 1]}),
    *((f"Conv {pad}", "Conv", [f(1, 2, 8, 9), K(f(3, 2, 3, 4))], {"auto_pad": pad, "strides": [2, 3]})
      for pad in ("SAME_UPPER", "SAME_LOWER", "VALID")),
    ("ConvTranspose", "ConvTranspose", [f(2, 3, 5, 4), K(f(3, 4, 3, 3)), K(f(4))],
     {"pads": [1, 0, 0, 1], "strides": [2, 3], "output_padding": [1, 2]}),
    ("ConvTranspose groups", "ConvTranspose", [f(1, 4, 5, 4), K(f(4, 3, 2, 3))],
     {"group": 2, "strides": [2, 2], "dilations": [2, 1]}),
    ("ConvTranspose 1-D", "ConvTranspose", [f(2, 3, 9), K(f(3, 2, 4)), K(f(2))], {"strides": [3], "pads": [1, 2]}),
    ("ConvTranspose shape", "ConvTranspose", [f(1, 3, 5, 5), K(f(3, 2, 3, 3))],
     {"strides": [2, 2], "output_shape": [10, 9]}),
    ("ConvTranspose upper", "ConvTranspose", [f(1, 3, 5, 5), K(f(3, 2, 4, 3))],
     {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ("ConvTranspose lower", "ConvTranspose", [f(1, 3, 5, 5), K(f(3, 2, 4, 3))],
     {"strides": [2, 2], "auto_pad": "SAME_LOWER"}),
    ("FusedConv", "FusedConv", [f(1, 3, 6, 6), K(f(4, 3, 3, 3)), K(f(4))],
     {"domain": "com.microsoft", "activation": "Relu"}),
    ("FusedConv sum", "FusedConv", [f(1, 3, 6, 6), K(f(4, 3, 3, 3)), K(f(4)), f(1, 4, 4, 4)],
     {"domain": "com.microsoft", "activation": "Relu"}),
    ("FusedConv clip", "FusedConv", [f(1, 3, 6, 6), K(f(4, 3, 3, 3)), K(f(4))],
     {"domain": "com.microsoft", "activation": "Clip", "activation_params": [-1.0, 2.0]}),
]

POOL = [
    *((f"{op} {name}", op, [f(2, 3, 11, 12)], {"kernel_shape": [3, 2], **options})
      for op in ("MaxPool", "AveragePool") for name, options in (
          ("plain", {}),
          ("strides", {"strides": [2, 3]}),
          ("pads", {"pads": [1, 0, 1, 1], "strides": [2, 2]}),
          ("ceil", {"strides": [3, 3], "ceil_mode": 1}),
          ("ceil with pads", {"strides": [3, 2], "pads": [1, 1, 1, 0], "ceil_mode": 1}),
          ("upper", {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
          ("lower", {"strides": [2, 2], "auto_pad": "SAME_LOWER"}))),
    ("MaxPool dilations", "MaxPool", [f(1, 2, 9, 9)], {"kernel_shape": [2, 3], "dilations": [3, 2]}),
    ("MaxPool window in padding", "MaxPool", [f(1, 1, 4, 4)],
     {"kernel_shape": [2, 2], "strides": [4, 4], "pads": [1, 1, 1, 1], "ceil_mode": 1, "opset": 22}),
    ("MaxPool uint8", "MaxPool", [whole(1, 2, 6, 6, low=0, high=255, dtype=np.uint8)], {"kernel_shape": [2, 2]}),
    ("AveragePool counting", "AveragePool", [f(1, 2, 7, 7)],
     {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2], "count_include_pad": 1}),
    ("AveragePool counting ceil", "AveragePool", [f(1, 2, 8, 8)],
     {"kernel_shape": [3, 3], "pads": [1, 0, 0, 1], "strides": [2, 2], "count_include_pad": 1, "ceil_mode": 1,
      "opset": 19}),
    ("AveragePool 1-D", "AveragePool", [f(2, 3, 10)], {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
    ("MaxPool 1-D", "MaxPool", [f(2, 3, 10)], {"kernel_shape": [3], "strides": [2], "dilations": [2]}),
    ("MaxPool 3-D", "MaxPool", [f(1, 2, 5, 6, 7)],
     {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2], "pads": [0, 1, 0, 1, 1, 0]}),
    ("AveragePool 3-D", "AveragePool", [f(1, 2, 5, 6, 7)], {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2]}),
    ("LpPool", "LpPool", [f(1, 2, 6, 7)], {"kernel_shape": [2, 3], "strides": [2, 1]}),
    ("LpPool 1", "LpPool", [f(1, 2, 6, 7)], {"kernel_shape": [2, 3], "pads": [1, 1, 0, 1], "p": 1}),
    ("LpPool 3", "LpPool", [f(1, 2, 6, 7)], {"kernel_shape": [2, 3], "p": 3}),
    ("AveragePool last window in padding", "AveragePool", [f(1, 3, 2, 2)],
     {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [3, 3], "ceil_mode": 1, "count_include_pad": 1,
      "opset": 22, "peer": "reference"}),
    *((op, op, [f(2, 3, 4, 5)], {}) for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")),
    ("GlobalAveragePool 1-D", "GlobalAveragePool", [f(2, 3, 9)], {}),
    ("GlobalMaxPool 3-D", "GlobalMaxPool", [f(2, 3, 4, 2, 3)], {}),
    ("GlobalLpPool 1", "GlobalLpPool", [f(2, 3, 4, 2)], {"p": 1}),
]

MATMUL = [
    ("MatMul", "MatMul", [f(3, 4), f(4, 5)], {}),
    ("MatMul batched", "MatMul", [f(2, 1, 3, 4), K(f(6, 4, 5))], {}),
    ("MatMul row", "MatMul", [f(4), f(2, 4, 5)], {}),
    ("MatMul column", "MatMul", [f(2, 3, 4), f(4)], {}),
    ("MatMul dot", "MatMul", [f(4), f(4)], {}),
    ("MatMul int32", "MatMul", [whole(2, 3, 4, dtype=np.int32), whole(4, 5, dtype=np.int32)], {}),
    ("Gemm", "Gemm", [f(3, 4), K(f(4, 5)), K(f(5))], {"alpha": 0.5, "beta": 2.0}),
    ("Gemm transposed", "Gemm", [f(4, 3), K(f(5, 4)), K(f(3, 1))], {"transA": 1, "transB": 1}),
    *((f"FusedGemm {kind}", "FusedGemm", [f(3, 4), K(f(4, 5)), K(f(5))],
       {"domain": "com.microsoft", "activation": kind, "transB": 0, **more})
      for kind, more in (("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.3}))),
    ("Gemm without c", "Gemm", [f(3, 4), f(4, 5)], {}),
    ("Gemm scalar c", "Gemm", [f(3, 4), f(4, 5), np.float32(3)], {}),
    ("FusedMatMul", "FusedMatMul", [f(2, 4, 3), f(2, 5, 4)],
     {"domain": "com.microsoft", "transA": 1, "transB": 1, "alpha": 0.25}),
    *((f"Einsum {equation}", "Einsum", operands, {"equation": equation}) for equation, operands in (
        ("ij,jk->ik", [f(2, 3), f(3, 4)]),
        ("bij,bjk->bik", [f(2, 2, 3), f(2, 3, 4)]),
        ("bhid,bhjd->bhij", [f(2, 3, 4, 5), f(2, 3, 6, 5)]),
        ("...ij,...jk->...ik", [f(2, 3, 4, 5), f(2, 3, 5, 2)]),
        ("i...,ij->j...", [f(2, 3, 4), f(2, 5)]),
        ("ij->ji", [f(2, 3)]),
        ("ij->i", [f(2, 3)]),
        ("ij->", [f(2, 3)]),
        ("i,j->ij", [f(2), f(3)]),
        ("ij,ij->i", [f(2, 3), f(2, 3)]),
        ("bij,jk", [f(2, 3, 4), f(4, 5)]),
        ("ab,bc,cd->ad", [f(2, 3), f(3, 4), f(4, 5)]),
        ("bnth,bfnt->bfnh", [f(2, 3, 4, 5), f(2, 6, 3, 4)]),
        ("i,i->", [f(4), f(4)]))),
]

NORM = [
    ("BatchNormalization", "BatchNormalization", [f(2, 3, 4, 5), K(f(3)), K(f(3)), K(f(3)), K(f(3, low=0.1))],
     {"opset": 15, "epsilon": 1e-3}),
    ("BatchNormalization 2-D", "BatchNormalization", [f(2, 3), K(f(3)), K(f(3)), K(f(3)), K(f(3, low=0.1))],
     {"opset": 9, "momentum": 0.5}),
    ("InstanceNormalization", "InstanceNormalization", [f(2, 3, 4, 5), K(f(3)), K(f(3))], {"epsilon": 1e-2}),
    ("InstanceNormalization 1-D", "InstanceNormalization", [f(2, 3, 9), K(f(3)), K(f(3))], {}),
    ("LayerNormalization", "LayerNormalization", [f(2, 3, 8), K(f(8)), K(f(8))], {"opset": 17}),
    ("LayerNormalization axis", "LayerNormalization", [f(2, 3, 8), K(f(3, 8))],
     {"opset": 17, "axis": 1, "epsilon": 0.1}),
    ("LayerNormalization broadcast", "LayerNormalization", [f(2, 3, 8), K(f(8)), K(f(3, 1))],
     {"opset": 17, "axis": 1, "peer": "reference"}),
    ("LayerNormalization statistics", "LayerNormalization", [f(2, 3, 8), K(f(8)), K(f(8))],
     {"opset": 17, "outputs": 3}),
    ("GroupNormalization 18", "GroupNormalization", [f(2, 6, 4, 3), K(f(3)), K(f(3))],
     {"opset": 18, "num_groups": 3, "peer": "reference"}),
    ("GroupNormalization", "GroupNormalization", [f(2, 6, 4, 3), K(f(6)), K(f(6))], {"opset": 21, "num_groups": 3}),
    ("RMSNormalization", "RMSNormalization", [f(2, 3, 8), K(f(8))], {"opset": 23, "peer": "reference"}),
    ("SimplifiedLayerNormalization", "SimplifiedLayerNormalization", [f(2, 3, 8), K(f(8))], {}),
    ("SkipLayerNormalization", "SkipLayerNormalization", [f(2, 3, 8), f(2, 3, 8), K(f(8)), K(f(8)), K(f(8))],
     {"domain": "com.microsoft", "epsilon": 1e-5}),
    ("SkipSimplified", "SkipSimplifiedLayerNormalization", [f(2, 3, 8), f(2, 3, 8), K(f(8))],
     {"domain": "com.microsoft", "epsilon": 1e-5, "outputs": (0, 3)}),
    ("MeanVarianceNormalization", "MeanVarianceNormalization", [f(2, 3, 4, 5)], {}),
    ("LpNormalization", "LpNormalization", [f(2, 3, 4)], {"axis": 1}),
    ("LpNormalization 1", "LpNormalization", [np.array([[0, 0, 0], [1, -2, 3]], np.float32)], {"p": 1}),
    ("LRN", "LRN", [f(2, 5, 3, 4)], {"size": 3, "alpha": 0.1, "beta": 0.6, "bias": 2.0}),
    ("LRN even", "LRN", [f(5, 5, 3, 4)], {"size": 4, "peer": "reference"}),
    *((op, op, [f(2, 3, 4)], {}) for op in ("Softmax", "LogSoftmax", "Hardmax")),
    *((f"{op} axis", op, [f(2, 3, 4)], {"axis": 1}) for op in ("Softmax", "LogSoftmax", "Hardmax")),
    *((f"{op} 11", op, [f(2, 3, 4)], {"opset": 11}) for op in ("Softmax", "LogSoftmax", "Hardmax")),
    ("Softmax 11 last", "Softmax", [f(2, 3, 4)], {"opset": 11, "axis": 2}),
    ("LogSoftmax far", "LogSoftmax", [np.array([[0, 200, -200]], np.float32)], {}),
    ("LogSoftmax large", "LogSoftmax", [np.array([[10000, 10001, 10003]], np.float32)], {}),
]
