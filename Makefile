# Everything runs in .venv; only git, make and Python 3.11+ are needed beforehand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test browser notebooks results lint nightly runtimes docs clean

$(VENV)/.demo: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[test]"
	touch $@ $(VENV)/.demo

demo: $(VENV)/.demo  ## run the main comparison: a table here, a figure and a table under results/
	$(BIN)/simlab compare worked --strategies queue,queue-turn,cancel,cancel-background,parallel,routed \
		--routers by_type,oracle --out results/first-comparison

test: $(VENV)/.test  ## all tests that a change must pass
	$(BIN)/python -m pytest

lint: $(VENV)/.test  ## style, types, and who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

nightly: $(VENV)/.test  ## the long proofs
	$(BIN)/python -m pytest -m nightly

# What the tests of the report need beside the Python environment, if there is npm; without it they are skipped.
AXE := 4.10.3

browser:  ## the accessibility checker that the tests of the report load into a browser
	test -f .browser/node_modules/axe-core/axe.min.js || \
		npm install --prefix .browser --no-save --ignore-scripts --no-audit --no-fund axe-core@$(AXE)

notebooks: $(VENV)/.test  ## run the notebooks and write those whose outputs have changed
	$(BIN)/python notebooks/execute.py

PUBLISHED := queue,queue-turn,cancel,cancel-background,parallel
results: $(VENV)/.test  ## make the published comparisons of the shipped scenarios again
	for scenario in coding-assistant chat-ops stress; do \
		$(BIN)/simlab compare $$scenario -s $(PUBLISHED) -n 200 --jobs 2 --tool-cap 120 --out results/$$scenario || exit 1; \
	done
	for scenario in coding-assistant chat-ops; do \
		$(BIN)/simlab compare $$scenario -s routed -r by_type,keyword,classifier,oracle -n 200 --jobs 2 \
			--out results/$$scenario-routers || exit 1; \
	done
	$(BIN)/python results/publish.py

docs: $(VENV)/.test  ## write the generated pages again
	$(BIN)/simlab schema > docs/scenario.schema.json
	$(BIN)/simlab dialects --markdown > docs/dialects.md

# The agent runtimes bring about 150 packages of their own, so they live apart from the rest.
.venv-runtimes/.done: pyproject.toml
	test -x .venv-runtimes/bin/python || $(PYTHON) -m venv .venv-runtimes
	.venv-runtimes/bin/python -m pip install --quiet --disable-pip-version-check -e ".[runtimes]"
	touch $@

runtimes: .venv-runtimes/.done  ## published agent runtimes in the storm
	.venv-runtimes/bin/python -m pytest -o addopts="-q" tests/runtimes

clean:
	rm -rf $(VENV) .venv-runtimes build dist *.egg-info
