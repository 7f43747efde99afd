"""Elements of operands: ordinary ones, whole ones, special ones, and magnitudes from end to end of the type."""

import numpy as np
from hypothesis import strategies as st

KINDS = ("whole", "ordinary", "special", "magnitudes", "equal")


def specials(dtype):
    """The values of a type where engines go wrong."""
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        near = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3]
        signed = [-1, -2, -3] if info.min < 0 else []
        return np.array(near + signed, dtype)
    info = np.finfo(dtype)
    near = [
        0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 88.0, float(info.max), float(info.smallest_normal),
        float(info.smallest_subnormal), 1 + float(info.eps), float("inf"),
    ]
    return np.array([sign * value for value in near for sign in (1, -1)] + [float("nan")], dtype)


def _whole(random, dtype, shape):
    low = -4 if dtype.kind != "u" else 0
    return random.integers(low, 5, shape).astype(dtype)


def _ordinary(random, dtype, shape):
    if dtype.kind == "f":
        return (random.standard_normal(shape) * random.choice([0.1, 1, 3])).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(max(info.min, -100), min(info.max, 100), shape).astype(dtype)


def _special(random, dtype, shape):
    """Some special values among ordinary ones."""
    result = _ordinary(random, dtype, shape)
    chosen = random.random(shape) < random.choice([0.05, 0.3, 1.0])
    return np.where(chosen, random.choice(specials(dtype), shape), result)


def _magnitudes(random, dtype, shape):
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    info = np.finfo(dtype)
    exponents = random.uniform(info.minexp - info.nmant, info.maxexp, shape)
    with np.errstate(over="ignore"):
        return (random.choice([-1, 1], shape) * np.exp2(exponents)).astype(dtype)


def _equal(random, dtype, shape):
    return np.full(shape, _ordinary(random, dtype, ()))


_FILL = {"whole": _whole, "ordinary": _ordinary, "special": _special, "magnitudes": _magnitudes, "equal": _equal}


def fill(kind, seed, dtype, shape):
    """An array of a kind of values; the same for the same seed."""
    dtype = np.dtype(dtype)
    return np.asarray(_FILL[kind](np.random.default_rng(seed), dtype, tuple(shape)), dtype)


def seeds():
    return st.integers(0, 2**32 - 1)


def arrays(dtype, shape, kinds=KINDS):
    """Arrays of one type and shape."""
    return st.builds(fill, st.sampled_from(kinds), seeds(), st.just(dtype), st.just(tuple(shape)))


def doubles(kinds=("plain", "special")):
    """Options that are doubles: plain ones, extremes, what is infinite as float32 or float16."""
    return numbers(np.dtype(np.float32), kinds).filter(lambda number: abs(number) < float("inf"))


def numbers(dtype, kinds=("plain", "special")):
    """MLNumber options for operands of a type: plain ones, extremes, infinities, integers of any size."""
    plain = st.sampled_from([0, 1, -1, 0.5, -0.25, 2, 0.01, 3.5, 6])
    if "special" not in kinds:
        return plain
    wild = st.one_of(
        st.sampled_from([float("nan"), float("inf"), float("-inf"), -0.0, 1e-45, 65520.0, 1e39, 2.5, -1.5]),
        st.integers(-(2**65), 2**65),
        st.floats(width=32, allow_nan=False),
    )
    return st.one_of(plain, plain, plain, wild)
