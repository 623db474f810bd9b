"""Replay of a block trace through caches of several sizes, as a scenario with a decision point for replacement.

A window is an equal part of the trace. All sizes are replayed together; only the caches are simulated.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np

from pmtwin.policies.replacement import MOST_LINES
from pmtwin.scenarios.block_traces import APART, TOGETHER, Footprint, Trace, footprint
from pmtwin.scenarios.block_traces.left_out import left_out_text
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting, System
from pmtwin.sim.control import LOWER, Column, Measure
from pmtwin.sim.decisions import REPLACEMENT, DecisionPoint
from pmtwin.sim.errors import InputError, check_range

POINT = DecisionPoint("replacement", "a miss of a full cache", REPLACEMENT, default="lru")
CURVE_SIZES = 16
"""Number of cache sizes in a range, evenly spaced on a logarithmic scale."""

_RANGE = re.compile(r"(.+?)\.\.(.+)")


@dataclass(frozen=True)
class Replayed:
    """Inputs of a replay.

    Args:
        trace: path of the trace.
        page_bytes: size of a page; requests are split into pages.
        volumes: `apart` or `together`, see `block_traces.Trace`.
        sizes: cache sizes, as `2692` or `1%`, without repetition.
        windows: number of equal parts of the trace.
    """

    trace: Path
    page_bytes: int
    volumes: str
    sizes: tuple[str, ...]
    windows: int


class Replay(Scenario):
    """Replay of a trace through caches of several sizes."""

    name = spec = "two-tier"
    description = "Replacement policies on a block trace"
    columns = (Column("replayed", 0.0, 1.0, "of the trace"),)
    points = (POINT,)
    draws = False
    warmup_windows = 0
    pictures = "pmtwin.scenarios.two_tier.figures.curve"

    def __init__(self, replayed: Replayed):
        super().__init__()
        self.replayed = replayed
        self.measures = tuple(
            Measure(measure_of(size), "", f"share of the page requests that miss in a cache of {size}", LOWER)
            for size in replayed.sizes
        )

    def __reduce_ex__(self, protocol: SupportsIndex):
        return object.__reduce_ex__(self, protocol)  # not by `spec`, which names another class

    def __getstate__(self):
        """The state for worker processes, which read the pages from the same file."""
        state = {name: value for name, value in self.__dict__.items() if name != "_folder"}
        return state | {"size": self.size, "pages_file": self.pages_file}

    @property
    def engine(self):
        return "replay"

    def rests_on_profile(self):
        return False

    def reward(self, measures: Mapping[str, float]):
        """Minus the miss ratio, mean over the cache sizes."""
        return -float(np.mean([measures[measure.name] for measure in self.measures]))

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        return ReplaySystem(self)

    @cached_property
    def size(self) -> Footprint:
        """Footprint of the trace."""
        return self._read[0]

    @cached_property
    def pages_file(self) -> str:
        """Path of a file with the page of each request, int64, in order."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Footprint, str]:
        """(footprint, path of the file of pages), from one pass over the trace."""
        self._folder = tempfile.TemporaryDirectory(prefix="pmtwin-trace-")
        path = Path(self._folder.name) / "pages"
        trace = Trace(self.replayed.trace, self.replayed.volumes)
        with path.open("wb") as file:
            size = footprint(trace, self.replayed.page_bytes, lambda pages: pages.tofile(file))
        return size, str(path)

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """Number of lines of each cache."""
        return tuple(lines_of(size, self.size.pages) for size in self.replayed.sizes)

    def record(self):
        """The trace, its footprint and the lines of the caches."""
        return {"trace": str(self.replayed.trace), **self.size._asdict(), "lines": list(self.lines)}

    def setup(self, contexts: Sequence[int | str]):
        """The trace and the caches, for a reader."""
        size = self.size
        pages = {APART: "the pages of each apart", TOGETHER: "equal offsets as one page"}[self.replayed.volumes]
        rows = {
            "trace": str(self.replayed.trace),
            "reward": "minus the miss ratio, mean over the caches",
            "requests": f"{size.requests:,}, {size.page_requests:,} of pages",
            "pages": f"{size.pages:,}",
            "volumes": f"{size.volumes:,}, {pages}" if size.volumes > 1 else "1",
            "caches": ", ".join(
                f"{text} ({_lines(count)})" if "%" in text else _lines(count)
                for text, count in zip(self.replayed.sizes, self.lines, strict=True)
            ),
        }
        if size.backwards:
            rows["times"] = f"{size.backwards:,} go back: the requests are replayed in the order of the lines"
        return rows | ({"left out": left_out_text(size.left_out)} if size.left_out else {})

    def results_beside(self, evaluation: Any):
        """The trace, and misses and miss ratios of each policy at each cache size, mean over its runs."""
        misses = {spec: [_mean(counts) for counts in self._misses(runs)] for spec, runs in evaluation.runs.items()}
        ratios = {spec: [count / self.size.page_requests for count in row] for spec, row in misses.items()}
        return {**self.record(), "miss_ratio": ratios, "misses": misses}

    def _misses(self, runs: Sequence) -> list[list[int]]:
        """Misses of each run, for each size, from the measures of the windows (`ReplaySystem.measures`)."""
        total = self.size.page_requests
        return [[round(float(run.measures[measure.name].mean()) * total) for run in runs] for measure in self.measures]


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"


