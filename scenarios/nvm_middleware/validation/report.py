"""The page of `pmtwin validate --report`, and the same as a section of the report of `pmtwin run`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup

from pmtwin import __version__
from pmtwin.console.command_line import typed_command
from pmtwin.figures.page.generator import PAGE, generator
from pmtwin.figures.page.markup import group, items, joined, page, paragraph, section
from pmtwin.figures.registry import Entry
from pmtwin.pipeline.declared import Part
from pmtwin.pipeline.files import Section, make
from pmtwin.report.sections import entry_html
from pmtwin.sim.files.writing import write_text

TITLE = "Validation on this machine"

ENTRY = Entry(
    "validation",
    "The middleware beside the twin",
    "this machine",
    ("validation",),
    "pmtwin.scenarios.nvm_middleware.validation.plots:render",
    TITLE,
)


def verdict_html(result: dict) -> Markup:
    """The verdict, its subject, its reasons and warnings."""
    verdict = result["verdict"]
    why, scope = verdict["headline"].removeprefix(verdict["name"]), verdict["scope"]
    lead = Markup("<b>{}</b>{}. {}.").format(verdict["name"], why, scope[0].upper() + scope[1:])
    parts = [paragraph(lead, "lead"), items(verdict["reasons"])]
    if verdict["warnings"]:
        parts.append(group("misses", (Markup("<b>Warnings</b>"), items(verdict["warnings"]))))
    return joined(parts)


def section_html(result: dict, made: Section, full: str) -> Markup:
    """The section of the report: verdict, how it was reached, plot and tables.

    Args:
        made: the figures and tables of `result`.
        full: further arguments of `pmtwin run` (` --full --seed 3`).
    """
    used = result["configuration"]
    intro = (
        "The twin's predictions beside the real middleware (C++, its own queues, pools and threads), which ran here on "
        "an emulated device: pools of section 4.2 under its workload, and in each phase the fixed pools that the twin "
        f"calls best. {result['windows']} windows of the middleware, {used['seeds']} seeds, the same requests on both "
        "sides. The twin's numbers are the same in every bit from run to run; the middleware's threads are real, and "
        "nothing promises that for them."
    )
    return section(ENTRY.name, TITLE, verdict_html(result), paragraph(intro), entry_html(made, f"pmtwin run{full}"))


def write_page(result: dict, folder: Path, facts: Mapping[str, str]) -> Path:
    """Write the page with its figures and tables into `folder`; returns the path of the page.

    Args:
        facts: what each side ran on.

    Raises:
        InputError: if the folder cannot be made or written.
    """
    made = make(ENTRY, {"validation": result}, folder)
    title = "The twin beside the middleware"
    parts = [
        Part("verdict", "Verdict", section("verdict", "Verdict", verdict_html(result))),
        Part("errors", "Errors", section("errors", "Errors", entry_html(made, "pmtwin validate", ""))),
    ]
    about, command = f"pmtwin {__version__}", typed_command()
    text = page(title, about, parts, generator=generator("validate"), facts=facts, command=command)
    return write_text(folder / PAGE, text, "--report")
