"""Declaration of a scenario's pipeline: the steps, figures and report of `pmtwin run`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pmtwin.figures.registry import Entry
from pmtwin.pipeline.step import Step
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import unknown_name

DEFAULT = "pmtwin.loop.baselines"
"""Module of the pipeline of a scenario that declares none."""


class Part(NamedTuple):
    """A part of the report.

    Fields:
        identifier: anchor in the page.
        title: heading.
        html: content.
    """

    identifier: str
    title: str
    html: str


class Finished(NamedTuple):
    """Results of a run other than figures and report.

    Fields:
        files: name -> path of files in the output folder.
        verdict: verdict of a validation: `name`, `headline`, `passed`, `reasons`, `warnings`; None without one.
        record: plain values for the record of the run.
    """

    files: dict[str, Path]
    verdict: dict | None
    record: dict


@dataclass(frozen=True)
class Pipeline:
    """Pipeline of a scenario for `pmtwin figures` and `pmtwin run`.

    Args:
        title: title of the report.
        entries: figures and tables, in the order of the report.
        steps: steps of their computation; each comes after those that it needs.
        quick, full: sizes of all steps, as a dataclass with `name` and `to_dict`.
        besides: function that returns the names of steps of a whole run that no entry needs.
        finish: function (setting, done, sections, output folder) -> further results of the run; may add sections.
        parts: function (setting, done, sections, host, finished) -> parts of the report.
    """

    title: str
    entries: tuple[Entry, ...]
    steps: tuple[Step, ...]
    quick: Any
    full: Any
    besides: Callable[[], frozenset[str]]
    finish: Callable[..., Finished]
    parts: Callable[..., list[Part]]

    def entry(self, name: str) -> Entry:
        """The entry of that name.

        Raises:
            InputError: if there is none.
        """
        entries = {entry.name: entry for entry in self.entries}
        if name not in entries:
            raise unknown_name("figure", name, entries)
        return entries[name]

    def closure(self, names: set[str] | frozenset[str]) -> list[Step]:
        """The named steps and all steps that they need, in order."""
        wanted = set(names)
        for step in reversed(self.steps):
            if step.name in wanted:
                wanted |= set(step.needs)
        return [step for step in self.steps if step.name in wanted]

    def needed(self, entries: list[Entry], more: frozenset[str] = frozenset()) -> list[Step]:
        """The steps that the entries need, and the steps `more` with what they need."""
        return self.closure({name for entry in entries for name in entry.needs} | more)


def pipeline_of(scenario: type[Scenario] | Scenario) -> Pipeline:
    """The pipeline that a scenario declares, or else that of its baselines."""
    return importlib.import_module(scenario.figures or DEFAULT).PIPELINE
