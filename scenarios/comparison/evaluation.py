"""Comparison of policies on the same schedules, seeds and requests (thesis section 4.3 and Tables E.1 to E.3).

Every policy meets, for each seed, the same contexts in the same order and the same offered requests (common random
numbers), from the same empty system. A policy that learns during a run starts afresh for each seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.action_rules import ActionRules
from pmtwin.policies.clairvoyant import Clairvoyant
from pmtwin.scenarios.capabilities.required import SETTINGS, require
from pmtwin.scenarios.comparison.best_fixed import MOST_SETTINGS, SearchPlan, search_best_fixed
from pmtwin.scenarios.comparison.clairvoyant import NEIGHBOURS, window_plan
from pmtwin.scenarios.comparison.options import FROZEN, MOST_SEEDS, MOST_STEPS, SCHEDULES, EvaluationOptions
from pmtwin.scenarios.comparison.rollout import Block, Context, PolicyCalls, Trajectory, make_schedule, run_policy
from pmtwin.scenarios.comparison.survey import SurveyPlan, survey, with_ways
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.rules import behind_rules, check_minutes
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.common.processes import processes
from pmtwin.sim.errors import InputError, check_range, unknown_name

BEST_FIXED, BEST_CONSTANT, CLAIRVOYANT, PROPHET = "best-fixed", "best-constant", "clairvoyant", "prophet"
ORACLES = (BEST_FIXED, BEST_CONSTANT, CLAIRVOYANT, PROPHET)
"""Policies for which an evaluation searches settings before its runs."""

SURVEY_KEY = (0, 1)
"""Spawn key of the survey's seed, after the 0 of searches; keys of contexts are single numbers."""


