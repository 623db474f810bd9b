"""Random machines, loads and changes of them."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.numa.costs import StoreCosts, store_costs
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import NEAR, Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.node_device import node_device
from pmtwin.sim.numa.run import Run
from pmtwin.sim.numa.running import start_run
from pmtwin.sim.numa.speed_rows import Costs


class StatedCosts:
    """Costs by a formula: the more threads, and the more of them far, the slower."""

    read_bytes, written_bytes = np.array([400_000.0, 100.0]), np.array([0.0, 400_000.0])
    sibling_factor = 1.3
    refill_ns_per_byte = np.array([0.5, 1.0])

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(software, memory): a node serves 6 threads at full speed; far ones count twice."""
        used = counts.sum(axis=-1) @ np.where(np.arange(counts.shape[2]) == NEAR, 1.0, 2.0) / 6.0
        alone = np.array([[60e3, 150e3], *[[80e3, 400e3]] * (counts.shape[2] - 1)])
        return np.full(counts.shape, 5e3), alone * np.maximum(used, 1.0)[..., None, None]


class StoreTimes(NamedTuple):
    """The store's own costs on a random device, with or without a directory, and CXL memory beside it."""

    machine: Machine
    directory: bool

    def costs(self, load: Load) -> StoreCosts:
        device = node_device(load_profile(), self.machine.thread_nodes, self.directory)
        beside = node_device(load_profile("dram-ddr4"), 1).profile if self.machine.memory_nodes else None
        return store_costs(device.profile, self.machine, load, records=1e5, beside=beside)


class Drawn(NamedTuple):
    """A random machine with its threads; `store`: what its operations cost; None: a formula says."""

    machine: Machine
    kernel: Kernel
    load: Load
    threads: Threads
    seed: int
    store: StoreTimes | None = None

    def costs(self, load: Load) -> Costs:
        """What the operations of a load cost."""
        return StatedCosts() if self.store is None else self.store.costs(load)

    def start(self, engine: str = "compiled") -> Run:
        """A run at its beginning."""
        costs = self.costs(self.load)
        return start_run(self.machine, self.kernel, self.load, self.threads, costs, engine, self.seed)


def draw(rng: np.random.Generator) -> Drawn:
    """A machine of 1 to 8 nodes, some without processors; up to three threads a logical core, few on many nodes."""
    nodes, without = int(rng.choice([1, 2, 3, 4, 8])), int(rng.choice([0, 0, 1, 2]))
    machine = Machine(
        nodes=nodes,
        memory_nodes=min(without, nodes - 1),
        cores=int(rng.integers(1, 5 if nodes < 4 else 3)),
        threads_per_core=int(rng.integers(1, 3)),
    )
    kernel = Kernel(
        busy_factor=float(rng.choice([1, 32])),
        hot_ms=float(rng.choice([0, 0.5, 5])),
        balance=bool(rng.random() < 0.85),
        latency_ms=float(rng.choice([24, 4])),
    )
    most = 3 * machine.processors if nodes < 4 else 10  # of more kinds simpy asks one after the other
    count = int(rng.integers(1, most + 1))
    several = rng.random() < 0.4
    threads = Threads(
        count=count,
        data=rng.dirichlet(np.ones(machine.nodes), count) if several else rng.integers(0, machine.nodes, count),
        requests=None if rng.random() < 0.5 else int(rng.integers(1, 300)),
        pool_bytes=1e8,
        start="spread" if rng.random() < 0.5 else rng.integers(0, machine.processors, count),
    )
    return Drawn(machine, kernel, random_load(rng), threads, int(rng.integers(1 << 30)))


def draw_store(rng: np.random.Generator) -> Drawn:
    """The same with the store's own costs and narrow links: few threads, whose numbers of kinds are few."""
    drawn = draw(rng)
    machine = replace(drawn.machine, link_gb_s=float(rng.choice([0.1, 20.8])))
    most = 6 if machine.nodes < 4 else 3
    count, load = int(rng.integers(1, most + 1)), Load(read_share=float(rng.choice([0.0, 0.5, 1.0])), spread=0.1)
    threads = Threads(count=count, data=rng.integers(0, machine.nodes, count), pool_bytes=1e9)
    store = StoreTimes(machine, bool(rng.random() < 0.5))
    return drawn._replace(machine=machine, load=load, threads=threads, store=store)


def random_load(rng: np.random.Generator) -> Load:
    """Reads, writes or a mix."""
    return Load(
        read_share=float(rng.choice([0.0, 0.5, 0.9, 1.0])),
        spread=float(rng.choice([0.0, 0.1, 1.0])),
        pattern=str(rng.choice(["random", "sequential"])),
    )


def change(rng: np.random.Generator, runs: list[Run], drawn: Drawn) -> None:
    """The same random change in all runs of a machine."""
    machine, threads = runs[0].machine, len(runs[0].core_of)
    kind = rng.integers(5)
    masks = [random_mask(rng, machine.processors) for _ in range(threads)]
    load, shares, thread = random_load(rng), rng.dirichlet(np.ones(machine.nodes), threads), int(rng.integers(threads))
    costs = drawn.costs(load)
    for run in runs:
        if kind == 0:
            run.set_affinities(masks)
        elif kind == 1:
            run.set_affinity(thread, masks[thread])
        elif kind == 2:
            run.set_load(load, costs)
        elif kind == 3:
            run.set_data(shares)


def random_mask(rng: np.random.Generator, processors: int) -> np.ndarray | None:
    """Some of the logical cores, or all."""
    if rng.random() < 0.4:
        return None
    return rng.choice(processors, int(rng.integers(1, processors + 1)), replace=False)
