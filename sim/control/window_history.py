"""The last windows as one row of numbers: the input of a policy or an agent with memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def window_numbers(observation: np.ndarray, info: Mapping[str, float] | None, measures: Sequence[str]) -> np.ndarray:
    """The columns of an observation, then measures of its window: float64, shape (columns + measures,).

    A measure without a value in the window, NaN, becomes 0.
    """
    measured = info or {}  # nothing is read where there are no measures
    numbers = np.array([*observation, *(measured[name] for name in measures)], dtype=float)
    if measures:
        numbers[np.isnan(numbers)] = 0.0
    return numbers


class WindowHistory:
    """Observations and measures of the last windows, the newest window first.

    If fewer windows have passed, the oldest one fills the remaining places.

    Args:
        measures: names of the measures, as keys of `info`.
        windows: number of windows to keep.
    """

    def __init__(self, measures: Sequence[str] = (), windows: int = 1):
        self.measures, self.windows = tuple(measures), windows
        self._rows: list[np.ndarray] = []

    def clear(self) -> None:
        """Forget all windows."""
        self._rows = []

    def shown_by(self, info: Mapping | None) -> bool:
        """Whether `info` has all measures; before the first window it has none."""
        return not self.measures or (info is not None and all(name in info for name in self.measures))

    def add(self, observation: np.ndarray, info: Mapping[str, float] | None) -> np.ndarray:
        """Add a window.

        Args:
            observation: shape (columns,). info: name -> value of its measures.

        Returns:
            The row of numbers: float64, shape (windows * (columns + measures),).
        """
        self._rows = [window_numbers(observation, info, self.measures), *self._rows[: self.windows - 1]]
        missing = self.windows - len(self._rows)
        return np.concatenate([*self._rows, *[self._rows[-1]] * missing])
