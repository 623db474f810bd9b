"""Search for one setting: candidates fall round by round, a final decides, samples state its certainty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.scenarios.recommendation.attainment import TOLD_APART, is_less, met
from pmtwin.scenarios.recommendation.changes import limit_changes, load_changes, other_limits, rivals_of
from pmtwin.scenarios.recommendation.reach import Reach
from pmtwin.scenarios.recommendation.screening import Screen, candidates, margins, screen
from pmtwin.scenarios.recommendation.windows import Windows
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Goal
from pmtwin.sim.statistics import present

LEVEL = (5.0, 95.0)
"""Percentiles over samples between which the attainment lies."""

SHOWN = ("5", "50", "95")
"""Percentiles of a measure over windows, each the value of one: where kinds of windows alternate, none has the mean."""


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
        """Windows of a search over a number of candidates, without those of ties and of other limits."""
        total = 0
        for windows, stay in self.rounds:
            total += settings * (windows + self.warmup_windows)
            settings = min(settings, stay)
        total += self.final_windows_of(settings)
        return total + self.sample_windows_of(min(settings, self.finalists))

    def final_windows_of(self, settings: int) -> int:
        """Windows of a number of settings in the final."""
        return settings * self.final_seeds * (self.final_windows + self.warmup_windows)

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
        `setting`; `attainment` on the representative, `attainment_low` and `attainment_high` over it and the samples;
        `goals_kept`: measure -> share of windows that keep its goal; `unreachable`: of `Reach.unreachable`, where
        nothing keeps all goals; `measures`: mean of each goal's measure over windows; `percentiles`: `SHOWN` of each;
        `ties`: settings that are not shown to be worse, on the representative and over the samples, of those in the
        last round; `loss_if_wrong`: attainment that the best of the finalists has beyond it, mean over samples;
        `best_in_samples`: share of the samples in which none of them is better; `alternatives`: finalists with their
        `attainment` and `mean_over_samples`; `changes`: of `pmtwin.scenarios.recommendation.changes`; `plateau`: of
        `_plateau`, None without formulas; `extrapolated`: of `Windows`; `samples`: how many, of what (what
        differs from one to the next), and the mean, the least and the percentiles `LEVEL` of the attainment over them.
    """
    plan = plan or RecommendationPlan()
    plan = replace(plan, warmup_windows=max(plan.warmup_windows, scenario.search_warmup_windows))
    screened = screen(scenario, context, goals, seed)
    remaining = candidates(scenario, screened)
    planned = plan.most_windows(len(remaining))
    on_plan(planned)
    representative = Windows(scenario, context, threads, on_windows)
    seeds = _seeds(seed, len(plan.rounds), plan.final_seeds, plan.samples)
    reach = Reach(goals)
    for (windows, stay), word in zip(plan.rounds, seeds[0], strict=True):
        shown = reach.seen(representative.run(remaining, windows, plan.warmup_windows, [word]))
        remaining = _ranked(goals, remaining, shown)[:stay]
    shown = reach.seen(representative.run(remaining, plan.final_windows, plan.warmup_windows, seeds[1]))
    final = dict(zip(remaining, met(goals, shown), strict=True))
    ranked = _ranked(goals, remaining, shown)
    top = max(windows_met.mean() for windows_met in final.values())
    equal = [setting for setting in ranked if final[setting].mean() >= top - TOLD_APART]
    finalists = list(dict.fromkeys([*equal, *ranked]))[: plan.finalists]
    sampled = scenario.sampled_systems(plan.samples)
    plausible = Windows(sampled, context, threads, on_windows)
    by_sample = _by_sample(plausible, goals, finalists, plan, seeds[2])
    best = max(
        equal[: plan.finalists], key=lambda setting: (round(by_sample[setting].mean(), 3), -ranked.index(setting))
    )
    ties = _equals(best, final) if final[best].any() else []
    limits = {} if screened is None else other_limits(goals)
    rivals = [] if screened is None else rivals_of(best, screened, limits)
    untried = [setting for setting in ties if setting not in by_sample]
    on_plan(planned + plan.sample_windows_of(len(untried)) + plan.final_windows_of(len(rivals)))
    of_ties = by_sample | _by_sample(plausible, goals, untried, plan, seeds[2])
    shown_at_best = _row(shown, remaining.index(best))
    changes = []
    if screened is not None:
        again = representative.run(rivals, plan.final_windows, plan.warmup_windows, seeds[1]) if rivals else {}
        of_rivals = {setting: _row(again, place) for place, setting in enumerate(rivals)}
        changes = limit_changes(best, screened, limits, {best: shown_at_best} | of_rivals)
        changes += load_changes(scenario, context, goals, seed, best)
    nothing = not final[best].any() and not any(shares.any() for shares in by_sample.values())
    return {
        "setting": list(best),
        **_certainty(best, final, by_sample),
        **_goal_by_goal(goals, shown_at_best),
        "unreachable": reach.unreachable(scenario.offered_load(context)) if nothing else [],
        "ties": [list(setting) for setting in ties if not is_less(of_ties[setting], by_sample[best])],
        "alternatives": _alternatives([setting for setting in finalists if setting != best], final, by_sample),
        "changes": changes,
        "plateau": None if screened is None else _plateau(screened),
        "extrapolated": representative.extrapolated or plausible.extrapolated,
        "samples": {
            "of": _varied(sampled, context),
            "count": plan.samples,
            "mean": float(by_sample[best].mean()),
            "least": float(by_sample[best].min()),
            **dict(zip(("low", "high"), np.percentile(by_sample[best], LEVEL).tolist(), strict=True)),
        },
    }


