"""Keys of kept runs: everything that the result of a run depends on."""

from __future__ import annotations

from pmtwin.pipeline import fingerprint
from pmtwin.scenarios.scenario import Scenario
from pmtwin.validation.cases import Case
from pmtwin.validation.plan import MEASURED, ValidationPlan
from pmtwin.validation.search import Round

CODE = ("pmtwin.validation.windows", "pmtwin.validation.best_fixed", "pmtwin.policies")


def case_key(plan: ValidationPlan, side: str, case: Case, run: int) -> str:
    """Key of a run of a case on one side; includes digests of policy files, whose names survive retraining."""
    scenario = plan.scenario(side, case)
    what = {"case": repr(case), "policy": fingerprint.policies([case.policy], scenario), "seed": [plan.seed, run]}
    return _digest(plan, scenario, side, what)


def round_key(plan: ValidationPlan, search_round: Round) -> str:
    """Key of a round of the search for a fixed setting."""
    return _digest(plan, plan.measured, MEASURED, {"round": repr(search_round), "seed": plan.seed})


def _digest(plan: ValidationPlan, scenario: Scenario, side: str, what: dict) -> str:
    return fingerprint.digest(
        {
            "scenario": [scenario.spec or scenario.name, fingerprint.scenario(scenario), repr(scenario.options)],
            "origin": scenario.origin(),
            "warmup_windows": plan.warmup_windows,
            **what,
            "code": [fingerprint.code(name, type(scenario).named_modules(measured=True)) for name in CODE],
            "native": fingerprint.native() if side == MEASURED else None,
            "versions": fingerprint.versions(),
        }
    )
