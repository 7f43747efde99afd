#!/usr/bin/env python3
"""Reads the text on a picture of a page and draws what was found.

    read_page.py [IMAGE] [--out PICTURE]

Without an image it reads page.png of scikit-image. Models and page come from the cache of
tools/fetch_models.py, which fetches what is missing. Needs NumPy, Pillow and onnx.
"""

import argparse
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tools")]

import fetch_models  # noqa: E402
import image as images  # noqa: E402
import webnn  # noqa: E402
from PIL import Image, ImageDraw, ImageFont  # noqa: E402
from reader import Reader  # noqa: E402

MODELS = ("ppocr-det", "ppocr-cls", "ppocr-rec")


def main():
    options = arguments()
    try:
        paths = [fetch_models.fetch(name) for name in MODELS]
        path = options.image or fetch_models.fetch("page.png")
        page = images.load(path)
    except FileNotFoundError as error:
        sys.exit(f"read_page: {error.filename}: there is no such file")
    except (fetch_models.FetchError, OSError) as error:
        sys.exit(f"read_page: {error}")
    with webnn.ML().create_context(device_type=options.device).result() as context:
        print(f"{path}: {page.shape[1]} × {page.shape[0]} pixels, {about(context)}", flush=True)
        reader = Reader(context, paths, options.box_threshold, options.text_score)
        lines = read(reader, page)
        report(reader)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        drawing(page, lines).save(options.out)
        print(f"The picture is {options.out}.")


def arguments():
    parser = argparse.ArgumentParser(description="Reads the text on a picture of a page.")
    parser.add_argument("image", nargs="?", type=pathlib.Path, help="a picture; scikit-image's page.png by default")
    parser.add_argument("--out", type=pathlib.Path, help="where to draw the page and its text")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--box-threshold", type=float, default=0.5, help="how sure a line must be to be one")
    parser.add_argument("--text-score", type=float, default=0.5, help="how sure its text must be to be shown")
    return parser.parse_args()


def about(context):
    return ", ".join(f"{key} {context.info[key]}" for key in ("backend", "device", "threads") if context.info.get(key))


def read(reader, page):
    """Prints each line of text as soon as it is read."""
    total = 0

    def found(count):
        nonlocal total
        total = count
        print(f"{counted(count, 'line')} found in {time.perf_counter() - started:.2f} s", flush=True)

    started = time.perf_counter()
    lines = []
    for line in reader.read(page, found):
        lines.append(line)
        print(f"{len(lines):3}/{total}  {line.score:.3f}  {line.text}", flush=True)
    print(f"{counted(len(lines), 'line')} read in {time.perf_counter() - started:.2f} s")
    return lines


def report(reader):
    for name, model in (("detection", reader.detection), ("direction", reader.direction),
                        ("recognition", reader.recognition)):
        if model.runs:
            mean = model.running / model.runs * 1000
            print(f"  {name:12} {counted(model.runs, 'run'):>7} of {mean:6.1f} ms; "
                  f"{counted(model.n_graphs, 'graph')} built in {model.loading:.2f} s")


def counted(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def drawing(page, lines):
    """The page with boxes round the lines, and beside it their text in the same places."""
    zoom = max(1, round(900 / page.shape[1]))
    width, height = page.shape[1] * zoom, page.shape[0] * zoom
    canvas = Image.new("RGB", (2 * width, height), "white")
    canvas.paste(Image.fromarray(page[:, :, ::-1]).resize((width, height)))
    draw = ImageDraw.Draw(canvas)
    for line in lines:
        corners = [(float(x) * zoom, float(y) * zoom) for x, y in line.box]
        draw.polygon(corners, outline=(210, 40, 40), width=2)
        left, top = min(x for x, _ in corners), min(y for _, y in corners)
        right, bottom = max(x for x, _ in corners), max(y for _, y in corners)
        font = fitting_font(draw, line.text, right - left, bottom - top)
        draw.text((width + left, (top + bottom) / 2), line.text, fill="black", font=font, anchor="lm")
    return canvas


def fitting_font(draw, text, width, height):
    """Pillow's own font, as large as the box allows."""
    size = max(8, int(height * 0.8))
    font = ImageFont.load_default(size)
    length = draw.textlength(text, font=font)
    return font if length <= width else ImageFont.load_default(max(8, int(size * width / length)))


if __name__ == "__main__":
    main()
