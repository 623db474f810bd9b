"""The machine below the scenario, in operation: windows, placements, and decisions between them."""

from __future__ import annotations

import copy
import math
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.scenarios.numa_threads.core_decisions import CoreDecisions
from pmtwin.scenarios.numa_threads.counting import GB, MB, Counts, counted, noisy, unbalanced_cores
from pmtwin.scenarios.numa_threads.data_moves import Data
from pmtwin.scenarios.numa_threads.features import Ceilings
from pmtwin.scenarios.numa_threads.formulas import best_ops_per_s
from pmtwin.scenarios.numa_threads.model import Model, costs_of
from pmtwin.scenarios.numa_threads.moves import Destinations
from pmtwin.scenarios.numa_threads.native.options import NATIVE
from pmtwin.scenarios.numa_threads.options import LOADS
from pmtwin.scenarios.numa_threads.placements import KERNEL, cores_of_threads
from pmtwin.scenarios.numa_threads.points import CORE, DATA, THREAD
from pmtwin.scenarios.numa_threads.stated_times import StatedTimes
from pmtwin.scenarios.numa_threads.thread_decisions import ThreadDecisions
from pmtwin.scenarios.numa_threads.workloads import LARGE, SMALL, Workload, workload_of
from pmtwin.scenarios.system import Load, System, Trial, Validity
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.numa.running import ANALYTIC, COMPILED

if TYPE_CHECKING:
    from pmtwin.scenarios.numa_threads.scenario import NumaThreads

_NS = 1e-9


