"""The HTML page of the fit report."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from calibrate.build import Calibration
from calibrate.report.misses import largest_misses
from sim.errors import InputError
from sim.files import write_atomically

PAGE = "index.html"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } th, td { padding: .2em .8em; text-align: right }
th { border-bottom: 2px solid #888 } td:first-child, th:first-child { text-align: left }
tr:nth-child(even) { background: #f4f4f4 } .poor { background: #fbdcc8 } img { max-width: 100% }
code { background: #f4f4f4 }
"""

POOR_PERCENT = 5.0
"""A region whose 90th percentile of error is above this is marked."""

WORST_SHOWN = 6


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
    from calibrate.report.plots import write_plots

    folder = prepare_folder(folder)
    plots = write_plots(calibration, folder) if calibration.profile.intervals else []
    text = _page(calibration, plots)
    return write_atomically(folder / PAGE, lambda file: file.write(text), field="--report")


def _page(calibration: Calibration, plots: Iterable[tuple[str, str]]) -> str:
    profile, record = calibration.profile, calibration.profile.record
    figures = {name: _figure(name, html.escape(caption)) for name, caption in plots}
    trust_map = figures.pop("trust.png", "")
    sections = (
        ("Where not to trust it", _trust(calibration) + trust_map),
        ("How far to trust it", _errors(record)),
        ("Strides, fences, far node, mixes, latency under load", _effects(profile.effects, record)),
        ("Plots", "".join(figures.values())),
        ("Largest misses", _misses(calibration)),
        ("All regions", _folded(_regions(record))),
        ("What was measured", _data(calibration)),
        ("What the data does not tell", _not_identified(record)),
        ("Parameters", _parameters(record)),
        ("From publications", _published(record)),
    )
    body = "".join(f"<h2>{title}</h2>{content}" for title, content in sections if content)
    title = html.escape(f"Calibration of {profile.name}")
    versions = ", ".join(f"{name} {value}" for name, value in record["versions"].items())
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
        f"<h1>{title}</h1><p>{html.escape(profile.device)}. Seed {record['seed']}, {record['bootstrap']} bootstrap "
        f"replicates; {html.escape(versions)}.</p>{body}</html>\n"
    )


def _figure(name: str, caption: str) -> str:
    return f'<figure><img src="{name}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'


def _table(header: Sequence[str], rows: Iterable[Sequence[object]], marked: Iterable[bool] = ()) -> str:
    marks = list(marked)
    lines = ["<table><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in header) + "</tr>"]
    for number, row in enumerate(rows):
        mark = " class=poor" if number < len(marks) and marks[number] else ""
        lines.append(f"<tr{mark}>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


def _three(values: Sequence[float] | None) -> str:
    return " / ".join(f"{value:.2f}" for value in values) if values else ""


def _errors(record: dict) -> str:
    rows = []
    for operation, table in record["errors_percent"].items():
        unseen, threads = table.get("unseen_configurations", {}), table.get("unseen_thread_counts", {})
        coverage = table.get("coverage_90", {})
        rows.append(
            (
                operation,
                table["fit"]["configurations"],
                _three(unseen.get("predict")),
                _three(unseen.get("mechanism")),
                _three(threads.get("predict")),
                _three(threads.get("mechanism")),
                f"{coverage['configurations']:.1%}" if coverage else "",
                f"{table['median_half_width']['configurations']} %" if coverage else "",
            )
        )
    header = ("operation", "configurations", "unseen configurations", "mechanism alone", "unseen thread counts")
    header += ("mechanism alone", "inside the 90 % interval", "median half-width")
    noise = _three(record["noise_floor_percent"]) or "unknown: nothing was measured twice"
    return (
        "<p>Absolute error of total bandwidth in %, median / mean / 90th percentile, on data kept aside. "
        f"Noise floor (replicates around their own median): {noise}.</p>" + _table(header, rows)
    )


def _trust(calibration: Calibration) -> str:
    from calibrate.report.trust import regions, verdict

    sentence, poor = verdict(regions(calibration))
    shown = "".join(f"<li>{html.escape(name)}</li>" for name in poor[:WORST_SHOWN])
    more = f"<p>and {len(poor) - WORST_SHOWN} more, bold in the map.</p>" if len(poor) > WORST_SHOWN else ""
    return f"<p><b>{html.escape(sentence)}</b></p><ul>{shown}</ul>{more}"


def _effects(effects: dict | None, record: dict) -> str:
    from calibrate.report.effects import HEADER, LOAD_HEADER, effect_rows, load_rows

    rows, loads = effect_rows(effects), load_rows(record)
    intro = "<p>Errors below and from 4096 B on for strides. (?): the data does not identify it.</p>"
    return (intro + _table(HEADER, rows) if rows else "") + (_table(LOAD_HEADER, loads) if loads else "")


def _folded(content: str) -> str:
    return f"<details><summary>Table</summary>{content}</details>" if content else ""


def _regions(record: dict) -> str:
    rows, marks = [], []
    for operation, table in record["errors_percent"].items():
        for region in table.get("by_region", ()):
            error = region["predict"]
            rows.append((operation, region["access_size"], region["threads"], region["configurations"], _three(error)))
            marks.append(error[2] > POOR_PERCENT)
    if not rows:
        return ""
    header = ("operation", "access size", "threads", "configurations", "error of unseen configurations (%)")
    intro = f"<p>Marked where one configuration in ten misses by more than {POOR_PERCENT:g} %.</p>"
    return intro + _table(header, rows, marks)


def _misses(calibration: Calibration) -> str:
    misses = largest_misses(calibration)
    return _table(list(misses[0]), [tuple(miss.values()) for miss in misses]) if misses else ""


def _data(calibration: Calibration) -> str:
    record = calibration.profile.record
    sources = _table(("file", "format", "rows", "usable", "SHA-256"), [
        (source["name"], source["reader"], source["rows"], source["usable"], source["sha256"])
        for source in record["sources"]
    ])  # fmt: skip
    dropped = _table(("dropped because", "rows"), record["dropped_rows"].items()) if record["dropped_rows"] else ""
    left_out = "".join(
        f"<p>{html.escape(operation)}: only {count} configurations, not fitted.</p>"
        for operation, count in calibration.left_out.items()
    )
    return f"{sources}{dropped}<p>{record['configurations']} configurations in all.</p>{left_out}"


def _not_identified(record: dict) -> str:
    lines = "".join(f"<li>{html.escape(what)}</li>" for what in record["not_identified"])
    notes = "".join(f"<p>{html.escape(note)}.</p>" for note in record["notes"])
    return f"<ul>{lines}</ul>{notes}" if lines or notes else ""


def _parameters(record: dict) -> str:
    operations = list(record["parameters"])
    names = list(record["parameters"][operations[0]])
    rows = []
    for name in names:
        entries = [record["parameters"][operation][name] for operation in operations]
        rows.append((name, entries[0]["unit"], *(_parameter(entry) for entry in entries)))
    intro = "<p>Value and 90 % interval. (fixed): the effect is switched off. (?): the data does not identify it.</p>"
    return intro + _table(("parameter", "unit", *operations), rows)


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
    return _table(("value", "origin", "source"), rows)
