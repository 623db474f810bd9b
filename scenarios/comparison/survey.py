"""Samples of settings under the loads of a context, for the best constant and the clairvoyant.

Candidates are the best settings by the scenario's formulas and a coarse grid (`scenarios.recommendation.screening`), or
all settings. Successive halving on separate seeds (as in `scenarios.comparison.best_fixed`) drops settings. A setting
stays if it is among the best of a case or of all cases together, or if it serves windows that the best settings do not.
A case is a context on one sampled system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.batch import Batch
from pmtwin.scenarios.comparison.rollout import Context
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.payoff import payoff
from pmtwin.scenarios.recommendation.screening import Screen, coarse_grid, screen
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Load, Setting
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import InputError, check_range

BATCH_SIZE = 64
"""Number of systems that run at once."""

MOST_SETTINGS = 10**6

DRAWS = 8
"""Conditions that a family draws in place of one redraw, which share its windows."""

Case = tuple[int, Context]
"""(number of the sampled system, context)."""


@dataclass(frozen=True)
class SurveyPlan:
    """Size of the survey.

    Args:
        screened: number of settings chosen by formulas: for each context, and for all contexts together.
        rounds: for each round (windows per setting, number of settings that stay for each case, and for all cases).
        serving: number of further settings that stay for each case in each round, since they earn in windows where the
            best on average do not: a setting that is wrong in most windows may be right under a rare load.
        redraws: number of redraws of the random numbers, for the remaining settings.
        windows: number of windows of each redraw.

    A family of contexts takes `DRAWS` times as many redraws, each of its share of the windows, but of one at least: a
    setting that is right under one drawn condition may be wrong under most.
    """

    screened: int = 40
    rounds: tuple[tuple[int, int], ...] = ((4, 40), (48, 10))
    serving: int = 10
    redraws: int = 8
    windows: int = 32

    def __post_init__(self):
        check_range("screened", self.screened, 1, MOST_SETTINGS)
        for windows, stay in self.rounds:
            check_range("rounds", windows, 1, 10**6)
            check_range("rounds", stay, 1, MOST_SETTINGS)
        check_range("serving", self.serving, 0, MOST_SETTINGS)
        check_range("redraws", self.redraws, 1, 10**4)
        check_range("windows", self.windows, 1, 10**6)


class Sample(NamedTuple):
    """Windows of n settings in one case; r redraws of w windows each, on the same random numbers for every setting.

    Fields:
        settings: the n settings.
        payoff: shape (n, r, w): 1 if the window kept every goal, and `REWARD_WEIGHT` of its squeezed reward. Of a
            family r and w are those of its draws (`SurveyPlan`).
        load: shape (n, r, w + 1, d): `System.load` before each window and after the last.
        offered: number of leading columns of `load` with the load of the coming window; the other columns are queues.
    """

    settings: tuple[Setting, ...]
    payoff: np.ndarray
    load: np.ndarray
    offered: int = 0


def survey(
    scenario: Scenario,
    cases: Sequence[Case],
    seed: np.random.SeedSequence,
    plan: SurveyPlan | None = None,
    run: Callable[[Callable, list[tuple]], Iterable] | None = None,
) -> tuple[dict[Case, Sample], dict]:
    """Samples of the cases, and the best constant over all of them.

    Args:
        scenario: the scenario, with its options.
        cases: cases with equal weights.
        seed: root of the survey's random numbers; evaluations use different ones.
        plan: size of the survey.
        run: (function, tasks) -> results in order; None: run the tasks one after another.

    Returns:
        (case -> `Sample`; the best constant: the setting under the scenario's noun, its mean `payoff`, and the number
        of `candidates`).
    """
    plan, run = plan or SurveyPlan(), run or _one_after_the_other
    if len(scenario.settings) > MOST_SETTINGS:
        raise InputError("settings", len(scenario.settings), f"at most {MOST_SETTINGS} to search")
    rounds, redraws, screening = _seeds(seed, plan)
    remaining = _candidates(scenario, cases, plan.screened, screening)
    for (windows, stay), word in zip(plan.rounds, rounds, strict=True):
        samples = _sampled(scenario, remaining, [word], windows, run)
        remaining = _halved(samples, stay, plan.serving)
    samples = _sampled(scenario, remaining, redraws, plan.windows, run)
    means = _common_means(samples)
    best = max(means, key=means.__getitem__)
    return samples, {scenario.settings.noun: list(best), "payoff": means[best], "candidates": len(means)}


def with_ways(
    scenario: Scenario,
    samples: dict[Case, Sample],
    seed: np.random.SeedSequence,
    plan: SurveyPlan | None = None,
    run: Callable[[Callable, list[tuple]], Iterable] | None = None,
) -> dict[Case, Sample]:
    """Samples of `survey`, and of the settings on the paths between them by discrete actions, on the same redraws.

    Args:
        samples: result of `survey`.
        scenario, seed, plan, run: as for `survey`.
    """
    plan, run = plan or SurveyPlan(), run or _one_after_the_other
    between = {case: _between(scenario.settings, sample.settings) for case, sample in samples.items()}
    missing = {case: settings for case, settings in between.items() if settings}
    added = _sampled(scenario, missing, _seeds(seed, plan)[1], plan.windows, run)
    return {case: _joined(sample, added[case]) if case in added else sample for case, sample in samples.items()}


def _between(steps: Settings, settings: Sequence[Setting]) -> list[Setting]:
    """Settings on the paths between any two of `settings`, without `settings`."""
    ways = (steps.way(first, last) for first, last in permutations(settings, 2))
    return sorted({setting for way in ways for setting in way}.difference(settings))


def _joined(sample: Sample, added: Sample) -> Sample:
    """Both samples, joined along the settings."""
    payoff = np.concatenate([sample.payoff, added.payoff])
    load = np.concatenate([sample.load, added.load])
    return Sample(sample.settings + added.settings, payoff, load, sample.offered)


def _one_after_the_other(work: Callable, tasks: list[tuple]) -> list:
    return [work(*task) for task in tasks]


def _seeds(seed: np.random.SeedSequence, plan: SurveyPlan) -> tuple[list[int], list[int], int]:
    """Seeds of the rounds, of the redraws, and of the formulas."""
    state = seed.generate_state(len(plan.rounds) + plan.redraws + 1, np.uint64)
    *words, screening = [int(word >> np.uint64(1)) for word in state]
    return words[: len(plan.rounds)], words[len(plan.rounds) :], screening


def _candidates(scenario: Scenario, cases: Sequence[Case], count: int, seed: int) -> dict[Case, list[Setting]]:
    """Candidate settings: the formulas' best of each context and of all contexts together, and a coarse grid."""
    drawn = scenario.contexts.families
    screens: dict[Context, Screen] = {}
    for _, name in cases:
        screened = None if name in drawn else screen(scenario, name, scenario.goals, seed)
        if screened is None:
            return {case: list(scenario.settings.all()) for case in cases}
        screens[name] = screened
    share = np.mean([screened.share for screened in screens.values()], axis=0)
    margin = np.mean([screened.margin for screened in screens.values()], axis=0)
    common = Screen(next(iter(screens.values())).settings, share, margin).first(count)
    grid = coarse_grid(scenario)
    return {case: list(dict.fromkeys([*screens[case[1]].first(count), *common, *grid])) for case in cases}


