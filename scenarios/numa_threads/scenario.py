"""Threads of a key-value store on a NUMA machine with persistent memory, as a scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from pmtwin.scenarios.capabilities.system_samples import WithSystemSamples
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.numa_threads.native.options import NATIVE
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.placements import KERNEL, SETTINGS
from pmtwin.scenarios.numa_threads.points import DATA_POINT, THREAD_POINT, core_point
from pmtwin.scenarios.numa_threads.workloads import (
    FAMILY,
    MOST_THREADS,
    MOST_VALUE_BYTES,
    WORKLOADS,
    Workload,
    drawn,
    workload_of,
)
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import HIGHER, LOG, LOWER, Column, Measure
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.host.samples import SystemSamples

ANY_PROCESS = Workload(1.0)
"""What stands for the workload of a process that is not ours."""

OF_OPERATIONS = ("ops_per_s", "ops_per_cpu_s", "of_best", "p99_ms", "read_gb_s", "written_gb_s", "link_gb_s")
"""Measures of operations."""

DIRECT = "direct"
"""Mode in which the kernel places all threads, whatever is asked."""

OPS = Measure("ops_per_s", "/s", "finished operations", HIGHER, LOG)
REAL = Measure(
    "real_s", "s", "time in which all requests were done, in the window in which the last one was", LOWER, LOG
)


class NumaThreads(WithSystemSamples, Scenario):
    """Which logical cores the threads of a key-value store use, near to their data and far from them."""

    name = "numa-threads"
    description = "Threads of a key-value store placed on a NUMA machine with persistent memory"
    Options = NumaOptions
    options: NumaOptions
    columns = (
        Column("threads_near", 0, MOST_THREADS, "threads"),
        Column("near_cores", 0, 36, "cores"),
        Column("far_cores", 0, 36, "cores"),
        Column("threads", 1, 1024, "threads", LOG),
        Column("read_share", 0, 1),
        Column("value_bytes", 1, 1e9, "B", LOG),
        Column("local_share", 0, 1),
        Column("near_use", 0, 1),
        Column("far_use", 0, 1),
        Column("read_gb_s", 0, 1e3, "GB/s"),
        Column("written_gb_s", 0, 1e3, "GB/s"),
    )
    measures: tuple[Measure, ...] = (
        OPS,
        Measure(
            "ops_per_cpu_s",
            "/s",
            "finished operations for each second of CPU time of the threads",
            HIGHER,
            LOG,
            compared=False,
            tolerance_percent=10.0,
            worst_percent=10.0,
        ),
        Measure("of_best", "", "those operations, as a share of the best placement's by formulas", HIGHER),
        Measure("p99_ms", "ms", "99th percentile of the time of an operation", LOWER, LOG),
        Measure("local_share", "", "operations on data of the thread's own node, as a share"),
        Measure("read_gb_s", "GB/s", "read from persistent memory", compared=False),
        Measure("written_gb_s", "GB/s", "written to persistent memory", compared=False),
        Measure("link_gb_s", "GB/s", "data over the links between nodes, both ways", compared=False),
        Measure("data_away", "", "data on other nodes than the pool's, as a share"),
        Measure("copied_gb_s", "GB/s", "values copied to another node", compared=False),
        Measure("user_s", "s", "CPU time of the threads outside the kernel, for each second", compared=False),
        Measure("sys_s", "s", "CPU time of the threads in the kernel, for each second", compared=False),
        REAL,
        Measure("migrations", "/s", "threads that went to another logical core", LOWER, compared=False),
        Measure("node_migrations", "/s", "threads that went to another node", LOWER),
        Measure("near_use", "", "utilisation of the logical cores near the data", compared=False),
        Measure("far_use", "", "utilisation of the other logical cores", compared=False),
        Measure("unbalanced", "", "logical cores with mostly remote accesses", compared=False),
        Measure("decisions", "", "logical cores that a policy was asked about before the window", compared=False),
    )
    contexts = WORKLOADS
    settings = SETTINGS
    initial_setting = KERNEL
    points = (core_point(MOST_THREADS), THREAD_POINT, DATA_POINT)
    modes = ("controlled", DIRECT)
    baselines = ("none", "rule", "linucb", "random")
    figures = "pmtwin.scenarios.numa_threads.figures.pipeline"
    warming = "pmtwin.scenarios.numa_threads.commands.warming"
    measured = "pmtwin.scenarios.numa_threads.validation.measured:MeasuredThreads"
    own_conditions_option = "pid"
    commands = MappingProxyType({"evaluate": "pmtwin.scenarios.numa_threads.commands.evaluate"})
    recommended = "linucb"
    everyday = ("engine", "threads", "value_bytes", "requests", "pool_node", "start")
    examples: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({
        "simulate": (
            "pmtwin simulate numa-threads --workload fillrandom",
            "pmtwin simulate numa-threads --workload mixed-50 --placement 48,8,0",
        ),
        "evaluate": (
            "pmtwin evaluate numa-threads --workloads mixed-50 --policies none rule linucb --steps 100",
            "pmtwin evaluate numa-threads --workloads changing --policies none rule linucb gp-ucb",
        ),
        "validate": ("pmtwin validate numa-threads --nodes 0 1 --workloads mixed-50 --windows 4",),
    })  # fmt: skip

    def __init__(self, options: NumaOptions | None = None):
        super().__init__(options)
        self.contexts = replace(WORKLOADS, families={FAMILY: partial(_drawn, self.options)})
        self.points = (core_point(max(self.options.threads, MOST_THREADS)), THREAD_POINT, DATA_POINT)
        if self.options.requests is None:
            self.measures = tuple(each for each in self.measures if each is not REAL)

    @property
    def action_space(self):
        """A placement, by the place of each number among its values."""
        import gymnasium

        return gymnasium.spaces.MultiDiscrete(self.settings.widths)

    def reward(self, measures: Mapping[str, float]) -> float:
        """Reward: operations/s over those of the workload's best placement, by formulas.

        On the real side operations/s where no times are stated that would tell the best, and of a process that is not
        ours the local share, 1 where nothing was accessed.
        """
        if self.own_conditions is not None:
            share = measures["local_share"]
            return 1.0 if math.isnan(share) else share
        return measures[OPS.name if "of_best" in self.unknown else "of_best"]

    @property
    def forecaster(self):
        """The formulas over the placements; the workload is estimated from what windows show."""
        from pmtwin.scenarios.numa_threads.forecasting import PlacementForecaster

        return partial(PlacementForecaster, self.options, tuple(column.name for column in self.columns))

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        from pmtwin.scenarios.numa_threads.system import NumaSystem

        return NumaSystem(self, workload_of(conditions), seed, device, mode == DIRECT)

    @property
    def samples(self) -> SystemSamples:
        return self.options.samples

    @property
    def known_device(self) -> str:
        return self.samples.known_device(load_profile(self.options.profile)) if self.rests_on_profile() else ""

    def rests_on_profile(self) -> bool:
        return self.engine != NATIVE and not self.options.times.given

    def sampled_systems(self, count: int) -> Self:
        if self.samples.systems:  # the user's own choice of samples
            return self
        names = (self.options.profile, self.options.memory_profile)
        devices = count if all(load_profile(name).uncertainty for name in names if name) else 0
        samples = replace(self.samples, device_samples=devices, host_samples=count)
        return type(self)(replace(self.options, samples=samples))

    @property
    def options_without_use(self) -> Mapping[str, str]:
        return self.samples.without_use

    def unmeasured(self, contexts: Sequence[int | str]) -> str:
        from pmtwin.scenarios.numa_threads.unmeasured import unmeasured

        return unmeasured(self.options) if self.rests_on_profile() else ""

    def extrapolated_where(self, contexts: Sequence[int | str], settings=None) -> str:
        return "more threads access a node, or from farther, than measured"

    @property
    def engine(self):
        return self.options.engine

    def parameters(self):
        """What is assumed of the device, as warnings."""
        from pmtwin.scenarios.numa_threads.model import device_of

        assumed = list(device_of(self.options).assumed)
        return {"warnings": assumed} if assumed else {}

    @property
    def sequential(self):
        return self.engine == NATIVE  # two processes at once would fight for the processors

    @property
    def own_conditions(self):
        native = self.options.native
        return None if native is None or native.pid is None else ANY_PROCESS

    @property
    def unknown(self) -> dict[str, float]:
        """Measures that nobody can tell here."""
        of_store = () if self.engine != NATIVE or self.options.times.given else ("of_best",)
        return dict.fromkeys(of_store if self.own_conditions is None else OF_OPERATIONS, math.nan)

    def context_name(self, context):
        return f"process {self.options.native.pid}" if context == OWN else super().context_name(context)


def _drawn(options: NumaOptions, rng: np.random.Generator) -> Workload:
    """A workload of the family: refused from the first one on if the largest values do not fit."""
    options.check_room(MOST_VALUE_BYTES, f"another workload than {FAMILY}, whose largest values these are")
    return drawn(rng)
