"""Summary of an evaluation: intervals over seeds or sampled systems, and paired comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from pmtwin.scenarios.comparison.evaluation import BEST_FIXED, Evaluation
from pmtwin.scenarios.comparison.gains import gain_over, share_of_gain
from pmtwin.scenarios.comparison.leaderboard import leaderboard
from pmtwin.scenarios.comparison.notes import notes
from pmtwin.scenarios.comparison.rollout import Context, Trajectory
from pmtwin.scenarios.comparison.tail_over_runs import tail_over_runs
from pmtwin.scenarios.validity_warnings import WARNED_PERCENT, reasons, warned_windows
from pmtwin.sim.numerics.latency_tail import LatencyTail
from pmtwin.sim.numerics.statistics import (
    INTERVAL,
    PERCENTILES,
    RANGE,
    compare,
    mean_interval,
    over_devices,
    over_runs,
    percentiles,
    positive_interval,
    present,
    share_interval,
)

Part = tuple[int, Trajectory, np.ndarray]
"""(number of a run, its trajectory, mask of the chosen steps)."""

NOTHING = {**dict.fromkeys(("mean", "low", "high")), "percentiles": dict.fromkeys(map(str, PERCENTILES))}
"""Summary of a measure without a value in any window."""

SAMPLES_INTERVAL = (
    "95 % Student t intervals over sampled {sampled}, each with seeds of its own, that came to the context, of latency "
    f"percentiles by the jackknife; {RANGE}"
)


def summarise(evaluation: Evaluation, warned_share: float = WARNED_PERCENT) -> dict:
    """The evaluation in plain numbers.

    Args:
        warned_share: largest share of windows with a validity warning, in percent.

    Returns:
        `leaderboard` and `yardsticks`: of `pmtwin.scenarios.comparison.leaderboard.leaderboard`;
        `validity_warnings`: see `validity_warnings.warned_windows`, over all windows of all policies.
        `policies`: spec -> `mode`; `alike` (whether all runs are equal, since nothing is random); with a warm-up
            `warmup_reward` (`over_runs` of the means of its windows); `validity_warnings` (reason -> number of
            windows); `notes` (of each run, see `pmtwin.scenarios.comparison.notes`); `overall`: a summary over all
            contexts; and, under the plural of the contexts' noun, name -> summary of one context.
        A summary has the number of `runs` with such steps; `steps`; for `reward` and each compared measure the
        `over_runs` of its means, and percentiles over all steps; with goals `attainment`; with classes of requests
        `latency`: percentiles, up to the 99.999th, over all requests of the first class of all seeds
        (`tail_over_runs`); and with settings the median setting.
        `comparisons`: for each pair of policies, mean reward of `policy` less that of `against`.
        `gains`, in scenarios without goals: `over`, the first of the scenario's baselines that took part, and for each
            other policy `gain_over` it and, if `best-fixed` took part, `of_best_fixed` (`share_of_gain`).
        `gap_to_best_fixed`: reward of `best-fixed`, if it took part, less each policy's reward.
        Over sampled systems, rewards and differences also have `devices`
        (`pmtwin.sim.numerics.statistics.over_devices`).
    """
    plan, runs = evaluation.plan, evaluation.runs
    summary, all_runs = _Summary(evaluation), [run for trajectories in runs.values() for run in trajectories]
    result = {
        "interval": SAMPLES_INTERVAL.format(sampled=plan.scenario.sampled) if plan.scenario.devices else INTERVAL,
        **leaderboard(evaluation, summary.seed_values),
        "extrapolated": any(run.extrapolated for run in all_runs),
        "validity_warnings": warned_windows(
            reasons(run.validity_warning for run in all_runs),
            sum(len(run.validity_warning) for run in all_runs),
            warned_share,
        ),
        "policies": {
            spec: {
                "mode": evaluation.modes[spec],
                "alike": evaluation.alike(spec),
                **summary.warmup(spec),
                "validity_warnings": reasons(run.validity_warning for run in runs[spec]),
                "notes": [notes(run, bool(plan.scenario.goals)) for run in runs[spec]],
                **summary.by_context(partial(summary.policy_summary, spec)),
            }
            for spec in plan.policies
        },
        "comparisons": [
            {"policy": ours, "against": theirs, **summary.difference(ours, theirs)}
            for ours, theirs in combinations(plan.policies, 2)
        ],
    }
    if (gains := summary.gains()) is not None:
        result["gains"] = gains
    if evaluation.best_constant is not None:
        result["best_constant"] = evaluation.best_constant
    if evaluation.best_fixed is not None:
        others = [spec for spec in plan.policies if spec != BEST_FIXED]
        result["gap_to_best_fixed"] = {spec: summary.difference(BEST_FIXED, spec) for spec in others}
        result["best_fixed"] = {str(context): setting for context, setting in evaluation.best_fixed.items()}
    return result


class _Summary:
    """Computes the summary of an evaluation, for each context (None: all contexts together)."""

    def __init__(self, evaluation: Evaluation):
        self._plan, self._runs = evaluation.plan, evaluation.runs
        self._scenario = self._plan.scenario
        self._sampled = self._plan.device_of(0) is not None

    def by_context(self, summarise_one: Callable[[Context | None], dict]) -> dict:
        """Summaries of `overall` and of each context; contexts without steps are left out."""
        parts = {str(name): summarise_one(name) for name in sorted(set(self._plan.contexts))}
        present = {name: part for name, part in parts.items() if part}
        return {"overall": summarise_one(None), self._scenario.contexts.plural: present}

    def policy_summary(self, spec: str, context: Context | None) -> dict:
        """Summary of one policy over the steps in a context; empty without steps."""
        parts = self._parts(spec, context)
        if not parts:
            return {}
        measures = {"reward": self._measure(parts, [run.reward[chosen] for _, run, chosen in parts], signed=True)}
        if self._sampled:
            means = [float(run.reward[chosen].mean()) for _, run, chosen in parts]
            measures["reward"]["devices"] = over_devices(self._independent(parts, means))
        for measure in self._scenario.compared:
            values = [run.measures[measure.name][chosen] for _, run, chosen in parts]
            signed = any((part < 0.0).any() for part in values)  # times, rates and lengths are never negative
            measures[measure.name] = self._measure(parts, values, signed)
        attainment, median, scenario = {}, {}, self._scenario
        if scenario.goals:
            met = self._independent(parts, [float(run.met[chosen].mean()) for _, run, chosen in parts])
            attainment["attainment"] = over_runs(met, share_interval)
        if scenario.settings:
            settings = np.concatenate([run.setting[chosen] for _, run, chosen in parts])
            median[f"median_{scenario.settings.noun}"] = [float(size) for size in np.median(settings, axis=0)]
        tails = {"latency": tail_over_runs(self._tails(parts, context))} if self._scenario.request_classes else {}
        return {
            "runs": len(parts),
            "steps": sum(int(chosen.sum()) for _, _, chosen in parts),
            **measures,
            **attainment,
            **tails,
            **median,
        }

    def _measure(self, parts: Sequence[Part], values: list[np.ndarray], signed: bool) -> dict:
        """Means and percentiles over the windows with a value; None without values."""
        pairs = [(part, known) for part, value in zip(parts, values, strict=True) if len(known := present(value))]
        if not pairs:
            return NOTHING
        parts, values = zip(*pairs, strict=True)
        means = self._independent(parts, [float(part.mean()) for part in values])
        interval = mean_interval if signed else positive_interval
        return {**over_runs(means, interval), "percentiles": percentiles(np.concatenate(values))}

    def warmup(self, spec: str) -> dict:
        """The rewards of the windows before those that count: what a policy earns while it learns."""
        if not self._plan.warmup_windows:
            return {}
        parts = self._parts(spec, None)
        means = self._independent(parts, [float(run.warmup_reward) for _, run, _ in parts])  # type: ignore[arg-type]
        return {"warmup_reward": over_runs(means, mean_interval)}

    def seed_values(self, spec: str, values: Sequence[float]) -> list[float]:
        """One value per seed or sample, from one value per run of a policy."""
        return self._independent(self._parts(spec, None), list(values))

    def difference(self, ours: str, theirs: str) -> dict:
        """Difference of two policies' mean rewards, on the same seeds and samples."""
        return self.by_context(lambda context: self._difference(ours, theirs, context))

    def _difference(self, ours: str, theirs: str, context: Context | None) -> dict:
        both = [self._parts(spec, context) for spec in (ours, theirs)]
        if not both[0]:
            return {}
        means = [
            self._independent(parts, [float(run.reward[chosen].mean()) for _, run, chosen in parts]) for parts in both
        ]
        difference: dict = {**compare(*means)}
        if self._sampled:
            difference["devices"] = over_devices([a - b for a, b in zip(*means, strict=True)])
        return difference

    def gains(self) -> dict | None:
        """Gains of the other policies over the first baseline that took part; None without one, or with goals."""
        baseline = next((spec for spec in self._scenario.baselines if spec in self._runs), None)
        if baseline is None or len(self._runs) == 1 or self._scenario.goals:
            return None
        others = [spec for spec in self._plan.policies if spec != baseline]
        return {
            "over": baseline,
            "policies": {spec: self.by_context(partial(self._gain, spec, baseline)) for spec in others},
        }

    def _gain(self, spec: str, baseline: str, context: Context | None) -> dict:
        """Gain of a policy over a baseline in a context, and its share of best-fixed's; empty without steps."""
        ours, theirs = (self._rewards(name, context) for name in (spec, baseline))
        if not ours:
            return {}
        gain = {"gain": gain_over(ours, theirs)}
        if BEST_FIXED in self._runs and BEST_FIXED not in (spec, baseline):
            rewards = (ours, theirs, self._rewards(BEST_FIXED, context))
            gain["of_best_fixed"] = share_of_gain(*([float(run.mean()) for run in runs] for runs in rewards))
        return gain

    def _rewards(self, spec: str, context: Context | None) -> list[np.ndarray]:
        """Rewards of the windows in a context, one array per seed or sample."""
        parts = self._parts(spec, context)
        groups = self._grouped(parts, [run.reward[chosen] for _, run, chosen in parts])
        return [np.concatenate(group) for group in groups]

    def _parts(self, spec: str, context: Context | None) -> list[Part]:
        """The runs of a policy with steps in a context."""
        parts = [
            (number, run, np.ones(len(run.context), dtype=bool) if context is None else run.context == context)
            for number, run in enumerate(self._runs[spec])
        ]
        return [part for part in parts if part[2].any()]

    def _independent(self, parts: Sequence[Part], values: list[float]) -> list[float]:
        """One value per seed; over sampled systems one per sample: runs on one system are not independent."""
        return [float(np.mean(group)) if self._sampled else group[0] for group in self._grouped(parts, values)]

    def _tails(self, parts: Sequence[Part], context: Context | None) -> list[LatencyTail]:
        """Latency tails of the first class, one per seed or sample; a run is weighted by its number of requests."""
        entries = []
        for group in self._grouped(parts, [run.tails for _, run, _ in parts]):
            merged = LatencyTail()
            for name, tail in (pair for tails in group for pair in tails.items()):
                if context in (None, name):
                    merged.merge(tail)
            entries.append(merged.close())
        return entries

    def _grouped(self, parts: Sequence[Part], values: list) -> list[list]:
        """Values of independent groups of runs: one run, or all runs of a sample."""
        groups: dict[int, list] = {}
        for (number, *_), value in zip(parts, values, strict=True):
            device = self._plan.device_of(number)
            groups.setdefault(number if device is None else device, []).append(value)
        return [groups[key] for key in sorted(groups)]
