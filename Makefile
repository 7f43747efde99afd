# Thin doors to CMake, ctest and pytest. Everything lands in .venv, build and demo.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
IMAGE ?=

.PHONY: help demo test opencl lua test-lua test-c test-asan test-python test-current fuzz bench compare wheel test-wheel clean

help:
	@echo 'make demo [IMAGE=page.png]   reads a page through WebNN graphs; the picture is demo/page-read.png'
	@echo 'make test                    sets up all that the tests need and runs them'
	@echo 'make fuzz [MINUTES=10]       looks for graphs that a backend computes otherwise than NumPy does'
	@echo 'make lua [LUA=luajit]        builds the Lua module; make test-lua tests it on every Lua'
	@echo 'make bench [BENCH="models --threads 2"]   times models, loading … against onnxruntime and OpenVINO,'
	@echo '                             operations against NumPy too, and with TORCH=torch (a large download) against PyTorch'
	@echo 'make compare OLD=COMMIT [NEW=.] times models with two commits; fails where the newer is slower'
	@echo 'make wheel                   makes the distributable wheel in dist/; make test-wheel tests it, too'

# ---- environments: a stamp says that what it names is installed

$(BIN)/python:
	tools/need
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

SOURCES := $(shell git ls-files libwebnn backends bindings/python cmake tools CMakeLists.txt pyproject.toml 2>/dev/null)

$(VENV)/installed: $(SOURCES) | $(BIN)/python
	@echo 'Building the package for $(VENV): two minutes the first time.'
	$(BIN)/pip install --quiet '.[onnx]' --config-settings=build-dir=build/python
	touch $@

$(VENV)/tools: | $(BIN)/python
	$(BIN)/pip install --quiet cmake ninja onednn-devel-cpu-gomp==2023.2.0 onednn-cpu-gomp==2023.2.0
	touch $@

$(VENV)/tests: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet numpy 'onnx>=1.15' onnxruntime pillow pytest hypothesis
	-$(BIN)/pip install --quiet --only-binary :all: pyopencl # for memory shared with it: tests skip without
	touch $@

$(VENV)/peers: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet numpy 'onnx>=1.15' onnxruntime openvino
	touch $@

# What pip is to install as PyTorch: without it the bench leaves it out.
TORCH :=
$(VENV)/torch: | $(BIN)/python
	$(BIN)/pip install --quiet $(TORCH)
	touch $@

# ---- the demo

demo: $(VENV)/installed
	$(BIN)/pip install --quiet pillow
	$(BIN)/python tools/fetch_models.py ppocr-det ppocr-rec ppocr-cls page.png
	$(BIN)/python examples/ocr/read_page.py --out demo/page-read.png $(if $(IMAGE),"$(IMAGE)")

# ---- the tests

test: opencl test-c test-asan test-python test-current test-lua test-wheel
	@echo 'All tests passed.'

# A device for the tests of the OpenCL backend: without one they skip, and say so.
opencl:
	tools/need --wish opencl-headers=/usr/include/CL/cl_icd.h pocl-opencl-icd=/etc/OpenCL/vendors/pocl.icd

CONFIGURE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
  -DPython3_EXECUTABLE=$(CURDIR)/$(BIN)/python
CMAKE := $(CONFIGURE) -DWEBNN_WERROR=ON
CTEST := $(BIN)/ctest --output-on-failure

RELEASE := -DCMAKE_BUILD_TYPE=Release -DWEBNN_ONEDNN=AUTO -DWEBNN_ONEDNN_FROM=WHEEL
SANITIZED := -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWEBNN_SANITIZE=address,undefined -DWEBNN_ONEDNN_FROM=WHEEL

test-c: $(VENV)/tools
	$(CMAKE) -S . -B build/release $(RELEASE)
	$(BIN)/cmake --build build/release
	$(CTEST) --test-dir build/release

test-asan: $(VENV)/tools
	$(CMAKE) -S . -B build/asan $(SANITIZED)
	$(BIN)/cmake --build build/asan
	$(CTEST) --test-dir build/asan

test-python: $(VENV)/installed $(VENV)/tests
	$(BIN)/python tools/fetch_models.py
	$(BIN)/python -m pytest -q

# The same tests on a current oneDNN, when tools/build-onednn has put one into its cache.
ONEDNN_CACHE := $(shell tools/build-onednn --where)
test-current: $(VENV)/tools $(VENV)/tests
ifneq ($(wildcard $(ONEDNN_CACHE)/lib/cmake/dnnl/dnnl-config.cmake),)
	$(CMAKE) -S . -B build/current -DCMAKE_BUILD_TYPE=Release -DWEBNN_ONEDNN_FROM=CACHE \
	  -DWEBNN_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build build/current
	$(CTEST) --test-dir build/current
	$(BIN)/cmake --install build/current --component webnn --prefix build/current/python
	PYTHONPATH=$(CURDIR)/build/current/python $(BIN)/python -m pytest -q
else
	@echo 'No current oneDNN in the cache (tools/build-onednn makes one): its tests are skipped.'
endif

# ---- Lua: for the interpreter LUA, with its headers

LUA ?= lua5.4
LUA_TREE := $(CURDIR)/build/lua

lua: $(VENV)/tools
	@version="$$($(LUA) -e 'print(jit and "jit" or _VERSION:match("%d.%d"))')" && \
	folder="$$($(LUA) -e 'print(_VERSION:match("%d.%d"))')" && \
	$(CONFIGURE) -S . -B build/lua-module -DWEBNN_TESTS=OFF -DCMAKE_BUILD_TYPE=Release -DWEBNN_ONEDNN_FROM=WHEEL \
	  "-DWEBNN_LUA=$$version" && \
	$(BIN)/cmake --build build/lua-module && \
	$(BIN)/cmake --install build/lua-module --component lua --prefix $(LUA_TREE) && \
	echo && echo "# for $(LUA):" && echo "export LUA_PATH='$(LUA_TREE)/share/lua/$$folder/?.lua;$(LUA_TREE)/share/lua/$$folder/?/init.lua;;'" && \
	echo "export LUA_CPATH='$(LUA_TREE)/lib/lua/$$folder/?.so;;'"

# In the folders of the C tests, whose core it takes.
test-lua: $(VENV)/tools $(VENV)/installed
	$(CMAKE) -S . -B build/release $(RELEASE)
	$(CMAKE) -S . -B build/asan $(SANITIZED)
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHON=$(CURDIR)/$(BIN)/python tests/lua/run build/release build/asan

# ---- the rest

MINUTES := 10
SEED := 0
fuzz: $(VENV)/installed $(VENV)/tests
	$(BIN)/python tools/fuzz --minutes $(MINUTES) --seed $(SEED) --out build/fuzz

bench: $(VENV)/installed $(VENV)/peers $(if $(TORCH),$(VENV)/torch)
	$(BIN)/python tools/fetch_models.py
	$(BIN)/python bench/bench.py $(BENCH)

NEW := .
compare: $(VENV)/tools $(VENV)/tests
	$(BIN)/python tools/fetch_models.py
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python bench/compare.py $(OLD) $(NEW) --cmake WEBNN_ONEDNN_FROM=WHEEL

wheel: | $(BIN)/python
	tools/build-wheel $(BIN)/python

# In environments of its own, with the system's OpenCL libraries and where they are hidden.
test-wheel: wheel $(VENV)/tests
	$(BIN)/python -m pytest -q tests/wheel

clean:
	rm -rf $(VENV) build demo dist
