"""The thread pools of the NVM middleware as a Gymnasium environment: `pmtwin/NvmMiddleware-v0` (thesis section 3.4).

A step sets the pools (Table 3.3), runs one window of requests and returns the state (Table 3.2) and the reward
(Algorithm 1). An observation is `interactive_threads, batch_threads, interactive_queue_size, batch_queue_size,
interactive_block_size, batch_block_size, interactive_write_ratio, batch_write_ratio`: threads, requests, bytes and
shares, unscaled.

Where the thesis leaves a choice open, it is a parameter:

- Window: 5,000 completions, what is in flight carried over; or `drain=True`, its section 3.4.3: one second of
  the trace, all answered.
- Latency of the reward: p99 of the interactive class from submission to answer. Throughput: both classes together.
  Where no interactive request at all was answered while some waited, the length of the window stands for the latency,
  so that starving the class is never a latency of zero.
- Write ratio of the state: share of writes among all requests, 0 to 1 (writes per read would have no bound). Queue
  sizes are means over the last window.
- Pools at the start of an episode: `initial_pools` (15,15, its baseline), or "random". It does not say where an episode
  begins.
- Reset begins with an empty system; `warmup_windows` (1) run before the first observation.
- An episode is `episode_steps` (Table D.3: 200) steps, then truncated; None never ends. Nothing terminates.
- With `device_samples`, every episode runs on one of so many plausible devices, drawn at reset (domain randomisation).
- A phase stays the same within an episode unless `set_phase` changes it; the middleware runs on and what is in flight
  is carried over.
- Offered rates (`phases`) and all constants of the reward (`reward`).
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import gymnasium
import numpy as np

from pmtwin.scenarios.nvm_middleware.phases import BATCH_RATE_OPS, INTERACTIVE_RATE_OPS, check_phase, phase_workload
from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, reward
from pmtwin.scenarios.nvm_middleware.twin import TwinSettings
from pmtwin.sim import ACTIONS, POOL_MAX, POOL_MIN
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.workload import MAX_VALUE_BYTES, Workload

MAX_QUEUE = 1e5
"""Bound of a queue in an observation: a workload has at most this many clients."""

OBSERVATION_LOW = np.array([POOL_MIN, POOL_MIN, 0, 0, 0, 0, 0, 0], dtype=np.float64)
OBSERVATION_HIGH = np.array(
    [POOL_MAX, POOL_MAX, MAX_QUEUE, MAX_QUEUE, MAX_VALUE_BYTES, MAX_VALUE_BYTES, 1, 1], dtype=np.float64
)

_phase_workload = lru_cache(maxsize=64)(phase_workload)


class NvmMiddlewareEnv(gymnasium.Env):
    """Control of the two thread pools of the middleware.

    Args:
        phase: 1 to 4 (Appendix C); the phase of the next reset.
        workload: any other workload, instead of a phase.
        initial_pools: (interactive, batch) threads at reset, 1 to 32 each, or "random" (uniform, from the seed).
        episode_steps: steps until truncation; None never truncates.
        warmup_windows: windows run by `reset`, before the first observation.
        interactive_rate_ops, batch_rate_ops: offered operations/s of a phase; None sends at once.
        reward_parameters: the constants of Algorithm 1, as an object or as keyword arguments of one.
        twin: engine, profile, mode and window as an object, or any of them by keyword:
            `engine`, `profile`, `mode`, `requests_per_window`, `window_seconds`, `drain`, `parameters`,
            `device_samples`, `device_seed`, `device_spread`.

    Raises:
        InputError: naming the argument that is not accepted.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - the form Gymnasium asks for

    def __init__(
        self,
        phase: int = 1,
        workload: Workload | None = None,
        initial_pools: tuple[int, int] | str = (15, 15),
        episode_steps: int | None = 200,
        warmup_windows: int = 1,
        interactive_rate_ops: float | None = INTERACTIVE_RATE_OPS,
        batch_rate_ops: float | None = BATCH_RATE_OPS,
        reward_parameters: RewardParameters | Mapping[str, Any] | None = None,
        twin: TwinSettings | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ):
        if episode_steps is not None:
            check_range("episode_steps", episode_steps, 1, 10**9)
        check_range("warmup_windows", warmup_windows, 0, 10**6)
        self.render_mode = render_mode
        self.twin = _twin_settings(twin, settings)
        self.reward_parameters = _reward_parameters(reward_parameters)
        self.initial_pools = initial_pools if initial_pools == "random" else check_pools("initial_pools", initial_pools)
        self.episode_steps = episode_steps
        self.warmup_windows = int(warmup_windows)
        self.rates_ops = (interactive_rate_ops, batch_rate_ops)
        self.phase = None if workload is not None else check_phase(phase)
        self.workload = workload if workload is not None else self._workload_of(self.phase)
        self.middleware = None
        self.device = 0
        self.action_space = gymnasium.spaces.Discrete(len(ACTIONS))
        self.observation_space = gymnasium.spaces.Box(OBSERVATION_LOW, OBSERVATION_HIGH, dtype=np.float64)
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode with an empty system.

        Args:
            seed: root of all random numbers of this and the following episodes.
            options: `phase` (stays for later episodes), `pools` and `device` (number of a sample; for this episode).

        Raises:
            InputError: for another option, an unknown phase or device, or pools out of range.
        """
        super().reset(seed=seed)
        options = dict(options or {})
        phase, pools, device = (options.pop(name, None) for name in ("phase", "pools", "device"))
        if options:
            raise InputError("options", sorted(options), "phase, pools, device")
        pools = self._draw_pools() if pools is None else check_pools("pools", pools)
        if phase is not None:
            self.phase = check_phase(phase)
            self.workload = self._workload_of(self.phase)
        self.close()
        self.device = self._draw_device() if device is None else self._check_device(device)
        self.middleware = self.twin.middleware(self.workload, int(self.np_random.integers(2**63)), self.device)
        self.middleware.start(*pools)
        for _ in range(self.warmup_windows):
            self.middleware.run_window()
        self._steps = 0
        observation = self._observe()
        info = self._measure(observation)[1] if self.warmup_windows else {}
        return observation, info

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Change the pools by one action of Table 3.3 (clipped at 1 and 32) and run a window.

        `info`: `p99_us`, `throughput_ops`, `met_latency`, `met_throughput`, `pools`, `phase`, `extrapolated`,
        `duration_s`, `interactive_ops`, `batch_ops`, `device` (number of the sample that the episode runs on).
        """
        middleware = self._running()
        middleware.perform_action(action)
        middleware.run_window()
        observation = self._observe()
        value, info = self._measure(observation)
        self._steps += 1
        truncated = self.episode_steps is not None and self._steps >= self.episode_steps
        return observation, value, False, truncated, info

    def set_pools(self, interactive: int, batch: int) -> None:
        """Resize the pools at once, between two steps.

        Raises:
            InputError: for sizes out of range, or before `reset`.
        """
        self._running().resize(*check_pools("pools", (interactive, batch)))

    def set_phase(self, phase: int) -> None:
        """Go on in another phase: the middleware runs on, what is in flight is carried over.

        Raises:
            InputError: for an unknown phase, or before `reset`.
        """
        middleware = self._running()
        self.phase = check_phase(phase)
        self.workload = self._workload_of(self.phase)
        middleware.set_workload(self.workload)

    def check_engine(self) -> None:
        """Raise what `reset` would for an engine that is not there, or cannot run these windows."""
        self.twin.middleware(self.workload, 0)

    @property
    def pools(self) -> tuple[int, int]:
        """(interactive, batch) threads now."""
        state = self._running().get_state()
        return int(state.interactive_threads), int(state.batch_threads)

    def close(self) -> None:
        """Stop the middleware; `reset` starts another."""
        if self.middleware is not None:
            self.middleware.stop()
            self.middleware = None

    def _running(self):
        if self.middleware is None:
            raise InputError("env", "not started", "reset() before anything else")
        return self.middleware

    def _workload_of(self, phase: int) -> Workload:
        return _phase_workload(phase, *self.rates_ops)

    def _draw_device(self) -> int:
        """Number of the device of an episode; without samples there is one, and nothing is drawn."""
        return int(self.np_random.integers(self.twin.device_samples)) if self.twin.device_samples else 0

    def _check_device(self, device: int) -> int:
        check_range("device", device, 0, max(self.twin.device_samples - 1, 0))
        return operator.index(device)

    def _draw_pools(self) -> tuple[int, int]:
        if self.initial_pools != "random":
            return self.initial_pools
        interactive, batch = self.np_random.integers(POOL_MIN, POOL_MAX + 1, size=2)
        return int(interactive), int(batch)

    def _observe(self) -> np.ndarray:
        """Shape (8,), float64, within the bounds of the observation space."""
        observation = np.array(self.middleware.get_state(), dtype=np.float64)
        np.maximum(observation, OBSERVATION_LOW, out=observation)
        return np.minimum(observation, OBSERVATION_HIGH, out=observation)

    def _measure(self, observation: np.ndarray) -> tuple[float, dict]:
        """Reward and info of the last window."""
        stats = self.middleware.get_stats()
        p99_us, throughput_ops = float(stats.p99_us), float(stats.throughput_ops)
        if stats.interactive_ops == 0 and observation[2] > 0:  # starved: see the choices above
            p99_us = float(stats.duration_s) * 1e6
        sla = self.reward_parameters.sla
        return reward(p99_us, throughput_ops, self.reward_parameters), {
            "p99_us": p99_us,
            "throughput_ops": throughput_ops,
            "interactive_ops": float(stats.interactive_ops),
            "batch_ops": float(stats.batch_ops),
            "duration_s": float(stats.duration_s),
            "met_latency": sla.met_latency(p99_us),
            "met_throughput": sla.met_throughput(throughput_ops),
            "pools": (int(observation[0]), int(observation[1])),
            "phase": 0 if self.phase is None else self.phase,
            "extrapolated": bool(stats.extrapolated),
            "device": self.device,
        }


