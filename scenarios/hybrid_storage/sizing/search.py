"""The least capacity of the first device that keeps the goals under a policy, by bisection over simulations.

Capacities rise by half decades until one keeps the goals; bisection then narrows the step before it. A capacity below
that step keeps none of the goals where it was simulated; a latency that falls and rises again may hide a smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.sizing.sheets import Sheets
from pmtwin.scenarios.hybrid_storage.sizing.simulated import Simulated, simulated, with_capacity
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.options import capacities
from pmtwin.sim.hybrid.stream import PAGE_BYTES

TOLERANCE = 0.01
"""Width of the last step of the bisection, as a share of the capacity."""

STEP = math.sqrt(10.0)


class Problem(NamedTuple):
    """What is searched.

    Fields:
        scenario: with its devices. context: name of a workload; None: the trace.
        pages, requests: of the workload or trace.
        goals: measure -> limit. seeds: of the runs.
    """

    scenario: HybridStorage
    context: int | str | None
    pages: int
    requests: int
    goals: dict[str, float]
    seeds: tuple[int, ...]

    def of(self, spec: str, fast: int, seeds: Sequence[int] = ()) -> Simulated:
        """Simulation of a capacity, in pages."""
        scenario = with_capacity(self.scenario, 100.0 * fast / self.pages, self.requests)
        return simulated(scenario, spec, self.context, seeds or self.seeds, tuple(self.goals))

    def is_kept(self, values: Mapping[str, Any]) -> bool:
        """Whether all means keep their goals."""
        return all(values[name]["mean"] <= limit for name, limit in self.goals.items())


class Tried(NamedTuple):
    """A capacity, in pages, with its results."""

    pages: int
    result: Simulated


class Searched(NamedTuple):
    """Result for a policy: the least capacity that keeps the goals, if there is one, and all that were simulated."""

    policy: str
    holds_all: bool
    best: Tried | None
    tried: list[Tried]


def search(problem: Problem, spec: str, holds_all: bool) -> Searched:
    """The least capacity under a policy.

    Args:
        holds_all: whether the policy keeps all pages on the first device.
    """
    tried: list[Tried] = []

    def keeps(pages: int) -> bool:
        tried.append(Tried(pages, problem.of(spec, pages)))
        return problem.is_kept(tried[-1].result.values)

    low, high = 0, problem.pages
    for pages in (problem.pages,) if holds_all else _grid(problem.pages):
        if keeps(pages):
            high = pages
            break
        low = pages
    else:
        return Searched(spec, holds_all, None, tried)
    if low:
        high = _bisected(keeps, low, high)
    best = next(each for each in tried if each.pages == high)
    return Searched(spec, holds_all, best, sorted(tried, key=lambda each: each.pages))


def _grid(pages: int) -> Iterator[int]:
    """Capacities by half decades, from the least that is a page and at least a hundred-thousandth to all pages."""
    steps = range(math.floor(math.log(min(pages, 1e5), STEP)), -1, -1)
    yield from sorted({max(round(pages / STEP**step), 1) for step in steps} | {pages})


def _bisected(keeps: Callable[[int], bool], low: int, high: int) -> int:
    """The least capacity above `low`, which is too little, to within `TOLERANCE`; `high` is enough."""
    while high - low > max(1, TOLERANCE * low):
        middle = min(max(round(math.sqrt(low * high)), low + 1), high - 1)
        if keeps(middle):
            high = middle
        else:
            low = middle
    return high


def impossible(problem: Problem, searches: Sequence[Searched]) -> InputError:
    """The error for goals that no policy keeps, with the best that can be had."""
    best = []
    for name in problem.goals:
        value, spec, pages = min(
            (each.result.values[name]["mean"], search.policy, each.pages)
            for search in searches
            for each in search.tried
        )
        best.append(f"{name} at least {_up(value)} ({spec}, {100.0 * pages / problem.pages:.3g} % of the pages)")
    text = " ".join(f"{name}={limit:g}" for name, limit in problem.goals.items())
    together = "; all at once may be more" if len(best) > 1 else ""
    return InputError("goal", text, f"{'; '.join(best)}{together}: the best of all policies and capacities")


def _up(value: float) -> str:
    """A number with four digits that is not below it."""
    scale = 10.0 ** (math.floor(math.log10(value)) - 3)
    return f"{math.ceil(value / scale) * scale:.10g}"


def gb_of(problem: Problem, searched: Searched, pages: int) -> list[float]:
    """GB of each device: the first ones as the configuration has them, the last one for all pages.

    Where the first device holds all, there is no other.
    """
    count = len(problem.scenario.options.storage.block_devices)
    if searched.holds_all:
        numbers = [problem.pages] + [0] * (count - 1)
    else:
        scenario = with_capacity(problem.scenario, 100.0 * pages / problem.pages, problem.requests)
        numbers = [min(each, problem.pages) for each in capacities(scenario.options.storage, problem.pages)]
    return [number * PAGE_BYTES / 1e9 for number in numbers]


def row_of(problem: Problem, sheets: Sheets, searched: Searched, tried: Tried) -> dict[str, Any]:
    """A capacity of a policy in plain values."""
    gb = gb_of(problem, searched, tried.pages)
    names = [device.name for device in sheets.devices]
    return {
        "policy": searched.policy,
        "fast_percent": 100.0 * tried.pages / problem.pages,
        "fast_pages": tried.pages,
        "fast_gb": gb[0],
        **tried.result.values,
        "cost_usd": sheets.cost_usd(gb),
        "years": sheets.years(gb, tried.result.bytes_s),
        "gb": dict(zip(names, gb, strict=True)),
        "written_mb_s": dict(zip(names, [rate / 1e6 for rate in tried.result.bytes_s], strict=True)),
    }


def ranked(problem: Problem, sheets: Sheets, searches: Sequence[Searched]) -> list[dict[str, Any]]:
    """Rows of the policies that keep the goals: the least capacity first; of equal ones the cheapest, the fastest."""
    rows = [row_of(problem, sheets, searched, searched.best) for searched in searches if searched.best]
    return sorted(
        rows, key=lambda row: (row["fast_pages"], row["cost_usd"], *(row[name]["mean"] for name in problem.goals))
    )
