"""The one table of figures: every entry can be drawn from experiments that exist, and is named once."""

import importlib

import pytest

from pmtwin.scenarios.nvm_middleware.figures.entries import ENTRIES
from pmtwin.scenarios.nvm_middleware.figures.pipeline import PIPELINE
from pmtwin.scenarios.nvm_middleware.figures.steps import STEPS
from pmtwin.sim.errors import InputError


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_entry_has_a_function_and_needs_steps_that_exist(entry):
    module, function = entry.function.split(":")
    assert callable(getattr(importlib.import_module(module), function))
    assert set(entry.needs) <= set(STEPS)
    assert entry.command == f"pmtwin figures {entry.name}"
    assert PIPELINE.entry(entry.name) is entry


def test_what_the_thesis_shows_is_there():
    places = " ".join(entry.place for entry in ENTRIES)
    for place in ("B.1", "D.1 to D.4", "D.1 to D.3", "E.1", "E.1 to E.3", "FAST'20, figure 6"):
        assert place in places


def test_an_unknown_figure_suggests_the_nearest():
    with pytest.raises(InputError, match="did you mean 'fixed-pools'"):
        PIPELINE.entry("fixed-pool")


def test_steps_come_after_those_that_they_need():
    assert [step.name for step in PIPELINE.closure({"sensitivity"})] == ["training", "evaluation-random", "sensitivity"]
    seen = set()
    for step in STEPS.values():
        assert set(step.needs) <= seen
        seen.add(step.name)
