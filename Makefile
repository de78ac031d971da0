# Every target makes its own environment in .venv: nothing but Python 3.11 and make is assumed.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-compile -c constraints.txt

# Modules are compiled when they are first imported, and then kept: most of what is installed never is.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-browser test-oldest coverage wheel mutants check docs bench clean

demo: .venv/plot
	$(BIN)/python -m rosenblatt.cli.demo

# A file at a time to each process: else all of them compile the same loops.
test: .venv/dev
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile -m 'not slow'

# Those that take seconds each: experiments of papers, processes that compile and are killed, River's checks.
test-slow: .venv/dev
	$(BIN)/python -m pytest --numprocesses auto -m slow

# Debian's Chromium, and axe-core from npm, are for these tests only.
test-browser: .venv/browser
	command -v chromium || apt-get install --yes --no-install-recommends chromium
	test -d .venv/axe || npm install --silent --no-audit --no-fund --prefix .venv/axe axe-core@4.14.0
	$(BIN)/python -m pytest --numprocesses auto browser_tests

# The oldest versions that pyproject.toml allows, beside the newest of all others, which deprecate what old ones use.
test-oldest:
	rm -rf .venv/oldest
	$(PYTHON) -m venv .venv/oldest
	$(PYTHON) tests/installed/oldest.py > .venv/oldest/constraints.txt
	$(subst $(BIN),.venv/oldest/bin,$(subst constraints.txt,.venv/oldest/constraints.txt,$(PIP))) --editable '.[plot,play,onnx,tables,test]'
	PYTEST_ADDOPTS='-W ignore::DeprecationWarning -W ignore::FutureWarning' \
		.venv/oldest/bin/python -m pytest --numprocesses auto --dist loadfile

# Statements and branches of src/, without loops/, whose functions run compiled.
coverage: .venv/coverage
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --cov --cov-report term-missing:skip-covered

# The wheel, installed and used where there is nothing else.
wheel:
	rm -rf .venv/wheel
	$(PYTHON) -m venv .venv/wheel
	$(subst $(BIN),.venv/wheel/bin,$(PIP)) build
	.venv/wheel/bin/python -m build --wheel --outdir .venv/wheel/dist .
	$(PYTHON) -m venv .venv/wheel/empty
	$(subst $(BIN),.venv/wheel/empty/bin,$(PIP)) .venv/wheel/dist/*.whl
	cd .venv/wheel && empty/bin/python ../../tests/installed/use.py

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules src/rosenblatt --doctest-glob '*.md' docs README.md CONTRIBUTING.md

# Takes half an hour or more: one change of the source after the other, each with the tests that call the changed function.
mutants: .venv/mutants
	$(BIN)/python tests/mutants/run.py

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
