"""Specs where only the decision between two windows is asked for: on a real system, in a file for C++."""

from __future__ import annotations

from typing import Any

from pmtwin.policies.points import by_point, window_point
from pmtwin.policies.registry import policy_class
from pmtwin.policies.specified import BETWEEN, FIELD
from pmtwin.sim.errors import InputError


def window_spec(spec: str, scenario: Any, reason: str, allowed: str) -> str:
    """The spec of the policy between windows: `threshold` of `threshold`, or of `pools=threshold`.

    Args:
        spec: of a policy, or of one by decision point.
        scenario: whose points it may name.
        reason: why no other policy is asked, as the error says it.
        allowed: what to use instead.

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
