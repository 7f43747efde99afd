"""Everything that the README prints is run: Python and C as they stand, commands by their targets."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


EXPECTED = ["[[3. 3. 3. 3.]\n [3. 3. 3. 3.]]", "[0.26894", "[[0.3333"]


@pytest.mark.parametrize("i", range(len(EXPECTED)))
def test_python_blocks_run_as_printed(i, tmp_path):
    assert len(blocks("python")) == len(EXPECTED)
    program = tmp_path / "block.py"
    program.write_text(blocks("python")[i], encoding="utf-8")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(EXPECTED[i])


def test_first_example_has_ten_lines():
    assert len(blocks("python")[0].strip().splitlines()) == 10


def library():
    for folder in ("build/release", "build/current", "build/asan"):
        found = sorted((ROOT / folder).glob("libwebnn/libwebnn.so"))
        if found:
            return found[0]
    return None


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_block_runs_as_printed(tmp_path):
    shared = os.environ.get("WEBNN_LIBRARY") or library()
    if shared is None:
        pytest.skip("the C library isn't built here: make test builds it first")
    (program,) = blocks("c")
    (tmp_path / "block.c").write_text(program, encoding="utf-8")
    folder = pathlib.Path(shared).parent
    command = ["cc", "-std=c11", "-Wall", "-Werror", "block.c", "-o", "block", f"-I{ROOT}/libwebnn/include",
               f"-L{folder}", "-lwebnn", f"-Wl,-rpath,{folder}"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./block"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "0 0 1 2\n"


def test_commands_have_targets_and_extras():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in "\n".join(blocks("sh")).splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "make":
            assert re.search(rf"^{words[1]}:", makefile, re.M), line
        elif words[0] == "cmake":
            continue  # below, and tests/consumer builds against what is installed
        else:
            assert words[:2] == ["pip", "install"], line
    for extra in re.findall(r"\.\[(\w+)\]", README):
        assert re.search(rf"^{extra} = \[", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M)


@pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("make") is None, reason="no cmake or make")
def test_cmake_takes_what_is_printed(tmp_path):
    printed = [line.split() for line in "\n".join(blocks("sh")).splitlines() if line.startswith("cmake -S")]
    assert len(printed) == 1
    command = [str(tmp_path) if word == "build/c" else word for word in printed[0]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "not used by the project" not in done.stderr, done.stderr


def test_folders_and_links_exist():
    for path in re.findall(r"^\| `([^`]+)`", README, re.M) + re.findall(r"\]\(([\w./]+)\)", README):
        assert (ROOT / path).exists(), path
