"""A profile with its effects, and their errors in its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pmtwin.calibrate.context import Mix, Varied
from pmtwin.calibrate.effect_files import DRAM, FIGURE_17
from pmtwin.calibrate.effects.build import fit_effects, left_open
from pmtwin.calibrate.effects.mix_rows import LoadRow, MixRow, load_rows, mix_rows
from pmtwin.calibrate.effects.mixes import score_loaded_latency, score_mixes, with_latency_width, with_predicted_widths
from pmtwin.calibrate.effects.remote_dram import tells_of_dram
from pmtwin.calibrate.effects.rows import bandwidth_rows
from pmtwin.calibrate.effects.tail import FITTED, MEAN_NS, TailRow, fit_tail, score_tail, tail_rows
from pmtwin.calibrate.measurements import Configurations
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.files.csv_table import Table


@dataclass(frozen=True)
class Evidence:
    """Measured mixes, latencies under load and percentiles of single writes, for errors and for the report."""

    mixes: Sequence[MixRow] = ()
    loads: Sequence[LoadRow] = ()
    tail: Sequence[TailRow] = ()


def read_evidence(tables: Sequence[Table], media: str) -> Evidence:
    """Evidence in the tables.

    Args:
        media: kind of memory, as in `pmtwin.calibrate.context.Context`; only "pmem" has a tail.

    Raises:
        InputError: a cell that is no number.
    """
    return Evidence(mix_rows(tables, media), load_rows(tables, media), tail_rows(tables) if media == "pmem" else [])


def tells(table: Table, media: str) -> bool:
    """Whether a table has rows with effects, or rows to judge them by, of this kind of memory.

    Raises:
        InputError: a cell that is no number.
    """
    evidence = read_evidence((table,), media)
    if evidence.mixes or evidence.loads or evidence.tail:
        return True
    if media == DRAM:
        return tells_of_dram(table)
    return set(table.header) >= FIGURE_17 or len(bandwidth_rows((table,))) > 0


def with_effects(
    profile: Profile,
    tables: Sequence[Table],
    evidence: Evidence,
    varied: Sequence[Varied] = (),
    plain: Configurations | None = None,
    own_mixes: Sequence[Mix] = (),
) -> Profile:
    """The profile with the effects that the data identify (`fit_effects`), and with the tail if it was measured.

    Adds to the record `effects` (the files), `errors_percent_mixes` and `errors_percent_latency_under_load`
    (`pmtwin.calibrate.effects.mixes`), `errors_percent_tail` (`pmtwin.calibrate.effects.tail`). Changes its
    `not_identified` and, with a measured tail, its `published`.

    Raises:
        InputError: a cell that is no number.
    """
    fitted = fit_effects(profile, tables, varied, plain, own_mixes, profile.record["media"])
    profile = with_predicted_widths(replace(profile, effects=fitted), evidence.mixes)
    profile = with_latency_width(profile, evidence.loads)
    record = {
        **profile.record,
        "not_identified": left_open(profile.record["not_identified"], fitted, list(profile.parameters)),
        "effects": [Path(table.where).name for table in tables],
        "errors_percent_mixes": score_mixes(profile, evidence.mixes),
        "errors_percent_latency_under_load": score_loaded_latency(profile, evidence.loads),
        "errors_percent_tail": score_tail(profile.tail, evidence.tail),
    }
    if record["errors_percent_tail"]:
        text = f"fitted to percentiles at {len(evidence.tail)} sizes of the hot spot, mean of a write {MEAN_NS:g} ns"
        measured = {f"tail.{name}": {"origin": "measured", "source": text} for name in FITTED}
        record["published"] = {**record["published"], **measured}
        profile = replace(profile, tail=fit_tail(profile.tail, evidence.tail))
    return replace(profile, record=record)
