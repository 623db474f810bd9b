"""fio's JSON output (`--output-format=json`), of the engines that load and store without going through the kernel.

What its numbers mean, from fio 3.33's sources (`engines/`, `stat.c`, `backend.c`) and from files that it wrote:

- `bw` is KiB/s, `bw_bytes` B/s; with `group_reporting` one entry stands for all `numjobs`, otherwise entries of one
  job add up. Options without a value (`stonewall`, `group_reporting`, `thread`) are never in the output: jobs that
  were kept apart have another `groupid`, jobs of one group ran at once.
- libpmem copies with `pmem_memcpy`: with non-temporal stores if `direct=1`, otherwise with stores that it flushes.
  dev-dax has `pmem_memcpy_persist`, which flushes below 256 B and is non-temporal from there on. mmap leaves its
  stores to the CPU's cache.
- These engines finish one access before the next: `iodepth` does not change anything.
- In a mix each thread reads and writes.
- `clat_ns` is no latency of the memory: no access waits for the one before it, and the clock that is read after a load
  does not wait for the load. 64 B random reads of 3 GiB of DRAM have a median of 10 ns in it.
"""

from __future__ import annotations

import re

from pmtwin.calibrate.context import DIMMS_ASSUMED, AccessColumns, Context, Mix
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cleaning import Tally, bandwidth_fault, check_unit
from pmtwin.calibrate.readers.document import (
    FIO,
    Document,
    ReadOptions,
)
from pmtwin.calibrate.readers.fio_counters import (
    DIRECTIONS,
    Side,
    access_size,
    counters_fault,
    region_fault,
    side_of,
    write_share,
)
from pmtwin.calibrate.readers.fio_own_work import own_share, own_work_fault, own_work_note
from pmtwin.calibrate.readers.fio_reports import LISTS, reports_of
from pmtwin.calibrate.readers.fio_runs import Run, mark_overlaps, read_runs, run_fault, way_of
from pmtwin.calibrate.readers.registry import register_document, register_foreign
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.errors import InputError, unknown_name

ENGINES = ("dev-dax", "libpmem", "mmap")
MOVNT_BYTES = 256.0
"""PMDK's threshold: `pmem_memcpy_persist` flushes copies below it, and makes copies from it on non-temporal."""

WAYS = {"read": "sequential", "write": "sequential", "randread": "random", "randwrite": "random"}
MIXED = {"rw": "sequential", "readwrite": "sequential", "randrw": "random"}
TRIMS = ("trim", "randtrim", "trimwrite", "randtrimwrite")
UNIT_TOLERANCE = 0.02
UNSTATED = "the file does not state ioengine, rw, bs: old versions print no options; run fio 3"


_OTHER_FORM = re.compile(r"^(?:\d+;fio-\d|fio-\d+\.\d|\S.*\(groupid=\d+, jobs=\d+\))", re.MULTILINE)
"""A line of fio's terse output, or of its report for people."""

register_foreign(
    lambda document: not document.is_json and bool(_OTHER_FORM.search(document.text)),
    "fio's terse output or its report for people; run fio with --output-format=json",
)


def _recognises(document: Document) -> bool:
    return FIO in document.text and document.is_json and any(name in document.text for name in LISTS)


