"""The notebooks run from top to bottom, and are kept without their outputs."""

import ast
import asyncio
import inspect
import json
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


async def run_cell(source, where, names):
    """As a notebook does: top-level await, and the value of a last expression is shown."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    parts = [(tree, "exec")] + ([(ast.Expression(last.value), "eval")] if last else [])
    value = None
    for part, mode in parts:
        value = eval(compile(part, where, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.iscoroutine(value):
            value = await value
    return value


def shown(value):
    """What a notebook would show."""
    for name in ("_repr_html_", "_repr_svg_"):
        text = getattr(value, name, lambda: None)()
        if text is not None:
            return text
    return repr(value)


async def run_notebook(path):
    names, results = {"__name__": "__main__"}, []
    for i, cell in enumerate(load(path)["cells"]):
        if cell["cell_type"] == "code":
            results.append(shown(await run_cell("".join(cell["source"]), f"{path.name}[{i}]", names)))
    return results


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["first_graph", "onnx_step_by_step"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path):
    if "onnx" in path.stem:
        pytest.importorskip("onnx.reference", reason="the notebook needs the onnx package")
    results = asyncio.run(run_notebook(path))
    assert sum("<svg" in text for text in results) == 1 and sum("<table>" in text for text in results) == 1
    if path.stem == "first_graph":
        assert sum(text.startswith("array([[0.],\n       [1.],\n       [1.],\n       [0.]]") for text in results) == 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_clean(path):
    notebook = load(path)
    assert notebook["nbformat"] == 4 and notebook["metadata"]["kernelspec"]["name"] == "python3"
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert cells[0]["cell_type"] == "markdown" and cells[0]["source"][0].startswith("# ")
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
