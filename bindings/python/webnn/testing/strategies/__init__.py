"""Hypothesis strategies: graphs and single calls that are valid, and calls that are not with their error.

    @given(strategies.graphs())
    def test(definition):
        assert testing.compare(definition, context=my_context)
"""

from hypothesis import strategies as st

from . import elementwise, movement, patterns, spatial
from .invalid import InvalidCall, invalid_calls
from .scope import OPERATIONS, Scope
from .values import KINDS, arrays, numbers

__all__ = ["KINDS", "OPERATIONS", "InvalidCall", "arrays", "calls", "graphs", "invalid_calls", "numbers"]


@st.composite
def _limits(draw, given):
    """Mostly small operands."""
    return {"max_elements": draw(st.sampled_from([256, 256, 256, 2048])), **given}


@st.composite
def calls(draw, op, **limits):
    """A definition of one call. `limits`: data_types, kinds of values, max_elements."""
    scope = Scope(draw, reuse=False, **draw(_limits(limits)))
    OPERATIONS[op](scope, op)
    return scope.definition()


@st.composite
def graphs(draw, operations=None, max_operators=6, **limits):
    """Definitions of graphs: operators on earlier results, constants and inputs; without a list of operations
    also groups of operators that compilers recognise and fuse. Values are mostly quiet ones: a NaN hides what
    else is wrong."""
    kinds = draw(st.sampled_from([patterns.QUIET, patterns.QUIET, KINDS]))
    scope = Scope(draw, **draw(_limits({"kinds": kinds, **limits})))
    names = sorted(operations or OPERATIONS)
    for _ in range(draw(st.integers(1, max_operators))):
        if operations is None and scope.chance(25):
            draw(st.sampled_from(patterns.PATTERNS))(scope)
            continue
        op = draw(st.sampled_from(names))
        OPERATIONS[op](scope, op)
    return scope.definition()
