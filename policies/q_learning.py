"""The thesis' Q-learning, trained by `pmtwin train`: acts greedily on linear action values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.policies.trained_for import check_trained_for
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class QLearningOptions(Options):
    """The trained weights."""

    file: str = option(help="trained policy, written by pmtwin train", metavar="FILE")


@register("q-learning")
class QLearning(Policy):
    """Takes the action with the highest value in the observed state (Algorithm 2 without exploration and learning).

    Raises:
        InputError: if the file is no trained policy.
    """

    Takes = QLearningOptions
    options: QLearningOptions
    form = "pmtwin-linear-q"
    trainable = "pmtwin.policies.training.options:QTraining"

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Refuse scenarios without a choice among numbered actions.

        Raises:
            InputError: for a scenario with fewer than two numbered actions.
        """
        context.check_choice()

    def __init__(self, options: QLearningOptions):
        from pmtwin.policies.linear_q.files import load_model  # numba is loaded for this policy only

        super().__init__(options)
        self.model, self.origin = load_model(options.file)

    @property
    def files(self):
        """The trained file."""
        return (self.options.file,)

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting.

        Raises:
            InputError: if the file was trained for another scenario, other actions or other observations.
        """
        check_trained_for(context, self.origin, self.model.columns, self.model.actions, self.options.file)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The greedy action."""
        return self.model.greedy(observation)

    def exported(self, context: PolicyContext):
        """Feature map and weights, after the checks of `start`."""
        self.start(context)
        return {"kind": "linear-q", **self.model.to_dict(), "origin": self.origin}
