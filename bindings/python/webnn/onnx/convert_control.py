"""Control flow, resolved while importing; sequences and optional values, which exist only there."""

import numpy as np

from .convert_movement import cut
from .node import FOLD_LIMIT, converts, is_constant
from .tensors import numpy_type

_MOST_ROUNDS = 10_000


@converts("If")
def convert_if(n):
    """A known condition takes its branch; else both are computed and one is chosen."""
    then_branch, else_branch = n.required("then_branch"), n.required("else_branch")
    condition = n.value(0)
    if is_constant(condition):
        return n.importer.run_graph(n, then_branch if n.truth(condition) else else_branch)
    results = n.importer.run_graph(n, then_branch), n.importer.run_graph(n, else_branch)
    condition = n.reshape(condition, [])
    return tuple(_chosen(n, condition, a, b) for a, b in zip(*results))


def _chosen(n, condition, a, b):
    if not _is_tensor(a) or not _is_tensor(b) or n.shape(a) != n.shape(b) or n.type(a) != n.type(b):
        n.fail("the condition is only known when the graph runs, and the branches' results differ in shape or type")
    return a if a is b else n.b.where(condition, a, b)


def _is_tensor(value):
    return value is not None and not isinstance(value, list)


@converts("Loop")
def convert_loop(n):
    """Unrolled: how often it runs must be known. Scan outputs are stacked."""
    body = n.required("body")
    count = n.int(0) if n.has(0) else None
    condition = n.optional(1)
    carried = list(n.inputs[2:])
    n_scans = len(body.output) - 1 - len(carried)
    if n_scans < 0:
        n.fail(f"its body has {len(body.output)} outputs for {len(carried)} carried values")
    scans, k = [[] for _ in range(n_scans)], 0
    if count is None and condition is None:
        n.fail("it has neither a number of rounds nor a condition")
    if condition is None and count > _MOST_ROUNDS:
        n.fail(f"it runs more than {_MOST_ROUNDS} times")
    while count is None or k < count:
        if condition is not None and not _known(n, condition):
            break
        if k >= _MOST_ROUNDS:
            n.fail(f"it runs more than {_MOST_ROUNDS} times")
        keep_on = np.array(True) if condition is None else condition
        results = n.importer.run_graph(n, body, [np.array(k, np.int64), keep_on, *carried])
        condition, carried = results[0], list(results[1:1 + len(carried)])
        for scan, value in zip(scans, results[1 + len(carried):]):
            scan.append(value)
        k += 1
    kinds = body.output[1 + len(carried):]
    return (*carried, *(_stacked(n, scan, 0, kind) for scan, kind in zip(scans, kinds)))


def _known(n, condition):
    if not is_constant(condition):
        n.fail("how often the loop runs is only known when the graph runs")
    return n.truth(condition)


def _stacked(n, values, axis, kind=None):
    if not values:
        return _none(n, kind, axis)
    if not all(map(_is_tensor, values)):
        n.fail("what is collected are no tensors")
    axis = n.axis(axis, n.rank(values[0]), extra=1)
    parts = [n.reshape(value, [*value.shape[:axis], 1, *value.shape[axis:]]) for value in values]
    return joined(n, parts, axis)


def _none(n, kind, axis):
    """What no rounds collect, as far as the body tells what a round gives; unknown sizes are 0."""
    told = kind.type.tensor_type
    sizes = [max(dim.dim_value, 0) for dim in told.shape.dim]
    sizes.insert(n.axis(axis, len(sizes), extra=1), 0)
    try:
        return np.zeros(sizes, numpy_type(told.elem_type) or np.float32)
    except ValueError:
        n.fail(f"a round gives the shape {sizes}")


def joined(n, parts, axis):
    kinds = {(n.type(part), n.rank(part), *(size for other, size in enumerate(part.shape) if other != axis))
             for part in parts}
    if len(kinds) > 1:
        n.fail("the parts that are joined differ in type or shape")
    if all(is_constant(part) for part in parts) and sum(part.nbytes for part in parts) <= FOLD_LIMIT:
        return np.concatenate(parts, axis)
    return parts[0] if len(parts) == 1 else n.b.concat(parts, axis)