def _sampled(scenario: Scenario, by_case: dict, seeds: list[int], windows: int, run: Callable) -> dict[Case, Sample]:
    results = run(_sample, [(scenario, case, settings, seeds, windows) for case, settings in by_case.items()])
    return dict(zip(by_case, results, strict=True))


def _sample(scenario: Scenario, case: Case, settings: Sequence[Setting], seeds: list[int], windows: int) -> Sample:
    parts = []
    if case[1] in scenario.contexts.families:
        words = (np.random.SeedSequence(seed).generate_state(DRAWS, np.uint64) for seed in seeds)
        seeds, windows = [int(word >> np.uint64(1)) for drawn in words for word in drawn], max(1, windows // DRAWS)
    with closing(scenario.batch(1)) as batch:
        for seed in seeds:
            groups = [settings[k : k + BATCH_SIZE] for k in range(0, len(settings), BATCH_SIZE)]
            batches = [_windows(scenario, batch, case, group, seed, windows) for group in groups]
            parts.append([np.concatenate(column) for column in zip(*batches, strict=True)])
    payoff, offered, queued = (np.stack(column, axis=1) for column in zip(*parts, strict=True))
    return Sample(tuple(settings), payoff, np.concatenate([offered, queued], axis=3), offered.shape[3])


def _windows(scenario: Scenario, batch: Batch, case: Case, settings: Sequence[Setting], seed: int, windows: int):
    """(payoff, shape (n, w); offered load and queues, shape (n, w + 1, *)), after the warm-up."""
    device, context = case
    payoffs, loads, warmup = [], [], max(1, scenario.search_warmup_windows)
    with ExitStack() as stack:
        systems = []
        for setting in settings:
            system = stack.enter_context(closing(scenario.system(_conditions(scenario, context, seed), seed, device)))
            system.start(setting)
            systems.append(system)
        for window in range(windows + warmup):
            batch.run_windows(systems)
            if window >= warmup:
                payoffs.append(payoff(scenario, batch.shown(systems).measures))
            if window >= warmup - 1:
                loads.append([system.load() for system in systems])
    load_columns = [
        np.array([[load[part] for load in window] for window in loads], dtype=float).swapaxes(0, 1)
        for part in range(len(Load._fields))
    ]
    return (np.stack(payoffs, axis=1), *load_columns)


def _conditions(scenario: Scenario, context: Context, seed: int):
    if context == OWN and scenario.own_conditions is not None:
        return scenario.own_conditions
    draw = scenario.contexts.families.get(context)
    return context if draw is None else draw(np.random.default_rng(seed))


def _common_means(samples: dict[Case, Sample]) -> dict[Setting, float]:
    """Setting -> mean payoff over all cases, for the settings that all cases have in common."""
    means = [
        dict(zip(sample.settings, sample.payoff.mean(axis=(1, 2)).tolist(), strict=True)) for sample in samples.values()
    ]
    common = [setting for setting in means[0] if all(setting in by_setting for by_setting in means)]
    return {setting: float(np.mean([by_setting[setting] for by_setting in means])) for setting in common}


def _halved(samples: dict[Case, Sample], stay: int, serving: int) -> dict[Case, list[Setting]]:
    """The settings that stay for each case; arguments as in `SurveyPlan`."""
    means = _common_means(samples)
    shared = sorted(means, key=means.__getitem__, reverse=True)[:stay]
    remaining = {}
    for case, sample in samples.items():
        order = np.argsort(-sample.payoff.mean(axis=(1, 2)), kind="stable")[:stay]
        places = [*order, *serving_places(sample.payoff, order, serving)]
        remaining[case] = list(dict.fromkeys([*(sample.settings[k] for k in places), *shared]))
    return remaining


def serving_places(payoff: np.ndarray, taken: np.ndarray, count: int) -> list[int]:
    """Indices of up to `count` settings that add most to the best payoff of the taken settings in each window.

    The choice is greedy, one setting after another, which reaches at least 63 % of the gain of the best choice
    (Nemhauser, Wolsey and Fisher, Mathematical Programming 14, 1978).

    Args:
        payoff: shape (n, ...).
        taken: indices of the settings that stay already.
    """
    payoff = payoff.reshape(len(payoff), -1)
    earned = payoff[taken].max(axis=0)
    places: list[int] = []
    while len(places) < count:
        gain = np.maximum(payoff - earned, 0.0).sum(axis=1)
        place = int(gain.argmax())
        if gain[place] <= 0.0:
            break
        places.append(place)
        earned = np.maximum(earned, payoff[place])
    return places
