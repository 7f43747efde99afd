"""The demo: what it reads is what RapidOCR 1.4.4 reads, and its geometry is right."""

import pathlib
import sys

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("PIL")

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / "ocr"), str(ROOT / "tools")]

import fetch_models  # noqa: E402
import image as images  # noqa: E402
import read_page  # noqa: E402
import reader  # noqa: E402
import regions  # noqa: E402

import webnn  # noqa: E402

# rapidocr_onnxruntime 1.4.4 with its own settings, and with box_thresh 0.3; OpenCV 5.0, onnxruntime 1.32.
LINES = [
    ([[7, 12], [292, 14], [292, 33], [7, 32]], "Region-basedsegmentation", 0.9960),
    ([[4, 47], [379, 48], [378, 66], [4, 65]], "Let us first determine markers of the coins and the", 0.9311),
    ([[3, 63], [379, 64], [379, 86], [3, 85]], "background.These markers are pixels that we can label", 0.9577),
    ([[3, 81], [378, 83], [378, 104], [3, 102]], "unambiguously as either object or background.Here,", 0.9540),
    ([[5, 114], [172, 123], [171, 140], [4, 132]], "histogram ofgreyvalues:", 0.9706),
]
FAINT_LINE = ([[2, 96], [381, 98], [381, 123], [2, 121]], "themarkers are found at the two extreme parts of the")
UPSIDE_DOWN = ["histogramofgreyvalues:", "Let us first determine markers of the coins and the"]


def fetched(*names):
    try:
        return [fetch_models.fetch(name, download=False) for name in names]
    except fetch_models.FetchError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def page():
    return images.load(*fetched("page.png"))


@pytest.fixture(scope="module")
def ocr(page):
    with webnn.ML().create_context().result() as context:
        yield reader.Reader(context, fetched(*read_page.MODELS))


@pytest.fixture(scope="module")
def lines(ocr, page):
    return list(ocr.read(page))


def test_text_is_rapidocrs(lines):
    assert [line.text for line in lines] == [text for _, text, _ in LINES]


def test_boxes_and_scores_are_rapidocrs(lines):
    for line, (box, _, score) in zip(lines, LINES):
        assert np.abs(line.box - box).max() <= 1
        assert line.score == pytest.approx(score, abs=2e-3)


def test_lower_threshold_finds_the_faint_line(ocr, page):
    ocr.box_threshold, before = 0.3, ocr.box_threshold
    try:
        box, text = FAINT_LINE
        found = {line.text: line for line in ocr.read(page)}
    finally:
        ocr.box_threshold = before
    assert text in found and np.abs(found[text].box - box).max() <= 1


def test_upside_down_page(ocr, page):
    """Fewer lines are found so, but the direction model turns them."""
    lines = list(ocr.read(np.ascontiguousarray(page[::-1, ::-1])))
    assert [line.text for line in lines] == UPSIDE_DOWN


def test_blank_page(ocr):
    assert list(ocr.read(np.full((100, 120, 3), 255, np.uint8))) == []


def test_drawing(lines, page):
    picture = read_page.drawing(page, lines)
    pixels = np.asarray(picture)
    assert picture.size == (2 * 2 * page.shape[1], 2 * page.shape[0])
    beside = pixels[:, 2 * page.shape[1]:].min(axis=2)
    for line in lines:
        left, right = (int(2 * edge) for edge in (line.box[:, 0].min(), line.box[:, 0].max()))
        top, bottom = (int(2 * edge) for edge in (line.box[:, 1].min(), line.box[:, 1].max()))
        assert (beside[top:bottom, left:right] < 128).any()


# Images

def test_resize_of_a_ramp():
    """Doubling puts samples a quarter before and after each pixel's centre."""
    ramp = np.repeat(np.arange(0, 200, 40, dtype=np.uint8)[None, :, None], 3, axis=2)
    assert images.resize(ramp, 10, 1)[0, :, 0].tolist() == [0, 10, 30, 50, 70, 90, 110, 130, 150, 160]


