"""Ranking of policies by the share of windows that keep all goals (attainment), against a reference.

The reference is the clairvoyant if it takes part, else the best policy. Regret is the reference's attainment less the
policy's, on the same seeds. In a scenario without goals the reward replaces attainment
(`pmtwin.scenarios.comparison.score`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from pmtwin.scenarios.comparison.evaluation import CLAIRVOYANT, Evaluation
from pmtwin.scenarios.comparison.robustness import robustness
from pmtwin.scenarios.comparison.rollout import Trajectory
from pmtwin.scenarios.comparison.score import Score, score_of
from pmtwin.sim.numerics.statistics import LEVEL, RunsInterval, holm, over_runs, paired_p_value, ratio_over_runs

SETTLED = 2
"""Consecutive windows that must keep the goals after a change of context: the first of them ends the recovery."""

ROUNDING = 1e-12
"""Relative difference of means that rounding alone can make, as of the same windows in another order."""


def leaderboard(evaluation: Evaluation, independent: Callable[[str, Sequence[float]], list[float]]) -> dict:
    """The ranking in plain numbers.

    Args:
        evaluation: the evaluation.
        independent: (spec, one value per run) -> one value per seed, or per sampled system.

    Returns:
        `leaderboard`: policies, best first, each with `policy` (spec), `attainment` (share of windows that keep all
            goals) with its interval, mean `regret`, and `recovery_windows` (mean over changes of context; None without
            changes). Without goals: `reward` with its interval, and mean `regret`.
        `yardsticks`: `reference` (spec).
        For each policy `of_reference`: its attainment divided by the reference's, with an interval; `regret` with an
        interval; `attainment_where_enough_offered` (None without such windows); `resized` (mean change of the setting's
        numbers from window to window); and `level`: better-ranked policies from which it does not differ significantly
        (paired t test, Holm's correction over all pairs).
        `differences`: for each pair, the better policy first, `policy`, `against`, the paired difference of attainment
            with an interval, and `apart`: whether they differ significantly.
        `short_share`: share of windows, over all policies, in which clients offer less than a goal asks for.
        `robustness`: see `pmtwin.scenarios.comparison.robustness.robustness`.
        Entries about goals are absent in scenarios without goals; `resized` is absent without settings.
    """
    scenario = evaluation.plan.scenario
    score, goals = score_of(scenario), bool(scenario.goals)
    means = {
        spec: independent(spec, [float(score.of_run(run).mean()) for run in runs])
        for spec, runs in evaluation.runs.items()
    }
    ranked = sorted(means, key=lambda spec: -float(np.mean(means[spec])))
    clairvoyants = [spec for spec in means if spec.partition(":")[0] == CLAIRVOYANT]
    reference = max(clairvoyants, key=lambda spec: float(np.mean(means[spec]))) if clairvoyants else ranked[0]
    differences, rows, beside = _differences(means, ranked, score), [], {}
    for spec in ranked:
        mean, runs = score.interval(means[spec]), evaluation.runs[spec]
        regret = _difference(means[reference], means[spec], score)
        rows.append(
            {
                "policy": spec,
                score.name: mean["mean"],
                f"{score.name}_low": mean["low"],
                f"{score.name}_high": mean["high"],
                "regret": regret["mean"],
                **({"recovery_windows": recovery_windows(runs)} if goals else {}),
            }
        )
        ratio = ratio_over_runs(means[spec], means[reference]) if goals and any(means[reference]) else None
        beside[spec] = {
            **({"of_reference": ratio} if goals else {}),
            "regret": regret,
            **({"attainment_where_enough_offered": _where_enough(runs)} if goals else {}),
            **({"resized": resized(runs)} if scenario.settings else {}),
            "level": [pair["policy"] for pair in differences if pair["against"] == spec and not pair["apart"]],
        }
    short = np.concatenate([run.short for runs in evaluation.runs.values() for run in runs])
    short_share = {"short_share": float(short.mean())} if goals else {}
    yardsticks = {"reference": reference, **short_share, "policies": beside, "differences": differences}
    return {"leaderboard": rows, "yardsticks": yardsticks | {"robustness": robustness(means)}}


def recovery_windows(runs: Sequence[Trajectory]) -> float | None:
    """Mean number of windows, after a change of context, before `SETTLED` consecutive windows keep the goals.

    A block that never recovers counts with its length. Windows that offer less than a goal asks for are left out.
    """
    counts = []
    for run in runs:
        changes = np.flatnonzero(run.context[1:] != run.context[:-1]) + 1
        for begin, end in zip(changes, [*changes, len(run.context)][1:], strict=True):
            met = run.met[begin:end][~run.short[begin:end]]
            if len(met) >= SETTLED:
                counts.append(_until_settled(met))
    return float(np.mean(counts)) if counts else None


def _until_settled(met: np.ndarray) -> int:
    is_settled = np.lib.stride_tricks.sliding_window_view(met, SETTLED).all(axis=1)
    return int(is_settled.argmax()) if is_settled.any() else len(met)


def resized(runs: Sequence[Trajectory]) -> float | None:
    """Mean sum of the changes of a setting's numbers from window to window; None if runs have one window."""
    changes = [np.abs(np.diff(run.setting, axis=0)).sum(axis=1) for run in runs if len(run.setting) > 1]
    return float(np.concatenate(changes).mean()) if changes else None


def _where_enough(runs: Sequence[Trajectory]) -> float | None:
    met = np.concatenate([run.met[~run.short] for run in runs])
    return float(met.mean()) if len(met) else None


def _difference(ours: Sequence[float], theirs: Sequence[float], score: Score) -> RunsInterval:
    return over_runs(_paired(ours, theirs), score.difference)


def _paired(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Our mean less theirs, by run; 0 where only rounding tells them apart."""
    return [0.0 if math.isclose(a, b, rel_tol=ROUNDING) else a - b for a, b in zip(ours, theirs, strict=True)]


def _differences(means: Mapping[str, Sequence[float]], ranked: Sequence[str], score: Score) -> list[dict]:
    """Differences of all pairs, the better policy first; Holm's correction over all pairs decides which differ."""
    pairs = list(combinations(ranked, 2))
    paired = [_paired(means[better], means[worse]) for better, worse in pairs]
    adjusted = holm([paired_p_value(values, [0.0] * len(values)) for values in paired])
    return [
        {
            "policy": better,
            "against": worse,
            **_difference(means[better], means[worse], score),
            "apart": bool(p_value <= 1.0 - LEVEL),
        }
        for (better, worse), p_value in zip(pairs, adjusted, strict=True)
    ]
