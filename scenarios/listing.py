"""Named things of a scenario, for `pmtwin list`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pmtwin.sim.errors import unknown_name


@dataclass(frozen=True)
class Listing:
    """A kind of named things.

    Args:
        what: they are, and where their names are used.
        entries: gives them, as plain values, all with the same keys.
        columns: keys that the table shows; all where it is empty.
        titles: key -> heading, where it is another.
        cells: key -> how its value looks in a table, where that is no plain value.
        measured: file of `--host` -> the entries with what was measured on a machine, where there can be such a file.
        measured_columns: keys that the table of those shows.
        options: name -> the options of what has that name, where it takes any; raises `InputError` for an unknown name.
        points: name -> the decision points that it is for, of what has options.
        scenario: name of the scenario whose listing this is; as a NAME it stands for all entries.
        note: what to know of the entries, for standard error; not of those of a host.
    """

    what: str
    entries: Callable[[], list[dict]]
    columns: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    measured: Callable[[str], list[dict]] | None = None
    measured_columns: tuple[str, ...] = ()
    options: Callable[[str], list[dict]] | None = None
    points: Callable[[str], list[str]] = lambda name: []
    scenario: str = ""
    note: str = ""

    def named(self, name: str) -> list[dict]:
        """The entries of a name: the first value of an entry is its name, or a list of its names.

        Raises:
            InputError: for a name that no entry has.
        """
        entries = self.entries()
        if name and name == self.scenario:
            return entries
        found: dict[str, list[dict]] = {}
        for entry in entries:
            first = next(iter(entry.values()))
            for each in first if isinstance(first, list) else [first]:
                found.setdefault(str(each), []).append(entry)
        if name not in found:
            raise unknown_name("NAME", name, [*found, *filter(None, [self.scenario])])
        return found[name]


def summary(thing: object) -> str:
    """The first sentence of a docstring, which may be wrapped."""
    paragraph = " ".join((inspect.getdoc(thing) or "").split("\n\n", 1)[0].split())
    return paragraph.split(". ", 1)[0].rstrip(".")
