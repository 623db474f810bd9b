"""Specs where decisions inside a window are impossible: on a real system, or in a file for C++."""

from __future__ import annotations

from typing import Any

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.points import by_point, window_point
from pmtwin.policies.registry import policy_class
from pmtwin.policies.specified import BETWEEN
from pmtwin.sim.errors import InputError


def window_spec(spec: str, scenario: Any, reason: str, allowed: str) -> str:
    """The spec of the policy between windows: `threshold` of `threshold`, or of `pools=threshold`.

    Args:
        spec: spec of a policy, or a spec by decision point.
        scenario: scenario whose decision points the spec may name.
        reason: why policies inside the windows cannot be used, for the error.
        allowed: what the user can give instead, for the error.

    Raises:
        InputError: for a policy that decides inside the windows, or an unknown decision point.
    """
    specs = by_point(spec, scenario)
    between = specs.pop(window_point(scenario), "")
    if specs or _decides_inside(between):
        raise InputError(FIELD, spec, allowed, wrong=f"decides inside the windows, where {reason}")
    return between


def _decides_inside(spec: str) -> bool:
    try:
        return policy_class(spec, kind=None).decides != BETWEEN
    except InputError:  # an unknown name: `make_policy` raises the error, with the names of policies between windows
        return False
