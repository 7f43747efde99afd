"""How far the outputs of a whole graph may move when each operator is as inexact as it may be.

A graph that is compiled as a whole fuses and folds: its operands are not rounded one by one. What that may change
depends on the graph, and is measured: NumPy runs it many times, each result with an error inside its operator's
tolerance.
"""

import itertools

import numpy as np

from . import definition as definitions
from .reference.numbers import working_type
from .terms import LARGEST, LEAST
from .tolerance import Allowance, _finite, _largest, allowances, nudged, same_kind, spacing

# These change no value, so an error can't begin here.
EXACT = frozenset(
    "argMax argMin cast clamp concat equal expand gather gatherElements gatherND greater greaterOrEqual identity "
    "isInfinite isNaN lesser lesserOrEqual logicalAnd logicalNot logicalOr logicalXor max maxPool2d min notEqual pad "
    "reduceMax reduceMin relu reshape reverse scatterElements scatterND slice split squeeze tile transpose triangular "
    "where".split()
)
# Of these nobody says which zero they give.
EITHER_ZERO = frozenset("clamp max maxPool2d min reduceMax reduceMin relu".split())
# What is fused behind these may take NaN for a bound, and results below the least normal number for 0.
PRODUCTS = frozenset("averagePool2d conv2d convTranspose2d gemm l2Pool2d matmul".split())
FUSED = frozenset(
    "abs add clamp div elu exp gelu hardSigmoid hardSwish leakyRelu linear log max min mul prelu relu sigmoid softplus "
    "sqrt sub tanh".split()
)
# In this a factor near 0 is what remains of numbers near 1.
_BY_PARTS = "hardSwish"
_NEAR_ONE = 2.0**-22
_FACTOR = 8


def _shaken(result, allowance, random):
    """A result with an error that is allowed, one ULP at least."""
    moved = nudged(result, random)
    amount = np.maximum(allowance.absolute, allowance.ulps * spacing(_finite(result), result.dtype))
    with np.errstate(all="ignore"):
        shifted = (result + amount * random.uniform(-1, 1, result.shape)).astype(result.dtype)
    usable = np.isfinite(result) & np.isfinite(shifted)
    larger = np.absolute(_finite(shifted) - _finite(result)) > np.absolute(_finite(moved) - _finite(result))
    return np.where(usable & larger, shifted, moved)


def _upset(result, doubt, random):
    """Anything at all where that is what an operator may give."""
    if not np.any(doubt):
        return result
    anything = random.choice(np.array([np.nan, np.inf, -np.inf, 0.0], result.dtype), result.shape)
    return np.where(doubt & (random.random(result.shape) < 0.75), anything, result)


def _noisy_run(definition, values, limits, working, random):
    values = dict(values)
    for step in definition["operators"]:
        with working_type(working):
            results = definitions.run_operator(step, values)
        for name, result in zip(step["outputs"], results):
            if step["op"] in EITHER_ZERO:
                result = np.where((result == 0) & (random.random(result.shape) < 0.5), np.negative(result), result)
            if step["op"] not in EXACT and result.dtype.kind == "f":
                result = _upset(_shaken(result, limits[name], random), limits[name].doubt, random)
            values[name] = result
    return values


def _unrounded_run(definition, values):
    """All floats in float64 from end to end, where sums and squares don't overflow: a group that is compiled as one
    may be as good. None when that makes no difference but in rounding."""
    start = {name: values[name] for name in definition["inputs"]}
    wide = {name: value.astype(np.float64) if value.dtype.kind == "f" else value for name, value in start.items()}
    differs = False
    for step in definition["operators"]:
        for name, result in zip(step["outputs"], definitions.run_operator(step, wide)):
            wide[name] = result
            differs = differs or not np.all(same_kind(result, values[name]))
    return wide if differs else None


def _operator_limits(definition, values, level):
    """{operand: Allowance} of all results, what is fused behind a product included."""
    limits, products = {}, set()
    for step in definition["operators"]:
        found = allowances(step, values, [values[name] for name in step["outputs"]], level)
        limits.update(zip(step["outputs"], found))
        fused = step["op"] in FUSED and not products.isdisjoint(definitions.operands_of(step))
        if fused:
            (limit,), (name,) = found, step["outputs"]
            if values[name].dtype.kind == "f":
                limit.absolute = np.maximum(limit.absolute, _NEAR_ONE if step["op"] == _BY_PARTS else LEAST)
                limit.doubt = limit.doubt | np.isnan(values[name])
        if fused or step["op"] in PRODUCTS:
            products.update(step["outputs"])
        if step["op"] in PRODUCTS and _largest(step, values) > LARGEST * 2.0**-16:
            # A factor that is absorbed into such weights makes them infinite.
            for limit in found:
                limit.doubt = True
    return limits


def output_allowances(definition, values, names, level="strict", runs=8):
    """{name: Allowance} for outputs of a graph; `values` has the exact ones of all operands."""
    limits = _operator_limits(definition, values, level)
    moved = {name: np.zeros(values[name].shape) for name in names}
    doubt = {name: np.broadcast_to(limits[name].doubt, values[name].shape).copy() for name in names}
    random = np.random.default_rng(runs)
    start = {name: values[name] for name in definition["inputs"]}
    working = itertools.cycle((np.float64, np.float32))
    others = (_noisy_run(definition, start, limits, next(working), random) for _ in range(runs))
    for noisy in itertools.chain(others, filter(None, [_unrounded_run(definition, values)])):
        for name in names:
            with np.errstate(all="ignore"):
                difference = np.absolute(noisy[name].astype(np.float64) - values[name].astype(np.float64))
            finite = np.isfinite(difference)
            moved[name] = np.maximum(moved[name], np.where(finite, difference, 0))
            doubt[name] |= ~same_kind(noisy[name], values[name])
    return {name: _whole(values[name], limits[name], moved[name], doubt[name]) for name in names}


def _whole(result, own, moved, doubt):
    if result.dtype.kind != "f":
        # A decision that an error tips: where it may fall is not known.
        return Allowance(own.ulps, own.absolute, doubt | (moved > 0))
    return Allowance(own.ulps, np.maximum(own.absolute, _FACTOR * moved), doubt)
