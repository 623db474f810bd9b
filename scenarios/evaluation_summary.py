"""An evaluation in plain numbers: intervals over seeds, or over sampled devices, and paired comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from pmtwin.scenarios.doubts import DOUBTED_PERCENT, doubted, doubts
from pmtwin.scenarios.evaluation import BEST_FIXED, Evaluation
from pmtwin.scenarios.notes import notes
from pmtwin.scenarios.rollout import Trajectory
from pmtwin.scenarios.statistics import INTERVAL, compare, mean_interval, over_devices, percentiles, share_interval
from pmtwin.scenarios.tail_over_runs import tail_over_runs
from pmtwin.sim.latency_tail import LatencyTail

DEVICE_INTERVAL = (
    "95 % Student t intervals over sampled devices, each with seeds of its own, that came to the phase, of latency "
    "percentiles by the jackknife; null for one device"
)


def summarise(evaluation: Evaluation, doubted_share: float = DOUBTED_PERCENT) -> dict:
    """The evaluation in plain numbers.

    Args:
        doubted_share: percent of the windows that a real middleware may doubt.

    Returns:
        `doubts`: of `pmtwin.scenarios.doubts.doubted`, all windows of all policies together;
        `policies`: spec -> `mode`, `doubts` (reason -> windows), `notes` (of each run, see `pmtwin.scenarios.notes`),
        `overall` and `phases` (number -> the same), each with `runs` that came to it, `steps`, and for `reward`,
        `p99_us` and `throughput_ops` mean, low, high and percentiles over all steps, and
        `sla_attainment`; `latency`: percentiles over all interactive requests of all seeds, up to p99.999
        (`tail_over_runs`). `comparisons`: each pair of policies, mean reward of `policy` less that of
        `against`. `gap_to_best_fixed`: what each policy's reward lacks to `best-fixed`, if that took part. Over sampled
        devices, rewards and differences also have `devices` (`pmtwin.scenarios.statistics.over_devices`).
    """
    plan, runs = evaluation.plan, evaluation.runs
    summary, every = _Summary(evaluation), [run for trajectories in runs.values() for run in trajectories]
    result = {
        "interval": INTERVAL if plan.device_of(0) is None else DEVICE_INTERVAL,
        "extrapolated": any(run.extrapolated for run in every),
        "doubts": doubted(doubts(run.doubt for run in every), sum(len(run.doubt) for run in every), doubted_share),
        "policies": {
            spec: {
                "mode": evaluation.modes[spec],
                "doubts": doubts(run.doubt for run in runs[spec]),
                "notes": [notes(run) for run in runs[spec]],
                **summary.by_phase(lambda phase, spec=spec: summary.of(spec, phase)),
            }
            for spec in plan.policies
        },
        "comparisons": [
            {"policy": ours, "against": theirs, **summary.difference(ours, theirs)}
            for ours, theirs in combinations(plan.policies, 2)
        ],
    }
    if evaluation.best_fixed is not None:
        others = [spec for spec in plan.policies if spec != BEST_FIXED]
        result["gap_to_best_fixed"] = {spec: summary.difference(BEST_FIXED, spec) for spec in others}
        result["best_fixed"] = {str(phase): found for phase, found in evaluation.best_fixed.items()}
    return result


class _Summary:
    """What was run, phase by phase (None: all phases together)."""

    def __init__(self, evaluation: Evaluation):
        self._plan, self._runs = evaluation.plan, evaluation.runs
        self._sampled = self._plan.device_of(0) is not None

    def by_phase(self, summarise_one: Callable[[int | None], dict]) -> dict:
        """`overall` and `phases`; a phase that no run came to is left out."""
        phases = {str(phase): summarise_one(phase) for phase in sorted(set(self._plan.phases))}
        return {"overall": summarise_one(None), "phases": {name: found for name, found in phases.items() if found}}

    def of(self, spec: str, phase: int | None) -> dict:
        """One policy over the steps in a phase; empty if no run came to it."""
        parts = self._parts(spec, phase)
        if not parts:
            return {}
        measures = {}
        for name in ("reward", "p99_us", "throughput_ops"):
            values = [getattr(run, name)[chosen] for _, run, chosen in parts]
            means = self._independent(parts, [float(part.mean()) for part in values])
            measures[name] = {**mean_interval(means), "percentiles": percentiles(np.concatenate(values))}
            if self._sampled and name == "reward":
                measures[name]["devices"] = over_devices(means)
        met = self._independent(parts, [float(run.met[chosen].mean()) for _, run, chosen in parts])
        pools = np.concatenate([run.pools[chosen] for _, run, chosen in parts])
        return {
            "runs": len(parts),
            "steps": len(pools),
            **measures,
            "sla_attainment": share_interval(met),
            "latency": tail_over_runs(self._tails(parts, phase)),
            "median_pools": [float(size) for size in np.median(pools, axis=0)],
        }

    def difference(self, ours: str, theirs: str) -> dict:
        """Mean reward of one policy less that of another, on the same seeds and devices."""
        return self.by_phase(lambda phase: self._difference(ours, theirs, phase))

    def _difference(self, ours: str, theirs: str, phase: int | None) -> dict:
        both = [self._parts(spec, phase) for spec in (ours, theirs)]
        if not both[0]:
            return {}
        means = [
            self._independent(parts, [float(run.reward[chosen].mean()) for _, run, chosen in parts]) for parts in both
        ]
        found = compare(*means)
        if self._sampled:
            found["devices"] = over_devices([a - b for a, b in zip(*means, strict=True)])
        return found

    def _parts(self, spec: str, phase: int | None) -> list[tuple[int, Trajectory, np.ndarray]]:
        """(number of the run, its trajectory, which steps) of the runs that came to the phase."""
        every = [
            (number, run, np.ones(len(run.phase), dtype=bool) if phase is None else run.phase == phase)
            for number, run in enumerate(self._runs[spec])
        ]
        return [part for part in every if part[2].any()]

    def _independent(self, parts: Sequence[tuple[int, Trajectory, np.ndarray]], values: list[float]) -> list[float]:
        """One value per seed; over sampled devices one per device, since its seeds share what it differs in."""
        return [float(np.mean(group)) if self._sampled else group[0] for group in self._grouped(parts, values)]

    def _tails(self, parts: Sequence[tuple[int, Trajectory, np.ndarray]], phase: int | None) -> list[LatencyTail]:
        """As `_independent`, of the interactive latencies; a run counts as often as it has requests."""
        found = []
        for group in self._grouped(parts, [run.tails for _, run, _ in parts]):
            whole = LatencyTail()
            for number, tail in (pair for tails in group for pair in tails.items()):
                if phase in (None, number):
                    whole.merge(tail)
            found.append(whole.close())
        return found

    def _grouped(self, parts: Sequence[tuple[int, Trajectory, np.ndarray]], values: list) -> list[list]:
        """The values of the runs that share nothing with those of another group: one run, or all of a device."""
        groups: dict[int, list] = {}
        for (number, *_), value in zip(parts, values, strict=True):
            device = self._plan.device_of(number)
            groups.setdefault(number if device is None else device, []).append(value)
        return [groups[key] for key in sorted(groups)]
