"""A whole validation, as the document that `pmtwin validate --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pmtwin import __version__
from pmtwin.machine import machine
from pmtwin.validation.best_fixed import best_fixed
from pmtwin.validation.comparison import compare
from pmtwin.validation.criteria import key_figures
from pmtwin.validation.measured import MeasuredSide
from pmtwin.validation.plan import ValidationPlan
from pmtwin.validation.running import run_plan
from pmtwin.validation.search import SettingSearch
from pmtwin.validation.tolerances import Tolerances
from pmtwin.validation.transfer import Transfer, transferred
from pmtwin.validation.verdict import verdict

SCHEMA_VERSION = 2


def validated(
    plan: ValidationPlan,
    side: MeasuredSide,
    tolerances: Tolerances,
    keep: Path | None = None,
    transfer: Transfer | None = None,
    searching: SettingSearch | None = None,
    learnt: Path | None = None,
    record: Mapping[str, object] | None = None,
) -> dict:
    """Run the plan; returns the document that `pmtwin validate --json` prints.

    Args:
        side: how the real system is run.
        keep, learnt: see `run_plan`.
        transfer: compares a policy with the best fixed setting; the plan has the policy's cases already.
        searching: the search for the best fixed setting.
        record: further entries of `configuration`, such as `parameters` and `warnings`; entries from `side` replace
            them.

    Returns:
        `schema_version`, `scenario`, `passed` and the other numbers of `criteria.key_figures`, `verdict`, the fields
        of `comparison.compare`, `transfer` (see `transfer.transferred`; only with a transfer), `configuration`.
    """
    context: dict[str, Any] = dict(record or {})
    fixed, best = [], {}
    if transfer is not None and searching is not None:
        best = best_fixed(plan, side, transfer, searching, keep)
        fixed = [case for case in dict.fromkeys(transfer.fixed_cases(best)) if case not in plan.cases]
        plan = replace(plan, cases=(*plan.cases, *fixed))
    transfer_cases = {*transfer.policy_cases(), *fixed} if transfer else set()
    runs, plan, outcome = run_plan(plan, side, keep, learnt, transfer_cases)
    warnings = list(dict.fromkeys([*side.warnings, *context.get("warnings", ()), *outcome.get("warnings", ())]))
    context |= outcome | {"warnings": warnings}
    compared = compare(plan, runs, transfer_cases)
    if transfer is not None:
        compared["transfer"] = transferred(transfer, best, plan, runs)
    decided = verdict(compared, tolerances, warnings, side.criteria(compared))
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario": plan.predicted.name,
        "passed": decided["passed"],
        **key_figures(tolerances.scenario, compared, tolerances.values),
        "verdict": decided,
        **compared,
        "configuration": configuration(plan, side) | context,
    }


def configuration(plan: ValidationPlan, side: MeasuredSide) -> dict:
    """Versions, seeds, options and host: everything that is needed to repeat the runs."""
    return {
        "version": __version__,
        "cases": len(plan.cases),
        "seeds": plan.seeds,
        "seed": plan.seed,
        "warmup_windows": plan.warmup_windows,
        **side.record(plan.predicted),
        "host": machine.host_context(),
    }