class ReplaySystem(System):
    """Caches of all sizes under one policy."""

    def __init__(self, scenario: Replay):
        self._scenario, self._window = scenario, 0
        self._pages = np.memmap(scenario.pages_file, np.int64, mode="r")
        self._misses = [0] * len(scenario.lines)

    def decide(self, point: str, policy: Any, seed: int):
        """Set the policy of all caches; random draws are the same at each size."""
        self._policy, self._seed = policy, seed

    def deciding(self, point: str):
        return self._caches

    def start(self, setting: Setting):
        from pmtwin.policies.replacement import next_uses

        self._caches = [self._policy.cache(lines, self._seed) for lines in self._scenario.lines]
        self._future = next_uses(self._pages) if self._policy.clairvoyant else None

    def apply(self, action: Any):
        return

    def run_window(self):
        from pmtwin.policies.replacement import replay

        total, windows = len(self._pages), self._scenario.replayed.windows
        begin, end = (total * number // windows for number in (self._window, self._window + 1))
        pages = np.array(self._pages[begin:end])
        next_use = None if self._future is None else self._future[begin:end]
        self._misses = [replay(cache, pages, next_use) for cache in self._caches]
        self._window += 1

    def observation(self):
        return np.array([min(self._window / self._scenario.replayed.windows, 1.0)])

    def measures(self):
        """Misses of the window per request of a mean window, so that their mean over all windows is the miss ratio."""
        requests = len(self._pages) / self._scenario.replayed.windows
        names = [measure.name for measure in self._scenario.measures]
        return {name: count / requests for name, count in zip(names, self._misses, strict=True)}


def measure_of(size: str) -> str:
    """Name of the measure for the miss ratio at a cache size."""
    return f"miss_ratio_{size}"


def lines_of(size: str, pages: int) -> int:
    """Number of lines of a cache.

    Args:
        size: a number of lines (`2692`) or a share of the pages (`1%`), rounded down, but at least one line.
        pages: number of pages.

    Raises:
        InputError: for another form, or a size out of range.
    """
    is_share = size.endswith("%")
    try:
        number, percentage = (0, float(size[:-1])) if is_share else (int(size), 0.0)
    except ValueError:
        allowed = "a number of lines, a share of the pages as 10%, or two of them as 0.1%..10%"
        raise InputError("cache", size, allowed) from None
    if not is_share:
        check_range("cache", number, 1, MOST_LINES, "lines")
        return number
    if not 0.0 < percentage <= 100.0:
        raise InputError("cache", size, "a share above 0% and up to 100%")
    return max(int(pages * percentage / 100.0), 1)


def sizes_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Cache sizes without repetition; a range such as `0.1%..10%` becomes `CURVE_SIZES` sizes.

    Raises:
        InputError: for a text that is no size, or a range whose second size is not larger.
    """
    sizes: dict[str, None] = {}
    for text in texts:
        ends = _RANGE.fullmatch(text)
        for size in [text] if ends is None else _between(text, *ends.groups()):
            lines_of(size, 1)
            sizes.setdefault(size)
    return tuple(sizes)


def _between(text: str, first: str, last: str) -> list[str]:
    for end in (first, last):
        lines_of(end, 1)
    is_share = first.endswith("%")
    low, high = (float(end.rstrip("%")) for end in (first, last))
    if is_share != last.endswith("%") or not low < high:
        raise InputError("cache", text, "from a size to a greater one of the same kind, as 0.1%..10% or 100..10000")
    values = np.geomspace(low, high, CURVE_SIZES)
    return [f"{value:.4g}%" for value in values] if is_share else [str(round(value)) for value in values]


def _mean(counts: Sequence[int]) -> float | int:
    return counts[0] if len(set(counts)) == 1 else float(np.mean(counts))
