"""What is fused behind a product is as exact as it is alone: the product's own last digit is all that may show."""

import numpy as np
import pytest

import webnn
from webnn import testing
from webnn.testing import reference, tolerance

# Numbers that are the same in float32.
ACTIVATIONS = {
    "elu": {"alpha": 0.75}, "gelu": {}, "hard_sigmoid": {"alpha": 0.25, "beta": 0.5}, "hard_swish": {},
    "leaky_relu": {"alpha": 0.125}, "linear": {"alpha": 0.5, "beta": 1.0}, "relu": {}, "sigmoid": {}, "softplus": {},
    "softsign": {}, "tanh": {},
}
LEAST = 2.0**-124  # of an exponential nothing is left below


@pytest.fixture(scope="module", params=["onednn", "opencl"])
def context(request):
    try:
        future = webnn.ML().create_context(backend=request.param)
    except webnn.NotSupportedError:
        pytest.skip(f"this build has no {request.param}, or there is no device")
    with future.result() as context:
        yield context


def numbers():
    """Near 0, where formulas bend, far out: 64 columns of them."""
    random = np.random.default_rng(0)
    tiny = random.choice([-1.0, 1.0], 4096) * 2.0 ** random.uniform(-40, 0, 4096)
    parts = random.uniform(-20, 20, 4096), random.uniform(-6, 3, 4096), tiny, random.uniform(-100, -10, 4096)
    return np.concatenate(parts).astype(np.float32).reshape(-1, 64)


def product(builder, kind):
    """x times 1: the numbers themselves, made by a product."""
    x = numbers()
    if kind == "matmul":
        operand = builder.input("x", list(x.shape), "float32")
        return x, builder.matmul(operand, builder.constant(np.eye(64, dtype=np.float32)))
    x = np.ascontiguousarray(x.T).reshape(1, 64, 16, -1)
    weights = np.eye(64, dtype=np.float32).reshape(64, 64, 1, 1)
    return x, builder.conv2d(builder.input("x", list(x.shape), "float32"), builder.constant(weights))


@pytest.mark.parametrize("kind", ["conv2d", "matmul"])
@pytest.mark.parametrize("op", ACTIVATIONS)
def test_fused_activation_is_exact(context, op, kind):
    builder, options = webnn.GraphBuilder(context), ACTIVATIONS[op]
    x, y = product(builder, kind)
    y = getattr(builder, op)(y, **options)
    with builder.build({"y": y}).result() as graph:
        actual = context.compute(graph, {"x": x})["y"].astype(np.float64)

    def exact(values):
        return getattr(reference, op)(values.astype(np.float64), **options)

    expected = exact(x)
    moved = np.maximum(*(np.abs(exact(np.nextafter(x, to)) - expected) for to in np.float32([-np.inf, np.inf])))
    ulps = tolerance.rule(testing.definition.camel(op), "float32", "conformance")["value"]
    allowed = ulps * np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64) + moved + LEAST
    worst = np.unravel_index(np.argmax(np.abs(actual - expected) / allowed), x.shape)
    assert abs(actual[worst] - expected[worst]) <= allowed[worst], (x[worst], actual[worst], expected[worst])


def test_relu_of_minus_infinity(context):
    """Behind what oneDNN does in plain loops, too."""
    builder = webnn.GraphBuilder(context)
    a, x = builder.input("a", [2, 4], "float32"), builder.input("x", [1, 3, 2, 2], "float32")
    ones = lambda *shape: builder.constant(np.ones(shape, np.float32))  # noqa: E731
    outputs = {"product": builder.relu(builder.gemm(a, ones(4, 3), c=ones(2, 1))),
               "image": builder.relu(builder.conv_transpose2d(x, ones(3, 9, 2, 2), strides=[2, 2], output_padding=[1, 1]))}
    given = {"a": np.ones((2, 4), np.float32), "x": np.ones((1, 3, 2, 2), np.float32)}
    given["a"][0, 0] = given["x"][0, 0, 0, 0] = -np.inf
    with builder.build(outputs).result() as graph:
        found = context.compute(graph, given)
    assert (found["product"] == [[0] * 3, [5] * 3]).all()
    expected = np.pad(np.full((9, 4, 4), 3.0), ((0, 0), (0, 1), (0, 1)))
    expected[:, :2, :2] = 0
    assert (found["image"][0] == expected).all()
