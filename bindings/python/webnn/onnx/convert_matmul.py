"""Products: MatMul, Gemm, Einsum."""

import math

from .convert_conv import fused_activation
from .node import MICROSOFT, converts

_PRODUCT_LIMIT = 1 << 24  # elements of an integer product written out


@converts("MatMul")
def convert_matmul(n):
    return matmul(n, n.value(0), n.value(1))


def matmul(n, a, b):
    """NumPy's rules: a vector is a row on the left and a column on the right, and that axis goes away."""
    if n.rank(a) == 0 or n.rank(b) == 0:
        n.fail("a scalar can't be multiplied so")
    left, right = n.rank(a) == 1, n.rank(b) == 1
    if left:
        a = n.reshape(a, [1, *a.shape])
    if right:
        b = n.reshape(b, [*b.shape, 1])
    y = n.b.matmul(a, b) if n.is_float(a) else integer_matmul(n, a, b)
    shape = n.shape(y)
    shape = shape[:-2] + ([] if left else shape[-2:-1]) + ([] if right else shape[-1:])
    return n.reshape(y, shape)


def integer_matmul(n, a, b):
    """Exact, as products and a sum; WebNN multiplies matrices of floats only."""
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    if b.shape[-2] != inner:
        n.fail(f"{n.shape(a)} can't be multiplied with {n.shape(b)}")
    count = math.prod(a.shape[:-2]) * math.prod(b.shape[:-2]) * rows * inner * columns
    if count > _PRODUCT_LIMIT:
        n.fail(f"a product of integers of type {n.type(a)} with {count} terms is not supported")
    a = n.reshape(a, [*a.shape, 1])
    b = n.reshape(b, [*b.shape[:-2], 1, *b.shape[-2:]])
    product = n.b.mul(a, b)
    return n.b.reduce_sum(product, axes=[n.rank(product) - 2])


@converts("Gemm")
def convert_gemm(n):
    a, b, c = n.value(0, 2), n.value(1, 2), n.optional(2)
    if n.opset < 7:
        n.ignore("broadcast")
    alpha, beta = n.attr("alpha", 1.0), n.attr("beta", 1.0)
    a_transpose, b_transpose = bool(n.attr("transA", 0)), bool(n.attr("transB", 0))
    if n.is_float(a):
        return n.b.gemm(a, b, c=c, alpha=alpha, beta=beta, a_transpose=a_transpose, b_transpose=b_transpose)
    if alpha != 1 or beta != 1:
        n.fail(f"attributes alpha = {alpha} and beta = {beta} are not supported with type {n.type(a)}")
    a = n.transpose(a, [1, 0]) if a_transpose else a
    b = n.transpose(b, [1, 0]) if b_transpose else b
    y = integer_matmul(n, a, b)
    return y if c is None else n.b.add(y, c)


@converts("FusedGemm", domain=MICROSOFT)
def convert_fused_gemm(n):
    numbers = [n.attr(f"activation_{name}") for name in ("alpha", "beta", "gamma")]
    return fused_activation(n, convert_gemm(n), [number for number in numbers if number is not None])


@converts("FusedMatMul", "TransposeMatMul", domain=MICROSOFT)
def convert_fused_matmul(n):
    n.refuse("transBatchA", 0)
    n.refuse("transBatchB", 0)
    a, b = n.value(0), n.value(1)
    if n.attr("transA", 0):
        a = swap_last(n, a)
    if n.attr("transB", 0):
        b = swap_last(n, b)
    alpha = n.attr("alpha", 1.0)
    y = matmul(n, a, b)
    return y if alpha == 1 else n.b.linear(y, alpha=alpha)


def swap_last(n, x):
    order = list(range(n.rank(x)))
    if len(order) < 2:
        return x
    order[-2:] = reversed(order[-2:])
    return n.transpose(x, order)


