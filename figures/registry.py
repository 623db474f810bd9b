"""The one table of figures and tables: what each shows, which experiments it needs, which function draws it.

`pmtwin figures NAME` makes one, `pmtwin figures` all of them.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from pmtwin.figures.rendered import Rendered
from pmtwin.sim.errors import unknown_name


@dataclass(frozen=True)
class Entry:
    """One entry of the table.

    Args:
        name: how the command line calls it.
        title: what it is.
        place: where the thesis (or another paper) has it.
        needs: experiments whose results `function` takes.
        function: `module:function` below `pmtwin.figures.plots`.
    """

    name: str
    title: str
    place: str
    needs: tuple[str, ...]
    function: str

    @property
    def command(self) -> str:
        """What makes it."""
        return f"pmtwin figures {self.name}"

    def render(self, results: dict) -> Rendered:
        """Draw it; within `pmtwin.figures.style.styled`.

        Args:
            results: experiment -> its values.
        """
        module, function = self.function.split(":")
        return getattr(importlib.import_module(f"pmtwin.figures.plots.{module}"), function)(results)


_TABLE = (
    Entry(
        "calibration",
        "Error of the device model, and a re-fit",
        "targets of the project",
        ("calibration",),
        "calibration:render",
    ),
    Entry(
        "device-threads",
        "Bandwidth of the device by threads",
        "FAST'20, figure 4",
        ("device",),
        "device:render_threads",
    ),
    Entry(
        "device-sizes",
        "Bandwidth of the device by access size",
        "FAST'20, figure 5",
        ("device",),
        "device:render_sizes",
    ),
    Entry("device-mix", "Bandwidth of mixed reads and writes", "FAST'20, figure 6", ("device",), "device:render_mix"),
    Entry(
        "saturation",
        "Simulated saturation bandwidth on the law's",
        "the device law",
        ("saturation",),
        "saturation:render",
    ),
    Entry(
        "b1",
        "Concurrency control: 42 combinations of pools against none",
        "section 4.2, figure B.1",
        ("concurrency",),
        "concurrency:render",
    ),
    Entry(
        "fixed-pools",
        "Reward quartiles of fixed pools in each phase",
        "appendix D, tables D.4 to D.7",
        ("fixed-pools",),
        "fixed_pools:render",
    ),
    Entry(
        "d1-d4",
        "Learned pools per step, and the learning curve",
        "section 4.3, figures D.1 to D.4",
        ("training",),
        "learning:render_patterns",
    ),
    Entry(
        "d-tables",
        "Model selection, chosen models and parameters, as run",
        "appendix D, tables D.1 to D.3",
        ("training",),
        "learning:render_models",
    ),
    Entry(
        "policies",
        "Policies by phase, and the gap to the best fixed pools",
        "section 4.3",
        ("evaluation-random", "evaluation-order"),
        "evaluation:render_phases",
    ),
    Entry(
        "e1",
        "Long run: reward over time while the phases change",
        "appendix E, figure E.1",
        ("evaluation-random", "evaluation-order"),
        "evaluation:render_long_run",
    ),
    Entry(
        "e-tables",
        "Percentiles of latency, throughput and reward",
        "appendix E, tables E.1 to E.3",
        ("evaluation-random",),
        "evaluation:render_tables",
    ),
    Entry(
        "sensitivity",
        "Ranking of the policies when an assumption is moved",
        "assumed parameters of the twin",
        ("sensitivity",),
        "sensitivity:render_parameters",
    ),
    Entry(
        "sensitivity-load",
        "Ranking under other offered loads and another latency scale",
        "what the thesis leaves open",
        ("sensitivity", "evaluation-random"),
        "sensitivity:render_load",
    ),
)

FIGURES: dict[str, Entry] = {entry.name: entry for entry in _TABLE}
"""Name to entry, in the order of the report."""


def figure_names() -> list[str]:
    """Names of all figures and tables, in the order of the report."""
    return list(FIGURES)


def figure(name: str) -> Entry:
    """The entry of that name.

    Raises:
        InputError: if there is none.
    """
    if name not in FIGURES:
        raise unknown_name("figure", name, FIGURES)
    return FIGURES[name]
