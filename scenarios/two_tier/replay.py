"""A block trace through caches of several sizes, as a scenario: what replaces their pages is decided inside.

A window is an equal part of the trace. All sizes are replayed together; nothing but the caches is simulated.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.policies.replacement import MOST_LINES
from pmtwin.scenarios.block_traces import APART, TOGETHER, Footprint, Trace, footprint
from pmtwin.scenarios.block_traces.left_out import told
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import System
from pmtwin.sim.control import LOWER, Column, Measure
from pmtwin.sim.decisions import REPLACEMENT, DecisionPoint
from pmtwin.sim.errors import InputError, check_range

POINT = DecisionPoint("replacement", "a miss of a full cache", REPLACEMENT, default="lru")
CURVE_SIZES = 16
"""Sizes of a cache from one to another, evenly spaced on a logarithmic scale."""

_RANGE = re.compile(r"(.+?)\.\.(.+)")


@dataclass(frozen=True)
class Replayed:
    """What is replayed.

    Args:
        trace: its file. page_bytes: requests are split into pages of this size. volumes: `apart` or `together`.
        sizes: of the caches, as `2692` or `1%`, each once.
        windows: parts of the trace.
    """

    trace: Path
    page_bytes: int
    volumes: str
    sizes: tuple[str, ...]
    windows: int


class Replay(Scenario):
    """A trace and the sizes of its caches."""

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

    def __reduce_ex__(self, protocol):
        return object.__reduce_ex__(self, protocol)  # of this class: its spec names another

    def __getstate__(self):
        """A process that replays finds the pages where they have been put."""
        kept = {name: value for name, value in self.__dict__.items() if name != "_folder"}
        return kept | {"size": self.size, "pages_file": self.pages_file}

    @property
    def engine(self):
        return "replay"

    def rests_on_profile(self):
        return False

    def reward(self, measures: Mapping[str, float]):
        """Minus the share of misses, mean over the sizes."""
        return -float(np.mean([measures[measure.name] for measure in self.measures]))

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        return ReplaySystem(self)

    @cached_property
    def size(self) -> Footprint:
        """What the trace touches."""
        return self._read[0]

    @cached_property
    def pages_file(self) -> str:
        """A file of the numbers of its pages, int64, in the order of the requests."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Footprint, str]:
        """Read the trace once."""
        self._folder = tempfile.TemporaryDirectory(prefix="pmtwin-trace-")
        path = Path(self._folder.name) / "pages"
        trace = Trace(self.replayed.trace, self.replayed.volumes)
        with path.open("wb") as file:
            size = footprint(trace, self.replayed.page_bytes, lambda pages: pages.tofile(file))
        return size, str(path)

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """Lines of each cache."""
        return tuple(lines_of(size, self.size.pages) for size in self.replayed.sizes)

    def record(self):
        """What is replayed."""
        return {"trace": str(self.replayed.trace), **self.size._asdict(), "lines": list(self.lines)}

    def setup(self, contexts: Sequence[int | str]):
        """What was replayed."""
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
        return rows | ({"left out": told(size.left_out)} if size.left_out else {})

    def results_beside(self, evaluation: Any):
        """The trace, and for each policy misses and miss ratios at each size, mean over its runs."""
        misses = {spec: [_mean(counts) for counts in self._misses(runs)] for spec, runs in evaluation.runs.items()}
        ratios = {spec: [count / self.size.page_requests for count in row] for spec, row in misses.items()}
        return {**self.record(), "miss_ratio": ratios, "misses": misses}

    def _misses(self, runs: Sequence) -> list[list[int]]:
        """Misses of each run, for each size: a window's measure is its misses by the requests of a mean window."""
        total = self.size.page_requests
        return [[round(float(run.measures[each.name].mean()) * total) for run in runs] for each in self.measures]


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"


class ReplaySystem(System):
    """Caches of all sizes under one policy."""

    def __init__(self, scenario: Replay):
        self._scenario, self._window = scenario, 0
        self._pages = np.memmap(scenario.pages_file, np.int64, mode="r")
        self._misses = [0] * len(scenario.lines)

    def decide(self, point, policy, seed):
        """The policy of every cache; a draw is the same at each size."""
        self._policy, self._seed = policy, seed

    def deciding(self, point):
        return self._caches

    def start(self, setting):
        from pmtwin.policies.replacement import next_uses

        self._caches = [self._policy.cache(lines, self._seed) for lines in self._scenario.lines]
        self._future = next_uses(self._pages) if self._policy.clairvoyant else None

    def apply(self, action):
        return

    def run_window(self):
        from pmtwin.policies.replacement import replay

        total, windows = len(self._pages), self._scenario.replayed.windows
        begin, end = (total * each // windows for each in (self._window, self._window + 1))
        pages = np.array(self._pages[begin:end])
        ahead = None if self._future is None else self._future[begin:end]
        self._misses = [replay(cache, pages, ahead) for cache in self._caches]
        self._window += 1

    def observation(self):
        return np.array([min(self._window / self._scenario.replayed.windows, 1.0)])

    def measures(self):
        """Misses of the window by the requests of a mean one: their mean over all windows is the miss ratio."""
        requests = len(self._pages) / self._scenario.replayed.windows
        names = [measure.name for measure in self._scenario.measures]
        return {name: count / requests for name, count in zip(names, self._misses, strict=True)}


def measure_of(size: str) -> str:
    """Name of the miss ratio at a size."""
    return f"miss_ratio_{size}"


def lines_of(size: str, pages: int) -> int:
    """Lines of a cache, of `2692` or `1%`; a share is rounded down, to one line at least.

    Raises:
        InputError: for another form, or a size out of range.
    """
    share = size.endswith("%")
    try:
        number, percentage = (0, float(size[:-1])) if share else (int(size), 0.0)
    except ValueError:
        allowed = "a number of lines, a share of the pages as 10%, or two of them as 0.1%..10%"
        raise InputError("cache", size, allowed) from None
    if not share:
        check_range("cache", number, 1, MOST_LINES, "lines")
        return number
    if not 0.0 < percentage <= 100.0:
        raise InputError("cache", size, "a share above 0% and up to 100%")
    return max(int(pages * percentage / 100.0), 1)


def sizes_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The sizes that are meant, each once; `0.1%..10%` are `CURVE_SIZES` from one to the other.

    Raises:
        InputError: for a text that is no size, or a range from a size to none above it.
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
    share = first.endswith("%")
    low, high = (float(end.rstrip("%")) for end in (first, last))
    if share != last.endswith("%") or not low < high:
        raise InputError("cache", text, "from a size to a greater one of the same kind, as 0.1%..10% or 100..10000")
    values = np.geomspace(low, high, CURVE_SIZES)
    return [f"{value:.4g}%" for value in values] if share else [str(round(value)) for value in values]


def _mean(counts: Sequence[int]) -> float | int:
    return counts[0] if len(set(counts)) == 1 else float(np.mean(counts))
