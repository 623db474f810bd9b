"""The record of a run, one JSON file beside the policy: configuration, versions, history, tables as run."""

from __future__ import annotations

import math
import os
import platform
from importlib import metadata

import numpy as np

from pmtwin.policies.training.run import TrainingResult
from pmtwin.policies.training.trials import MEASURES

SCHEMA = 1
PACKAGES = ("numpy", "numba", "scikit-learn", "gymnasium")
"""Packages whose versions can change the trained bits."""


def versions() -> dict[str, str]:
    """Versions that a result depends on."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}}


def training_record(result: TrainingResult, origin: dict) -> dict:
    """Everything about a finished run as plain values, without NaN.

    Args:
        result: the finished run.
        origin: plain values: scenario, profile, seed, version, environment, campaign.

    Returns:
        `origin`, `plan`, `versions`, `host`, `seconds` (of this process; `resumed` names stages that it found),
        `steps`, `tables` (D.1 to D.3 as run), `episodes` (columns of equal length), `learned_pools` (phase -> last
        episodes -> step -> pools; Figures D.1 to D.4), `trials` and `selected_after_episode` (see `trials`).
    """
    plan, online = result.plan, result.online
    return {
        "schema": SCHEMA,
        "origin": origin,
        "plan": plan.to_dict(),
        "versions": versions(),
        "host": {"machine": platform.machine(), "system": platform.system(), "cpu_count": os.cpu_count()},
        "seconds": {stage: round(seconds, 3) for stage, seconds in result.seconds.items()},
        "resumed": result.resumed,
        "steps": plan.steps(),
        "tables": {
            "D.1": plan.to_dict()["grid"],
            "D.2": [_finite(row.to_dict()) for row in result.selection],
            "D.3": {
                "episodes": plan.to_dict()["episodes"],
                "episode_steps": plan.episode_steps,
                **plan.to_dict()["q"],
            },
        },
        "episodes": {
            "phase": [phase for phase, _ in online.order],
            "epsilon": [plan.q.epsilon_at(episode, plan.episodes[phase]) for phase, episode in online.order],
            "reward_sum": online.rewards.tolist(),
        },
        "learned_pools": {str(phase): online.settings[index].tolist() for index, phase in enumerate(plan.phases)},
        "trials": [
            {"after_episode": point, **_by_phase(plan.phases, measures)}
            for point, measures in zip(online.points, online.trials, strict=True)
        ],
        "selected_after_episode": online.selected,
    }


def final_pools(settings: np.ndarray) -> list[int]:
    """The pair of pools at which the last episodes of a phase spent most of their second halves.

    Args:
        settings: int, shape (episodes, steps, 2).
    """
    late = settings[:, settings.shape[1] // 2 :].reshape(-1, 2)
    pairs, counts = np.unique(late[late[:, 0] > 0], axis=0, return_counts=True)
    return pairs[counts.argmax()].tolist() if len(pairs) else []


def _by_phase(phases: tuple[int, ...], measures: np.ndarray) -> dict[str, dict[str, float]]:
    """Measure -> phase -> value."""
    return {
        name: dict(zip(map(str, phases), values, strict=True))
        for name, values in zip(MEASURES, measures.T.tolist(), strict=True)
    }


def _finite(row: dict) -> dict:
    """The row with None for numbers that JSON cannot hold (the score of a model that overflowed)."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }
