# Everything a developer needs. `make help` lists it.
# Stamps in .venv make a second run of any target quick; requirements are pinned and hashed.

SHELL := bash
VENV := .venv
BIN := $(VENV)/bin
DATA ?= data
PORT ?= 8080
DYNAMODB_PORT ?= 8000
PYTEST ?= $(BIN)/pytest
WORKERS ?= 2
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
COMPILE := $(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --universal --python-version 3.11

.DEFAULT_GOAL := help
.PHONY: help install dev up test prepare fast check style types imports generated format oracle fuzz bench docs pictures requirements clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(VENV)/.installed  ## create .venv and install sortkey into it
dev: $(VENV)/.dev

up: install  ## everything, with sample data: console and REST on 127.0.0.1:8080, DynamoDB on 8000, folder data/
	$(BIN)/sortkey up --data $(DATA) --port $(PORT) --dynamodb-port $(DYNAMODB_PORT)

test: dev  ## everything: checks, unit, oracle, clients, faults
	@$(BIN)/python -m tools.prepare & prepare=$$!; \
	  $(MAKE) --no-print-directory -j2 -Otarget check || { kill $$prepare 2>/dev/null; exit 1; }; \
	  wait $$prepare || true
	$(PYTEST) -n $(strip $(WORKERS)) --dist loadgroup

prepare: dev  ## download and build what the tests need besides Python, once: S3 server, OpenSearch, DynamoDB Local
	$(BIN)/python -m tools.prepare

fast: dev  ## unit tests only, under a minute
	$(PYTEST) -n $(strip $(WORKERS)) --dist loadgroup -q -m "not slow and not oracle"

check: style types imports generated  ## format, lint, types, imports, generated files

style: dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: dev
	$(BIN)/pyright

imports: dev
	$(BIN)/lint-imports

generated: dev
	$(BIN)/python -m tools.generate_shapes --check
	$(BIN)/python -m tools.generate_async --check
	$(BIN)/python -m tools.generate_library --check
	$(BIN)/python -m tools.generate_commands --check
	$(BIN)/python -m tools.generate_applens --check

format: dev  ## let ruff fix what it can, and regenerate the generated files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m tools.generate_shapes
	$(BIN)/python -m tools.generate_async
	$(BIN)/python -m tools.generate_library
	$(BIN)/python -m tools.generate_commands
	$(BIN)/python -m tools.generate_applens

oracle: dev  ## 20,000 random requests against DynamoDB Local (REQUESTS=, SEED=)
	$(BIN)/python -m tests.oracle.machine --requests $(or $(REQUESTS),20000) $(if $(SEED),--seed $(SEED))

fuzz: dev  ## 50,000 broken requests to a server, which must answer each without failing (REQUESTS=, SEED=)
	$(BIN)/python -m tests.wire.fuzz --requests $(or $(REQUESTS),50000) $(if $(SEED),--seed $(SEED))

bench: dev  ## side by side with the peers; rewrites docs/performance.md (QUICK=1: two minutes, prints only)
	$(BIN)/python -m bench $(if $(QUICK),--quick) $(BENCH)

docs: dev  ## build the site of docs/ in site/
	$(BIN)/zensical build --clean --strict

pictures: dev  ## take the pictures of README and docs with the browser tests
	SORTKEY_PICTURES=docs/pictures $(PYTEST) -q tests/browser/test_pictures.py

requirements: dev  ## recompile requirements/*.txt (UPGRADE=1: to the newest versions)
	$(COMPILE) $(if $(UPGRADE),--upgrade) requirements/uv.in -o requirements/uv.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --all-extras pyproject.toml requirements/build.in -c requirements/agree.in -o requirements/base.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) requirements/dev.in -c requirements/base.txt -o requirements/dev.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) requirements/bench.in -o requirements/bench.txt

clean:  ## remove the environment and every cache (data/ stays)
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@PYTHON="$(PYTHON)" tools/find-python > /dev/null
	"$$(PYTHON="$(PYTHON)" tools/find-python)" -m venv $(VENV)

# pip is the fallback if uv does not run or does not know the package index of pip's settings.
$(VENV)/.installed: requirements/base.txt requirements/uv.txt pyproject.toml | $(VENV)/bin/python
	@$(PIP) --require-hashes -r requirements/uv.txt || true
	$(UV) --require-hashes -r requirements/base.txt || $(PIP) --require-hashes -r requirements/base.txt
	$(UV) --no-deps --no-build-isolation -e . || $(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed requirements/dev.txt
	$(UV) --require-hashes -r requirements/dev.txt || $(PIP) --require-hashes -r requirements/dev.txt
	@touch $@
