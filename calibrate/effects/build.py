"""Fit of all effects of a profile, by its law and the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmtwin.calibrate.context import Mix, Varied
from pmtwin.calibrate.effect_files import DRAM
from pmtwin.calibrate.effects.fitting import Measured
from pmtwin.calibrate.effects.mix_rows import mix_rows
from pmtwin.calibrate.effects.registry import FITTINGS
from pmtwin.calibrate.effects.rows import bandwidth_rows
from pmtwin.calibrate.measurements import Configurations
from pmtwin.sim.files.csv_table import Table


def fit_effects(
    parameters: Mapping[str, Mapping[str, float]],
    tables: Sequence[Table],
    varied: Sequence[Varied] = (),
    plain: Configurations | None = None,
    own_mixes: Sequence[Mix] = (),
    media: str = "",
) -> dict[str, dict[str, dict]]:
    """The effects that the data identify: effect -> operation -> entry (`pmtwin.sim.device.effects`).

    Args:
        parameters: operation -> parameters of the law.
        tables: tables with effects, from `pmtwin.calibrate.effects.rows.read_effect_tables`.
        varied: accesses of the device with an effect.
        plain: the device's plain sweep, on the local node.
        own_mixes: mixes of the device.
        media: kind of the device's memory. Strides and fences of tables are of persistent memory.

    Raises:
        InputError: a cell that is no number.
    """
    rows = bandwidth_rows(() if media == DRAM else tables, varied)
    measured = Measured(rows, mix_rows(tables, media), varied, plain, tables, own_mixes, media)
    effects = {}
    for name, fitting in FITTINGS.items():
        entries = {operation: fitting.fit(operation, parameters, measured) for operation in parameters}
        effects[name] = {operation: entry for operation, entry in entries.items() if entry is not None}
    return {name: operations for name, operations in effects.items() if operations}


def left_open(phrases: Sequence[str], effects: Mapping[str, Mapping], operations: Sequence[str]) -> list[str]:
    """Values that the data do not identify, one phrase each.

    Args:
        phrases: those that the sweep without effects does not identify.
        effects: the fitted entries.
        operations: those of the profile.
    """
    closed = {FITTINGS[name].closes for name in effects}
    missing = [
        f"{name} of {operation}"
        for name, entries in effects.items()
        if FITTINGS[name].of_each_operation
        for operation in operations
        if operation not in entries
    ]
    parts = [
        f"{name} of {operation}: {', '.join(entry['not_identified'])}"
        for name, entries in effects.items()
        for operation, entry in entries.items()
        if entry["not_identified"]
    ]
    return [*(phrase for phrase in phrases if phrase not in closed), *missing, *parts]