@dataclass(frozen=True)
class EvaluationPlan:
    """Plan of an evaluation.

    Args:
        scenario: the scenario, with its options; if the options set the conditions, no context takes part. With sampled
            devices, run r uses the device of number r modulo the number of devices.
        policies: specs of `pmtwin.policies.registry`, without repetition; each policy declares its mode.
        schedule: `order` or `random`, see `make_schedule`.
        steps, context_steps: number of windows of a run, and of each context within a run.
        warmup_windows: number of the first windows of a run that do not count; results have their mean reward alone.
        seeds: number of independent runs of each policy.
        seed: root of all random numbers.
        contexts: contexts of the evaluation; default: those kept aside from training, or all named ones.
        learning: `on` or `frozen`: whether policies that learn inside the simulation continue to learn.
        search: size of the search for the best fixed setting, for `best-fixed` (over several devices: best on average).
        survey: size of the survey, for `best-constant` and `clairvoyant`.
        rules: of the action checker before every policy; None: none.

    Raises:
        InputError: for a value that is not accepted.
    """

    scenario: Scenario
    policies: tuple[str, ...]
    schedule: str = EvaluationOptions.schedule
    steps: int = EvaluationOptions.steps
    context_steps: int = EvaluationOptions.context_steps
    warmup_windows: int = EvaluationOptions.warmup_windows
    seeds: int = EvaluationOptions.seeds
    seed: int = 0
    contexts: tuple[Context, ...] = ()
    learning: str = EvaluationOptions.learning
    search: SearchPlan = field(default_factory=SearchPlan)
    survey: SurveyPlan = field(default_factory=SurveyPlan)
    rules: ActionRules | None = None

    def __post_init__(self):
        if not self.policies:
            raise InputError("policies", list(self.policies), "at least one")
        twice = sorted({spec for spec in self.policies if self.policies.count(spec) > 1})
        if twice:
            raise InputError("policies", ", ".join(twice), "each policy once", wrong="is given twice")
        check_range("seeds", self.seeds, 1, MOST_SEEDS)
        check_range("seed", self.seed, 0, 2**63 - 1)
        if self.schedule not in SCHEDULES:
            raise unknown_name("schedule", self.schedule, SCHEDULES)
        check_range("steps", self.steps, 1, MOST_STEPS)
        check_range(f"{self.scenario.contexts.noun}_steps", self.context_steps, 1, MOST_STEPS)
        check_range("warmup_windows", self.warmup_windows, 0, self.steps - 1, f"(fewer than steps, {self.steps})")
        object.__setattr__(self, "contexts", self._checked_contexts())
        if self.rules is not None:
            check_minutes(self.rules, self.scenario)
        for name in self.scenario.sampled_by[:1]:
            check_range(name, self.scenario.devices, 0, self.seeds, "(at most one a seed)")

    def _checked_contexts(self) -> tuple[Context, ...]:
        contexts = self.scenario.contexts
        if self.scenario.own_conditions is not None:
            if self.contexts not in ((), (OWN,)):
                raise self.scenario.refused_contexts(contexts.plural, list(self.contexts))
            return (OWN,)
        chosen = tuple(contexts.check(name) for name in self.contexts) or contexts.evaluated
        if len(set(chosen)) < len(chosen):
            raise InputError(contexts.plural, list(chosen), f"each {contexts.noun} once")
        return chosen

    def _sequence(self, number: int) -> np.random.SeedSequence:
        """A seed sequence: 0 for searches, from 1 on for the runs; it does not depend on the number of runs."""
        return np.random.SeedSequence(self.seed, spawn_key=(number,))

    def schedule_of(self, run: int) -> list[Block]:
        """The schedule of contexts of run `run`; the same for every policy."""
        rng = np.random.default_rng(self._sequence(run + 1).spawn(3)[0])
        if self.contexts == (OWN,):
            return [Block(OWN, self.steps)]
        known = self.scenario.contexts
        return make_schedule(self.schedule, self.steps, self.context_steps, rng, known, self.contexts)

    def seeds_of(self, run: int) -> tuple[int, np.random.SeedSequence]:
        """(seed of the environment, seed of the policy) of run `run`."""
        _, env_seed, policy_seed = self._sequence(run + 1).spawn(3)
        return int(env_seed.generate_state(1, np.uint64)[0] >> np.uint64(1)), policy_seed

    def device_of(self, run: int) -> int | None:
        """Number of the sampled device of run `run`; None if there are no samples."""
        return run % self.scenario.devices if self.scenario.devices else None

    def search_seed(self, context: Context) -> np.random.SeedSequence:
        """Seed of the search for the best fixed setting of a context."""
        return np.random.SeedSequence(self.seed, spawn_key=(0, self.scenario.contexts.number(context)))

    def survey_seed(self) -> np.random.SeedSequence:
        """Seed of the survey of the best constant and the clairvoyant."""
        return np.random.SeedSequence(self.seed, spawn_key=(0, *SURVEY_KEY))

    def windows(self) -> int:
        """Number of windows of all runs, without searches."""
        return len(self.policies) * self.seeds * self.steps

    def record(self) -> dict:
        """Plain values that are needed to repeat the evaluation; keys use the scenario's nouns."""
        contexts = self.scenario.contexts
        return {
            "policies": list(self.policies),
            "schedule": self.schedule,
            "steps": self.steps,
            "warmup_windows": self.warmup_windows,
            f"{contexts.noun}_steps": self.context_steps,
            contexts.plural: list(self.contexts),
            "seeds": self.seeds,
            "seed": self.seed,
            **({"learning": self.learning} if self.scenario.points or self.learning == FROZEN else {}),
            **({} if self.rules is None else {"rules": self.rules.record()}),
            **self.scenario.record_in(self.contexts),
        }


@dataclass(frozen=True)
class Evaluation:
    """Result of an evaluation.

    Args:
        plan: the plan.
        runs: spec -> trajectories, one for each seed.
        modes: spec -> mode of the policy.
        best_fixed: context -> result of `search_best_fixed`; None without a search.
        best_constant: the best constant setting, as `survey` returns it; None without a survey.
        undrawn: specs of policies whose runs draw no random numbers, so that all their runs are equal.
        jobs: worker processes of the evaluation, which further work on it may use as well.
    """

    plan: EvaluationPlan
    runs: dict[str, list[Trajectory]]
    modes: dict[str, str]
    best_fixed: dict[Context, dict] | None
    best_constant: dict | None = None
    undrawn: frozenset[str] = frozenset()
    jobs: int = 1

    def alike(self, spec: str) -> bool:
        """Whether all runs of a policy are equal."""
        first, *others = self.runs[spec]
        return spec in self.undrawn or (bool(others) and all(_same(first, other) for other in others))


def _same(run: Trajectory, other: Trajectory) -> bool:
    pairs = [(run.reward, other.reward), *((run.measures[name], other.measures[name]) for name in run.measures)]
    return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)


