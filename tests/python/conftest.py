"""What the tests of the Python face share: a context, and the smallest graphs."""

import pytest

import webnn


@pytest.fixture
def ml():
    return webnn.ML()


@pytest.fixture
def context(ml):
    with ml.create_context().result() as context:
        yield context


@pytest.fixture
def builder(context):
    return webnn.GraphBuilder(context)


@pytest.fixture(scope="module")
def opencl():
    """A context on OpenCL, on whichever device there is."""
    try:
        context = webnn.ML().create_context(backend="opencl").result()
    except webnn.NotSupportedError as error:
        pytest.skip(f"no OpenCL here: {error}")
    with context:
        yield context


@pytest.fixture
def relu_graph(context):
    """y = relu(x), float32[2, 3]."""
    builder = webnn.GraphBuilder(context)
    x = builder.input("x", shape=[2, 3], data_type="float32")
    return builder.build({"y": builder.relu(x)}).result()


@pytest.fixture
def tensors(context):
    """What relu_graph is dispatched on."""
    x = context.create_tensor(shape=[2, 3], data_type="float32", writable=True).result()
    y = context.create_tensor(shape=[2, 3], data_type="float32", readable=True).result()
    return x, y


class Slow:
    """A graph that takes some tens of milliseconds, so that what is queued behind it stays pending."""

    SHAPE = [96, 96]

    def __init__(self):
        self.context = webnn.ML().create_context(backend="reference", threads=1).result()
        builder = webnn.GraphBuilder(self.context)
        y = builder.input("x", self.SHAPE, "float32")
        for _ in range(40):
            y = builder.matmul(y, y)
        self.graph = builder.build({"y": y}).result()
        self.x = self.context.create_tensor(self.SHAPE, "float32", writable=True).result()
        self.y = self.context.create_tensor(self.SHAPE, "float32", readable=True).result()

    def dispatch(self):
        self.context.dispatch(self.graph, {"x": self.x}, {"y": self.y})

    def read(self, **kwargs):
        """A read that is pending."""
        self.dispatch()
        future = self.context.read_tensor(self.y, **kwargs)
        assert not future.done()
        return future


@pytest.fixture
def slow():
    slow = Slow()
    with slow.context:
        yield slow
