# `make` lists the recipes. Every recipe sets up .venv first, which is quick when it is up to date.

PYTHON ?= python3
BIN    := .venv/bin
STAMP  := .venv/.installed
PEERS  := .venv/.peers

# Python must not put the current folder first on the path: a folder named `gates` beside you
# would win over ours.
export PYTHONSAFEPATH := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install demo test lint laws teeth bench repl docs clean

help: ## list the recipes
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## set up .venv with the pinned versions and the script pp

# The build back end comes first and without isolation, so that its version is pinned as well.
$(STAMP): pyproject.toml constraints.txt
	@command -v '$(PYTHON)' >/dev/null || { \
	  echo "No '$(PYTHON)' here. Install Python 3.11 or newer, or name one:" \
	    "make PYTHON=python3.12" >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Passepartout needs Python 3.11 or newer; '$(PYTHON)' is" \
	    "$$('$(PYTHON)' --version 2>&1). Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/pip || '$(PYTHON)' -m venv .venv || { \
	  echo "Could not make .venv. On Debian: apt-get install python3-venv" >&2; exit 1; }
	$(BIN)/pip install --quiet --constraint constraints.txt hatchling editables
	$(BIN)/pip install --quiet --constraint constraints.txt --no-build-isolation \
	  --editable '.[test,embed]'
	@touch $@

# The peers of benchmarks are large, and no test needs them.
$(PEERS): $(STAMP)
	$(BIN)/pip install --quiet --constraint constraints.txt --no-build-isolation \
	  --editable '.[bench]'
	@touch $@

demo: $(STAMP) ## from Org to admitted facts, on a scratch copy of the example memex
	PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/demo.sh

test: $(STAMP) ## all tests, laws with few examples (ARGS='-k time' to choose)
	$(BIN)/pytest -n auto --dist worksteal $(ARGS)

lint: $(STAMP) ## ruff, mypy --strict, the import contracts
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

laws: $(STAMP) ## the tests marked `law`, with examples by the thousand
	HYPOTHESIS_PROFILE=laws $(BIN)/pytest -n auto --dist worksteal -m law --timeout 0 $(ARGS)

teeth: $(STAMP) ## plant faults one at a time; each must be killed by a law or a test
	$(BIN)/python tests/teeth/run.py $(ARGS)

bench: $(PEERS) ## ratios against a peer, in one run (ARGS='--data DIR --json')
	@worst=0; \
	$(BIN)/python benchmarks/scan.py $(ARGS) || worst=$$?; \
	$(BIN)/python benchmarks/sync.py $(ARGS) || worst=$$?; \
	$(BIN)/python benchmarks/search.py $(ARGS) || worst=$$?; \
	case '$(ARGS)' in *--data*) $(BIN)/python benchmarks/grounding.py $(ARGS) || worst=$$?;; esac; \
	$(BIN)/python benchmarks/deduction.py $(filter --json,$(ARGS)) || worst=$$?; \
	$(BIN)/python benchmarks/processes.py $(filter --json,$(ARGS)) || worst=$$?; \
	$(BIN)/python benchmarks/startup.py $(filter --json,$(ARGS)) || worst=$$?; \
	mkdir -p build/bench; \
	$(BIN)/python benchmarks/admission.py --work build/bench $(filter --json,$(ARGS)) || worst=$$?; \
	$(BIN)/python benchmarks/memory.py --work build/bench $(filter --json,$(ARGS)) || worst=$$?; \
	exit $$worst

repl: $(STAMP) ## a Python prompt with the records and the memex readers at hand
	$(BIN)/python -i -c 'from symbolic import canon, names, records, values, world'

docs: $(STAMP) ## check that links in the docs resolve and the README tree equals ls
	$(BIN)/pytest tests/test_docs.py $(ARGS)

clean: ## remove .venv, caches and builds; your memex and its indices stay
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
