"""Interface between an inference and a scenario: priors, published evidence, and the scenario for a draw."""

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
    """Inference of a scenario's parameters; a scenario names its class in `Scenario.inference`.

    Args:
        scenario: the scenario; parameters that its options set are not inferred.
    """

    def __init__(self, scenario: Scenario):
        self.scenario = scenario

    @property
    @abstractmethod
    def priors(self) -> Priors:
        """Priors of the parameters that the published evidence depends on."""

    @abstractmethod
    def evidence(self) -> tuple[Statement, ...]:
        """The published evidence."""

    @abstractmethod
    def simulator(self, inferred: Collection[str]) -> Simulator:
        """Simulator of the quantities in the published evidence; `inferred`: names of the parameters in a draw."""

    @abstractmethod
    def with_values(self, values: Mapping[str, float]) -> Scenario:
        """The scenario with the parameters of a draw, name -> value."""

    def priors_of_measured(self) -> Priors:
        """Priors of the parameters that a user's measurements may depend on."""
        return self.priors

    def known(self) -> dict[str, float]:
        """Parameters that the user gave, name -> value: they are not inferred and the same for all draws."""
        return {}

    def taken(self, sample: int | None, inferred: Collection[str]) -> dict[str, float]:
        """Parameters from another inference, name -> value, that complete a draw of this one.

        Args:
            sample: number of a joint sample of that inference; numbers beyond its last start anew. None: its
                representative.
            inferred: names of the parameters in a draw of this inference.
        """
        return {}

    def options_without_use(self, measured: bool) -> Mapping[str, str]:
        """Options of the scenario that an inference does not use: name -> end of the sentence "OPTION VALUE ...".

        Args:
            measured: whether the evidence is a user's measurements.
        """
        return {}

    def source(self) -> str:
        """Source of the published evidence."""
        return "published"


def inference_side(scenario: Scenario) -> InferenceSide:
    """The inference of a scenario.

    Raises:
        InputError: if the scenario has none.
    """
    require(scenario, PRIORS, "infer updates")
    if isinstance(scenario.inference, type):
        return scenario.inference(scenario)
    return object_at(scenario.inference)(scenario)
