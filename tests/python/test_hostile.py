"""Arguments that change under the reader, and memory that is lent twice."""

import gc
import sys

import numpy
import pytest

import webnn


@pytest.fixture
def graph(context):
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [4], "float32")
    return builder.build({"y": builder.neg(x)}).result()


class Emptying(str):
    """A name that empties its dict when it is compared."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        self.of.clear()
        gc.collect()
        return str.__eq__(self, other)


class Capsule:
    """Gives one and the same DLPack capsule to whoever asks."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("name", ["x", "nobody's"])
def test_compute_survives_a_dict_that_is_emptied(context, graph, name):
    for _ in range(20):
        given = {}
        given[Emptying(name)] = numpy.ones(4, numpy.float32)
        next(iter(given)).of = given
        if name == "x":
            assert (context.compute(graph, given)["y"] == -1).all()
        else:
            with pytest.raises(TypeError):
                context.compute(graph, given)
        assert given == {}


@pytest.mark.parametrize("copy", [True, False])
def test_a_dlpack_capsule_is_taken_once(context, copy):
    lender = Capsule(numpy.arange(100_000, dtype=numpy.float32).__dlpack__())
    builder = webnn.GraphBuilder(context)
    constant = builder.constant(lender, copy=copy)
    with pytest.raises((BufferError, ValueError)):
        numpy.from_dlpack(lender)
    with pytest.raises(TypeError):
        builder.constant(lender)
    graph = builder.build({"y": builder.identity(constant)}).result()
    assert (context.compute(graph, {})["y"] == numpy.arange(100_000)).all()


def test_a_dlpack_capsule_that_is_refused_stays_whole(context):
    lender = Capsule(numpy.ones(4, numpy.float64).__dlpack__())
    with pytest.raises(TypeError):
        webnn.GraphBuilder(context).constant(lender)
    assert (numpy.from_dlpack(lender) == 1).all()


def test_a_dlpack_capsule_gives_its_array_back(context):
    array = numpy.ones(4, numpy.float32)
    before = sys.getrefcount(array)
    webnn.GraphBuilder(context).constant(Capsule(array.__dlpack__()))
    assert sys.getrefcount(array) == before


@pytest.mark.parametrize(
    "arguments",
    [
        {"max_version": "1"},
        {"max_version": 1},
        {"max_version": ()},
        {"max_version": (1,)},
        {"max_version": (10**30, 0)},
        {"max_version": (-1, 0)},
        {"max_version": (1.0, 0)},
        {"dl_device": "cpu"},
        {"dl_device": (1,)},
        {"dl_device": (1, 10**30)},
        {"copy": "no"},
    ],
)
def test_dlpack_arguments_are_checked(context, arguments):
    tensor = context.create_tensor([4], "float32", readable=True).result()
    with pytest.raises(TypeError):
        tensor.__dlpack__(**arguments)


@pytest.mark.parametrize("anchor", ["conv2d", "matmul"])
@pytest.mark.parametrize("operation", ["max", "min", "exp", "log"])
def test_what_follows_a_product_keeps_nan_and_denormals(context, anchor, operation):
    """Only activations with bounds may lose NaN there; max, min, exp and log are none."""
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", [1, 1, 4, 1], "float32")
    one = builder.constant(numpy.ones([1, 1, 1, 1], numpy.float32))
    y = getattr(builder, anchor)(x, one)
    if operation in ("max", "min"):
        y = getattr(builder, operation)(y, builder.constant(data_type="float32", value=0.5))
    else:
        y = getattr(builder, operation)(y)
    graph = builder.build({"y": y}).result()
    given = numpy.array([numpy.nan, 1e-40, 1, 0.25], numpy.float32)
    result = context.compute(graph, {"x": given})["y"].ravel()
    expected = {
        "max": numpy.maximum(given, numpy.float32(0.5)),
        "min": numpy.minimum(given, numpy.float32(0.5)),
        "exp": numpy.exp(given),
        "log": numpy.log(given.astype(numpy.float64)),
    }[operation]
    numpy.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-45)
