"""Capability: formulas that predict windows without simulation, for searches and predictive policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pmtwin.scenarios.system import Setting


class WithFormulas:
    """A scenario with formulas."""

    def predicted(
        self, context: int | str, settings: Sequence[Setting], loads: int, seed: int, pace: float = 1.0
    ) -> Mapping[str, np.ndarray] | None:
        """Predictions for windows at settings.

        Args:
            loads: largest number of loads, if the load changes during a run.
            seed: seed of the load.
            pace: factor on the offered load.

        Returns:
            measure -> values, shape (loads, settings); None if the scenario has no formulas.
        """
        return None

    @property
    def forecaster(self) -> Callable[[], Any] | None:
        """Function that makes a `pmtwin.sim.control.forecast.Forecaster` for the system; None without formulas."""
        return None
