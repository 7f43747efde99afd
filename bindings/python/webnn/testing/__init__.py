"""For those who test an engine: the operations in NumPy, comparisons, vectors, generated graphs.

    from webnn import testing

    testing.reference.conv2d(x, w, padding=[1, 1, 1, 1])        # one operation
    testing.run_reference(definition, {"x": x})                 # a graph, all its operands
    testing.compare(definition, {"x": x}, context=context)      # names the first operand that is wrong
    testing.vectors.check(test, context)                        # a conformance vector

`definition` is a graph in the JSON of the conformance vectors, see `webnn.testing.definition`. The strategies for
Hypothesis are in `webnn.testing.strategies`, which needs it installed.
"""

from . import definition, reference, tolerance, vectors
from .compare import Comparison, Mismatch, compare
from .definition import build, run, run_reference
from .replay import contexts, differ, replay
from .smaller import smaller

__all__ = [
    "Comparison",
    "Mismatch",
    "build",
    "compare",
    "contexts",
    "definition",
    "differ",
    "reference",
    "replay",
    "run",
    "run_reference",
    "smaller",
    "tolerance",
    "vectors",
]
