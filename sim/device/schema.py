"""Schema of a profile's file, which is checked before anything is computed from it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Annotated, Any

from msgspec import Meta, Struct

from pmtwin.sim.device import law
from pmtwin.sim.device.access_profile import check_access_profile
from pmtwin.sim.device.effects import check_effects
from pmtwin.sim.device.geometry import MOST_DIMMS
from pmtwin.sim.device.grid import Grid
from pmtwin.sim.device.parameters import LAW_PARAMETERS, NEVER_FITTED, SWITCHES
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.typed_json import Finite, NotNegative, Positive, check_name, lacking, typed

WANTED = "a JSON file that `pmtwin calibrate` wrote"

Range = tuple[Positive, Positive]
Dimms = Annotated[float, Meta(ge=1, le=MOST_DIMMS)]
Table = list[list[list[Finite]]]


class Box(Struct):
    """Ranges of values on which an operation and pattern were fitted."""

    pattern: str
    dimms: Dimms
    access_size_bytes: Range
    threads: Range
    power_w: Range

    def __post_init__(self) -> None:
        check_name("pattern", self.pattern, law.PATTERNS)
        for name in ("access_size_bytes", "threads", "power_w"):
            low, high = getattr(self, name)
            if low > high:
                raise InputError(name, [low, high], "[low, high], low first")


class Cell(Struct, kw_only=True):
    """Knots of a table over power, access size and threads (`pmtwin.sim.device.grid.Grid`)."""

    pattern: str
    dimms: Dimms
    power_w: list[Finite]
    access_size_bytes: list[Finite]
    threads: list[Finite]

    def __post_init__(self) -> None:
        check_name("pattern", self.pattern, law.PATTERNS)


class ResidualCell(Cell, kw_only=True):
    """A table of `pmtwin.sim.device.residual`."""

    log_ratio: Table


class ModesCell(Cell, kw_only=True):
    """Modes of log bandwidth, over the same knots; a plausible device has a standard normal multiple of each.

    Args:
        most: largest deviation of their sum.
    """

    modes: Annotated[list[Table], Meta(min_length=1)]
    most: Table


class IntervalCell(Cell, kw_only=True):
    """A table of `pmtwin.sim.device.intervals`."""

    half_width: Table


class Residual(Struct):
    """Corrections inside the data; an operation may lack one.

    Args:
        deviations: those of a sampled device, inside and outside the data (`pmtwin.sim.device.sampling`).
    """

    operations: dict[str, list[ResidualCell]]
    deviations: dict[str, list[ResidualCell]] = {}


class IntervalEntry(Struct):
    """Half-widths of one operation."""

    mechanism_half_width: NotNegative
    half_width_per_octave: NotNegative | None
    cells: list[IntervalCell]


class Sessions(Struct):
    """Variation between the sessions of one campaign, and their number."""

    log_half_width: NotNegative
    groups: Annotated[int, Meta(ge=1)]


class Intervals(Struct):
    """Half-widths of each operation and, if the data determine them, of latencies and sessions."""

    operations: dict[str, IntervalEntry]
    latency: dict[str, dict[str, NotNegative]] = {}
    sessions: dict[str, Sessions] = {}


class Uncertainty(Struct):
    """Deviations of the logarithms of parameters, a row for each replicate; or modes of the bandwidths."""

    parameters: list[str] = []
    deviations: list[list[Finite]] = []
    cells: list[ModesCell] = []

    def __post_init__(self) -> None:
        if not self.cells and len(self.deviations) < 2:
            raise InputError("deviations", f"{len(self.deviations)} replicates", "at least 2, or cells with modes")
        for index, name in enumerate(self.parameters):
            check_name(f"parameters[{index}]", name, LAW_PARAMETERS)
        for index, row in enumerate(self.deviations):
            if len(row) != len(self.parameters):
                raise InputError(
                    f"deviations[{index}]", f"{len(row)} numbers", f"{len(self.parameters)}, as parameters"
                )


class ProfileForm(Struct, kw_only=True):
    """The content of the file; None for a value that the data do not identify."""

    name: str
    device: str
    parameters: dict[str, dict[str, NotNegative]]
    fitted_range: dict[str, list[Box]]
    idle_latency_ns: dict[str, dict[str, NotNegative | None]]
    queue_line_ns: dict[str, NotNegative | None]
    tail: Tail
    residual: Residual | None = None
    intervals: Intervals | None = None
    effects: dict[str, dict[str, Any]] | None = None
    uncertainty: dict[str, Uncertainty] | None = None
    access_profile: dict[str, Any] | None = None
    record: dict[str, Any] = {}


class Versions(Struct):
    """Versions, which are checked first, since another version may have another form."""

    schema: Any
    law_version: Any


def check_profile(value: Any, schema_version: int, where: str) -> None:
    """Raise `InputError`, about the first fault, unless `value` has the form of a profile."""
    if isinstance(value, Mapping) and "benchmarks" in value and "parameters" not in value:
        allowed = f"a profile; pmtwin calibrate {where} -o PROFILE.json makes one from it"
        raise InputError("profile", where, allowed, wrong="is a result of pmtwin probe or another benchmark")
    if isinstance(value, Mapping) and "law_version" not in value and "parameters" not in value:
        raise InputError("profile", where, WANTED, wrong="is another kind of file")
    versions = typed("profile", value, Versions, where, within="")
    for key, expected in (("schema", schema_version), ("law_version", law.LAW_VERSION)):
        stated = getattr(versions, key)
        if isinstance(stated, bool) or stated != expected:
            raise InputError(key, stated, f"{expected}: calibrate again with this version", where)
    form = typed("profile", value, ProfileForm, where, within="")
    if not form.parameters:
        raise InputError("parameters", {}, f"parameters of {', '.join(law.OPERATIONS)}", where)
    for operation, parameters in form.parameters.items():
        check_name("operation", operation, law.OPERATIONS, where)
        _check_keys(f"parameters.{operation}", parameters, LAW_PARAMETERS, (*LAW_PARAMETERS, *NEVER_FITTED), where)
        for name, number in parameters.items():
            if number == 0.0 and name not in SWITCHES:
                raise InputError(f"parameters.{operation}.{name}", number, "a finite number above 0", where)
        for field in ("fitted_range", "idle_latency_ns", "queue_line_ns"):
            _require(field, getattr(form, field), operation, where)
    for operation, patterns in form.idle_latency_ns.items():
        _check_keys(f"idle_latency_ns.{operation}", patterns, law.PATTERNS, law.PATTERNS, where)
    _check_keys("tail", value["tail"], (), [member.name for member in fields(Tail)], where)
    _check_tables(form, value, where)
    for operation in form.uncertainty or ():
        check_name("uncertainty", operation, form.parameters, where)
    _check_modes(value.get("uncertainty") or {}, where)
    check_effects(form.effects, where)
    check_access_profile(form.access_profile, where)


def _check_tables(form: ProfileForm, value: Mapping, where: str) -> None:
    """Check the residual and the intervals: their operations, and the shapes of their tables."""
    if form.residual is not None:
        for part in ("operations", "deviations"):
            tables = value["residual"].get(part, {})
            for operation in tables:
                check_name(f"residual.{part}", operation, law.OPERATIONS, where)
            _check_grids(f"residual.{part}", tables, "log_ratio", -math.inf, where)
    if form.intervals is not None:
        for operation in form.parameters:
            _require("intervals.operations", form.intervals.operations, operation, where)
            patterns_with_cells = {cell.pattern for cell in form.intervals.operations[operation].cells}
            for pattern in sorted({box.pattern for box in form.fitted_range[operation]} - patterns_with_cells):
                field = f"intervals.operations.{operation}.cells"
                raise InputError(
                    field, f"no cell of {pattern} accesses", "cells of all patterns in fitted_range", where
                )
        cells = {f"{name}.cells": entry["cells"] for name, entry in value["intervals"]["operations"].items()}
        _check_grids("intervals.operations", cells, "half_width", 0.0, where)
        for operation, patterns in form.intervals.latency.items():
            check_name("intervals.latency", operation, form.parameters, where)
            _check_keys(f"intervals.latency.{operation}", patterns, (), law.PATTERNS, where)
        for operation in form.intervals.sessions:
            check_name("intervals.sessions", operation, form.parameters, where)


def _check_grids(field: str, tables: Mapping[str, list[dict]], key: str, low: float, where: str) -> None:
    for name, cells in tables.items():
        for index, cell in enumerate(cells):
            Grid.from_json(cell, key, f"{where}: {field}.{name}[{index}]", low)


def _check_modes(tables: Mapping[str, Mapping], where: str) -> None:
    """Check the modes: the same number in each cell of all operations, over the cell's knots."""
    cells = [(name, index, cell) for name, entry in tables.items() for index, cell in enumerate(entry.get("cells", ()))]
    count = max((len(cell["modes"]) for *_, cell in cells), default=0)
    for name, index, cell in cells:
        place = f"{where}: uncertainty.{name}.cells[{index}]"
        if len(cell["modes"]) != count:
            raise InputError("modes", f"{len(cell['modes'])} tables", f"{count}, as in other cells", place)
        for mode in cell["modes"]:
            Grid.from_json({**cell, "modes": mode}, "modes", place)
        Grid.from_json(cell, "most", place, 0.0)


def _check_keys(field: str, table: Mapping, required: Collection[str], known: Collection[str], where: str) -> None:
    for key in required:
        _require(field, table, key, where)
    for key in table:
        check_name(field, key, known, where)


def _require(field: str, table: Mapping, key: str, where: str) -> None:
    if key not in table:
        raise lacking(field, key, where)
