"""What a kept run of a validation depends on."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pmtwin.pipeline import fingerprint
from pmtwin.policies import Policy
from pmtwin.scenarios.scenario import Scenario
from pmtwin.validation.cases import Case
from pmtwin.validation.plan import MEASURED, ValidationPlan
from pmtwin.validation.search import Round

CODE = ("pmtwin.validation.windows", "pmtwin.validation.best_fixed", "pmtwin.policies")


def case_key(plan: ValidationPlan, side: str, case: Case, run: int, policy: Policy) -> str:
    """Of a case with one seed on one side; `policy` is the one that the case names."""
    files = [_digest_of(Path(name)) for name in policy.files]  # trained anew, they keep their names
    code = fingerprint.code(type(policy).__module__)  # a user's own module is edited under its old name
    what = {"case": repr(case), "policy": [code, *files], "seed": [plan.seed, run]}
    return _digest(plan, plan.scenario(side, case), side, what)


def round_key(plan: ValidationPlan, one: Round) -> str:
    """Of a round of the search for a fixed setting."""
    return _digest(plan, plan.measured, MEASURED, {"round": repr(one), "seed": plan.seed})


def _digest(plan: ValidationPlan, scenario: Scenario, side: str, what: dict) -> str:
    return fingerprint.digest(
        {
            "scenario": [scenario.spec or scenario.name, *_code(scenario), repr(scenario.options)],
            "origin": scenario.origin(),
            "warmup_windows": plan.warmup_windows,
            **what,
            "code": [fingerprint.code(name) for name in CODE],
            "native": fingerprint.native() if side == MEASURED else None,
            "versions": fingerprint.versions(),
        }
    )


def _code(scenario: Scenario) -> tuple[str, str]:
    """Of the scenario's file, and of what it imports."""
    return fingerprint.scenario(scenario), fingerprint.code(type(scenario).__module__)


def _digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
