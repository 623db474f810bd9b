"""Threads of our own store as the measured side of a validation: on the machine's nodes, or on emulated ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pmtwin.machine import machine
from pmtwin.machine.medium import medium_of_mount
from pmtwin.scenarios.numa_threads.model import Model
from pmtwin.scenarios.numa_threads.native.options import NATIVE, NODES
from pmtwin.scenarios.numa_threads.native.starting import started
from pmtwin.scenarios.numa_threads.native.topology import Topology, topology
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.placements import SETTINGS
from pmtwin.scenarios.numa_threads.points import CORE, THREAD
from pmtwin.scenarios.numa_threads.scenario import NumaThreads
from pmtwin.scenarios.numa_threads.validation import controller
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.load import FAR, GET, MOST_THREADS, NEAR, PUT
from pmtwin.sim.options import Options, build, option, option_again, plain
from pmtwin.validation.measured import BetweenRuns, MeasuredSide, Medium
from pmtwin.validation.plan import REWARD, SIDES

if TYPE_CHECKING:
    from pmtwin.figures.drawing.rendered import Table
    from pmtwin.validation.plan import ValidationPlan

EMULATED = "emulated"
SOME_NEAR = 6
"""Threads near the data where others are far: of twelve, half."""

ALONE = 0.9
"""Share of the time that a lone thread has its processor on a machine where little else runs."""

BETWEEN_LONE = 2
"""Runs between two measurements of a lone thread."""

SETTLING = 0.2
"""Share of a window that a lone thread runs before it is measured."""


@dataclass(frozen=True, kw_only=True)
class SideOptions(Options):
    """The nodes, and a load that two processors do in a short time.

    Its data fit into a second-level cache: what other programs of the machine evict comes back soon.
    """

    title = "the real side"

    nodes: tuple[str, ...] = option((), NODES, metavar="LIST", separator=" ")
    threads: int = option(12, "number of threads", low=SOME_NEAR + 1, high=MOST_THREADS, metavar="N")
    value_bytes: float = option_again(NumaOptions, "value_bytes", 1024.0)
    records: int = option_again(NumaOptions, "records", 200)
    window_s: float = option_again(NumaOptions, "window_s", 0.4)


class MeasuredThreads(MeasuredSide[NumaThreads, SideOptions]):
    """Threads of a store, which are counted one by one.

    A lone thread near the data, measured between the runs, sets the times of the twin's operations. How threads share
    processors, and what the far ones lose, is predicted.
    """

    system = "store"
    media: ClassVar[dict[str, Medium]] = {
        EMULATED: Medium(
            "verified (emulated)",
            "lists of processors stood for nodes, and accesses from the wrong one spun: what agrees is placement, "
            "scheduling and counting, not the memory",
        ),
        "dram": Medium("validated (DRAM)", "the store lay in main memory of real nodes"),
        "pmem": Medium("validated (pmem)", "the store lay in persistent memory of real nodes"),
    }
    measures = ("ops_per_cpu_s",)
    asks_inside = (CORE, THREAD)
    grids: ClassVar[dict[str, tuple]] = {"sides": ((72, 36, 0), (SOME_NEAR, 36, 36), (0, 0, 36))}
    usual: ClassVar[dict[str, int]] = {"seeds": 10, "windows": 1, "warmup_windows": 1}  # windows of a run differ little
    Takes = SideOptions
    everyday = ("nodes", "threads", "value_bytes")
    replaced = (
        "nodes", "cores", "threads_per_core", "threads", "value_bytes", "records", "window_s", "node_cpus", "pid",
        "observe", "requests", "start", "get_us", "put_us",
    )  # fmt: skip

    def __init__(self, predicted: NumaThreads, measured: NumaThreads, options: SideOptions | None = None):
        super().__init__(predicted, measured, options)
        self._lone: dict[tuple[int, int], list[float]] = {}
        self._had: list[float] = []
        self._controller: float | None = None

    @classmethod
    def of(cls, scenario: type[NumaThreads], values: Mapping[str, Any], options: SideOptions) -> MeasuredThreads:
        """The machine of the model is the one that the threads run on."""
        if values.get("engine") == NATIVE:
            raise InputError("engine", NATIVE, f"an engine of the twin: compiled or simpy; the other side is {NATIVE}")
        nodes = topology(options.nodes, "nodes")
        load = {name: getattr(options, name) for name in ("threads", "value_bytes", "records", "window_s")}
        common = {**values, **load, **{f"machine.{name}": value for name, value in nodes.machine.items()}}
        twin = {path: value for path, value in common.items() if not path.startswith("native.")}
        real = {**common, "engine": NATIVE, "native.node_cpus": options.nodes}
        return cls(scenario(build(NumaOptions, twin)), scenario(build(NumaOptions, real)), options)

    @cached_property
    def nodes(self) -> Topology:
        """The nodes."""
        return topology(self.options.nodes, "nodes")

    @cached_property
    def medium(self) -> str:
        native = self.measured.options.native
        if self.nodes.emulated:
            return EMULATED
        if native is None or native.path is None:
            return "dram"
        medium, what = medium_of_mount(machine.mount_of(native.path))
        if medium is None:
            raise InputError("path", native.path, f"/dev/shm, or persistent memory mounted with -o dax; it is {what}")
        return medium

    def shortened(self, scenario: NumaThreads, times: int) -> NumaThreads:
        return NumaThreads(replace(scenario.options, window_s=max(scenario.options.window_s / times, 0.1)))

    @contextmanager
    def between(self, plan: ValidationPlan[NumaThreads], keep: Path | None) -> Iterator[BetweenRuns]:
        """A lone thread that gets or puts in turn, near the data and on real nodes far from them too."""
        kinds = [(side, each) for side in ((NEAR,) if self.nodes.emulated else (NEAR, FAR)) for each in (GET, PUT)]

        def due(done: int, runs: int) -> list[tuple[int, int]]:
            if done in (0, runs):
                return kinds
            return [] if done % BETWEEN_LONE else [kinds[done // BETWEEN_LONE % len(kinds)]]

        def step(done: int, runs: int, on_window: Any) -> None:
            for kind in due(done, runs):
                self._lone.setdefault(kind, []).append(self._lone_us(*kind, done))
                on_window()
            if done == runs:
                self._controller = controller.controller_share(self.measured.options)
                on_window()

        yield BetweenRuns((plan.seeds * len(plan.cases) - 1) // BETWEEN_LONE + 2 * len(kinds) + 1, step)

    def outcome(self, plan: ValidationPlan[NumaThreads]) -> tuple[ValidationPlan[NumaThreads], dict]:
        """The twin's operations take what the lone thread's took."""
        us = {kind: float(np.median(samples)) for kind, samples in self._lone.items()}
        stated = {"get_us": us[NEAR, GET], "put_us": us[NEAR, PUT]}
        if not self.nodes.emulated:
            pairs = {"get_far": GET, "put_far": PUT}
            stated |= {name: max(us[FAR, each] / us[NEAR, each], 1.0) for name, each in pairs.items()}
        options = plan.predicted.options
        twin = NumaThreads(replace(options, times=replace(options.times, **stated)))
        control = {"threads": controller.THREADS, "processor_share": self._controller}
        warnings = [*self._disturbed(), *self._costly()]
        return replace(plan, predicted=twin), {"lone_thread": stated, "controller": control, "warnings": warnings}

    def _costly(self) -> list[str]:
        """That the control itself takes more than it may."""
        if self._controller is None or self._controller <= controller.MOST:
            return []
        return [f"the control of {controller.THREADS} threads takes {self._controller:.1%} of a processor"]

    def _disturbed(self) -> list[str]:
        """That other programs ran: they take processors from some threads more than from others, and empty caches."""
        had = float(np.median(self._had)) if self._had else 1.0
        if had >= ALONE:
            return []
        return [
            f"other programs ran: a lone thread had its processor for {had:.0%} of the time; on a silent machine "
            "both sides are nearer to each other"
        ]

    def record(self, predicted: NumaThreads) -> dict:
        return {"twin": plain(predicted.options), "store": plain(self.measured.options.native)}

    def window_seconds(self, scenario, context, settings):
        return [scenario.options.window_s] * len(settings)

    def setup(self, result: dict) -> dict[str, str]:
        used, native = self.predicted.options, self.measured.options.native
        lone = result["configuration"]["lone_thread"]
        kind = "lists of processors stand for them" if self.nodes.emulated else "those of the machine"
        cpus = "; ".join(",".join(map(str, node)) for node in self.nodes.nodes)
        load = f"{used.records:,} values of {used.value_bytes:,.0f} B, {used.threads} threads"
        return {
            "nodes": f"{cpus} ({kind})",
            "store": f"{native.store if native else ''}, {load}",
            "lone thread": f"get {lone['get_us']:.3g} us, put {lone['put_us']:.3g} us: these set the twin's times",
            "masks": "each was read back after it was set",
            "controller": _controller(result["configuration"]["controller"]),
            "order": _order(result, self.measures[0]),
        }

    def tables(self, result: dict) -> list[Table]:
        """Without the rewards, which are shares of the best only where the times are known beforehand."""
        *others, comparisons = super().tables(result)
        kept = [place for place, name in enumerate(comparisons.header) if not name.startswith(REWARD)]
        rows = [tuple(row[place] for place in kept) for row in comparisons.rows]
        return [*others, replace(comparisons, header=tuple(comparisons.header[place] for place in kept), rows=rows)]

    def _lone_us(self, side: int, operation: int, seed: int) -> float:
        """CPU time of an operation of a lone thread in a window."""
        options = self.measured.options
        near = list(options.machine.cores_of(options.pool_node))
        far = [core for core in range(options.machine.processors) if core not in near]
        model = Model(options, Workload(float(operation == GET), threads=1))
        with closing(started(options, 1, model.load, model.costs, (seed,))) as run:
            run.set_affinity(0, ((near if side == NEAR else far)[0],))
            run.advance(run.now_s + SETTLING * options.window_s)
            run.window()
            run.advance(run.now_s + options.window_s)
            window = run.window()
        thread = window.thread
        self._had.append(1e-9 * float(thread["cpu_ns"][0]) / window.seconds)
        return 1e-3 * float(thread["cpu_ns"][0]) / max(int(thread["operations"][0]), 1)


def _controller(control: dict) -> str:
    share = control["processor_share"]
    cost = "not measured" if share is None else f"{share:.2%} of a processor"
    return f"{cost}, {control['threads']} threads, policy {controller.POLICY}, windows of {controller.WINDOW_S:g} s"


def _order(result: dict, measure: str) -> str:
    """In how many workloads the twin puts the fixed placements in the order that was measured.

    Policies that come to the same placement have no order.
    """
    by_workload: dict[str, list[dict]] = {}
    for entry in (entry for entry in result["comparisons"] if entry[SETTINGS.noun] is not None):
        by_workload.setdefault(entry["workload"], []).append(entry[measure])
    several = [
        entries
        for entries in by_workload.values()
        if len(entries) > 1 and all(each[side]["mean"] is not None for each in entries for side in SIDES)
    ]
    orders = [[np.argsort([each[side]["mean"] for each in entries]).tolist() for side in SIDES] for entries in several]
    right = sum(twin == real for twin, real in orders)
    if not orders:
        return "of fixed placements alone, and there are not several"
    return f"of the placements by {measure}: the twin's is the measured one in {right} of {len(orders)} workloads"
