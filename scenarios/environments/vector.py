"""Many environments of one scenario as one Gymnasium vector environment, whose windows run in one batch.

Each environment returns the same bits as a single `pmtwin.scenarios.environments.environment.ControlEnv` with the same
seed and actions, on any number of threads. `info` has the form of Gymnasium's vector environments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate

from pmtwin.scenarios.batch import Shown
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.environments.making import OPTIONS, scenario_and_arguments
from pmtwin.scenarios.environments.vector_infos import add_columns, column
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.windows import checked_reward, window_info
from pmtwin.sim.common.threads import MOST_THREADS, usable_processors
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.options import leaves

MOST_ENVS = 100_000
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
RESET_MASK = "reset_mask"
"""Option of `reset`: mask of the environments to reset."""


class ControlVectorEnv(VectorEnv):
    """Control of several systems at once.

    Args:
        envs: one or more environments of the same scenario object.
        autoreset_mode: reset of an environment at the end of its episode. `NEXT_STEP`: the next step resets it and
            ignores its action. `SAME_STEP`: the same step resets it, and `info` has `final_obs` and `final_info`.
            `DISABLED`: it must be reset with the option `reset_mask` before its next step.
        threads: number of threads that run the windows, if the scenario's systems allow several.

    Raises:
        InputError: for an unknown mode.
    """

    metadata = {"render_modes": [], "autoreset_mode": NEXT_STEP}  # noqa: RUF012 - as Gymnasium requires

    def __init__(self, envs: Sequence[ControlEnv], autoreset_mode: AutoresetMode | str = NEXT_STEP, threads: int = 1):
        self.envs, self.num_envs = list(envs), len(envs)
        self.autoreset_mode = _checked_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.scenario = self.envs[0].scenario
        self.single_action_space, self.single_observation_space = envs[0].action_space, envs[0].observation_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._batch = self.scenario.batch(threads)
        self._observations = np.zeros(self.observation_space.shape or ())
        self._ended = np.zeros(self.num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict | None = None
    ) -> tuple[np.ndarray, dict]:
        """Begin an episode in every environment, or in those of the option `reset_mask`.

        Args:
            seed: seed of environment i is `seed + i`, or `seed[i]`; None: random numbers continue.
            options: options of `ControlEnv.reset`, for all environments, and `reset_mask`: bool, shape (num_envs,).

        Returns:
            (observations, shape (num_envs, columns); infos).

        Raises:
            InputError: for a wrong number of seeds, another mask, or what `ControlEnv.reset` refuses.
        """
        seeds, options = self._checked_seeds(seed), dict(options or {})
        places = self._checked_mask(options.pop(RESET_MASK, None))
        infos: dict[str, Any] = {}
        self._reset(places, [seeds[place] for place in places], options, infos)
        return self._observations.copy(), infos

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """Carry out an action in every environment, and run a window of each.

        Returns:
            (observations, shape (num_envs, columns), float64; rewards, shape (num_envs,), float64; terminations and
            truncations, shape (num_envs,), bool; infos: name -> array over environments, and `_name` -> mask of the
            environments that have it).

        Raises:
            InputError: for actions of another shape or out of the space, before `reset`, and in mode `DISABLED` for an
                environment whose episode is over.
        """
        checked = self._checked_actions(actions)
        reset_first = np.zeros_like(self._ended)
        if self.autoreset_mode == NEXT_STEP:
            reset_first = self._ended
        elif self._ended.any():
            place = int(np.argmax(self._ended))
            raise InputError("step", f"environment {place}, whose episode is over", f"reset() with {RESET_MASK} first")
        rewards, truncations = np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=bool)
        infos: dict[str, Any] = {}
        places = np.flatnonzero(~reset_first)
        if places.size:
            truncations[places] = self._advance(places, checked, rewards, infos)
        self._ended = truncations.copy()
        ended = np.flatnonzero(truncations if self.autoreset_mode == SAME_STEP else reset_first)
        if ended.size:
            self._reset(ended.tolist(), [None] * ended.size, {}, infos)
        return self._observations.copy(), rewards, np.zeros(self.num_envs, dtype=bool), truncations, infos

    def _advance(self, places: np.ndarray, actions: Sequence, rewards: np.ndarray, infos: dict) -> np.ndarray:
        """Make a step of some environments, and fill `rewards` and `infos`; returns which of their episodes ended."""
        envs = [self.envs[place] for place in places]
        systems = [env.running() for env in envs]
        with envs[0].scenario_call("step"):
            before = [system.setting() for system in systems] if self.scenario.resize_cost else []
            for place, system in zip(places, systems, strict=True):
                system.apply(actions[place])
            self._batch.run_windows(systems)
            shown = self._batch.shown(systems)
            value = checked_reward(self.scenario, self.scenario.rewards(shown.measures))
            if before:
                pairs, distance = zip(before, shown.settings, strict=True), self.scenario.settings.distance
                value = value - self.scenario.resize_cost * np.array([distance(*pair) for pair in pairs])
        agent = envs[0].agent
        histories = [env.history for env in envs]
        observations = agent.observations(agent.noted_together(histories, shown.observations, shown.measures))
        rewards[places], self._observations[places] = agent.reward(value), observations
        info = self._info(envs, shown)
        over = np.array([env.count_step() for env in envs])
        final = over if self.autoreset_mode == SAME_STEP else np.zeros_like(over)
        add_columns(infos, info, places, ~final, self.num_envs)
        if final.any():
            final_info: dict[str, Any] = {}
            add_columns(infos, {"final_obs": column(list(observations))}, places, final, self.num_envs)
            add_columns(final_info, info, places, final, self.num_envs)
            infos["final_info"], infos["_final_info"] = final_info, infos["_final_obs"].copy()
        return over

    def _info(self, envs: Sequence[ControlEnv], shown: Shown) -> dict[str, np.ndarray]:
        """`info` of `ControlEnv.step` for several environments, as arrays."""
        settings, devices = column(shown.settings), column([env.device for env in envs])
        return window_info(self.scenario, shown.measures, settings, shown.extrapolated, devices)

    def _reset(self, places: Sequence[int], seeds: Sequence[int | None], options: dict, infos: dict) -> None:
        """Begin an episode in some environments, and add their info to `infos`."""
        envs = [self.envs[place] for place in places]
        for env, seed in zip(envs, seeds, strict=True):
            env.begin(seed, options)
        systems = [env.running() for env in envs]
        with envs[0].scenario_call("reset"):
            for _ in range(envs[0].warmup_windows):
                self._batch.run_windows(systems)
            for place, env in zip(places, envs, strict=True):
                self._observations[place], info = env.opening()
                self._add_info(infos, info, place)
        self._ended[places] = False

    def _checked_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + place for place in range(self.num_envs)]
        seeds = list(seed) if isinstance(seed, Iterable) and not isinstance(seed, str) else []
        if len(seeds) != self.num_envs:
            raise InputError("seed", seed, f"a whole number, or {self.num_envs} of them, one for each environment")
        return [None if value is None else int(value) for value in seeds]

    def _checked_mask(self, mask: np.ndarray | None) -> list[int]:
        """Indices of the environments that a mask selects; all for None."""
        if mask is None:
            return list(range(self.num_envs))
        fits = isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (self.num_envs,)
        if not (fits and mask.any()):
            raise InputError(RESET_MASK, mask, f"a numpy array of {self.num_envs} truth values, one of them true")
        return np.flatnonzero(mask).tolist()

    def _checked_actions(self, actions: Any) -> Sequence:
        """The action for each environment's system."""
        space, single = self.action_space, self.single_action_space
        if space.shape is not None:
            actions = np.asarray(actions)
            if actions.shape != space.shape:
                allowed = f"{list(space.shape)}: for each environment {self.envs[0].actions.described}"
                raise InputError("actions: shape", actions.shape, allowed)
        if isinstance(single, Discrete) and actions.dtype.kind in "iu" and space.contains(actions):
            return actions.tolist()
        of_agent = self.envs[0].actions.of_agent
        return [of_agent(action, f"actions[{place}]") for place, action in enumerate(iterate(space, actions))]

    def close_extras(self, **_) -> None:
        """Close all environments."""
        for env in self.envs:
            env.close()
        self._batch.close()


