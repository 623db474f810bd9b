"""Afterstate policy: jumps to the setting that a trained value model rates highest after the last windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.policies.trained_for import check_trained_for
from pmtwin.policies.value.inputs import check_served, every_setting
from pmtwin.sim.control.window_history import WindowHistory
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class AfterstateOptions(Options):
    """The trained value model."""

    file: str = option(help="value model, written by pmtwin train --policy afterstate", metavar="FILE")
    hysteresis: float = option(
        0.0, "smallest gain for a change of the setting, as a share of windows", low=0.0, high=1.0
    )


@register("afterstate")
class Afterstate(Policy):
    """Jumps to the setting after which most of the coming windows keep the goals, by a trained value model.

    Raises:
        InputError: if the file is no value model.
    """

    Takes = AfterstateOptions
    options: AfterstateOptions
    form = "pmtwin-afterstate"
    trainable = "pmtwin.policies.training.afterstate_options:AfterstateTraining"

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Refuse scenarios in which the policy cannot compare all settings by goals.

        Raises:
            InputError: for a scenario without goals, without settings, with too many settings, or whose observations do
                not show the present setting.
        """
        check_served(context, cls.called())
        _ = context.setting_columns, every_setting(context.controlled)

    def __init__(self, options: AfterstateOptions):
        from pmtwin.policies.value.files import load_value  # numba is loaded for this policy only

        super().__init__(options)
        self.value, self.origin = load_value(options.file)

    @property
    def files(self):
        """The trained file."""
        return (self.options.file,)

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting.

        Raises:
            InputError: if the file was trained for another scenario, other settings or other observations, or if
                observations do not show the present setting.
        """
        from pmtwin.policies.value.model import WINDOWS

        self.check_scenario(context)
        check_trained_for(context, self.origin, self.value.inputs.columns, None, self.options.file)
        size = len(context.controlled.names)
        if size != self.value.setting_size:
            allowed = f"{self.value.setting_size}, which the policy was trained for"
            raise InputError("numbers of a setting", size, allowed, self.options.file)
        self._columns = context.setting_columns
        self._settings = every_setting(context.controlled)
        self._history = WindowHistory(self.value.inputs.measures, WINDOWS)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The setting with the highest value, the first of equals.

        The setting in force stays before the first measurement, and where the gain is below the hysteresis.
        """
        present = tuple(round(float(observation[column])) for column in self._columns)
        if not self._history.shown_by(info):
            return present
        values = self.value.values(self._history.add(observation, info), self._settings)
        best = int(np.argmax(values))
        if self.options.hysteresis:
            (index,) = np.flatnonzero((self._settings == present).all(axis=1))
            if values[best] < values[index] + self.options.hysteresis:
                return present
        return tuple(self._settings[best].tolist())

    def exported(self, context: PolicyContext):
        """The network's layers, after the checks of `start`."""
        self.start(context)
        hysteresis = {"hysteresis": self.options.hysteresis} if self.options.hysteresis else {}
        return {"kind": "afterstate", **hysteresis, **self.value.to_dict(), "origin": self.origin}
