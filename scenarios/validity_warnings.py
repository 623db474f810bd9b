"""Validity warnings of a real system about its windows: failed requests, pauses, a device that would lie."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

WARNED_PERCENT = 5.0
"""Default for the share of windows that may have a validity warning, in percent."""

_REASON = re.compile(r"([^:;]+): [^;]+; (allowed: [^;]+)")
"""A warning of the form `what: value; allowed: ...`: the value differs from window to window."""


def reasons(runs: Iterable[Iterable[str]]) -> dict[str, int]:
    """Reason -> number of windows; `runs` has the warning of each window of each run, empty for none."""
    counts = Counter(_REASON.sub(r"\1; \2", str(warning)) for run in runs for warning in run if warning)
    return dict(sorted(counts.items()))


def warned_windows(counts: dict[str, int], windows: int, allowed: float) -> dict:
    """The share of windows with a warning, and whether it is too large for the results to be used.

    Args:
        counts: reason -> number of windows, of `reasons`. windows: all of them. allowed: percent.

    Returns:
        `reasons` (`counts`), `windows`, `warned` (their number), `percent`, `allowed_percent`, `passed`.
    """
    warned = sum(counts.values())
    percent = 100.0 * warned / max(windows, 1)
    return {
        "reasons": counts,
        "windows": windows,
        "warned": warned,
        "percent": percent,
        "allowed_percent": allowed,
        "passed": percent <= allowed,
    }


def sentences(counts: dict[str, int]) -> list[str]:
    """A sentence for each reason of `reasons`, with its number of windows."""
    return [
        f"{count} {'window has' if count == 1 else 'windows have'} a validity warning of the system: {reason}"
        for reason, count in counts.items()
    ]