def _checked_mode(mode: AutoresetMode | str) -> AutoresetMode:
    for known in AutoresetMode:
        if mode in (known, known.value):
            return known
    raise InputError("autoreset_mode", mode, ", ".join(known.value for known in AutoresetMode))


def make_vector_environment(
    scenario: str | type[Scenario],
    num_envs: int = 1,
    autoreset_mode: AutoresetMode | str = NEXT_STEP,
    threads: int | None = None,
    workers: int | None = None,
    **values: Any,
) -> ControlVectorEnv:
    """A vector environment of `num_envs` environments of a scenario.

    Args:
        scenario, values: as for `pmtwin.scenarios.make_environment`.
        num_envs: number of environments.
        autoreset_mode: as in `ControlVectorEnv`; a mode or its value, such as `"SameStep"`.
        workers: number of threads that run the windows; None: the number of processors that this process may use.
        threads: the same, in a scenario that has no option of this name.

    Raises:
        InputError: for an unknown name, or a value that is not accepted, or `threads` where it may mean either.
    """
    check_range("num_envs", num_envs, 1, MOST_ENVS)
    chosen, arguments = scenario_and_arguments(scenario, values)
    running = _workers(chosen, threads, workers)
    envs = [ControlEnv(chosen, **arguments) for _ in range(int(num_envs))]
    return ControlVectorEnv(envs, autoreset_mode, min(running, len(envs)))


def _workers(scenario: Scenario, threads: int | None, workers: int | None) -> int:
    """Number of threads that run the windows, from both of its names."""
    if threads is not None:
        if any(leaf.name == "threads" for leaf in leaves(scenario.Options)):
            allowed = (
                f"{OPTIONS}={{'threads': {threads}}} for the scenario's, workers={threads} for those of the windows"
            )
            raise InputError("threads", threads, allowed, wrong=f"may mean either in {scenario.name}")
        if workers is not None:
            raise InputError("threads", threads, f"workers={workers} alone", wrong="is given beside another name of it")
    name, count = ("workers", workers) if threads is None else ("threads", threads)
    count = usable_processors() if count is None else count
    check_range(name, count, 1, MOST_THREADS)
    return int(count)
