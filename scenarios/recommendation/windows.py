"""Simulated windows at many settings at once, under the same requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing

import numpy as np

from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting

BATCH_SIZE = 64
"""Number of systems that run at once; it limits memory."""


class Windows:
    """Runs windows of fixed settings in a context.

    Args:
        scenario: the scenario with its options, which may include samples of device and host.
        context: name of the context, or `OWN`.
        threads: number of threads that run windows; the result is the same for any number.
        on_windows: called with the number of windows that have just run (progress).

    Attributes:
        extrapolated: whether any window used the device model outside the data that it was fitted to.
    """

    def __init__(
        self, scenario: Scenario, context: int | str, threads: int, on_windows: Callable[[int], object] = lambda n: None
    ):
        self.scenario, self.threads, self.on_windows = scenario, threads, on_windows
        self.extrapolated = False
        self._conditions = scenario.own_conditions if context == OWN else context

    def run(
        self, settings: Sequence[Setting], windows: int, warmup: int, seeds: Sequence[int]
    ) -> dict[str, np.ndarray]:
        """Run the settings: measure -> values, shape (settings, seeds, windows).

        Args:
            windows: number of windows that count, for each setting and seed.
            warmup: number of windows before those that count.
            seeds: seeds of the requests, the same for all settings; seed number k uses sample k of device and host, if
                the scenario has samples.
        """
        systems = [(setting, k) for setting in settings for k in range(len(seeds))]
        parts = [
            self._batch(systems[first : first + BATCH_SIZE], windows, warmup, seeds)
            for first in range(0, len(systems), BATCH_SIZE)
        ]
        shape = (len(settings), len(seeds), windows)
        return {name: np.concatenate([part[name] for part in parts]).reshape(shape) for name in parts[0]}

    def _batch(
        self, cases: Sequence[tuple[Setting, int]], windows: int, warmup: int, seeds: Sequence[int]
    ) -> Mapping[str, np.ndarray]:
        """Run a batch of (setting, index of its seed): measure -> values, shape (cases, windows)."""
        batch = self.scenario.batch(self.threads)
        with ExitStack() as stack:
            stack.enter_context(closing(batch))
            systems = []
            for setting, k in cases:
                device = k % self.scenario.devices if self.scenario.devices else 0
                system = self.scenario.system(self._conditions, seeds[k], device)
                systems.append(stack.enter_context(closing(system)))
                system.start(setting)
            rows = []
            for window in range(warmup + windows):
                batch.run_windows(systems)
                self.on_windows(len(systems))
                if window >= warmup:
                    shown = batch.shown(systems)
                    self.extrapolated |= bool(np.any(shown.extrapolated))
                    rows.append(shown.measures)
        return {name: np.stack([row[name] for row in rows], axis=1) for name in rows[0]}
