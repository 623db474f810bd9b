"""Returns of several steps: a row of the replay is complete after the following steps."""

from __future__ import annotations

from collections import deque

import numpy as np

from pmtwin.sim.errors import check_range


class NStep:
    """Turns the steps of an episode into rows.

    A row has the discounted rewards of up to `steps` steps, and the state after the last of them. If an episode is
    truncated, its last state counts; if it terminates, no value follows.

    Args:
        row: type of a row (`replay.transition_type`).
        steps: number of steps in a return.
        gamma: discount of a step.
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
            cut: whether the episode is truncated here.
        """
        self._pending.append((state, action, reward))
        ready = []
        while self._pending and (terminated or cut or len(self._pending) == self.steps):
            ready.append(self._row(after, terminated))
            self._pending.popleft()
        return np.array(ready, dtype=self.row)

    def _row(self, after: np.ndarray, terminated: bool) -> tuple:
        state, action, _ = self._pending[0]
        total = 0.0
        for _, _, reward in reversed(self._pending):
            total = reward + self.gamma * total
        discount = 0.0 if terminated else self.gamma ** len(self._pending)
        return state, action, total, discount, after
