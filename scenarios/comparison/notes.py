"""Summary of a policy's notes on its choices (`Policy.note`): number, duration, and the system's measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pmtwin.scenarios.comparison.rollout import Steps


def notes(run: Steps, goals: bool = True) -> dict[str, dict]:
    """Notes of one run.

    Args:
        goals: whether the scenario has goals; without goals `kept_percent` is absent.

    Returns:
        note -> `windows`: number of windows; `times`: number of runs of consecutive windows; `kept_percent`: share of
        these windows that kept the service level; `at_the_end`: whether the note held in the last window.
    """
    met = run.met if goals else None
    return {str(name): _statistics(run.note == name, met) for name in np.unique(run.note) if name}


def _statistics(present: np.ndarray, met: np.ndarray | None) -> dict:
    begins = present & ~np.concatenate([[False], present[:-1]])
    return {
        "windows": int(present.sum()),
        "times": int(begins.sum()),
        **({} if met is None else {"kept_percent": 100.0 * float(met[present].mean())}),
        "at_the_end": bool(present[-1]),
    }


def sentences(policy: str, counted: dict[str, dict]) -> list[str]:
    """One sentence for each entry of `notes`."""
    return [
        f"{policy}: {name} in {counts['windows']} windows ({counts['times']} times)"
        + (f", {counts['kept_percent']:.0f} % of which kept the service level" if "kept_percent" in counts else "")
        + ("; still so at the end" if counts["at_the_end"] else "")
        for name, counts in counted.items()
    ]
