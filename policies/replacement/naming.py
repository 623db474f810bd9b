"""Replacement policies by spec; nothing here loads numba."""

from __future__ import annotations

from typing import cast

from pmtwin.policies.inline import Replacement
from pmtwin.policies.making import single_policy
from pmtwin.policies.replacement.learning import Hedge, WeightSharing
from pmtwin.policies.replacement.shipped import SHIPPED
from pmtwin.sim.decisions.kind import REPLACEMENT


def replacement_names() -> list[str]:
    """Names of the shipped replacement policies without optional dependencies: LRU first, learning ones last."""
    return [*SHIPPED, WeightSharing.name, Hedge.name]


def replacement_policy(spec: str) -> Replacement:
    """The policy of a spec: `lru`, `weight-sharing:feedback=shadow,experts=lru+lfu`, `FILE.py:Class`.

    Raises:
        InputError: for an unknown policy or option, or a policy of another kind.
        MissingDependencyError: for `libcachesim`, if that package is not installed.
    """
    return cast("Replacement", single_policy(spec, REPLACEMENT))


def is_clairvoyant(spec: str) -> bool:
    """Whether the policy or one of its experts needs the next requests."""
    return replacement_policy(spec).clairvoyant