@register_document("fio", _recognises, 'JSON with "fio version" and "jobs"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Usable jobs of all reports, pure ones as measurements and mixed ones as mixes.

    Raises:
        InputError: no report, no usable job, or bandwidths in another unit.
    """
    tally, runs = Tally(document.path), []
    reports = reports_of(document, tally)
    if not reports:
        raise InputError("source", document.path, "a report of fio with its jobs", wrong="holds none")
    for index, report in enumerate(reports, start=1):
        place = f"{document.path}: report {index}" if len(reports) > 1 else document.path
        for run in read_runs(report, place, tally):
            with tally.row():
                run.check_counters()
                runs.append(run)
    mark_overlaps(runs)
    _check_unit(runs, document.path)
    dimms = float(options.dimms or FULL_SET_DIMMS)
    rows: list[dict] = []
    mixes: list[Mix] = []
    shares = []
    for run in runs:
        with tally.row():
            row, reason = _read_run(run, dimms, options.media)
            tally.drop(reason)
            if not reason:
                shares.append(own_share(run))
                if isinstance(row, Mix):
                    mixes.append(row)
                else:
                    rows.append(row)
    notes = [] if options.dimms else [DIMMS_ASSUMED]
    notes += [own_work_note(shares)] if shares else []
    context = Context("", mixes=tuple(mixes), other_rows=len(mixes), notes=tuple(notes))
    return from_rows(rows, tally.dropped(len(rows) + len(mixes)), context)


def _read_run(run: Run, dimms: float, media: str) -> tuple[dict | Mix, str]:
    options, where = run.options, run.where
    if not options:
        return {}, UNSTATED
    engine = str(options.get("ioengine", "not stated in the file (fio's default is psync)"))
    if engine not in ENGINES:
        return {}, f"ioengine {engine}: through the kernel, or to no memory"
    way = way_of(options)
    if way in TRIMS:
        return {}, f"rw={way}: neither loads nor stores"
    if way not in WAYS | MIXED:
        raise unknown_name("rw", way, WAYS | MIXED, where)
    if reason := run_fault(run):
        return {}, reason
    sides = {direction: side_of(run, direction) for direction in DIRECTIONS}
    moves = DIRECTIONS if way in MIXED else tuple(name for name in DIRECTIONS if name in way)
    if reason := counters_fault(moves, sides):
        return {}, reason
    share, reason = write_share(options, sides, where) if way in MIXED else (float("write" in way), "")
    if reason:
        return {}, reason
    shares = {"read": 1.0 - share, "write": share}
    sizes = {}
    for name in (name for name in DIRECTIONS if shares[name]):
        sizes[name], reason = access_size(options, name, sides[name], where)
        if reason or (reason := own_work_fault(run, sizes[name])):
            return {}, reason
    return _row(run, engine, (WAYS | MIXED)[way], share, sides, sizes, dimms, media)


def _row(
    run: Run,
    engine: str,
    pattern: str,
    share: float,
    sides: dict[str, Side],
    sizes: dict[str, float],
    dimms: float,
    media: str,
) -> tuple[dict | Mix, str]:
    """The row of a run, or its mix, and why its bandwidth is not usable ("" if it is usable)."""
    bandwidth, first = sum(side.bandwidth_mib_s for side in sides.values()), min(sizes)
    columns: AccessColumns = {
        "pattern": pattern,
        "access_size_bytes": sizes[first],
        "threads": run.threads,
        "dimms": dimms,
        "bandwidth_mib_s": bandwidth,
    }
    reason = bandwidth_fault(bandwidth, min(sizes.values()), dimms, media)
    if share < 1.0 or engine == "mmap":
        reason = reason or region_fault(run)
    if share in (0.0, 1.0):
        operation = _store_operation(engine, run.options, sizes["write"]) if share else "load"
        return {"operation": operation, **columns}, reason
    writes = _store_operation(engine, run.options, sizes["write"])
    if sizes["write"] != sizes["read"]:
        return {}, "reads and writes of unlike sizes in one thread: not covered by this law"
    return Mix(write_operation=writes, write_ratio=share, by_access=True, **columns), reason


def _store_operation(engine: str, options: dict, size: float) -> str:
    if engine == "mmap":
        return "store"
    non_temporal = size >= MOVNT_BYTES if engine == "dev-dax" else str(options.get("direct", "0")) == "1"
    return "ntstore" if non_temporal else "store_clwb"


def _check_unit(runs: list[Run], where: str) -> None:
    """Refuse a file in which too many `bw` differ from `bw_bytes` in KiB/s."""
    sides = [report[name] for run in runs for report in run.reports for name in DIRECTIONS if name in report]
    both = [(float(side["bw"]), float(side["bw_bytes"])) for side in sides if side.get("bw_bytes") and side.get("bw")]
    wrong = [(bw, in_bytes) for bw, in_bytes in both if abs(bw * 1024.0 / in_bytes - 1.0) > UNIT_TOLERANCE]
    example = f"bw {wrong[0][0]:g} beside bw_bytes {wrong[0][1]:g}" if wrong else ""
    check_unit("bw", "KiB/s", len(wrong), len(both), example, where)
