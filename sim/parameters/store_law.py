"""Parameters of the store's law, with priors: inferred from measured operations, or assumed.

A prior is log-normal, truncated at both bounds. `pmtwin calibrate --store` updates the `inferred` parameters; the
`assumed` ones keep their prior, so that intervals include it. Counts are not parameters: they are in the access profile
of the device's file (`pmtwin.sim.device.access_profile`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StoreOrigin = Literal["inferred", "assumed"]


@dataclass(frozen=True)
class StoreParameter:
    """A number of the store's law.

    Args:
        name: ends in the unit, if there is one.
        median, log_sd: median of the prior, and standard deviation of the natural logarithm.
        low, high: bounds of the prior.
        origin: inferred or assumed.
        source: reasoning behind the prior.
        meaning: one sentence.
    """

    name: str
    median: float
    log_sd: float
    low: float
    high: float
    origin: StoreOrigin
    source: str
    meaning: str


_TABLE = (
    StoreParameter(
        "get_software_ns",
        250,
        0.25,
        100,
        1_000,
        "inferred",
        "pmemkv 1.4 cmap in memory, one thread: 4,741 k gets/s",
        "Processor time of a get in a store that fits the caches.",
    ),
    StoreParameter(
        "cold_software_ns",
        500,
        1.0,
        10,
        5_000,
        "inferred",
        "keys, code and volatile memory of a program with a large store lie in no cache, either",
        "Additional processor time of a lookup in a store that is much larger than the caches.",
    ),
    StoreParameter(
        "put_software_ns",
        1_773,
        0.3,
        500,
        8_000,
        "inferred",
        "pmemkv 1.4 cmap in memory, one thread: 564 k puts/s",
        "Processor time of a put that overwrites a value.",
    ),
    StoreParameter(
        "insert_software_ns",
        6_000,
        0.5,
        1_000,
        30_000,
        "inferred",
        "first inserts into a pool in memory take 5 to 14 us, page faults included",
        "Processor time of a put of a new key: two allocations and a transaction.",
    ),
    StoreParameter(
        "cold_line_share",
        0.5,
        0.6,
        0.01,
        2.0,
        "inferred",
        "lines that are counted as cold but not as dependent: behind a lock they wait, else they overlap",
        "Dependent reads to which a cold line outside the traced chain is equivalent.",
    ),
    StoreParameter(
        "extra_reads",
        3.0,
        0.8,
        0.05,
        20.0,
        "inferred",
        "longer chains of a large hash table, and locks that lie on the device and are written",
        "Dependent reads of a lookup in a store larger than the caches, besides those that were counted.",
    ),
    StoreParameter(
        "small_page_share",
        0.4,
        0.8,
        0.01,
        1.0,
        "inferred",
        "a pool on a file system is mapped by pages of 4 KiB or 2 MiB; which of them is seldom stated",
        "Share of the store that is mapped by pages of 4 KiB; their page table may exceed the caches.",
    ),
    StoreParameter(
        "round_ns",
        100,
        0.9,
        1,
        2_000,
        "inferred",
        "a line that was flushed is read again from the device by the next round",
        "Time of a round of flush and fence beyond the latency of the device's write.",
    ),
    StoreParameter(
        "written_lines_factor",
        1.0,
        0.4,
        0.3,
        6.0,
        "inferred",
        "a buffer that combined rounds would leave 0.55; reads beside the writes cost more than their own time",
        "Media lines that are written per media line that was counted as written.",
    ),
    StoreParameter(
        "evicted_lines",
        2.0,
        0.5,
        0.1,
        20.0,
        "inferred",
        "locks of the bucket and of the node are written by every lookup and leave the caches later",
        "Media lines that a lookup makes dirty in a store larger than the caches.",
    ),
    StoreParameter(
        "insert_lines",
        3.0,
        1.0,
        0.1,
        60.0,
        "inferred",
        "bitmaps and headers of the allocator, and fresh pages that the file system zeroes",
        "Further media lines that an insert writes, besides those that it flushes.",
    ),
    StoreParameter(
        "insert_serial_ns",
        300,
        1.2,
        1,
        5_000,
        "inferred",
        "arenas of the allocator are per thread; zones, the table's size and its growth are shared",
        "Part of an insert that only one thread at a time can do.",
    ),
    StoreParameter(
        "put_serial_ns",
        10,
        1.2,
        0.1,
        2_000,
        "inferred",
        "an overwriting put locks one record of many, and has a log of its own",
        "Part of an overwriting put that only one thread at a time can do.",
    ),
    StoreParameter(
        "lock_growth",
        0.003,
        1.0,
        1e-5,
        0.1,
        "inferred",
        "cache lines of locks and of the pool's header travel between the cores",
        "Growth of the software's time per further thread, as a share.",
    ),
    StoreParameter(
        "clock_drop",
        0.18,
        0.5,
        0.01,
        0.6,
        "inferred",
        "servers of that time run one core at 3.7 to 3.9 GHz and all at 3.0 to 3.3",
        "Growth of the software's time from one active core to all of them, as a share.",
    ),
    StoreParameter(
        "smt_yield",
        0.25,
        0.5,
        0.02,
        0.9,
        "inferred",
        "a second thread on a core gains 0.2 to 0.3, more where both wait for memory",
        "What a second hardware thread adds to a core's throughput of software.",
    ),
    StoreParameter(
        "remove_share",
        0.7,
        0.35,
        0.2,
        2.0,
        "assumed",
        "a remove frees what an insert allocates; nobody has counted it",
        "Work of a remove over that of an insert, in software, rounds, written lines and serial part.",
    ),
    StoreParameter(
        "record_overhead_bytes",
        300,
        0.3,
        100,
        1_000,
        "assumed",
        "cmap: node with lock and two string headers, bucket with lock, headers of two allocations",
        "Bytes of memory that a record takes besides its key and value.",
    ),
    StoreParameter(
        "cache_bytes_per_core",
        2.375 * 2**20,
        0.15,
        2**18,
        2**24,
        "assumed",
        "Cascade Lake: 1.375 MiB of the last-level cache and 1 MiB of private cache",
        "Cache per core, all levels.",
    ),
    StoreParameter(
        "page_walk_ns",
        90,
        0.2,
        20,
        300,
        "assumed",
        "a read of DRAM beside a busy device",
        "Time to read an entry of a page table that no cache holds.",
    ),
)

STORE_PARAMETERS: dict[str, StoreParameter] = {parameter.name: parameter for parameter in _TABLE}
"""Name -> parameter, in the order of the columns of a store file's samples."""

SHARED_WITH_TWIN = ("get_software_ns", "put_software_ns", "smt_yield")
"""Parameters with the same name in the twin."""

NOT_IN_TWIN = ("insert_serial_ns", "put_serial_ns")
"""Parameters that the twin lacks: it has no queue before the serial part of an operation."""

IN_TWIN = tuple(name for name in STORE_PARAMETERS if name not in NOT_IN_TWIN)


def twin_name(name: str) -> str:
    """The name of a store's parameter among the twin's (`pmtwin.sim.parameters.table`)."""
    return name if name in SHARED_WITH_TWIN else f"kv_{name}"
