"""The cluster below the scenario, in operation: windows of time, and limits that change between them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.lustre_tuning.indicators import indicators, observed
from pmtwin.scenarios.lustre_tuning.options import OBJECTIVE
from pmtwin.scenarios.lustre_tuning.reference import tradeoff_of
from pmtwin.scenarios.lustre_tuning.workloads import WORKLOADS, Workload
from pmtwin.scenarios.system import System
from pmtwin.sim.lustre.load import RANDOM
from pmtwin.sim.lustre.running import Reading, Run, start_run
from pmtwin.sim.numa.latencies import quantile_ns
from pmtwin.sim.stations.hard_disk import READ

if TYPE_CHECKING:
    from pmtwin.scenarios.lustre_tuning.scenario import LustreTuning

MB, MS = 1e-6, 1e-6
MIB = 1 << 20
TAIL = 0.99


class LustreSystem(System):
    """A cluster under a workload.

    Another mix of random reads and writes begins while the cluster runs; another kind of workload with new files on a
    cluster without work.
    """

    def __init__(self, scenario: LustreTuning, workload: str, seed: int):
        self._scenario, self._options, self._seed = scenario, scenario.options, seed
        self._workload, self._lives = workload, 0
        self._setting = scenario.initial_setting
        self._run: Run
        self._measures: dict[str, float] = {}

    def start(self, setting):
        self._setting = setting
        self._lost = np.random.default_rng((self._seed, 1))
        self._begin()

    def apply(self, action):
        setting = self._scenario.settings.after(self._setting, action)
        if setting != self._setting:
            self._setting = setting
            self._run.set_limits(*setting)

    def run_window(self):
        self._windows += 1
        self._run.advance(self._options.fill_s + self._windows * self._options.window_s)
        self._before, self._after = self._after, self._run.reading()
        before = self._measures.get("throughput_mb_s", math.nan)
        self._measures = self._measured(self._before, self._after)
        change = self._measures["throughput_mb_s"] - before
        self._measures["change_mb_s"] = 0.0 if math.isnan(change) else change
        if self._options.reward == OBJECTIVE:
            objective = tradeoff_of(type(self._scenario), self._options, self._workload)
            self._measures["served_less_tail"] = objective(self._measures["throughput_mb_s"], self.tail_ms())

    def tail_ms(self) -> float:
        """The latency that the objective under this workload looks at, of the last window; 0 without a call."""
        waited = self._after.latency - self._before.latency
        tail_ms = quantile_ns(waited[READ] if self._load.reads_wait else waited.sum(axis=0), TAIL) * MS
        return 0.0 if math.isnan(tail_ms) else tail_ms

    def setting(self):
        return self._setting

    def observation(self):
        cluster, scenario = self._options.cluster, self._scenario
        rows = indicators(self._before, self._after, self._setting, cluster.dirty_mb * MIB)
        clients = observed(rows, self._after.ping_ns, cluster.clients)
        high = np.array([column.high for column in scenario.columns])
        numbers = np.minimum(clients.ravel(), high).reshape(clients.shape)
        if self._options.lost:
            numbers[self._lost.random(cluster.clients) < self._options.lost] = math.nan
        return numbers.ravel()

    def measures(self):
        return {measure.name: self._measures[measure.name] for measure in self._scenario.measures}

    def set_context(self, conditions):
        before, after = WORKLOADS[self._workload], WORKLOADS[str(conditions)]
        self._workload = str(conditions)
        if before.pattern == RANDOM and replace(before, read_share=after.read_share) == after:
            self._run.set_read_share(after.read_share)
            return
        self._lives += 1
        self._begin()

    def _begin(self) -> None:
        """A cluster without work, and the time in which caches fill."""
        load, seed = self._options.load(self._load), (self._seed, self._lives)
        self._run = start_run(self._options.cluster, load, self._options.engine, seed)
        self._run.set_limits(*self._setting)
        self._run.advance(self._options.fill_s)
        self._before = self._after = self._run.reading()
        self._windows = 0

    @property
    def _load(self) -> Workload:
        return WORKLOADS[self._workload]

    def _measured(self, before: Reading, after: Reading) -> dict[str, float]:
        seconds, disks = after.now_s - before.now_s, self._options.cluster.servers
        read, written = (after.bytes - before.bytes).sum(axis=0) * MB / seconds
        busy, moving = (
            float((getattr(after, name) - getattr(before, name)).sum()) for name in ("busy_ns", "moving_ns")
        )
        commands = int((after.commands - before.commands).sum())
        served, waited = int((after.done - before.done).sum()), after.latency - before.latency
        return {
            "throughput_mb_s": float(read + written),
            "read_mb_s": float(read),
            "write_mb_s": float(written),
            "p99_ms": quantile_ns(waited.sum(axis=0), TAIL) * MS,
            "disk_use": busy * 1e-9 / (seconds * disks),
            "moving_share": min(moving / busy, 1.0) if busy else math.nan,
            "rpcs_per_command": served / commands if commands else math.nan,
        }
