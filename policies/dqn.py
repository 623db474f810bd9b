"""Deep Q-network policy: acts greedily on the action values of a network trained by `pmtwin train`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.grammar import FIELD
from pmtwin.policies.mlp import Mlp
from pmtwin.policies.registry import register
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class DqnOptions(Options):
    """The trained network."""

    file: str = option(help="trained network, written by pmtwin train --policy dqn", metavar="FILE")


@register("dqn")
class Dqn(Mlp):
    """Takes the action that a trained network values highest after the last windows; does not explore.

    Raises:
        InputError: if the file is no trained deep Q-network.
    """

    Takes: ClassVar[type[Options]] = DqnOptions
    form = "pmtwin-dqn"
    trainable = "pmtwin.policies.training.dqn_options:DqnTraining"

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Refuse scenarios that the network cannot serve.

        Raises:
            InputError: for a scenario with fewer than two numbered actions, or with columns without finite bounds.
        """
        context.check_choice()
        try:
            Normalization(context.columns)
        except InputError as error:
            raise error.renamed(FIELD) from error

    def exported(self, context: PolicyContext):
        """The form of `Mlp`, which a deep Q-network shares."""
        return super().exported(context)
