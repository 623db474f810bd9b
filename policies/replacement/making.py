"""Empty caches under policies."""

from __future__ import annotations

from typing import Any

import numpy as np

from pmtwin.policies.inline import Replacement
from pmtwin.policies.replacement import dispatch, s3_fifo
from pmtwin.policies.replacement.cache import Cache
from pmtwin.policies.replacement.directory import make_directory
from pmtwin.policies.replacement.lines import Order, make_order
from pmtwin.policies.replacement.naming import MOST_LINES, replacement_policy
from pmtwin.policies.replacement.python_cache import PythonCache
from pmtwin.sim.errors import check_range

_GHOSTS = {"s3-fifo": s3_fifo.ghost_pages, "arc": lambda lines: lines}
"""Branch -> lines -> pages that it remembers."""

_GROUPED, _CLAIRVOYANT = ("lfu", "min"), ("min",)
"""Branches that need room for groups of lines, and for each line's next use."""


def make_cache(spec: str, lines: int, seed: int = 0) -> Any:
    """An empty cache under a policy.

    Args:
        spec: as for `replacement_policy`.
        lines: of the cache.
        seed: seed of the draws.

    Raises:
        InputError: as `replacement_policy`, and for a number of lines out of range.
        MissingDependencyError: as `replacement_policy`.
    """
    return replacement_policy(spec).cache(lines, seed)


def drawn_keys(lines: int, seed: int, experts: int = 1) -> list[int]:
    """Keys of the draws of a cache: of what learns between experts, and of each expert.

    Raises:
        InputError: for a number of lines out of range.
    """
    check_range("lines", lines, 1, MOST_LINES)
    return [int(key) for key in np.random.SeedSequence(seed).generate_state(experts + 1, np.uint64)]


def policy_cache(policy: Replacement, lines: int, seed: int) -> Cache | PythonCache:
    """An empty cache under a policy that has no experts."""
    key = drawn_keys(lines, seed)[1]
    if not policy.is_compiled():
        return PythonCache(policy, int(lines), key)
    return plain_cache(lines, policy.order(int(lines), key))


def plain_cache(lines: int, order: Any) -> Cache:
    """An empty cache whose policy has that state."""
    return Cache(make_directory(int(lines)), order, np.zeros(1, np.int64))


def branch_order(branch: str, lines: int, key: int) -> Order:
    """State of a branch of the shared kernel on an empty cache."""
    ghosts = _GHOSTS[branch](lines) if branch in _GHOSTS else 0
    order = make_order(lines, key, ghosts, branch in _GROUPED, branch in _CLAIRVOYANT)
    dispatch.prepare(dispatch.BRANCHES.index(branch), order)
    return order
