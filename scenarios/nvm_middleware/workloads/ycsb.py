"""YCSB core workloads A to F (Cooper et al., SoCC 2010; YCSB 0.17 `workloads/workload[a-f]`).

A record has 10 fields of 100 bytes and is read and written whole, as a key-value store does. F reads before each of its
writes. E scans 1 to 100 records: pmemkv's cmap engine has no scans, so E exists in the twin only.

The twin sees the mix and the sizes. It has no keys: their distribution (scrambled zipfian, latest) is in `generate`,
for a store that has them; workloads that differ in nothing else, such as B and D, are one and the same to the twin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.scenarios.nvm_middleware.workloads import zipfian
from pmtwin.sim.errors import check_range, unknown_name
from pmtwin.sim.load.workload import ClassWorkload

RECORD_BYTES = 1000
RECORDS = 1_000_000
MAX_SCAN_RECORDS = 100

MIN_RECORDS = 4
"""YCSB's zipfian divides by zero for fewer than 3 items, and D chooses among all records but one."""

READ, UPDATE, INSERT, SCAN, READ_MODIFY_WRITE = range(5)
OPERATIONS = ("read", "update", "insert", "scan", "read_modify_write")
"""Names of the operation codes 0 to 4."""


@dataclass(frozen=True)
class YcsbMix:
    """Shares of the operations, in the order of `OPERATIONS`, and how keys are chosen."""

    shares: tuple[float, float, float, float, float]
    distribution: str = "zipfian"
    twin_only: bool = False


MIXES = {
    "a": YcsbMix((0.5, 0.5, 0.0, 0.0, 0.0)),
    "b": YcsbMix((0.95, 0.05, 0.0, 0.0, 0.0)),
    "c": YcsbMix((1.0, 0.0, 0.0, 0.0, 0.0)),
    "d": YcsbMix((0.95, 0.0, 0.05, 0.0, 0.0), distribution="latest"),
    "e": YcsbMix((0.0, 0.0, 0.05, 0.95, 0.0), twin_only=True),
    "f": YcsbMix((0.5, 0.0, 0.0, 0.0, 0.5)),
}


@dataclass(frozen=True)
class YcsbOperations:
    """A sequence of operations; arrays of one entry each.

    `operation` uint8 (index into `OPERATIONS`), `record` int64 (record number; inserts number on from the loaded ones),
    `key` uint64 (the number in YCSB's key, "user" + the hash of the record number), `scan_records` int64 (1 but for
    scans), `size_bytes` int64.
    """

    operation: np.ndarray
    record: np.ndarray
    key: np.ndarray
    scan_records: np.ndarray
    size_bytes: np.ndarray


def mix(letter: str) -> YcsbMix:
    """The mix of workload A to F, by letter of either case.

    Raises:
        InputError: for another letter.
    """
    if letter.lower() not in MIXES:
        raise unknown_name("YCSB workload", letter, MIXES)
    return MIXES[letter.lower()]


def ycsb_class(
    letter: str,
    clients: int = 100,
    record_bytes: int = RECORD_BYTES,
    rate_ops: float | None = None,
    interarrival_cov: float = 1.0,
) -> ClassWorkload:
    """The requests of a YCSB workload. YCSB threads send at once, so the default is a closed loop.

    Args:
        letter: A to F.
        clients: YCSB threads.
        record_bytes: value size of a record.
        rate_ops: YCSB's `target` operations/s of all threads together; None is unthrottled.
        interarrival_cov: variation of the gaps when throttled.
    """
    _, update, insert, scan, modify = mix(letter).shares
    return ClassWorkload(
        clients=clients,
        write_ratio=update + insert + modify,
        read_sizes_bytes=record_bytes,
        write_sizes_bytes=record_bytes,
        rate_ops=rate_ops,
        interarrival_cov=interarrival_cov,
        gets_per_read=(1 + MAX_SCAN_RECORDS) / 2 if scan else 1.0,
        gets_per_write=modify / (update + insert + modify) if modify else 0.0,
    )


def generate(
    letter: str,
    operations: int,
    seed: int | np.random.SeedSequence,
    records: int = RECORDS,
    record_bytes: int = RECORD_BYTES,
) -> YcsbOperations:
    """Draw the first `operations` operations of a workload on a store loaded with `records` records.

    The distributions are YCSB's own; its random generator (Java's) is not, so a seed gives our sequence, not a JVM's.
    """
    check_range("operations", operations, 0, 1 << 32)
    check_range("records", records, MIN_RECORDS, 1 << 28)
    chosen = mix(letter)
    rng = np.random.default_rng(seed)
    operation = rng.choice(len(OPERATIONS), size=operations, p=chosen.shares).astype(np.uint8)
    inserted = operation == INSERT
    # records present before each operation: an insert takes the next number, and is visible from the next operation on
    present = records + np.cumsum(inserted) - inserted
    if chosen.distribution == "latest":
        newest = present - 1
        record = newest - zipfian.zipfian(rng, newest)
    else:
        # YCSB leaves room for twice the expected inserts, and counts one item more than it has
        items = records + int(2 * operations * chosen.shares[INSERT]) + 1
        record = _present_scrambled_zipfian(rng, present, items)
    record = np.where(inserted, present, record)
    scans = np.where(operation == SCAN, rng.integers(1, MAX_SCAN_RECORDS + 1, size=operations), 1)
    return YcsbOperations(
        operation, record, zipfian.fnv_hash_64(record), scans, np.full(operations, record_bytes, dtype=np.int64)
    )


def _present_scrambled_zipfian(rng: np.random.Generator, present: np.ndarray, items: int) -> np.ndarray:
    """Scrambled zipfian over `items` records, drawn again where the record is not there yet, as YCSB's client does."""
    record = zipfian.scrambled_zipfian(rng, items, len(present))
    while (absent := np.flatnonzero(record >= present)).size:
        record[absent] = zipfian.scrambled_zipfian(rng, items, absent.size)
    return record
