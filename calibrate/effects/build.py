"""Fit of all effects of a profile, by its law and the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pmtwin.calibrate.context import Mix, Varied
from pmtwin.calibrate.effect_files import DRAM
from pmtwin.calibrate.effects.fitting import Measured
from pmtwin.calibrate.effects.mix_rows import mix_rows
from pmtwin.calibrate.effects.registry import FITTINGS
from pmtwin.calibrate.effects.rows import bandwidth_rows
from pmtwin.calibrate.measurements import Configurations
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.files.csv_table import Table


def fit_effects(
    profile: Profile,
    tables: Sequence[Table],
    varied: Sequence[Varied] = (),
    plain: Configurations | None = None,
    own_mixes: Sequence[Mix] = (),
    media: str = "",
) -> dict[str, dict[str, dict]]:
    """The effects that the data identify: effect -> operation -> entry (`pmtwin.sim.device.effects`).

    Args:
        profile: the law; effects that it has do not count.
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
    effects: dict[str, dict[str, dict]] = {}
    for name, fitting in FITTINGS.items():
        so_far = replace(profile, effects=effects)
        entries = {operation: fitting.fit(operation, so_far, measured) for operation in profile.parameters}
        if fitted := {operation: entry for operation, entry in entries.items() if entry is not None}:
            effects = {**effects, name: fitted}
    return effects


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
