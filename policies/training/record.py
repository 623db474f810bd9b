"""What Q-learning's training records: versions, history, tables as run; and its learning curves."""

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
    """Everything about a finished run as plain values, without NaN.

    Returns:
        `plan`, `versions`, `host`, `seconds` (of this process; `resumed` names stages that it found),
        `steps`, `tables` (D.1 to D.3 as run), `episodes` (the learning curves, columns of equal length), `learned_` and
        the noun of settings (context -> last episodes -> step -> setting), `trials` and `selected_after_episode` (see
        `trials`).
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
    """The learning curves of a record as CSV: a row for each episode, in the order of training.

    `after_episode` counts the finished ones: the row 0 is before the first. Columns that begin with `trial_` are means
    over contexts of the greedy policy's trial at that point, empty where none was made.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    episodes = record["episodes"]
    trials = {each["after_episode"]: each for each in record["trials"]}
    writer.writerow(["after_episode", *episodes, *(f"trial_{name}" for name in MEASURES)])
    rows = [[""] * len(episodes), *zip(*episodes.values(), strict=True)]
    for number, row in enumerate(rows):
        made = trials.get(number)
        means = ["" if made is None else statistics.fmean(made[name].values()) for name in MEASURES]
        writer.writerow([number, *row, *means])
    return text.getvalue()


def learned(plan: TrainingPlan, online: OnlineTraining, taken: Callable[[np.ndarray], list]) -> dict[str, dict]:
    """`learned_` and the noun of settings: context -> what is taken of its last episodes; nothing without settings."""
    if not plan.problem.setting_size:
        return {}
    by_context = zip(plan.contexts, online.settings, strict=True)
    return {f"learned_{plan.problem.setting_noun}": {str(context): taken(settings) for context, settings in by_context}}


def final_setting(settings: np.ndarray) -> list[int]:
    """The setting at which the last episodes of a context spent most of their second halves.

    Args:
        settings: int, shape (episodes, steps, numbers of a setting); -1 where unknown.
    """
    late = settings[:, settings.shape[1] // 2 :].reshape(-1, settings.shape[2])
    values, counts = np.unique(late[(late >= 0).all(axis=1)], axis=0, return_counts=True)
    return values[counts.argmax()].tolist() if len(values) else []


def _by_context(contexts: tuple[int | str, ...], measures: np.ndarray) -> dict[str, dict[str, float]]:
    """Measure -> context -> value."""
    return {
        name: dict(zip(map(str, contexts), values, strict=True))
        for name, values in zip(MEASURES, measures.T.tolist(), strict=True)
    }
