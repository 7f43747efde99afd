"""The newest wheel in dist/, alone in an environment: what it brings along, and which OpenCL loader and CLBlast serve
where the system has them and where it doesn't. `make test-wheel` makes the wheel and runs this."""

import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile

import pytest

DIST = pathlib.Path(__file__).parents[2] / "dist"
BUNDLED = "webnn/opencl-libs/"

# What a program meets. The product is wide enough for every kernel of CLBlast's; its sums are whole numbers.
PROBE = """
import array, json, re, sys
sys.path += {paths}
import webnn

{before}
N = 160
options = {options}
with webnn.ML().create_context(passes="-tiles", **options).result() as context:
    b = webnn.GraphBuilder(context)
    x = b.input("x", [N, N], "float32")
    graph = b.build({{"y": b.matmul(x, x)}}).result()
    y = context.compute(graph, {{"x": array.array("f", [(i * 7 + i // 13) % 9 - 4 for i in range(N * N)])}})["y"]
    {inside}
    rows = memoryview(y).cast("B").cast("f")
    x = [[(i * 7 + i // 13) % 9 - 4 for i in range(r * N, r * N + N)] for r in range(N)]
    right = all(rows[r * N + c] == sum(x[r][k] * x[k][c] for k in range(N)) for r in range(0, N, 7) for c in range(N))
    kernels = [step["kernel"] for step in graph.steps]
drivers = [device["driver"] for device in webnn.devices() if device["backend"] == "opencl"]
maps = open("/proc/self/maps").read()
found = sorted(set(re.findall(r"/\\S*(?:libOpenCL|libclblast)\\S*", maps)))
print(json.dumps(dict(right=right, kernels=kernels, drivers=drivers, libraries=found)))
"""
PLAIN = {"paths": [], "before": "", "options": {"backend": "opencl"}, "inside": "pass"}

# Puts other folders in the places of those of libraries, for what is run: see `hidden`.
HIDE = """
set -e
while [ "$1" != -- ]; do
  mount --bind "$1" "$2/all"
  mount --bind "$2/rest" "$1"
  shift 2
done
shift
exec "$@"
"""


@pytest.fixture(scope="module")
def wheel():
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    wheels = sorted(DIST.glob(f"webnn-*-{tag}-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        pytest.skip("there is no wheel in dist/: make wheel")
    return wheels[-1]


@pytest.fixture(scope="module")
def bundle(wheel):
    """Names of the OpenCL libraries inside."""
    names = [name for name in zipfile.ZipFile(wheel).namelist() if re.search("opencl|clblast", name, re.I) and ".so" in name]
    if not names:
        pytest.skip("the wheel was made without OpenCL libraries")
    return names


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Of an environment in which there is nothing else."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"], check=True,
                          capture_output=True, text=True).stdout.strip()
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", site, wheel],
                   check=True)
    return python


def system_libraries():
    """Those that the dynamic linker would find, by name."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s*(libOpenCL|libclblast)\.so\S* .* => (\S+)$", listed, re.M)
    return {name: {str(pathlib.Path(path).resolve().parent) for which, path in found if which == name}
            for name in ("libOpenCL", "libclblast")}


def hidden(names, work):
    """The beginning of a command for which the system has no such libraries: it sees folders of links to all the others."""
    folders = set().union(*(system_libraries()[name] for name in names))
    if not folders:
        return []
    apart = ["unshare", "--map-root-user", "--mount"]
    if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system of its own for a process here")
    places = []
    for number, folder in enumerate(sorted(folders)):
        place = work / str(number)
        (place / "all").mkdir(parents=True)
        (place / "rest").mkdir()
        for entry in os.scandir(folder):
            if entry.name.split(".so")[0] not in names:
                real = os.path.realpath(entry.path)
                inside = os.path.commonpath([real, folder]) == folder
                (place / "rest" / entry.name).symlink_to(place / "all" / os.path.relpath(real, folder) if inside else real)
        places += [folder, str(place)]
    return [*apart, "sh", "-c", HIDE, "sh", *places, "--"]


def run(python, names, work, **parts):
    program = PROBE.format(**{**PLAIN, **parts})
    done = subprocess.run([*hidden(names, work), str(python), "-I", "-c", program], capture_output=True, text=True, check=False)
    if done.returncode != 0 and "NotSupportedError: opencl: there is no OpenCL device" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert "libOpenCL" not in done.stderr, done.stderr  # the dynamic linker has nothing to say about versions
    return json.loads(done.stdout)


def test_the_libraries_have_their_plain_names(bundle, wheel):
    """So that one loader serves all of a process; and their licences are there."""
    assert sorted(bundle) == [BUNDLED + "libOpenCL.so.1", BUNDLED + "libclblast.so.1"]
    names = zipfile.ZipFile(wheel).namelist()
    for library, words in (("libOpenCL", "Redistribution and use"), ("libclblast", "TERMS AND CONDITIONS")):
        name = f"{BUNDLED}{library}-copyright.txt"
        assert name in names and words in zipfile.ZipFile(wheel).read(name).decode()


def test_the_package_needs_nothing_else(python):
    program = "import webnn; print(webnn.ML().create_context().result().info['backend'])"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("onednn", "reference")


@pytest.mark.parametrize("names", [[], ["libclblast"], ["libOpenCL"], ["libOpenCL", "libclblast"]], ids="+".join)
def test_what_the_system_lacks_is_bundled(bundle, python, tmp_path, names):
    found = run(python, names, tmp_path)
    assert found["right"] and "opencl clblast" in found["kernels"]
    has = {name: bool(folders) and name not in names for name, folders in system_libraries().items()}
    loader, blast = ("the system's" if has[name] else "the bundled" for name in ("libOpenCL", "libclblast"))
    assert all(driver.endswith(f", {loader} loader, {blast} CLBlast") for driver in found["drivers"]), found
    for name, whose in has.items():  # each is there once
        (path,) = [path for path in found["libraries"] if name in path]
        assert (BUNDLED not in path) == whose


@pytest.mark.parametrize("first", ["pyopencl", "webnn"])
def test_beside_pyopencl(bundle, python, tmp_path, first):
    """Whose wheel has a loader of its own under another name: queues and buffers are the driver's all the same."""
    pytest.importorskip("pyopencl", reason="no pyopencl here")
    owner = """
import pyopencl as cl
device = next(d for p in cl.get_platforms() for d in p.get_devices())
owner = cl.Context([device])
queue = cl.CommandQueue(owner)"""
    inside = """
    lent = context.create_tensor([4], "float32", readable=True).result()
    memory, event = lent.export_opencl()
    cl.Event.from_int_ptr(event, retain=False).wait()
    buffer = cl.Buffer.from_int_ptr(memory)
    lent.return_opencl(cl.enqueue_copy(queue, buffer, array.array("f", [1, 2, 3, 4]), is_blocking=False))
    assert memoryview(context.read_tensor(lent).result()).tolist() == [1, 2, 3, 4]"""
    if first == "webnn":
        owner = "webnn.devices()" + owner
    paths = [sysconfig.get_path("platlib")]
    found = run(python, ["libOpenCL", "libclblast"], tmp_path, paths=paths, before=owner, options='{"opencl": queue}', inside=inside)
    assert found["right"] and "opencl clblast" in found["kernels"]
    assert sum(BUNDLED in path for path in found["libraries"]) == 2
    assert sum("pyopencl" in path for path in found["libraries"]) <= 1
