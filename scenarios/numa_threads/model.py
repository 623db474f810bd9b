"""What runs below the scenario for one workload: load, costs, threads."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pmtwin.scenarios.numa_threads.grouping import Grouped, group_size
from pmtwin.scenarios.numa_threads.native.options import NATIVE
from pmtwin.scenarios.numa_threads.options import FAR, NEAR, NumaOptions
from pmtwin.scenarios.numa_threads.plausible import plausible_systems
from pmtwin.scenarios.numa_threads.stated_times import StatedCosts, StatedTimes
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.host.samples import SystemSamples
from pmtwin.sim.numa.costs import UPDATE, StoreCosts, store_costs
from pmtwin.sim.numa.load import SPREAD, Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.node_device import NodeDevice, node_device
from pmtwin.sim.numa.running import Run, start_run
from pmtwin.sim.numa.speed_rows import Costs

if TYPE_CHECKING:
    from pmtwin.scenarios.numa_threads.native.run import NativeRun


class Model:
    """A workload on the machine of the options, with plausible system number `sample`.

    Attributes:
        workload: with the values of the options where it has none of its own.
        load: its operations, a group of which is simulated as one. costs: of such a group. plain_costs: of one.
    """

    def __init__(self, options: NumaOptions, workload: Workload, sample: int = 0):
        self._options, self.sample = options, sample
        self.workload = complete(options, workload)
        costs = self.plain_costs = costs_of(options, self.workload, sample)
        mix = np.array([workload.read_share, 1.0 - workload.read_share])
        real = options.engine == NATIVE
        self.group = 1 if real else group_size(costs, options.machine.nodes, mix, options.group_us)
        self.load = replace(load_of(options, self.workload), group=self.group)
        self.costs: Costs = costs if self.group == 1 else Grouped(costs, self.group)

    def started(self, engine: str, seed: tuple[int, ...], data: np.ndarray | None = None) -> Run | NativeRun:
        """A run at time 0.

        Args:
            data: shares of the nodes in each simulated thread's operations; None: all on the pool's.
        """
        options, count = self._options, self.workload.threads
        if engine == NATIVE:
            from pmtwin.scenarios.numa_threads.native.starting import started

            return started(options, count, self.load, self.costs, seed)
        requests = None if options.requests is None else max(1, round(options.requests / (count * self.group)))
        pool = options.pool_bytes(self.workload.value_bytes)
        shares = options.pool_node if data is None else data
        threads = Threads(count=count, data=shares, requests=requests, pool_bytes=pool, start=self._start(count))
        return start_run(options.machine, options.kernel, self.load, threads, self.costs, engine=engine, seed=seed)

    def extrapolated(self, running: np.ndarray) -> bool:
        """Whether so many threads lie outside the measurements; shape (N, H, 2), as `Costs.times` takes them."""
        return _extrapolated(self.plain_costs, running.tobytes(), running.shape)

    def _start(self, count: int) -> str | np.ndarray:
        """Where the threads begin."""
        machine, start = self._options.machine, self._options.start
        if start not in (NEAR, FAR):
            return SPREAD
        near = machine.node_of == self._options.pool_node
        return np.resize(np.flatnonzero(near if start == NEAR else ~near), count)


def complete(options: NumaOptions, workload: Workload) -> Workload:
    """A workload without open fields."""
    value = workload.value_bytes or options.value_bytes
    return workload._replace(value_bytes=value, threads=workload.threads or options.threads)


def load_of(options: NumaOptions, workload: Workload) -> Load:
    """Its operations."""
    value = complete(options, workload).value_bytes
    return Load(read_share=workload.read_share, value_bytes=value, pattern=workload.pattern, spread=options.spread)


def costs_of(options: NumaOptions, workload: Workload, sample: int = 0, put: str = UPDATE) -> StoreCosts | StatedCosts:
    """What its operations cost on a plausible system; `put`: of `pmtwin.sim.numa.costs.PUTS`.

    Options that no cost depends on share the costs, and all times that they have computed.
    """
    priced = _Priced(
        options.profile, options.memory_profile, options.samples, options.machine, options.directory_writes,
        options.records, options.times,
    )  # fmt: skip
    return _costs_of(priced, load_of(options, workload), sample, put)


class _Priced(NamedTuple):
    """The options that costs depend on, beside those of the load."""

    profile: str
    memory_profile: str
    samples: SystemSamples
    machine: Machine
    directory_writes: bool
    records: int
    times: StatedTimes


@lru_cache(maxsize=64)
def _costs_of(priced: _Priced, load: Load, sample: int, put: str) -> StoreCosts | StatedCosts:
    system = plausible_systems(priced.profile, priced.samples, priced.memory_profile)[sample]
    machine = priced.machine
    device = node_device(system.profile, machine.thread_nodes, priced.directory_writes)
    costs = store_costs(
        device.profile, machine, load, records=priced.records, put=put, plausible=system.beside,
        beside=system.memory and node_device(system.memory, 1).profile,
    )  # fmt: skip
    return StatedCosts(costs, priced.times, machine.nodes) if priced.times.given else costs


@lru_cache(maxsize=4096)
def _extrapolated(costs: StoreCosts | StatedCosts, running: bytes, shape: tuple[int, ...]) -> bool:
    return costs.extrapolated(np.frombuffer(running).reshape(shape))


@lru_cache(maxsize=16)
def device_of(options: NumaOptions) -> NodeDevice:
    """The persistent memory of each node with processors, and what is assumed of all nodes."""
    device = node_device(load_profile(options.profile), options.machine.thread_nodes, options.directory_writes)
    if not options.machine.memory_nodes:
        return device
    said = "a node without processors is as far from every other node as this profile says, and has no directory"
    return device._replace(assumed=(*device.assumed, f"profile {options.memory_profile}: {said}"))
