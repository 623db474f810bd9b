"""Fixed setting: never changes it (the baseline of thesis section 4.3 is `fixed:15,15`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.policies.settings_text import parse_setting
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class FixedOptions(Options):
    """The setting."""

    setting: tuple[int, ...] = option(help="numbers of the setting", metavar="N[,N...]", parse=parse_setting)


@register("fixed")
class Fixed(Policy):
    """Chooses the setting once and keeps it."""

    Takes = FixedOptions
    options: FixedOptions

    def start(self, context: PolicyContext):
        """The setting.

        Raises:
            InputError: if the scenario has no settings, or not this one.
        """
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        try:
            setting = context.settings.check("policy", self.options.setting)
        except InputError as error:
            raise InputError(
                "policy", self.spec, f"fixed:{context.settings.form}, {context.settings.allowed}"
            ) from error
        context.settings.stated("policy", setting, self.spec)
        self._stay = context.stay(setting)
        return setting

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """Always the action that changes nothing."""
        return self._stay

    def exported(self, context: PolicyContext):
        """The setting."""
        return {"kind": "fixed", "pools": list(self.start(context))}
