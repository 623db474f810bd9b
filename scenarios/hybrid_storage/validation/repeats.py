"""How far the real side is from itself: the same run again, under the same policy, on the same requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

NOISY_PERCENT = 10.0
"""Distance of a run from the same one again from which the real side is too noisy for its tolerance."""


class Repeated(NamedTuple):
    """Mean latencies of the windows of a run, and of the same run again, in us."""

    first: list[float]
    again: list[float]

    @property
    def apart(self) -> float:
        """How far the second run is from the first one, in percent of it; nan where it did not end."""
        count = len(self.again)
        return 100.0 * abs(float(np.sum(self.again) / np.sum(self.first[:count])) - 1.0) if count else float("nan")


def floor(repeats: Mapping[str, list[float]]) -> float:
    """Median of how far a run is from the same one again, in percent; nan without any."""
    together = [apart for some in repeats.values() for apart in some]
    return float(np.median(together)) if together else float("nan")


def floor_words(repeats: Mapping[str, list[float]]) -> str:
    """The distances for a reader.

    Args:
        repeats: workload -> distances in percent, one for each policy.
    """
    parts = [f"{name} {np.median(some):.1f}, at most {max(some):.1f}" for name, some in repeats.items() if some]
    if not parts:
        return "not known: finished runs that are kept do not run again"
    return f"the same run again on the real side is {floor(repeats):.1f} % apart in the median ({'; '.join(parts)})"


def noisy(repeats: Mapping[str, list[float]]) -> list[str]:
    """That the real side does not repeat itself."""
    apart = floor(repeats)
    if not apart > NOISY_PERCENT:
        return []
    return [
        f"the same run again on the real side is {apart:.1f} % apart in the median: no twin can be shown to be nearer"
    ]
