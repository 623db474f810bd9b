"""The page: headline, statements, figures, assumptions, configuration."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pmtwin import __version__
from pmtwin.pipeline.files import Section
from pmtwin.pipeline.runner import Done
from pmtwin.pipeline.step import Setting
from pmtwin.report import configuration
from pmtwin.report.css import CSS
from pmtwin.report.html import paragraph, section, text
from pmtwin.report.sections import figure_sections, statements_html
from pmtwin.scenarios.nvm_middleware.figures.campaign import FULL
from pmtwin.scenarios.nvm_middleware.figures.experiments.validation import TITLE as VALIDATION
from pmtwin.scenarios.nvm_middleware.figures.plots.sensitivity import reversed_orders
from pmtwin.scenarios.nvm_middleware.figures.report.headline import cards_html, sentences
from pmtwin.scenarios.nvm_middleware.figures.report.validation import ENTRY, section_html
from pmtwin.sim.files import write_atomically

FILE = "report.html"
TITLE = "A calibrated twin of a persistent-memory middleware"


def write_report(
    folder: Path, setting: Setting, done: dict[str, Done], sections: list[Section], host: dict, policy_file: str
) -> Path:
    """Write `report.html`, atomically.

    Raises:
        InputError: if it cannot be written.
    """
    page = render(setting, done, sections, host, policy_file)
    return write_atomically(folder / FILE, lambda file: file.write(page), field="-o")


def render(setting: Setting, done: dict[str, Done], sections: list[Section], host: dict, policy_file: str) -> str:
    """The whole page as HTML."""
    results = {name: one.values for name, one in done.items()}
    statements = [statement for one in sections for statement in one.statements]
    full = setting.campaign is FULL
    options = (" --full" if full else "") + (f" --seed {setting.seed}" if setting.seed else "")
    figures = [one for one in sections if one.entry is not ENTRY]
    validated = [
        (ENTRY.name, VALIDATION, section_html(results[ENTRY.name], one, options))
        for one in sections
        if one.entry is ENTRY
    ]
    parts = [
        ("results", "What came out", _results(results, statements)),
        ("statements", "Stated, and so in the twin?", _statements(statements)),
        *figure_sections(figures, options),
        *validated,
        ("assumed", "Assumed parameters", _assumed(results)),
        ("run", "How this was run", _run(setting, done, results, host, policy_file)),
    ]
    links = " ".join(f'<a href="#{identifier}">{text(title)}</a>' for identifier, title, _ in parts)
    body = "".join(html for _, _, html in parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>pmtwin: {text(TITLE)}</title><style>{CSS}</style></head>"
        f'<body><div class="page">{_header(setting)}<nav>{links}</nav>{body}{_footer(host)}</div></body></html>\n'
    )


def _header(setting: Setting) -> str:
    return (
        f'<header><h1>{text(TITLE)}</h1><div class="soft">pmtwin {__version__} · seed {setting.seed} '
        f'<span class="badge">{text(setting.campaign.name)} campaign</span></div></header>'
    )


def _results(results: dict, statements: list) -> str:
    return section("results", "What came out", sentences(results, statements), cards_html(results))


def _statements(statements: list) -> str:
    intro = paragraph(
        "Each published statement that survives, targets of this project, and what the twin shows. Intervals are 95 % "
        "over seeds. A mark is given where the statement can be true or false; the rules are in the figures' code."
    )
    return section("statements", "Stated, and so in the twin?", intro, statements_html(statements))


def _assumed(results: dict) -> str:
    changed = reversed_orders(results["sensitivity"])
    return section("assumed", "Assumed parameters", configuration.assumed_html(changed))


def _run(setting: Setting, done: dict[str, Done], results: dict, host: dict, policy_file: str) -> str:
    return section(
        "run",
        "How this was run",
        "<h3>Campaign</h3>",
        configuration.reduction_html(setting),
        "<h3>Left out on this machine</h3>",
        configuration.left_out_html(setting, results),
        "<h3>Again</h3>",
        configuration.commands_html(setting, policy_file),
        "<h3>Steps</h3>",
        configuration.steps_html(done),
        "<h3>Engines</h3>",
        _agreement(results["agreement"]),
        "<h3>Configuration</h3>",
        configuration.reward_html(),
        configuration.host_html(host),
    )


def _agreement(values: dict) -> str:
    requests = sum(case["requests"] for case in values["cases"])
    return paragraph(
        f"SimPy and compiled engine gave the same latency for each of {requests:,} requests in {len(values['cases'])} "
        "cases, bit for bit, pools resized on the way."
    )


def _footer(host: dict) -> str:
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f'<footer class="soft">Made {made} by pmtwin {__version__} on {text(host["cpu"]["model"])}.</footer>'
