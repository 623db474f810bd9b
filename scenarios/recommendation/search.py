"""Search for one setting: rounds reduce the candidates, a final decides, and samples show the uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pmtwin.scenarios.recommendation.attainment import TOLERANCE, is_less
from pmtwin.scenarios.recommendation.changes import limit_changes, load_changes, other_limits, rivals_of
from pmtwin.scenarios.recommendation.final import Final
from pmtwin.scenarios.recommendation.plan import RecommendationPlan
from pmtwin.scenarios.recommendation.screening import Screen, candidates, screen
from pmtwin.scenarios.recommendation.stages import Stages
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Goal
from pmtwin.sim.numerics.statistics import present

LEVEL = (5.0, 95.0)
"""Percentiles of the attainment over samples that limit its range."""

SHOWN = ("5", "50", "95")
"""Percentiles of a measure over windows. Each is the value of some window, even if values fall into separate groups."""


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

    The setting is the best on the representative device and host; samples of both decide between equal settings.

    Args:
        scenario: scenario with its options.
        context: name of the context, or `OWN`.
        goals: goals on measures of the scenario.
        seed: root of all random numbers.
        threads: number of threads that run windows; the result is the same for any number.
        plan: size of the search.
        on_plan: called with the largest number of windows, and again once the number is known.
        on_windows: called with the number of windows that have just run.

    Returns:
        `setting`: the setting.
        `attainment`: on the representative device and host; `attainment_low`, `attainment_high`: range over these and
            the samples.
        `goals_kept`: measure -> share of windows that keep its goal; `measures`: mean of each goal's measure over
            windows; `percentiles`: percentiles `SHOWN` of each measure.
        `unreachable`: result of `Reach.unreachable` if no window keeps all goals.
        `ties`: settings of the final that are not significantly worse on the representative and over the samples.
        `loss_if_wrong`: attainment of a sample's best finalist less that of the setting, mean over samples;
            `best_in_samples`: share of samples in which no finalist is better.
        `alternatives`: other finalists with `attainment` and `mean_over_samples`.
        `changes`: see `pmtwin.scenarios.recommendation.changes`.
        `plateau`: result of `_plateau`, None without formulas.
        `extrapolated`: as in `Windows`.
        `samples`: number of samples, quantities in which they differ, and mean, minimum and percentiles `LEVEL` of the
            attainment over them.
    """
    plan = plan or RecommendationPlan()
    plan = replace(plan, warmup_windows=max(plan.warmup_windows, scenario.search_warmup_windows))
    screened = screen(scenario, context, goals, seed)
    settings = candidates(scenario, screened)
    planned = plan.most_windows(len(settings))
    on_plan(planned)
    stages = Stages(scenario, context, goals, seed, threads, plan, on_windows)
    final = stages.final(settings)
    finalists = final.finalists(plan.finalists)
    by_sample = stages.on_samples(finalists)
    best = final.best(plan.finalists, by_sample)
    ties = final.ties(best)
    untested = [setting for setting in ties if setting not in by_sample]
    limits = {} if screened is None else other_limits(goals)
    rivals = [] if screened is None else rivals_of(best, screened, limits)
    on_plan(planned + plan.sample_windows_of(len(untested)) + plan.final_windows_of(len(rivals)))
    tested = by_sample | stages.on_samples(untested)
    measures = final.measures(best)
    shown = {best: measures} | stages.further(rivals)
    changes = []
    if screened is not None:
        changes = limit_changes(best, screened, limits, shown)
        changes += load_changes(scenario, context, goals, seed, best)
    keeps_none = not final.met[best].any() and not any(shares.any() for shares in by_sample.values())
    return {
        "setting": list(best),
        **_certainty(final.attainment(best), by_sample[best], by_sample),
        **_goal_by_goal(goals, measures),
        "unreachable": stages.reach.unreachable(scenario.offered_load(context)) if keeps_none else [],
        "ties": [list(setting) for setting in ties if not is_less(tested[setting], by_sample[best])],
        "alternatives": [_alternative(setting, final, by_sample) for setting in finalists if setting != best],
        "changes": changes,
        "plateau": None if screened is None else _plateau(screened),
        "extrapolated": stages.extrapolated,
        "samples": {"of": _varied(stages.sampled, context), **_over_samples(by_sample[best])},
    }


def _certainty(attainment: float, on_samples: np.ndarray, by_sample: Mapping[Setting, np.ndarray]) -> dict:
    """Range of the attainment over the samples, and the loss against the best finalist of each sample."""
    low, high = np.percentile([*on_samples, attainment], LEVEL)
    regret = np.max(list(by_sample.values()), axis=0) - on_samples
    return {
        "attainment": attainment,
        "attainment_low": min(float(low), attainment),
        "attainment_high": max(float(high), attainment),
        "loss_if_wrong": float(regret.mean()),
        "best_in_samples": float((regret <= TOLERANCE).mean()),
    }


def _goal_by_goal(goals: Sequence[Goal], shown: Mapping[str, np.ndarray]) -> dict:
    """Mean and percentiles of each goal's measure over windows, and share of windows that keep the goal."""
    by_name = {goal.measure.name: (goal, shown[goal.measure.name]) for goal in goals}
    return {
        "measures": {name: float(present(values).mean()) for name, (_, values) in by_name.items()},
        "percentiles": {
            name: {text: float(np.percentile(present(values), float(text), method="inverted_cdf")) for text in SHOWN}
            for name, (_, values) in by_name.items()
        },
        "goals_kept": {name: float(goal.met(values).mean()) for name, (goal, values) in by_name.items()},
    }


def _alternative(setting: Setting, final: Final, by_sample: Mapping[Setting, np.ndarray]) -> dict:
    return {
        "setting": list(setting),
        "attainment": final.attainment(setting),
        "mean_over_samples": float(by_sample[setting].mean()),
    }


def _plateau(screened: Screen) -> dict:
    """Soft attainment of all settings by formulas: `settings` and `share`, in the same order."""
    return {
        "settings": [list(setting) for setting in screened.settings],
        "share": [round(float(share), 4) for share in screened.share],
    }


def _varied(sampled: Scenario, context: int | str) -> str:
    """The quantities that differ between samples, as text; `requests` if nothing else differs."""
    load = ["load"] if sampled.load_varies(context) else []
    return ", ".join([*load, *([sampled.sampled] if sampled.devices else [])]) or "requests"


def _over_samples(attainment: np.ndarray) -> dict:
    """Number of samples, and statistics of the attainment over them."""
    return {
        "count": len(attainment),
        "mean": float(attainment.mean()),
        "least": float(attainment.min()),
        **dict(zip(("low", "high"), np.percentile(attainment, LEVEL).tolist(), strict=True)),
    }
