"""Reading a page with three models of PP-OCR: where lines are, which way up each is, what it says.

The steps and their parameters are those of RapidOCR 1.4.4, so that the text is the same.
"""

import math
import time

import numpy as np
import webnn
import webnn.onnx

import image as images
import regions

_LINE_HEIGHT = 48   # of the models for single lines
_UPRIGHT_WIDTH = 192
_LEAST_RATIO = 320 / 48
_LINES_OF_A_WIDTH = 6


class Model:
    """An ONNX model as graphs, one for each shape of its only input, and the time that they took."""

    def __init__(self, context, path):
        self._context, self._path, self._graphs = context, path, {}
        self.loading = self.running = 0.0
        self.runs = 0

    @property
    def n_graphs(self):
        return len(self._graphs)

    def __call__(self, x):
        graph, name = self._graph(x.shape)
        started = time.perf_counter()
        result, = self._context.compute(graph, {name: np.ascontiguousarray(x)}).values()
        self.running += time.perf_counter() - started
        self.runs += 1
        return result

    def _graph(self, shape):
        if shape not in self._graphs:
            started = time.perf_counter()
            graph = webnn.onnx.load(self._path, self._context, shapes={"x": shape})
            self.loading += time.perf_counter() - started
            self._graphs[shape] = graph, "x"
        return self._graphs[shape]


class Line:
    """A line of text: its box (four corners in the page, clockwise from top left), text and how sure it is."""

    def __init__(self, box, text, score):
        self.box, self.text, self.score = box, text, score


class Reader:
    """Finds and reads lines. `paths` are those of the models for detection, direction and recognition."""

    def __init__(self, context, paths, box_threshold=0.5, text_score=0.5, growth=1.6):
        self.detection, self.direction, self.recognition = (Model(context, path) for path in paths)
        self._characters = _characters(paths[2])
        self.box_threshold, self._text_score, self._growth = box_threshold, text_score, growth

    def read(self, page, found=None):
        """Yields lines from top to bottom as they are read; `found(n)` is called when their number is known."""
        page, scale = _prepared(page)
        page, margin = _with_margin(page)
        boxes = self._find(page)
        pieces = [images.cut_out(page, box) for box in boxes]
        if found is not None:
            found(len(boxes))
        for box, piece, width in zip(boxes, pieces, _widths(pieces)):
            text, score = self._recognise(self._upright(piece), width)
            if score >= self._text_score:
                yield Line((np.asarray(box, np.float32) - [0, margin]).clip(0) * scale, text, score)

    def _find(self, page):
        height, width = page.shape[:2]
        ratio = max(1.0, 736 / min(height, width))
        scaled = images.resize(page, *(_multiple_of_32(int(size * ratio)) for size in (width, height)))
        likely = self.detection(_normalised(scaled)[None])
        return regions.find_boxes(likely[0, 0], width, height, box_threshold=self.box_threshold, ratio=self._growth)

    def _upright(self, piece):
        """Turns a line that is upside down, when that is rather sure."""
        chances = self.direction(_padded(piece, _UPRIGHT_WIDTH)[None])[0]
        return piece[::-1, ::-1] if chances[1] > max(chances[0], 0.9) else piece

    def _recognise(self, piece, width):
        """The likeliest character of each column, where it isn't blank or a repetition."""
        chances = self.recognition(_padded(piece, width)[None])[0]
        best = chances.argmax(axis=1)
        chosen = best != 0
        chosen[1:] &= best[1:] != best[:-1]
        text = "".join(self._characters[k] for k in best[chosen])
        return text, float(chances.max(axis=1)[chosen].mean()) if chosen.any() else 0.0


def _characters(path):
    """The characters that a recognition model tells apart: the model's own list between blank and space."""
    import onnx
    model = onnx.load(path, load_external_data=False)
    listed = {entry.key: entry.value for entry in model.metadata_props}["character"]
    return ["", *listed.splitlines(), " "]


def _prepared(page, most=2000, least=30):
    """A page scaled to sides between bounds, and how much longer those of the given one are."""
    height, width = page.shape[:2]
    ratio = 1.0
    if max(height, width) > most:
        ratio = most / max(height, width)
    elif min(height, width) < least:
        ratio = least / min(height, width)
    if ratio == 1:
        return page, np.ones(2)
    scaled = images.resize(page, *(max(32, _multiple_of_32(int(size * ratio))) for size in (width, height)))
    return scaled, np.array([width / scaled.shape[1], height / scaled.shape[0]])


def _with_margin(page, least=30, widest=8):
    """Black above and below a page that is very low or wide; and how much above."""
    height, width = page.shape[:2]
    if height > least and width / height <= widest:
        return page, 0
    margin = abs(max(width // widest, least) * 2 - height) // 2
    return np.pad(page, ((margin, margin), (0, 0), (0, 0))), margin


def _multiple_of_32(size):
    return int(round(size / 32) * 32)


def _normalised(picture):
    """Channels first, from −1 to 1."""
    return ((picture.astype(np.float32) * (1 / 255.0) - 0.5) / 0.5).transpose(2, 0, 1)


def _padded(piece, width):
    """A line scaled to the models' height, at most so wide, with nothing to its right."""
    height, own = piece.shape[:2]
    own = min(width, math.ceil(_LINE_HEIGHT * own / height))
    scaled = images.resize(piece, own, _LINE_HEIGHT).astype(np.float32).transpose(2, 0, 1) / 255
    out = np.zeros((3, _LINE_HEIGHT, width), np.float32)
    out[:, :, :own] = (scaled - 0.5) / 0.5
    return out


def _widths(pieces):
    """How wide the input is for each line: what the widest of six lines of about the same form needs."""
    ratios = np.array([piece.shape[1] / piece.shape[0] for piece in pieces])
    order, widths = np.argsort(ratios), [0] * len(pieces)
    for start in range(0, len(order), _LINES_OF_A_WIDTH):
        group = order[start:start + _LINES_OF_A_WIDTH]
        for k in group:
            widths[k] = int(_LINE_HEIGHT * max(_LEAST_RATIO, ratios[group].max()))
    return widths