def _by_sample(
    plausible: Windows, goals: Sequence[Goal], settings: Sequence[Setting], plan: RecommendationPlan, seeds: list[int]
) -> dict[Setting, np.ndarray]:
    """Setting -> its attainment on each sample."""
    if not settings:
        return {}
    shown = plausible.run(settings, plan.sample_windows, plan.warmup_windows, seeds)
    return dict(zip(settings, met(goals, shown).mean(axis=2), strict=True))


def _varied(sampled: Scenario, context: int | str) -> str:
    """What differs from sample to sample; single requests always do."""
    load = ["load"] if sampled.load_varies(context) else []
    return ", ".join([*load, *([sampled.sampled] if sampled.devices else [])]) or "requests"


def _row(shown: Mapping[str, np.ndarray], place: int) -> dict[str, np.ndarray]:
    """The measures of one setting."""
    return {name: values[place] for name, values in shown.items()}


def _goal_by_goal(goals: Sequence[Goal], shown: Mapping[str, np.ndarray]) -> dict:
    """Mean and percentiles of each goal's measure over windows, and share of windows that keep the goal."""
    by_name = {goal.measure.name: (goal, shown[goal.measure.name]) for goal in goals}
    return {
        "measures": {name: float(present(values).mean()) for name, (_, values) in by_name.items()},
        "percentiles": {
            name: {each: float(np.percentile(present(values), float(each), method="inverted_cdf")) for each in SHOWN}
            for name, (_, values) in by_name.items()
        },
        "goals_kept": {name: float(goal.met(values).mean()) for name, (goal, values) in by_name.items()},
    }


def _alternatives(
    settings: Sequence[Setting], final: Mapping[Setting, np.ndarray], by_sample: Mapping[Setting, np.ndarray]
) -> list[dict]:
    return [
        {
            "setting": list(setting),
            "attainment": float(final[setting].mean()),
            "mean_over_samples": float(by_sample[setting].mean()),
        }
        for setting in settings
    ]


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


def _ranked(goals: Sequence[Goal], settings: Sequence[Setting], shown: Mapping[str, np.ndarray]) -> list[Setting]:
    """Settings, the best first."""
    return [settings[place] for place in np.argsort(-_score(goals, shown), kind="stable")]


def _score(goals: Sequence[Goal], shown: Mapping[str, np.ndarray]) -> np.ndarray:
    """Shape (settings,): attainment, with ties broken by the mean margin."""
    margin = np.clip(margins(goals, shown).mean(axis=(1, 2)), -50.0, 50.0)
    return met(goals, shown).mean(axis=(1, 2)) + 1e-4 * margin


def _equals(best: Setting, final: Mapping[Setting, np.ndarray]) -> list[Setting]:
    """Settings that are no worse than the best on the representative, over windows of the same requests.

    Args:
        final: setting -> whether windows meet all goals.
    """
    return sorted(other for other in final if other != best and not is_less(final[other], final[best]))


def _plateau(screened: Screen) -> dict:
    """Soft attainment of all settings by formulas: `settings` and `share`, in one order."""
    return {
        "settings": [list(setting) for setting in screened.settings],
        "share": [round(float(share), 4) for share in screened.share],
    }
