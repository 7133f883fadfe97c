# `make demo` shows it, `make test` tests it. Each builds its environment first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.ready-bench
SITE_TOOLS := $(VENV)/.ready-docs
CLUSTER := $(VENV)/.ready-cluster
PROGRAMS := .venv-programs/bin
EVALUATORS := .venv-peers/bin
FIELDS := .venv-fields/bin
PARALLEL := -n logical --dist worksteal
CONSTRAINTS := -c requirements/constraints.txt
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
# uv is several times faster than pip; where it cannot install, pip does, or says why not.
install = { $(PIP) -c requirements/constraints.txt uv && $(BIN)/uv pip install -q --python $(BIN)/python $(CONSTRAINTS) $(1); } 2>/dev/null \
	|| $(PIP) $(CONSTRAINTS) $(1)

# Compiled modules are kept: hundreds of tests start a process that imports howsure, and pytest compiles tests anew for
# each of its own.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-long test-all test-bare test-portable test-busy test-versions test-ranges test-lowest lint check check-slow fuzz \
	drills test-programs test-release test-cluster bench bench-peers bench-fields pictures docs reproductions help-pages licences lock clean

demo: $(READY)  ## a calibration curve on bundled data
	$(BIN)/howsure demo

# Some 350 seconds of processor time: four minutes on two idle cores. A test of a third of a second or more is in test-long.
test: $(READY)  ## tests, doctests, commands of the documents: some four minutes on two cores; PACKAGE=core: of one package
	$(BIN)/python -m pytest $(PARALLEL) $(PACKAGE:%=packages/%)

test-long: $(READY)  ## simulations, experiments, long documents, matrices of formats, the page in a browser, kills: CI runs it too
	$(BIN)/python -m pytest $(PARALLEL) -m "long and not slow" $(PACKAGE:%=packages/%)

test-all: $(READY)  ## test and test-long in one run, which imports and collects once
	$(BIN)/python -m pytest $(PARALLEL) -m "$(EVERY)"

# As on another machine: without numpy's wide instruction sets, on a plain BLAS kernel, in another language, time zone and
# order of hashes. SEED=… repeats one.
WIDE = import numpy; print(*numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
KERNEL := $(if $(filter x86_64 AMD64 i686,$(shell uname -m)),Prescott,ARMV8)
SEED = $(shell $(BIN)/python -c 'import random; print(random.randrange(2**32))')
ELSEWHERE = seed=$(SEED); echo "PYTHONHASHSEED=$$seed"; export PYTHONHASHSEED=$$seed LC_ALL=C TZ=Asia/Kathmandu \
	OPENBLAS_CORETYPE=$(KERNEL) NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -c '$(WIDE)')"

test-bare: $(READY)  ## as on another machine, howsure-core alone and its tests; PACKAGE=text: with what that declares
	$(ELSEWHERE); folder="$$(mktemp -d)"; trap 'rm -rf "$$folder"' EXIT; $(BIN)/python scripts/try_bare.py "$$folder" $(PACKAGE)

# These check what is drawn, stored, read, shown or refused: bytes, names, rows, pages and sentences, not a number that
# howsure computes. What commands print is in the goldens, which run.
NO_NUMBERS := packages/events/tests/explorer packages/core/tests/figures packages/core/tests/files tests/fuzz packages/cli/tests/report tests/website tests/bad_input packages/cli/tests/cli packages/text/tests/text_commands packages/events/tests/event_commands \
	packages/cli/tests/datasets packages/core/tests/data/documents packages/core/tests/data/logs packages/text/tests/parses packages/core/tests/data/tables packages/core/tests/data/test_errors.py \
	packages/events/tests/events/corpus packages/events/tests/events/extraction packages/events/tests/events/imported packages/events/tests/events/labels packages/events/tests/events/parts \
	packages/events/tests/events/store packages/core/tests/significance/test_experiments.py tests/test_architecture.py tests/test_doors.py \
	tests/test_lacking.py tests/test_refusals.py tests/test_repository.py
