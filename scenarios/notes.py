"""What a policy noted of its own choices (`Policy.note`): how often, for how long, and how the system fared."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.rollout import Steps


def notes(run: Steps) -> dict[str, dict]:
    """Of one run.

    Returns:
        note -> `windows`; `times`: stretches of windows in a row; `kept_percent`: share of the windows that kept the
        service level; `at_the_end`: whether the run ended with it.
    """
    return {str(name): _one(run.note == name, run.met) for name in np.unique(run.note) if name}


def _one(here: np.ndarray, met: np.ndarray) -> dict:
    begins = here & ~np.concatenate([[False], here[:-1]])
    return {
        "windows": int(here.sum()),
        "times": int(begins.sum()),
        "kept_percent": 100.0 * float(met[here].mean()),
        "at_the_end": bool(here[-1]),
    }


def sentences(who: str, found: dict[str, dict]) -> list[str]:
    """Of `notes`, a sentence for each."""
    return [
        f"{who}: {name} in {of['windows']} windows ({of['times']} times), {of['kept_percent']:.0f} % of which kept the "
        f"service level{'; still so at the end' if of['at_the_end'] else ''}"
        for name, of in found.items()
    ]
