"""Systems of one scenario whose windows run together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from pmtwin.scenarios.windows import checked_measures, checked_observation

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario
    from pmtwin.scenarios.system import Setting, System


Running = TypeVar("Running", bound="System")


class Shown(NamedTuple):
    """Measures of the last windows of n systems.

    Fields:
        observations: shape (n, columns), float64, fresh.
        measures: name -> array of shape (n,).
        settings: of each system now.
        extrapolated: shape (n,), see `pmtwin.scenarios.system.Validity`.
    """

    observations: np.ndarray
    measures: Mapping[str, np.ndarray]
    settings: Sequence[Setting]
    extrapolated: np.ndarray


class Batch(Generic[Running]):
    """Runs windows of several systems; this one a system after the other, which any scenario's systems can.

    A scenario whose systems run faster together gives another one (`Scenario.batch`), with the same numbers.
    """

    def __init__(self, scenario: Scenario):
        self.scenario = scenario

    def run_windows(self, systems: Sequence[Running]) -> None:
        """Let one window of each pass; all of them are started, and different ones."""
        for system in systems:
            system.run_window()

    def shown(self, systems: Sequence[Running]) -> Shown:
        """Measures of the windows of the last `run_windows`, of the same systems.

        Raises:
            InputError: for an observation of another shape than declared, or a declared measure that is missing.
        """
        measures = [checked_measures(self.scenario, system.measures()) for system in systems]
        names = [name for name in measures[0] if all(name in each for each in measures)]
        return Shown(
            np.array([checked_observation(self.scenario, system.observation()) for system in systems]),
            {name: np.array([each[name] for each in measures]) for name in names},
            [system.setting() for system in systems],
            np.array([system.validity().extrapolated for system in systems], dtype=bool),
        )

    def close(self) -> None:
        """Give back threads; the systems are closed by whoever made them."""
        return
