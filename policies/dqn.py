"""A deep Q-network, trained by `pmtwin train`: acts greedily on the values of numbered actions."""

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
    """The action of the highest value by a trained network of the last windows, without exploration.

    Raises:
        InputError: if the file is no trained deep Q-network.
    """

    Takes: ClassVar[type[Options]] = DqnOptions
    form = "pmtwin-dqn"
    trainable = "pmtwin.policies.training.dqn_options:DqnTraining"

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Its actions are numbered, two or more, and the columns of its observations have finite bounds.

        Raises:
            InputError: for another scenario.
        """
        context.check_choice()
        try:
            Normalization(context.columns)
        except InputError as error:
            raise error.renamed(FIELD) from error

    def exported(self, context: PolicyContext):
        """The layers, as those of any network."""
        return super().exported(context)
