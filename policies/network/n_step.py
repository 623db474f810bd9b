"""Returns of several steps: a row of the replay is complete once its last step is known."""

from __future__ import annotations

from collections import deque

import numpy as np

from pmtwin.sim.errors import check_range


class NStep:
    """Turns the steps of an episode into rows of the replay.

    A row has the sum of the discounted rewards of up to `steps` steps, and the state after the last of them. At the end
    of an episode rows have fewer steps. The discount of the last state's value is 0 if the episode terminated; if it
    was truncated, the value counts.

    Args:
        row: type of a row (`replay.transition_type`).
        steps: number of steps in a return.
        gamma: discount factor of a step.
    """

    def __init__(self, row: np.dtype, steps: int, gamma: float):
        check_range("n-step", steps, 1, 1000, "steps")
        check_range("gamma", gamma, 0.0, 1.0)
        self.row, self.steps, self.gamma = row, steps, gamma
        self._pending: deque[tuple[np.ndarray, int, float]] = deque()

    def step(
        self, state: np.ndarray, action: int, reward: float, after: np.ndarray, terminated: bool, cut: bool = False
    ) -> np.ndarray:
        """Add a step; returns the rows that are complete now, oldest first, shape (n,).

        Args:
            state: state before the step.
            after: state after the step.
            terminated: whether the episode terminated.
            cut: whether the episode is truncated after this step.
        """
        self._pending.append((state, action, reward))
        rows = []
        while self._pending and (terminated or cut or len(self._pending) == self.steps):
            rows.append(self._row(after, terminated))
            self._pending.popleft()
        return np.array(rows, dtype=self.row)

    def _row(self, after: np.ndarray, terminated: bool) -> tuple:
        state, action, _ = self._pending[0]
        total = 0.0
        for _, _, reward in reversed(self._pending):
            total = reward + self.gamma * total
        discount = 0.0 if terminated else self.gamma ** len(self._pending)
        return state, action, total, discount, after
