# make run: set everything up and run the loop to its report; make test: set up and run all tests.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: run test build figures lint clean help

VENV   := .venv
PYTHON ?= python3
STAMP  := $(VENV)/.installed

help:
	@sed -n 's/^#: //p' Makefile

#: make run      everything from set-up to results/report.html
run: build
	$(VENV)/bin/pmtwin run

#: make test     set up and run all tests
test: build
	$(VENV)/bin/python -m pytest -q

#: make build    the virtual environment .venv with .venv/bin/pmtwin in it
build: $(STAMP)

$(STAMP): setup.cfg pyproject.toml
	@command -v $(PYTHON) >/dev/null && $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || bash scripts/install-system-packages
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --editable '.[test]'
	@touch $@

#: make figures  the figures and tables alone
figures: build
	$(VENV)/bin/pmtwin figures

#: make lint     ruff: style and formatting
lint: build
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

clean:
	rm -rf $(VENV) build results *.egg-info
