"""The record of a Q-learning training (plan, versions, tables, history), and its learning curves."""

from __future__ import annotations

import csv
import io
import os
import platform
import statistics
from collections.abc import Callable

import numpy as np

from pmtwin.policies.training.online import OnlineTraining
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.run import TrainingResult
from pmtwin.policies.training.trials import MEASURES
from pmtwin.policies.training.versions import versions


def training_record(result: TrainingResult) -> dict:
    """A finished run as plain values.

    Returns:
        `plan`, `versions`, `host`, `seconds` (wall-clock time of each stage in this process), `resumed` (stages found
        in the checkpoint), `steps`, `tables` (D.1 to D.3 as run), `episodes` (the learning curves, columns of equal
        length), `learned_NOUN` with the noun of settings (context -> last episodes -> step -> setting), `trials` and
        `selected_after_episode` (see `trials`).
    """
    plan, online = result.plan, result.online
    return {
        "plan": plan.to_dict(),
        "versions": versions(),
        "host": {"machine": platform.machine(), "system": platform.system(), "cpu_count": os.cpu_count()},
        "seconds": {stage: round(seconds, 3) for stage, seconds in result.seconds.items()},
        "resumed": result.resumed,
        "steps": plan.steps(),
        "tables": {
            "D.1": plan.to_dict()["grid"],
            "D.2": [row.to_dict() for row in result.selection],
            "D.3": {
                "episodes": plan.to_dict()["episodes"],
                "episode_steps": plan.episode_steps,
                **plan.to_dict()["q"],
            },
        },
        "episodes": {
            plan.problem.context_noun: [context for context, _ in online.order],
            "epsilon": [plan.q.epsilon_at(episode, plan.episodes[context]) for context, episode in online.order],
            "reward_sum": online.rewards.tolist(),
            "share_meeting_goals": online.met.tolist(),
            "mean_absolute_td_error": online.errors.tolist(),
        },
        **learned(plan, online, np.ndarray.tolist),
        "trials": [
            {"after_episode": point, **_by_context(plan.contexts, measures)}
            for point, measures in zip(online.points, online.trials, strict=True)
        ],
        "selected_after_episode": online.selected,
    }


def learning_curves(record: dict) -> str:
    """The learning curves of a record as CSV: a row before the first episode, then one after each, in training order.

    `after_episode` is the number of finished episodes. Columns that begin with `trial_` are means over the contexts in
    the trial of the greedy policy at that point; they are empty without a trial.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    episodes = record["episodes"]
    trials = {row["after_episode"]: row for row in record["trials"]}
    writer.writerow(["after_episode", *episodes, *(f"trial_{name}" for name in MEASURES)])
    rows = [[""] * len(episodes), *zip(*episodes.values(), strict=True)]
    for number, row in enumerate(rows):
        trial = trials.get(number)
        means = ["" if trial is None else statistics.fmean(trial[name].values()) for name in MEASURES]
        writer.writerow([number, *row, *means])
    return text.getvalue()


def learned(plan: TrainingPlan, online: OnlineTraining, summary: Callable[[np.ndarray], list]) -> dict[str, dict]:
    """`learned_NOUN` with the noun of settings: context -> summary of its last episodes; empty without settings."""
    if not plan.problem.setting_size:
        return {}
    by_context = zip(plan.contexts, online.settings, strict=True)
    return {
        f"learned_{plan.problem.setting_noun}": {str(context): summary(settings) for context, settings in by_context}
    }


def final_setting(settings: np.ndarray) -> list[int]:
    """The most frequent setting in the second halves of a context's last episodes.

    Args:
        settings: int, shape (episodes, steps, numbers of a setting); -1 where unknown.
    """
    rows = settings[:, settings.shape[1] // 2 :].reshape(-1, settings.shape[2])
    values, counts = np.unique(rows[(rows >= 0).all(axis=1)], axis=0, return_counts=True)
    return values[counts.argmax()].tolist() if len(values) else []


def _by_context(contexts: tuple[int | str, ...], measures: np.ndarray) -> dict[str, dict[str, float]]:
    """Measure -> context -> value."""
    return {
        name: dict(zip(map(str, contexts), values, strict=True))
        for name, values in zip(MEASURES, measures.T.tolist(), strict=True)
    }
