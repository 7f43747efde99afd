"""The operation methods and the support limits against the specification's facts and against the stubs."""

import ast
import inspect
import json
import pathlib
import re

import pytest

import webnn

ROOT = pathlib.Path(__file__).parents[2]
OPERATIONS = json.loads((ROOT / "tests/data/limits/ops.json").read_text(encoding="utf-8"))
MAX_RANK = 8

# Ours, beside the specification's: an operation, options, a padding mode.
EXTENSION_OPERATIONS = {"squeeze"}
EXTENSION_OPTIONS = {
    "auto_pad",
    "activation",
    "activation_alpha",
    "activation_beta",
    "activation_min_value",
    "activation_max_value",
}
EXTENSION_VALUES = {"symmetric"}

POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD = inspect.Parameter.KEYWORD_ONLY

operations = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation["name"])


@pytest.fixture(scope="module")
def context():
    with webnn.ML().create_context().result() as context:
        yield context


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(NaN|ND|[A-Z])", r"_\1", name).lower()


def signature(name):
    """The parameters of a method, without self."""
    return list(inspect.signature(getattr(webnn.GraphBuilder, name)).parameters.values())[1:]


def stubs():
    """The methods of the stub file by name: their arguments."""
    path = pathlib.Path(webnn.__file__).with_name("_ops.pyi")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (methods,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {node.name: node.args for node in methods.body}


@operations
def test_parameters_are_positional_in_order(operation):
    parameters = [p for p in signature(snake(operation["name"])) if p.kind is not KEYWORD]
    assert [p.name for p in parameters] == [snake(p["name"]) for p in operation["parameters"]]
    assert all(p.kind is POSITIONAL and p.default is p.empty for p in parameters)


@operations
def test_options_are_keywords_with_their_defaults(operation):
    options = [p for p in signature(snake(operation["name"])) if p.kind is KEYWORD]
    own = [p for p in options if p.name not in EXTENSION_OPTIONS]
    assert [p.name for p in own] == [snake(option["name"]) for option in operation["options"]]
    for option, fact in zip(own, operation["options"]):
        assert option.default == fact["default"], option.name
        assert isinstance(option.default, bool) == isinstance(fact["default"], bool), option.name


@operations
def test_stubs_name_the_enumerations(operation):
    args = stubs()[snake(operation["name"])]
    annotations = {arg.arg: arg.annotation for arg in args.kwonlyargs}
    for fact in operation["options"]:
        if "enum" in fact:
            literals = [node.value for node in ast.walk(annotations[snake(fact["name"])])
                        if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            assert [name for name in literals if name not in EXTENSION_VALUES] == fact["enum"]


def test_unknown_enumeration_values_are_type_errors(context):
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", shape=[2], data_type="float32")
    with pytest.raises(TypeError):
        builder.pad(x, [0], [0], mode="no such mode")
    with pytest.raises(TypeError):
        builder.cast(x, "float64")


def test_no_other_methods():
    known = {snake(operation["name"]) for operation in OPERATIONS} | EXTENSION_OPERATIONS
    assert set(stubs()) == known


@operations
def test_stubs_agree(operation):
    name = snake(operation["name"])
    args = stubs()[name]
    parameters = signature(name)
    assert [p.name for p in parameters if p.kind is POSITIONAL] == [a.arg for a in args.args[1:]]
    assert [p.name for p in parameters if p.kind is KEYWORD] == [a.arg for a in args.kwonlyargs]
    assert [p.default for p in parameters if p.kind is KEYWORD] == [
        ast.literal_eval(default) for default in args.kw_defaults
    ]


@operations
def test_support_limits_are_the_table(context, operation):
    limits = context.op_support_limits()[operation["name"]]
    tensors = operation["inputs"] + operation["outputs"]
    assert list(limits) == [tensor["name"] for tensor in tensors]
    for tensor in tensors:
        reported = limits[tensor["name"]]
        lowest, highest = tensor["rank"]
        assert reported["dataTypes"] == tensor["dataTypes"], tensor["name"]
        assert reported["rankRange"] == {"min": lowest, "max": MAX_RANK if highest is None else highest}


def test_support_limits_of_the_context(context):
    limits = context.op_support_limits()
    names = {operation["name"] for operation in OPERATIONS}
    everywhere = {"preferredInputLayout", "maxTensorByteLength", "input", "constant", "output"}
    assert set(limits) == names | everywhere
    assert limits["maxTensorByteLength"] == 2**32 - 1
    assert limits["preferredInputLayout"] == "nhwc"
    for key in ("input", "constant", "output"):
        assert len(limits[key]["dataTypes"]) == 8
        assert limits[key]["rankRange"] == {"min": 0, "max": MAX_RANK}
