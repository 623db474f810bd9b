"""Specs for uses that decide only between windows: on a real system, or in a file for C++."""

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
        reason: why policies inside the windows are not used, for the error.
        allowed: alternative, for the error.

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
    except InputError:  # unknown: whoever makes the policy says so, with the names of those between windows
        return False
