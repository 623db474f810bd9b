"""Windows that a real middleware itself says should not be trusted: failed requests, pauses, a device that would lie."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sim.errors import check_range

DOUBTED_PERCENT = 5.0
"""Share of the windows that may be doubted, unless another is given."""

_REASON = re.compile(r"([^:;]+): [^;]+; (allowed: [^;]+)")
"""A doubt that says `what: value; allowed: ...`: the value differs from window to window."""


def doubt_of(middleware) -> str:
    """Why the last window should not be trusted; empty for most, and for all of the twin."""
    return getattr(middleware, "doubt", lambda: "")()


def doubts(runs: Iterable[Iterable[str]]) -> dict[str, int]:
    """Reason -> windows, of the doubt of each window of each run."""
    reasons = [_REASON.sub(r"\1; \2", str(doubt)) for run in runs for doubt in run if doubt]
    return {str(reason): int(count) for reason, count in zip(*np.unique(reasons, return_counts=True), strict=True)}


def doubted(found: dict[str, int], windows: int, allowed: float) -> dict:
    """How many windows are doubted, and whether they are too many for the results to be used.

    Args:
        found: of `doubts`, of `windows`. allowed: percent.

    Returns:
        `reasons` (`found`), `windows`, `doubted` (their number), `percent`, `allowed_percent`, `passed`.
    """
    check_range("doubted_share", allowed, 0.0, 100.0, "%")
    count = sum(found.values())
    percent = 100.0 * count / max(windows, 1)
    return {
        "reasons": found,
        "windows": windows,
        "doubted": count,
        "percent": percent,
        "allowed_percent": allowed,
        "passed": percent <= allowed,
    }
