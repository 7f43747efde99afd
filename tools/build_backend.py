"""The build backend: scikit-build-core, which asks for the oneDNN wheels only when nothing better is there.

Better is what CMake finds first: a oneDNN named by DNNL_ROOT or CMAKE_PREFIX_PATH, one that the system has, or the
current release that tools/build-onednn has put into its cache. The wheels exist for x86-64 Linux alone; elsewhere
the package is built with the reference backend.
"""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from scikit_build_core import build as _build
from scikit_build_core.build import (  # noqa: F401  what a front end calls
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ONEDNN_WHEELS = ["onednn-devel-cpu-gomp==2023.2.0", "onednn-cpu-gomp==2023.2.0"]
OLDEST = (3, 2)


def _settings(config_settings):
    """CMake definitions among the settings, whichever way the front end spells them."""
    found = dict(re.findall(r"-D(\w+)(?::\w+)?=(\S+)", os.environ.get("CMAKE_ARGS", "")))
    for key, value in (config_settings or {}).items():
        if key.startswith("cmake.define."):
            found[key[len("cmake.define."):]] = value
        elif key == "cmake.args":
            values = value if isinstance(value, list) else [value]
            found.update(re.findall(r"-D(\w+)(?::\w+)?=(\S+)", " ".join(values)))
    return found


def _is_new_enough(prefix):
    for version in Path(prefix).glob("lib*/**/cmake/dnnl/dnnl-config-version.cmake"):
        match = re.search(r'PACKAGE_VERSION "(\d+)\.(\d+)', version.read_text())
        if match and (int(match[1]), int(match[2])) >= OLDEST:
            return True
    return False


def _has_onednn(settings):
    given = [settings.get("DNNL_ROOT", ""), os.environ.get("DNNL_ROOT", "")]
    given += settings.get("CMAKE_PREFIX_PATH", "").split(";")
    given += os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep)
    places = [place for place in given if place] + ["/usr/local", "/usr"]
    script = Path(__file__).with_name("build-onednn")
    cache = subprocess.run([script, "--where"], capture_output=True, text=True, check=False)
    if cache.returncode == 0:
        places.append(cache.stdout.strip())
    return any(_is_new_enough(place) for place in places)


def _onednn_requirements(config_settings):
    settings = _settings(config_settings)
    wanted = settings.get("WEBNN_ONEDNN", "AUTO").upper()
    if wanted in ("OFF", "0", "FALSE", "NO"):
        return []
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return []
    if settings.get("WEBNN_ONEDNN_FROM", "AUTO").upper() != "WHEEL" and _has_onednn(settings):
        return []
    return ONEDNN_WHEELS


def get_requires_for_build_wheel(config_settings=None):
    return _build.get_requires_for_build_wheel(config_settings) + _onednn_requirements(config_settings)


def get_requires_for_build_editable(config_settings=None):
    return _build.get_requires_for_build_editable(config_settings) + _onednn_requirements(config_settings)
