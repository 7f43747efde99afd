"""webnn.onnx: the tests that come with the onnx package, of nodes and of small models. Each agrees with its data, or
is refused with a ModelError for one of the reasons below."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import webnn  # noqa: E402
import webnn.onnx  # noqa: E402

# The text divides by the exact, fractional size of the result, onnxruntime by the whole one; we follow it.
DISPUTED = {"test_resize_downsample_scales_linear_align_corners", "test_resize_downsample_scales_cubic_align_corners"}

# What can't be said in WebNN, and why. Of refusals no other is right.
REFUSED = [
    ("elements of type (u?int(2|4|16)|float(4e2m1|8\\w+)|string|complex\\w+), which have no counterpart", "types"),
    ("= (u?int(2|4|16)|float(4e2m1|8\\w+)) is not supported", "types"),
    ("no elements and can't be an operand", "dimensions are at least 1"),
    ("is not a tensor|is a sequence or optional value", "graphs take and give tensors; sequences live while importing"),
    ("(NonMaxSuppression|Unique|TfIdfVectorizer) of domain", "how large the result is depends on the data"),
    ("(Bernoulli|Random\\w+|Multinomial) of domain", "graphs are functions of their inputs"),
    ("of domain 'ai.onnx.(preview|ml)", "not the models that are meant: training, trees"),
    ("(NegativeLogLikelihoodLoss|SoftmaxCrossEntropyLoss) of domain|[Tt]raining", "training"),
    ("(String\\w+|RegexFullMatch|ImageDecoder|LabelEncoder) of domain", "no numbers"),
    ("BitCast of domain", "no operation looks at the bits of numbers"),
    ("(RoiAlign|MaxUnpool|Det|CumProd) of domain", "rare: not written"),
    ("(CausalConvWithState|LinearAttention|TensorScatter) of domain", "new: not written"),
    ("padded lengths and the output of scores|left_window_size", "parts of Attention that are not written"),
    ("MaxPool.*output '.*' is not supported", "a pool doesn't say where its maximum was"),
    ("Einsum.*takes a diagonal", "not written"),
    ("rank 5|three spatial axes", "WebNN's windows have two axes"),
    ("Col2Im.* for an image \\[\\d+, \\d+, \\d+\\]", "WebNN's windows have two axes"),
    ("inverse = 1 and onesided = 1", "not written"),
    ("GridSample.*mode = 'cubic'", "not written"),
    ("with an index that occurs twice", "of scattered values the last wins"),
    ("Scan, opset 8", "another operation, of one year"),
]
# float64 is float32 here, and these numbers are beyond it.
TOO_WIDE = {"test_operator_add_broadcast", "test_operator_add_size1_right_broadcast", "test_operator_addconstant",
            "test_operator_add_size1_singleton_broadcast"}
KNOWN_OPSET = 28


def cases():
    from onnx.backend.test.case.node import collect_testcases
    return [case for case in collect_testcases(None) if case.model is not None]


def as_array(value):
    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
    return value if value is None or isinstance(value, (list, dict)) else np.asarray(value)


def fed(array):
    """What a graph takes: bool is uint8, wide and odd floats are float32."""
    if array.dtype == bool:
        return array.astype(np.uint8)
    return array.astype(np.float32) if array.dtype == np.float64 or array.dtype.kind == "V" else array


def run(context, model, inputs):
    """The outputs; inputs that must be known while importing become constants one after the other."""
    arrays = {name: array for name, array in inputs.items() if isinstance(array, np.ndarray)}
    constants = {name: array for name, array in arrays.items() if array.size == 0}
    while True:
        shapes = {name: array.shape for name, array in arrays.items() if name not in constants}
        try:
            graph = webnn.onnx.load(model, context, shapes=shapes, constants=constants)
        except webnn.onnx.ModelError as error:
            more = wanted(str(error), {name: array for name, array in arrays.items() if name not in constants})
            if not more:
                raise
            constants.update(more)
            continue
        feeds = {name: np.ascontiguousarray(fed(array)) for name, array in arrays.items() if name in graph.inputs}
        return context.compute(graph, feeds)


def wanted(message, arrays):
    if "must be constant" not in message and "only known when" not in message:
        return {}
    named = re.search(r"\('([^']+)'\) must be constant", message)
    if named and named.group(1) in arrays:
        return {named.group(1): arrays[named.group(1)]}
    return {name: array for name, array in arrays.items() if array.dtype.kind in "biu" or array.ndim == 0}


def agrees(name, ours, theirs):
    if ours.shape != theirs.shape:
        return False
    if theirs.dtype.kind in "biu":
        return np.array_equal(ours.astype(np.int64), theirs.astype(np.int64))
    coarse = "bf16" in name or "BFLOAT16" in name or "bfloat16" in name  # float32 here
    tolerance = 1e-2 if coarse else 2e-3 if theirs.dtype == np.float16 else 1e-4
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    return np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True)


def is_expected(error, model):
    """A refusal for one of the reasons; operations that are younger than this list may be missing from it."""
    if any(re.search(pattern, str(error)) for pattern, _ in REFUSED):
        return True
    return any(version.version > KNOWN_OPSET for version in model.opset_import if not version.domain)


class Tally:
    """Runs cases, and keeps what was wrong."""

    def __init__(self, context):
        self.context, self.agreed, self.refused, self.wrong = context, 0, 0, []

    def check(self, name, model, inputs, outputs):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results = run(self.context, model, inputs)
        except webnn.onnx.ModelError as error:
            self.refused += 1
            if not is_expected(error, model):
                self.wrong.append((name, str(error)))
            return
        except TypeError as error:  # what was given, not the model
            self.wrong.append((name, str(error)))
            return
        pairs = [(results[value.name], expected) for value, expected in zip(model.graph.output, outputs)]
        if name in DISPUTED | TOO_WIDE or all(agrees(name, *pair) for pair in pairs):
            self.agreed += 1
        else:
            self.wrong.append((name, "another result"))


@pytest.fixture
def tally():
    with webnn.ML().create_context().result() as context:
        tally = Tally(context)
        yield tally
        assert tally.wrong == []


@pytest.mark.filterwarnings("ignore")
def test_node_tests_agree_or_are_refused(tally):
    for case in cases():
        inputs, outputs = ([as_array(value) for value in part] for part in case.data_sets[0])
        names = [value.name for value in case.model.graph.input]
        tally.check(case.name, case.model, dict(zip(names, inputs)), outputs)
    assert tally.agreed > 2 * tally.refused, (tally.agreed, tally.refused)


def tensors_in(folder, kind):
    """The arrays of a data set in order; None for what is no tensor."""
    def read(path):
        tensor = onnx.TensorProto.FromString(path.read_bytes())
        return as_array(tensor) if tensor.data_type else None

    paths = folder.glob(f"{kind}_*.pb")
    return [read(path) for path in sorted(paths, key=lambda path: int(path.stem.split("_")[-1]))]


@pytest.mark.parametrize("kind, least", [("simple", 14), ("pytorch-converted", 82), ("pytorch-operator", 33)])
def test_models_agree_or_are_refused(tally, kind, least):
    """What PyTorch once exported is of opset 6, and of layers of each kind."""
    import onnx.backend.test

    root = Path(onnx.backend.test.__file__).parent / "data" / kind
    for folder in sorted(path.parent for path in root.glob("*/model.onnx")):
        model = onnx.load(folder / "model.onnx")
        known = {tensor.name for tensor in model.graph.initializer}
        names = [value.name for value in model.graph.input if value.name not in known]
        for data in sorted(folder.glob("test_data_set_*")):
            if any(value.type.tensor_type.elem_type == onnx.TensorProto.STRING for value in model.graph.input):
                inputs = []
            else:
                inputs = tensors_in(data, "input")
            tally.check(folder.name, model, dict(zip(names, inputs)), tensors_in(data, "output"))
    assert tally.agreed >= least, (tally.agreed, tally.refused)
