"""The HTML page of the fit report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.report.effects import HEADER, LOAD_HEADER, effect_rows, load_rows
from pmtwin.calibrate.report.misses import largest_misses
from pmtwin.calibrate.report.summary import cards, where_not_to_trust
from pmtwin.calibrate.report.trust import POOR_PERCENT
from pmtwin.calibrate.report.widths import RESTS_ON, half_width_text, interval_text
from pmtwin.calibrate.specification import UNNAMED
from pmtwin.figures.page.generator import PAGE, generator
from pmtwin.figures.page.markup import folded, joined, page, paragraph, section, table
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.device.effects.strides import LONG_STRIDE_BYTES, Strides
from pmtwin.sim.files.writing import make_folder, write_text

STRIDES = f"Strides have two errors: below {LONG_STRIDE_BYTES:g} B, and from {LONG_STRIDE_BYTES:g} B on. "


def write_report(calibration: Calibration, folder: str | os.PathLike, command: str = "") -> Path:
    """Write the page, which needs no other files, into `folder`; returns its path.

    Args:
        command: command line of the calibration; empty: that of the profile's record.
    """
    from pmtwin.calibrate.report.plots import drawings

    text = _page(calibration, drawings(calibration), command)
    folder = make_folder(folder, "--report")
    return write_text(folder / PAGE, text, "--report")


class _Part(NamedTuple):
    identifier: str
    title: str
    html: Markup


def _page(calibration: Calibration, drawings: Mapping[str, Markup], command: str) -> str:
    profile, record = calibration.profile, calibration.profile.record
    figures = dict(drawings)
    trust_map = figures.pop("trust", Markup())
    evidence = joined(figures.values())
    contents = {
        "Where not to trust it": joined((cards(calibration), where_not_to_trust(calibration, trust_map))),
        "Predictions and measurements": evidence,
        "How far to trust it": _errors(record),
        "Strides, fences, remote node, mixes, latency under load": _effects(profile.effects, record),
        "Tables": joined(
            (
                folded("Largest misses", _misses(calibration)),
                folded("Parameters", _parameters(record)),
                folded("What was measured", _data(calibration)),
                folded("Where latencies and the tail come from", _published(record)),
            )
        ),
    }
    parts = [
        _Part(f"part-{number}", title, section(f"part-{number}", title, content))
        for number, (title, content) in enumerate(contents.items())
        if content
    ]
    versions = ", ".join(f"{name} {value}" for name, value in record["versions"].items())
    device = "" if profile.device == UNNAMED else f"Device: {profile.device}. "
    about = f"{device}Seed {record['seed']}, {record['bootstrap']} bootstrap replicates; {versions}."
    command = command or record["command"] or ""
    return page(f"Fit report: {profile.name}", about, parts, generator=generator("calibrate"), command=command)


def three(values: Sequence[float] | None) -> str:
    """Text of the median, mean and 90th percentile; empty without values."""
    return " / ".join(f"{value:.2f}" for value in values) if values else ""


def _errors(record: dict) -> Markup:
    rows: list[tuple[str, ...]] = []
    for operation, errors in record["errors_percent"].items():
        unseen, threads = errors.get("unseen_configurations", {}), errors.get("unseen_thread_counts", {})
        coverage = errors.get("coverage_90", {})
        rows.append(
            (
                operation,
                errors["fit"]["configurations"],
                "" if unseen else three(errors["fit"]["mechanism"]),
                three(unseen.get("predict")),
                three(unseen.get("mechanism")),
                three(threads.get("predict")),
                three(threads.get("mechanism")),
                percent(coverage["configurations"]) if coverage else "",
                half_width_text(errors) if coverage else "",
            )
        )
    noise = three(record["noise_floor_percent"])
    judged = record["errors_percent_all"] is not None
    rows += [("noise floor", "", "" if judged else noise, noise if judged else "", *[""] * 5)] if noise else []
    header = (
        *("operation", "configurations", "own data, mechanism alone", "unseen configurations", "mechanism alone"),
        *("unseen thread counts", "mechanism alone", "inside the 90 % interval", "median half-width"),
    )
    filled = [k for k in range(len(header)) if any(str(row[k]) for row in rows)]
    shown_names = [header[k] for k in filled]
    intro = (
        "Absolute error of total bandwidth in %, median / mean / 90th percentile. "
        + (f"Unseen: kept aside in cross-validation. {RESTS_ON} " if "unseen configurations" in shown_names else "")
        + "Noise floor: measurements of one configuration around their own median"
        + ("" if noise else "; nothing was measured twice, so that it is not known")
        + "."
    )
    mixes = record.get("mixes")
    mixed = paragraph(f"{mixes['points']} measured mixes: {three(mixes['error_percent'])} %.") if mixes else Markup()
    shown = table(shown_names, [[row[k] for k in filled] for row in rows])
    return paragraph(intro) + shown + mixed + folded("Errors by access size and threads", _regions(record))


def _effects(effects: dict | None, record: dict) -> Markup:
    rows, loads = effect_rows(effects), load_rows(record)
    intro = (
        "Bandwidth over the plain one: median, and range of 90 % of the configurations; 1 is no effect. "
        + (STRIDES if Strides.name in (effects or {}) else "")
        + ("Parameters have 90 % intervals. " if _with_intervals(effects or {}) else "")
        + "(?): the data does not identify the parameter."
    )
    parts = paragraph(intro) + table(HEADER, rows) if rows else Markup()
    return parts + (table(LOAD_HEADER, loads) if loads else Markup())


def _with_intervals(entries: Mapping[str, Mapping[str, Mapping]]) -> bool:
    """Whether any entry of any group has an interval."""
    return any("interval_90" in entry for group in entries.values() for entry in group.values())


def _regions(record: dict) -> Markup:
    rows, marks = [], []
    for operation, errors in record["errors_percent"].items():
        for region in errors.get("by_region", ()):
            error = region["predict"]
            rows.append((operation, region["access_size"], region["threads"], region["configurations"], three(error)))
            marks.append(error[2] > POOR_PERCENT)
    if not rows:
        return Markup()
    header = ("operation", "access size", "threads", "configurations", "error of unseen configurations (%)")
    intro = f"Marked where one configuration in ten misses by more than {POOR_PERCENT:g} %."
    return paragraph(intro) + table(header, rows, marked=marks)


def _misses(calibration: Calibration) -> Markup:
    misses = largest_misses(calibration)
    if not misses:
        return Markup()
    intro = "Kept-aside configurations with the largest errors. A single replicate may itself be wrong."
    assumed = {"dimms": "dimms (assumed)"} if calibration.measurements.context.dimms_assumed else {}
    header = [assumed.get(name, name.replace("_", " ")) for name in misses[0]]
    return paragraph(intro) + table(header, [tuple(miss.values()) for miss in misses])


def _data(calibration: Calibration) -> Markup:
    record = calibration.profile.record
    sources = table(("file", "format", "rows", "usable", "SHA-256"), [
        (source["name"], source["reader"], source["rows"], source["usable"], source["sha256"][:16] + "...")
        for source in record["sources"]
    ])  # fmt: skip
    dropped = table(("dropped because", "rows"), record["dropped_rows"].items()) if record["dropped_rows"] else Markup()
    return sources + dropped + paragraph(f"{record['configurations']:,} configurations in all.")


def _parameters(record: dict) -> Markup:
    tables = record["parameters"]
    units = {name: entry["unit"] for entries in tables.values() for name, entry in entries.items()}
    rows = [
        (name, unit, *(_parameter(entries[name]) if name in entries else "" for entries in tables.values()))
        for name, unit in units.items()
    ]
    intro = (
        f"Value{' and 90 % interval' if _with_intervals(tables) else ''}. In brackets: not fitted, because it is a "
        "constant, or belongs to an effect that the operation does not have. Empty: not a parameter of the operation. "
        "(?): the data does not identify the parameter."
    )
    return paragraph(intro) + table(("parameter", "unit", *tables), rows)


def _parameter(entry: dict) -> str:
    text = f"{entry['value']:.4g}"
    if entry["status"] == "fixed":
        return f"({text})"
    if entry["status"] == "not identified":
        return f"{text} (?)"
    if "interval_90" in entry:
        low, high = entry["interval_90"]
        text += f" {interval_text(low, high, '.4g')}"
    return text


def _published(record: dict) -> Markup:
    rows = [(name, entry["origin"], entry["source"]) for name, entry in record["published"].items()]
    return table(("value", "origin", "source"), rows)
