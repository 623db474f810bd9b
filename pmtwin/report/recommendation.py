"""The page of `pmtwin recommend --report`: the setting, the plateau around it, and conditions that would change it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pmtwin import __version__
from pmtwin.evaluation.recommendation import (
    CHANGES,
    IN_PART,
    alternative_rows,
    alternatives_header,
    change_notes,
    change_rows,
    has_picture,
    headline,
    notes,
    plateau_share,
    summary_rows,
    visible_numbers,
)
from pmtwin.figures.page.markup import paragraph, section, table
from pmtwin.figures.plots.attainment import matrix
from pmtwin.pipeline.declared import Part
from pmtwin.report.written import write_page
from pmtwin.scenarios.scenario import Scenario

FILES = ("plateau.*",)
"""Files beside the page."""


def write_recommendation(
    result: Mapping, scenario: Scenario, context: int | str, folder: Path, facts: Mapping[str, object]
) -> Path:
    """Write `index.html` and its drawing into the folder; returns the path of the page.

    Args:
        result: the output of `pmtwin recommend --json`.
        scenario, context: scenario and context of the search.
        folder: folder of the page.
        facts: conditions of the search, for the head of the page.

    Raises:
        InputError: if the folder cannot be written.
    """
    names, noun = scenario.settings.names, scenario.settings.noun
    drawings = {"plateau": _plateau(result, names)} if has_picture(result, names) else {}

    def parts(figures: dict) -> list[Part]:
        answer = section(
            "answer", "Answer", paragraph(headline(result, noun), "lead"), *figures.values(),
            table(("", ""), summary_rows(result)),
            *(paragraph(note, "note") for note in notes(result, scenario, context)),
        )  # fmt: skip
        changes = tuple(text.format(noun=noun) for text in CHANGES)
        tables = ((alternatives_header(noun), alternative_rows(result)), (changes, change_rows(result)))
        shown = [table(header, rows) for header, rows in tables if rows]
        shown += [paragraph(note, "note") for note in change_notes(result, noun)]
        others = [Part("others", f"Other {noun}", section("others", f"Other {noun}", *shown))] if shown else []
        return [Part("answer", "Answer", answer), *others]

    about = f"{result['scenario']}, {result['workload']} · pmtwin {__version__}"
    return write_page(folder, f"Recommended {noun}", about, drawings, parts, "recommend", facts)


def _plateau(result: Mapping, names: tuple[str, ...]):
    share = plateau_share(result)
    rows, columns = visible_numbers(result)
    values = np.array([[share.get((row, column), np.nan) for column in columns] for row in rows])
    marked = {tuple(setting): "\u00b7" for setting in result["ties"]} | {tuple(result["setting"]): "\u00d7"}
    return matrix("plateau", rows, columns, values, marked, (names[0], names[1]), IN_PART)
