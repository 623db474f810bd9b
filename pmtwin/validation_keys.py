"""What a kept run of a validation depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pmtwin.middleware import binding
from pmtwin.pipeline import fingerprint
from pmtwin.policies import Policy, make_policy
from pmtwin.scenarios.validation import Case, ValidationPlan
from pmtwin.scenarios.validation.best_setting import Round
from pmtwin.scenarios.validation.runs import MEASURED, PREDICTED

_TWIN = ("pmtwin.sim", "pmtwin.scenarios", "pmtwin.policies")
ROOMS = {PREDICTED: _TWIN, MEASURED: (*_TWIN, "pmtwin.middleware")}
"""The code that a kept run depends on."""


def case_key(plan: ValidationPlan, side: str, case: Case, run: int, policy: Policy) -> str:
    """Of a case with one seed on one side; `policy` is the one that the case names."""
    files = [_digest_of(Path(name)) for name in policy.files]  # trained anew, they keep their names
    return _digest(plan, side, {"case": repr(case), "policy": files, "seed": [plan.seed, run]})


def round_key(plan: ValidationPlan, one: Round) -> str:
    """Of a round of the search for fixed pools."""
    return _digest(plan, MEASURED, {"round": repr(one), "seed": plan.seed})


def host_key(plan: ValidationPlan, cells: Sequence[str], number: int) -> str:
    """Of a round of the host's measurement between the runs of a plan: beside others it is measured anew."""
    runs = [case_key(plan, MEASURED, case, plan.seeds, make_policy(case.policy)) for case in plan.cases]
    return _digest(plan, MEASURED, {"host": fingerprint.code("pmtwin.host"), "round": [number, *cells], "runs": runs})


def _digest(plan: ValidationPlan, side: str, what: dict) -> str:
    settings = {**plan.settings, **(plan.predicted if side == PREDICTED else plan.measured)}
    return fingerprint.digest(
        {
            "settings": {name: repr(value) for name, value in sorted(settings.items())},
            "warmup_windows": plan.warmup_windows,
            **what,
            "code": {room: fingerprint.code(room) for room in ROOMS[side]},
            "native": _native_digest() if side == MEASURED else None,
            "versions": fingerprint.versions(),
        }
    )


@cache
def _native_digest() -> str | None:
    """Of the built middleware, whatever it was compiled from; None if there is none."""
    path = binding.path()
    return None if path is None else _digest_of(path)


def _digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
