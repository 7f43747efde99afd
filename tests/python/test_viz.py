"""Drawings and explanations of graphs."""

import dataclasses
import itertools
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import webnn
from webnn import viz
from webnn.viz import layout

SVG = "{http://www.w3.org/2000/svg}"


def small(context):
    """A builder with a residual block, its outputs."""
    builder = webnn.GraphBuilder(context)
    x = builder.input("image", [1, 4, 8, 8], "float32")
    w = builder.constant(np.ones((4, 4, 3, 3), "float32"))
    y = builder.relu(builder.conv2d(x, w, padding=[1, 1, 1, 1], label="stem"))
    y = builder.mul(builder.add(y, x, label="residual"), builder.constant(data_type="float32", value=0.5))
    parts = builder.split(y, 2, axis=1)
    return builder, {"left": parts[0], "right": parts[1]}


def texts(svg, tag="text"):
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(SVG + tag)]


# ---- what a drawing says


def test_it_shows_operations_labels_constants_and_shapes(context):
    shown = texts(viz.svg(*small(context)))
    for text in ("image", "conv2d", "stem", "filter  4×4×3×3", "float32 [1, 4, 8, 8]", "b = 0.5", "residual",
                 "split", "2 × float32 [1, 2, 8, 8]", "left", "right", "float32 [1, 2, 8, 8]"):
        assert text in shown, (text, shown)
    (tip,) = [text for text in texts(viz.svg(*small(context)), "title") if text.startswith("conv2d")]
    assert "padding: [1, 1, 1, 1]" in tip and "inputLayout: nchw" in tip


def test_a_built_graph_gives_the_same_picture(context):
    builder, outputs = small(context)
    svg = viz.svg(builder, outputs)
    graph = builder.build(outputs, keep_definition=True).result()
    context.destroy()
    assert viz.svg(graph) == svg == viz.draw(graph)._repr_svg_()
    assert svg in viz.draw(graph)._repr_html_() and svg in graph._repr_html_()


def test_notebooks_fall_back_to_the_repr_without_a_definition(relu_graph):
    assert relu_graph._repr_html_() is None


def test_drawings_are_saved(context, tmp_path):
    drawing = viz.draw(*small(context))
    drawing.save(tmp_path / "small.svg")
    assert (tmp_path / "small.svg").read_text(encoding="utf-8") == drawing.svg


HOSTILE = ["<script>alert(1)</script>", "a&b\"c'", "\u202egnp.exe", "x\0y\ufffe", "]]>", "été", "🙂", "x" * 500]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(context, name):
    builder = webnn.GraphBuilder(context)
    outputs = {name: builder.neg(builder.input(name, [1], "float32"), label=name)}
    svg = viz.svg(builder, outputs)
    assert all(one == "\n" or one.isprintable() for one in svg)
    tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}
    assert tags == {"svg", "title", "rect", "g", "path", "text"}
    dot = viz.dot(builder, outputs)
    assert all(one == "\n" or one.isprintable() for one in dot)
    assert re.sub(r'"(\\.|[^"\\])*"', '""', dot).count('"') == dot.count("=\"") * 2
    if len(name) < 10 and name.isprintable():
        assert texts(svg).count(name) == 3


def test_wrong_arguments(context, relu_graph):
    with pytest.raises(TypeError, match="^viz: .*keep_definition=True"):
        viz.svg(relu_graph)
    with pytest.raises(TypeError, match="^viz: a builder needs its outputs"):
        viz.draw(webnn.GraphBuilder(context))
    with pytest.raises(TypeError, match="^viz: explain needs a built Graph, not 'GraphBuilder'"):
        viz.explain(webnn.GraphBuilder(context))


# ---- where things are


def boxes_of(svg):
    """Each node's first rectangle."""
    nodes = [group for group in ElementTree.fromstring(svg).iter(SVG + "g") if group.find(SVG + "title") is not None]
    rects = [group.find(SVG + "rect") for group in nodes]
    return [tuple(float(rect.get(key)) for key in ("x", "y", "width", "height")) for rect in rects]


