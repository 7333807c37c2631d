# Every target sets up what it needs in .venv by itself.
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# What builds the core is in the environment, and its objects are kept: only what has changed is compiled again.
BUILD := build/release
INSTALL := $(PIP) --no-build-isolation --config-settings=build-dir=$(BUILD) --editable
# DEBUG=1: the tests run on a core with assertions and symbols.
PYTEST := $(if $(DEBUG),$(BIN)/python tools/build_core.py debug) $(BIN)/python -m pytest -n 2 --dist worksteal
# Python code only, counted by sys.monitoring where Python has it (from 3.12 on), which costs little.
COVERAGE := --cov=dconvex --cov-report=
SANITIZED_TESTS := tests/core tests/graph tests/inference tests/learning tests/storage
export PYTHON

.PHONY: demo test test-slow test-lowest test-browser test-sanitized debug core docs pictures notebooks lint types bench format repository release clean

demo: $(VENV)/.package core
	@$(BIN)/python -m dconvex.demo

test: $(VENV)/.dev core
	COVERAGE_CORE=sysmon $(PYTEST) $(COVERAGE)

test-slow: $(VENV)/.dev core
	$(PYTEST) -m "not browser"
	$(MAKE) test-lowest

# every dependency at its lower bound, extras too, in an environment of its own; a file of tests from each folder
test-lowest: $(VENV)/bin/python
	$(BIN)/python tools/test_lowest.py

# the core and what runs on it under AddressSanitizer and UBSan
test-sanitized: $(VENV)/.dev
	$(BIN)/python tools/build_core.py sanitized $(BIN)/python -m pytest -n 2 --dist worksteal $(wildcard $(SANITIZED_TESTS)) $(ARGS)

# a core with assertions and symbols in build/debug, next to the normal one; `make test DEBUG=1` runs the tests on it
debug: $(VENV)/.package
	$(BIN)/python tools/build_core.py debug

# the explorer in a real Chromium
test-browser: $(VENV)/.browser core
	CHROMIUM=$$(tools/find_chromium.sh) && CHROMIUM=$$CHROMIUM $(BIN)/python -m pytest -m browser tests/browser

# the site in site/, after running every block of code in it
docs: $(VENV)/.dev core
	$(BIN)/python -m pytest tests/docs
	$(BIN)/python tools/build_docs.py

# the pictures of the documentation
pictures: $(VENV)/.dev core
	$(BIN)/python tools/draw_docs.py
	$(BIN)/python tools/draw_how.py
	$(BIN)/python tools/record_terminal.py
	$(BIN)/python -m benchmarks.headline
	$(BIN)/python tools/draw_missing.py

# the notebooks run again, with the outputs that they are committed with
notebooks: $(VENV)/.dev core
	$(BIN)/python tools/notebook_pages.py docs/notebooks/*.ipynb

lint: $(VENV)/.dev core
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python tools/lint_core.py $(BUILD)

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev core
	$(BIN)/python -m benchmarks $(ARGS)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python tools/lint_core.py --fix $(BUILD)

# the built-in networks, made again from pgmpy's wheel
repository: $(VENV)/.dev core
	$(BIN)/python tools/build_repository.py

# wheels and sdist, built, checked and tried in new environments
release: $(VENV)/.release
	$(BIN)/python tools/check_release.py $(ARGS)

clean:
	rm -rf $(VENV) build src/dconvex/_core*.so

$(VENV)/bin/python:
	@tools/make_venv.sh $(VENV)
	@rm -rf $(BUILD) build/debug build/sanitized src/dconvex/_core*.so  # built for another Python

$(VENV)/.build: pyproject.toml constraints.txt tools/build_backend.py | $(VENV)/bin/python
	$(BIN)/python tools/build_backend.py >$(VENV)/build-requirements.txt
	$(PIP) --requirement $(VENV)/build-requirements.txt
	@touch $@

$(VENV)/.package: pyproject.toml constraints.txt $(VENV)/.build
	$(INSTALL) .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/.build
	$(INSTALL) ".[dev]"
	@touch $@ $(VENV)/.package

$(VENV)/.browser: $(VENV)/.dev
	$(INSTALL) ".[browser]"
	@touch $@

$(VENV)/.release: pyproject.toml constraints.txt $(VENV)/.build
	$(INSTALL) ".[release]"
	@touch $@

# What has changed in the core since it was installed; CMake is run again where its file has changed.
core: | $(VENV)/.package
	@$(BIN)/cmake --build $(BUILD)
