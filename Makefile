# Needs Python 3.10 or newer (with venv) and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
# Whole files go to a core each: a file's tests share what they compile. Long ones go first (tests/conftest.py).
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
BY_FILE := $(BIN)/python tests/by_file.py
BENCHMARKS = $(sort $(wildcard benchmarks/bench_*.py))

.PHONY: help demo test test-docs test-compiling test-browser test-installed test-slow same-bytes bench docs lint clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo "make demo        the whole story on a small synthetic data set"
	@echo "make test        the quick tests, five minutes on two cores"
	@echo "make test-docs   what the pages of the documentation show, a minute"
	@echo "make test-compiling  every policy and method compiled, and bounds checked: a quarter of an hour"
	@echo "make test-browser    reports and pages in Chromium, a minute"
	@echo "make test-installed  the wheel, in an environment and a folder of its own: with the"
	@echo "                     newest and the oldest versions of what it needs: ten minutes"
	@echo "make test-slow   the tests that take long, and the three above: up to two hours"
	@echo "make same-bytes  the same numbers as at another commit? (BASE=REV)"
	@echo "make bench       speed, side by side with other tools"
	@echo "make docs        the documentation site, in docs/_build/html"
	@echo "make lint        style and types"
	@echo "make clean       remove everything made here"
	@echo "Another Python: make test PYTHON=/path/to/python3"

demo: $(VENV)/made
	$(BIN)/rankduel demo

test: $(VENV)/with-test
	$(PYTEST) --durations=20

# Both parts go file by file and resume: what passed is not run again while no file changes.
test-slow: $(VENV)/with-test
	$(BY_FILE) slow "slow"
	$(MAKE) test-docs test-compiling test-browser

# A page to a core; the last -m counts.
test-docs: $(VENV)/with-test
	$(PYTEST) --dist load -m "docs" tests/test_docs.py

# Every policy and method, compiled. Compiled code reads past the end of an array silently, so the kernels'
# tests run once more with bounds checked.
test-compiling: $(VENV)/with-test
	$(BY_FILE) compiling "compiling and not slow"
	$(BY_FILE) bounds "kernel and not slow" NUMBA_BOUNDSCHECK=1

test-browser: $(VENV)/with-test
	$(BY_FILE) browser "browser"

# The wheel as users install it, outside this folder: VERSIONS is newest, oldest or both.
VERSIONS ?= newest oldest
test-installed: $(VENV)/with-installed
	for versions in $(VERSIONS); do \
	  RANKDUEL_VERSIONS=$$versions $(BIN)/python -m pytest -q -m installed tests/installed || exit 1; done

# For a change that must not change a number; seven minutes or so on two cores, twice that for a new BASE.
same-bytes: $(VENV)/with-test
	@[ -n "$(BASE)" ] || { echo "which commit? make same-bytes BASE=REV, such as BASE=HEAD~1"; exit 2; }
	PYTHONPATH=tests $(BIN)/python -m same_bytes "$(BASE)"

# What PyPI has of other tools; of duelpy without what only its own command needs (seaborn).
PEERS = 'scikit-learn>=1.4' '--no-deps duelpy==1.0.0'

bench: $(VENV)/with-bench
	@for peer in $(PEERS); do $(BIN)/python -m pip install --quiet --disable-pip-version-check $$peer || \
	  echo "$$peer cannot be installed; the benchmarks leave it out"; done
	@for file in $(BENCHMARKS); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

# From nothing each time: pages that are made from the code must not outlive it.
docs: $(VENV)/with-docs
	rm -rf docs/_build docs/reference/generated
	$(BIN)/sphinx-build -W --keep-going --quiet -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

lint: $(VENV)/with-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tests/ratchets.py

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .same_bytes .by_file docs/_build docs/reference/generated
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A .venv will do if this Python made it, in this folder (it holds absolute paths), and no package has
# gone missing since. Otherwise $(VENV)/made counts as absent, and .venv is made anew.
WANTED := $(CURDIR) $(shell $(PYTHON) -c 'import sys; print(sys.base_prefix, *sys.version_info[:3])' 2>/dev/null)
PROBE := import importlib.metadata as m; m.version("rankduel"); \
	[d.locate_file(f.parts[0]).lstat() for d in m.distributions() for f in d.files or []]
ifneq "$(WANTED)" "$(shell $(BIN)/python -I -c '$(PROBE)' 2>/dev/null && cat $(VENV)/made 2>/dev/null)"
.PHONY: $(VENV)/made
endif

$(VENV)/made: setup.cfg pyproject.toml
	@$(PYTHON) -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || \
	  { echo "needs Python 3.10 or newer with venv, and $(PYTHON) is not: make PYTHON=/path/to/python3"; exit 1; }
	@echo "Setting up $(VENV), which takes a minute or two"
	@rm -f $@
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) .
	@echo "$(WANTED)" > $@

# While pip is at work there is no $(VENV)/made, so an interrupted installation is started over.
$(VENV)/with-%: $(VENV)/made
	@echo "Adding what '$*' needs to $(VENV)"
	@mv $(VENV)/made $(VENV)/making
	@$(PIP) '.[$*]'
	@mv $(VENV)/making $(VENV)/made
	@touch $@
