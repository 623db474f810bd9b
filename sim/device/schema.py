"""What a profile's file must hold: checked before anything is computed from it."""

from __future__ import annotations

import math
from dataclasses import MISSING, fields

from pmtwin.sim.access_profile import check_access_profile
from pmtwin.sim.device import law
from pmtwin.sim.device.effects import check_effects
from pmtwin.sim.device.grid import AXES, Grid
from pmtwin.sim.device.parameters import LAW_PARAMETERS, MEDIA_LINE
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.errors import InputError, unknown_name

_REQUIRED = ("schema", "name", "device", "law_version", "parameters", "fitted_range", "idle_latency_ns")
_REQUIRED += ("queue_line_ns", "tail")
_BOX_INTERVALS = ("access_size_bytes", "threads", "power_w")


def check_profile(value: object, schema_version: int, where: str) -> None:
    """Raise `InputError` unless `value` has the form of a profile; names the first thing that is wrong."""
    _check_keys("profile", value, _REQUIRED, where)
    for key, expected in (("schema", schema_version), ("law_version", law.LAW_VERSION)):
        if value[key] != expected:
            raise InputError(key, value[key], f"{expected}: calibrate again with this version", where)
    if not isinstance(value["parameters"], dict) or not value["parameters"]:
        raise InputError("parameters", value["parameters"], f"parameters of {', '.join(law.OPERATIONS)}", where)
    for operation, parameters in value["parameters"].items():
        if operation not in law.OPERATIONS:
            raise unknown_name("operation", operation, law.OPERATIONS, where)
        _check_parameters(operation, parameters, where)
        _check_latencies(operation, value, where)
        _check_boxes(operation, value["fitted_range"], where)
    _check_tail(value["tail"], where)
    if value.get("residual") is not None:
        _check_residual(value["residual"], where)
    if value.get("intervals") is not None:
        _check_intervals(value["intervals"], tuple(value["parameters"]), where)
    check_effects(value.get("effects"), where)
    check_access_profile(value.get("access_profile"), where)


def _check_keys(field: str, value: object, required: tuple[str, ...], where: str) -> None:
    if not isinstance(value, dict):
        with_them = f" with {', '.join(required)}" if required else ""
        raise InputError(field, type(value).__name__, f"an object{with_them}", where)
    for key in required:
        if key not in value:
            raise InputError(field, f"an object without {key}", f"an object with {key!r} in it", where)


def _object(field: str, value: object, where: str) -> dict:
    _check_keys(field, value, (), where)
    return value


def _check_list(field: str, value: object, where: str) -> None:
    if not isinstance(value, list):
        raise InputError(field, value, "a list", where)


def _check_number(field: str, value: object, low: float, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < low:
        raise InputError(field, value, f"a finite number of at least {low:g}", where)


def _check_parameters(operation: str, parameters: object, where: str) -> None:
    _check_keys(f"parameters.{operation}", parameters, tuple(LAW_PARAMETERS), where)
    for name, number in parameters.items():
        if name not in LAW_PARAMETERS and name != MEDIA_LINE:
            raise unknown_name(f"parameters.{operation}", name, LAW_PARAMETERS, where)
        _check_number(f"parameters.{operation}.{name}", number, 0.0, where)


def _check_latencies(operation: str, value: dict, where: str) -> None:
    _check_keys("idle_latency_ns", value["idle_latency_ns"], (operation,), where)
    _check_keys(f"idle_latency_ns.{operation}", value["idle_latency_ns"][operation], law.PATTERNS, where)
    for pattern, latency in value["idle_latency_ns"][operation].items():
        _check_identified(f"idle_latency_ns.{operation}.{pattern}", latency, where)
    _check_keys("queue_line_ns", value["queue_line_ns"], (operation,), where)
    _check_identified(f"queue_line_ns.{operation}", value["queue_line_ns"][operation], where)


def _check_identified(field: str, value: object, where: str) -> None:
    """A number, or null for what the data did not identify."""
    if value is not None:
        _check_number(field, value, 0.0, where)


def _check_boxes(operation: str, ranges: object, where: str) -> None:
    _check_keys("fitted_range", ranges, (operation,), where)
    _check_list(f"fitted_range.{operation}", ranges[operation], where)
    for box in ranges[operation]:
        _check_keys(f"fitted_range.{operation}", box, ("pattern", "dimms", *_BOX_INTERVALS), where)
        for name in _BOX_INTERVALS:
            if not isinstance(box[name], list) or len(box[name]) != 2:
                raise InputError(f"fitted_range.{operation}.{name}", box[name], "[low, high]", where)


def _check_tail(tail: object, where: str) -> None:
    names = tuple(field.name for field in fields(Tail))
    required = tuple(field.name for field in fields(Tail) if field.default is MISSING)
    _check_keys("tail", tail, required, where)
    for name, number in tail.items():
        if name not in names:
            raise unknown_name("tail", name, names, where)
        _check_number(f"tail.{name}", number, 0.0, where)


def _check_residual(residual: object, where: str) -> None:
    """The tables of `pmtwin.sim.device.residual`; an operation may lack one."""
    _check_keys("residual", residual, ("operations",), where)
    _check_keys("residual.operations", residual["operations"], (), where)
    for operation, cells in residual["operations"].items():
        field = f"residual.operations.{operation}"
        if operation not in law.OPERATIONS:
            raise unknown_name("residual.operations", operation, law.OPERATIONS, where)
        _check_cells(field, cells, "log_ratio", -math.inf, where)


def _check_intervals(intervals: object, operations: tuple[str, ...], where: str) -> None:
    """The tables of `pmtwin.sim.device.intervals`, for each of the profile's operations."""
    _check_keys("intervals", intervals, ("operations",), where)
    _check_keys("intervals.operations", intervals["operations"], operations, where)
    for operation in operations:
        field, entry = f"intervals.operations.{operation}", intervals["operations"][operation]
        _check_keys(field, entry, ("mechanism_half_width", "half_width_per_octave", "cells"), where)
        _check_number(f"{field}.mechanism_half_width", entry["mechanism_half_width"], 0.0, where)
        _check_identified(f"{field}.half_width_per_octave", entry["half_width_per_octave"], where)
        _check_cells(f"{field}.cells", entry["cells"], "half_width", 0.0, where)
    for operation, patterns in _object("intervals.latency", intervals.get("latency", {}), where).items():
        field = f"intervals.latency.{operation}"
        if operation not in operations:
            raise unknown_name("intervals.latency", operation, operations, where)
        for pattern, half in _object(field, patterns, where).items():
            if pattern not in law.PATTERNS:
                raise unknown_name(field, pattern, law.PATTERNS, where)
            _check_number(f"{field}.{pattern}", half, 0.0, where)


def _check_cells(field: str, cells: object, table: str, low: float, where: str) -> None:
    _check_list(field, cells, where)
    for index, cell in enumerate(cells):
        at = f"{field}[{index}]"
        _check_keys(at, cell, ("pattern", "dimms", *AXES, table), where)
        if cell["pattern"] not in law.PATTERNS:
            raise unknown_name(f"{at}.pattern", cell["pattern"], law.PATTERNS, where)
        _check_number(f"{at}.dimms", cell["dimms"], 1.0, where)
        Grid.from_json(cell, table, f"{where}: {at}", low)
