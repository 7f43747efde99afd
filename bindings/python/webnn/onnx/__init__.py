"""Import of ONNX models, opset 6 and up: `load` gives a graph, `add_to` adds a model's operations to a builder.

Needs the `onnx` package, which is imported when a model is read. Shapes must be static: where a model leaves
dimensions of its inputs open, `shapes` says them. What depends on shapes alone is computed while importing. That may
take 256 MiB, and eight times what the weights take.

Types without counterpart: bool inputs and outputs are uint8, float64 and bfloat16 ones float32; constants of
float64 are narrowed to float32.
"""

import importlib.util

if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnx")):
    raise ImportError("webnn.onnx needs the onnx package: pip install 'webnn[onnx]'")

import numpy
import webnn

from . import (convert_activation, convert_contrib, convert_control, convert_conv, convert_elementwise,  # noqa: F401
               convert_index, convert_matmul, convert_movement, convert_norm, convert_pool, convert_quantize,
               convert_recurrent, convert_reduce, convert_resample, convert_sample, convert_signal)
from .errors import ModelError
from .graph import Importer
from .model import Source

__all__ = ["ModelError", "add_to", "load"]


def load(model, context, shapes=None, constants=None, *, keep_definition=False):
    """Builds a model: a path, bytes or an onnx.ModelProto. Blocks until the graph is there.

    `shapes` maps input names to lists of sizes; it is needed where the model leaves a dimension open. An input
    in `constants` gets a fixed value instead and is no input of the graph. The graph's inputs and outputs are
    called as in the model; inputs that no output depends on are left out. `keep_definition` is build's: with it
    the graph can be drawn, saved, exported and compared.
    """
    builder = webnn.GraphBuilder(context)
    outputs = add_to(builder, model, shapes, constants)
    return builder.build(outputs, keep_definition=keep_definition).result()


def add_to(builder, model, shapes=None, constants=None):
    """Adds a model to a builder, its inputs included; gives a dict of its output operands by name.

    Of a model that is refused nothing stays on the builder.
    """
    if not isinstance(builder, webnn.GraphBuilder):
        raise TypeError(f"builder must be a GraphBuilder, not {type(builder).__name__!r}")
    before = builder._n_operands()
    try:
        with numpy.errstate(all="ignore"):  # constants may overflow as they would in the graph
            return Importer(builder, Source(model)).run(shapes, constants)
    except BaseException:
        builder._take_back(before)
        raise
