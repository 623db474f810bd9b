"""Windows of the twin at many settings at once, under the same requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing

import numpy as np

from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting

TOGETHER = 64
"""Systems that run at once: bounds the memory."""


class Windows:
    """Runs windows of fixed settings in a context.

    Args:
        scenario: with its options, samples of device and host among them. context: its name, or `OWN`.
        threads: that share the windows; any number, same result.
        on_windows: called with a number of windows that have passed (progress).

    Attributes:
        extrapolated: whether the twin of any window has points outside the data that it was fitted to.
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
        """Measure -> values, shape (settings, seeds, windows).

        Args:
            warmup: windows before those that count.
            seeds: of the requests, the same for all settings; seed number k meets sample k of device and host, if the
                scenario has samples.
        """
        systems = [(setting, k) for setting in settings for k in range(len(seeds))]
        parts = [
            self._together(systems[first : first + TOGETHER], windows, warmup, seeds)
            for first in range(0, len(systems), TOGETHER)
        ]
        shape = (len(settings), len(seeds), windows)
        return {name: np.concatenate([part[name] for part in parts]).reshape(shape) for name in parts[0]}

    def _together(
        self, systems: Sequence[tuple[Setting, int]], windows: int, warmup: int, seeds: Sequence[int]
    ) -> Mapping[str, np.ndarray]:
        batch = self.scenario.batch(self.threads)
        with ExitStack() as stack:
            stack.enter_context(closing(batch))
            made = []
            for setting, k in systems:
                device = k % self.scenario.devices if self.scenario.devices else 0
                system = self.scenario.system(self._conditions, seeds[k], device)
                made.append(stack.enter_context(closing(system)))
                system.start(setting)
            rows = []
            for window in range(warmup + windows):
                batch.run_windows(made)
                self.on_windows(len(made))
                if window >= warmup:
                    shown = batch.shown(made)
                    self.extrapolated |= bool(np.any(shown.extrapolated))
                    rows.append(shown.measures)
        return {name: np.stack([row[name] for row in rows], axis=1) for name in rows[0]}
