"""fio's JSON output (`--output-format=json`), of the engines that load and store without going through the kernel.

What its numbers mean, from fio 3.33's sources (`engines/`, `stat.c`, `backend.c`) and from files that it wrote:

- `bw` is KiB/s, `bw_bytes` B/s; with `group_reporting` one entry stands for all `numjobs`, otherwise entries of one
  job add up. Options without a value (`stonewall`, `group_reporting`, `thread`) are never in the output: jobs that
  were kept apart have another `groupid`, jobs of one group ran at once.
- libpmem copies with `pmem_memcpy`: with non-temporal stores if `direct=1`, otherwise with stores that it flushes.
  dev-dax has `pmem_memcpy_persist`, which flushes below 256 B and is non-temporal from there on. mmap leaves its
  stores to the CPU's cache.
- These engines finish one access before the next: `iodepth` does not change anything.
- In a mix each thread reads and writes: `rwmixread` is the share of accesses.
- `clat_ns` is no latency of the memory: no access waits for the one before it, and the clock that is read after a load
  does not wait for the load. 64 B random reads of 3 GiB of DRAM have a median of 10 ns in it.
"""

from __future__ import annotations

import re
from collections import Counter

from pmtwin.calibrate.context import Context, Mix
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cleaning import bandwidth_fault, check_unit
from pmtwin.calibrate.readers.document import (
    LARGEST_SIZE_BYTES,
    MOST_THREADS,
    Document,
    ReadOptions,
    counter,
    number,
    require,
    whole,
)
from pmtwin.calibrate.readers.fio_runs import OWN_WORK, Run, read_runs, run_fault
from pmtwin.calibrate.readers.registry import register_document
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MIB
from pmtwin.sim.errors import InputError, unknown_name

ENGINES = ("dev-dax", "libpmem", "mmap")
MOVNT_BYTES = 256.0
"""PMDK's threshold: `pmem_memcpy_persist` flushes shorter copies, longer ones it makes non-temporal."""

KIB_IN_MIB = 1.0 / 1024.0
DIRECTIONS = ("read", "write")
WAYS = {"read": "sequential", "write": "sequential", "randread": "random", "randwrite": "random"}
MIXED = {"rw": "sequential", "readwrite": "sequential", "randrw": "random"}
TRIMS = ("trim", "randtrim", "trimwrite", "randtrimwrite")
UNIT_TOLERANCE = 0.02
HALF = 50.0
DIMMS_ASSUMED = f"fio does not state the number of DIMMs: {FULL_SET_DIMMS} assumed"

_SIZE = re.compile(r"^(\d+)\s*([kmg]?)(i?b)?$", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _recognises(document: Document) -> bool:
    return '"fio version"' in document.text and _output(document) is not None


def _output(document: Document) -> dict | None:
    """fio's last report: with `--status-interval` the file holds several, each from the beginning of the run."""
    if not document.is_json:
        return None
    reports = [value for value in document.json_values if isinstance(value, dict) and "jobs" in value]
    return reports[-1] if reports else None


@register_document("fio", _recognises, 'JSON with "fio version" and "jobs"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Usable jobs.

    Raises:
        InputError: a missing or impossible value, an unknown way of access, or bandwidths in another unit.
    """
    runs = read_runs(_output(document) or {}, document.path, DIRECTIONS)
    dimms = float(options.dimms or FULL_SET_DIMMS)
    rows, mixes, dropped = [], [], Counter()
    for run in runs:
        row, reason = _read_run(run, dimms, options.media)
        if reason:
            dropped.update([reason])
        else:
            (mixes if isinstance(row, Mix) else rows).append(row)
    _check_unit(runs, document.path)
    notes = [] if options.dimms else [DIMMS_ASSUMED]
    notes += [OWN_WORK] if rows or mixes else []
    context = Context("", mixes=tuple(mixes), other_rows=len(mixes), notes=tuple(notes))
    return from_rows(rows, dropped, context)


def _read_run(run: Run, dimms: float, media: str) -> tuple[dict | Mix, str]:
    options, where = run.options, run.where
    engine = str(options.get("ioengine", "psync"))
    if engine not in ENGINES:
        return {}, f"ioengine {engine}: through the kernel, or to no memory"
    way = str(options.get("rw", options.get("readwrite", "read"))).split(":")[0]
    if way in TRIMS:
        return {}, "rw=trim: neither loads nor stores"
    if way not in WAYS | MIXED:
        raise unknown_name("rw", way, WAYS | MIXED, where)
    size = _size(options.get("bs", options.get("blocksize", "4k")), where)
    if size is None or "bsrange" in options or "bssplit" in options:
        return {}, "a range of block sizes"
    jobs = whole("numjobs", options.get("numjobs", 1), where, MOST_THREADS, number)
    threads = max(jobs, float(len(run.reports)))
    reason = run_fault(run, threads)
    if reason:
        return {}, reason
    bandwidth = sum(_bandwidth(report[side], where) for report in run.reports for side in DIRECTIONS)
    stores = _store_operation(engine, options, size)
    row = {
        "operation": stores if "write" in way else "load",
        "pattern": (WAYS | MIXED)[way],
        "dimms": dimms,
        "threads": threads,
        "access_size_bytes": size,
        "bandwidth_mib_s": bandwidth,
    }
    reason = bandwidth_fault(bandwidth, size, dimms, media)
    if reason or way in WAYS:
        return row, reason
    reads = number("rwmixread", options.get("rwmixread", HALF), where, 0.0, 100.0)
    share = 1.0 - reads / 100.0
    values = {name: row[name] for name in ("pattern", "access_size_bytes", "threads", "dimms", "bandwidth_mib_s")}
    return Mix(write_operation=stores, write_ratio=share, by_access=True, **values), ""


def _store_operation(engine: str, options: dict, size: float) -> str:
    if engine == "mmap":
        return "store"
    non_temporal = size >= MOVNT_BYTES if engine == "dev-dax" else str(options.get("direct", "0")) == "1"
    return "ntstore" if non_temporal else "store_clwb"


def _size(text: object, where: str) -> float | None:
    """Bytes of a block size such as 4k or 4096; None for different ones of reads and writes."""
    parts = {part.strip() for part in str(text).split(",") if part.strip()}
    if len(parts) != 1:
        return None
    match = _SIZE.match(parts.pop())
    if not match:
        raise InputError("bs", text, "bytes, or with k, m or g", where)
    return whole("bs", int(match.group(1)) * _FACTORS[match.group(2).lower()], where, LARGEST_SIZE_BYTES)


def _bandwidth(report: object, where: str) -> float:
    """MiB/s of one direction."""
    report = require("read and write", report, ("bw",), where)
    if "bw_bytes" in report:
        return counter("bw_bytes", report["bw_bytes"], where) / MIB
    return counter("bw", report["bw"], where) * KIB_IN_MIB


def _check_unit(runs: list[Run], where: str) -> None:
    """Refuse a file whose `bw` is not `bw_bytes` in KiB/s."""
    sides = [(report[side], run.where) for run in runs for report in run.reports for side in DIRECTIONS]
    both = [
        (counter("bw", side["bw"], place), counter("bw_bytes", side["bw_bytes"], place))
        for side, place in sides
        if side.get("bw_bytes") and side.get("bw")
    ]
    wrong = [(bw, in_bytes) for bw, in_bytes in both if abs(bw * 1024.0 / in_bytes - 1.0) > UNIT_TOLERANCE]
    example = f"bw {wrong[0][0]:g} beside bw_bytes {wrong[0][1]:g}" if wrong else ""
    check_unit("bw", "KiB/s", len(wrong), len(both), example, where)
