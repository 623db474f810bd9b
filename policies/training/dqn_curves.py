"""Results of the rounds of a deep Q-network's training, for its checkpoint, its record and its table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.policies.training.numbered_episodes import Steps


class Curves:
    """A table with a row for each round; NaN where a value is unknown.

    Args:
        rounds: number of rounds.
    """

    COLUMNS = (
        "windows",
        "exploration",
        "mean_reward",
        "share_meeting_goals",
        "mean_loss",
        "evaluated_reward",
        "evaluated_share",
    )
    """Number of windows so far; share of random actions, mean reward, share of windows that met all goals and mean loss
    of the optimiser steps in the round; mean reward and share of windows that met all goals in the evaluation after the
    round. Rewards are normalised (`pmtwin.sim.control.normalization`)."""

    def __init__(self, rounds: int):
        self._rows = np.full((rounds, len(self.COLUMNS)), np.nan)

    def note(self, number: int, windows: int, exploration: float, episodes: Sequence[Steps], loss: float) -> None:
        """Enter a round.

        Args:
            number: number of the round, from 0.
            windows: number of its windows.
            exploration: share of random actions.
            episodes: episodes of the round.
            loss: mean loss of the optimiser steps.
        """
        windows_before = self._rows[number - 1, 0] if number else 0.0
        self._rows[number, :5] = windows_before + windows, exploration, *_reward_and_attainment(episodes), loss

    def note_evaluation(self, number: int, episodes: Sequence[Steps]) -> bool:
        """Enter the evaluation after a round; returns whether its reward is higher than that of all earlier ones."""
        earlier = self._column("evaluated_reward")[:number]
        self._rows[number, 5:] = reward, _ = _reward_and_attainment(episodes)
        return not np.any(earlier >= reward)

    def state(self) -> dict[str, np.ndarray]:
        """Arrays for a checkpoint."""
        return {"rows": self._rows.copy()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state."""
        self._rows[...] = state["rows"]

    def record(self, goals: bool) -> dict[str, dict[str, float]]:
        """Curves of the evaluations, or of the rounds if there are no evaluations.

        Args:
            goals: whether the scenario has goals.

        Returns:
            `reward`: round -> mean reward; with goals `attainment`: round -> share of windows that met all goals.
        """
        evaluated = ~np.isnan(self._column("evaluated_reward"))
        names = ("evaluated_reward", "evaluated_share") if evaluated.any() else ("mean_reward", "share_meeting_goals")
        rounds = np.flatnonzero(evaluated if evaluated.any() else ~np.isnan(self._column("windows")))
        kinds = dict(zip(("reward", "attainment"), names, strict=True))
        if not goals:
            del kinds["attainment"]
        return {
            kind: {f"round_{number + 1}": float(self._column(name)[number]) for number in rounds}
            for kind, name in kinds.items()
        }

    def to_csv(self) -> str:
        """The table as CSV: a row for each round; unknown values are empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["round", *self.COLUMNS])
        for number, row in enumerate(self._rows.tolist(), 1):
            windows, *shares = ["" if np.isnan(value) else value for value in row]
            writer.writerow([number, windows and int(windows), *shares])
        return text.getvalue()

    def _column(self, name: str) -> np.ndarray:
        return self._rows[:, self.COLUMNS.index(name)]


def _reward_and_attainment(episodes: Sequence[Steps]) -> tuple[float, float]:
    """(mean reward of a window, share of windows that met all goals)."""
    reward = float(np.mean(np.concatenate([episode.rewards for episode in episodes])))
    return reward, float(np.mean([episode.met for episode in episodes]))
