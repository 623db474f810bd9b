"""A whole validation: what `pmtwin validate --json` prints."""

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
    """Run the plan; what `pmtwin validate --json` prints.

    Args:
        side: how the real system is run.
        keep, learnt: as of `run_plan`.
        transfer: a policy against the best fixed setting, as well; its own cases are in the plan.
        searching: for that setting.
        record: what the configuration says besides: `parameters`, `warnings`, ...; what `side` measured replaces it.

    Returns:
        `schema_version`, `scenario`, `passed` and the other numbers of `criteria.key_figures`, `verdict`, the fields
        of `comparison.compare`, `transfer` (of `transfer.transferred`, if it was asked for), `configuration`.
    """
    told: dict[str, Any] = dict(record or {})
    fixed, best = [], {}
    if transfer is not None and searching is not None:
        best = best_fixed(plan, side, transfer, searching, keep)
        fixed = [case for case in dict.fromkeys(transfer.fixed_cases(best)) if case not in plan.cases]
        plan = replace(plan, cases=(*plan.cases, *fixed))
    apart = {*transfer.policy_cases(), *fixed} if transfer else set()
    runs, plan, new = run_plan(plan, side, keep, learnt, apart)
    warnings = list(dict.fromkeys([*side.warnings, *told.get("warnings", ()), *new.get("warnings", ())]))
    told |= new | {"warnings": warnings}
    compared = compare(plan, runs, apart)
    if transfer is not None:
        compared["transfer"] = transferred(transfer, best, plan, runs)
    decided = verdict(compared, tolerances, warnings)
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario": plan.predicted.name,
        "passed": decided["passed"],
        **key_figures(tolerances.scenario, compared, tolerances.values),
        "verdict": decided,
        **compared,
        "configuration": configuration(plan, side) | told,
    }


def configuration(plan: ValidationPlan, side: MeasuredSide) -> dict:
    """What makes the runs repeatable."""
    return {
        "version": __version__,
        "cases": len(plan.cases),
        "seeds": plan.seeds,
        "seed": plan.seed,
        "warmup_windows": plan.warmup_windows,
        **side.record(plan.predicted),
        "host": machine.host_context(),
    }