EVERY = not slow and not drill and not programs and not cluster
test-portable: $(READY)  ## as on another machine, the rooms that compute, with every extra; EVERY=… chooses
	$(ELSEWHERE); $(BIN)/python -m pytest $(PARALLEL) -m "$(EVERY)" $(NO_NUMBERS:%=--ignore=%)

# Each core has something better to do.
test-busy: $(READY)  ## ten times the tests of the page, beside a busy loop on every core
	busy=; trap 'kill $$busy' EXIT; for core in $$(seq $$(getconf _NPROCESSORS_ONLN)); do \
	while :; do :; done & busy="$$busy $$!"; done; \
	for turn in $$(seq 10); do $(BIN)/python -m pytest -q $(PARALLEL) -m browser packages/events/tests/explorer || exit 1; done

OURS := howsure howsure-cli howsure-core howsure-events howsure-text

VERSIONS := 3.11 3.12 3.13 3.14
test-versions:  ## the tests under each Python that is found, each in an environment of its own
	found=; for version in $(VERSIONS); do \
	if python$$version -c 'import venv' 2>/dev/null; then found="$$found $$version"; \
	else echo "python$$version: not found, not tested"; fi; done; \
	test -n "$$found" || { echo "none of python$(VERSIONS) is on the PATH"; exit 1; }; \
	for version in $$found; do echo "== Python $$version"; \
	$(MAKE) PYTHON=python$$version VENV=.venv-$$version test-all || exit 1; done

test-ranges:  ## the tests with the newest libraries that pyproject.toml allows
	$(MAKE) VENV=.venv-ranges CONSTRAINTS= test-all

