# `make demo` shows it, `make test` tests it. Each builds its environment first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.ready-bench
PARALLEL := -n logical --dist worksteal
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-portable test-busy lint check check-slow bench docs reproductions clean

demo: $(READY)  ## a calibration curve on bundled data
	$(BIN)/howsure demo

test: $(READY)  ## tests, doctests, and every command of the documents
	$(BIN)/python -m pytest $(PARALLEL)

# Without numpy's wide instruction sets, on a plain BLAS kernel, in another language, time zone and order of hashes.
WIDE = import numpy; print(*numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
KERNEL := $(if $(filter x86_64 AMD64 i686,$(shell uname -m)),Prescott,ARMV8)
SEED = $(shell $(BIN)/python -c 'import random; print(random.randrange(2**32))')
test-portable: $(READY)  ## the same as on another machine; SEED=… repeats a run
	seed=$(SEED); echo "PYTHONHASHSEED=$$seed"; \
	NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -c '$(WIDE)')" OPENBLAS_CORETYPE=$(KERNEL) \
	LC_ALL=C TZ=Asia/Kathmandu PYTHONHASHSEED=$$seed $(BIN)/python -m pytest $(PARALLEL) --ignore=tests/explorer

# Each core has something better to do.
test-busy: $(READY)  ## ten times the tests of the page, beside a busy loop on every core
	busy=; trap 'kill $$busy' EXIT; for core in $$(seq $$(getconf _NPROCESSORS_ONLN)); do \
	while :; do :; done & busy="$$busy $$!"; done; \
	for turn in $$(seq 10); do $(BIN)/python -m pytest -q -m browser tests/explorer || exit 1; done

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
	rm -rf $(VENV) build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "howsure needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e ".[dev]"
	touch $@

$(PEERS): $(READY)
	$(INSTALL) -e ".[bench]"
	touch $@
