"""Tables of strides, fences, the remote node, mixes, load and tail, which are recognised by their columns."""

from __future__ import annotations

from collections.abc import Iterable

SWEEP = frozenset({"stride_size", "task_type", "operation", "throughput", "access_size", "threads", "avgpower"})
SWEEP |= {"interleaving"}
FLUSH_SWEEP = frozenset({"fence_size", "clwb_size", "throughput", "access_size", "threads", "op", "interleaving"})
FIGURE_13 = frozenset({"clwb(every 64B)", "ntstore"})
PERMA_MIXES = frozenset({"write_ratio", "numa", "read_bandwidth_gib_s", "write_bandwidth_gib_s"})
PERMA_MIXES |= {"access_size_bytes", "threads", "persist_instruction"}
FIGURE_6 = frozenset({"Read-Write", "PM-Optane"})
FIGURE_6_LATENCY = frozenset({"", "DRAM", "Optane"})
FIGURE_3 = frozenset({"HotspotRegion", "99.99%", "99.999%"})
FIGURE_17 = frozenset({"Optane-1", "Optane-Remote-1", "Optane-4", "Optane-Remote-4"})

DRAM = "dram"
"""Kind of memory of which only the files that name it tell: all others are of persistent memory."""

LATTESTER_OPERATIONS = {"Load": "load", "NTStore": "ntstore", "Store+Flush": "store_clwb", "Store": "store"}
"""LATTester's name of an operation -> operation."""

FENCED_TAGS = frozenset({"f6b5", "bd38", "434f"})
"""Tags of LATTester's sweeps with a fence after each access."""

QUANTISATION_MIB_S = 64.0
"""Bandwidth of a thread below which the steps of LATTester's counter hide that of the device."""

PERMA_NODES = {"near": "local", "far": "remote"}
"""PerMA-Bench's name of the threads' node -> value of the column `numa`; "none" are threads on any node."""

PERMA_WRITES = {"nocache": "ntstore", "cache": "store_clwb", "none": "store"}
"""PerMA-Bench's name of the instruction that ends a write -> operation."""

FORMS = {
    "LATTester's sweep": SWEEP,
    "LATTester's flush sweep": FLUSH_SWEEP,
    "FAST'20, figure 13": FIGURE_13,
    "PerMA-Bench's mixes": PERMA_MIXES,
    "FAST'20, figure 6, mixes": FIGURE_6,
    "FAST'20, figure 6, latency": FIGURE_6_LATENCY,
    "FAST'20, figure 3": FIGURE_3,
    "FAST'20, figure 17": FIGURE_17,
}


def tells_of_effects(header: Iterable[str]) -> bool:
    """Whether a table with this header has one of `FORMS`."""
    columns = set(header)
    return any(marks <= columns for marks in FORMS.values())