@converts("Scan")
def convert_scan(n):
    """Unrolled: the first inputs are states, the last `num_scan_inputs` are walked along an axis each."""
    body, n_inputs = n.required("body"), n.required("num_scan_inputs")
    if n.opset < 9:
        n.fail("this version is not supported")
    n_states = len(n.inputs) - n_inputs
    n_outputs = len(body.output) - n_states
    if not 1 <= n_inputs <= len(n.inputs) or n_outputs < 0:
        n.fail(f"attribute num_scan_inputs = {n_inputs} with {len(n.inputs)} inputs")
    states = list(n.inputs[:n_states])
    inputs = [n.value(n_states + k) for k in range(n_inputs)]
    in_axes = [n.axis(axis, n.rank(value)) for axis, value in zip(_each(n, "scan_input_axes", n_inputs), inputs)]
    in_backward = _each(n, "scan_input_directions", n_inputs)
    out_axes = _each(n, "scan_output_axes", n_outputs)
    out_backward = _each(n, "scan_output_directions", n_outputs)
    lengths = {value.shape[axis] for value, axis in zip(inputs, in_axes)}
    if len(lengths) != 1 or max(lengths) > _MOST_ROUNDS:
        n.fail(f"its inputs are {sorted(lengths)} long")
    length, scans = lengths.pop(), [[] for _ in range(n_outputs)]
    for k in range(length):
        slices = [_at(n, value, axis, length - 1 - k if back else k)
                  for value, axis, back in zip(inputs, in_axes, in_backward)]
        results = n.importer.run_graph(n, body, [*states, *slices])
        states = list(results[:n_states])
        for scan, value, back in zip(scans, results[n_states:], out_backward):
            scan.insert(0, value) if back else scan.append(value)
    kinds = body.output[n_states:]
    return (*states, *(_stacked(n, scan, axis, kind) for scan, axis, kind in zip(scans, out_axes, kinds)))


def _each(n, name, count):
    """A number for each of the scanned values, 0 by default."""
    numbers = n.attr(name, [0] * count)
    if len(numbers) != count:
        n.fail(f"attribute {name} = {numbers} doesn't have {count} numbers")
    return numbers


def _at(n, value, axis, k):
    """One slice, its axis gone."""
    if is_constant(value):
        return np.take(value, k, axis)
    starts, sizes = [0] * n.rank(value), n.shape(value)
    starts[axis], sizes[axis] = k, 1
    return n.reshape(n.b.slice(value, starts, sizes), [*value.shape[:axis], *value.shape[axis + 1:]])


# Sequences are lists of values.

@converts("SequenceEmpty")
def convert_sequence_empty(n):
    n.ignore("dtype")
    return []


@converts("SequenceConstruct")
def convert_sequence_construct(n):
    return n.values()


@converts("SequenceInsert")
def convert_sequence_insert(n):
    values = list(n.sequence(0))
    values.insert(_position(n, 2, len(values), 1) if n.has(2) else len(values), n.value(1))
    return values


@converts("SequenceErase")
def convert_sequence_erase(n):
    values = list(n.sequence(0))
    if not values:
        n.fail("the sequence is empty")
    del values[_position(n, 1, len(values), 0) if n.has(1) else -1]
    return values


@converts("SequenceAt")
def convert_sequence_at(n):
    values = n.sequence(0)
    return values[_position(n, 1, len(values), 0)]


@converts("SequenceLength")
def convert_sequence_length(n):
    return np.array(len(n.sequence(0)), np.int64)


def _position(n, index, length, extra):
    place = n.int(index)
    if not -length <= place < length + extra:
        n.fail(f"position {place} is outside a sequence of {length}")
    return place + length if place < 0 else place


@converts("SplitToSequence")
def convert_split_to_sequence(n):
    x = n.value(0)
    axis = n.axis(n.attr("axis", 0), n.rank(x))
    size, keep = x.shape[axis], n.attr("keepdims", 1)
    if size > _MOST_ROUNDS:
        n.fail(f"an axis of {size} is not supported")
    if not n.has(1):
        sizes = [1] * size
    elif n.array(1).ndim:
        sizes = n.ints(1)
    else:
        step = n.int(1)
        if step < 1:
            n.fail(f"parts of {step}")
        sizes = [min(step, size - k) for k in range(0, size, step)]
    parts = cut(n, x, sizes, axis)
    if keep or n.has(1):
        return list(parts)
    return [n.reshape(part, [*part.shape[:axis], *part.shape[axis + 1:]]) for part in parts]


@converts("ConcatFromSequence")
def convert_concat_from_sequence(n):
    values, axis = n.sequence(0), n.required("axis")
    if not values:
        n.fail("the sequence is empty")
    if n.attr("new_axis", 0):
        return _stacked(n, values, axis)
    return joined(n, values, n.axis(axis, n.rank(values[0])))


@converts("Optional")
def convert_optional(n):
    n.ignore("type")
    return n.any(0) if n.has(0) else None


@converts("OptionalHasElement")
def convert_optional_has_element(n):
    return np.array(n.has(0))


@converts("OptionalGetElement")
def convert_optional_get_element(n):
    return n.any(0)
