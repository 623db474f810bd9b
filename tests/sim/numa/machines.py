"""Random machines, loads and changes of them."""

from typing import NamedTuple

import numpy as np

from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.run import Run
from pmtwin.sim.numa.running import start_run


class StatedCosts:
    """Costs by a formula: the more threads, and the more of them far, the slower."""

    read_bytes, written_bytes = np.array([400_000.0, 100.0]), np.array([0.0, 400_000.0])
    sibling_factor = 1.3
    refill_ns_per_byte = np.array([0.5, 1.0])

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(software, memory): a node serves 6 threads at full speed; far ones count twice."""
        used = counts.sum(axis=-1) @ np.array([1.0, 2.0]) / 6.0
        alone = np.array([[60e3, 150e3], [80e3, 400e3]])
        return np.full(counts.shape, 5e3), alone * np.maximum(used, 1.0)[..., None, None]


class Drawn(NamedTuple):
    """A random machine with its threads."""

    machine: Machine
    kernel: Kernel
    load: Load
    threads: Threads
    seed: int

    def start(self, engine: str = "compiled") -> Run:
        """A run at its beginning."""
        return start_run(self.machine, self.kernel, self.load, self.threads, StatedCosts(), engine, self.seed)


def draw(rng: np.random.Generator) -> Drawn:
    """A machine of 1 to 24 logical cores, with up to three threads for each."""
    machine = Machine(
        nodes=int(rng.integers(1, 4)), cores=int(rng.integers(1, 5)), threads_per_core=int(rng.integers(1, 3))
    )
    kernel = Kernel(
        busy_factor=float(rng.choice([1, 32])),
        hot_ms=float(rng.choice([0, 0.5, 5])),
        balance=bool(rng.random() < 0.85),
        latency_ms=float(rng.choice([24, 4])),
    )
    count = int(rng.integers(1, 3 * machine.processors + 1))
    several = rng.random() < 0.4
    threads = Threads(
        count=count,
        data=rng.dirichlet(np.ones(machine.nodes), count) if several else rng.integers(0, machine.nodes, count),
        requests=None if rng.random() < 0.5 else int(rng.integers(1, 300)),
        pool_bytes=1e8,
        start="spread" if rng.random() < 0.5 else rng.integers(0, machine.processors, count),
    )
    return Drawn(machine, kernel, random_load(rng), threads, int(rng.integers(1 << 30)))


def random_load(rng: np.random.Generator) -> Load:
    """Reads, writes or a mix."""
    return Load(
        read_share=float(rng.choice([0.0, 0.5, 0.9, 1.0])),
        spread=float(rng.choice([0.0, 0.1, 1.0])),
        pattern=str(rng.choice(["random", "sequential"])),
    )


def change(rng: np.random.Generator, runs: list[Run]) -> None:
    """The same random change in all runs."""
    machine, threads = runs[0].machine, len(runs[0].core_of)
    kind = rng.integers(5)
    masks = [random_mask(rng, machine.processors) for _ in range(threads)]
    load, shares, thread = random_load(rng), rng.dirichlet(np.ones(machine.nodes), threads), int(rng.integers(threads))
    for run in runs:
        if kind == 0:
            run.set_affinities(masks)
        elif kind == 1:
            run.set_affinity(thread, masks[thread])
        elif kind == 2:
            run.set_load(load, StatedCosts())
        elif kind == 3:
            run.set_data(shares)


def random_mask(rng: np.random.Generator, processors: int) -> np.ndarray | None:
    """Some of the logical cores, or all."""
    if rng.random() < 0.4:
        return None
    return rng.choice(processors, int(rng.integers(1, processors + 1)), replace=False)
