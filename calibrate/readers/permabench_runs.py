"""PerMA-Bench (Benson et al., VLDB'22): meaning of its runs, in all forms of its files.

- Bandwidth is in GiB/s. Each write is persisted alone: the instruction, then a fence. So the time of a single thread
  for a write is the latency of the write on an idle device, with the benchmark's loop.
- `nocache` is a non-temporal store, `cache` clwb, `none` a store that is left to the cache. `cacheinv` (clflushopt)
  also evicts the line, which the law does not cover.
- Custom operations are chains such as `rp_64,wp_64_cache`: a single dependent read (`rp_N`) of one thread is the idle
  latency of a random load, reading the clock included; other chains do not measure pure bandwidth.
- The halves of a parallel benchmark run at the same time and disturb each other: a read and a write are a mix.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pmtwin.calibrate.context import DIMMS_ASSUMED, AccessColumns, Context, Latency, Mix
from pmtwin.calibrate.effect_files import PERMA_WRITES as WRITES
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cleaning import (
    FENCED,
    FENCED_WRITES,
    REMOTE_NODE,
    SMALLEST_REGION_BYTES,
    Tally,
    bandwidth_fault,
    check_unit,
    latency_fault,
)
from pmtwin.calibrate.readers.document import LARGEST_SIZE_BYTES, MOST_THREADS, ReadOptions, measured, number, whole
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MIB
from pmtwin.sim.errors import InputError, unknown_name

GIB_IN_MIB = 1024.0
GIB = float(1 << 30)
INVALIDATES = "cacheinv"
PATTERNS = ("random", "sequential")
MODES = (*PATTERNS, "sequential_desc", "custom")
OTHER_NAMES = {"sequential_asc": "sequential", "ntstore": "nocache", "clwb": "cache", "clflushopt": INVALIDATES}
"""Names of earlier versions -> the present ones."""

MEMORY = ("pmem", "dram")
UNIT_TOLERANCE = 0.03
"""Decimal GB/s would be 7 % more; the benchmark's output agrees to all digits."""

BESIDE = "ran beside another benchmark"

_SINGLE_READ = re.compile(r"^(?:r_|rp_)(\d+)$")


@dataclass(frozen=True)
class Run:
    """A run, or a half of a parallel run.

    Args:
        config, results: by PerMA-Bench's names.
        parallel: whether it is a half of a parallel run.
        where: place in the file, for errors.
        latency: percentiles in ns, by name; empty without them.
        dimms: number of modules; None where the file does not state it.
        beside: common name of the halves of one parallel run, "" where the file has none.
        read: how its numbers are read: `pmtwin.calibrate.readers.document.number` of cells, `counter` of JSON.
    """

    config: dict
    results: dict
    parallel: bool
    where: str
    latency: dict = field(default_factory=dict)
    dimms: float | None = None
    read: Callable[..., float] = number
    beside: str = ""


def measurements(runs: Iterable[Run], options: ReadOptions, tally: Tally) -> Measurements:
    """Usable runs as measurements.

    Args:
        tally: rows of the file that were dropped so far.

    Raises:
        InputError: no usable run, bandwidths in another unit, or two kinds of memory.
    """
    runs = list(runs)
    media = _media(runs, options, tally.path)
    rows, latencies, units, idle_reads = [], [], _Units(), 0
    for run in (run for run in runs if not run.parallel):
        with tally.row():
            if media and _media_of(run) != media:
                tally.drop(f"of another kind of memory than {media}")
            elif _mode(run) == "custom":
                latency, reason = _idle_read(run)
                latencies += [latency] if latency else []
                idle_reads += latency is not None
                tally.drop(reason)
            else:
                row, reason = _access(run, options)
                doubt = units.fault(run) if row else ""
                tally.drop(reason or doubt)
                if not (reason or doubt):
                    rows.append(row)
                    latencies += [_fenced_write(row)] if _is_fenced(row) and row["threads"] == 1 else []
    units.check(tally.path)
    mixes = _mixes(runs, options, media, tally)
    other_rows = idle_reads + 2 * len(mixes)
    assumed = options.dimms is None and any(run.dimms is None for run in runs)
    notes = [FENCED] if any(map(_is_fenced, rows)) else []
    notes += [DIMMS_ASSUMED] if rows and assumed else []
    context = Context(media, tuple(latencies), mixes=mixes, other_rows=other_rows, notes=tuple(notes), fenced=True)
    return from_rows(rows, tally.dropped(len(rows) + other_rows), context)


