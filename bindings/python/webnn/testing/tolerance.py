"""How far a result may be from the exact one, as the table tolerances.json says, and whether it is."""

import dataclasses
import functools
import importlib.resources
import json

import numpy as np

from . import definition
from .reference import OPERATIONS
from .reference.numbers import tipped, working_type
from .terms import LARGEST, LEAST, terms

LEVELS = ("conformance", "strict")
_EXACT = {"metric": "ULP", "value": 0}
_NUDGES = 6
_TIP = 2.0**-20


@functools.cache
def table(level):
    """{operation: {"float32": rule, …}} in the specification's names."""
    text = importlib.resources.files(__package__).joinpath("tolerances.json").read_text(encoding="utf-8")
    return {op: row for row in json.loads(text)[level] for op in row["ops"]}


def rule(op, data_type, level="strict"):
    """The table's row for an operation and a result's type."""
    row = table(level)[op]
    if data_type in row:
        return row[data_type]
    return row.get("float" if data_type.startswith("float") else "integer", _EXACT)


# Distances


def places(values):
    """Floats as their position among all of their type; +0 and −0 are one. inf follows the largest."""
    size = values.dtype.itemsize
    signed = values.view(f"i{size}").astype(np.int64)
    return np.where(signed < 0, np.int64(np.iinfo(f"i{size}").min) - signed, signed)


def ulps(actual, expected):
    """Representable values between two, as float64; NaN is 0 from NaN and infinitely far from all else."""
    actual, expected = np.array(actual), np.array(expected)
    if expected.dtype.kind != "f":
        larger, smaller = np.maximum(actual, expected), np.minimum(actual, expected)
        return (larger.astype(np.uint64) - smaller.astype(np.uint64)).astype(np.float64)
    apart = np.absolute(places(actual) - places(expected)).astype(np.float64)
    lost = np.isnan(actual) | np.isnan(expected)
    return np.where(lost, np.where(np.isnan(actual) & np.isnan(expected), 0, np.inf), apart)


def _finite(values):
    """Floats in float64, an infinity as the number that is the first one too large."""
    wide = values.astype(np.float64)
    if values.dtype.kind == "f":
        beyond = 2.0 ** np.finfo(values.dtype).maxexp
        wide = np.where(np.isinf(wide), np.copysign(beyond, wide), wide)
    return wide


def spacing(values, data_type):
    """The size of one ULP at a magnitude."""
    info = np.finfo(data_type)
    return np.maximum(np.absolute(values) * float(info.eps), float(info.smallest_subnormal))


# Allowances


@dataclasses.dataclass
class Allowance:
    """What is allowed to each element: ULPs or an absolute difference, whichever is more. Where `doubt`, the
    exact result is beyond what float32 can say and anything is allowed. `count` is that of a sum's terms."""

    ulps: float
    absolute: np.ndarray | float = 0.0
    doubt: np.ndarray | bool = False
    count: int = 0

    def excess(self, actual, expected):
        """Distances in ULP, NaN where the element is good."""
        apart = ulps(actual, expected)
        good = (apart <= self.ulps) | self.doubt
        with np.errstate(all="ignore"):
            difference = np.absolute(_finite(actual) - _finite(expected))
            good |= difference <= self.absolute
        return np.where(good, np.nan, apart)


