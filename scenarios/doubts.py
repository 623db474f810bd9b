"""Windows that a real system itself doubts: failed requests, pauses, a device that would lie."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

DOUBTED_PERCENT = 5.0
"""Share of the windows that may be doubted, unless another is given."""

_REASON = re.compile(r"([^:;]+): [^;]+; (allowed: [^;]+)")
"""A doubt that says `what: value; allowed: ...`: the value differs from window to window."""


def doubts(runs: Iterable[Iterable[str]]) -> dict[str, int]:
    """Reason -> windows, of the doubt of each window of each run."""
    return dict(sorted(Counter(_REASON.sub(r"\1; \2", str(doubt)) for run in runs for doubt in run if doubt).items()))


def doubted(found: dict[str, int], windows: int, allowed: float) -> dict:
    """How many windows are doubted, and whether they are too many for the results to be used.

    Args:
        found: of `doubts`, of `windows`. allowed: percent.

    Returns:
        `reasons` (`found`), `windows`, `doubted` (their number), `percent`, `allowed_percent`, `passed`.
    """
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


def sentences(found: dict[str, int]) -> list[str]:
    """Of each reason of `doubts`, how many windows it is one of."""
    return [f"{count} windows are doubted by the system itself: {why}" for why, count in found.items()]
