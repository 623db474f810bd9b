"""Writes the numbers of docs/thesis.md from a run: `python -m MODULE results docs/thesis.md`, MODULE this one.

Nothing between the two marks of the page is written by hand.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import SAMPLES
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.writing import write_text

BEGIN, END = "<!-- begin: written from the results of pmtwin run -->", "<!-- end -->"

MARKS = {True: "holds", False: "**not so**", None: ""}

TABLES = (
    ("fixed-pools-published", "Tables D.4 to D.7: reward quartiles of fixed pools in each phase"),
    ("table-e1", "Table E.1: p99 latency of interactive requests per step (us)"),
    ("table-e2", "Table E.2: throughput per step (operations/s)"),
    ("table-e3", "Table E.3: reward per step"),
    ("learned-pools", "Figures D.1 to D.4: pools that the agent settles on"),
    ("table-d3", "Table D.3: parameters of Q-learning"),
)


def block(results: Path) -> str:
    """The part between the marks, from `run.json` and the CSV files of a results folder.

    Raises:
        InputError: if the folder holds no finished run.
    """
    try:
        record = json.loads((results / "run.json").read_text(encoding="utf-8"))
        tables = [(title, _read(results / "figures" / f"{name}.csv")) for name, title in TABLES]
    except (OSError, ValueError) as error:
        raise InputError("results", str(results), f"a folder that pmtwin run has finished ({error})") from error
    campaign = record["campaign"]
    parts = [
        f"From `{command(record)}` (the {campaign['name']} campaign; intervals are 95 % over seeds).",
        _markdown(
            ("stated", "place", "in the twin", "", "difference", "sample"), map(_statement, record["statements"])
        ),
    ]
    for title, (header, rows) in tables:
        parts += [f"**{title}**", _markdown(header, rows)]
    return "\n\n".join(parts)


def command(record: dict) -> str:
    """The command that makes the results."""
    full = " --full" if record["campaign"]["name"] == "full" else ""
    return f"pmtwin run{full} --seed {record['seed']}"


def rewrite(page: Path, results: Path) -> None:
    """Replace the text between the marks.

    Raises:
        InputError: if the page has no marks, or the results are not there.
    """
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise InputError("page", str(page), f"a page with one {BEGIN} and one {END}")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    content = f"{before}{BEGIN}\n\n{block(results)}\n\n{END}{after}"
    write_text(page, content, "page")


def _statement(statement: dict) -> tuple[str, ...]:
    sample = SAMPLES[statement["used"]]
    return (
        statement["published"],
        statement["source"],
        statement["computed"],
        MARKS[statement["holds"]],
        statement["difference"],
        sample,
    )


def _read(path: Path) -> tuple[Sequence[str], list[list[str]]]:
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, [[_cell(value) for value in row] for row in rows]


def _cell(text: str) -> str:
    """Numbers with four significant digits; everything else unchanged."""
    try:
        value = float(text)
    except ValueError:
        return text
    return text if text.isdigit() and len(text) < 4 else number(value, 4)


def _markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main(arguments: list[str]) -> int:
    """`RESULTS PAGE`; returns the exit code."""
    try:
        results, page = map(Path, arguments)
        rewrite(page, results)
    except ValueError as error:
        print(f"usage: python -m {__spec__.name} RESULTS PAGE ({error})", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
