# Every target makes its own environment in .venv: nothing but Python 3.11 and make is assumed.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

.PHONY: demo test check docs bench clean

demo: .venv/plot
	$(BIN)/python -m rosenblatt.demo

test: .venv/dev
	$(BIN)/python -m pytest --numprocesses auto

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules src/rosenblatt --doctest-glob '*.md' docs README.md CONTRIBUTING.md

docs: .venv/docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build
	@echo "The site is docs/_build/index.html."

bench: .venv/bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv docs/_build docs/api/names docs/checks docs/gallery docs/project

.venv/%: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --editable '.[$*]'
	touch $@