# Of libraries older than this Python there are no wheels; then the oldest that has one.
test-lowest:  ## the tests with the oldest libraries that pyproject.toml allows
	test -x .venv-lowest/bin/uv || { $(PYTHON) -m venv .venv-lowest && .venv-lowest/bin/pip install -qq uv; }
	VIRTUAL_ENV=.venv-lowest .venv-lowest/bin/uv pip install -q --resolution lowest-direct \
	--only-binary :all: --no-binary howsure,howsure-cli,howsure-core,howsure-events,howsure-papers,howsure-text -r requirements/dev.txt
	touch .venv-lowest/.ready
	$(MAKE) VENV=.venv-lowest test-all

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/mypy --strict packages/*/src tests/typing
	$(BIN)/basedpyright --project tests/typing --pythonpath $(BIN)/python

check: lint test-all  ## what must hold before a change goes in

check-slow: $(READY)  ## simulations: coverage, rates of error, large files; all examples of the tests of properties
	$(BIN)/python -m pytest $(PARALLEL) -m slow
	$(BIN)/python -m pytest $(PARALLEL) --hypothesis-profile=thorough -m "hypothesis and $(EVERY)"

MINUTES ?= 5
fuzz: $(READY)  ## MINUTES of inputs that a fuzzer makes, for each of the READERS (all): before a release
	$(call install,--only-binary atheris -r requirements/fuzz.txt)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(READERS)

drills: $(READY)  ## kills and full disks, in every command that writes: before a release
	$(BIN)/python -m pytest -m drill tests/drills

test-programs: $(PROGRAMS)/.ready  ## logs and models of other programs, made by these programs: 2 GB, before a release
	$(PROGRAMS)/python -m pytest -m programs tests/programs

test-release: $(READY)  ## the archives of a release, and what each extra of it installs: before a release
	folder="$$(mktemp -d)"; trap 'rm -rf "$$folder"' EXIT; $(BIN)/python scripts/try_release.py "$$folder"

test-cluster: $(CLUSTER)  ## Spark and workers of Dask, each in processes of their own; Spark needs Java 17
	$(BIN)/python -m pytest -m cluster packages/core/tests/calibration/engines

bench: $(PEERS)  ## speed and memory compared with peers; JOB=ranks runs benchmarks/ranks.py alone
	set -e; for script in $(if $(JOB),$(wildcard benchmarks/$(JOB).py benchmarks/bench_$(JOB).py),benchmarks/bench_*.py); do echo "== $$script"; $(BIN)/python $$script; done

bench-peers: $(EVALUATORS)/.ready  ## point values and coverage of howsure and of other packages: ten minutes of processor time
	$(EVALUATORS)/python benchmarks/point_values.py
	$(EVALUATORS)/python benchmarks/item_signs.py
	$(EVALUATORS)/python benchmarks/peers.py

bench-fields: $(FIELDS)/.ready  ## probabilities and thresholds of extracted fields compared with three packages: two minutes
	$(FIELDS)/python -W ignore benchmarks/fields_peers.py

pictures: $(READY)  ## run the documents and draw their pictures again (docs/images)
	HOWSURE_DRAW=1 $(BIN)/python -m pytest -m "$(EVERY)" tests/test_documents.py packages/events/tests/explorer/test_pictures.py

docs: $(SITE_TOOLS)  ## the documentation site, in build/site, with its links checked
	$(BIN)/python -m website

REPRODUCTIONS := binning synthetic quantiles subtrees all-others boostsa sizes small-samples tag-pairs sentiment
REPRODUCTIONS += tag-variants tweets coreference events parses tagging counts
# Some of them: make reproductions REPRODUCTIONS="boostsa tweets". Interrupted, it goes on with the first page that is
# not finished; FORCE=1 writes all of them again.
DONE := build/reproductions
reproductions: $(READY)  ## run the papers' experiments again and write their pages (minutes each; counts half an hour)
	mkdir -p $(DONE) && rm -f $(if $(FORCE),$(REPRODUCTIONS:%=$(DONE)/%))
	set -e; for name in $(REPRODUCTIONS); do \
		if test -e $(DONE)/$$name; then echo "$$name was finished before"; continue; fi; \
		$(BIN)/howsure reproduce $$name --page docs/reproductions/$$name.md; touch $(DONE)/$$name; \
		echo "$$name is done; minutes of processor time so far:"; times; done
	rm -f $(REPRODUCTIONS:%=$(DONE)/%)

help-pages: $(READY)  ## record what --help of every command says, after a change of options
	$(BIN)/python -m scripts.record_help

licences: $(READY)  ## the licence of each library that is installed
	$(BIN)/python scripts/licences.py

# Exact versions with the hashes of their files, for `pip install --require-hashes -r requirements/requirements.lock`.
lock:  ## write requirements/requirements.lock from requirements/constraints.txt
	test -x .venv-lock/bin/uv || { $(PYTHON) -m venv .venv-lock && .venv-lock/bin/pip install -qq uv; }
	.venv-lock/bin/uv pip compile -q packages/howsure/pyproject.toml --extra all $(OURS:%=--no-emit-package %) -c requirements/constraints.txt --universal --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/requirements.lock

clean:
	rm -rf $(VENV) .venv-* build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): $(wildcard packages/*/pyproject.toml) requirements/constraints.txt requirements/dev.txt requirements/test.txt
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "howsure needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call install,-r requirements/dev.txt)
	touch $@

$(PEERS): $(READY)
	$(call install,-r requirements/bench.txt)
	touch $@

$(CLUSTER): $(READY)
	$(call install,-e "packages/core[spark]")
	touch $@

$(PROGRAMS)/.ready: requirements/dev.txt tests/programs/requirements.txt
	$(PYTHON) -m venv .venv-programs
	$(PROGRAMS)/pip install -qq --disable-pip-version-check -r tests/programs/requirements.txt -r requirements/dev.txt
	touch $@

$(EVALUATORS)/.ready: requirements/peers.txt packages/core/pyproject.toml
	$(PYTHON) -m venv .venv-peers
	$(EVALUATORS)/pip install -qq --disable-pip-version-check $(CONSTRAINTS) -r requirements/peers.txt -e packages/core
	touch $@

# structured-logprobs needs versions of openai and pydantic that others do not share.
$(FIELDS)/.ready: packages/core/pyproject.toml
	$(PYTHON) -m venv .venv-fields
	$(FIELDS)/pip install -qq --disable-pip-version-check structured-logprobs mapie sys1bench -e "packages/core[files]"
	touch $@

$(SITE_TOOLS): $(READY)
	$(call install,-r requirements/docs.txt)
	touch $@
