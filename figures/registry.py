"""Entries of figures and tables: what each shows, which experiments it needs, which function draws it.

A scenario declares its own (`Scenario.figures`); one that declares none still has those of `pmtwin.loop.baselines`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from pmtwin.figures.drawing.rendered import Rendered


@dataclass(frozen=True)
class Entry:
    """A figure or table, or several that belong together.

    Args:
        name: how the command line calls it.
        title: title of the figure.
        place: its place in a paper, or its subject.
        needs: experiments whose results `function` takes.
        function: `dotted.module:function`.
        group: heading of the report under which it stands.
    """

    name: str
    title: str
    place: str
    needs: tuple[str, ...]
    function: str
    group: str

    @property
    def command(self) -> str:
        """The command that makes it."""
        return f"pmtwin figures {self.name}"

    def render(self, results: dict) -> Rendered:
        """Draw it; within `pmtwin.figures.drawing.style.styled`.

        Args:
            results: experiment -> its values.
        """
        module, function = self.function.split(":")
        return getattr(importlib.import_module(module), function)(results)