def test_cut_out_of_an_upright_box():
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (20, 30, 3)).astype(np.uint8)
    piece = images.cut_out(picture, np.array([[4, 5], [16, 5], [16, 12], [4, 12]], np.float32))
    np.testing.assert_array_equal(piece, picture[5:12, 4:16])


def test_cut_out_lays_down_what_stands():
    picture = np.arange(30 * 20 * 3, dtype=np.uint32).reshape(30, 20, 3).astype(np.uint8)
    piece = images.cut_out(picture, np.array([[4, 5], [9, 5], [9, 25], [4, 25]], np.float32))
    np.testing.assert_array_equal(piece, np.rot90(picture[5:25, 4:9]))


def test_transparent_is_white(tmp_path):
    from PIL import Image
    Image.new("RGBA", (3, 2), (10, 20, 30, 0)).save(tmp_path / "clear.png")
    assert (images.load(tmp_path / "clear.png") == 255).all()


# Regions

def test_connected_regions():
    mask = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1]], bool)
    assert len(regions.connected(mask, diagonal=True)) == 2
    assert len(regions.connected(mask, diagonal=False)) == 3
    assert regions.connected(np.zeros((2, 2), bool), diagonal=True) == []


def test_regions_that_meet_late_are_one():
    mask = np.array([[1, 0, 1, 0, 1], [1, 0, 1, 0, 1], [1, 1, 1, 1, 1]], bool)
    assert len(regions.connected(mask, diagonal=False)) == 1


def test_outline_of_a_hole():
    mask = np.ones((5, 5), bool)
    mask[2, 2] = False
    outer, hole = regions.outlines(mask)
    assert set(map(tuple, regions.convex_hull(outer))) == {(0, 0), (4, 0), (4, 4), (0, 4)}
    assert set(map(tuple, hole)) == {(1, 2), (3, 2), (2, 1), (2, 3)}


@pytest.mark.parametrize("degrees", [0, 17, 45, 90, -30])
def test_smallest_rectangle(degrees):
    turn = np.deg2rad(degrees)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    wanted = np.array([[0, 0], [60, 0], [60, 12], [0, 12]]) @ matrix
    inner = np.random.default_rng(1).uniform([0, 0], [60, 12], (50, 2)) @ matrix
    corners, shorter = regions.smallest_rectangle(np.concatenate([wanted, inner]))
    assert shorter == pytest.approx(12, abs=1e-3)
    distances = np.linalg.norm(corners[:, None] - wanted[None], axis=2)
    assert (distances.min(axis=1) < 1e-3).all() and (distances.min(axis=0) < 1e-3).all()


def test_grown_rectangle():
    """100 × 20 grows by 1.6 · 2000 / 240 = 13.33 on each side, with round corners."""
    points = regions.grown(np.array([[50, 50], [150, 50], [150, 70], [50, 70]], np.float32), 1.6)
    assert points.min(axis=0).tolist() == [37, 37] and points.max(axis=0).tolist() == [163, 83]
    corners = np.array([[50, 50], [150, 50], [150, 70], [50, 70]])
    distance = np.linalg.norm(points[:, None] - corners[None], axis=2).min(axis=1)
    assert (np.abs(distance - 40 / 3) < 1).all()


def test_mean_inside():
    values = np.zeros((20, 30), np.float32)
    values[5:11, 4:21] = 1
    box = np.array([[4, 5], [20, 5], [20, 10], [4, 10]], np.float32)
    assert regions.mean_inside(values, box) == 1
    assert regions.mean_inside(values, box + [0, 3]) == pytest.approx(0.5)


def test_reading_order():
    boxes = [np.array([[x, y]] * 4) for x, y in ((100, 8), (5, 12), (50, 40), (5, 100))]
    assert [tuple(box[0]) for box in regions.in_reading_order(boxes[::-1])] == [(5, 12), (100, 8), (50, 40), (5, 100)]
