"""Any scenario as a Gymnasium environment: a step acts, runs one window, and returns observation and reward.

`reset` starts an empty system and runs `warmup_windows` windows at the first setting. An episode is truncated after
`episode_steps` steps; none terminates. With sampled devices every episode runs on one of them, drawn by `reset`.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import gymnasium
import numpy as np

from pmtwin.policies.points import default_policies
from pmtwin.scenarios.capabilities.required import SETTINGS, require
from pmtwin.scenarios.environments.actions import Actions
from pmtwin.scenarios.environments.agent_interface import AgentInterface
from pmtwin.scenarios.environments.episode_contexts import Drawn, EpisodeContexts
from pmtwin.scenarios.payoff import payoff
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting, System
from pmtwin.scenarios.windows import checked_measures, checked_observation, checked_reward, window_info
from pmtwin.sim.common.user_files import place_of
from pmtwin.sim.errors import FAILURES, AnswerError, InputError, PmtwinError, ScenarioError, check_range

RANDOM: Final = "random"
MOST_HISTORY = 100
"""Largest number of windows in an observation."""


class ControlEnv(gymnasium.Env):
    """Gymnasium environment for the control of a scenario's system.

    Args:
        scenario: scenario with its options.
        context: context of the episodes; None: the first one; several: every reset draws one of them. Refused if the
            options set conditions in the place of contexts.
        setting: setting at reset; "random": drawn uniformly within the bounds; None: the scenario's initial setting.
        episode_steps: number of steps until truncation; None: never.
        warmup_windows: number of windows that `reset` runs before the first observation; None: as the scenario
            declares.
        mode: one of the scenario's modes; None: the ordinary one.
        context_steps: number of steps after which another context is drawn, as at a reset; None: the context stays
            during an episode.
        drawn_share: probability that conditions drawn from the scenario's ranges for training replace a drawn context.
            Above 0 and without `context`, the contexts are those of `pmtwin train`.
        normalize: observations from -1 to 1, and rewards on a logarithmic scale, for neural networks
            (`pmtwin.sim.control.normalization`).
        measures: whether observations have, after their columns, the measures of the window in the order of the
            scenario's declaration. A normalised measure with a goal is the distance from the goal.
        history: number of windows in an observation, newest first.
        jumps: whether an action is the next setting, given by its numbers; otherwise it is an action of the scenario.

    Raises:
        InputError: naming the argument that is not accepted.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium requires

    def __init__(
        self,
        scenario: Scenario,
        context: int | str | Sequence[int | str] | None = None,
        setting: Setting | str | None = None,
        episode_steps: int | None = 200,
        warmup_windows: int | None = None,
        mode: str | None = None,
        render_mode: str | None = None,
        context_steps: int | None = None,
        drawn_share: float = 0.0,
        normalize: bool = False,
        measures: bool = False,
        history: int = 1,
        jumps: bool = False,
    ):
        if episode_steps is not None:
            check_range("episode_steps", episode_steps, 1, 10**9)
        warmup_windows = scenario.warmup_windows if warmup_windows is None else warmup_windows
        check_range("warmup_windows", warmup_windows, int(measures), 10**6)  # measures need a window
        check_range("history", history, 1, MOST_HISTORY)
        self.scenario, self.render_mode = scenario, render_mode
        self.mode = check_mode(scenario, mode)
        self.episode_steps, self.warmup_windows = episode_steps, int(warmup_windows)
        self.first_setting: Setting | Literal["random"]
        if setting is None:
            self.first_setting = scenario.initial_setting
        elif setting == RANDOM:
            require(scenario, SETTINGS, "an environment draws")
            self.first_setting = RANDOM
        else:
            self.first_setting = scenario.settings.stated(f"initial_{scenario.settings.noun}", setting)
        self._contexts = EpisodeContexts(scenario, context, context_steps, drawn_share)
        self.context_steps = context_steps
        self.context, self.conditions = self._contexts.first(self.np_random)
        self.system: System | None = None
        self.inline: Mapping[str, Any] = {}
        """Decision point inside the windows -> policy that decides there from the next reset on; other points have the
        scenario's default."""
        self.device = self.system_seed = 0
        self.actions = Actions(scenario, jumps)
        self.agent = AgentInterface(scenario, normalize, measures, int(history))
        self.action_space, self.observation_space = self.actions.space, self.agent.observation_space
        self.history = self.agent.new_history()
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode with an empty system.

        Args:
            seed: root of all random numbers of this and the following episodes.
            options: `context` (also for later episodes), `setting` and `device` (number of a sample, for this episode);
                the first two also under the scenario's nouns.

        Raises:
            InputError: for an unknown option, or a value that is not accepted.
        """
        self.begin(seed, options)
        with self.scenario_call("reset"):
            for _ in range(self.warmup_windows):
                self.running().run_window()
            return self.opening()

    def begin(self, seed: int | None, options: dict | None) -> None:
        """Start a new episode, without the windows of the warm-up; arguments as for `reset`."""
        super().reset(seed=seed)
        with self.scenario_call("reset"):
            self._begin(options or {})

    def _begin(self, options: dict) -> None:
        options = self._reset_options(options)
        setting = self._first_setting_of(options.get("setting"))
        if options.get("context") is not None:
            drawn = self._contexts.conditions_of(options["context"], self.np_random, options.get("conditions"))
        else:
            drawn = self._contexts.of_reset((self.context, self.conditions), self.np_random)
        self.context, self.conditions = drawn
        self.close()
        device = options.get("device")
        self.device = self._draw_device() if device is None else self._check_device(device)
        self.system_seed = int(self.np_random.integers(2**63))
        self.system = self._new_system(self.system_seed)
        self._name_deciders(self.system_seed)
        self.system.start(setting)
        self.history.clear()
        self._steps = 0

    def _name_deciders(self, seed: int) -> None:
        """Give the system a policy for each decision point; its seed does not depend on those of other points."""
        points = self.scenario.points
        if not points:
            return
        deciding = default_policies(self.scenario) | dict(self.inline)
        for number, point in enumerate(points):
            if point.name in deciding:
                point_seed = int(np.random.SeedSequence([seed, number]).generate_state(1)[0])
                self.running().decide(point.name, deciding[point.name], point_seed)

    def opening(self) -> tuple[np.ndarray, dict]:
        """(observation, info) after the warm-up of an episode."""
        info = self._measure()[1] if self.warmup_windows else {}
        return self._observe(info), info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Carry out an action of the space, and run a window.

        `info` has every measure by name, `met_NAME` for each goal, the setting under the scenario's noun (if it has
        settings), `extrapolated`, and `device` (number of the episode's sample). The context is not in `info`, but the
        attribute `context`.

        Raises:
            InputError: for an action outside the space, or before `reset`.
        """
        self.running()
        return self._advance(self.actions.of_agent(action))

    def carry_out(self, choice: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """As `step`, for the choice of a policy: an action of the scenario, or a setting, independent of `jumps`.

        `()` changes nothing before the window.

        Raises:
            InputError: for another value, or before `reset`.
        """
        self.running()
        return self._advance(self.actions.of_policy(choice))

    def _advance(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        system = self.running()
        with self.scenario_call("step"):
            setting_before = system.setting() if self.scenario.resize_cost else None
            if not (isinstance(action, tuple) and not action):
                system.apply(action)
            system.run_window()
            value, info = self._measure(setting_before)
            observation = self._observe(info)
        return observation, value, False, self.count_step(), info

    def tried(self, setting: tuple[int, ...]) -> tuple[float, Any]:
        """Try a setting in the coming window, for oracles: (payoff, load and queues after it).

        Raises:
            InputError: for a setting out of range, or a system that cannot be copied.
        """
        trial = self.running().tried(self._checked(setting))
        if trial is None:
            raise InputError("policy", "prophet", f"over a simulator that can be copied; not {self.scenario.name} here")
        measures = {name: np.array([value]) for name, value in trial.measures.items()}
        return float(payoff(self.scenario, measures)[0]), trial.load

    def count_step(self) -> bool:
        """Count a finished step, and change the context if that is due; returns whether the episode is truncated."""
        self._steps += 1
        is_truncated = self.episode_steps is not None and self._steps >= self.episode_steps
        if self.context_steps is not None and not is_truncated and self._steps % self.context_steps == 0:
            self._change_context(self._contexts.draw(self.np_random))
        return is_truncated

    def set_context(self, context: int | str, conditions: Any = None) -> None:
        """Continue in another context, with the same system and its requests in flight.

        Args:
            context: name of the context.
            conditions: conditions that replace those of the context; None: none.

        Raises:
            InputError: for an unknown context, or before `reset`.
        """
        self.running()
        self._change_context(self._contexts.conditions_of(context, self.np_random, conditions))

    def _change_context(self, drawn: Drawn) -> None:
        system, (self.context, self.conditions) = self.running(), drawn
        with self.scenario_call("set_context"):
            system.set_context(self.conditions)

    def check_engine(self) -> None:
        """Raise the error of `reset` if the engine is not installed or cannot run the scenario's windows."""
        self.device = 0
        self._new_system(0).close()

    @property
    def setting(self) -> Setting:
        """The setting in force."""
        return self.running().setting()

    def close(self) -> None:
        """Close the system; `reset` starts a new one."""
        system, self.system = self.system, None
        if system is not None:
            system.close()

    @contextmanager
    def scenario_call(self, method: str) -> Iterator[None]:
        """Context manager: errors of a user's scenario name the scenario and the line, impossible answers the policy;
        others pass unchanged.
        """
        try:
            yield
        except AnswerError as error:
            policy = self.inline.get(error.point)
            raise error if policy is None else error.by(policy.spec) from error
        except (PmtwinError, KeyboardInterrupt):
            raise
        except FAILURES as error:
            for policy in self.inline.values():
                if (fault := policy.fault(error)) is not None:
                    raise fault from error
            scenario = type(self.scenario)
            if scenario.__module__.startswith("pmtwin."):
                raise
            place = place_of(error, Path(inspect.getfile(scenario)), getattr(scenario, method, None))
            raise ScenarioError(scenario.name, method, place, f"{type(error).__name__}: {error}") from error

    def _new_system(self, seed: int) -> System:
        return self.scenario.system(self.conditions, seed, self.device, self.mode)

    def running(self) -> System:
        """The system of the present episode.

        Raises:
            InputError: before `reset`.
        """
        if self.system is None:
            raise InputError("env", "not started", "an environment after reset()")
        return self.system

    def _reset_options(self, options: dict) -> dict:
        """Options of `reset`, with the scenario's nouns replaced by generic ones."""
        nouns = {self.scenario.contexts.noun: "context", self.scenario.settings.noun: "setting"}
        generic = {nouns.get(name, name): value for name, value in options.items()}
        unknown = sorted(set(generic) - {"context", "conditions", "setting", "device"})
        if unknown:
            raise InputError("options", unknown, ", ".join((*nouns, "device")))
        return generic

    def _draw_device(self) -> int:
        """Number of an episode's device; 0, without a draw, if there are no samples."""
        return int(self.np_random.integers(self.scenario.devices)) if self.scenario.devices else 0

    def _check_device(self, device: int) -> int:
        check_range("device", device, 0, max(self.scenario.devices - 1, 0))
        return operator.index(device)

    def _checked(self, setting: object) -> Setting:
        return self.scenario.settings.check(self.scenario.settings.noun, setting)

    def _first_setting_of(self, stated: object) -> Setting:
        """The setting at a reset; stated: in its options, or None."""
        return self._draw_setting() if stated is None else self._checked(stated)

    def _draw_setting(self) -> Setting:
        if self.first_setting != RANDOM:
            return self.first_setting
        settings = self.scenario.settings
        return settings.at(self.np_random.integers(0, settings.widths).tolist())

    def _observe(self, info: dict) -> np.ndarray:
        observation = checked_observation(self.scenario, self.running().observation())
        return self.agent.observations(self.agent.noted(self.history, observation, info))

    def _measure(self, setting_before: Setting | None = None) -> tuple[float, dict]:
        """(reward, info) of the last window; setting_before: the setting before it, if resizing has a cost."""
        scenario, system = self.scenario, self.running()
        measures, setting = checked_measures(scenario, system.measures()), system.setting()
        reward = checked_reward(scenario, scenario.reward(measures))
        if setting_before is not None:
            reward -= scenario.resize_cost * scenario.settings.distance(setting_before, setting)
        extrapolated = system.validity().extrapolated
        info = window_info(scenario, measures, setting, extrapolated, self.device)
        return self.agent.reward(reward), info


def check_mode(scenario: Scenario, mode: str | None) -> str:
    """The mode; the scenario's ordinary one for None.

    Raises:
        InputError: for a mode that the scenario does not have.
    """
    if mode is None:
        return scenario.modes[0]
    if mode not in scenario.modes:
        raise InputError("mode", mode, f"{', '.join(scenario.modes)} (scenario {scenario.name})")
    return mode
