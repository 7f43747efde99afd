"""SVG: a little paper to draw on, and the drawing of a graph.

Styles are attributes, not sheets: a style sheet in a notebook's cell would reach the whole page.
"""

import unicodedata
from xml.sax.saxutils import escape, quoteattr

from .._definition import visible
from .layout import Box, arrange
from .nodes import nodes_of

FONT = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
INK, FADED, RULE, PAPER = "#1e293b", "#64748b", "#cbd5e1", "#ffffff"
_EDGE = "#94a3b8"

# Of each family the colours of a heading and of its border.
COLOURS = {
    "conv": ("#2563eb", "#1d4ed8"),
    "matrix": ("#4f46e5", "#4338ca"),
    "recurrent": ("#7c3aed", "#6d28d9"),
    "pool": ("#0d9488", "#0f766e"),
    "norm": ("#0891b2", "#0e7490"),
    "activation": ("#db2777", "#be185d"),
    "reduce": ("#65a30d", "#4d7c0f"),
    "movement": ("#64748b", "#475569"),
    "index": ("#b45309", "#92400e"),
    "quantize": ("#c2410c", "#9a3412"),
    "elementwise": ("#d97706", "#b45309"),
    "input": ("#f0fdf4", "#16a34a"),
    "output": ("#fef2f2", "#dc2626"),
}

_NARROW, _WIDE = frozenset("ijlI.,:;'|!()[]/ t f"), frozenset("mwMW@%×→—")
_MARGIN = 20
_PAD, _HEAD, _LINE, _FOOT = 10, 24, 15, 21
_LEAST, _MOST = 84, 250


class Paper:
    """Collects elements. Coordinates are rounded: a picture is no place for sixteen digits."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def add(self, tag, content=None, **attributes):
        words = "".join(f" {key.replace('_', '-')}={quoteattr(_word(value))}" for key, value in attributes.items())
        self.parts.append(f"<{tag}{words}/>" if content is None else f"<{tag}{words}>{content}</{tag}>")

    def open(self, tag, title=None, **attributes):
        words = "".join(f" {key.replace('_', '-')}={quoteattr(_word(value))}" for key, value in attributes.items())
        self.parts.append(f"<{tag}{words}>")
        if title:
            self.parts.append(f"<title>{xml(title)}</title>")

    def close(self, tag):
        self.parts.append(f"</{tag}>")

    def text(self, x, y, words, size=11, fill=INK, anchor="start", weight=None):
        more = {"font_weight": weight} if weight else {}
        self.add("text", xml(words), x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, **more)

    def __str__(self):
        width, height = _word(self.width), _word(self.height)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" font-family="{FONT}">'
        )
        paper = f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}"/>'
        return "\n".join([head, f"<title>{xml(self.title)}</title>", paper, *self.parts, "</svg>"]) + "\n"


def xml(text):
    """Text that is safe between tags and holds nothing that XML forbids or that can't be seen."""
    return escape("\n".join(visible(line) for line in text.split("\n")))


def _word(value):
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def text_width(text, size, bold=False):
    """About how wide a text is; fonts differ, so rather too wide."""
    def em(one):
        if one in _NARROW:
            return 0.36
        if one in _WIDE or one.isupper() and one in "GOQ":
            return 0.9
        if unicodedata.east_asian_width(one) in "WF":
            return 1.05
        return 0.7 if one.isupper() else 0.61
    return size * (1.08 if bold else 1.0) * sum(map(em, text))


def fit(text, size, room, bold=False, keep_end=False):
    """A text that is not wider than `room`; what is cut off is at the end, or else at the beginning."""
    if text_width(text, size, bold) <= room + 0.1:
        return text
    while text and text_width(text + "…", size, bold) > room:
        text = text[1:] if keep_end else text[:-1]
    return "…" + text if keep_end else text + "…"


# ---- a graph


def draw_graph(definition):
    """The whole picture."""
    nodes, edges = nodes_of(definition)
    boxes = [_measure(node) for node in nodes]
    layout = arrange(boxes, edges)
    n = len(definition.operators)
    paper = Paper(layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN, f"A graph of {n} operations")
    paper.open("g", transform=f"translate({_MARGIN} {_MARGIN})")
    _edges(paper, nodes, edges, boxes, layout)
    for node, box in zip(nodes, boxes):
        (_port if node.kind in ("input", "output") else _card)(paper, node, box)
    paper.close("g")
    return str(paper)


def _measure(node):
    if node.kind in ("input", "output"):
        widths = [text_width(node.title, 12, bold=True), text_width(node.results[0], 10)]
        return Box(min(max(max(widths) + 4 * _PAD, _LEAST), _MOST), 40)
    widths = [text_width(node.title, 12, bold=True), text_width(node.label, 10)]
    widths += [text_width(line, 10) for line in node.lines]
    widths += [text_width(line, 10) for line in node.results]
    n_lines = bool(node.label) + len(node.lines)
    height = _HEAD + n_lines * _LINE + (6 if n_lines else 0) + _FOOT + (len(node.results) - 1) * _LINE
    return Box(min(max(max(widths) + 2 * _PAD, _LEAST), _MOST), height)