def nudged(values, random):
    """Each float moved to a neighbour, up or down; what isn't finite stays."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return values
    towards = np.where(random.random(values.shape) < 0.5, -np.inf, np.inf).astype(values.dtype)
    with np.errstate(all="ignore"):
        moved = np.nextafter(values, towards)
    return np.where(np.isfinite(values) & np.isfinite(moved), moved, values)


def _evaluations(step, values, metric):
    """The outputs where ties fall the other way; or those in float32, then those of nudged operands in both."""
    if metric == "TIES":
        for share in (_TIP, -_TIP):
            with tipped(share):
                results = definition.run_operator(step, values)
            yield results
        return
    with working_type(np.float32):
        results = definition.run_operator(step, values)
    yield results
    random = np.random.default_rng(0)
    used = dict.fromkeys(definition.operands_of(step))
    for k in range(_NUDGES):
        with working_type((np.float64, np.float32)[k % 2]):
            results = definition.run_operator(step, {name: nudged(values[name], random) for name in used})
        yield results


def same_kind(a, b):
    """Both finite, both NaN, or the same infinity."""
    finite = np.isfinite(a), np.isfinite(b)
    return np.where(finite[0] | finite[1], finite[0] & finite[1], (a == b) | (np.isnan(a) & np.isnan(b)))


def _factor_overflows(step, values):
    """Where batchNormalization's factor, which may be computed first, is too large or too small for float32."""
    (x, _, variance), options = definition.call(step, values)
    options = {**options, "bias": None}
    options.pop("label", None)
    one, zero = np.ones(x.shape), np.zeros(variance.shape)
    factor = np.absolute(OPERATIONS["batch_normalization"](one, zero, variance, **options))
    return ((factor > 0) & (factor < LEAST)) | (np.isfinite(factor) & (factor > LARGEST))


def _on_the_way(step, values, like):
    """Where a normalisation may meet numbers beyond float32 that the result does not show."""
    if step["op"] == "batchNormalization":
        return _factor_overflows(step, values)
    if step["op"] in ("instanceNormalization", "layerNormalization"):
        x = values[step["args"]["input"]["operand"]].astype(np.float64)
        squares = np.sum(x * x, where=np.isfinite(x))
        return np.full(like.shape, squares > LARGEST)
    return np.zeros(like.shape, bool)


def _spread(step, values, expected, metric):
    """By output: how far it moves, and where it becomes another infinity, NaN, or neither."""
    moved = [np.zeros(result.shape) for result in expected]
    doubt = [_on_the_way(step, values, result) for result in expected]
    for outputs in _evaluations(step, values, metric):
        for k, (result, other) in enumerate(zip(expected, outputs)):
            with np.errstate(all="ignore"):
                difference = np.absolute(other.astype(np.float64) - result.astype(np.float64))
            finite = np.isfinite(difference)
            moved[k] = np.maximum(moved[k], np.where(finite, difference, 0))
            doubt[k] |= ~same_kind(other, result)
    return list(zip(moved, doubt))


def _by_terms(step, values, expected, found):
    args, options = definition.call(step, values)
    options.pop("label", None)
    count, size, peak = terms(definition.snake(step["op"]), args, options)
    inside = found.get("inside", expected.dtype.name)
    unit = spacing(size, inside) * (found["value"] + found["perTerm"] * count)
    unit = unit + count * float(np.finfo(inside).smallest_subnormal)
    if inside != expected.dtype.name:
        unit = unit + spacing(_finite(expected), expected.dtype)
    return Allowance(1, unit, ~(peak <= LARGEST), count)


def _largest(step, values):
    """The largest finite magnitude among a call's operands, at least 1."""
    sizes = [np.absolute(values[name]) for name in definition.operands_of(step)]
    return max([1.0, *(float(np.max(size, where=np.isfinite(size), initial=0)) for size in sizes)])


def allowances(step, values, expected, level="strict"):
    """What is allowed to each output of a call, from its operands' values and its exact results."""
    rules = [rule(step["op"], result.dtype.name, level) for result in expected]
    spreads = None
    if rules[0]["metric"] in ("SPREAD", "TIES"):
        spreads = _spread(step, values, expected, rules[0]["metric"])
    result = []
    for k, found in enumerate(rules):
        if found["metric"] == "ULP":
            result.append(Allowance(found["value"]))
        elif found["metric"] == "ATOL":
            result.append(Allowance(0, found["value"]))
        elif found["metric"] == "TERMS":
            result.append(_by_terms(step, values, expected[k], found))
        else:
            moved, doubt = spreads[k]
            if expected[k].dtype.kind == "f":
                moved = found["factor"] * moved + found.get("floor", 0) * _largest(step, values)
                moved += found["value"] * spacing(_finite(expected[k]), expected[k].dtype)
            result.append(Allowance(found["value"], moved, doubt))
    return result
