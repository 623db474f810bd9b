"""A neural network that was trained elsewhere, as with Stable-Baselines3: acts greedily on its outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.policies.trained_for import check_trained_for
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class MlpOptions(Options):
    """The trained network."""

    file: str = option(help="trained network, written by pmtwin export --sb3", metavar="FILE")


@register("mlp")
class Mlp(Policy):
    """The action of the largest output of a multilayer perceptron, without exploration.

    Raises:
        InputError: if the file is no trained network.
    """

    Takes = MlpOptions

    def __init__(self, options: MlpOptions):
        from pmtwin.policies.network.files import load_network  # numba is loaded for this policy only

        super().__init__(options)
        self.network, self.origin = load_network(options.file)

    @property
    def files(self):
        """The trained file."""
        return (self.options.file,)

    def start(self, context: PolicyContext):
        """Begins with the scenario's own setting.

        Raises:
            InputError: if the file was trained for another scenario, other actions or other observations.
        """
        check_trained_for(context, self.origin, self.network.columns, self.network.actions, self.options.file)

    def act(self, observation, info=None):
        """The action of the largest output, the first of equals."""
        return int(np.argmax(self.network.values(observation)))

    def exported(self, context: PolicyContext):
        """The layers, after the checks of `start`."""
        self.start(context)
        return {"kind": "mlp", **self.network.to_dict(), "origin": self.origin}