class NumaSystem(System):
    """Threads on the machine.

    Args:
        workload: what they do. sample: number of the plausible system. kernel_alone: whether nothing places them,
            whatever is asked.
    """

    def __init__(self, scenario: NumaThreads, workload: Workload, seed: int, sample: int, kernel_alone: bool):
        self._scenario, self._options, self._alone = scenario, scenario.options, kernel_alone
        self._model, self._sample = Model(scenario.options, workload, sample), sample
        self._seed, self._lives = seed, 0
        self._policies: dict[str, tuple[Any, int]] = {}
        self._cores: CoreDecisions | None = None
        self._threads: ThreadDecisions | None = None
        self._data = Data(scenario.options)
        self._setting = KERNEL
        self._counts: Counts | None = None
        self._measures: dict[str, float] = {}
        self._run: Any = None

    def decide(self, point, policy, seed):
        known = [each.name for each in self._scenario.points]
        if point not in known:
            raise unknown_name("decision point", point, known)
        self._policies[point] = policy, seed

    def deciding(self, point):
        deciding = {CORE: self._cores, THREAD: self._threads, DATA: self._data}[point]
        return () if deciding is None or deciding.state is None else (deciding.state,)

    def start(self, setting):
        settings = self._scenario.settings
        self._setting = settings.check(settings.noun, setting)
        for point in self._scenario.points:
            if point.name in self._policies and not self._alone:
                self._begin_point(point, *self._policies[point.name])
        self._begin()

    def apply(self, action):
        settings = self._scenario.settings
        setting = action if isinstance(action, tuple) else settings.at([int(place) for place in action])
        setting = settings.check(settings.noun, setting)
        if setting != self._setting:
            self._setting = setting
            self._place()

    def run_window(self):
        if self._run.done:
            self._begin()
        elif self._counts is not None:
            self._decide(self._counts)
        self._data.advance(self._run, self._model)
        window = self._data.with_copies(self._run.window(), self._model)
        loads_alone = self._options.decisions.counted == LOADS
        counts = counted(window, self._options.machine, self._run.costs, self._model.group, loads_alone)
        self._counts = self._shown(counts)
        if self._cores is not None:
            with self._calls():
                self._cores.tell(self._counts)
        self._measures = self._measured(counts)

    def setting(self):
        return self._setting

    def observation(self):
        scenario, workload = self._scenario, self._model.workload
        numbers = [*self._setting, workload.threads, workload.read_share, workload.value_bytes]
        shown = ("local_share", "near_use", "far_use", "read_gb_s", "written_gb_s")
        numbers += [self._measures.get(name, 0.0) for name in shown]
        low, high = (np.array([getattr(each, end) for each in scenario.columns], float) for end in ("low", "high"))
        return np.clip(np.nan_to_num(np.array(numbers, float)), low, high)

    def measures(self):
        return self._measures

    def validity(self):
        counts = self._counts if self._scenario.rests_on_profile() else None
        return Validity(extrapolated=counts is not None and self._model.extrapolated(counts.running))

    def tried(self, setting):
        if self._options.engine not in (COMPILED, ANALYTIC):
            return None
        other = copy.copy(self)
        other._run, other._cores, other._threads = copy.deepcopy(self._run), None, None
        other._data = self._data.undecided()
        other.apply(setting)
        other.run_window()
        return Trial(other._measures, Load())

    def set_context(self, conditions):
        model = Model(self._options, workload_of(conditions), self._sample)
        same = model.workload.threads == self._model.workload.threads
        self._model = model
        if same and self._options.engine != NATIVE:  # a real one starts again
            self._run.set_load(model.load, model.costs)
            self._forget()
        else:
            self._begin()

    def close(self):
        if self._options.engine == NATIVE and self._run is not None:
            self._run.close()
        self._run = None

    def _begin(self) -> None:
        """The threads start, and nothing is known of them."""
        self.close()
        data = self._data.of_threads(self._model.workload.threads)
        self._run = self._model.started(self._options.engine, (self._seed, self._lives), data)
        self._lives += 1
        self._began_on = self._run.core_of
        self._forget()
        self._place()

    def _forget(self) -> None:
        """The last window tells nothing of what the threads do from now on."""
        self._counts = None
        if self._cores is not None:
            self._cores.forget()

    def _begin_point(self, point: Any, policy: Any, seed: int) -> None:
        key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        if point.name == DATA:
            if self._options.engine == NATIVE:
                allowed = f"{COMPILED} or simpy with a policy at point {DATA}: real values stay where they are"
                raise InputError("engine", NATIVE, allowed)
            self._data.state = policy.state(point, key)
            return
        if point.name == THREAD:
            self._threads = ThreadDecisions(policy.state(point, key))
            return
        options = self._options
        smallest = SMALL._replace(value_bytes=min(SMALL.value_bytes, options.value_bytes))
        of_profile = replace(options, times=StatedTimes())  # stated times are those of the workload's values alone
        large, small = (costs_of(of_profile, each) for each in (LARGE, smallest))
        ceilings = Ceilings(large, small, options.machine, options.kernel.page_bytes)
        scaled = replace(point, features=ceilings.columns)
        self._cores = CoreDecisions(policy.state(scaled, key), scaled, options.decisions, ceilings)

    def _place(self) -> None:
        """The affinities of the setting."""
        options, count = self._options, len(self._run.core_of)  # a process of a user's has as many as it likes
        cores = None
        if not self._alone:
            cores = cores_of_threads(options.machine, options.pool_node, self._setting, count)
        if cores is not None or self._run.affinity.sum() < self._run.affinity.size:
            self._run.set_affinities([None if cores is None else (cores[thread],) for thread in range(count)])

    def _decide(self, counts: Counts) -> None:
        """What the policies inside decide on the last window."""
        node, to = self._data.node, Destinations(self._options.machine, counts.use)
        with self._calls():
            self._data.decide(self._run, counts.window, self._model)
            if self._cores is not None:
                self._cores.decide(self._run, counts, self._began_on, node, to)
            if self._threads is not None:
                self._threads.decide(self._run, counts, self._data.shares, to)

    def _shown(self, counts: Counts) -> Counts:
        """What policies inside the windows see of the counters."""
        spread = self._options.decisions.counter_noise
        if not spread:
            return counts
        at_us = round(1e6 * self._run.now_s)
        return noisy(counts, spread, np.random.default_rng((self._seed, self._lives, at_us)))

    def _calls(self) -> ExitStack:
        """Context manager: an error of a user's policy is told as one."""
        stack = ExitStack()
        for policy, _ in self._policies.values():
            stack.enter_context(policy.calls())
        return stack

    def _measured(self, counts: Counts) -> dict[str, float]:
        """The measures of a window."""
        window, machine = counts.window, self._options.machine
        near = np.array(machine.cores_of(self._options.pool_node))
        far = np.setdiff1d(np.arange(machine.processors), near)
        ops = self._model.group * window.operations_per_s
        cpu, kernel = (_NS * float(window.thread[name].sum()) / window.seconds for name in ("cpu_ns", "sys_ns"))
        ended = self._run.now_s if self._run.done else math.nan
        return {
            **({} if self._options.requests is None else {"real_s": ended}),
            "ops_per_s": ops,
            "ops_per_cpu_s": ops / cpu if cpu else math.nan,
            "of_best": ops / best_ops_per_s(self._options, self._model.workload, self._sample),
            "p99_ms": 1e-6 * window.p99_ns / self._model.group,
            "local_share": window.local_share,
            "read_gb_s": counts.read_mb_s * MB / GB,
            "written_gb_s": counts.written_mb_s * MB / GB,
            "link_gb_s": float(window.link_bytes.sum()) / window.seconds / GB,
            "data_away": 1.0 - float(self._data.shares[self._options.pool_node]),
            "copied_gb_s": self._data.copied.values * self._model.workload.value_bytes / window.seconds / GB,
            "user_s": cpu - kernel,
            "sys_s": kernel,
            "migrations": float(window.thread["migrations"].sum()) / window.seconds,
            "node_migrations": float(window.thread["node_migrations"].sum()) / window.seconds,
            "near_use": float(counts.use[near].mean()),
            "far_use": float(counts.use[far].mean()) if len(far) else 0.0,
            "unbalanced": float(len(unbalanced_cores(counts, self._options.decisions.imbalance))),
            "decisions": float(self._cores.asked) if self._cores else 0.0,
        } | self._scenario.unknown
