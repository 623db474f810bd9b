"""What the rounds of a training of a deep Q-network showed: arrays for its checkpoint, its record and its table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.policies.training.numbered_episodes import Steps


class Curves:
    """A row for each round; NaN where nothing is known.

    Args:
        rounds: of the training.
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
    """Windows so far; of the round: share of random actions, mean reward, share of windows that met all goals, mean
    loss of the optimiser's steps; of the evaluation behind the round: mean reward, and that share. Rewards are
    normalised (`pmtwin.sim.control.normalization`)."""

    def __init__(self, rounds: int):
        self._rows = np.full((rounds, len(self.COLUMNS)), np.nan)

    def note(self, number: int, windows: int, exploration: float, episodes: Sequence[Steps], loss: float) -> None:
        """Note a round; windows: of it."""
        before = self._rows[number - 1, 0] if number else 0.0
        self._rows[number, :5] = before + windows, exploration, *_judged(episodes), loss

    def note_evaluation(self, number: int, episodes: Sequence[Steps]) -> bool:
        """Note the evaluation behind a round; whether it is the best so far, the first of equals."""
        before = self._column("evaluated_reward")[:number]
        self._rows[number, 5:] = reward, _ = _judged(episodes)
        return not np.any(before >= reward)

    def state(self) -> dict[str, np.ndarray]:
        """Arrays for a checkpoint."""
        return {"rows": self._rows.copy()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from a state."""
        self._rows[...] = state["rows"]

    def record(self, goals: bool) -> dict[str, dict[str, float]]:
        """Mean reward of each evaluation, or of each round where there is none; with goals the share that met them.

        Args:
            goals: whether the scenario has any.
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
        """A row for each round; cells are empty where nothing is known."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["round", *self.COLUMNS])
        for number, row in enumerate(self._rows.tolist(), 1):
            windows, *others = ["" if np.isnan(value) else value for value in row]
            writer.writerow([number, windows and int(windows), *others])
        return text.getvalue()

    def _column(self, name: str) -> np.ndarray:
        return self._rows[:, self.COLUMNS.index(name)]


def _judged(episodes: Sequence[Steps]) -> tuple[float, float]:
    """Mean reward of a window, and share of windows that met all goals."""
    reward = float(np.mean(np.concatenate([episode.rewards for episode in episodes])))
    return reward, float(np.mean([episode.met for episode in episodes]))
