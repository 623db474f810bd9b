"""Congestion window and rate limit of a parallel file system, as a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.scenarios.lustre_tuning.indicators import columns_of
from pmtwin.scenarios.lustre_tuning.limits import LIMITS, START
from pmtwin.scenarios.lustre_tuning.options import CHANGE, LEVEL, OBJECTIVE, LustreOptions
from pmtwin.scenarios.lustre_tuning.workloads import CONTEXTS, OF_WORKLOADS, WORKLOADS
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import HIGHER, LOG, LOWER, Measure
from pmtwin.sim.lustre.cluster import Cluster

THROUGHPUT = Measure("throughput_mb_s", "MB/s", "data of answered reads and writes", HIGHER)
CHANGED = Measure("change_mb_s", "MB/s", "that, less the window's before", HIGHER, compared=False)
TRADED = Measure(
    "served_less_tail", "", "throughput over that of Lustre's default, less what a longer p99 costs", HIGHER
)
REWARDS = {LEVEL: THROUGHPUT, CHANGE: CHANGED, OBJECTIVE: TRADED}


class LustreTuning(Scenario):
    """How many RPCs each client has in flight at each server, and how fast they follow one another."""

    name = "lustre-tuning"
    description = "Congestion window and rate limit of a parallel file system of servers with hard disks"
    Options = LustreOptions
    options: LustreOptions
    columns = columns_of(Cluster.clients, Cluster.servers)
    measures: tuple[Measure, ...] = (
        THROUGHPUT,
        Measure("read_mb_s", "MB/s", "data of answered reads", HIGHER),
        Measure("write_mb_s", "MB/s", "data of answered writes", HIGHER),
        Measure("p99_ms", "ms", "99th percentile of the time of a read or a call that writes", LOWER, LOG),
        Measure("disk_use", "", "time with a command of the disks, as a share", compared=False),
        Measure("moving_share", "", "time with a command in which the head moves or waits, as a share", compared=False),
        Measure("rpcs_per_command", "", "RPCs that a command of a disk serves", compared=False),
        CHANGED,
    )
    contexts = CONTEXTS
    settings = LIMITS
    initial_setting = START
    search_warmup_windows = 60
    request_classes = ()
    baselines = ("fixed:8,0", "random")
    recommended = "dqn"
    everyday = ("engine", "reward", "io_bytes", "data_gb", "lost", "foreign_s")
    figures = "pmtwin.scenarios.lustre_tuning.figures.pipeline"
    warming = "pmtwin.scenarios.lustre_tuning.commands.warming"
    examples: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({
        "simulate": (
            "pmtwin simulate lustre-tuning --workload random-1-9 --limits 8,0",
            "pmtwin simulate lustre-tuning --workload random-1-9 --limits 64,0 --windows 600",
        ),
        "evaluate": (
            "pmtwin evaluate lustre-tuning --workloads random-1-9 --policies fixed:8,0 fixed:32,0 --steps 300",
        ),
    })  # fmt: skip

    def __init__(self, options: LustreOptions | None = None):
        super().__init__(options)
        cluster, lost = self.options.cluster, self.options.lost > 0.0
        self.columns = columns_of(cluster.clients, cluster.servers, lost)  # type: ignore[misc]  # by the options
        if self.options.reward == OBJECTIVE:
            self.measures = (*self.measures, TRADED)

    def reward(self, measures: Mapping[str, float]) -> float:
        """Throughput in MB/s, its change (the authors' code), or the objective of throughput and tail latency."""
        return measures[REWARDS[self.options.reward].name]

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        from pmtwin.scenarios.lustre_tuning.system import LustreSystem

        return LustreSystem(self, str(conditions), seed)

    @property
    def window_seconds(self):
        return self.options.window_s

    @property
    def engine(self):
        return self.options.engine

    @property
    def options_without_use(self):
        """The weight of the latency, for other rewards than the objective."""
        if self.options.reward == OBJECTIVE:
            return {}
        return {"latency_weight": f"belongs to --reward {OBJECTIVE}; add that, or remove this option"}

    def options_without_use_in(self, contexts):
        """Also those that every workload has its own value of."""
        known = [WORKLOADS[name] for name in contexts if name in WORKLOADS]
        replaced = [name for name in OF_WORKLOADS if known and all(getattr(load, name) is not None for load in known)]
        reason = "has no use: each of the workloads has its own; remove it"
        return {**dict.fromkeys(replaced, reason), **self.options_without_use}

    def rests_on_profile(self):
        return False

    def setup(self, contexts):
        cluster = self.options.cluster
        machines = f"{cluster.servers} servers, {cluster.clients} clients, {self.options.data_gb:g} GB"
        return {"cluster": machines, **super().setup(contexts)}
