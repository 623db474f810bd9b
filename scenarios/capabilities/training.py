"""Capability: what training sees: its size, its contexts, conditions from ranges, and the origin of a trained file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pmtwin.scenarios.capabilities.conditions import WithConditions
from pmtwin.scenarios.capabilities.evidence import WithEvidence
from pmtwin.scenarios.contexts import OWN

ENGINE = "engine"
"""Option that names what runs a model, always to the same numbers."""


@dataclass(frozen=True)
class Training:
    """Default size of a training campaign.

    Args:
        episodes: training episodes by context; empty: 300 of each.
        dataset_episodes: episodes of the random agent, of each context.
        episode_steps: windows of an episode.
    """

    episodes: Mapping[int | str, int] = field(default_factory=dict)
    dataset_episodes: int = 150
    episode_steps: int = 200


class WithTraining(WithConditions, WithEvidence):
    """A scenario that states how it is trained.

    Class attributes:
        training: default campaign of Q-learning.
        recommended: name of the policy that `pmtwin train` trains by default.
    """

    training: ClassVar[Training] = Training()
    recommended: ClassVar[str] = "q-learning"

    @property
    def trained_contexts(self) -> tuple[int | str, ...]:
        """Contexts of a training: named contexts not kept aside, or the conditions of the options (`OWN`)."""
        if self.own_conditions is not None:
            return (OWN,)
        return self.contexts.trained or tuple(self.contexts.families)

    def drawn_conditions(self, rng: np.random.Generator) -> Any | None:
        """Conditions for a part of a training episode, drawn from stated ranges; None: the named contexts are all."""
        return None

    def drawn_context(
        self, names: Sequence[int | str], drawn_share: float, rng: np.random.Generator
    ) -> tuple[int | str, Any]:
        """(one of these contexts, conditions from `drawn_conditions` in its place or None).

        Args:
            drawn_share: probability of drawn conditions.
        """
        name = names[int(rng.integers(len(names)))]
        drawn = drawn_share > 0.0 and rng.random() < drawn_share
        return name, self.drawn_conditions(rng) if drawn else None

    def origin(self) -> dict:
        """Further inputs of a trained policy, as plain values: files below the system, by their content."""
        return {}

    def differences_in_training(self, origin: Mapping[str, Any]) -> list[str]:
        """What differs from the conditions of a training: "OTHER, not for THIS" each; what is not recorded is left out.

        Args:
            origin: of the trained file; its `environment` is the `record` of that time.
        """
        then, now = origin.get("environment", {}), self.record()
        names = [name for name in now if name in then and name != ENGINE and then[name] != now[name]]
        return [f"{name} {then[name]}, not {now[name]}" for name in names]
