"""States of the shipped policies, which are branches of one kernel, for empty caches."""

from __future__ import annotations

from pmtwin.policies.replacement import dispatch, s3_fifo
from pmtwin.policies.replacement.lines import Order, make_order

_GHOSTS = {"s3-fifo": s3_fifo.ghost_pages, "arc": lambda lines: lines}
"""Policy -> number of lines -> largest number of ghosts."""

_GROUPED, _CLAIRVOYANT = ("lfu", "min"), ("min",)
"""Policies that use `Order.groups`, and `Order.next_use`."""


def branch_order(branch: str, lines: int, key: int) -> Order:
    """State of a shipped policy for an empty cache."""
    ghosts = _GHOSTS[branch](lines) if branch in _GHOSTS else 0
    order = make_order(lines, key, ghosts, branch in _GROUPED, branch in _CLAIRVOYANT)
    dispatch.prepare(dispatch.BRANCHES.index(branch), order)
    return order
