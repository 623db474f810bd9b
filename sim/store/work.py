"""Work of an operation of the store: software, waits for memory, media lines; arrays over posterior samples.

It combines the counts with the inferred work of a store that is larger than the caches:

    software = s + miss S                     s: software in the caches, S: additional software of a lookup
    reads    = miss (D + c (C - D) + E)       D, C: counted dependent reads and cold lines, E: additional reads
    written  = w M + A + miss V               M: counted media lines, A: lines of the allocator (of an insert),
                                              V: lines that a lookup makes dirty
    miss     = max(0, 1 - caches / (records x bytes of a record))

With a get before the put of the same key, the put's lookup is warm. The work of a remove is a share of an insert's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.sim.parameters.table import PARAMETERS
from pmtwin.sim.store.counts import Counts, StorePoint

Samples = Mapping[str, np.ndarray]
"""Parameter of `pmtwin.sim.parameters.store_law.STORE_PARAMETERS` -> shape (samples,)."""

SMALL_PAGE_BYTES, PAGE_ENTRY_BYTES = 4096, 8


class Work(NamedTuple):
    """Work of one operation of a single thread: shape (samples,) or, for one sample, the shape of the point's sizes.

    Fields:
        software_ns: processor time.
        serial_ns: part of `software_ns` that only one thread at a time can do.
        reads, walk_ns: dependent reads, and time of the page walk of each.
        rounds, round_ns: rounds of flush and fence, and time of each beyond the device's write.
        value_bytes: bytes of the value read after its first line.
        flushed, streamed: bytes written outside the rounds, by flushes and by non-temporal stores.
        written_lines: total media lines written.
    """

    software_ns: np.ndarray
    serial_ns: np.ndarray
    reads: np.ndarray
    walk_ns: np.ndarray
    rounds: np.ndarray
    round_ns: np.ndarray
    value_bytes: np.ndarray
    flushed: np.ndarray
    streamed: np.ndarray
    written_lines: np.ndarray


def work_of(counts: Counts, samples: Samples) -> Work:
    """Work of an operation, for each sample."""
    point, miss = counts.point, miss_share(samples, counts.point)
    share = samples["remove_share"] if point.operation == "remove" else np.ones_like(miss)
    cold_reads = samples["cold_line_share"] * (counts.cold_lines - counts.chain)
    software = miss * samples["cold_software_ns"] + share * _software_ns(samples, point)
    return Work(
        software_ns=software,
        serial_ns=np.minimum(share * _serial_ns(samples, point), software),
        reads=miss * (counts.chain + share * cold_reads + samples["extra_reads"]),
        walk_ns=_walk_ns(samples, point),
        rounds=share * counts.rounds,
        round_ns=samples["round_ns"],
        value_bytes=miss * counts.value_bytes_read,
        flushed=share * counts.flushed,
        streamed=share * counts.streamed,
        written_lines=_written_lines(counts, samples, miss, share),
    )


def _written_lines(counts: Counts, samples: Samples, miss: np.ndarray, share: np.ndarray) -> np.ndarray:
    allocator = samples["insert_lines"] if counts.point.operation in ("put_insert", "remove") else 0.0
    lines = samples["written_lines_factor"] * counts.written_lines + allocator
    return miss * samples["evicted_lines"] + share * lines


def miss_share(samples: Samples, point: StorePoint) -> np.ndarray:
    """Share of a uniformly random lookup's lines that no cache holds, shape (samples,)."""
    return np.maximum(0.0, 1.0 - _cache_bytes(samples, point) / store_bytes(samples, point))


def store_bytes(samples: Samples, point: StorePoint) -> np.ndarray:
    """Bytes of all records, shape (samples,)."""
    return point.records * (point.key_bytes + point.value_bytes + samples["record_overhead_bytes"])


def _cache_bytes(samples: Samples, point: StorePoint) -> np.ndarray:
    return point.cores * samples["cache_bytes_per_core"]


def _walk_ns(samples: Samples, point: StorePoint) -> np.ndarray:
    """Mean time of page walks per dependent read, in ns.

    Only small pages need them, once the entries of the page table exceed the caches; those of large pages always fit (8
    bytes for 2 MiB).
    """
    table = store_bytes(samples, point) / SMALL_PAGE_BYTES * PAGE_ENTRY_BYTES
    missed = np.maximum(0.0, 1.0 - _cache_bytes(samples, point) / table)
    return samples["small_page_share"] * missed * samples["page_walk_ns"]


def _software_ns(samples: Samples, point: StorePoint) -> np.ndarray:
    copied = {name: _copy_ns_per_byte(samples, name) * point.value_bytes for name in ("get", "put")}
    get = samples["get_software_ns"] + copied["get"]
    if point.operation == "get":
        return get
    if point.operation == "put_update":
        return point.gets * get + samples["put_software_ns"] + copied["put"]
    return samples["insert_software_ns"] + copied["put"] * (point.operation == "put_insert")


def _copy_ns_per_byte(samples: Samples, operation: str) -> np.ndarray | float:
    """Time to copy a byte of a value: from the samples, or else the twin's default, which was measured in memory."""
    name = f"{operation}_copy_ns_per_byte"
    return samples[name] if name in samples else PARAMETERS[name].default


def _serial_ns(samples: Samples, point: StorePoint) -> np.ndarray:
    if point.operation == "get":
        return np.zeros_like(samples["get_software_ns"])
    return samples["put_serial_ns" if point.operation == "put_update" else "insert_serial_ns"]
