"""Workloads of the threads: the paper's four patterns, mixtures of any share of reads, and a changing one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.contexts import Contexts
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.load import RANDOM, SEQUENTIAL

FAMILY = "changing"
MIXTURE = re.compile(r"mixed-(\d{1,3})")
MOST_VALUE_BYTES, LEAST_VALUE_BYTES = 400_000.0, 200.0
FEWEST_THREADS, MOST_THREADS = 24, 72
NUMBER_OF_MIXTURES = 1000
"""Number of `mixed-0` for seeds; beyond all places of named contexts."""


class Workload(NamedTuple):
    """What the threads do.

    Fields:
        read_share: share of gets among the operations. pattern: order of the keys.
        value_bytes, threads: 0: as the options say.
    """

    read_share: float
    pattern: str = RANDOM
    value_bytes: float = 0.0
    threads: int = 0


PATTERNS = {
    "readrandom": Workload(1.0),
    "readseq": Workload(1.0, SEQUENTIAL),
    "fillrandom": Workload(0.0),
    "fillseq": Workload(0.0, SEQUENTIAL),
}
"""The paper's Table 4."""

LARGE = Workload(0.5, RANDOM, MOST_VALUE_BYTES)
"""Values that stream: what they move at most is the ceiling of what features show."""

SMALL = Workload(0.5, RANDOM, LEAST_VALUE_BYTES)
"""Values of which most operations are done."""

PUBLISHED_MIXTURES = ("mixed-50", "mixed-70", "mixed-90")


def drawn(rng: np.random.Generator) -> Workload:
    """A workload of the family: share of reads, size of the values (by its logarithm) and number of threads."""
    value = float(np.exp(rng.uniform(np.log(LEAST_VALUE_BYTES), np.log(MOST_VALUE_BYTES))))
    threads = int(rng.integers(FEWEST_THREADS, MOST_THREADS + 1))
    return Workload(round(float(rng.uniform()), 2), RANDOM, round(value), threads)


def workload_of(conditions: str | Workload) -> Workload:
    """The workload of a context, or of a draw."""
    if isinstance(conditions, Workload):
        return conditions
    return PATTERNS.get(conditions) or Workload(_percent(conditions) / 100.0)


@dataclass(frozen=True)
class Workloads(Contexts):
    """The named workloads, and `mixed-N` for any whole number of percent."""

    def check(self, name: object) -> int | str:
        if isinstance(name, str) and MIXTURE.fullmatch(name) and _percent(name) <= 100:
            return f"mixed-{_percent(name)}"
        try:
            return super().check(name)
        except InputError as error:
            allowed = f"{error.allowed}, or mixed-N with N percent of reads, 0 to 100"
            raise InputError(error.field, error.value, allowed) from error

    def number(self, name: int | str) -> int:
        if isinstance(name, str) and MIXTURE.fullmatch(name):
            return NUMBER_OF_MIXTURES + _percent(name)
        return super().number(name)


WORKLOADS = Workloads("workload", (*PATTERNS, *PUBLISHED_MIXTURES), {FAMILY: drawn})


def _percent(name: str) -> int:
    return int(name.rpartition("-")[2])
