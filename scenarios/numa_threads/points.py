"""Decision points: how many threads leave a logical core, on which node a thread runs, where values are copied to."""

from __future__ import annotations

from pmtwin.policies.data_placement import DATA_PLACEMENT
from pmtwin.policies.placement import PLACEMENT
from pmtwin.sim.control import Column
from pmtwin.sim.decisions import DecisionPoint

CORE, THREAD, DATA = "core", "thread", "data"

FREQUENCY_GHZ = 2.6
"""Of the paper's Table 3; it never changes."""

COLUMNS = (
    Column("major_faults", 0, 1e6, "faults/s"),
    Column("minor_faults", 0, 1e6, "faults/s"),
    Column("instructions_per_cycle", 0, 4),
    Column("remote_nvm_accesses", 0, 1e9, "lines/s"),
    Column("local_nvm_accesses", 0, 1e9, "lines/s"),
    Column("remote_dram_accesses", 0, 1e9, "lines/s"),
    Column("local_dram_accesses", 0, 1e9, "lines/s"),
    Column("miss_latency", 0, 1e5, "ns"),
    Column("frequency", 0, 3.9, "GHz"),
    Column("nvm_read", 0, 1e6, "MB/s"),
    Column("nvm_written", 0, 1e6, "MB/s"),
    Column("utilisation", 0, 1),
)
"""The paper's Table 2, in its order; the three of threads are means over those of the core."""


def core_point(threads: int, columns: tuple = COLUMNS) -> DecisionPoint:
    """The point: action a moves a threads of the core."""
    return DecisionPoint(
        CORE,
        "the end of a window, for each logical core with mostly remote accesses",
        features=columns,
        actions=tuple(map(str, range(max(threads, 1) + 1))),
        masked=True,
        reward="local accesses, bandwidth and utilisation, a window later",
    )


THREAD_POINT = DecisionPoint(THREAD, "the end of a window, for each thread", PLACEMENT)

DATA_POINT = DecisionPoint(DATA, "the end of a window, for all data", DATA_PLACEMENT)
