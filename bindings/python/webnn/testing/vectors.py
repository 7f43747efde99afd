"""The conformance vectors' format: reading files of tests, running them, judging results by their tolerances."""

import json
from pathlib import Path

import numpy as np

from . import definition as definitions
from .compare import engine
from .tolerance import ulps


def load(path):
    """The tests of a file."""
    return json.loads(Path(path).read_text(encoding="utf-8"))["tests"]


def distance(actual, expected, metric):
    """How far elements are apart; NaN equals NaN, an infinity only itself."""
    apart = ulps(actual, expected)
    if expected.dtype.kind != "f":
        return apart
    with np.errstate(all="ignore"):
        if metric == "ATOL":
            apart = np.absolute(actual.astype(np.float64) - expected.astype(np.float64))
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        apart = np.where(np.isfinite(actual) & np.isfinite(expected), apart, np.inf)
    return np.where(same, 0, apart)


def problem(test, name, actual):
    """What is wrong with a result, None when nothing is."""
    wanted = test["expected"][name]
    expected, tolerance = definitions.array(wanted), wanted["tolerance"]
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{test['id']}: {name!r} is {actual.dtype} {list(actual.shape)}"
    apart = np.atleast_1d(distance(actual, expected, tolerance["metric"])).ravel()
    if test.get("signedZero"):
        zeros = ((actual == 0) & (expected == 0) & (np.signbit(actual) != np.signbit(expected))).ravel()
        apart = np.where(zeros, np.inf, apart)
    wrong = np.flatnonzero(~(apart <= tolerance["value"]))
    if wrong.size == 0:
        return None
    i = wrong[0]
    return (
        f"{test['id']}: {name!r}, element {i}, is {actual.flat[i]}, expected {expected.flat[i]}: {apart[i]:g} apart, "
        f"{tolerance['metric']} {tolerance['value']}; {wrong.size} elements"
    )


def check(test, target="numpy"):
    """Runs one test on a context or another engine: what is wrong, in a list."""
    names = list(test["expected"])
    if target == "numpy":
        results = definitions.run_reference(test)
    else:
        results = engine(target)(test, None, names)
    return [found for found in (problem(test, name, results[name]) for name in names) if found]
