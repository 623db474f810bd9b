"""Search for one setting: candidates fall round by round, a final decides, samples state its certainty."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.scenarios.recommendation.screening import Screen, candidates, kept_share, margins, screen
from pmtwin.scenarios.recommendation.windows import Windows
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import LOWER, Goal

TOLD_APART = 0.01
"""Attainments that differ by less count as equal."""

LEVEL = (5.0, 95.0)
"""Percentiles over samples between which the attainment lies."""

CHANGES = (0.8, 1.25)
"""Factors on the load and on each limit: what would change the answer."""

MANY_LOADS, RIVALS = 64, 40
"""Loads of a run that changes, and settings, for the formulas under other loads."""

_SAMPLES = 2**20
"""Samples and rounds have different seeds."""


@dataclass(frozen=True)
class RecommendationPlan:
    """Size of the search.

    Args:
        rounds: (windows of each setting, settings that stay).
        final_seeds, final_windows: runs of each setting that stays, and windows of each.
        samples: plausible devices and hosts, each with its own requests. sample_windows: windows of each of them.
        finalists: settings that run on the samples, beside those tied with the best.
        warmup_windows: before those that count.
    """

    rounds: tuple[tuple[int, int], ...] = ((4, 16), (24, 8))
    final_seeds: int = 4
    final_windows: int = 80
    samples: int = 24
    sample_windows: int = 15
    finalists: int = 4
    warmup_windows: int = 4

    def most_windows(self, settings: int) -> int:
        """Windows of a search over a number of candidates, without ties on the samples."""
        total = 0
        for windows, stay in self.rounds:
            total += settings * (windows + self.warmup_windows)
            settings = min(settings, stay)
        total += settings * self.final_seeds * (self.final_windows + self.warmup_windows)
        return total + self.sample_windows_of(min(settings, self.finalists))

    def sample_windows_of(self, settings: int) -> int:
        """Windows of a number of settings on all samples."""
        return settings * self.samples * (self.sample_windows + self.warmup_windows)


def recommend(
    scenario: Scenario,
    context: int | str,
    goals: Sequence[Goal],
    seed: int = 0,
    threads: int = 1,
    plan: RecommendationPlan | None = None,
    on_plan: Callable[[int], object] = lambda n: None,
    on_windows: Callable[[int], object] = lambda n: None,
) -> dict:
    """The fixed setting that keeps the goals in the most windows.

    It is the best on the representative device and host; between settings that are equal there, samples of both decide.

    Args:
        context: its name, or `OWN`.
        goals: of measures of the scenario.
        seed: root of all random numbers. threads: that share the windows; any number, same result.
        on_plan: called with the number of windows at most. on_windows: called with numbers of windows that have passed.

    Returns:
        `setting`; `attainment` on the representative, `attainment_low` and `attainment_high` over samples (`LEVEL`);
        `goals_kept`: measure -> share of windows that keep its goal; `unreachable`: of `_unreachable`, where nothing
        keeps all goals; `measures`: mean of each; `ties`: settings that are not shown to be worse, on the
        representative and over the samples, of those in the last round; `loss_if_wrong`: attainment that the best of
        the finalists has beyond it, mean over samples; `best_in_samples`: share of the samples in which none of them is
        better; `alternatives`: finalists with their `attainment` and `mean_over_samples`; `changes`: of
        `_other_limits` and `_other_loads`;
        `plateau`: of `_plateau`, None without formulas; `samples`: how many, of what, and the mean attainment over
        them.
    """
    plan = plan or RecommendationPlan()
    screened = screen(scenario, context, goals, seed)
    remaining = first = candidates(scenario, screened)
    on_plan(plan.most_windows(len(first)))
    representative = Windows(scenario, context, threads, on_windows)
    seeds = _seeds(seed, len(plan.rounds), plan.final_seeds, plan.samples)
    reach = Reach(goals)
    for (windows, stay), word in zip(plan.rounds, seeds[0], strict=True):
        shown = reach.seen(representative.run(remaining, windows, plan.warmup_windows, [word]))
        remaining = _ranked(goals, remaining, shown)[:stay]
    shown = reach.seen(representative.run(remaining, plan.final_windows, plan.warmup_windows, seeds[1]))
    final = dict(zip(remaining, _met(goals, shown), strict=True))
    ranked = _ranked(goals, remaining, shown)
    top = max(each.mean() for each in final.values())
    equal = [setting for setting in ranked if final[setting].mean() >= top - TOLD_APART]
    finalists = list(dict.fromkeys([*equal, *ranked]))[: plan.finalists]
    sampled = scenario.sampled_systems(plan.samples)
    plausible = Windows(sampled, context, threads, on_windows)
    over = plausible.run(finalists, plan.sample_windows, plan.warmup_windows, seeds[2])
    by_sample = dict(zip(finalists, _met(goals, over).mean(axis=2), strict=True))
    best = max(
        equal[: plan.finalists], key=lambda setting: (round(by_sample[setting].mean(), 3), -ranked.index(setting))
    )
    ties = _equals(best, final) if final[best].any() else []
    more = [setting for setting in ties if setting not in by_sample]
    if more:
        on_plan(plan.most_windows(len(first)) + plan.sample_windows_of(len(more)))
        over = plausible.run(more, plan.sample_windows, plan.warmup_windows, seeds[2])
        by_sample |= dict(zip(more, _met(goals, over).mean(axis=2), strict=True))
    shown_at_best = {name: values[[remaining.index(best)]] for name, values in shown.items()}
    finalist_samples = {setting: by_sample[setting] for setting in finalists}

    def again(setting: Setting) -> Mapping[str, np.ndarray]:
        return representative.run([setting], plan.final_windows, plan.warmup_windows, seeds[1])

    nothing = not final[best].any() and not any(values.any() for values in finalist_samples.values())
    return {
        "setting": list(best),
        **_certainty(best, final, finalist_samples),
        "measures": {goal.measure.name: float(shown_at_best[goal.measure.name].mean()) for goal in goals},
        "goals_kept": {goal.measure.name: float(goal.met(shown_at_best[goal.measure.name]).mean()) for goal in goals},
        "unreachable": _unreachable(scenario, context, reach) if nothing else [],
        "ties": [list(setting) for setting in ties if not _is_less(by_sample[setting], by_sample[best])],
        "alternatives": [
            {
                "setting": list(setting),
                "attainment": float(final[setting].mean()),
                "mean_over_samples": float(by_sample[setting].mean()),
            }
            for setting in finalists
            if setting != best
        ],
        "changes": []
        if screened is None
        else [
            *_other_limits(scenario, context, goals, seed, best, shown_at_best, again),
            *_other_loads(scenario, context, goals, seed, best),
        ],
        "plateau": None if screened is None else _plateau(screened),
        "samples": {
            "of": f"load, {sampled.sampled}" if sampled.devices else "load",
            "count": plan.samples,
            "mean": float(by_sample[best].mean()),
        },
    }


def _seeds(seed: int, *counts: int) -> list[list[int]]:
    """Seeds of each stage: the choice and the report use different ones."""
    words = np.random.SeedSequence(seed).generate_state(sum(counts), np.uint64) >> np.uint64(1)
    return [part.tolist() for part in np.split(words, np.cumsum(counts)[:-1])]


def _certainty(best: Setting, final: Mapping[Setting, np.ndarray], by_sample: Mapping[Setting, np.ndarray]) -> dict:
    attainment = float(final[best].mean())
    low, high = np.percentile([*by_sample[best], attainment], LEVEL)
    regret = np.max(list(by_sample.values()), axis=0) - by_sample[best]
    return {
        "attainment": attainment,
        "attainment_low": min(float(low), attainment),
        "attainment_high": max(float(high), attainment),
        "loss_if_wrong": float(regret.mean()),
        "best_in_samples": float((regret <= TOLD_APART).mean()),
    }


def _met(goals: Sequence[Goal], shown: Mapping[str, np.ndarray]) -> np.ndarray:
    """Whether each window meets all goals, in the shape of the measures."""
    return np.all([goal.met(shown[goal.measure.name]) for goal in goals], axis=0)


def _ranked(goals: Sequence[Goal], settings: Sequence[Setting], shown: Mapping[str, np.ndarray]) -> list[Setting]:
    """Settings, the best first."""
    return [settings[place] for place in np.argsort(-_score(goals, shown), kind="stable")]


def _score(goals: Sequence[Goal], shown: Mapping[str, np.ndarray]) -> np.ndarray:
    """Shape (settings,): attainment, with ties broken by the mean margin."""
    margin = np.clip(margins(goals, shown).mean(axis=(1, 2)), -50.0, 50.0)
    return _met(goals, shown).mean(axis=(1, 2)) + 1e-4 * margin


def _equals(best: Setting, final: Mapping[Setting, np.ndarray]) -> list[Setting]:
    """Settings that are no worse than the best on the representative, over windows of the same requests.

    Args:
        final: setting -> whether windows meet all goals.
    """
    return sorted(other for other in final if other != best and not _is_less(final[other], final[best]))


def _is_less(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether values are significantly less than others, pair by pair, and by more than counts as equal."""
    difference = others.astype(float) - values
    error = 2.0 * float(difference.std()) / np.sqrt(difference.size)
    return bool(difference.mean() > max(error, TOLD_APART))


