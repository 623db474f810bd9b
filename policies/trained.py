"""Policy for any trained file, written by `pmtwin train` or `pmtwin export --sb3`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.grammar import FIELD
from pmtwin.policies.making import single_policy
from pmtwin.policies.npz_file import read_form
from pmtwin.policies.registry import policy_class, policy_names, register
from pmtwin.policies.tuned_file import FORMAT as TUNED
from pmtwin.policies.tuned_file import load_tuned
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

ALLOWED = "a policy file written by pmtwin train, or by pmtwin export --sb3"


@dataclass(frozen=True)
class TrainedOptions(Options):
    """The trained file."""

    file: str = option(
        help="trained policy of any kind, written by pmtwin train or pmtwin export --sb3", metavar="FILE"
    )


@register("trained")
class Trained(Policy):
    """Runs a trained file with the policy that its header names.

    Raises:
        InputError: if the file is no trained policy.
    """

    Takes = TrainedOptions

    def __init__(self, options: TrainedOptions):
        super().__init__(options)
        form = read_form(options.file, ALLOWED)
        if form == TUNED:
            cls, values, self.origin = load_tuned(options.file)
            self.policy = cls(values)
        elif (reader := next((name for name in policy_names() if policy_class(name).form == form), None)) is not None:
            self.policy = single_policy(f"{reader}:{options.file}")
            self.origin = self.policy.origin
        else:
            raise InputError(FIELD, f"{self.called()}:{options.file}", f"{ALLOWED}; this one is of the form {form}")

    @property
    def files(self):
        """The trained file."""
        return (self.options.file,)

    def start(self, context: PolicyContext):
        """Start the policy in the file.

        Raises:
            InputError: if the policy cannot serve this scenario.
        """
        return self.policy.start(context)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The action of the policy in the file."""
        return self.policy.act(observation, info)

    def exported(self, context: PolicyContext):
        """The form of the policy in the file."""
        return self.policy.exported(context)
