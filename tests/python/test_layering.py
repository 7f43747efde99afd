"""What may include what, and what the public headers promise."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)

# Folder of libwebnn/src -> folders and files that its sources may include, besides their own folder and the public
# headers (graph and op may see nothing of the context but its public calls).
ALLOWED = {
    "base": set(),
    "op": {"base"},
    "graph": {"op", "base"},
    "passes": {"graph", "op", "base"},
    "lower": {"passes", "graph", "op", "base", "backend.h", "parallel.h"},
    "serial": {"graph", "op", "base"},
    "context": {"passes", "graph", "op", "base", "backend.h", "parallel.h"},
}
BACKEND = {"backend.h", "parallel.h", "lower", "graph", "op", "base"}
SYSTEM = re.compile(r"^(std\w+|string|math|stdio|errno|time|limits|float|ctype|inttypes|assert)\.h$")


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def sources(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in (".c", ".h", ".inc", ".def", ".cpp")]


def is_project(name):
    return (ROOT / "libwebnn/src" / name).exists() or (ROOT / "backends" / name).exists()


@pytest.mark.parametrize("folder", sorted(ALLOWED))
def test_core_folders_include_only_what_is_below_them(folder):
    root = ROOT / "libwebnn/src" / folder
    for path in sources(root) if root.exists() else []:
        for name in includes(path):
            if name.startswith("webnn/") or not is_project(name):
                continue
            first = name.split("/")[0]
            if path.name in ("registry.c",) and first in ("reference", "onednn", "opencl"):
                continue
            assert first == folder or first in ALLOWED[folder], f"{path.relative_to(ROOT)} includes {name}"


def test_only_the_registry_names_a_backend():
    for path in sources(ROOT / "libwebnn"):
        text = path.read_text(encoding="utf-8")
        if path.name not in ("registry.c", "registry.h"):
            assert not re.search(r"wnn_backend_(reference|onednn|opencl)", text), path


@pytest.mark.parametrize("backend", ["reference", "onednn", "opencl"])
def test_backends_see_the_seam_and_each_other_only_as_agreed(backend):
    others = {"reference", "onednn", "opencl"} - {backend}
    if backend in ("onednn", "opencl"):  # a last resort; constants are folded on the host
        others -= {"reference"}
    for path in sources(ROOT / "backends" / backend):
        for name in includes(path):
            first = name.split("/")[0]
            assert first not in others, f"{path.relative_to(ROOT)} includes {name}"
            assert first not in ("context", "passes", "serial"), f"{path.relative_to(ROOT)} includes {name}"
            if (ROOT / "libwebnn/src" / name).exists() and not (path.parent / name).exists():
                assert first in BACKEND, f"{path.relative_to(ROOT)} includes {name}"


def test_bindings_see_public_headers_only():
    for folder in ("bindings", "examples", "bench"):
        for path in sources(ROOT / folder):
            for name in includes(path):
                inside = (ROOT / "libwebnn/src" / name).exists() and not (path.parent / name).exists()
                assert not inside, f"{path.relative_to(ROOT)} includes {name}"


def test_threads_are_made_in_two_files_only():
    allowed = {"sync.c", "sync.h", "parallel.c"}
    for path in sources(ROOT / "libwebnn") + sources(ROOT / "backends"):
        if path.name not in allowed:
            assert "pthread" not in path.read_text(encoding="utf-8"), path


HEADERS = sorted((ROOT / "libwebnn/include/webnn").glob("*.h"))
DECLARATION = re.compile(r"^WEBNN_API [^;]*?\b(webnn_\w+)\(", re.M)


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_public_functions_are_documented(header):
    """A declaration follows a comment, or another declaration that one comment covers."""
    text = header.read_text(encoding="utf-8")
    for match in DECLARATION.finditer(text):
        before = text[: match.start()].rstrip()
        line = before.splitlines()[-1]
        after = text[match.start():].split("\n", 1)[0]
        documented = line.endswith("*/") or line.endswith(";") or "/**<" in after
        assert documented, f"{header.name}: {match[1]} has no comment"
        blocks = [block for block in re.findall(r"/\*\*(?!<).*?\*/", before, re.S)]
        assert blocks, f"{header.name}: {match[1]} has no comment"


def test_texts_name_no_machine_and_no_registry():
    pattern = re.compile(r"(^|[^A-Za-z0-9_.])/(work|farm)/|/" r"root/|https?://[^ ]*(pypi|pythonhosted|npmjs|crates)")
    skip = {"data", "__pycache__", ".git", ".hypothesis", "build", ".venv", "demo"}
    for path in ROOT.rglob("*"):
        if not path.is_file() or skip & set(path.relative_to(ROOT).parts) or path.name == pathlib.Path(__file__).name:
            continue
        if path.suffix in (".c", ".h", ".inc", ".def", ".py", ".md", ".txt", ".toml", ".json", ".cmake", ""):
            text = path.read_text(encoding="utf-8", errors="ignore")
            assert not pattern.search(text), path
