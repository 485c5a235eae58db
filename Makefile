# Two commands matter: `make demo` (see it work) and `make test` (see that it is right);
# `make check` is for between two edits.
# Both set up .venv first; the second time that takes a second.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup references demo check test test-all tutorials lint bench lock clean FORCE

PYTHON ?= $(shell for p in python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
JOBS ?= 2
SEED := $(or $(SEED),$(shell echo $$RANDOM))
# A folder with Game Boy ROMs for tests; what needs one that is not there is skipped.
ENVWRIGHT_ROMS ?= ../shared/roms
export ENVWRIGHT_ROMS

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
RUST := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)
# A virtual environment does not survive being moved or losing its interpreter; an extension
# module may have been deleted. Either way the stamp beside it is not to be believed.
VENV_FITS := $(shell grep -qsF '$(CURDIR)/$(VENV)' $(BIN)/activate && $(BIN)/python -m pip --version >/dev/null 2>&1 && echo yes)
# What `make check` runs: many small tests that compile little.
CHECKED = tests/architecture tests/core/native tests/schema $(addprefix tests/, \
	$(addprefix agents/test_, keys.py limits.py prices.py programs.py proxy.py upstream.py usage.py) \
	$(addprefix core/test_, files.py registry.py spaces.py) \
	$(addprefix train/test_, config.py log.py shapes.py) \
	$(addprefix translate/test_, journal.py plan.py) \
	$(addprefix verify/test_, batches.py compare.py differences.py policies.py) \
	$(addprefix verify/transfer/test_, power.py visitation.py) \
	$(addprefix zoo/pokemon/test_, rng.py tables.py teams.py) \
	report/test_results.py sandbox/test_programs.py sim/test_tape.py \
	zoo/gameboy/test_settings.py zoo/tcgpocket/test_cards.py)
# Neighbouring tests share fixtures and compiled programs: a worker keeps what lies together.
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
MODULE_FITS := $(wildcard src/envwright/_native.abi3.so)

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup: $(STAMPS)/native references ## create .venv, install the locked packages, build the Rust code, fetch references
	@:

demo: setup ## see it work, in two or three minutes
	@$(BIN)/envwright demo

check: setup ## the inner loop, about a minute: ruff, import contracts, tests that compile little
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	PYTHONHASHSEED=0 $(PYTEST) -q $(CHECKED)

test: setup ## Rust and Python tests, on the same examples every time
	cargo test --workspace --quiet
	PYTHONHASHSEED=0 $(PYTEST)

test-all: setup ## the slow tests too, on new examples; SEED=N repeats a run
	cargo test --workspace --quiet
	@echo 'seed $(SEED)'
	PYTHONHASHSEED=$(SEED) $(PYTEST) -m "slow or not slow" \
		--hypothesis-profile=explore --hypothesis-seed=$(SEED) || { \
		echo "failed with seed $(SEED): repeat it with 'make test-all SEED=$(SEED)'" >&2; exit 1; }

tutorials: setup ## run docs/tutorials as they are written, some minutes
	PYTHONHASHSEED=0 $(PYTEST) -q -m slow tests/test_tutorials.py

lint: setup ## ruff, import contracts, pyright, rustfmt, clippy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/pyright
	cargo fmt --all --check
	PYO3_PYTHON='$(CURDIR)/$(BIN)/python' cargo clippy --workspace --all-targets --quiet -- -D warnings

bench: setup ## throughput of the demo's environment beside its reference and peers
	@$(BIN)/envwright bench

clean: ## remove .venv, builds and caches
	rm -rf $(VENV) target dist .pytest_cache .ruff_cache .hypothesis .coverage src/envwright/_native.abi3.so
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up: a stamp is written only when its step has ended well ---------------------------

$(STAMPS)/venv: $(if $(VENV_FITS),,FORCE)
	@command -v cargo >/dev/null || { \
		echo "envwright needs cargo to build its Rust code: install Rust 1.89 or newer, then run 'make setup' again." >&2; exit 1; }
	@[ -n '$(PYTHON)' ] && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "envwright needs Python 3.11 or newer: install it, or name it with 'make setup PYTHON=/path/to/python'." >&2; exit 1; }
	@if [ -z '$(VENV_FITS)' ]; then \
		echo '[1/4] creating $(VENV)'; $(PYTHON) -m venv --clear $(VENV); fi
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/packages: requirements.lock $(STAMPS)/venv
	@echo '[2/4] installing the packages of requirements.lock (some minutes the first time)'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@touch $@

$(STAMPS)/native: $(RUST) pyproject.toml $(STAMPS)/packages $(if $(MODULE_FITS),,FORCE)
	@echo '[3/4] building the Rust code (a minute the first time)'
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

# Environments of others that ours are compared with. Where one cannot be had, recordings of it
# serve, and what needs it live is skipped with the reason.
references: $(STAMPS)/native
	@[ -e $(STAMPS)/references ] || { echo '[4/4] fetching the references that are not packages (114 MB)'; \
		if $(BIN)/python -m envwright.zoo; then touch $(STAMPS)/references; \
		else echo 'going on without those that are missing'; fi; }

lock: $(STAMPS)/venv ## resolve requirements.lock anew (keeps pins that still fit)
	$(BIN)/python -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	cp requirements.lock $(VENV)/lock/pins
	$(VENV)/lock/bin/uv pip compile pyproject.toml --quiet --all-extras --universal --python-version 3.11 \
		--generate-hashes --no-annotate --no-header --no-emit-package envwright --output-file $(VENV)/lock/pins
	printf '%s\n' '# Every package of envwright and its extras, pinned with hashes (Python 3.11 and newer).' \
		'# Made from pyproject.toml by `make lock`; do not edit.' | cat - $(VENV)/lock/pins > requirements.lock

FORCE:
