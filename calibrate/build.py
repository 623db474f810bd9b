"""Calibration of a device: from measurements to a profile with all operations, and its record."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from pmtwin import __version__
from pmtwin.calibrate.calibration import OperationCalibration, calibrate_operation
from pmtwin.calibrate.conformal import OutsideInterval
from pmtwin.calibrate.disturbed import kept_text
from pmtwin.calibrate.effects import Evidence, read_evidence, tells, with_effects
from pmtwin.calibrate.error_tables import error_table, errors_of_all
from pmtwin.calibrate.identification import not_identified, weak_parameters
from pmtwin.calibrate.latencies import DeviceLatencies, device_latencies
from pmtwin.calibrate.measurements import Configurations, Context, Measurements, group, noise_percent
from pmtwin.calibrate.mixes import mix_errors
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.ranges import fitted_boxes
from pmtwin.calibrate.sessions import session_widths
from pmtwin.calibrate.specification import DEFAULT_BOOTSTRAP, FIXED, MIN_CONFIGURATIONS
from pmtwin.sim.common.processes import processes
from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.device.parameters import LAW_PARAMETERS, NEVER_FITTED
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table


@dataclass(frozen=True)
class Calibration:
    """A profile with its data and fits, for the report."""

    profile: Profile
    measurements: Measurements
    configurations: Configurations
    noise: np.ndarray
    operations: dict[str, OperationCalibration]
    left_out: dict[str, int]
    evidence: Evidence = field(default_factory=Evidence)


def plan(configurations: Configurations, dropped: Mapping[str, int] | None = None) -> tuple[list[str], dict[str, int]]:
    """(operations with enough configurations for a fit, operation -> number of configurations for the others).

    Args:
        dropped: reason -> unusable rows, for the error.

    Raises:
        InputError: no operation has enough.
    """
    counts = {name: int(np.sum(configurations.operation == name)) for name in OPERATIONS}
    fitted = [name for name, count in counts.items() if count >= MIN_CONFIGURATIONS]
    if not fitted:
        usable = ", ".join(f"{count} of {name}" for name, count in counts.items() if count) or 0
        reasons = "".join(
            f"; {rows:,} row{'s' * (rows > 1)} dropped: {reason}" for reason, rows in sorted((dropped or {}).items())
        )
        needed = f"at least {MIN_CONFIGURATIONS} of one operation, or fewer with --prior family"
        raise InputError("usable configurations", usable, f"{needed}{reasons}", wrong="are too few")
    return fitted, {name: count for name, count in counts.items() if 0 < count < MIN_CONFIGURATIONS}


def calibrate(
    measurements: Measurements,
    name: str,
    device: str,
    seed: int = 0,
    bootstrap: int = DEFAULT_BOOTSTRAP,
    jobs: int = 1,
    progress: Callable = iter,
    like: Profile | None = None,
    command: str | None = None,
    effects: Sequence[Table] = (),
) -> Calibration:
    """Calibrate a device.

    Args:
        name, device: of the profile.
        seed: seed of the folds and the bootstrap; the same seed gives the same profile.
        bootstrap: replicates for the intervals; 0: no residual and no intervals.
        jobs: processes that fit operations in parallel; the result does not depend on it.
        progress: wraps the sequence of fitted operations (tqdm).
        like: a profile that supplies the latencies and the tail that the files lack.
        command: command that reproduces the profile, for its record.
        effects: further tables with strides, fences, the remote node and mixes (`pmtwin.calibrate.effects`); a table
            that is also among the measurements counts once, and a note names those that tell nothing of its memory.

    Raises:
        InputError: too few usable configurations, or a cell of `effects` that is no number.
    """
    media = measurements.context.media
    useful: list[Table] = []
    useless: list[Table] = []
    for table in effects:
        (useful if tells(table, media) else useless).append(table)
    tables = _all_tables(measurements, useful)
    evidence = read_evidence(tables, media)  # before the long fit, to report a bad cell at once
    configurations, index = group(measurements)
    fitted, left_out = plan(configurations, measurements.dropped)
    results = _fits(fitted, configurations, measurements.context, bootstrap, seed, jobs)
    operations = dict(zip(fitted, progress(results), strict=True))
    noise = noise_percent(measurements, configurations, index)
    further_line_ns = {name: each.fit.parameters["further_line_ns"] for name, each in operations.items()}
    latencies = device_latencies(fitted, measurements.context, further_line_ns, like)
    record = _record(measurements, configurations, noise, operations, latencies, left_out)
    record["notes"] += _useless_text(useless, media)
    record |= {"seed": seed, "bootstrap": bootstrap, "command": command, "versions": versions()}
    widths = session_widths(measurements, index, fitted)
    profile = _profile(name, device, operations, latencies, record, widths, bootstrap > 0)
    varied, mixes = measurements.context.varied, measurements.context.mixes
    if tables or varied or mixes:
        profile = with_effects(profile, tables, evidence, varied, configurations, mixes)
    profile.record["mixes"] = mix_errors(profile, mixes)
    return Calibration(profile, measurements, configurations, noise, operations, left_out, evidence)


def _all_tables(measurements: Measurements, effects: Sequence[Table]) -> list[Table]:
    """The tables of the measurements, and those of `effects` with other content."""
    measured = measurements.context.effect_tables
    return [*measured, *(table for table in effects if not any(table.holds_the_same(member) for member in measured))]


def _useless_text(tables: Sequence[Table], media: str) -> list[str]:
    if not tables:
        return []
    memory = media or "memory of a kind that no file states (--media KIND does)"
    names = ", ".join(Path(table.where).name for table in tables)
    return [f"warning: --effects: {names} not used: nothing there is about effects in {memory}"]


def _fits(
    fitted: Sequence[str], configurations: Configurations, context: Context, bootstrap: int, seed: int, jobs: int
) -> Iterator[OperationCalibration]:
    """The calibration of each operation, in the order of `fitted`, as soon as it is ready."""
    seeds = np.random.SeedSequence(seed).spawn(len(OPERATIONS))
    work = [
        joblib.delayed(calibrate_operation)(
            operation,
            configurations.take(configurations.operation == operation),
            bootstrap,
            seeds[OPERATIONS.index(operation)],
            context.media,
            context.prefetchers,
        )
        for operation in fitted
    ]
    return processes(jobs if bootstrap else 1, "generator")(work)


def _profile(
    name: str,
    device: str,
    operations: dict[str, OperationCalibration],
    latencies: DeviceLatencies,
    record: dict,
    sessions: dict[str, dict],
    with_residual: bool,
) -> Profile:
    residual = intervals = None
    if with_residual:
        residual = {
            "form": "exp(r) on the law inside the data; r from a Gaussian process, tabulated",
            "operations": {operation: each.residual_cells for operation, each in operations.items()},
        }
        intervals = {
            "coverage": 0.9,
            "operations": {
                operation: _interval_entry(each, each.outside)
                for operation, each in operations.items()
                if each.outside is not None
            },
            "sessions": sessions,
        }
    return Profile(
        name=name,
        device=device,
        parameters={operation: each.fit.parameters for operation, each in operations.items()},
        fitted_range={operation: fitted_boxes(each.configurations) for operation, each in operations.items()},
        idle_latency_ns=latencies.idle_ns,
        queue_line_ns=latencies.queue_line_ns,
        tail=latencies.tail,
        residual=residual,
        intervals=intervals,
        uncertainty=_uncertainty(operations) if with_residual else None,
        record=record,
    )


def _uncertainty(operations: dict[str, OperationCalibration]) -> dict:
    """The section `uncertainty` of the profile, for `pmtwin.sim.device.sampling.sample_profiles`."""
    return {
        operation: {"parameters": each.fit.free, "deviations": np.round(each.deviations, 5).tolist()}
        for operation, each in operations.items()
        if each.deviations is not None
    }


def _interval_entry(each: OperationCalibration, outside: OutsideInterval) -> dict:
    return {
        "mechanism_half_width": round(outside.half_width, 4),
        "half_width_per_octave": round(outside.half_width_per_octave, 4) if outside.is_measured else None,
        "cells": each.interval_cells,
    }


def _record(
    measurements: Measurements,
    configurations: Configurations,
    noise: np.ndarray,
    operations: dict[str, OperationCalibration],
    latencies: DeviceLatencies,
    left_out: dict[str, int],
) -> dict:
    context = measurements.context
    return {
        "sources": [vars(source) for source in measurements.sources],
        "usable_rows": len(measurements),
        "dropped_rows": dict(sorted(measurements.dropped.items())),
        "configurations": len(configurations),
        "noise_floor_percent": ape(np.log1p(noise / 100.0)) if noise.size else None,
        "media": context.media or "not stated",
        **({"dimms_assumed": True} if context.dimms_assumed else {}),
        "notes": [*filter(None, [kept_text(measurements)]), *context.notes],
        "too_few_configurations": left_out,
        "not_identified": not_identified(configurations, list(operations), context, latencies.sources),
        "parameters": {operation: _parameter_table(operation, each) for operation, each in operations.items()},
        "errors_percent": {operation: error_table(each) for operation, each in operations.items()},
        "errors_percent_all": errors_of_all(operations),
        "published": latencies.sources,
    }


def _parameter_table(operation: str, each: OperationCalibration) -> dict:
    open_ones = {*each.fit.on_bound(), *weak_parameters(each.fit, each.configurations)}
    table = {}
    for name, parameter in LAW_PARAMETERS.items():
        status = "fixed" if name not in each.fit.free else "not identified" if name in open_ones else "fitted"
        value = each.fit.parameters[name]
        entry: dict[str, Any] = {"value": value, "unit": parameter.unit, "status": status}
        if name in each.parameter_intervals:
            entry["interval_90"] = list(each.parameter_intervals[name])
        elif name not in FIXED[operation] and status == "fixed":
            entry["status"] = "not identified"  # the data do not vary the column on which it depends
        table[name] = entry
    for name, unit in NEVER_FITTED.items():
        if name in each.fit.parameters:
            table[name] = {"value": each.fit.parameters[name], "unit": unit, "status": "fixed"}
    return table


def versions() -> dict[str, str]:
    """Versions of Python, pmtwin and the packages that made a profile."""
    packages = ("numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), "pmtwin": __version__} | {name: version(name) for name in packages}
