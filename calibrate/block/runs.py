"""Runs of fio through the kernel to a block device: rate, latency and queue depth of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pmtwin.calibrate.readers.cleaning import Tally
from pmtwin.calibrate.readers.document import FIO, counter, number, open_document, require, whole
from pmtwin.calibrate.readers.fio import MIXED, UNSTATED, WAYS
from pmtwin.calibrate.readers.fio_counters import DIRECTIONS, access_size, counters_fault, side_of
from pmtwin.calibrate.readers.fio_reports import reports_of
from pmtwin.calibrate.readers.fio_runs import Run, access_fault, mark_overlaps, read_runs, way_of
from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.errors import InputError, unknown_name

SYNCHRONOUS = ("psync", "sync", "vsync", "pvsync", "pvsync2")
ENGINES = (*SYNCHRONOUS, "libaio", "io_uring", "posixaio", "solarisaio", "windowsaio", "sg")
MOST_DEPTH = 1 << 16
LATENCIES = {"lat_ns": 1.0, "clat_ns": 1.0, "lat": 1e3, "clat": 1e3}
"""Entry of a direction with its latencies -> nanoseconds of its unit; the first counts."""


class BlockRun(NamedTuple):
    """A run of accesses of a kind and size.

    Fields:
        name: of the job.
        write, sequential: kind of access.
        size: bytes of an access.
        depth: accesses under way at once.
        latency_ns: mean, from submission to completion.
        rate: accesses/ns.
        latency_error, rate_error: standard error of the two, as a share; 0 where the file does not tell.
    """

    name: str
    write: bool
    sequential: bool
    size: int
    depth: int
    latency_ns: float
    rate: float
    latency_error: float = 0.0
    rate_error: float = 0.0

    @property
    def bandwidth(self) -> float:
        """Bytes/ns, that is GB/s."""
        return self.size * self.rate


def read_block_runs(paths: Sequence[str]) -> tuple[list[BlockRun], dict[str, int]]:
    """(usable runs of all files, reason -> number of runs that were dropped for it).

    Raises:
        InputError: for a file that is no JSON of fio, or without a usable run.
    """
    usable: list[BlockRun] = []
    dropped: dict[str, int] = {}
    for path in paths:
        document = open_document(path)
        if not document.is_json or FIO not in document.text:
            raise InputError("source", path, "JSON of fio (--output-format=json)", wrong="is none")
        tally, runs = Tally(document.path), []
        for report in reports_of(document, tally):
            runs += read_runs(report, document.path, tally)
        mark_overlaps(runs)
        rows = []
        for run in runs:
            with tally.row():
                run.check_counters()
                row = _row(run)
                if isinstance(row, str):
                    tally.drop(row)
                else:
                    rows.append(row)
        for reason, count in tally.dropped(len(rows)).items():
            dropped[reason] = dropped.get(reason, 0) + count
        usable += rows
    if not usable:
        reasons = "; ".join(f"{count} dropped: {reason}" for reason, count in dropped.items())
        raise InputError("source", ", ".join(paths), f"a run to a block device ({reasons})", wrong="has none")
    return usable, dropped


def _row(run: Run) -> BlockRun | str:
    """A run, or why it tells nothing of a device alone."""
    options = run.options
    if not options:
        return UNSTATED
    engine = str(options.get("ioengine", "psync"))
    if engine not in ENGINES:
        return f"ioengine {engine}: not through the kernel to a block device"
    if str(options.get("direct", "0")) != "1":
        return "direct=0: the page cache answers"
    way = way_of(options)
    if way in MIXED:
        return f"rw={way}: reads and writes in one run"
    if way not in WAYS:
        raise unknown_name("rw", way, WAYS, run.where)
    sides = {name: side_of(run, name) for name in DIRECTIONS}
    (kind,) = (name for name in DIRECTIONS if name in way)
    reason = access_fault(run) or counters_fault((kind,), sides)
    size, wrong_size = (0.0, "") if reason else access_size(options, kind, sides[kind], run.where)
    if reason or wrong_size:
        return reason or wrong_size
    depth = run.threads
    if engine not in SYNCHRONOUS:
        depth *= whole("iodepth", options.get("iodepth", 1), run.where, MOST_DEPTH, number)
    latency = _latency_ns(run, kind)
    if not latency:
        return "no latencies (gtod_reduce or disable_lat)"
    rate = sides[kind].bandwidth_mib_s * MIB / 1e9 / size
    return BlockRun(
        _name(run), kind == "write", WAYS[way] == "sequential", int(size), int(depth), latency, rate,
        _latency_error(run, kind), _rate_error(run, kind),
    )  # fmt: skip


def _name(run: Run) -> str:
    return str(run.reports[0].get("jobname", ""))


def _latency_ns(run: Run, kind: str) -> float:
    """Mean latency of the accesses of all threads; 0 where the file does not tell."""
    total = count = 0.0
    for report in run.reports:
        side = report[kind]
        accesses = float(side.get("total_ios", 0))
        for name, ns in LATENCIES.items():
            if accesses and name in side:
                values = require(name, side[name], (), run.where)
                total += accesses * ns * counter(f"{name}.mean", values.get("mean", 0), run.where)
                count += accesses
                break
    return total / count if count else 0.0


def _latency_error(run: Run, kind: str) -> float:
    """Standard error of the mean latency over the mean; 0 where the file does not tell."""
    variance = total = 0.0
    for report in run.reports:
        values: Mapping = next((report[kind][name] for name in LATENCIES if name in report[kind]), {})
        spread, count, mean = (_number(values, name, run.where) for name in ("stddev", "N", "mean"))
        count = count or float(report[kind].get("total_ios", 0))
        variance += count * spread**2
        total += count * mean
    return variance**0.5 / total if total else 0.0


def _rate_error(run: Run, kind: str) -> float:
    """Standard error of the rate over the rate, from fio's samples of it; 0 where the file does not tell."""
    variance = total = 0.0
    for report in run.reports:
        spread, samples, mean = (
            _number(report[kind], f"iops_{name}", run.where) for name in ("stddev", "samples", "mean")
        )
        variance += spread**2 / samples if samples else 0.0
        total += mean
    return variance**0.5 / total if total else 0.0


def _number(values: Mapping[str, Any], name: str, where: str) -> float:
    return counter(name, values.get(name, 0), where)