@dataclass(frozen=True)
class OracleKnowledge:
    """Knowledge that oracle policies receive.

    Args:
        best: context -> the best fixed setting.
        constant: the best constant setting over all contexts.
        plans: (sampled system, context) -> the clairvoyant's plans, by whether the coming load is known and whether
            settings change by steps.
    """

    best: Mapping[Context, tuple] | None = None
    constant: tuple[int, ...] | None = None
    plans: Mapping[tuple[int, Context], Any] | None = None

    def for_system(self, device: int | None) -> dict[str, Any]:
        """Knowledge for a run on one sampled system, as fields of `PolicyContext`."""
        plans = (
            None
            if self.plans is None
            else {name: plan for (at, name), plan in self.plans.items() if at == (device or 0)}
        )
        return {"best": self.best, "constant": self.constant, "plans": plans}


def evaluate(
    plan: EvaluationPlan,
    jobs: int = 1,
    progress: Callable[[str, int, Iterator], Iterator] | None = None,
) -> Evaluation:
    """Run the plan.

    Args:
        plan: the plan of the evaluation.
        jobs: worker processes; the numbers are the same for any number of them.
        progress: (description, total, iterator) -> iterator, shown while results come in.

    Raises:
        InputError: for a spec that names no policy, or a policy that the scenario does not allow.
        PolicyError: if a policy fails.
    """
    check_range("jobs", jobs, 1, 1024)
    modes, best = checked_modes(plan), None
    if any(spec == BEST_FIXED for spec in plan.policies):
        best_of = _parallel(
            _search,
            [(plan, name) for name in sorted(set(plan.contexts))],
            jobs,
            progress,
            "search of the best fixed settings",
        )
        best = {result[plan.scenario.contexts.noun]: result for result in best_of}
    noun = plan.scenario.settings.noun
    table = None if best is None else {name: tuple(result[noun]) for name, result in best.items()}
    knowledge, constant = _surveyed(plan, modes, table, jobs, progress)
    undrawn = {spec for spec in plan.policies if not draws(plan.scenario, make_policy(spec, plan.scenario))}
    tasks = [
        (plan, spec, run, knowledge)
        for run in range(plan.seeds)
        for spec in plan.policies
        if run == 0 or spec not in undrawn
    ]
    results = iter(_parallel(_run, tasks, jobs, progress, "policies"))
    runs: dict[str, list[Trajectory]] = {spec: [] for spec in plan.policies}
    for _, spec, *_ in tasks:
        runs[spec] += [next(results)] * (plan.seeds if spec in undrawn else 1)
    return Evaluation(plan, runs, modes, best, constant, frozenset(undrawn), jobs)


def draws(scenario: Scenario, policy: Any) -> bool:
    """Whether runs of a policy depend on their seeds."""
    return scenario.draws or any(part.draws for part in (policy, *policy.inline.values()))


def _freeze(policy: Any) -> None:
    """Stop a policy's learning in the coming runs, at all its decision points."""
    for part in (policy, *policy.inline.values()):
        part.freeze()


def checked_modes(plan: EvaluationPlan) -> dict[str, str]:
    """Spec -> mode of each policy, checked before anything runs."""
    modes = {}
    if BEST_FIXED in plan.policies:
        _candidates(plan)
    for spec in plan.policies:
        policy, name = make_policy(spec, plan.scenario), spec.partition(":")[0]
        modes[spec] = _checked_mode(plan.scenario, spec, policy.mode)
        if policy.called() in ORACLES and name != policy.called():
            allowed = f"{policy.called()} alone: its search uses the default policies inside the windows"
            raise InputError("policy", spec, allowed)
        if name in ORACLES:
            require(plan.scenario, SETTINGS, f"policy {spec} searches")
        for inline in policy.inline.values():
            inline.check_engine(plan.scenario.engine)
        if plan.learning == FROZEN:
            _freeze(policy)
        if not policy.needs_context:
            context = start_context(plan, policy, 0, OracleKnowledge())
            with PolicyCalls(policy).call("start"):
                behind_rules(plan.scenario, plan.rules, policy).start(context)
            if policy.resumed():
                wrong = f"goes on with {policy.resumed():,} windows of an earlier run"
                raise InputError("policy", spec, "a file that is not there yet: an evaluation begins anew", wrong=wrong)
            policy.close()
    return modes


