"""Read the original AzureFunctionsBlobDataset2020 CSV; compute from it the statistics of the interactive class."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pmtwin.scenarios.nvm_middleware.workloads.azure_fit import SMALL_BYTES, BlobStatistics, equally_likely_runs
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.header import Header, misplaced_header, read_header
from pmtwin.sim.files.input_text import cells_of, check_commas, text_lines

COLUMNS = (
    "Timestamp",
    "AnonRegion",
    "AnonUserId",
    "AnonAppName",
    "AnonFunctionInvocationId",
    "AnonBlobName",
    "BlobType",
    "AnonBlobETag",
    "BlobBytes",
    "Read",
    "Write",
)

MIN_GAPS = 2
"""Gaps between accesses to a blob from which a coefficient of variation can be computed."""


@dataclass(frozen=True)
class BlobTrace:
    """Accesses in file order; all arrays have one entry per access.

    `timestamp_ms` float64, milliseconds since 1970; `blob` int32, an index per distinct blob; `size_bytes` float64;
    `is_write` bool. A row that both reads and writes is a read followed by a write.
    """

    timestamp_ms: np.ndarray
    blob: np.ndarray
    size_bytes: np.ndarray
    is_write: np.ndarray


def read_blob_trace(path: str | Path, below_bytes: float = SMALL_BYTES) -> BlobTrace:
    """Read a CSV, also compressed, in the original schema, keeping accesses of less than `below_bytes`.

    Raises:
        InputError: naming file, line, column and value, if the file is empty, binary or truncated, a column is missing,
            a number is not one, or no access is small enough.
    """
    times, blobs, sizes, writes = array("d"), array("i"), array("d"), array("b")
    known: dict[tuple[str, str], int] = {}
    for where, row in _rows(Path(path)):
        size = _number(row["BlobBytes"], "BlobBytes", where)
        time = _number(row["Timestamp"], "Timestamp", where)
        kinds = [kind for kind, column in ((0, "Read"), (1, "Write")) if _flag(row[column], column, where)]
        if not kinds:
            raise InputError("Read, Write", "false, false", "at least one of the two true", where)
        if size >= below_bytes:
            continue
        blob = known.setdefault((row["AnonAppName"], row["AnonBlobName"]), len(known))
        for kind in kinds:
            times.append(time)
            blobs.append(blob)
            sizes.append(size)
            writes.append(kind)
    if not times:
        raise InputError("trace", str(path), f"at least one access of less than {below_bytes:g} bytes")
    return BlobTrace(np.array(times), np.array(blobs), np.array(sizes), np.array(writes, dtype=bool))


def trace_statistics(trace: BlobTrace) -> BlobStatistics:
    """The statistics of a trace in the form of the shipped ones.

    Raises:
        InputError: if no blob is accessed often enough to know how bursty its accesses are.
    """
    sizes = [trace.size_bytes[trace.is_write == kind] for kind in (False, True)]
    everything = equally_likely_runs(trace.size_bytes)
    reads, writes = (equally_likely_runs(chosen) if len(chosen) else everything for chosen in sizes)
    return BlobStatistics(
        read_sizes=reads,
        write_sizes=writes,
        write_ratio=float(trace.is_write.mean()),
        interarrival_cov=float(np.median(_interarrival_covs(trace))),
    )


def _interarrival_covs(trace: BlobTrace) -> list[float]:
    order = np.lexsort((trace.timestamp_ms, trace.blob))
    times, starts = trace.timestamp_ms[order], np.flatnonzero(np.diff(trace.blob[order])) + 1
    gaps = [np.diff(part) for part in np.split(times, starts) if len(part) > MIN_GAPS]
    covs = [float(gap.std() / gap.mean()) for gap in gaps if gap.mean() > 0]
    if not covs:
        raise InputError(
            "trace", f"{len(times)} accesses", f"a blob with more than {MIN_GAPS} accesses at different times"
        )
    return covs


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """(file and line, row) of each data row, header and width checked."""
    lines = text_lines(path, "trace", "a CSV text file")
    header = read_header(lines)
    names = cells_of(header.line)
    reader = csv.DictReader(lines, names)
    try:
        _check_header(names, header, lines, path)
        for row in reader:
            where = f"{path}:{header.number + reader.line_num}"
            if None in row or None in row.values():
                raise InputError("row", where, f"{len(COLUMNS)} cells; the file may be truncated", where)
            yield where, row
    except csv.Error as error:
        raise InputError("trace", str(path), f"well-formed comma-separated values ({error})") from error


def _check_header(names: Sequence[str], header: Header, behind: Iterator[str], path: Path) -> None:
    if not names:
        raise InputError("trace", str(path), f"a CSV file with the columns {', '.join(COLUMNS)}; this one is empty")
    missing = [column for column in COLUMNS if column not in names]
    if missing:
        elsewhere = misplaced_header(header, behind, [[column.lower() for column in COLUMNS]])
        if not elsewhere:
            check_commas(header.line, path, "trace")
        needed = f"all of {', '.join(COLUMNS)} (missing: {', '.join(missing)})"
        raise InputError("columns", ", ".join(names), "; ".join(filter(None, (needed, elsewhere))), str(path))


def _number(text: str, column: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise InputError(column, text, "a finite number of at least 0", where)
    return value


def _flag(text: str, column: str, where: str) -> bool:
    try:
        return {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()]
    except KeyError:
        raise InputError(column, text, "True or False", where) from None
