"""Results of trainings under drawn conditions, of any kind of policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Outcome(NamedTuple):
    """Result of a training.

    Fields:
        save: (path, origin=) writes the policy's file.
        attainment: name of a stage -> share of its windows that kept all goals.
        resumed: stages that were found in the checkpoint.
    """

    save: Callable[..., object]
    attainment: dict[str, float]
    resumed: list[str]
