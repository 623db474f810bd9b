"""`pmtwin bench vector`: windows per second of vector environments, and of single environments in a loop.

Windows of a hundred requests show the overhead of a step; those of 5,000 are the default of the environments.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

import numpy as np

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case, show
from pmtwin.bench.timing import Work
from pmtwin.scenarios import make_environment, make_vector_environment
from pmtwin.sim.common.threads import usable_processors
from pmtwin.sim.errors import CheckFailedError

__all__ = ["measure", "show"]

SCENARIO = "nvm-middleware"
REQUESTS = (100, 5_000)
"""Requests of a window, by case."""

ENVIRONMENTS = (64, 8, 1)
MOST_CORES = 2
WARM_UP_STEPS = 3
ACTIONS_DRAWN = 100


def measure(request: Request) -> dict:
    """Time vector environments on one core and on two, and single environments in a loop.

    Raises:
        CheckFailedError: if their simulations differ.
    """
    return race.measure("windows", [_case(requests) for requests in REQUESTS], request, several_cores=True)


def _case(requests: int) -> Case:
    """Environments with the same seeds, after a warm-up that also checks that they agree."""
    options = {"requests_per_window": requests, "episode_steps": None, "jumps": False}
    contenders, shown = {}, {}
    for cores in range(min(MOST_CORES, usable_processors()), 0, -1):
        for count in ENVIRONMENTS:
            if cores <= count:
                name = f"{count} environment{'s' * (count > 1)}, {cores} core{'s' * (cores > 1)}"
                contenders[name], shown[name] = _together(count, cores, options)
    name = f"{ENVIRONMENTS[0]} single environments in a loop"
    contenders[name], shown[name] = _in_a_loop(ENVIRONMENTS[0], options)
    for other, observations in shown.items():
        if not np.array_equal(observations, shown[name][: len(observations)]):
            raise CheckFailedError(f"the environments disagree: {other}, and {name}")
    return Case(f"windows of {requests} requests", contenders)


def _together(count: int, cores: int, options: dict) -> tuple[Work, np.ndarray]:
    """(steps of a vector environment, its observations after the warm-up)."""
    env = make_vector_environment(SCENARIO, count, threads=cores, **options)
    env.reset(seed=SEED)
    step = _with_actions(count, lambda actions: env.step(actions)[0])
    return _work(step, count), _warm(step)


def _in_a_loop(count: int, options: dict) -> tuple[Work, np.ndarray]:
    """(steps of single environments in a loop, their observations after the warm-up)."""
    envs = [make_environment(SCENARIO, **options) for _ in range(count)]
    for place, env in enumerate(envs):
        env.reset(seed=SEED + place)
    step = _with_actions(
        count, lambda actions: np.array([env.step(action)[0] for env, action in zip(envs, actions, strict=True)])
    )
    return _work(step, count), _warm(step)


def _with_actions(count: int, step: Callable[[np.ndarray], np.ndarray]) -> Callable[[], np.ndarray]:
    """A step with random actions; the actions of environment i do not depend on the number of environments."""
    rngs = [np.random.default_rng([SEED, place]) for place in range(count)]
    actions = cycle(np.array([rng.integers(9, size=ACTIONS_DRAWN) for rng in rngs]).T)
    return lambda: step(next(actions))


def _warm(step: Callable[[], np.ndarray]) -> np.ndarray:
    for _ in range(WARM_UP_STEPS):
        observations = step()
    return observations


def _work(step: Callable[[], np.ndarray], count: int) -> Work:
    def work() -> int:
        step()
        return count

    return work
