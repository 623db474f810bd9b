"""fio's JSON output (`--output-format=json`), of the engines that load and store without going through the kernel.

- `bw` is KiB/s, `bw_bytes` B/s; with `group_reporting` one entry stands for all `numjobs`, otherwise entries of one
  job name add up. Jobs that are not kept apart by `stonewall` run at once.
- libpmem and dev-dax copy with non-temporal stores and wait for them; mmap leaves its stores to the CPU's cache.
- These engines finish one access before the next: `iodepth` does not change anything.
- In a mix each thread reads and writes: `rwmixread` is the share of accesses.
"""

from __future__ import annotations

import re
from collections import Counter

from calibrate.context import Context, Latency, Mix
from calibrate.measurements import Measurements, from_rows
from calibrate.readers.cleaning import bandwidth_fault, check_unit, latency_fault
from calibrate.readers.document import Document, ReadOptions, number, require
from calibrate.readers.registry import register_document
from sim.device.geometry import FULL_SET_DIMMS, MEDIA_LINE_BYTES, MIB
from sim.errors import InputError, unknown_name

ENGINES = {"libpmem": "ntstore", "dev-dax": "ntstore", "mmap": "store"}
KIB_IN_MIB = 1.0 / 1024.0
DIRECTIONS = ("read", "write")
WAYS = {"read": "sequential", "write": "sequential", "randread": "random", "randwrite": "random"}
MIXED = {"rw": "sequential", "readwrite": "sequential", "randrw": "random"}
UNIT_TOLERANCE = 0.02
HALF = 50.0
DIMMS_ASSUMED = f"fio does not state the number of DIMMs: {FULL_SET_DIMMS} assumed"

