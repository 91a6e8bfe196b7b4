# Everything a contributor runs. Nothing is installed outside .venv; the first target makes it.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The first interpreter that is new enough; `make PYTHON=/path/to/python` chooses another.
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
WORKERS ?= 2
# Full length; what each number means is said in tests/sizes.py.
LONG := HOLDFAST_TEST_KILLS=1000 HOLDFAST_TEST_CUTS_AND_FLIPS=2000 HOLDFAST_TEST_INDEX_FLIPS=10000 \
	HOLDFAST_TEST_UPKEEP_KILLS=200 HOLDFAST_TEST_FAULT_STRIDE=1
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help demo test check bench bench-recall crash distil docs format wheel clean

help: ## what there is to run
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## a short story on a throw-away home
	@$(BIN)/holdfast demo

test: $(READY) ## the test suite, without the tests marked slow
	@$(PYTEST) tests -q -n $(WORKERS) --max-worker-restart 0 --dist loadfile -m "not slow and not bench"

check: $(READY) ## format, lint, types, import arrows, docs in step with the code
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python tools/docs.py --check
	@$(PYTEST) tests/architecture tests/docs -q

bench: $(READY) ## measure beside bare loops, and print the table (recall: bench-recall)
	@$(BIN)/python -m bench

bench-recall: $(READY) ## how well the right thing comes back, beside BM25, vectors, blends and Chroma
	@$(BIN)/python -m bench.recall --json build/recall.json --questions build/recall-questions.jsonl

crash: $(READY) ## kills, power loss, damage and I/O faults at full length
	@$(LONG) $(PYTEST) tests/crash -q -n $(WORKERS) --max-worker-restart 0 --timeout 3600 -o faulthandler_timeout=3700

distil: $(READY) ## make the built-in vectors anew: TEXTS=texts.jsonl.gz TEACHER=directory (docs/embedder.md)
	@$(BIN)/python tools/distil.py "$(TEXTS)" "$(TEACHER)"

docs: $(READY) ## write the generated pages anew
	@$(BIN)/python tools/docs.py

format: $(READY) ## lay the code out
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

wheel: $(READY) ## build sdist and wheel into dist/
	@$(BIN)/python -m build

clean: ## remove .venv and whatever tools left behind
	@rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Holdfast needs Python 3.11 or later, and none was found." \
		"Install one, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
