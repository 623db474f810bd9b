"""About how long a training takes: its windows, each as long as some that are simulated now."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from pmtwin.cluster import workers_of

if TYPE_CHECKING:
    from pmtwin.commands.train import Config
    from pmtwin.scenarios.scenario import Scenario

WARM, TIMED = 5, 60
"""Windows before the clock starts (what is compiled is loaded there), and windows that are timed."""


def about_seconds(config: Config) -> float | None:
    """Seconds of the training on this machine, two digits; None on a real middleware, where nothing is timed."""
    scenario = config.scenario
    if scenario.sequential:
        return None
    window_s = window_seconds(scenario)
    with workers_of(config.backend, config.scheduler, config.jobs) as workers:
        if config.chosen is config.training:
            steps = config.plan().steps()  # episodes of the online part follow one another
            windows = steps["online"] + (steps["dataset"] + steps["selection"]) / workers
        else:
            windows = config.chosen.window_cost * config.chosen.windows() / workers
    return float(f"{windows * window_s:.2g}")


def window_seconds(scenario: Scenario) -> float:
    """Mean time of a window under random actions."""
    from pmtwin.scenarios.environment import ControlEnv

    with closing(ControlEnv(scenario, episode_steps=None)) as env:
        env.reset(seed=0)
        env.action_space.seed(0)
        for window in range(WARM + TIMED):
            if window == WARM:
                began = time.perf_counter()
            env.step(env.action_space.sample())
    return (time.perf_counter() - began) / TIMED