def _is_fenced(row: dict) -> bool:
    return row["operation"] in FENCED_WRITES


def _media(runs: list[Run], options: ReadOptions, where: str) -> str:
    # A parallel benchmark may have a half in DRAM; none of its halves is used.
    named = {str(run.config.get("memory_type", "pmem")) for run in runs if not run.parallel}
    kinds = named.intersection(MEMORY)
    if options.media in kinds:
        return options.media
    if len(kinds) > 1:
        allowed = "one kind of memory in a profile; choose one with --media"
        raise InputError("memory_type", ", ".join(sorted(kinds)), allowed, where)
    return kinds.pop() if kinds else ""


def _media_of(run: Run) -> str:
    return _known("memory_type", run.config.get("memory_type", "pmem"), MEMORY, run.where)


def _mode(run: Run) -> str:
    return _known("exec_mode", run.config.get("exec_mode"), MODES, run.where)


def _known(name: str, value: object, known: tuple[str, ...], where: str) -> str:
    present = OTHER_NAMES.get(str(value), str(value))
    if present not in known:
        raise unknown_name(name, str(value), known, where)
    return present


def _access(run: Run, options: ReadOptions) -> tuple[dict, str]:
    """The row of a run, or of a half of one, and why it is not usable ("" if it is usable)."""
    config, where = run.config, run.where
    if config.get("numa_pattern", "near") == "far":
        return {}, REMOTE_NODE
    if _mode(run) == "sequential_desc":
        return {}, "sequential in descending order: not covered by this law"
    if config.get("random_distribution") == "zipf":
        return {}, "skewed accesses: partly served by the CPU cache"
    if str(config.get("prefault_file", True)).lower() == "false":
        return {}, "memory not touched before: page faults"
    if _media_of(run) == "pmem" and run.read("dram_operation_ratio", config.get("dram_operation_ratio") or 0, where):
        return {}, "partly served by DRAM"
    if not run.results:
        return {}, "the run has no results"
    operation = "load"
    if _known("operation", config.get("operation"), ("read", "write"), where) == "write":
        instruction = _known("persist_instruction", config.get("persist_instruction"), (*WRITES, INVALIDATES), where)
        if instruction == INVALIDATES:
            return {}, "clflushopt: not covered by this law"
        operation = WRITES[instruction]
    columns: AccessColumns = {
        "pattern": _mode(run),
        "dimms": float(run.dimms or options.dimms or FULL_SET_DIMMS),
        "threads": _threads(run),
        "access_size_bytes": whole("access_size", config.get("access_size"), where, LARGEST_SIZE_BYTES, run.read),
        "bandwidth_mib_s": GIB_IN_MIB * _bandwidth(run),
    }
    if operation in ("load", "store") and (reason := _region_fault(run)):
        return {}, reason
    reason = bandwidth_fault(columns["bandwidth_mib_s"], columns["access_size_bytes"], columns["dimms"], _media_of(run))
    return {"operation": operation, **columns}, reason


def _region_fault(run: Run) -> str:
    """Why the CPU's cache serves the accesses; "" where the region is large, or not stated."""
    region = run.config.get("memory_range")
    if region in (None, "") or run.read("memory_range", region, run.where) >= SMALLEST_REGION_BYTES:
        return ""
    return f"memory_range of {region} B fits the CPU's cache"


def _mixes(runs: Iterable[Run], options: ReadOptions, media: str, tally: Tally) -> tuple[Mix, ...]:
    """Parallel runs whose halves are a plain read and a plain write of the same kind of memory; others are counted."""
    together: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        if run.parallel:
            together[run.beside or run.where].append(run)
    mixes = []
    for halves in together.values():
        with tally.row(len(halves)):
            mix = _mix(halves, options, media)
            mixes += [mix] if mix else []
            tally.drop("" if mix else BESIDE, len(halves))
    return tuple(mixes)