def check_pools(field: str, pools: object) -> tuple[int, int]:
    """The pools as two ints.

    Raises:
        InputError: unless they are two whole numbers from 1 to 32.
    """
    allowed = f"two whole numbers of threads (interactive, batch), each {POOL_MIN} to {POOL_MAX}"
    try:
        interactive, batch = (operator.index(size) for size in pools)
    except (TypeError, ValueError) as error:
        raise InputError(field, pools, allowed) from error
    if not (POOL_MIN <= interactive <= POOL_MAX and POOL_MIN <= batch <= POOL_MAX):
        raise InputError(field, (interactive, batch), allowed)
    return interactive, batch


def _reward_parameters(given: RewardParameters | Mapping[str, Any] | None) -> RewardParameters:
    if given is None or isinstance(given, RewardParameters):
        return given or RewardParameters()
    return RewardParameters(**given)


def _twin_settings(twin: TwinSettings | None, settings: Mapping[str, Any]) -> TwinSettings:
    if twin is not None and settings:
        raise InputError("settings", sorted(settings), "either twin or its fields, not both")
    unknown = sorted(set(settings) - set(TwinSettings.__dataclass_fields__))
    if unknown:
        raise InputError("settings", unknown, ", ".join(TwinSettings.__dataclass_fields__))
    return twin or TwinSettings(**settings)
