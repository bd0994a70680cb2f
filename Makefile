# One command for every habit. Each makes the environment it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: run test check format bench coverage constraints clean

run: $(READY)            ## the main job: the paper's whole evaluation
	$(BIN)/overbar paper

test: $(READY)           ## all tests
	$(BIN)/pytest

check: $(READY)          ## format, lint, types, import contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)          ## what simulation, commands and campaigns take; written under benchmarks/
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/campaigns.py | tee benchmarks/campaigns.md

coverage: $(READY)       ## which lines the tests reach; without compilation, the kernel's too
	$(BIN)/coverage erase
	$(BIN)/coverage run --parallel-mode -m pytest
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run --parallel-mode -m pytest -k "not every_arm and not division" \
	    tests/test_kernel.py tests/test_policies.py tests/test_user_policy.py
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

constraints: $(READY)    ## pin the development environment anew, by name and version
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
	    --no-emit-find-links --no-header --no-annotate --upgrade \
	    pyproject.toml --extra dev --output-file constraints.txt

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
