"""Every way in which the specification lets an operation fail, on all 95 operations.

errors.json lists what the specification says, entry by entry; error_rows.py has a bad call, or more, for each.
"""

import json
import math
import re
from array import array
from pathlib import Path

import pytest

import webnn
import webnn.testing
from error_rows import GOOD, OPTIONAL, POOLS, QUANTIZING, ROWS, STATE, STATE_ONLY_BUILT

ERRORS = json.loads((Path(__file__).parent.parent / "data" / "limits" / "errors.json").read_text(encoding="utf-8"))


def snake(name):
    special = {"isNaN": "is_nan", "gatherND": "gather_nd", "scatterND": "scatter_nd"}
    return special.get(name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


OPERATIONS = json.loads((Path(__file__).parent.parent / "data" / "limits" / "ops.json").read_text(encoding="utf-8"))
NUMBERS = [(op["name"], snake(option["name"]), option["kind"])
           for op in OPERATIONS for option in op["options"] if option["kind"] in ("number", "double")]
TYPES = {
    "f32": "float32", "f16": "float16", "i32": "int32", "u32": "uint32",
    "i64": "int64", "u64": "uint64", "i8": "int8", "u8": "uint8",
}


def is_descriptor(value):
    return isinstance(value, str) and re.fullmatch(r"[fiu]\d+\[[\d,]*\]", value) is not None


def foreign(op, when):
    """The operands that an entry about other builders names: all of them, one after another."""
    names = [snake(name) for name in when.split(": ")[1].replace("any of ", "").split(", ")]
    values = {**GOOD[op], **OPTIONAL.get(op, {})}
    return [(name, i) for name in names for i in range(len(values[name]) if name == "inputs" else 1)]


FOREIGN = [
    (op, entry["when"], name, i)
    for op, entries in ERRORS.items() for entry in entries
    if entry["when"].startswith("operand from another builder")
    for name, i in foreign(op, entry["when"])
] + [("gemm", "c from another builder is not tested by the steps: reject it", "c", 0)]


class Call:
    """A call of one operation on a builder: a good one, unless changes make it bad."""

    def __init__(self, context, op, changes=()):
        self.builder = webnn.GraphBuilder(context)
        self.method = getattr(self.builder, snake(op))
        self.n_inputs = 0
        values = {**GOOD[op], **dict(changes)}
        self.arguments = [self.operand(values.pop(name)) for name in GOOD[op]]
        self.options = {name: self.operand(value) for name, value in values.items()}

    def operand(self, value, builder=None):
        if isinstance(value, list):
            return [self.operand(item, builder) for item in value]
        if not is_descriptor(value):
            return value
        kind, dims = value[:-1].split("[")
        self.n_inputs += 1
        return (builder or self.builder).input(f"x{self.n_inputs}", shape=[int(d) for d in dims.split(",") if d],
                                               data_type=TYPES[kind])

    def close(self):
        """Builds something, so that the builder is done."""
        x = self.builder.input("x", shape=[1], data_type="float32")
        self.builder.build({"y": self.builder.relu(x)}).result()

    def __call__(self, **options):
        return self.method(*self.arguments, **{**self.options, **options})


@pytest.fixture(scope="module")
def context():
    with webnn.ML().create_context().result() as context:
        yield context


def assert_fails(call, error):
    with pytest.raises(error) as caught:
        call(label="tag")
    assert type(caught.value) is error
    assert "[tag]" in str(caught.value)


def row_id(row):
    op, when, *rest = row
    return f"{op}-{when[:60]}-{rest}"[:150]


@pytest.mark.parametrize("op", ERRORS)
def test_good_call(context, op):
    Call(context, op)(label="tag")
    Call(context, op, OPTIONAL.get(op, {}))(label="tag")


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_bad_call(context, row):
    op, _, changes = row
    assert_fails(Call(context, op, changes), TypeError)


@pytest.mark.parametrize("row", FOREIGN, ids=row_id)
def test_operand_of_another_builder(context, row):
    op, _, name, i = row
    values = {**GOOD[op], **OPTIONAL.get(op, {})}
    call = Call(context, op, OPTIONAL.get(op, {}))
    other = webnn.GraphBuilder(context)
    parameters = list(GOOD[op])
    if name == "inputs":
        call.arguments[0][i] = call.operand(values[name][i], other)
    elif name in parameters:
        call.arguments[parameters.index(name)] = call.operand(values[name], other)
    else:
        call.options[name] = call.operand(values[name], other)
    assert_fails(call, TypeError)


@pytest.mark.parametrize("op", ERRORS)
def test_builder_already_built(context, op):
    call = Call(context, op)
    call.close()
    assert_fails(call, webnn.InvalidStateError)


@pytest.mark.parametrize("op", ERRORS)
def test_context_lost(op):
    context = webnn.ML().create_context().result()
    call = Call(context, op)
    context.destroy()
    assert_fails(call, webnn.InvalidStateError)


@pytest.mark.parametrize("op, option, kind", NUMBERS)
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_doubles_are_finite_and_mlnumbers_need_not_be(context, op, option, kind, number):
    call = Call(context, op)
    if kind == "number":
        call(**{option: number})
    else:
        with pytest.raises(TypeError, match=f"{snake(op)}: {option} is -?(NaN|Infinity), no finite number"):
            call(**{option: number})


@pytest.mark.parametrize("op, option", [(op, option) for op, option, kind in NUMBERS if kind == "double"])
def test_a_double_may_be_infinite_in_the_type_of_its_operand(context, op, option):
    call = Call(context, op)
    y = call(**{option: 1e300})
    definition = webnn.testing.definition.from_graph(call.builder, {"y": y})
    (step,) = definition["operators"]
    assert math.isfinite(step["options"][option]) and step["options"][option] > 3.5e38


@pytest.mark.parametrize("op", ["conv2d", "concat", "add", "gru"])
def test_state_comes_before_operands(context, op):
    call = Call(context, op)
    foreign_call = Call(context, op)
    call.close()
    call.arguments = foreign_call.arguments
    assert_fails(call, webnn.InvalidStateError)


@pytest.mark.parametrize("op, options", [
    ("conv2d", {"input_layout": "nope"}), ("conv2d", {"groups": -1}), ("conv2d", {"groups": 2**32}),
    ("conv2d", {"groups": 1.5}), ("conv2d", {"padding": [1, -1, 0, 0]}), ("maxPool2d", {"layout": "oihw"}),
    ("gru", {"activations": ["tanh", "nope"]}), ("resample2d", {"scales": [float("nan"), 1.0]}),
    ("triangular", {"diagonal": 2**31}), ("conv2d", {"unknown": 1}),
])
def test_conversion_comes_before_state(context, op, options):
    call = Call(context, op)
    call.close()
    with pytest.raises(TypeError):
        call(**options)


ANSWERED = set()  # entries that a test below answers


def answers(ops, when):
    ANSWERED.update((op, when) for op in ([ops] if isinstance(ops, str) else ops))
    return lambda test: test


@answers("cast", "steps copy the input descriptor unchanged: output must carry dataType instead")
def test_cast_carries_the_type(context):
    assert Call(context, "cast")().data_type == "int32"


@answers("gather", "third shape loop skips without counting, so as written trailing dims vanish; use the plain rule")
def test_gather_keeps_trailing_dimensions(context):
    changes = dict(input="f32[2,3,4,5]", indices="i32[7,8]", axis=1)
    assert Call(context, "gather", changes)().shape == [2, 7, 8, 4, 5]


@answers("gather", "rank-1 input with scalar indices gives rank 0 although the table says output rank >= 1; steps do "
         "not reject")
def test_gather_gives_a_scalar(context):
    assert Call(context, "gather", dict(input="f32[3]", indices="i32[]"))().shape == []


@answers("gatherElements", "steps copy the input descriptor: output shape must be shape(indices)")
def test_gather_elements_has_the_shape_of_indices(context):
    y = Call(context, "gatherElements", dict(input="u8[3,4]", indices="i64[9,4]"))()
    assert (y.shape, y.data_type) == ([9, 4], "uint8")


@answers("transpose", "steps copy the input descriptor unchanged: output shape must be permuted")
def test_transpose_permutes(context):
    assert Call(context, "transpose", dict(permutation=[1, 2, 0]))().shape == [3, 4, 2]


@answers("split", "outputs are copies of the input operand with the shared descriptor edited in place: clone per "
         "output")
def test_split_outputs_differ(context):
    outputs = Call(context, "split", dict(splits=[1, 3]))()
    assert [y.shape for y in outputs] == [[1, 6], [3, 6]]


@pytest.mark.parametrize("splits", [8192, [1] * 8192], ids=["count", "list"])
def test_split_into_as_many_as_there_may_be(context, splits):
    assert len(Call(context, "split", dict(input="f32[8192]", splits=splits))()) == 8192


@answers(QUANTIZING, "steps register only input as operator input; link scale and zeroPoint too")
@pytest.mark.parametrize("op", QUANTIZING)
def test_scale_and_zero_point_are_inputs(context, op):
    call = Call(context, op)
    graph = call.builder.build({"y": call()}).result()
    assert sorted(graph.inputs) == ["x1", "x2", "x3"]


@answers("quantizeLinear", "emulation clamps to 0..255 for every dtype: wrong for int8/int32/uint32")
@pytest.mark.parametrize("kind, typecode, expected", [
    ("i8", "b", [-128, 127]), ("u8", "B", [0, 255]), ("i32", "i", [-300, 300]), ("u32", "I", [0, 300]),
])
def test_quantize_linear_saturates_to_its_own_type(context, kind, typecode, expected):
    call = Call(context, "quantizeLinear", dict(input="f32[2]", scale="f32[1]", zero_point=f"{kind}[1]"))
    graph = call.builder.build({"y": call()}).result()
    data = {"x1": array("f", [-300, 300]), "x2": array("f", [1]), "x3": array(typecode, [0])}
    assert list(context.compute(graph, data)["y"]) == expected


STATES = "emulation's zero {} float32 even for float16, and its bare squeeze drops other size-1 dims"


@answers("gru", STATES.format("initial state is"))
@answers("lstm", STATES.format("states are"))
@pytest.mark.parametrize("op, gates, n_states", [("gru", 3, 1), ("lstm", 4, 2)])
def test_states_have_the_type_and_all_dimensions(context, op, gates, n_states):
    changes = dict(input="f16[1,1,1]", weight=f"f16[1,{gates},1]", recurrent_weight=f"f16[1,{gates},1]",
                   steps=1, hidden_size=1, return_sequence=True)
    outputs = Call(context, op, changes)()
    assert [y.shape for y in outputs] == [[1, 1, 1]] * n_states + [[1, 1, 1, 1]]
    assert {y.data_type for y in outputs} == {"float16"}


@answers(POOLS, "a window lying wholly in padding is not excluded")
@pytest.mark.parametrize("op", POOLS)
def test_window_wholly_in_padding(context, op):
    changes = dict(input="f32[1,1,2,2]", window_dimensions=[1, 1], padding=[3, 3, 3, 3])
    assert Call(context, op, changes)().shape == [1, 1, 8, 8]


@answers(POOLS, "outputSizes given and an item >= the stride at that index (as written; see notes)")
@pytest.mark.parametrize("op", POOLS)
@pytest.mark.parametrize("sizes", [[3, 3], [4, 4]])
def test_output_sizes_above_the_strides(context, op, sizes):
    changes = dict(window_dimensions=[3, 3], strides=[2, 2], output_sizes=sizes)
    assert Call(context, op, changes)().shape == [1, 2, *sizes]


@pytest.mark.parametrize("op", POOLS)
def test_output_sizes_keep_the_padding(context, op):
    changes = dict(input="f32[1,1,5,5]", window_dimensions=[5, 5], strides=[2, 2], padding=[2, 2, 2, 2],
                   output_sizes=[3, 3])
    assert Call(context, op, changes)().shape == [1, 1, 3, 3]


def test_every_entry_is_covered():
    rows = {row[:2] for row in ROWS} | {row[:2] for row in FOREIGN}
    rows |= {(op, when) for op in ERRORS for when in [STATE, STATE_ONLY_BUILT]}
    for op, entries in ERRORS.items():
        for entry in entries:
            key = (op, entry["when"])
            assert (key in rows) == (entry["covered_by"] == "rows"), key
            assert (key in ANSWERED) == (entry["covered_by"] in ["accepts", "overruled", "values"]), key
    assert len(ERRORS) == 95
    known = {(op, entry["when"]) for op, entries in ERRORS.items() for entry in entries}
    assert {row[:2] for row in ROWS + FOREIGN} | ANSWERED <= known
