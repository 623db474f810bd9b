"""What a scenario computes for its figures and its report, declared in one object."""

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
        identifier: of its place in the page. title: its heading. html: its content.
    """

    identifier: str
    title: str
    html: str


class Finished(NamedTuple):
    """What a finished run leaves beside figures and report.

    Fields:
        files: what it is -> path, of files written into the output folder.
        verdict: of a validation: `name`, `headline`, `passed`, `reasons`, `warnings`; None where there was none.
        record: plain values for the record of the run.
    """

    files: dict[str, Path]
    verdict: dict | None
    record: dict


@dataclass(frozen=True)
class Pipeline:
    """Everything that `pmtwin figures` and `pmtwin run` need of a scenario.

    Args:
        title: of the report.
        entries: figures and tables, in the order of the report.
        steps: what they and the report are computed by; each comes after those that it needs.
        quick, full: sizes of all steps, as a dataclass with `name` and `to_dict`.
        besides: the steps of a whole run that no entry needs.
        finish: (setting, done, sections, output folder) -> what else the run leaves; may add sections.
        parts: (setting, done, sections, host, finished) -> the report.
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
        """The steps of these names and all that they need, in order."""
        wanted = set(names)
        for step in reversed(self.steps):
            if step.name in wanted:
                wanted |= set(step.needs)
        return [step for step in self.steps if step.name in wanted]

    def needed(self, entries: list[Entry], more: frozenset[str] = frozenset()) -> list[Step]:
        """The steps that these entries need, and `more`."""
        return self.closure({name for entry in entries for name in entry.needs} | more)


def pipeline_of(scenario: type[Scenario] | Scenario) -> Pipeline:
    """The pipeline that a scenario declares, or the one of its baselines."""
    return importlib.import_module(scenario.figures or DEFAULT).PIPELINE
