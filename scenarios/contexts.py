"""Contexts: the conditions under which a scenario runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pmtwin.sim.errors import InputError

OWN = 0
"""Name of the single context of a scenario whose options state the conditions."""


@dataclass(frozen=True)
class Contexts:
    """The conditions under which a scenario runs: named ones, in the order of schedules, and families to draw from.

    Args:
        noun: what one is called, in results and options.
        names: of the named ones, numbers or words.
        families: name -> draws the conditions of one episode or block from stated ranges.
        kept_aside: named ones that training does not see; evaluations run on them unless others are chosen.
        only_chosen: named ones that neither training nor evaluations see unless they are chosen.
    """

    noun: str = "context"
    names: tuple[int | str, ...] = (OWN,)
    families: Mapping[int | str, Callable[[np.random.Generator], Any]] = field(default_factory=dict)
    kept_aside: tuple[int | str, ...] = ()
    only_chosen: tuple[int | str, ...] = ()

    def __post_init__(self):
        every = (*self.names, *self.families)
        if not every or len(set(every)) < len(every) or len({type(name) for name in every}) > 1:
            raise InputError(f"{self.noun}: names", list(every), "one or more, all numbers or all words, each once")
        if OWN in every and self.names != (OWN,):
            raise InputError(f"{self.noun}: names", OWN, f"other numbers: {OWN} stands for conditions of the options")
        for what, some in (("kept aside", self.kept_aside), ("only chosen", self.only_chosen)):
            if some and not set(some) < set(self.names):
                raise InputError(f"{self.noun}: {what}", list(some), f"some of {list(self.names)}, not all")

    @property
    def trained(self) -> tuple[int | str, ...]:
        """Named ones that training sees."""
        return tuple(name for name in self.names if name not in (*self.kept_aside, *self.only_chosen))

    @property
    def evaluated(self) -> tuple[int | str, ...]:
        """Named ones on which evaluations run unless others are chosen."""
        return self.kept_aside or tuple(name for name in self.names if name not in self.only_chosen)

    def number(self, name: int | str) -> int:
        """Number of the context for seeds: its own, or the place of a named one."""
        return name if isinstance(name, int) else 1 + (*self.names, *self.families).index(name)

    @property
    def plural(self) -> str:
        """Key and option of several."""
        return f"{self.noun}s"

    def check(self, name: object) -> int | str:
        """The name itself; on the command line a number is written as text.

        Raises:
            InputError: unless it is a named context or a family.
        """
        if not isinstance(name, bool):
            for known in (*self.names, *self.families):
                if known == name or str(known) == name:
                    return known
        raise InputError(self.noun, name, ", ".join(map(str, (*self.names, *self.families))))