def _checked_mode(scenario: Scenario, spec: str, mode: str | None) -> str:
    if mode not in (None, *scenario.modes):
        allowed = f"policies of mode {' or '.join(scenario.modes)} in scenario {scenario.name}"
        raise InputError("policy", spec, allowed, wrong=f"runs in mode {mode}")
    return mode or scenario.modes[0]


def _parallel(work: Callable, tasks: Sequence[tuple], jobs: int, progress: Callable | None, description: str) -> list:
    """Results of `work(*task)` for each task, in order, on `jobs` processes."""
    from joblib import delayed

    results = processes(jobs, "generator")(delayed(work)(*task) for task in tasks)
    return list(progress(description, len(tasks), results) if progress else results)


def _search(plan: EvaluationPlan, context: Context) -> dict:
    name = None if context == OWN else context
    return search_best_fixed(plan.scenario, name, plan.search_seed(context), plan.search, _candidates(plan))


def _candidates(plan: EvaluationPlan) -> list[Setting] | None:
    """Settings among which the rules let `best-fixed` be searched; None: all."""
    if plan.rules is None:
        return None
    return plan.rules.starts(plan.scenario.initial_setting, MOST_SETTINGS)


def _surveyed(
    plan: EvaluationPlan,
    modes: Mapping[str, str],
    table: dict | None,
    jobs: int,
    progress: Callable | None,
) -> tuple:
    """(knowledge of the oracles, the best constant for the results or None without a survey)."""
    names = {spec.partition(":")[0] for spec in modes}
    policies = (make_policy(spec, plan.scenario) for spec in modes)
    oracles = [policy for policy in policies if isinstance(policy, Clairvoyant)]
    kinds = {(oracle.options.foresight, oracle.options.steps) for oracle in oracles}
    kinds |= {(False, False)} if PROPHET in names else set()
    if not names & {BEST_CONSTANT, CLAIRVOYANT, PROPHET}:
        return OracleKnowledge(table), None
    cases = [(device, name) for device in range(max(plan.scenario.devices, 1)) for name in sorted(set(plan.contexts))]

    stepping = any(steps for _, steps in kinds)
    stage, stages = count(1), len(plan.survey.rounds) + 1 + stepping

    def run(work: Callable, tasks: list[tuple]) -> list:
        return _parallel(work, tasks, jobs, progress, f"search of settings, stage {next(stage)} of {stages}")

    samples, constant = survey(plan.scenario, cases, plan.survey_seed(), plan.survey, run)
    stepped = with_ways(plan.scenario, samples, plan.survey_seed(), plan.survey, run) if stepping else {}
    keys = [(case, kind) for case in cases for kind in sorted(kinds)]
    tasks = [
        (stepped[case], foresight, NEIGHBOURS, plan.scenario.settings)
        if steps
        else (samples[case], foresight, NEIGHBOURS)
        for case, (foresight, steps) in keys
    ]
    results = _parallel(window_plan, tasks, jobs, progress, "plans of the clairvoyant") if tasks else []
    plans: dict = {case: {} for case in cases}
    for (case, kind), result in zip(keys, results, strict=True):
        plans[case][kind] = result
    return OracleKnowledge(table, tuple(constant[plan.scenario.settings.noun]), plans), constant


def start_context(plan: EvaluationPlan, policy: Any, run: int, knowledge: OracleKnowledge) -> PolicyContext:
    """Context that starts `policy` in run `run`; oracles also receive the first context and the best settings."""
    oracle = {}
    if policy.needs_context:
        oracle = {"context": plan.schedule_of(run)[0].context, **knowledge.for_system(plan.device_of(run))}
    return PolicyContext.of(plan.scenario, seed=plan.seeds_of(run)[1], **oracle)


def _run(plan: EvaluationPlan, spec: str, run: int, knowledge: OracleKnowledge) -> Trajectory:
    policy = behind_rules(plan.scenario, plan.rules, make_policy(spec, plan.scenario))
    schedule = plan.schedule_of(run)
    if plan.learning == FROZEN:
        _freeze(policy)
    first = schedule[0].context or None
    env = ControlEnv(plan.scenario, first, episode_steps=None, mode=policy.mode)
    context = start_context(plan, policy, run, knowledge)
    seed, _ = plan.seeds_of(run)
    return run_policy(policy, context, env, schedule, seed, plan.device_of(run), warmup_windows=plan.warmup_windows)
