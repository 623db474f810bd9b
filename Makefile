# make run: set everything up and run the loop to its report; make test: set up and run all tests.
SHELL := /bin/bash
.PHONY: help run check types coverage docs rooms test test-extra test-acceptance screenshots pictures test-native test-native-sanitizers build environment figures lint format clean

VENV := .venv
# $(call extra,NAME,MODULE): what the extra NAME installs, where its MODULE is absent
extra = $(VENV)/bin/python -c 'import $(2)' 2>/dev/null || $(VENV)/bin/pip install --quiet -e '.[$(1)]'

help:
	@echo "targets:"
	@sed -n 's/^#: /  /p' Makefile

#: make run      everything: set-up, then the whole loop to results/report.html; of the native parts (C++) only what the
#:               loop needs is built (the probe and the benchmarks: make build)
run:
	@bash scripts/make-parts --run $(PYTHON)
	$(VENV)/bin/pmtwin run

#: make check    before each commit: style, types and the quick tests, in three minutes; without the native parts, unless
#:               built
check: export OPENBLAS_NUM_THREADS := 1
check: environment lint types
	$(VENV)/bin/python -m pytest -q -n auto --dist worksteal -m "not slow" --junitxml=build/quick-tests.xml

#: make test     set up and run style, types and all tests; ends with what could not be tested here, and why
test:
	@bash scripts/make-parts --check $(PYTHON)
	@bash scripts/run-tests

#: make test-extra              the tests that need pandas, Stable-Baselines3 (installed with PyTorch for the processor) and
#:               Chromium (installed as root); what is left out is named
test-extra: build
	@$(VENV)/bin/python -c 'import torch' 2>/dev/null || \
	  $(VENV)/bin/pip install --quiet --retries 1 torch --index-url https://download.pytorch.org/whl/cpu || \
	  echo "PyTorch for the processor cannot be had from its index: taking the build of the package index" >&2
	$(VENV)/bin/pip install --quiet -e '.[sb3]' pandas
	@command -v chromium >/dev/null || { [[ $$(id -u) -eq 0 ]] && apt-get install -y -qq chromium >/dev/null; } || \
	  echo "left out: Chromium (apt-get install chromium)" >&2
	$(VENV)/bin/python -m pytest -q -rs tests/pmtwin/test_agents_page.py tests/pmtwin/test_report_browser.py \
	  tests/pmtwin/test_calls.py

#: make test-acceptance         README's commands and the docs' first steps as printed, not shortened (half an hour); notes when it ran
test-acceptance: build
	PMTWIN_ACCEPTANCE=full $(VENV)/bin/python -m pytest -q -rs tests/acceptance
	@echo "$$(date -u +%F) on $$(git rev-parse --short HEAD)" > tests/acceptance/last-full-run

#: make test-native             the tests of the native parts (C++) alone
test-native:
	@bash scripts/make-native --test

#: make test-native-sanitizers  the same under ASan with UBSan, then under TSan
test-native-sanitizers:
	@bash scripts/make-native --test asan
	@bash scripts/make-native --test tsan

#: make build    the virtual environment .venv with .venv/bin/pmtwin in it (PYTHON=... names another interpreter), and
#:               build/native with all native parts as far as there is a compiler; meanwhile pmtwin warm
build:
	@bash scripts/make-parts $(PYTHON)

environment:
	@bash scripts/make-environment $(PYTHON)

#: make figures  the figures and tables of the papers alone
figures: environment
	$(VENV)/bin/pmtwin figures

#: make screenshots             pictures of the reports in REPORTS at 420 and 1280 pixels, light and dark, into
#:               results/screenshots; with Debian's Chromium (apt-get install chromium), left out where it is absent
REPORTS ?= results/report.html
screenshots:
	@bash scripts/make-screenshots results/screenshots $(REPORTS)

#: make pictures docs/pictures of README and the docs, from the results of make run and of
#:               pmtwin figures numa-threads; with Debian's Chromium
pictures: environment
	$(VENV)/bin/python scripts/make-pictures results

#: make coverage the lines that the tests run, as a table and as pages in build/coverage; TESTS=tests/sim: of these tests
TESTS ?= tests
coverage: environment
	@$(call extra,coverage,pytest_cov)
	$(VENV)/bin/python -m pytest -q -n auto --dist worksteal --cov --cov-report=term --cov-report=html $(TESTS)

#: make docs     all pages, the options of each command and a reference as a site, build/site; every link is checked
docs: environment
	@$(call extra,docs,mkdocstrings_handlers.python)
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict
	@echo "read it: $(VENV)/bin/python -m http.server --directory build/site"

#: make types    annotations, with mypy
types: environment
	$(VENV)/bin/mypy

#: make rooms    the picture of the folders in CONTRIBUTING.md
rooms:
	scripts/make-rooms

#: make lint     style and formatting, with ruff
lint: environment
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

#: make format   put the formatting right, with ruff
format: environment
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

#: make clean    remove the environment and everything that was made; the sources stay
clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache build results src/*.egg-info *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
