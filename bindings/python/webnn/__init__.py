"""The W3C Web Neural Network API.

    import numpy
    import webnn

    ml = webnn.ML()
    context = ml.create_context().result()
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", shape=[2, 2], data_type="float32")
    graph = builder.build({"y": builder.relu(x)}).result()
    y = context.compute(graph, {"x": numpy.ones([2, 2], "float32")})["y"]
"""

from ._core import (
    ML,
    Context,
    ContextLostInfo,
    Descriptor,
    Error,
    Future,
    Graph,
    GraphBuilder,
    InvalidStateError,
    NotSupportedError,
    Operand,
    OperationError,
    Tensor,
    UnknownError,
    __version__,
    devices,
)

__all__ = [
    "ML",
    "Context",
    "ContextLostInfo",
    "Descriptor",
    "Error",
    "Future",
    "Graph",
    "GraphBuilder",
    "InvalidStateError",
    "NotSupportedError",
    "Operand",
    "OperationError",
    "Tensor",
    "UnknownError",
    "devices",
]


def __getattr__(name):
    """Imports submodules when they are first used: `import webnn` alone stays cheap."""
    if not name.startswith("_"):
        from importlib import import_module

        full = f"{__name__}.{name}"
        try:
            return import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
