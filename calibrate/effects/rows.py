"""Bandwidths of accesses with an effect, as columns, from tables and from the device's own measurements."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pmtwin.calibrate.context import Varied
from pmtwin.calibrate.effect_files import (
    FENCED_TAGS,
    FIGURE_13,
    FLUSH_SWEEP,
    FORMS,
    LATTESTER_OPERATIONS,
    QUANTISATION_MIB_S,
    SWEEP,
    tells_of_effects,
)
from pmtwin.sim.device.effects.fences import Fences
from pmtwin.sim.device.effects.strides import Strides
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MEDIA_LINE_BYTES
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table, parse_table
from pmtwin.sim.files.input_file import content_of

GIB_IN_MIB = 1024.0
FLUSH_PATTERNS = {"0": "sequential", "1": "random"}
"""Values of the column `op` of LATTester's flush sweep."""


@dataclass(frozen=True)
class EffectRows:
    """Configurations with medians of their replicates, arrays of shape (n,).

    Args:
        effect: name of the row's effect.
        value: of the effect's column.
        bandwidth_mib_s: total of all threads.
    """

    operation: np.ndarray
    pattern: np.ndarray
    access_size_bytes: np.ndarray
    threads: np.ndarray
    dimms: np.ndarray
    power_w: np.ndarray
    effect: np.ndarray
    value: np.ndarray
    bandwidth_mib_s: np.ndarray

    def __len__(self) -> int:
        return self.bandwidth_mib_s.size

    def take(self, index: np.ndarray) -> EffectRows:
        """The rows at an index array or mask."""
        return EffectRows(**{name: values[index] for name, values in vars(self).items()})

    def select(self, effect: str, operation: str) -> EffectRows:
        """The rows of one effect and operation."""
        return self.take((self.operation == operation) & (self.effect == effect))

    def law_columns(self) -> tuple[np.ndarray, ...]:
        """Access size, threads, DIMMs, power: the arguments of the law."""
        return self.access_size_bytes, self.threads, self.dimms, self.power_w


def read_effect_tables(paths: Sequence[str | os.PathLike]) -> list[Table]:
    """The tables of files with effects.

    Raises:
        InputError: a file that cannot be read, is no table, or has no effect.
    """
    tables = [parse_table(content_of(path, "--effects"), Path(path).name, "--effects") for path in paths]
    for table in tables:
        if not tells_of_effects(table.header):
            forms = "; ".join(f"{name} (columns {', '.join(sorted(marks))})" for name, marks in FORMS.items())
            raise InputError("--effects", f"a table of {', '.join(table.header)}", forms, table.where)
    return tables


def bandwidth_rows(tables: Iterable[Table], varied: Iterable[Varied] = ()) -> EffectRows:
    """Accesses with an effect: strided and fenced ones of tables (LATTester, FAST'20) and all of the device's own.

    Each is the median of its replicates.
    """
    groups: dict[tuple, list[float]] = defaultdict(list)
    for table in tables:
        columns = set(table.header)
        if columns >= SWEEP:
            _sweep(table, groups)
        elif columns >= FLUSH_SWEEP:
            _flush_sweep(table, groups)
        elif columns >= FIGURE_13:
            _figure_13(table, groups)
    for each in varied:
        plain = each.operation, each.pattern, each.access_size_bytes, each.threads, each.dimms, REFERENCE_POWER_W
        groups[*plain, each.effect, float(each.value)].append(each.bandwidth_mib_s)
    keys = sorted(groups)
    by_column = list(zip(*keys, strict=True)) if keys else [()] * 8
    names = [name for name in EffectRows.__dataclass_fields__ if name != "bandwidth_mib_s"]
    arrays = {
        name: np.array(column, dtype=str if name in ("operation", "pattern", "effect") else float)
        for name, column in zip(names, by_column, strict=True)
    }
    return EffectRows(**arrays, bandwidth_mib_s=np.array([float(np.median(groups[key])) for key in keys]))


def records(table: Table) -> list[dict[str, str]]:
    """The rows of a table by column."""
    return [dict(zip(table.header, (cell.strip() for cell in row), strict=True)) for row in table.rows]


def cell_number(cell: str, name: str, where: str) -> float:
    """The number in a cell; `InputError` unless it is finite and at least 0."""
    try:
        value = float(cell)
    except ValueError:
        raise InputError(name, cell, "a number", where) from None
    if not math.isfinite(value) or value < 0:
        raise InputError(name, cell, "a finite number, at least 0", where)
    return value


def _sweep(table: Table, groups: dict[tuple, list[float]]) -> None:
    for index, row in enumerate(records(table)):
        place = table.place(index)
        size, stride, threads, power, speed = (
            cell_number(row[name], name, place)
            for name in ("access_size", "stride_size", "threads", "avgpower", "throughput")
        )
        operation, random = LATTESTER_OPERATIONS.get(row["operation"]), row["task_type"] == "RandBW"
        fenced, strided = row.get("tag") in FENCED_TAGS, not random and stride > size
        usable = row.get("media", "lpmem") == "lpmem" and row.get("local", "1") == "1" and operation and power > 0
        if not usable or speed <= 0:
            continue
        dimms = float(FULL_SET_DIMMS) if row["interleaving"] == "1" else 1.0
        watts = 15.0 if power == 10_000 else power / 1000.0
        if fenced and operation in ("load", "ntstore") and (random or stride == size):
            pattern = "random" if random else "sequential"
            groups[operation, pattern, size, threads, dimms, watts, Fences.name, size].append(speed)
        elif not fenced and strided and stride >= MEDIA_LINE_BYTES and speed > QUANTISATION_MIB_S * threads:
            groups[operation, "sequential", size, threads, dimms, watts, Strides.name, stride].append(speed)


def _flush_sweep(table: Table, groups: dict[tuple, list[float]]) -> None:
    """Points with a flush of every line (as `store_clwb` does) and a fence after every `fence_size` bytes."""
    for index, row in enumerate(records(table)):
        size, fence, flush, threads, speed = (
            cell_number(row[name], name, table.place(index))
            for name in ("access_size", "fence_size", "clwb_size", "threads", "throughput")
        )
        pattern = FLUSH_PATTERNS.get(row["op"])
        if pattern is None or flush != 64 or fence > size or size > 1 << 24 or speed <= QUANTISATION_MIB_S * threads:
            continue
        dimms = float(FULL_SET_DIMMS) if row["interleaving"] == "1" else 1.0
        groups["store_clwb", pattern, size, threads, dimms, 15.0, Fences.name, fence].append(speed)


def _figure_13(table: Table, groups: dict[tuple, list[float]]) -> None:
    """Points of figure 13: one thread, one DIMM, sequential; GiB/s against the write size, a fence after each write."""
    for index, row in enumerate(table.rows):
        size = cell_number(row[0], "write size", table.place(index))
        speed = cell_number(row[table.header.index("ntstore")], "ntstore", table.place(index))
        groups["ntstore", "sequential", size, 1.0, 1.0, 15.0, Fences.name, size].append(speed * GIB_IN_MIB)