def _mix(halves: Sequence[Run], options: ReadOptions, media: str) -> Mix | None:
    """The mix of two halves; None if they are not a read and a write, or one of them is not usable."""
    if len(halves) != 2 or any(_mode(half) not in PATTERNS for half in halves):
        return None
    if _media_of(halves[0]) != _media_of(halves[1]) or media not in ("", _media_of(halves[0])):
        return None
    accesses = [_access(half, options) for half in halves]
    if any(reason for _, reason in accesses):
        return None
    read, write = sorted((row for row, _ in accesses), key=lambda row: row["operation"] != "load")
    if read["operation"] != "load" or write["operation"] == "load":
        return None
    threads = read["threads"] + write["threads"]
    sides = read["bandwidth_mib_s"], write["bandwidth_mib_s"]
    return Mix(
        write_operation=write["operation"],
        pattern=read["pattern"],
        access_size_bytes=read["access_size_bytes"],
        threads=threads,
        dimms=read["dimms"],
        write_ratio=write["threads"] / threads,
        by_access=False,
        bandwidth_mib_s=sum(sides),
        write_access_size_bytes=write["access_size_bytes"],
        write_pattern=write["pattern"],
        read_mib_s=sides[0],
        write_mib_s=sides[1],
    )


def _bandwidth(run: Run) -> float:
    """Bandwidth in the unit of the file; older versions keep it apart for reads and writes."""
    value = run.results.get("bandwidth")
    if isinstance(value, dict):
        value = value.get(run.config["operation"])
    return _measured(run, "bandwidth", value, "GiB/s of all threads together")


def _measured(run: Run, field: str, value: Any, allowed: str) -> float:
    """A number, which may be infinite or NaN: the cleaning checks that. In a table it is text."""
    try:
        return measured(field, float(value) if run.read is number else value, run.where)
    except (TypeError, ValueError):
        raise InputError(field, value, allowed, run.where) from None


def _threads(run: Run) -> float:
    return whole("number_threads", run.config.get("number_threads"), run.where, MOST_THREADS, run.read)


@dataclass
class _Units:
    """Counts the bandwidths of a file that are not the bytes over the time, in GiB/s, where the file states both."""

    compared: int = 0
    wrong: int = 0
    example: str = ""

    def fault(self, run: Run) -> str:
        """Why the bandwidth of a run is in doubt; "" if it is not. Counts the run."""
        size, time = (run.results.get(name) for name in ("accessed_bytes", "execution_time"))
        if size is None or time is None:
            return ""
        seconds = max(run.read("execution_time", time, run.where), 1e-9)
        expected = run.read("accessed_bytes", size, run.where) / GIB / seconds
        self.compared += 1
        if abs(_bandwidth(run) / max(expected, 1e-12) - 1.0) < UNIT_TOLERANCE:
            return ""
        self.wrong += 1
        self.example = str(run.results["bandwidth"])
        return "bandwidth does not fit the bytes over the time"

    def check(self, where: str) -> None:
        """Raise `InputError` if too many are wrong."""
        check_unit("bandwidth", "GiB/s", self.wrong, self.compared, self.example, where)


def _fenced_write(row: dict) -> Latency:
    """The latency of a write of a single thread, which waits for each write at a fence: writes do not overlap."""
    latency_ns = row["access_size_bytes"] / (row["bandwidth_mib_s"] * MIB) * 1e9
    return Latency(row["operation"], row["pattern"], row["access_size_bytes"], latency_ns)


def _idle_read(run: Run) -> tuple[Latency | None, str]:
    """The idle latency by a chain of one dependent read, or None and the reason."""
    read = _SINGLE_READ.match(str(run.config.get("custom_operations", "")).strip())
    threads = _threads(run)
    if not read or threads != 1 or run.config.get("numa_pattern", "near") == "far":
        return None, "custom chain of accesses: not a pure bandwidth"
    if run.latency.get("median") is None:
        return None, "custom chain without latencies"
    median = _measured(run, "latency median", run.latency["median"], "a number of ns")
    reason = latency_fault(median)
    return (None, reason) if reason else (Latency("load", "random", float(read.group(1)), median), "")
