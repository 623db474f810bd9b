"""The HTML page of the fit report."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from pathlib import Path

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.report.markup import STYLE, figure, folded, table, three
from pmtwin.calibrate.report.misses import largest_misses
from pmtwin.calibrate.report.summary import cards, where_not_to_trust
from pmtwin.calibrate.report.trust import POOR_PERCENT
from pmtwin.sim.errors import InputError
from pmtwin.sim.files import write_atomically

PAGE = "index.html"


def prepare_folder(folder: str | os.PathLike) -> Path:
    """The folder of a report, made if need be; `InputError` if it cannot be. Call it before the fit."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("--report", str(folder), f"a folder that can be made ({error.strerror})") from error
    if not os.access(folder, os.W_OK):
        raise InputError("--report", str(folder), "a writable folder")
    return folder


def write_report(calibration: Calibration, folder: str | os.PathLike) -> Path:
    """Write the page and its plots into `folder`; returns the path of the page."""
    from pmtwin.calibrate.report.plots import write_plots

    folder = prepare_folder(folder)
    plots = write_plots(calibration, folder) if calibration.profile.intervals else []
    text = _page(calibration, plots)
    return write_atomically(folder / PAGE, lambda file: file.write(text), field="--report")


def _page(calibration: Calibration, plots: Iterable[tuple[str, str]]) -> str:
    profile, record = calibration.profile, calibration.profile.record
    figures = {name: figure(name, caption) for name, caption in plots}
    trust_map = figures.pop("trust.png", "")
    sections = (
        ("Where not to trust it", where_not_to_trust(calibration, trust_map)),
        ("How far to trust it", _errors(record)),
        ("Strides, fences, far node, mixes, latency under load", _effects(profile.effects, record)),
        ("Predictions and measurements", "".join(figures.values())),
        ("Largest misses", _misses(calibration)),
        ("Parameters", _parameters(record)),
        ("What was measured", _data(calibration)),
        ("Where latencies and the tail come from", _published(record)),
    )
    body = "".join(f"<h2>{title}</h2>{content}" for title, content in sections if content)
    title = html.escape(f"Fit report: {profile.name}")
    versions = ", ".join(f"{name} {value}" for name, value in record["versions"].items())
    about = f"Device: {profile.device}. Seed {record['seed']}, {record['bootstrap']} bootstrap replicates; {versions}."
    command = f"<p><code>{html.escape(record['command'])}</code></p>" if record["command"] else ""
    return (
        f'<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}</style><h1>{title}</h1><p class=about>{html.escape(about)}</p>"
        f"{cards(calibration)}{body}{command}</html>\n"
    )


def _errors(record: dict) -> str:
    rows = []
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
                f"{coverage['configurations']:.1%}" if coverage else "",
                f"{errors['median_half_width']['configurations']:.2f} %" if coverage else "",
            )
        )
    noise = three(record["noise_floor_percent"])
    judged = record["errors_percent_all"] is not None
    rows += [("noise floor", "", "" if judged else noise, noise if judged else "", *[""] * 5)] if noise else []
    header = ("operation", "configurations", "own data, mechanism alone", "unseen configurations", "mechanism alone")
    header += ("unseen thread counts", "mechanism alone", "inside the 90 % interval", "median half-width")
    kept = [k for k in range(len(header)) if any(str(row[k]) for row in rows)]
    intro = (
        "<p>Absolute error of total bandwidth in %, median / mean / 90th percentile. Unseen: kept aside in "
        "cross-validation. Noise floor: measurements of one configuration around their own median"
        + ("" if noise else "; nothing was measured twice, so that it is not known")
        + ".</p>"
    )
    mixes = record.get("mixes")
    told = f"<p>{mixes['points']} measured mixes: {three(mixes['error_percent'])} %.</p>" if mixes else ""
    shown = table([header[k] for k in kept], [[row[k] for k in kept] for row in rows])
    return intro + shown + told + folded("Errors by access size and threads", _regions(record))


def _effects(effects: dict | None, record: dict) -> str:
    from pmtwin.calibrate.report.effects import HEADER, LOAD_HEADER, effect_rows, load_rows

    rows, loads = effect_rows(effects), load_rows(record)
    intro = (
        "<p>Bandwidth over the plain one: median, and range of 90 % of the configurations; 1 is no effect. Errors "
        "below and from 4096 B on for strides. Parameters have 90 % intervals; (?): the data does not identify it.</p>"
    )
    of_effects = intro + table(HEADER, rows, text=True) if rows else ""
    return of_effects + (table(LOAD_HEADER, loads, text=True) if loads else "")


def _regions(record: dict) -> str:
    rows, marks = [], []
    for operation, errors in record["errors_percent"].items():
        for region in errors.get("by_region", ()):
            error = region["predict"]
            rows.append((operation, region["access_size"], region["threads"], region["configurations"], three(error)))
            marks.append(error[2] > POOR_PERCENT)
    if not rows:
        return ""
    header = ("operation", "access size", "threads", "configurations", "error of unseen configurations (%)")
    intro = f"<p>Marked where one configuration in ten misses by more than {POOR_PERCENT:g} %.</p>"
    return intro + table(header, rows, marks)


def _misses(calibration: Calibration) -> str:
    misses = largest_misses(calibration)
    if not misses:
        return ""
    intro = "<p>Configurations kept aside with the largest errors; of one replicate, it may itself be off.</p>"
    header = [name.replace("_", " ") for name in misses[0]]
    return intro + table(header, [tuple(miss.values()) for miss in misses])


def _data(calibration: Calibration) -> str:
    record = calibration.profile.record
    sources = table(("file", "format", "rows", "usable", "SHA-256"), [
        (source["name"], source["reader"], source["rows"], source["usable"], source["sha256"][:16] + "...")
        for source in record["sources"]
    ])  # fmt: skip
    dropped = table(("dropped because", "rows"), record["dropped_rows"].items()) if record["dropped_rows"] else ""
    return f"{sources}{dropped}<p>{record['configurations']} configurations in all.</p>"


def _parameters(record: dict) -> str:
    operations = list(record["parameters"])
    names = list(record["parameters"][operations[0]])
    rows = []
    for name in names:
        entries = [record["parameters"][operation][name] for operation in operations]
        rows.append((name, entries[0]["unit"], *(_parameter(entry) for entry in entries)))
    intro = (
        "<p>Value and 90 % interval. In brackets: not fitted, either a constant, or the neutral value of an effect "
        "that the operation does not have (and what goes with it). (?): the data does not identify it.</p>"
    )
    return intro + table(("parameter", "unit", *operations), rows)


def _parameter(entry: dict) -> str:
    text = f"{entry['value']:.4g}"
    if entry["status"] == "fixed":
        return f"({text})"
    if entry["status"] == "not identified":
        return f"{text} (?)"
    if "interval_90" in entry:
        low, high = entry["interval_90"]
        text += f" [{low:.4g}, {high:.4g}]"
    return text


def _published(record: dict) -> str:
    rows = [(name, entry["origin"], entry["source"]) for name, entry in record["published"].items()]
    return table(("value", "origin", "source"), rows, text=True)
