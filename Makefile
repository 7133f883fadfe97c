# `make demo` shows it, `make test` tests it. Each builds its environment first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.ready-bench
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test lint check check-slow bench docs reproductions clean

demo: $(READY)  ## a calibration curve on bundled data
	$(BIN)/howsure demo

test: $(READY)  ## tests, doctests, and every command of the documents
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict src

check: lint test  ## what must hold before a change goes in

check-slow: $(READY)  ## simulations: coverage, rates of error, large files
	$(BIN)/python -m pytest -m slow

bench: $(PEERS)  ## speed and memory, beside the peers
	set -e; for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script; done

docs: $(READY)  ## run the documents and draw their pictures again (docs/images)
	HOWSURE_DRAW=1 $(BIN)/python -m pytest tests/test_documents.py tests/explorer/test_pictures.py

REPRODUCTIONS := synthetic binning boostsa sentiment tagging tag-pairs tweets regulariser coreference events
reproductions: $(READY)  ## run the papers' experiments again and write their pages (up to 10 minutes each)
	set -e; for name in $(REPRODUCTIONS); do $(BIN)/howsure reproduce $$name --page docs/reproductions/$$name.md; done

clean:
	rm -rf $(VENV) build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "howsure needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e ".[dev]"
	touch $@

$(PEERS): $(READY)
	$(INSTALL) -e ".[bench]"
	touch $@
