"""Hold the twin against the real system: same policies, contexts, seeds and windows on both; one verdict."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pmtwin.config.record import plan_table, run_record
from pmtwin.console.output import about, message, print_json, print_table, print_text
from pmtwin.console.overwrite_guard import check_report
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.errors import MissingDependencyError
from pmtwin.sim.files.writing import check_folder, make_folder
from pmtwin.validation.options import ValidationConfig

if TYPE_CHECKING:
    from pmtwin.validation.planning import Planned

Config = ValidationConfig

PAGE_COLUMNS = ("source",)
"""Columns of sentences, which the page and `--json` show and the terminal does not."""


def run(config: ValidationConfig) -> int:
    """Run both sides, print the comparison; returns 0, or 1 if it does not pass.

    Raises:
        InputError: for a value that is not accepted.
        MissingDependencyError: if the real system is not built.
    """
    from pmtwin.validation.checks import require_built
    from pmtwin.validation.document import validated
    from pmtwin.validation.planning import planned

    if config.report:
        check_report(config.report, config.command, config.force, config.side.report_files)
    prepared = planned(config)
    tolerances = config.chosen_tolerances()
    for name in ("keep", "learnt"):
        if getattr(config, name):
            check_folder(getattr(config, name), f"--{name}")
    if config.dry_run:
        return _show_plan(config, prepared)
    require_built(prepared.plan)
    _warn(config)
    for name in ("keep", "learnt"):  # windows and policies are written as they come
        if getattr(config, name):
            make_folder(getattr(config, name), f"--{name}")
    if (seconds := _expected_seconds(config, prepared)) is not None:
        message(f"the whole validation takes {about(seconds)}")
    record = run_record(config) | config.learning_record(config.scenario)
    with config.side.holding():
        result = validated(
            prepared.plan,
            config.side,
            tolerances,
            config.keep,
            prepared.transfer,
            prepared.searching,
            config.learnt,
            record,
        )
    if config.report:
        message(f"report: {config.side.write_page(result, config.report)}")
    if config.json:
        print_json(result)
    else:
        _print_tables(result, config)
    return 0 if result["verdict"]["passed"] else 1


def _warn(config: ValidationConfig) -> None:
    """Before the run, what stands beside the verdict too: the run takes minutes or hours."""
    for warning in config.side.warnings:
        message(f"warning: {warning}")


@results()
def _show_plan(config: ValidationConfig, prepared: Planned) -> int:
    from pmtwin.validation.checks import require_built
    from pmtwin.validation.document import configuration

    _warn(config)
    try:
        require_built(prepared.plan)
    except MissingDependencyError as error:
        message(f"note: the run itself is refused on this machine: {error}")
    plan, cases, seconds = prepared.plan, prepared.cases, _expected_seconds(config, prepared)
    runs, windows = plan.seeds * len(cases), plan.seeds * sum(case.windows for case in cases)
    before = runs * plan.warmup_windows
    value = {"medium": config.side.medium, "runs": runs, "windows": windows, "windows_before": before}
    if prepared.transfer:
        value["search_windows"] = prepared.searched
    value |= config.side.planned() | ({} if seconds is None else {"minutes_about": float(f"{seconds / 60:.2g}")})
    value |= configuration(plan, config.side)
    if config.json:
        print_json(value | run_record(config) | config.learning_record(config.scenario))
    else:
        value["windows"] = f"{windows:,} that count, after {value.pop('windows_before'):,} that are discarded"
        rows = plan_table(value, config.scenario, config, config.side.measured.options)
        print_table((rows | config.side.planned_words()).items())
        print("(--json: the whole configuration)")
    return 0


def _expected_seconds(config: ValidationConfig, prepared: Planned) -> float | None:
    """None where nothing tells the time of a window, or the real system is not there."""
    from pmtwin.validation.duration import expected_seconds

    with suppress(MissingDependencyError):
        return expected_seconds(prepared.plan, config.side, prepared.cases, prepared.searched)
    return None


@results()
def _print_tables(result: dict, config: ValidationConfig) -> None:
    verdict = result["verdict"]
    print_text(verdict["headline"])
    print()
    if setup := config.side.setup(result):
        print_table(setup.items())
        print()
    for table in config.side.tables(result):
        if table.rows:
            print(table.title)
            kept = [place for place, name in enumerate(table.header) if name not in PAGE_COLUMNS]
            print_table([[row[place] for place in kept] for row in table.rows], [table.header[place] for place in kept])
            if table.note:
                print_text(table.note)
            print()
    for reason in verdict["reasons"]:
        print_text(f"- {reason}", "  ")
    for warning in verdict["warnings"]:
        print_text(f"- warning: {warning}", "  ")
    print_text(f"verdict: {verdict['headline']}", "  ")
    print_text(f"scope: {verdict['scope']}", "  ")
