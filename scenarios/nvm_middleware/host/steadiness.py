"""Agreement of the rounds in which the host's experiments were measured: on a busy machine they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

STEADY_FACTOR = 1.5
"""An experiment is unsteady where the upper quartile of its rounds is more than this many times the lower one."""

MOST_UNSTEADY = 0.1
"""Share of unsteady experiments above which the measurement is worth repeating."""


def unsteady(samples: Mapping[str, Sequence[float]]) -> list[str]:
    """Names of the experiments whose rounds disagree.

    Args:
        samples: experiment -> a number for each round, of `pmtwin.scenarios.nvm_middleware.host.rounds.Rounds`.
    """
    quartiles = {name: np.quantile(values, (0.25, 0.75)) for name, values in samples.items()}
    return [name for name, (low, high) in quartiles.items() if high > STEADY_FACTOR * low]


def steadiness_note(samples: Mapping[str, Sequence[float]]) -> str:
    """A sentence on a machine that was too busy to be measured; empty where the rounds agree."""
    names = unsteady(samples)
    if len(names) <= MOST_UNSTEADY * len(samples):
        return ""
    return (
        f"warning: the rounds of {len(names)} of {len(samples)} experiments disagree (quartiles more than "
        f"{STEADY_FACTOR:g} times apart): the machine was busy, or its speed changed. The values may be far off; "
        "repeat the command with --force on a quiet machine"
    )
