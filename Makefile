# Every target sets up what it needs in .venv by itself.
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
export PYTHON

.PHONY: demo test test-slow test-browser docs pictures notebooks lint types bench format repository release clean

demo: $(VENV)/.package
	@$(BIN)/python -m dconvex.demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not browser"

# the explorer in a real Chromium
test-browser: $(VENV)/.browser
	CHROMIUM=$$(tools/find_chromium.sh) && CHROMIUM=$$CHROMIUM $(BIN)/python -m pytest -m browser tests/browser

# the site in site/, after running every block of code in it
docs: $(VENV)/.dev
	$(BIN)/python -m pytest tests/docs
	$(BIN)/python tools/build_docs.py

# the pictures of the documentation
pictures: $(VENV)/.dev
	$(BIN)/python tools/draw_docs.py
	$(BIN)/python tools/draw_how.py

# the notebooks run anew, with the outputs that they are committed with
notebooks: $(VENV)/.dev
	$(BIN)/python tools/notebook_pages.py docs/notebooks/*.ipynb

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks $(ARGS)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# the built-in networks, anew from pgmpy's wheel
repository: $(VENV)/.dev
	$(BIN)/python tools/build_repository.py

# wheel and sdist, built, checked and tried in new environments
release: $(VENV)/.release
	$(BIN)/python tools/check_release.py $(ARGS)

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	@tools/make_venv.sh $(VENV)

CORE := CMakeLists.txt $(shell find core -name '*.?pp')

# what builds the core; kept in the environment, so that only what has changed is compiled again
$(VENV)/.build: constraints.txt | $(VENV)/bin/python
	$(PIP) nanobind scikit-build-core cmake ninja
	@touch $@

$(VENV)/.package: pyproject.toml constraints.txt $(CORE) $(VENV)/.build
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(CORE) $(VENV)/.build
	$(PIP) --no-build-isolation --editable ".[dev]"
	@touch $@ $(VENV)/.package

$(VENV)/.browser: $(VENV)/.dev
	$(PIP) --no-build-isolation --editable ".[browser]"
	@touch $@

$(VENV)/.release: pyproject.toml constraints.txt $(VENV)/.build
	$(PIP) --no-build-isolation --editable ".[release]"
	@touch $@