_SIZE = re.compile(r"^(\d+)\s*([kmg]?)(i?b)?$", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _recognises(document: Document) -> bool:
    if not document.is_json or '"fio version"' not in document.text:
        return False
    return isinstance(document.json, dict) and "jobs" in document.json


@register_document("fio", _recognises, 'JSON with "fio version" and "jobs"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Usable jobs.

    Raises:
        InputError: a missing or impossible value, an unknown way of access, or bandwidths in another unit.
    """
    runs = _runs(document)
    dimms = float(options.dimms or FULL_SET_DIMMS)
    rows, mixes, latencies, dropped = [], [], [], Counter()
    for run in runs:
        found, reason = _read_run(run, dimms)
        if reason:
            dropped.update([reason])
            continue
        (mixes if isinstance(found, Mix) else rows).append(found)
        latencies += _idle(run, found)
    _check_unit(runs, document.path)
    notes = () if options.dimms else (DIMMS_ASSUMED,)
    context = Context("", tuple(latencies), mixes=tuple(mixes), other_rows=len(mixes), notes=notes)
    return from_rows(rows, dropped, context)


def _runs(document: Document) -> list[dict]:
    """One entry for each run: its options, its reports (one or, without group reporting, several) and its place."""
    jobs = document.json["jobs"]
    if not isinstance(jobs, list) or not jobs:
        raise InputError("jobs", jobs, "a list of at least one job", document.path)
    common = require("global options", document.json.get("global options", {}), (), document.path)
    runs: dict[str, dict] = {}
    for index, job in enumerate(jobs):
        where = f"{document.path}: jobs[{index}]"
        job = require("job", job, ("jobname", *DIRECTIONS), where)
        own = common | require("job options", job.get("job options", {}), (), where)
        run = runs.setdefault(
            str(job["jobname"]), {"options": own, "reports": [], "where": where, "alone": "stonewall" in own}
        )
        run["reports"].append(job)
    listed = list(runs.values())
    # The first of several needs no stonewall before it, but the second does; a run is alone if no wall is missing.
    for index, run in enumerate(listed):
        walls = [other["alone"] for other in listed[index : index + 2] if other is not listed[0]]
        run["beside"] = not all(walls)
    return listed


def _read_run(run: dict, dimms: float) -> tuple[dict | Mix, str]:
    options, where = run["options"], run["where"]
    engine = str(options.get("ioengine", "psync"))
    if engine not in ENGINES:
        return {}, f"ioengine {engine}: through the kernel, or to no memory"
    if run["beside"]:
        return {}, "ran beside another job"
    if any(report.get("error", 0) for report in run["reports"]):
        return {}, "the job failed"
    way = str(options.get("rw", options.get("readwrite", "read"))).split(":")[0]
    if way not in WAYS | MIXED:
        raise unknown_name("rw", way, WAYS | MIXED, where)
    size = _size(options.get("bs", options.get("blocksize", "4k")), where)
    if size is None or "bsrange" in options or "bssplit" in options:
        return {}, "a range of block sizes"
    bandwidth = sum(_bandwidth(report[way_of], where) for report in run["reports"] for way_of in DIRECTIONS)
    row = {
        "operation": ENGINES[engine] if "write" in way else "load",
        "pattern": (WAYS | MIXED)[way],
        "dimms": dimms,
        "threads": max(number("numjobs", options.get("numjobs", 1), where, low=1), float(len(run["reports"]))),
        "access_size_bytes": size,
        "bandwidth_mib_s": bandwidth,
    }
    reason = bandwidth_fault(bandwidth, size, dimms)
    if reason or way in WAYS:
        return row, reason
    reads = number("rwmixread", options.get("rwmixread", HALF), where, 0.0, 100.0)
    share = 1.0 - reads / 100.0
    of = {name: row[name] for name in ("pattern", "access_size_bytes", "threads", "dimms", "bandwidth_mib_s")}
    return Mix(write_operation=ENGINES[engine], write_ratio=share, by_access=True, **of), ""


def _size(text: object, where: str) -> float | None:
    """Bytes of a block size such as 4k or 4096; None for different ones of reads and writes."""
    parts = {part.strip() for part in str(text).split(",") if part.strip()}
    if len(parts) != 1:
        return None
    found = _SIZE.match(parts.pop())
    if not found:
        raise InputError("bs", text, "bytes, or with k, m or g", where)
    return float(int(found.group(1)) * _FACTORS[found.group(2).lower()])


def _bandwidth(report: object, where: str) -> float:
    """MiB/s of one direction."""
    report = require("read and write", report, ("bw",), where)
    if "bw_bytes" in report:
        return number("bw_bytes", report["bw_bytes"], where) / MIB
    return number("bw", report["bw"], where) * KIB_IN_MIB


def _check_unit(runs: list[dict], where: str) -> None:
    """Refuse a file whose `bw` is not `bw_bytes` in KiB/s."""
    sides = [(report[side], run["where"]) for run in runs for report in run["reports"] for side in DIRECTIONS]
    both = [
        (number("bw", side["bw"], place), number("bw_bytes", side["bw_bytes"], place))
        for side, place in sides
        if side.get("bw_bytes") and side.get("bw")
    ]
    wrong = [(bw, in_bytes) for bw, in_bytes in both if abs(bw * 1024.0 / in_bytes - 1.0) > UNIT_TOLERANCE]
    example = f"bw {wrong[0][0]:g} beside bw_bytes {wrong[0][1]:g}" if wrong else ""
    check_unit("bw", "KiB/s", len(wrong), len(both), example, where)


def _idle(run: dict, found: dict | Mix) -> list[Latency]:
    """The completion latency of one thread's short accesses; longer ones are dominated by the copy."""
    if isinstance(found, Mix) or found["threads"] > 1 or found["access_size_bytes"] > MEDIA_LINE_BYTES:
        return []
    side = run["reports"][0]["read" if found["operation"] == "load" else "write"]
    mean = require("clat_ns", side.get("clat_ns", {}), (), run["where"]).get("mean")
    if mean is None or latency_fault(number("clat_ns.mean", mean, run["where"])):
        return []
    return [Latency(found["operation"], found["pattern"], found["access_size_bytes"], float(mean))]
