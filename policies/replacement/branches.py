"""The states of the shipped policies on an empty cache: branches of one kernel."""

from __future__ import annotations

from pmtwin.policies.replacement import dispatch, s3_fifo
from pmtwin.policies.replacement.lines import Order, make_order

_GHOSTS = {"s3-fifo": s3_fifo.ghost_pages, "arc": lambda lines: lines}
"""Branch -> lines -> pages that it remembers."""

_GROUPED, _CLAIRVOYANT = ("lfu", "min"), ("min",)
"""Branches that need room for groups of lines, and for each line's next use."""


def branch_order(branch: str, lines: int, key: int) -> Order:
    """State of a branch of the shared kernel on an empty cache."""
    ghosts = _GHOSTS[branch](lines) if branch in _GHOSTS else 0
    order = make_order(lines, key, ghosts, branch in _GROUPED, branch in _CLAIRVOYANT)
    dispatch.prepare(dispatch.BRANCHES.index(branch), order)
    return order
