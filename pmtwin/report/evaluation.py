"""The page of `pmtwin evaluate --report`: ranking, attainment over time, regret, differences."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin import __version__
from pmtwin.console.output import informative
from pmtwin.evaluation.leaderboard import all_alike, alone, leaderboard_notes, leaderboard_table, measures_table, ranked
from pmtwin.evaluation.tables import (
    ROBUSTNESS,
    difference_table,
    differences,
    pair_table,
    reward_differences,
    robustness_note,
    robustness_rows,
    system_notes,
)
from pmtwin.figures.drawing.rendered import Drawing, Table
from pmtwin.figures.page.markup import Markup, joined, paragraph, section, table
from pmtwin.figures.plots.attainment import bars, ends_of, over_time, regret, whole
from pmtwin.pipeline.declared import Part
from pmtwin.report.written import write_page
from pmtwin.scenarios.comparison.evaluation import Evaluation
from pmtwin.scenarios.comparison.score import ATTAINMENT, Score, score_of
from pmtwin.scenarios.scenario import Scenario

FILES = ("ranking.*", "time.*", "regret.*", "curve.*")
"""Files beside the page."""

NEITHER = (None, None)
"""Ends of a missing interval."""


def write_evaluation(evaluation: Evaluation, result: dict, folder: Path, facts: Mapping[str, object]) -> Path:
    """Write `index.html` and its drawings into the folder; returns the path of the page.

    Args:
        evaluation: the evaluation.
        result: its summary by `pmtwin.scenarios.comparison.summary.summarise`.
        scenario: scenario of the evaluation.
        folder: folder of the page.
        facts: conditions of the evaluation, for the head of the page.

    Raises:
        InputError: if the folder cannot be written.
    """
    scenario = evaluation.plan.scenario
    score, order = score_of(scenario), [row["policy"] for row in result["leaderboard"]]
    values = {spec: np.array([score.of_run(run) for run in evaluation.runs[spec]]) for spec in order}
    means = {spec: result["policies"][spec]["overall"][score.name] for spec in order}
    drawings = {
        "ranking": replace(ranking(means, result, score), data=_data(result, scenario)),
        "time": over_time("time", values, score),
    }
    if not alone(result):
        drawings["regret"] = regret("regret", values, result["yardsticks"]["reference"], score)
    pictures = _pictures(result, scenario)
    drawings |= {each.name: each for each in pictures.values()}
    over = f"{score.name.capitalize()} over time"

    def parts(figures: dict) -> list[Part]:
        tables = (leaderboard_table(result, scenario), measures_table(result, scenario))
        rows = joined(_table(*each) for each in tables if each[0])
        return [
            Part(
                "ranking", "Ranking", section("ranking", "Ranking", figures["ranking"], rows, _notes(result, scenario))
            ),
            *(
                Part(each.name, title, section(each.name, title, figures[each.name]))
                for title, each in pictures.items()
            ),
            Part("time", "Over time", section("time", over, figures["time"])),
            *([] if alone(result) else [Part("regret", "Regret", section("regret", "Regret", figures["regret"]))]),
            *_robustness(result, scenario),
            *([] if alone(result) else [Part("differences", "Differences", _differences(result, scenario))]),
        ]

    about = (
        f"{scenario.name}, {evaluation.plan.seeds:,} runs of {evaluation.plan.steps:,} windows · pmtwin {__version__}"
    )
    return write_page(folder, "Policies compared", about, drawings, parts, "evaluate", facts)


def _pictures(result: dict, scenario: Scenario) -> Mapping[str, Drawing]:
    """Title -> drawing, from the scenario's pictures."""
    return importlib.import_module(scenario.pictures).drawings(result, scenario) if scenario.pictures else {}


def ranking(means: Mapping[str, Mapping[str, Any]], result: dict, score: Score = ATTAINMENT) -> Drawing:
    """Bars of the mean scores; the text names no winner if others tie with the first."""
    drawing, (first, *others) = bars("ranking", means, score, str), means
    if not others:
        return replace(drawing, alt=f"{score.name.capitalize()} of {first}: {whole(means[first]['mean'], score)}.")
    level = [spec for spec in others if first in result["yardsticks"]["policies"][spec]["level"]]
    if not level:
        return drawing
    highest = whole(means[first]["mean"], score)
    names = ", ".join((first, *level))
    return replace(drawing, alt=f"The highest {score.name} is {highest}; without a clear difference: {names}.")


def _data(result: dict, scenario: Scenario) -> Table:
    """Table of score, reward and measures of each policy, with the ends of their intervals."""
    names = dict.fromkeys((score_of(scenario).name, "reward", *(measure.name for measure in scenario.compared)))
    header = ("policy", *(column for name in names for column in (name, f"{name}_low", f"{name}_high")))
    rows = []
    for spec, overall in ranked(result):
        alike = result["policies"][spec]["alike"]
        cells = ((overall[name]["mean"], *((not alike and ends_of(overall[name])) or NEITHER)) for name in names)
        rows.append((spec, *chain.from_iterable(cells)))
    return Table("ranking", "Means over runs, with their intervals.", header, rows)


def _notes(result: dict, scenario: Scenario) -> str:
    notes = (*leaderboard_notes(result, scenario), *system_notes(result, scenario))
    return joined(paragraph(note, "note") for note in notes)


def _robustness(result: dict, scenario: Scenario) -> list[Part]:
    rows, title = robustness_rows(result, scenario), "Middle half and worst tenth"
    if not rows:
        return []
    note = paragraph(f"{robustness_note(result, scenario)}.", "note")
    return [Part("robustness", title, section("robustness", title, _table(*informative(rows, ROBUSTNESS)), note))]


def _differences(result: dict, scenario: Scenario) -> str:
    rewards, header = pair_table(result, scenario)
    intervals = "" if all_alike(result) else f" Intervals: {result['interval']}."
    pairs = (paragraph(f"{reward_differences(result)}{intervals}", "note"), table(header, rewards)) if rewards else ()
    return section(
        "differences",
        "Differences",
        paragraph(differences(result, scenario), "note"),
        _table(*difference_table(result, scenario)),
        *pairs,
    )


def _table(rows: list[tuple], header: tuple[str, ...]) -> Markup:
    return table(header, rows)
