# Two commands set everything up on a fresh machine: `make demo` and `make test`.
# Needs Python 3.11-3.14 with pip; honours pip's own settings (index, certificates, constraints).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: env demo test lint types imports unit lock clean clients conformance runtime-figures offline-proof crash stateful soak

env: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] <= (3, 14) else "Satori needs Python 3.11 to 3.14; this is %d.%d. Try: make PYTHON=python3.12" % sys.version_info[:2])'
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>.venv-error || { cat .venv-error; rm -f .venv-error; \
	  echo "Could not create a virtual environment. On Debian and Ubuntu install one package: apt-get install python3-venv"; exit 1; }
	@rm -f .venv-error
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: env
	@$(BIN)/python examples/demo.py

test: lint types imports unit

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env
	$(BIN)/mypy

imports: env
	$(BIN)/lint-imports

unit: env
	$(BIN)/python -m pytest

# Kill, fail and starve every mutation N times and see that nothing wrong is ever served (docs/reliability.md).
N ?= 1000
crash: env
	PYTHONPATH=. $(BIN)/python benchmarks/crash.py --rounds $(N)

# Random edits and syncs against fresh builds, for this many steps.
STEPS ?= 500
stateful: env
	SATORI_STATEFUL_STEPS=$(STEPS) $(BIN)/python -m pytest tests/publication/test_incremental.py --timeout 3600

# Rewrite a watched file every 100 ms for half a minute: it is published meanwhile, seldom enough, and right at the end.
soak: env
	SATORI_WATCH_SECONDS=30 $(BIN)/python -m pytest tests/runtime/test_watch.py

# The lock is universal and hashed, and names no index. Needs uv; run after changing dependencies.
lock:
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --output-file requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

# Real agents from npm, each in a temporary HOME, against an installed Satori; PACKAGES=DIR keeps and reuses them.
clients: env
	$(BIN)/python -m benchmarks.clients $(if $(PACKAGES),--packages $(PACKAGES))

# The official MCP conformance suite and inspector (npm, kept in PACKAGES=DIR when given); expected failures and their
# reasons stand in benchmarks/conformance.yml.
conformance: env
	$(BIN)/python -m benchmarks.conformance $(if $(PACKAGES),--packages $(PACKAGES))

# Start, call and memory figures of launcher and runtime.
runtime-figures: env
	$(BIN)/python -m benchmarks.runtime

# Everything after the installation, without any network; prints how that was enforced.
offline-proof: env
	$(BIN)/python -m benchmarks.offline
