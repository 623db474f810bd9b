"""One learner at several decision points: policies whose states have arrays in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pmtwin.policies.inline_policy import InlinePolicy


def with_shared(policies: Mapping[str, InlinePolicy], states: Mapping[str, Any]) -> dict[str, Any]:
    """Decision point -> state of a run, in which policies with the same spec have the arrays of `shared` in common.

    Where learning is frozen, policies that learn begin and stay with the same learned arrays, so that they share none;
    what others remember is not learned, and stays in common.

    Args:
        policies: decision point -> policy. states: decision point -> `CompiledState`, or another state, which stays.
    """
    common: dict[str, tuple] = {}
    joined = dict(states)
    for point, policy in policies.items():
        if not policy.shared or (policy.learned and not policy.learning):
            continue
        state = states[point]
        arrays = common.setdefault(policy.spec, state.arrays)
        numbered = enumerate(state.arrays)
        chosen = tuple(arrays[k] if k in policy.shared else array for k, array in numbered)
        joined[point] = state._replace(arrays=chosen)
    return joined
