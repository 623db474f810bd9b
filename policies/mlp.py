"""Policy with a neural network trained elsewhere, for example with Stable-Baselines3: acts greedily on its outputs.

Observations and actions follow the arguments of the training environment (`policies/network/interface.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pmtwin.policies.base import Action, Policy, PolicyContext
from pmtwin.policies.network.interface import Interface
from pmtwin.policies.registry import register
from pmtwin.policies.trained_for import check_trained_for
from pmtwin.sim.control import Settings
from pmtwin.sim.control.window_history import WindowHistory
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class MlpOptions(Options):
    """The trained network."""

    file: str = option(help="trained network, written by pmtwin export --sb3", metavar="FILE")


@register("mlp")
class Mlp(Policy):
    """Takes the action, or the setting, with the largest outputs of a multilayer perceptron; does not explore.

    Raises:
        InputError: if the file is no trained network.
    """

    Takes: ClassVar[type[Options]] = MlpOptions
    options: MlpOptions
    form = "pmtwin-mlp"

    def __init__(self, options: MlpOptions):
        from pmtwin.policies.network.files import load_network  # numba is loaded for this policy only

        super().__init__(options)
        self.network, self.origin = load_network(options.file, self.form)
        self.interface = Interface.from_origin(self.origin, options.file)
        self._history = WindowHistory(self.interface.measures, self.interface.windows)
        self._settings: Settings | None = None
        self._stay: Action | None = None

    @property
    def files(self):
        """The trained file."""
        return (self.options.file,)

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting.

        Raises:
            InputError: if the file was trained for another scenario, other actions, other observations or other
                measures, or the scenario has no settings to jump to.
        """
        network, interface, file = self.network, self.interface, self.options.file
        check_trained_for(context, self.origin, network.columns, network.actions, file, interface)
        self._history.clear()
        self._settings = context.settings if interface.jumps else None
        self._stay = context.stay(context.initial) if interface.measures else None

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The action, or the setting, with the largest outputs, the first of equals.

        No change before the first measurement if the network sees measures.
        """
        if not self._history.shown_by(info):
            return self._stay
        values = self.network.values(self._history.add(observation, info))
        if self._settings is None:
            return int(np.argmax(values))
        parts = np.split(values, np.cumsum(self._settings.widths)[:-1])
        return self._settings.at([int(np.argmax(part)) for part in parts])

    def exported(self, context: PolicyContext):
        """The layers, after the checks of `start`."""
        self.start(context)
        return {"kind": "mlp", **self.interface.to_dict(), **self.network.to_dict(), "origin": self.origin}
