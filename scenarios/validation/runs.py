"""What is run on both sides, and what each window of a run showed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.workloads import make_workload
from pmtwin.scenarios.rollout import OWN_WORKLOAD, Block, Steps, make_schedule, run_policy
from pmtwin.sim.errors import InputError, check_range

PREDICTED, MEASURED = "predicted", "measured"


@dataclass(frozen=True)
class Case:
    """One thing that is run: a policy (fixed pools are one) through a schedule of phases, or under a workload.

    Args:
        policy: spec of `pmtwin.policies.registry`.
        schedule: of `pmtwin.scenarios.rollout`; for a workload one block of phase 0.
        workload: name of `pmtwin.scenarios.nvm_middleware.workloads`, or None: the phases of the schedule.
    """

    policy: str
    schedule: tuple[Block, ...]
    workload: str | None = None

    @property
    def windows(self) -> int:
        """Windows of one run."""
        return sum(block.steps for block in self.schedule)


def grid_cases(
    pools: Sequence[tuple[int, int]], windows: int, phases: Sequence[int] = (), workload: str | None = None
) -> list[Case]:
    """Each of the pools in each of the phases, or under the workload."""
    blocks = [Block(phase, windows) for phase in (phases or (OWN_WORKLOAD,))]
    return [Case(f"fixed:{i},{b}", (block,), workload) for block in blocks for i, b in pools]


def policy_cases(
    specs: Sequence[str], kind: str, steps: int, phase_steps: int, seed: int, phases: Sequence[int]
) -> list[Case]:
    """Each policy through the same schedule of phases, `order` or `random`."""
    schedule = tuple(make_schedule(kind, steps, phase_steps, np.random.default_rng(seed), phases))
    return [Case(spec, schedule) for spec in specs]


OCCUPANCY = ("counted", "stamped")


@dataclass(frozen=True)
class Windows(Steps):
    """What each window of one run showed, a step each; further arrays of shape (windows,).

    Args:
        batch_ops: completed requests of the batch class per second.
        counted, stamped: the requests in the system on average, by the middleware's own count and by its clients'
            stamps; NaN on the twin.
        extrapolated: whether the window lies outside the data of the profile.
    """

    batch_ops: np.ndarray
    counted: np.ndarray
    stamped: np.ndarray
    extrapolated: np.ndarray

    def to_dict(self) -> dict:
        """Plain lists, by name; null where nobody counted."""
        found = {one.name: getattr(self, one.name).tolist() for one in fields(self)}
        some = {name: found[name] for name in OCCUPANCY}
        return found | {name: [None if np.isnan(one) else one for one in of] for name, of in some.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, list]) -> Windows:
        """The same windows again."""
        found = {one.name: np.array(values[one.name]) for one in fields(cls)}
        return cls(**found | {name: np.array(values[name], dtype=float) for name in OCCUPANCY})


@dataclass(frozen=True)
class ValidationPlan:
    """What is compared.

    Args:
        cases: what runs; each on both sides.
        seeds: independent runs of each case. seed: root of all random numbers. warmup_windows: before those that count.
        settings: keyword arguments of `NvmMiddlewareEnv` for both sides.
        predicted, measured: those of one side alone: its engine and the options of it.
    """

    cases: tuple[Case, ...]
    seeds: int = 3
    seed: int = 0
    warmup_windows: int = 2
    settings: Mapping[str, Any] = field(default_factory=dict)
    predicted: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        if not self.cases:
            raise InputError("cases", 0, "at least one policy or pair of pools")
        if len(set(self.cases)) < len(self.cases):
            twice = next(case for case in self.cases if self.cases.count(case) > 1)
            raise InputError("policies", twice.policy, "each policy and each pair of pools once")
        check_range("seeds", self.seeds, 1, 1000)
        check_range("seed", self.seed, 0, 2**63 - 1)
        check_range("warmup_windows", self.warmup_windows, 0, 10**6)

    def environment(self, side: str, case: Case, mode: str = "middleware") -> NvmMiddlewareEnv:
        """A new environment of a side for a case."""
        workload = None if case.workload is None else make_workload(case.workload)
        settings = {**self.settings, **(self.predicted if side == PREDICTED else self.measured)}
        fixed = {"episode_steps": None, "warmup_windows": self.warmup_windows, "mode": mode}
        return NvmMiddlewareEnv(workload=workload, phase=case.schedule[0].phase or 1, **{**settings, **fixed})

    def seeds_of(self, run: int) -> tuple[int, np.random.SeedSequence]:
        """(seed of the environment, seed of the policy) of run `run`, the same on both sides and for all cases."""
        env_seed, policy_seed = np.random.SeedSequence(self.seed, spawn_key=(run,)).spawn(2)
        return int(env_seed.generate_state(1, np.uint64)[0] >> np.uint64(1)), policy_seed


def measure(
    plan: ValidationPlan,
    side: str,
    case: Case,
    run: int,
    make_policy: Callable[[str], Any],
    make_context: Callable[..., Any],
    on_window: Callable[[], None] | None = None,
) -> Windows:
    """Run a case on one side.

    Args:
        side: `PREDICTED` or `MEASURED`.
        run: number of the seed.
        make_policy, make_context: `policies.make_policy` and `policies.PolicyContext`.
        on_window: called after every window (progress).
    """
    policy = make_policy(case.policy)
    env = plan.environment(side, case, policy.mode)
    env_seed, policy_seed = plan.seeds_of(run)
    sla = env.reward_parameters.sla
    goals = {"latency_us": sla.latency_goal_us, "throughput_ops": sla.throughput_goal_ops}
    rows: list[tuple] = []

    def look() -> None:
        rows.append(_row(env.middleware))
        if on_window is not None:
            on_window()

    context = make_context(seed=policy_seed, goals=goals)
    found = run_policy(policy, context, env, case.schedule, env_seed, on_step=look)
    batch_ops, counted, stamped, extrapolated = zip(*rows, strict=True)
    return Windows(
        **{one.name: getattr(found, one.name) for one in fields(Steps)},
        batch_ops=np.array(batch_ops),
        counted=np.array(counted),
        stamped=np.array(stamped),
        extrapolated=np.array(extrapolated, dtype=bool),
    )


def _row(middleware) -> tuple[float, float, float, bool]:
    stats = middleware.get_stats()
    seen = getattr(middleware, "observed", lambda: None)()  # of a real middleware
    counted, stamped = (np.nan, np.nan) if seen is None else (seen.counted, seen.stamped)
    return stats.batch_ops, counted, stamped, stats.extrapolated
