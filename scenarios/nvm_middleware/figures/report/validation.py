"""The page of `pmtwin validate --report`, and the same as a section of the report of `pmtwin run`."""

from __future__ import annotations

from pathlib import Path

from pmtwin import __version__
from pmtwin.figures.registry import Entry
from pmtwin.pipeline.files import Section, make
from pmtwin.report.css import CSS
from pmtwin.report.html import items, paragraph, section, text
from pmtwin.report.sections import entry_html
from pmtwin.scenarios.nvm_middleware.figures.experiments.validation import TITLE
from pmtwin.sim.files import write_atomically

PAGE = "index.html"

ENTRY = Entry(
    "validation",
    "The middleware beside the twin",
    "this machine",
    ("validation",),
    "pmtwin.scenarios.nvm_middleware.figures.plots.validation:render",
)


def verdict_html(result: dict) -> str:
    """The verdict, what it is about, its reasons and warnings."""
    verdict = result["verdict"]
    why, scope = verdict["headline"].removeprefix(verdict["name"]), verdict["scope"]
    parts = [
        paragraph(f"<b>{text(verdict['name'])}</b>{text(why)}. {text(scope[0].upper() + scope[1:])}.", "lead"),
        items(text(reason) for reason in verdict["reasons"]),
    ]
    if verdict["warnings"]:
        parts.append(f'<div class="misses"><b>Take care</b>{items(map(text, verdict["warnings"]))}</div>')
    return "".join(parts)


def section_html(result: dict, made: Section, full: str) -> str:
    """The section of the report: verdict, how it was reached, plot and tables.

    Args:
        made: the figures and tables of `result`.
        full: what `pmtwin run` was told besides (` --full --seed 3`).
    """
    used = result["configuration"]
    intro = (
        "The twin's predictions beside the real middleware (C++, its own queues, pools and threads), which ran here on "
        "an emulated device: pools of section 4.2 under its workload, and in each phase the fixed pools that the twin "
        f"calls best. {result['windows']} windows of the middleware, {used['seeds']} seeds, the same requests on both "
        "sides. The twin's numbers are the same in every bit from run to run; the middleware's threads are real, and "
        "nothing promises that for them."
    )
    return section(
        ENTRY.name, TITLE, verdict_html(result), paragraph(text(intro)), entry_html(made, f"pmtwin run{full}")
    )


def write_page(result: dict, folder: Path, command: str) -> Path:
    """Write the page with its figures and tables into `folder`; returns the path of the page.

    Raises:
        InputError: if the folder cannot be made or written.
    """
    made = make(ENTRY, {"validation": result}, folder)
    title = "The twin beside the middleware"
    body = section("verdict", "Verdict", verdict_html(result)) + section(
        "errors", "Errors", entry_html(made, command, "")
    )
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>pmtwin: {text(title)}</title><style>{CSS}</style></head>"
        f'<body><div class="page"><header><h1>{text(title)}</h1>'
        f'<div class="soft">pmtwin {__version__}</div></header>{body}</div></body></html>\n'
    )
    return write_atomically(folder / PAGE, lambda file: file.write(page), field="--report")