class Reach:
    """The best value of each goal's measure in any window of any setting that was tried on the representative.

    Args:
        goals: of the search.
    """

    def __init__(self, goals: Sequence[Goal]):
        self.best = {goal: math.inf if goal.measure.better == LOWER else -math.inf for goal in goals}

    def seen(self, shown: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Take in the windows of a round; returns them."""
        for goal, best in self.best.items():
            better = min if goal.measure.better == LOWER else max
            values = shown[goal.measure.name]
            self.best[goal] = better(best, *map(float, values[np.isfinite(values)].flat))
        return shown


def _unreachable(scenario: Scenario, context: int | str, reach: Reach) -> list[dict]:
    """Goals that no window kept, at any setting: `goal`, `best` value seen, and the load `offered` if that is less.

    Empty where each goal alone can be kept, but not all together.
    """
    offered = scenario.offered_load(context)
    return [
        {
            "goal": str(goal),
            "best": best if math.isfinite(best) else None,
            "offered": offered if offered and goal.measure.better != LOWER and not goal.met(offered) else None,
        }
        for goal, best in reach.best.items()
        if not goal.met(best)
    ]


def _other_limits(
    scenario: Scenario,
    context: int | str,
    goals: Sequence[Goal],
    seed: int,
    best: Setting,
    shown: Mapping[str, np.ndarray],
    again: Callable[[Setting], Mapping[str, np.ndarray]],
) -> list[dict]:
    """The answer under other limits, by the windows of the final; the formulas name the setting that may be better.

    Args:
        shown: measures of the recommended setting. again: the same windows of another setting.

    Returns:
        For each limit and factor `change`; `kept`, the attainment of the recommended setting; the better `setting` with
        its `gain`; `by`: what they rest on.
    """
    changes, others = [], {best: shown}
    for factor in CHANGES:
        for goal in goals:
            limits = [Goal(each.name, each.measure, each.limit * (factor if each is goal else 1.0)) for each in goals]
            rival = screen(scenario, context, limits, seed).best()
            if rival not in others:
                others[rival] = again(rival)
            kept, rivals = (float(_met(limits, others[setting]).mean()) for setting in (best, rival))
            better = rival if rivals - kept > TOLD_APART else best
            name = f"{goal.measure.name} {goal.limit * factor:,.10g}"
            gain = rivals - kept if better == rival else 0.0
            changes.append({"change": name, "setting": list(better), "gain": gain, "kept": kept, "by": "simulation"})
    return changes


def _other_loads(scenario: Scenario, context: int | str, goals: Sequence[Goal], seed: int, best: Setting) -> list[dict]:
    """The answer under other loads, and under this one, by formulas; as `_other_limits`."""
    if scenario.offered_load(context) is None:
        return []
    changes = []
    for factor in sorted((1.0, *CHANGES)):
        settings = list(dict.fromkeys([best, *screen(scenario, context, goals, seed, factor).first(RIVALS)]))
        share = kept_share(goals, scenario.predicted(context, settings, MANY_LOADS, seed, factor))
        most = int(np.argmax(share))
        gain = float(share[most] - share[0])
        better = settings[most] if gain > TOLD_APART else best
        kept = {"kept": float(share[0]), "by": "formulas"}
        changes.append({"change": f"load x {factor:g}", "setting": list(better), "gain": gain, **kept})
    return changes


def _plateau(screened: Screen) -> dict:
    """Soft attainment of all settings by formulas: `settings` and `share`, in one order."""
    return {
        "settings": [list(setting) for setting in screened.settings],
        "share": [round(float(share), 4) for share in screened.share],
    }
