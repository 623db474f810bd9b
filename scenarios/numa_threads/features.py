"""The context of a decision about a logical core: the 12 numbers of the paper's Table 2, and their ceilings.

Faults, accesses, bandwidths and utilisation are counted. The others are computed from what is: instructions from
operations, the latency of a miss from the time that a core spends on its accesses. The frequency never changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.scenarios.numa_threads.counting import LINE_BYTES, MB, Counts, lines_of
from pmtwin.scenarios.numa_threads.points import COLUMNS, FREQUENCY_GHZ
from pmtwin.sim.control import Column
from pmtwin.sim.numa.kinds import no_threads
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.speed_rows import Costs

SOFTWARE_IPC, INSTRUCTIONS_OF_LINE = 1.0, 2.0
"""Assumed: instructions per cycle outside the accesses; instructions that move a cache line, 32 B each."""

DRAM_LINES = 4.0
"""Assumed: cache lines of DRAM that an operation misses, of the stack and buffers on the node where a thread began."""


class Ceilings:
    """The most that the machine can show.

    Args:
        costs: of large values, which move most bytes. small: of small ones, of which most operations are done.

    Attributes:
        read_mb_s, written_mb_s: of one node's memory, at the number of near threads that moves most.
        columns: `COLUMNS` with these bounds.
    """

    def __init__(self, costs: Costs, small: Costs, machine: Machine, page_bytes: int):
        numbers = np.arange(1, machine.node_cores + 1)
        read, written = (_times_of(costs, machine.nodes, operation, NEAR, numbers) for operation in (GET, PUT))
        self.read_mb_s = float((numbers / read).max() * 1e9 * np.asarray(costs.read_bytes)[GET] / MB)
        self.written_mb_s = float((numbers / written).max() * 1e9 * np.asarray(costs.written_bytes)[PUT] / MB)
        self.bandwidth_mb_s = max(self.read_mb_s, 3.0 * self.written_mb_s)
        lines = lines_of(costs)
        most_lines = 1e9 * max(lines[GET] / read[0], lines[PUT] / written[0])
        slowest = [_times_of(costs, machine.nodes, each, FAR, numbers[-1:])[0] / lines[each] for each in (GET, PUT)]
        operations = 1e9 / min(_times_of(small, machine.nodes, each, NEAR, numbers[:1])[0] for each in (GET, PUT))
        high = {
            "minor_faults": max(1.0, most_lines * LINE_BYTES / page_bytes),
            "remote_nvm_accesses": most_lines,
            "local_nvm_accesses": most_lines,
            "remote_dram_accesses": DRAM_LINES * operations,
            "local_dram_accesses": DRAM_LINES * operations,
            "miss_latency": max(slowest),
            "nvm_read": self.read_mb_s,
            "nvm_written": self.written_mb_s,
        }
        self.columns = tuple(
            Column(each.name, each.low, float(high.get(each.name, each.high)), each.unit) for each in COLUMNS
        )


def context(counts: Counts, costs: Costs, core: int, threads: Sequence[int], began_near: np.ndarray) -> np.ndarray:
    """The 12 numbers of a core and its threads; shape (12,).

    Args:
        began_near: shape (T,), whether each thread began on the node where it is now.
    """
    window, mine = counts.window, list(threads)
    per_s, told = 1.0 / window.seconds, window.thread[mine]
    done, home = told["done"].sum(axis=1), began_near[mine]  # (n, get or put), groups
    software, _ = costs.times(no_threads(len(window.flow)))
    software_ns = done @ software[0, 0, NEAR]
    instructions = done @ (software[0, 0, NEAR] * FREQUENCY_GHZ * SOFTWARE_IPC + counts.lines * INSTRUCTIONS_OF_LINE)
    cycles = np.maximum(told["cpu_ns"], 1.0) * FREQUENCY_GHZ
    accesses = counts.local[mine].sum() + counts.remote[mine].sum()
    memory_ns = max(float((told["cpu_ns"] - told["sys_ns"] - software_ns).sum()), 0.0)
    dram = DRAM_LINES * counts.group * done.sum(axis=1)
    return np.array([
        0.0,  # direct access: no page comes from a disk
        told["minor_faults"].mean() * per_s,
        (instructions / cycles).mean(),
        counts.core_remote[core] * per_s,
        counts.core_local[core] * per_s,
        dram[~home].sum() * per_s,
        dram[home].sum() * per_s,
        memory_ns / accesses if accesses else 0.0,
        FREQUENCY_GHZ,
        counts.read_mb_s,
        counts.written_mb_s,
        min(float(counts.use[core]), 1.0),
    ])  # fmt: skip


def _times_of(costs: Costs, nodes: int, operation: int, distance: int, numbers: np.ndarray) -> np.ndarray:
    """Shape (len(numbers),), ns: an operation while so many threads do the same, on data of node 0."""
    running = np.repeat(no_threads(nodes), len(numbers), axis=0)
    running[:, 0, distance, operation] = numbers
    software, memory = costs.times(running)
    return (software + memory)[:, 0, distance, operation]
