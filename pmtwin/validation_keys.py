"""What a kept run of a validation depends on."""

from __future__ import annotations

import os

from pmtwin.pipeline import fingerprint
from scenarios.validation import Case, ValidationPlan
from scenarios.validation.best_setting import Round
from scenarios.validation.runs import MEASURED, PREDICTED

ROOMS = {PREDICTED: ("sim", "scenarios", "policies"), MEASURED: ("sim", "scenarios", "policies", "middleware")}
"""The code that a kept run depends on."""


def case_key(plan: ValidationPlan, side: str, case: Case, run: int) -> str:
    """Of a case with one seed on one side."""
    return _digest(plan, side, {"case": repr(case), "policy": _file_digest(case.policy), "seed": [plan.seed, run]})


def round_key(plan: ValidationPlan, one: Round) -> str:
    """Of a round of the search for fixed pools."""
    return _digest(plan, MEASURED, {"round": repr(one), "seed": plan.seed})


def _digest(plan: ValidationPlan, side: str, what: dict) -> str:
    settings = {**plan.settings, **(plan.predicted if side == PREDICTED else plan.measured)}
    return fingerprint.digest(
        {
            "settings": {name: repr(value) for name, value in sorted(settings.items())},
            "warmup_windows": plan.warmup_windows,
            **what,
            "code": {room: fingerprint.code(room) for room in ROOMS[side]},
            "versions": fingerprint.versions(),
        }
    )


def _file_digest(spec: str) -> str | None:
    """Of the file that a spec names, which may have been trained anew under its old name."""
    name = spec.partition(":")[2]
    data = fingerprint.data(os.getcwd(), (name,)) if name else {}
    return data.get(name)
