"""math="fast": products in bfloat16 where the processor has them, else nothing but a note."""

import numpy as np
import pytest
import webnn


def run(math):
    context = webnn.ML().create_context(math=math).result()
    rng = np.random.default_rng(3)
    b = webnn.GraphBuilder(context)
    x = b.input("x", [1, 16, 12, 12], "float32")
    y = b.conv2d(x, b.constant(rng.standard_normal((32, 16, 3, 3), "float32")), padding=[1, 1, 1, 1])
    y = b.conv2d(b.relu(y), b.constant(rng.standard_normal((8, 32, 1, 1), "float32")))
    y = b.matmul(b.reshape(y, [8, 144]), b.constant(rng.standard_normal((144, 40), "float32")))
    graph = b.build({"y": y}).result()
    out = context.compute(graph, {"x": rng.standard_normal((1, 16, 12, 12), "float32")})["y"]
    return context.info, [step["kernel"] for step in graph.steps], out


@pytest.mark.skipif(webnn.ML().create_context().result().info["backend"] != "onednn", reason="the oneDNN backend's")
def test_fast_math_says_what_it_does():
    _, kernels, exact = run("exact")
    info, fast_kernels, fast = run("fast")
    assert not any("bfloat16" in kernel for kernel in kernels)
    if "no bfloat16 here" in info["driver"]:
        assert fast_kernels == kernels
        assert np.array_equal(fast, exact)
    else:
        assert "products in bfloat16" in info["driver"]
        assert any("bfloat16" in kernel for kernel in fast_kernels)
        assert np.max(np.abs(fast - exact)) <= 2**-6 * np.max(np.abs(exact))


def test_exact_is_the_default():
    info = webnn.ML().create_context().result().info
    assert "bfloat16" not in info["driver"]