@converts("Einsum")
def convert_einsum(n):
    """Operands are taken in pairs; each pair is one batched product."""
    equation = n.required("equation")
    if not isinstance(equation, str):
        n.fail(f"attribute equation = {equation!r} is not supported")
    terms, out = _parse(n, equation.replace(" ", ""))
    if len(set(out)) != len(out) or not set(out) <= set().union(*terms):
        n.fail(f"attribute equation = {equation!r} has an output that its inputs don't make")
    operands = [_diagonal_free(n, n.value(k), term) for k, term in enumerate(terms)]
    while len(operands) > 1:
        left, right = operands.pop(0), operands.pop(0)
        needed = set(out).union(*(labels for _, labels in operands))
        operands.insert(0, _contract(n, left, right, needed))
    value, labels = operands[0]
    value, labels = _sum_out(n, value, labels, set(out))
    return n.transpose(value, [labels.index(label) for label in out])


def _parse(n, equation):
    """The labels of each operand and of the output; the axes of an ellipsis are labelled 0, 1, …"""
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(n.inputs):
        n.fail(f"attribute equation = {equation!r} names {len(terms)} operands, there are {len(n.inputs)}")
    widths = [n.rank(n.value(k)) - len(term.replace("...", "")) for k, term in enumerate(terms)]
    most = max([width for width, term in zip(widths, terms) if "..." in term], default=0)
    parsed = [_labels(n, term, width, most) for term, width in zip(terms, widths)]
    if arrow:
        return parsed, _labels(n, right, most if "..." in right else 0, most)
    letters = sorted({label for term in parsed for label in term if isinstance(label, str)
                      and sum(other.count(label) for other in parsed) == 1})
    return parsed, list(range(most)) + letters


def _labels(n, term, width, most):
    before, dots, after = term.partition("...")
    if width < 0 or width > 0 and not dots or not (before + after).isalpha() and before + after:
        n.fail(f"a term {term!r} of attribute equation doesn't fit its operand")
    return list(before) + list(range(most - width, most) if dots else []) + list(after)


def _diagonal_free(n, value, labels):
    if len(set(labels)) != len(labels):
        n.fail("attribute equation takes a diagonal, which is not supported")
    return value, labels


def _sum_out(n, value, labels, needed):
    axes = [axis for axis, label in enumerate(labels) if label not in needed]
    if not axes:
        return value, labels
    return n.b.reduce_sum(value, axes=axes), [label for label in labels if label in needed]


def _contract(n, left, right, needed):
    """One pair: labels of both that are needed later are the batch, other common ones the inner axis."""
    (a, a_labels), (b, b_labels) = left, right
    a, a_labels = _sum_out(n, a, a_labels, needed | set(b_labels))
    b, b_labels = _sum_out(n, b, b_labels, needed | set(a_labels))
    common = [label for label in a_labels if label in b_labels]
    batch = [label for label in common if label in needed]
    inner = [label for label in common if label not in needed]
    rows = [label for label in a_labels if label not in common]
    columns = [label for label in b_labels if label not in common]
    size_a, size_b = dict(zip(a_labels, a.shape)), dict(zip(b_labels, b.shape))
    sizes = {label: max(size_a.get(label, 1), size_b.get(label, 1)) for label in {*a_labels, *b_labels}}
    a = _stretched(n, a, a_labels, inner, sizes)
    b = _stretched(n, b, b_labels, inner, sizes)
    a = n.transpose(a, [a_labels.index(label) for label in batch + rows + inner])
    b = n.transpose(b, [b_labels.index(label) for label in batch + inner + columns])
    count = {name: math.prod(sizes[label] for label in labels)
             for name, labels in (("rows", rows), ("inner", inner), ("columns", columns))}
    a = n.reshape(a, [*(size_a[label] for label in batch), count["rows"], count["inner"]])
    b = n.reshape(b, [*(size_b[label] for label in batch), count["inner"], count["columns"]])
    y = matmul(n, a, b)
    shape = [sizes[label] for label in batch + rows + columns]
    return n.reshape(y, shape), batch + rows + columns


def _stretched(n, value, labels, inner, sizes):
    """Inner axes of size 1 that meet a longer one are repeated; batch axes broadcast by themselves."""
    shape = [sizes[label] if label in inner else size for label, size in zip(labels, value.shape)]
    return value if shape == list(value.shape) else n.b.expand(value, shape)
