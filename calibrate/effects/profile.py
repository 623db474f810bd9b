"""A profile with its effects, and the record of how far they are to be trusted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from calibrate.effects.build import fit_effects, left_open
from calibrate.effects.mix_rows import load_rows, mix_rows
from calibrate.effects.mixes import score_loaded_latency, score_mixes, with_predicted_widths
from calibrate.effects.rows import read_effect_tables
from sim.device import Profile


def with_effects(profile: Profile, paths: Sequence[str | os.PathLike], media: str) -> Profile:
    """The profile with the effects that the files identify, and in its record the errors of mixes.

    Adds to the record `effects` (the files), `errors_percent_mixes` and `errors_percent_latency_under_load`
    (`calibrate.effects.mixes`).

    Args:
        media: kind of memory, as `calibrate.context.Context` names it.

    Raises:
        InputError: a file that cannot be read.
    """
    tables = read_effect_tables(paths)
    found = fit_effects(profile.parameters, paths)
    rows = mix_rows(tables)
    profile = with_predicted_widths(replace(profile, effects=found), rows)
    record = {
        **profile.record,
        "not_identified": left_open(profile.record["not_identified"], found, list(profile.parameters)),
        "effects": [Path(path).name for path in paths],
        "errors_percent_mixes": score_mixes(profile, rows),
        "errors_percent_latency_under_load": score_loaded_latency(profile, load_rows(tables, media)),
    }
    return replace(profile, record=record)
