"""Capability: training: its size, its contexts, drawn conditions, and the origin of trained files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pmtwin.scenarios.capabilities.conditions import WithConditions
from pmtwin.scenarios.capabilities.evidence import WithEvidence
from pmtwin.scenarios.contexts import OWN

ENGINE = "engine"
"""Option that names the engine; all engines give the same numbers."""


@dataclass(frozen=True)
class Training:
    """Default size of a training campaign of Q-learning.

    Args:
        episodes: context -> number of training episodes; 300 for other contexts.
        dataset_episodes: number of episodes of the random agent in each context.
        episode_steps: number of windows of an episode.
    """

    episodes: Mapping[int | str, int] = field(default_factory=dict)
    dataset_episodes: int = 150
    episode_steps: int = 200


class WithTraining(WithConditions, WithEvidence):
    """A scenario that declares how policies are trained in it.

    Class attributes:
        training: default campaign of Q-learning.
        recommended: name of the policy that `pmtwin train` trains by default.
    """

    training: ClassVar[Training] = Training()
    recommended: ClassVar[str] = "q-learning"

    @property
    def trained_contexts(self) -> tuple[int | str, ...]:
        """Contexts of a training: the named contexts except those kept aside, or the options' conditions (`OWN`)."""
        if self.own_conditions is not None:
            return (OWN,)
        return self.contexts.trained or tuple(self.contexts.families)

    def drawn_conditions(self, rng: np.random.Generator) -> Any | None:
        """Conditions for a part of a training episode, drawn from ranges; None: only named contexts are trained."""
        return None

    def drawn_context(
        self, names: Sequence[int | str], drawn_share: float, rng: np.random.Generator
    ) -> tuple[int | str, Any]:
        """(name of a context, conditions from `drawn_conditions` that replace it or None).

        Args:
            names: contexts to draw from.
            drawn_share: probability of drawn conditions.
        """
        name = names[int(rng.integers(len(names)))]
        is_drawn = drawn_share > 0.0 and rng.random() < drawn_share
        return name, self.drawn_conditions(rng) if is_drawn else None

    def origin(self) -> dict:
        """Further inputs of a training as plain values, such as digests of files that the system uses."""
        return {}

    def differences_in_training(self, origin: Mapping[str, Any]) -> list[str]:
        """Options that differ from those of a training, each as "NAME TRAINED, not PRESENT".

        Args:
            origin: origin of the trained file; its `environment` is the `record` of the training.
        """
        trained, present = origin.get("environment", {}), self.record()
        names = [name for name in present if name in trained and name != ENGINE and trained[name] != present[name]]
        return [f"{name} {trained[name]}, not {present[name]}" for name in names]
