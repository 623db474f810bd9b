"""Jumps to the setting of the highest value: one function of the last windows and of that setting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.policies.trained_for import check_trained_for
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class AfterstateOptions(Options):
    """The trained value model."""

    file: str = option(help="value model, written by pmtwin train --policy afterstate", metavar="FILE")


@register("afterstate")
class Afterstate(Policy):
    """Jumps to the setting after which most of the coming windows keep the goals, by a trained value model.

    Raises:
        InputError: if the file is no value model.
    """

    Takes = AfterstateOptions
    trainable = "pmtwin.policies.training.afterstate_options:AfterstateTraining"

    def __init__(self, options: AfterstateOptions):
        from pmtwin.policies.value.files import load_value  # numba is loaded for this policy only

        super().__init__(options)
        self.value, self.origin = load_value(options.file)

    @property
    def files(self):
        """The trained file."""
        return (self.options.file,)

    def start(self, context: PolicyContext):
        """Begins with the scenario's own setting.

        Raises:
            InputError: if the file was trained for another scenario, other settings or other observations, or the
                scenario shows no setting in force.
        """
        from pmtwin.policies.value.inputs import check_served, every_setting

        check_served(context)
        check_trained_for(context, self.origin, self.value.inputs.columns, None, self.options.file)
        size = len(context.settings.names)
        if size != self.value.setting_size:
            allowed = f"{self.value.setting_size}, which the policy was trained for"
            raise InputError("numbers of a setting", size, allowed, self.options.file)
        self._columns = context.setting_columns
        self._settings = every_setting(context.settings)
        self._windows = None

    def act(self, observation, info=None):
        """The setting of the highest value, the first of equals; the one in force before anything was measured."""
        if not self.value.inputs.shows(info):
            return tuple(round(float(observation[column])) for column in self._columns)
        window = self.value.inputs.window(observation, info)
        before = window if self._windows is None else self._windows[0]
        self._windows = np.stack([window, before])
        values = self.value.values(self._windows, self._settings)
        return tuple(self._settings[int(np.argmax(values))].tolist())

    def exported(self, context: PolicyContext):
        """The layers, after the checks of `start`."""
        self.start(context)
        return {"kind": "afterstate", **self.value.to_dict(), "origin": self.origin}
