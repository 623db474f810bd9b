"""One parameter at a time: figure 11, and what the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pmtwin.scenarios.hybrid_storage.figures.averages import TAIL_WORKLOADS
from pmtwin.scenarios.hybrid_storage.figures.experiments.runs import Case
from pmtwin.scenarios.hybrid_storage.figures.experiments.storages import COST, PERF
from pmtwin.scenarios.hybrid_storage.figures.policies import HARMONIA, LRU_CLEAN, SIBYL, WRITE_LRU

QUEUES = (0, 1, 5, 10, 25, 50, 100, 250)
ANSWERS = (1, 10, 25, 50, 100, 150, 250)
QUEUE, N, CONTROL = "queue", "n", "control"
CONTROLS = (SIBYL, WRITE_LRU, LRU_CLEAN)
"""Policies that neither the queue's size nor n of the reward changes, or hardly: lines in figure 11."""

BASE = "as described"


class Change(NamedTuple):
    """A setting of the open parameters.

    Fields:
        name: of the row. placement, migration: options of both agents. storage, shape: options that differ.
    """

    name: str
    placement: str = ""
    migration: str = ""
    storage: Mapping[str, Any] = {}
    shape: Mapping[str, Any] = {}

    @property
    def spec(self) -> str:
        """The policy."""
        if not (self.placement or self.migration):
            return HARMONIA
        place, migrate = (f"{HARMONIA}:{text}" if text else HARMONIA for text in (self.placement, self.migration))
        return f"place={place}+migrate={migrate}"

    @property
    def specs(self) -> tuple[str, ...]:
        """The policies that run."""
        return (self.spec,) if self.placement or self.migration else (HARMONIA, *BESIDE)


def _both(name: str, text: str) -> Change:
    """A change of the options of both agents."""
    return Change(name, text, text)


OPEN = (
    Change(BASE),
    _both("unit of L: us", "unit=us"),
    _both("unit of L: s, in 32 bits", "unit=s,precision=single"),
    Change("c = 0", migration="penalty=0"),
    Change("c = 1", migration="penalty=1"),
    Change("c = 100", migration="penalty=100"),
    _both("11 atoms", "atoms=11"),
    _both("atoms from -20 to 20", "low=-20,high=20"),
    _both("rewards in 32 bits", "precision=single"),
    _both("optimiser: RMSprop", "optimiser=rmsprop"),
    _both("a training every 100 requests", "every=100"),
    _both("no warm-up", "warm-up=0"),
    Change("reward: difference", migration="reward=difference"),
    Change("discounts swapped", placement="gamma=0.1", migration="gamma=0.9"),
    Change("L of writes alone", migration="counted=writes"),
    Change("all decisions share R", migration="credit=all"),
    Change("the last move alone gets R", migration="credit=last"),
    Change("L without evictions", storage={"reward_latency": "without-evictions"}),
    Change("scan of 16 pages a request", storage={"scan": 16}),
    Change("scan from the most recent page", storage={"scan_order": "recent"}),
    Change("scan in random order", storage={"scan_order": "random"}),
    Change("idle: below 50 %", storage={"idle_percent": 50.0}),
    Change("idle: always", storage={"idle_percent": 100.0}),
    Change("idle: within 0.1 ms", storage={"idle_ms": 0.1}),
    Change("idle: by time", storage={"idle_measure": "time"}),
    Change("queue of 100", storage={"queue": 100}),
    Change("full queue: drops the oldest", storage={"full_queue": "drop-oldest"}),
    Change("full device: refuses", storage={"full_device": "refuse"}),
    Change("reads promote", storage={"reads": "promote"}),
    Change("layout: home", storage={"layout": "home"}),
    Change("disk writes: sync", storage={"hdd_writes": "sync"}),
    Change("arrivals: paced", storage={"arrivals": "paced"}),
    Change("skew 0.5", shape={"skew": 0.5}),
    Change("skew 1.3", shape={"skew": 1.3}),
    Change("drift of 100 requests", shape={"drift": 100}),
    Change("fast: 2 %", storage={"fast": 2.0}),
    Change("fast: 30 %", storage={"fast": 30.0}),
)
"""A row each of `sensitivity`; none is chosen by what comes out."""

BESIDE = (SIBYL, LRU_CLEAN)
"""Policies that run beside Harmonia where the change is not one of its agents' options."""


def settings() -> list[Case]:
    """Harmonia by size of the queue and by n, on the storage of figure 11, whose axis is that of `cost`.

    Labels: (`QUEUE` or `N`) and the value; `CONTROL` of policies without either.
    """
    cases = [
        Case(f"{QUEUE} {size}", name, (HARMONIA,), {"devices": COST, "queue": size})
        for size in QUEUES
        for name in TAIL_WORKLOADS
    ]
    cases += [
        Case(f"{N} {count}", name, (Change("", migration=f"answers={count}").spec,), {"devices": COST})
        for count in ANSWERS
        for name in TAIL_WORKLOADS
    ]
    return cases + [Case(CONTROL, name, CONTROLS, {"devices": COST}) for name in TAIL_WORKLOADS]


def sensitivity() -> list[Case]:
    """Harmonia, and where the system changes of `BESIDE`, with one thing changed at a time.

    On three workloads and both storages. Labels: storage, a slash, name of the change.
    """
    return [
        Case(f"{config}/{change.name}", name, change.specs, {"devices": config, **change.storage}, change.shape)
        for config in (PERF, COST)
        for change in OPEN
        for name in TAIL_WORKLOADS
    ]
