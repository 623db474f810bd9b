"""Policies against one another on the same schedules, seeds and requests (thesis section 4.3 and Tables E.1 to E.3).

Every policy meets, for each seed, the same phases in the same order and the same offered requests (common random
numbers), from the same empty system. What learns while it runs starts afresh for each seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pmtwin.scenarios.best_fixed import SearchPlan, search_best_fixed
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.phases import check_phase, phase_numbers
from pmtwin.scenarios.rollout import Block, Trajectory, make_schedule, run_policy
from pmtwin.sim.errors import InputError, check_range

BEST_FIXED = "best-fixed"
SCENARIO = "nvm-middleware"


@dataclass(frozen=True)
class EvaluationPlan:
    """What is run.

    Args:
        policies: specs of `policies.registry`, each once. schedule: `order` or `random`, see `make_schedule`. steps,
        phase_steps: windows of a run, and of a phase within it. seeds: independent runs of each policy. seed: root of
        all random numbers. phases: those that take part, all by default. settings: keyword arguments of
        `NvmMiddlewareEnv`, those of its twin each by name (a policy brings its own mode); with `device_samples`, run
        number r meets device r modulo their number. search: how the best fixed pools are searched for, if `best-fixed`
        takes part (of several devices: the best on average).
    """

    policies: tuple[str, ...]
    schedule: str = "random"
    steps: int = 4000
    phase_steps: int = 200
    seeds: int = 10
    seed: int = 0
    phases: tuple[int, ...] = field(default_factory=phase_numbers)
    settings: Mapping[str, Any] = field(default_factory=dict)
    search: SearchPlan = field(default_factory=SearchPlan)

    def __post_init__(self):
        if not self.policies:
            raise InputError("policies", list(self.policies), "at least one")
        twice = sorted({spec for spec in self.policies if self.policies.count(spec) > 1})
        if twice:
            raise InputError("policies", ", ".join(twice), "each policy once")
        check_range("seeds", self.seeds, 1, 10_000)
        check_range("seed", self.seed, 0, 2**63 - 1)
        for phase in self.phases:
            check_phase(phase)
        if len(set(self.phases)) < len(self.phases):
            raise InputError("phases", list(self.phases), "each phase once")
        self.schedule_of(0)
        twin = NvmMiddlewareEnv(**self.settings).twin
        check_range("device_samples", twin.device_samples, 0, self.seeds, "(at most one device a seed)")

    def _sequence(self, number: int) -> np.random.SeedSequence:
        """Independent sequences: 0 for the search, 1 onwards for the runs; the same however many runs there are."""
        return np.random.SeedSequence(self.seed, spawn_key=(number,))

    def schedule_of(self, run: int) -> list[Block]:
        """The phases of run `run`; the same for every policy."""
        schedule_seed = self._sequence(run + 1).spawn(3)[0]
        rng = np.random.default_rng(schedule_seed)
        return make_schedule(self.schedule, self.steps, self.phase_steps, rng, self.phases)

    def seeds_of(self, run: int) -> tuple[int, np.random.SeedSequence]:
        """(seed of the environment, seed of the policy) of run `run`."""
        _, env_seed, policy_seed = self._sequence(run + 1).spawn(3)
        return int(env_seed.generate_state(1, np.uint64)[0] >> np.uint64(1)), policy_seed

    def device_of(self, run: int) -> int | None:
        """Number of the sampled device of run `run`; None if there are no samples."""
        samples = self.settings.get("device_samples", 0)
        return run % samples if samples else None

    def search_seed(self, phase: int) -> np.random.SeedSequence:
        """Of the search for the best fixed pools of a phase."""
        return np.random.SeedSequence(self.seed, spawn_key=(0, phase))

    def windows(self) -> int:
        """Windows of all runs together, the search not counted."""
        return len(self.policies) * self.seeds * self.steps


@dataclass(frozen=True)
class Evaluation:
    """What was run and what it showed: `runs[spec]` has one trajectory per seed."""

    plan: EvaluationPlan
    runs: dict[str, list[Trajectory]]
    modes: dict[str, str]
    best_fixed: dict[int, dict] | None


def evaluate(
    plan: EvaluationPlan,
    make_policy: Callable[[str], Any],
    make_context: Callable[..., Any],
    jobs: int = 1,
    progress: Callable[[str, int, Iterator], Iterator] | None = None,
) -> Evaluation:
    """Run the plan.

    Args:
        plan: what is run.
        make_policy: spec -> policy (`policies.make_policy`); every run makes its own.
        make_context: keywords -> what a policy is started with (`policies.PolicyContext`).
        jobs: worker processes; the numbers are the same for any number of them.
        progress: (description, total, iterator) -> iterator, shown while results come in.

    Raises:
        InputError: for a spec that names no policy.
    """
    check_range("jobs", jobs, 1, 1024)
    modes = {spec: make_policy(spec).mode for spec in plan.policies}  # bad specs are errors before anything runs
    best = None
    if any(spec == BEST_FIXED for spec in plan.policies):
        found = _parallel(_search, [(plan, phase) for phase in sorted(set(plan.phases))], jobs, progress, "best fixed")
        best = {result["phase"]: result for result in found}
    table = None if best is None else {phase: tuple(result["pools"]) for phase, result in best.items()}
    tasks = [(plan, spec, run, table, make_policy, make_context) for run in range(plan.seeds) for spec in plan.policies]
    results = iter(_parallel(_run, tasks, jobs, progress, "evaluate"))
    runs: dict[str, list[Trajectory]] = {spec: [] for spec in plan.policies}
    for _, spec, *_ in tasks:
        runs[spec].append(next(results))
    return Evaluation(plan, runs, modes, best)


def _parallel(work: Callable, tasks: Sequence[tuple], jobs: int, progress, description: str) -> list:
    """`work(*task)` for each task, in order, on `jobs` processes."""
    from joblib import Parallel, delayed

    results = Parallel(n_jobs=jobs, return_as="generator")(delayed(work)(*task) for task in tasks)
    return list(progress(description, len(tasks), results) if progress else results)


def _search(plan: EvaluationPlan, phase: int) -> dict:
    return search_best_fixed(phase, plan.settings, plan.search_seed(phase), plan.search)


def _run(plan: EvaluationPlan, spec: str, run: int, best_pools: dict | None, make_policy, make_context) -> Trajectory:
    policy = make_policy(spec)
    schedule = plan.schedule_of(run)
    env_seed, policy_seed = plan.seeds_of(run)
    settings = {**plan.settings, "episode_steps": None, "phase": schedule[0].phase, "mode": policy.mode}
    env = NvmMiddlewareEnv(**settings)
    sla = env.reward_parameters.sla
    context = make_context(
        scenario=SCENARIO,
        seed=policy_seed,
        phase=schedule[0].phase if policy.needs_phase else None,
        goals={"latency_us": sla.latency_goal_us, "throughput_ops": sla.throughput_goal_ops},
        best_pools=best_pools if policy.needs_phase else None,
    )
    return run_policy(policy, context, env, schedule, env_seed, plan.device_of(run))
