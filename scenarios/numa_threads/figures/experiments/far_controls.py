"""Table 1 with one thing assumed otherwise at a time: how far times and ratios rest on what nobody printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pmtwin.figures.experiments.parallel import run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.numa_threads.figures.experiments.far_threads import (
    THREADS,
    WORKLOAD,
    far_threads,
    program_options,
    real_s,
)
from pmtwin.scenarios.numa_threads.figures.experiments.subject import subject
from pmtwin.scenarios.numa_threads.model import Model, costs_of, load_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.workloads import PATTERNS, Workload, workload_of
from pmtwin.sim.device.effects.directory import stating_entries
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.numa.costs import INSERT, UPDATE, store_costs
from pmtwin.sim.numa.node_device import node_device
from pmtwin.sim.numa.running import ANALYTIC
from pmtwin.sim.numa.speed_rows import Costs

OTHER_PROFILE = "optane-dcpmm-100-256gb"
MEASURED_THREADS = 24
"""Most threads of one node that the default profile's writes were measured with."""


@dataclass(frozen=True)
class Control:
    """What is assumed otherwise.

    Args:
        name: in words. workload: what the threads do. put: of `pmtwin.sim.numa.costs.PUTS`.
        options, machine: options that differ.
        entries: directory entries of streamed reads in a media write; None: the profile's.
        most: threads that slow each other down; more of them share what these get. None: all.
        accesses: whether a share of the accesses of each thread is remote, in the place of a share of the threads.
    """

    name: str
    workload: Workload = WORKLOAD
    put: str = UPDATE
    options: Mapping[str, Any] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    entries: float | None = None
    most: int | None = None
    accesses: bool = False

    def of(self, options: NumaOptions) -> NumaOptions:
        """The options with what differs."""
        return replace(options, machine=replace(options.machine, **self.machine), **self.options)

    def costs(self, options: NumaOptions) -> Costs:
        """What an operation costs, with what differs; options as `of` returns them."""
        if self.entries is None:
            costs: Costs = costs_of(options, self.workload, put=self.put)
        else:
            device = node_device(load_profile(options.profile), options.machine.nodes).profile
            device = replace(device, effects=stating_entries(device.effects, self.entries))
            load = load_of(options, self.workload)
            costs = store_costs(device, options.machine, load, records=options.records, put=self.put)
        return costs if self.most is None else HeldCosts(costs, self.most)


CONTROLS = (
    Control("as built"),
    Control("each put has a new key, no log", put=INSERT),
    Control("more than 24 threads as fast together as 24", most=MEASURED_THREADS),
    Control("both of these", put=INSERT, most=MEASURED_THREADS),
    Control("profile of 256 GB modules", options={"profile": OTHER_PROFILE}),
    Control("the same, and new keys", put=INSERT, options={"profile": OTHER_PROFILE}),
    Control("six modules a node", machine={"modules": 6}),
    Control("no directory", options={"directory_writes": False}),
    Control("one directory entry in a media write", entries=1.0),
    Control("four directory entries", entries=4.0),
    Control("fillseq", PATTERNS["fillseq"]),
    Control("readrandom", PATTERNS["readrandom"]),
    Control("mixed-50", workload_of("mixed-50")),
    Control("share of each thread's accesses", accesses=True),
)


class HeldCosts:
    """Costs of a load whose memory more threads than some share as if they were these."""

    def __init__(self, costs: Costs, most: int):
        self._costs, self._most = costs, most
        self.read_bytes, self.written_bytes = costs.read_bytes, costs.written_bytes
        self.sibling_factor, self.refill_ns_per_byte = costs.sibling_factor, costs.refill_ns_per_byte

    def __deepcopy__(self, memo: dict) -> HeldCosts:
        return self  # nothing changes it

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `pmtwin.sim.numa.speed_rows.Costs`."""
        beyond = np.maximum(counts.sum(axis=(2, 3), keepdims=True) / self._most, 1.0)
        _, memory = self._costs.times(counts / beyond)
        software, _ = self._costs.times(counts)
        return software, memory * beyond


def compute(work: Work) -> dict:
    """`runs`: a row for each control and number of far threads: `real_s`, by mean values, with the profile itself."""
    options = replace(program_options(subject(work).options), engine=ANALYTIC)
    tasks = [(options, number) for number in range(len(CONTROLS))]
    with work.progress(total=len(tasks), desc="controls") as bar:
        rows = run_tasks(_programs, tasks, work.setting.jobs, bar.update)
    return {"runs": [row for part in rows for row in part]}


def _programs(options: NumaOptions, number: int) -> list[dict]:
    control = CONTROLS[number]
    options = control.of(options)
    model = Model(options, control.workload)
    model.costs = control.costs(options)
    return [
        {
            "control": control.name,
            "far": far,
            "seed": 0,
            "sample": None,
            "real_s": _real_s(options, model, far, control),
        }
        for far in far_threads()
    ]


def _real_s(options: NumaOptions, model: Model, far: int, control: Control) -> float:
    if not control.accesses:
        return real_s(options, model, far, 0)
    shares = np.full((THREADS, options.machine.nodes), far / THREADS / max(options.machine.nodes - 1, 1))
    shares[:, options.pool_node] = 1.0 - far / THREADS
    return real_s(options, model, 0, 0, shares)
