"""What an inference has to know of a scenario: priors, published evidence, and how a draw becomes a scenario."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from pmtwin.scenarios.capabilities.required import PRIORS, require
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.lazy import object_at

if TYPE_CHECKING:
    from pmtwin.calibrate.inference.priors import Priors
    from pmtwin.calibrate.inference.run import Simulator
    from pmtwin.calibrate.inference.statements import Statement


class InferenceSide(ABC):
    """The inference of a scenario's parameters; a scenario names its class in `Scenario.inference`.

    Args:
        scenario: with its options; what they set by hand is not inferred.
    """

    def __init__(self, scenario: Scenario):
        self.scenario = scenario

    @property
    @abstractmethod
    def priors(self) -> Priors:
        """Of the parameters that the published evidence tells of."""

    @abstractmethod
    def evidence(self) -> tuple[Statement, ...]:
        """What is published."""

    @abstractmethod
    def simulator(self, inferred: Collection[str]) -> Simulator:
        """Of the quantities that the published evidence is about; `inferred`: names of what a draw has."""

    @abstractmethod
    def with_values(self, values: Mapping[str, float]) -> Scenario:
        """The scenario with parameters of a draw."""

    def priors_of_measured(self) -> Priors:
        """Of the parameters that a user's own measurements may tell of."""
        return self.priors

    def known(self) -> dict[str, float]:
        """Parameters that somebody gave: they are not inferred, and hold beside every draw."""
        return {}

    def taken(self, sample: int | None, inferred: Collection[str]) -> dict[str, float]:
        """Parameters that are known from another inference, and hold beside every draw of this one.

        Args:
            sample: number of a joint sample of that inference, in turn; None: its representative.
            inferred: names of what a draw of this one has.
        """
        return {}

    def options_without_use(self, measured: bool) -> Mapping[str, str]:
        """Options of the scenario without use here: name -> the end of the sentence "OPTION VALUE ...".

        Args:
            measured: whether the evidence is a user's own measurements.
        """
        return {}

    def source(self) -> str:
        """Where the published evidence is from."""
        return "published"


def inference_side(scenario: Scenario) -> InferenceSide:
    """The scenario's own.

    Raises:
        InputError: if it has none.
    """
    require(scenario, PRIORS, "infer updates")
    if isinstance(scenario.inference, type):
        return scenario.inference(scenario)
    return object_at(scenario.inference)(scenario)
