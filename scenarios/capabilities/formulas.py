"""Capability: formulas that predict windows without running them, for searches and predictive policies."""

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
        """Predictions for windows at settings, from formulas: measure -> values, shape (loads, settings).

        Args:
            loads: largest number of loads of a run. seed: of the load. pace: factor on what is offered.

        Returns:
            None: the scenario has no formulas.
        """
        return None

    @property
    def forecaster(self) -> Callable[[], Any] | None:
        """Makes a `pmtwin.sim.control.forecast.Forecaster` of the options' own system; None without formulas."""
        return None
