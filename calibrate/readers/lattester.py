"""LATTester's bandwidth sweep (Yang et al., FAST'20): one row per run, total throughput in MiB/s.

Traps of the format; rows that they cost are counted with a reason:

- a power budget of 10000 is the default of 15 W (12500 and 18000 are 12.5 W and 18 W; 0 is DRAM);
- with a stride of 0, or below the access size, accesses stay in the CPU's cache; a larger stride than the access size
  measures the effect of strides;
- the sweeps of `FENCED_TAGS` fence after each access: they measure latency, not bandwidth;
- throughput comes from a counter with steps, which hide the bandwidth of slow threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from pmtwin.calibrate.context import Context
from pmtwin.calibrate.effect_files import FENCED_TAGS, LATTESTER_OPERATIONS, QUANTISATION_MIB_S
from pmtwin.calibrate.measurements import Dropped, Measurements
from pmtwin.calibrate.readers.cleaning import QUANTISED, Tally
from pmtwin.calibrate.readers.document import LARGEST_SIZE_BYTES, MOST_THREADS, ReadOptions
from pmtwin.calibrate.readers.registry import register
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, FULL_SET_DIMMS
from pmtwin.sim.device.points import POWER_RANGE_W
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.csv_table import Table

TASKS = ("RandBW", "StrideBW")
DEFAULT_POWER = 10_000.0

SESSION = ("machine", "date", "tag")
"""Columns that identify a session, where a file has them."""

REQUIRED = (
    *("access_size", "avgpower", "interleaving", "media", "operation", "stride_size", "task_type", "threads"),
    "throughput",
)


def _is_whole(values: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.isfinite(values) & (values == np.floor(values)) & (values >= low) & (values <= high)


def _is_flag(values: np.ndarray) -> np.ndarray:
    return (values == 0) | (values == 1)


def _is_budget(values: np.ndarray) -> np.ndarray:
    low, high = (1000.0 * watt for watt in POWER_RANGE_W)
    return (values == 0) | ((values >= low) & (values <= high))


ACCEPTED: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str]] = {
    "access_size": (
        partial(_is_whole, low=1, high=LARGEST_SIZE_BYTES),
        f"a whole number of bytes, 1 to {LARGEST_SIZE_BYTES:,}",
    ),
    "avgpower": (_is_budget, "mW of a DIMM, {:g} to {:g} W; 0 for DRAM".format(*POWER_RANGE_W)),
    "interleaving": (_is_flag, "0 (one DIMM) or 1 (all of them)"),
    "local": (_is_flag, "1 (memory of the same socket) or 0"),
    "stride_size": (
        partial(_is_whole, low=0, high=LARGEST_SIZE_BYTES),
        f"a whole number of bytes, 0 to {LARGEST_SIZE_BYTES:,}",
    ),
    "threads": (partial(_is_whole, low=1, high=MOST_THREADS), f"a whole number, 1 to {MOST_THREADS:,}"),
}
"""Accepted values of each column, and their description for errors: NaN, an infinity or a fraction in one of these
would spoil the fit silently. Throughput is not among them: counters fail in single runs, which are dropped later."""


@register("lattester", REQUIRED)
def read(table: Table, options: ReadOptions | None = None) -> Measurements:
    """Usable rows of a LATTester sweep.

    Raises:
        InputError: no row whose cells are numbers inside `ACCEPTED`, of a known operation and task.
    """
    rows, faults = _numbers(table)
    whole = [index for index in range(len(table.rows)) if index not in faults]
    table, rows = table.take(whole), {name: values[whole] for name, values in rows.items()}
    reasons = _reasons(rows)
    usable = reasons == ""
    power = np.where(rows["avgpower"] == DEFAULT_POWER, 15_000.0, rows["avgpower"]) / 1000.0
    return Measurements(
        operation=rows["operation"][usable],
        pattern=np.where(rows["task_type"] == "RandBW", "random", "sequential")[usable],
        dimms=np.where(rows["interleaving"] == 1, float(FULL_SET_DIMMS), 1.0)[usable],
        power_w=power[usable],
        threads=rows["threads"][usable],
        access_size_bytes=rows["access_size"][usable],
        bandwidth_mib_s=rows["throughput"][usable],
        effective_write_ratio=rows["ewr"][usable],
        session=rows["session"][usable],
        place=np.array([table.place(index) for index in np.flatnonzero(usable).tolist()]),
        dropped=_dropped(table, reasons, faults.values()),
        context=Context(media="pmem", effect_tables=(table,), fenced=False, prefetchers=False),
    )


def _dropped(table: Table, reasons: np.ndarray, faults: Iterable[InputError]) -> Dropped:
    tally = Tally(table.where)
    for error in faults:
        tally.fault(error)
    for index in np.flatnonzero(reasons != "").tolist():
        tally.drop(str(reasons[index]), place=table.place(index))
    return tally.dropped(usable=int(np.sum(reasons == "")))


def _numbers(table: Table) -> tuple[dict[str, np.ndarray], dict[int, InputError]]:
    """The columns as arrays, and the fault of each broken row by its index.

    Numbers are checked, text is not changed; `ewr` is NaN where it is missing or impossible.
    """
    faults: dict[int, InputError] = {}
    names = ("access_size", "avgpower", "interleaving", "stride_size", "threads", "throughput")
    rows = {name: _number_column(table, name, faults) for name in names}
    for name in ("media", "task_type"):
        rows[name] = np.array(table.column(name))
    _check_names(table, "operation", tuple(LATTESTER_OPERATIONS), faults)
    _check_names(table, "task_type", TASKS, faults)
    rows["operation"] = np.array([LATTESTER_OPERATIONS.get(name, "") for name in table.column("operation")])
    count = len(table.rows)
    rows["tag"] = np.array(table.column("tag") if "tag" in table.header else [""] * count)
    rows["session"] = np.array(
        [" ".join(cells) for cells in zip(*_session_columns(table), strict=True)] or [""] * count
    )
    rows["local"] = _number_column(table, "local", faults) if "local" in table.header else np.ones(count)
    ratio = _number_column(table, "ewr", faults, missing="nan") if "ewr" in table.header else np.full(count, np.nan)
    rows["ewr"] = np.where((ratio > 0.05) & (ratio < 1.05), ratio, np.nan)  # drops out singly, to 0 or far above 1
    return rows, faults


def _session_columns(table: Table) -> list[list[str]]:
    return [table.column(name) for name in SESSION if name in table.header]


def _number_column(table: Table, name: str, faults: dict[int, InputError], missing: str = "") -> np.ndarray:
    """A column as numbers; an empty cell counts as the text `missing`. Cells that are not accepted go to `faults`."""
    cells = table.column(name)
    values = np.full(len(cells), np.nan)
    for index, cell in enumerate(cells):
        try:
            values[index] = float(cell or missing)
        except ValueError:
            faults.setdefault(index, InputError(name, cell, "a number", table.place(index)))
    if name in ACCEPTED:
        accepts, allowed = ACCEPTED[name]
        for index in np.flatnonzero(~accepts(values)).tolist():
            faults.setdefault(index, InputError(name, cells[index], allowed, table.place(index)))
    return values


def _check_names(table: Table, column: str, known: tuple[str, ...], faults: dict[int, InputError]) -> None:
    for index, name in enumerate(table.column(column)):
        if name not in known:
            faults.setdefault(index, unknown_name(column, name, known, table.place(index)))


def _reasons(rows: dict[str, np.ndarray]) -> np.ndarray:
    """Why each row is not usable; "" where it is usable. Of several reasons the first in this order counts."""
    strided = rows["task_type"] == "StrideBW"
    size, stride, speed = rows["access_size"], rows["stride_size"], rows["throughput"]
    tests = (
        ("not persistent memory", rows["media"] != "lpmem"),
        ("remote NUMA node", rows["local"] != 1),
        ("no power budget", rows["avgpower"] <= 0),
        ("fence after each access: latency, not bandwidth", np.isin(rows["tag"], sorted(FENCED_TAGS))),
        ("stride 0 or below the access size: served by the CPU cache", strided & (stride < size)),
        ("stride above the access size: not covered by this law", strided & (stride > size)),
        ("access size below a cache line", size < CACHE_LINE_BYTES),
        (QUANTISED, (speed > 0) & (speed < QUANTISATION_MIB_S * rows["threads"])),
    )
    return np.select([test for _, test in tests], [reason for reason, _ in tests], default="")
