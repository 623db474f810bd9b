"""Run one policy through a schedule of phases, and keep what every window showed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pmtwin.scenarios.doubts import doubt_of
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.phases import check_phase, phase_numbers
from pmtwin.sim.errors import check_range, unknown_name
from pmtwin.sim.latency_tail import LatencyTail
from pmtwin.sim.percentiles import split_by_class

KEEP = 0
"""The action of Table 3.3 that changes nothing."""

SCHEDULES = ("order", "random")

OWN_WORKLOAD = 0
"""Phase of a block in which the environment's own workload runs, which is no phase."""


class Block(NamedTuple):
    """So many steps in a phase."""

    phase: int
    steps: int


@dataclass(frozen=True)
class Steps:
    """What every step of a run showed, in order; arrays of shape (steps,), but for `pools`: (steps, 2).

    `p99_us` is of the interactive class, `throughput_ops` of both; `pools` is zero where no middleware ran. `doubt` is
    why a window should not be trusted, by a real middleware's own judgement, `note` what was special about the policy's
    choice (`Policy.note`); both are empty for most.
    """

    phase: np.ndarray
    reward: np.ndarray
    p99_us: np.ndarray
    throughput_ops: np.ndarray
    met: np.ndarray
    pools: np.ndarray
    doubt: np.ndarray
    note: np.ndarray


@dataclass(frozen=True)
class Trajectory(Steps):
    """A run: its steps, whether any lies outside the data of the profile, each phase's interactive latencies."""

    extrapolated: bool
    tails: dict[int, LatencyTail]


def make_schedule(
    kind: str,
    steps: int,
    phase_steps: int,
    rng: np.random.Generator,
    phases: Sequence[int] = (),
) -> list[Block]:
    """Phases that change every `phase_steps` steps, `steps` in all (the last block may be shorter).

    Args:
        kind: `order` (1, 2, 3, 4, 1, ...) or `random`: every round visits all phases in an order of its own and no
            phase follows itself, so that each gets its share whatever the seed.
        steps, phase_steps: at least 1.
        rng: orders the rounds of `random`.
        phases: those that take part; all by default.

    Raises:
        InputError: for an unknown kind or phase or numbers out of range.
    """
    if kind not in SCHEDULES:
        raise unknown_name("schedule", kind, SCHEDULES)
    check_range("steps", steps, 1, 10**8)
    check_range("phase_steps", phase_steps, 1, 10**8)
    phases = [check_phase(phase) for phase in phases] or list(phase_numbers())
    blocks: list[Block] = []
    left = steps
    while left > 0:
        last = blocks[-1].phase if blocks else None
        for phase in phases if kind == "order" else _shuffled(phases, last, rng):
            length = min(phase_steps, left)
            if length:
                blocks.append(Block(phase, length))
            left -= length
    return blocks


def _shuffled(phases: list[int], last: int | None, rng: np.random.Generator) -> list[int]:
    while True:
        order = [phases[k] for k in rng.permutation(len(phases))]
        if order[0] != last or len(set(phases)) == 1:
            return order


def run_policy(
    policy: Any,
    context: Any,
    env: NvmMiddlewareEnv,
    schedule: Sequence[Block],
    seed: int,
    device: int | None = None,
    on_step: Callable[[], None] | None = None,
) -> Trajectory:
    """Let a policy control the environment through a schedule, without a reset in between.

    Args:
        policy: a `policies.Policy`; it acts on the state that the previous window ended with, as in thesis figure 3.4.
        context: the `PolicyContext` it is started with.
        env: with `episode_steps=None`.
        schedule: of `make_schedule`.
        seed: of the environment. The same seed and schedule offer every policy the same requests.
        device: number of the sampled device, if the environment's twin has samples.
        on_step: called after every step (progress).
    """
    pools = policy.start(context)
    chosen = {"phase": schedule[0].phase or None, "pools": pools, "device": device}
    options = {name: value for name, value in chosen.items() if value is not None}
    observation, info = env.reset(seed=seed, options=options)
    rows, words, extrapolated = [], [], False
    tails = {block.phase: LatencyTail() for block in schedule}
    for number, block in enumerate(schedule):
        if number and block.phase != env.phase:
            env.set_phase(block.phase)
            if policy.needs_phase:
                policy.on_phase(block.phase)
        for _ in range(block.steps):
            action = policy.act(observation, info)
            if isinstance(action, tuple):
                env.set_pools(*action)
            step = env.step(KEEP if isinstance(action, tuple) else action)
            policy.observe(observation, action, step[1], step[0], False)
            observation, reward, _, _, info = step
            met = info["met_latency"] and info["met_throughput"]
            rows.append((block.phase, reward, info["p99_us"], info["throughput_ops"], met, *info["pools"]))
            words.append((doubt_of(env.middleware), policy.note()))
            extrapolated = extrapolated or info["extrapolated"]
            tails[block.phase].add(split_by_class(*env.middleware.latencies())[0][0])
            if on_step is not None:
                on_step()
    env.close()
    table = np.array(rows, dtype=np.float64)
    doubt, note = np.array(words, dtype=str).T
    direct = env.twin.mode == "direct"
    return Trajectory(
        phase=table[:, 0].astype(np.int64),
        reward=table[:, 1],
        p99_us=table[:, 2],
        throughput_ops=table[:, 3],
        met=table[:, 4].astype(bool),
        pools=np.zeros_like(table[:, 5:], dtype=np.int64) if direct else table[:, 5:].astype(np.int64),
        doubt=doubt,
        note=note,
        extrapolated=extrapolated,
        tails={phase: tail.close() for phase, tail in tails.items()},
    )
