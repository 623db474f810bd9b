"""Runs steps in order, with a cache of finished steps, and prints their estimated durations."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pmtwin.console.output import about, message
from pmtwin.console.progress import progress
from pmtwin.pipeline.step import Setting, Step, Work
from pmtwin.pipeline.store import Store
from pmtwin.sim.compiling import functions as compiling
from pmtwin.sim.errors import InputError

ASSUMED_WINDOW_S = 0.5e-3
"""Assumed seconds of a window of the twin on one core."""

ASSUMED_SHARE = 0.5
"""Weight of the assumed pace against that of the finished steps, as a share of the whole work."""


def _compiled() -> int:
    """Number of functions that this process and its workers have compiled and stored."""
    folder = compiling.cache_folder()
    return 0 if folder is None else sum(1 for _ in folder.rglob("*.nbc"))


def usual_s(setting: Setting, step: Step) -> float:
    """Seconds of a step on the machine of the declared durations."""
    share = setting.jobs if step.parallel else 1
    window_s = ASSUMED_WINDOW_S if step.window_s is None else step.window_s
    return step.fixed_s + step.windows(setting) * window_s / share


@dataclass(frozen=True)
class Done:
    """A finished step: values, folder, key, and the seconds of its computation."""

    step: Step
    values: dict
    folder: Path
    key: str
    seconds: float
    cached: bool


class Runner:
    """Runs steps.

    Args:
        setting: setting of all steps.
        store: cache of the steps.
    """

    def __init__(self, setting: Setting, store: Store):
        self.setting, self.store = setting, store
        self._assumed_s = self._expected_s = self._measured_s = 0.0

    def run(self, steps: list[Step]) -> dict[str, Done]:
        """Run the steps, each after those that it needs; returns name -> finished step."""
        done: dict[str, Done] = {}
        self._assumed_s = ASSUMED_SHARE * sum(usual_s(self.setting, step) for step in steps)
        for number, step in enumerate(steps, 1):
            key = step.key(self.setting, {name: done[name].key for name in step.needs})
            values = self.store.load(step.name, key)
            place = f"[{number}/{len(steps)}]"
            if values is not None and step.lasting(values):
                message(f"{place} {step.title}: done before")
                folder, seconds = self.store.path(step.name, key), self.store.seconds(step.name, key)
                done[step.name] = Done(step, values, folder, key, seconds, True)
                continue
            left = sum(self.estimate_s(other) for other in steps[number - 1 :])
            message(f"{place} {step.title}: {about(self.estimate_s(step))}, with all that follows {about(left)}")
            done[step.name] = self._compute(step, key, done)
        return done

    def estimate_s(self, step: Step) -> float:
        """Expected seconds of a step: its usual duration times the slowdown of the finished steps.

        A finished step counts by its share of the whole work, so that a short one hardly changes the estimate.
        """
        expected_s = self._assumed_s + self._expected_s
        return usual_s(self.setting, step) * ((self._assumed_s + self._measured_s) / expected_s if expected_s else 1.0)

    def _compute(self, step: Step, key: str, done: dict[str, Done]) -> Done:
        folder = self.store.begin(step.name, key)
        inputs = {name: done[name] for name in step.needs}
        work = Work(
            setting=self.setting,
            results={name: step_input.values for name, step_input in inputs.items()},
            folders={name: step_input.folder for name, step_input in inputs.items()},
            folder=folder,
            progress=partial(progress, leave=False),
        )
        began, kept = time.perf_counter(), _compiled()
        values = step.compute(work)
        seconds = time.perf_counter() - began
        final = self.store.finish(step.name, key, values, seconds)
        if _compiled() == kept:  # a wait for the compiler says nothing of the pace of what follows
            self._expected_s += usual_s(self.setting, step)
            self._measured_s += seconds
        message(f"      {seconds:.0f} s")
        # Read back: a fresh run and one from the cache go on with the same values.
        read_back = self.store.load(step.name, key)
        if read_back is None:
            raise InputError("output", str(final), "a medium that keeps what is written", wrong="cannot be read back")
        return Done(step, read_back, final, key, seconds, False)