def _port(paper, node, box):
    """An input or an output: a pill with its name."""
    fill, border = COLOURS[node.kind]
    room = box.width - 2 * _PAD
    paper.open("g", title=node.tip)
    paper.add("rect", x=box.x - box.width / 2, y=box.y, width=box.width, height=box.height, rx=box.height / 2,
              fill=fill, stroke=border, stroke_width=1.5)
    paper.text(box.x, box.y + 18, fit(node.title, 12, room, bold=True), 12, border, "middle", 600)
    paper.text(box.x, box.y + 31, fit(node.results[0], 10, room), 10, FADED, "middle")
    paper.close("g")


def _card(paper, node, box):
    """An operation: its name as a heading, label and constants, and at the foot what comes out."""
    fill, border = COLOURS[node.kind]
    left, width, room = box.x - box.width / 2, box.width, box.width - 2 * _PAD
    paper.open("g", title=node.tip)
    paper.add("rect", x=left, y=box.y, width=width, height=box.height, rx=5, fill=PAPER, stroke=border)
    top, r = box.y, 5
    paper.add("path", d=_path(f"M{{}} {{}} v{{}} a{r} {r} 0 0 1 {r} -{r} h{{}} a{r} {r} 0 0 1 {r} {r} v{{}} z", left,
                              top + _HEAD, r - _HEAD, width - 2 * r, _HEAD - r), fill=fill)
    paper.text(left + _PAD, top + 16, node.title, 12, "#ffffff", weight=600)
    y = top + _HEAD + 14
    if node.label:
        paper.text(left + _PAD, y, fit(node.label, 10, room, keep_end=True), 10, INK)
        y += _LINE
    for line in node.lines:
        paper.text(left + _PAD, y, fit(line, 10, room), 10, FADED)
        y += _LINE
    foot = box.y + box.height - _FOOT - (len(node.results) - 1) * _LINE
    if node.label or node.lines:
        paper.add("path", d=_path("M{} {} h{}", left, foot, width), stroke=RULE, stroke_width=0.75)
    for i, line in enumerate(node.results):
        paper.text(left + _PAD, foot + 14.0 + i * _LINE, fit(line, 10, room), 10, border)
    paper.close("g")


def _path(pattern, *numbers):
    return pattern.format(*(_word(float(number)) for number in numbers))


def _edges(paper, nodes, edges, boxes, layout):
    starts, ends = _starts(edges, boxes, layout), _ends(edges, boxes, layout)
    heads, drawn = [], set()
    for (source, _, target), route, x, end in zip(edges, layout.routes, starts, ends):
        y, top = boxes[source].y + boxes[source].height, boxes[target].y
        words = [_path("M{} {}", x, y)]
        if route[0][2] > y:  # past taller boxes beside it
            y = route[0][2]
            words.append(_path("V{}", y))
        for lane, lane_top, lane_bottom in route[1:]:
            words.append(_curve(x, y, lane, lane_top))
            if lane_bottom > lane_top:
                words.append(_path("V{}", lane_bottom))
            x, y = lane, lane_bottom
        words.append(_curve(x, y, end, top - 4))
        path = " ".join(words)
        if path not in drawn:
            drawn.add(path)
            paper.add("path", d=path, fill="none", stroke=_EDGE, stroke_width=1.4)
            heads.append((end, top))
    for x, y in heads:
        paper.add("path", d=_path("M{} {} l-3.5 -6 h7 z", x, y), fill=_EDGE)


def _curve(x0, y0, x1, y1):
    if abs(x0 - x1) < 0.05:
        return _path("V{}", y1)
    middle = (y0 + y1) / 2
    return _path("C{} {} {} {} {} {}", x0, middle, x1, middle, x1, y1)


def _side_by_side(places, x, width):
    """Spreads what leaves or meets a box at `x`, in the order of the places where it comes from or goes to."""
    order = sorted(places, key=places.__getitem__)
    step = min(16, (width - 20) / len(order))
    return {key: x + (k - (len(order) - 1) / 2) * step for k, key in enumerate(order)}


def _starts(edges, boxes, layout):
    """Where each edge leaves: one place for each output."""
    goals = {}
    for (source, port, target), route in zip(edges, layout.routes):
        goals.setdefault(source, {})[port] = route[1][0] if len(route) > 1 else boxes[target].x
    places = {source: _side_by_side(ports, boxes[source].x, boxes[source].width) for source, ports in goals.items()}
    return [places[source][port] for source, port, _ in edges]


def _ends(edges, boxes, layout):
    """Where each edge meets its target."""
    origins = {}
    for i, (_, _, target) in enumerate(edges):
        origins.setdefault(target, {})[i] = layout.routes[i][-1][0]
    places = {target: _side_by_side(members, boxes[target].x, boxes[target].width)
              for target, members in origins.items()}
    return [places[target][i] for i, (_, _, target) in enumerate(edges)]
