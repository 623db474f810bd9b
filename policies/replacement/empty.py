"""Construction of empty caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.policies.replacement.cache import Cache
from pmtwin.policies.replacement.directory import make_directory
from pmtwin.policies.replacement.limits import MOST_LINES
from pmtwin.policies.replacement.python_cache import PythonCache
from pmtwin.sim.errors import check_range

if TYPE_CHECKING:
    from pmtwin.policies.inline import Replacement


def drawn_keys(lines: int, seed: int, experts: int = 1) -> list[int]:
    """Random keys of a cache: one for the learner, then one for each expert.

    Raises:
        InputError: for a number of lines out of range.
    """
    check_range("lines", lines, 1, MOST_LINES)
    return [int(key) for key in np.random.SeedSequence(seed).generate_state(experts + 1, np.uint64)]


def policy_cache(policy: Replacement, lines: int, seed: int) -> Cache | PythonCache:
    """An empty cache under a policy without experts."""
    key = drawn_keys(lines, seed)[1]
    if not policy.is_compiled():
        return PythonCache(policy, int(lines), key)
    return plain_cache(lines, policy.order(int(lines), key))


def plain_cache(lines: int, order: Any) -> Cache:
    """An empty cache with this state of its policy."""
    return Cache(make_directory(int(lines)), order, np.zeros(1, np.int64))
