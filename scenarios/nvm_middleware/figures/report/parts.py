"""The parts of the report: headline, statements, figures, assumptions, configuration."""

from __future__ import annotations

from markupsafe import Markup

from pmtwin.figures.page.markup import group, paragraph, section
from pmtwin.pipeline.declared import Finished, Part
from pmtwin.pipeline.files import Section
from pmtwin.pipeline.runner import Done
from pmtwin.pipeline.step import Setting
from pmtwin.report.configuration import host_html, steps_html
from pmtwin.report.sections import drawing_html, figure_sections, statements_html
from pmtwin.scenarios.nvm_middleware.campaign import FULL
from pmtwin.scenarios.nvm_middleware.figures.entries import OVERVIEW
from pmtwin.scenarios.nvm_middleware.figures.plots.screening import influence
from pmtwin.scenarios.nvm_middleware.figures.report import configuration
from pmtwin.scenarios.nvm_middleware.figures.report.headline import cards_html, sentences
from pmtwin.scenarios.nvm_middleware.validation.report import ENTRY, section_html
from pmtwin.scenarios.nvm_middleware.validation.report import TITLE as VALIDATION

STATEMENTS = "Published statements, and the twin"


def parts(
    setting: Setting, done: dict[str, Done], sections: list[Section], host: dict, finished: Finished
) -> list[Part]:
    """The report, from top to bottom."""
    results = {name: step.values for name, step in done.items()}
    statements = [statement for part in sections for statement in part.statements]
    options = (" --full" if setting.campaign is FULL else "") + (f" --seed {setting.seed}" if setting.seed else "")
    overview = next(made for made in sections if made.entry is OVERVIEW)
    figures = [made for made in sections if made.entry not in (ENTRY, OVERVIEW)]
    validated = [
        Part(ENTRY.name, VALIDATION, section_html(results[ENTRY.name], part, options))
        for part in sections
        if part.entry is ENTRY
    ]
    return [
        Part("results", "What came out", _results(results, statements, overview)),
        Part("statements", STATEMENTS, _statements(statements)),
        *figure_sections(figures, options),
        *validated,
        Part("assumed", "Inferred and assumed parameters", _assumed(results)),
        Part("run", "How this was run", _run(setting, done, results, host, finished.files["policy"].name)),
    ]


def _results(results: dict, statements: list, overview: Section) -> str:
    pictures = group("pictures", (drawing_html(shown, shown.alt) for shown in overview.drawings))
    return section("results", "What came out", pictures, sentences(results, statements), cards_html(results))


def _statements(statements: list) -> str:
    intro = paragraph(
        "Each published statement that survives, targets of this project, and what the twin shows. Intervals are 95 % "
        "over seeds. A mark is given where the statement can be true or false; the rules are in the figures' code."
    )
    return section("statements", STATEMENTS, intro, statements_html(statements))


def _assumed(results: dict) -> str:
    effect = influence(results["screening"])
    return section("assumed", "Inferred and assumed parameters", configuration.assumed_html(effect))


def _run(setting: Setting, done: dict[str, Done], results: dict, host: dict, policy_file: str) -> str:
    return section(
        "run",
        "How this was run",
        _heading("Campaign"),
        configuration.reduction_html(setting),
        _heading("Left out on this machine"),
        configuration.left_out_html(setting, results),
        _heading("Again"),
        configuration.commands_html(setting, policy_file),
        _heading("Steps"),
        steps_html(done),
        _heading("Engines"),
        _agreement(results["agreement"]),
        _heading("Configuration"),
        configuration.reward_html(),
        host_html(host),
    )


def _heading(text: str) -> Markup:
    return Markup("<h3>{}</h3>").format(text)


def _agreement(values: dict) -> str:
    requests = sum(case["requests"] for case in values["cases"])
    return paragraph(
        f"SimPy and compiled engine gave the same latency for each of {requests:,} requests in {len(values['cases'])} "
        "cases, bit for bit, pools resized on the way."
    )