def overlap(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def random_edges(seed, n):
    """Chains, fans, long edges: each box but some takes from one to three earlier ones."""
    rng = np.random.default_rng(seed)
    edges = []
    for target in range(1, n):
        for source in rng.integers(max(0, target - 40), target, rng.integers(0, 4)):
            edges.append((int(source), int(rng.integers(0, 2)), target))
    return edges


@pytest.mark.parametrize("seed", range(8))
def test_boxes_do_not_overlap_and_edges_lead_down_past_them(seed):
    rng = np.random.default_rng(seed)
    boxes = [layout.Box(float(rng.integers(40, 250)), float(rng.integers(20, 90))) for _ in range(150)]
    edges = random_edges(seed, len(boxes))
    result = layout.arrange(boxes, edges)
    frames = [(box.x - box.width / 2, box.y, box.width, box.height) for box in boxes]
    for a, b in itertools.combinations(frames, 2):
        assert not overlap(a, b)
    for x, y, width, height in frames:
        assert x >= -1e-6 and y >= 0 and x + width <= result.width + 1e-6 and y + height <= result.height + 1e-6
    for (source, _, target), route in zip(edges, result.routes, strict=True):
        assert boxes[source].y + boxes[source].height <= boxes[target].y
        for x, top, bottom in route[1:]:
            lane = (x - 0.1, top, 0.2, bottom - top)
            assert not any(overlap(lane, frame) for frame in frames)


def test_a_chain_stands_in_one_column():
    boxes = [layout.Box(width, 20) for width in (50.0, 200.0, 80.0, 120.0)]
    layout.arrange(boxes, [(0, 0, 1), (1, 0, 2), (2, 0, 3)])
    assert len({box.x for box in boxes}) == 1


def test_crossings_that_need_not_be_are_gone():
    boxes = [layout.Box(50, 20) for _ in range(8)]
    edges = [(i, 0, 7 - i) for i in range(4)]
    layout.arrange(boxes, edges)
    left_to_right = sorted(range(4), key=lambda i: boxes[i].x)
    assert [boxes[7 - i].x for i in left_to_right] == sorted(box.x for box in boxes[4:])


def test_what_is_used_late_stands_late():
    """Box 1, a second input, is used by the last box only."""
    boxes = [layout.Box(50, 20) for _ in range(6)]
    layout.arrange(boxes, [(0, 0, 2), (2, 0, 3), (3, 0, 4), (4, 0, 5), (1, 0, 5)])
    assert boxes[1].y == boxes[4].y


def test_large_graphs_are_drawn(context):
    builder = webnn.GraphBuilder(context)
    x = skip = builder.input("x", [4], "float32")
    for i in range(600):
        x = builder.add(builder.relu(x), skip) if i % 7 == 0 else builder.sigmoid(x, label=f"layer{i}")
        skip = x if i % 11 == 0 else skip
    svg = viz.svg(builder, {"y": x})
    frames = boxes_of(svg)
    assert len(frames) == 2 + 600 + 86
    assert not any(overlap(a, b) for a, b in itertools.pairwise(sorted(frames, key=lambda frame: frame[1])))


def test_dot_has_all_nodes_and_edges(context):
    dot = viz.dot(*small(context))
    assert len(re.findall(r"^  n\d+ \[", dot, re.M)) == 1 + 5 + 2
    assert sorted(re.findall(r"n(\d+) -> n(\d+);", dot)) == sorted(
        [("0", "1"), ("1", "2"), ("2", "3"), ("0", "3"), ("3", "4"), ("4", "5"), ("5", "6"), ("5", "7")]
    )


# ---- explanations


def test_it_tells_what_was_fused_and_what_went(ml):
    with ml.create_context().result() as context:
        builder = webnn.GraphBuilder(context)
        x = builder.input("x", [1, 4, 8, 8], "float32")
        w = builder.constant(np.ones((4, 4, 3, 3), "float32"))
        y = builder.identity(builder.relu(builder.conv2d(x, w, label="stem\u202e")))
        found = viz.explain(builder.build({"y": y}, keep_definition=True).result())
    assert found.n_operations == 3 and found.gone == {"identity": 1}
    if found.info["backend"] == "onednn":
        assert "conv2d+relu" in [step["operations"] for step in found.steps] and found.reference == []
        assert "Fused into the step of the operation before: 1." in str(found)
    assert "stem\\u{202e}" in str(found) and "stem\\u{202e}" in found._repr_html_()
    ElementTree.fromstring(f"<div>{found._repr_html_().replace('<br>', '')}</div>")


def test_it_names_the_steps_on_the_reference_kernel(ml):
    with ml.create_context(backend="reference").result() as context:
        builder, outputs = small(context)
        found = viz.explain(builder.build(outputs).result())
    assert found.n_operations is None and found.gone is None and "for" not in str(found).splitlines()[0]
    assert found.reference == list(range(len(found.steps))) and len(found.steps) > 0
    assert "that is this context's backend" in str(found)


def test_it_tells_why_steps_are_on_the_reference_kernel(relu_graph):
    found = relu_graph.explain()
    assert isinstance(found, viz.Explanation) and found.steps == relu_graph.steps
    slow = dict(found.steps[0], reason="the faster kernels don't take its data type", declined="a, b")
    info = dict(found.info, backend="onednn")
    text = str(dataclasses.replace(found, info=info, steps=[slow, slow], reference=[0, 1]))
    assert "On the reference kernel: steps 1, 2: the faster kernels don't take its data type (asked: a, b)." in text


def test_steps_are_those_of_the_profile(context, relu_graph):
    profile = relu_graph.profile({"x": np.ones((2, 3), "float32")}, runs=1)
    assert all(step.pop("seconds") > 0 for step in profile)
    assert sum(step.pop("share") for step in profile) == pytest.approx(1)
    assert all(step.pop("flops_per_second") == 0 for step in profile)  # nothing multiplies
    assert all(0 < step.pop("of_peak") < 10 for step in profile)
    assert relu_graph.steps == profile
    assert {"operations", "kernel", "shapes", "layout", "declined", "reason", "label", "threads", "bytes",
            "flops", "launches"} == relu_graph.steps[0].keys()
    assert relu_graph.steps[0]["layout"] == "plain" and relu_graph.steps[0]["threads"] == 1


def test_a_profile_sets_products_against_the_peak(context):
    builder = webnn.GraphBuilder(context)
    a, b = builder.input("a", [64, 64], "float32"), builder.input("b", [64, 64], "float32")
    ones = np.ones((64, 64), "float32")
    graph = builder.build({"y": builder.matmul(a, b)}).result()
    (step,) = [step for step in graph.profile({"a": ones, "b": ones}, runs=3) if step["flops"]]
    assert step["flops"] == 2 * 64**3
    assert step["flops_per_second"] == pytest.approx(step["flops"] / step["seconds"])
    peaks = context.measure_peaks()
    share = max(step["flops"] / peaks["flops"], step["bytes"] / peaks["bytes"]) / step["seconds"]
    assert step["of_peak"] == pytest.approx(share)


def test_nothing_is_imported_before_it_is_used():
    program = (
        "import sys, webnn\n"
        "assert not {'webnn.viz', 'webnn.js', 'webnn._definition', 'json', 'inspect'} & sys.modules.keys()\n"
        "webnn.viz, webnn.js\n"
        "assert 'webnn.viz.svg' in sys.modules and 'webnn.js.module' in sys.modules and 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_small_products_have_one_thread():
    context = webnn.ML().create_context(threads=2).result()
    if context.info["backend"] != "onednn":
        pytest.skip("the reference has one thread for everything")
    for size, threads in (8, 1), (512, 2):
        builder = webnn.GraphBuilder(context)
        a, b = builder.input("a", [size, size], "float32"), builder.input("b", [size, size], "float32")
        graph = builder.build({"y": builder.matmul(a, b)}).result()
        assert [step["threads"] for step in graph.steps if step["flops"]] == [threads]
