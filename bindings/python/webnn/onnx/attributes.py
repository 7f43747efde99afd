"""Attributes of nodes: their values, and the kind that each must have.

Almost every name stands for one kind in all operations. So this is a list by name; that it agrees with the
schemas of the onnx package is tested, which is cheaper than having these at hand while importing.
"""

from .errors import shown

# onnx.AttributeProto's numbers of the kinds.
_FLOAT, _INT, _STRING, _TENSOR, _GRAPH, _FLOATS, _INTS, _STRINGS, _SPARSE = 1, 2, 3, 4, 5, 6, 7, 8, 11

_WORDS = {
    _FLOAT: "a number", _INT: "a whole number", _STRING: "a string", _TENSOR: "a tensor", _GRAPH: "a graph",
    _FLOATS: "a list of numbers", _INTS: "a list of whole numbers", _STRINGS: "a list of strings",
    _SPARSE: "a sparse tensor",
}

_NAMES = {
    _FLOAT: """alpha beta bias clip cubic_coeff_a epsilon extrapolation_value gamma lambd
        mask_filter_value max min momentum scale softcap value_float""",
    _INT: """K N align_corners allowzero antialias axis batch_axis batch_dims bits block_size blocksize broadcast
        ceil_mode channels_last count_include_pad detect_negative detect_positive dtype end exclude_outside exclusive
        fmod group hidden_size input_forget interleaved inverse is_causal is_packed_batching k keepdims kv_num_heads
        largest layout left_window_size linear_before_reset mask_index_type new_axis noop_with_empty_axes num_groups
        num_heads num_outputs num_scan_inputs onesided output_datatype output_dtype p periodic q_num_heads reverse
        right_window_size rotary_embedding_dim select_last_index size spatial start stash_type time_axis to
        training_mode transA transB transBatchA transBatchB unidirectional upper value_int""",
    _STRING: """activation approximate auto_pad coordinate_transformation_mode direction equation
        keep_aspect_ratio_policy mode nearest_mode padding_mode reduction""",
    _TENSOR: "value",
    _GRAPH: "body else_branch then_branch",
    _FLOATS: "activation_alpha activation_beta activation_params scales value_floats",
    _INTS: """axes dilations ends kernel_shape output_padding output_shape pads perm qkv_hidden_sizes
        scan_input_axes scan_input_directions scan_output_axes scan_output_directions split starts strides
        value_ints""",
    _STRINGS: "activations",
    _SPARSE: "sparse_value",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
# Whole numbers that say yes or no. Of others readers of ONNX think differently.
_FLAGS = frozenset("""align_corners allowzero antialias broadcast ceil_mode channels_last count_include_pad
    detect_negative detect_positive exclude_outside exclusive fmod input_forget interleaved inverse is_causal keepdims
    largest layout linear_before_reset new_axis noop_with_empty_axes onesided periodic reverse select_last_index transA
    transB unidirectional upper""".split())
# Names that mean something else in one operation.
_OTHER_KINDS = {
    ("Pad", "value"): _FLOAT, ("FusedGemm", "activation_alpha"): _FLOAT, ("FusedGemm", "activation_beta"): _FLOAT,
    ("FusedGemm", "activation_gamma"): _FLOAT,
}


def kind_of(op_type, name):
    """The kind that an attribute must have; None when no converter reads one of that name."""
    return _OTHER_KINDS[op_type, name] if (op_type, name) in _OTHER_KINDS else _KINDS.get(name)


def value_of(node, name, attribute):
    """An attribute's value: number, string, list, TensorProto or GraphProto. Where a number is wanted, a whole one
    will do."""
    kind, wanted = attribute.type, kind_of(node.op_type, name)
    if wanted == _FLOAT and kind == _INT:
        return float(attribute.i)
    if wanted is not None and wanted != kind:
        node.fail(f"attribute {name} must be {_WORDS[wanted]}, not {_WORDS.get(kind, 'of a type without a name')}")
    if name in _FLAGS and attribute.i not in (0, 1):
        node.fail(f"attribute {name} = {attribute.i} must be 0 or 1")
    return _read(node, name, attribute)


def _read(node, name, attribute):
    kind = attribute.type
    if kind == _FLOAT:
        return attribute.f
    if kind == _INT:
        return attribute.i
    if kind == _STRING:
        return attribute.s.decode("utf-8", "replace")
    if kind == _TENSOR:
        return attribute.t
    if kind == _GRAPH:
        return attribute.g
    if kind == _SPARSE:
        return attribute.sparse_tensor
    if kind == _FLOATS:
        return list(attribute.floats)
    if kind == _INTS:
        return list(attribute.ints)
    if kind == _STRINGS:
        return [item.decode("utf-8", "replace") for item in attribute.strings]
    return node.fail(f"attribute {shown(name)} has a type that is not supported")


def in_words(node, name, attribute):
    """A value as it stands in a message."""
    kind = attribute.type
    if kind in (_TENSOR, _GRAPH, _SPARSE):
        return _WORDS[kind]
    value = _read(node, name, attribute)
    return shown(repr(value))
