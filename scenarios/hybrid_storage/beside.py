"""What an evaluation shows beside the policies: what is possible, regrets, the share of a gap that each closes.

Figure 8 of the paper, for any workloads: mean latency over that of Fast-Only. "Over" another policy is a ratio of
latencies in two ways, since the paper does not say which: L_S / L_H - 1 and 1 - L_H / L_S.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from pmtwin.scenarios.hybrid_storage.options import OPTIMUM, REFERENCE
from pmtwin.scenarios.hybrid_storage.possible import Part, measured_parts, possible, row_of, yardsticks_of
from pmtwin.scenarios.hybrid_storage.yardsticks import Yardstick
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import BOUND, ESTIMATE, EXACT, NEGLIGIBLE
from pmtwin.sim.common.processes import processes
from pmtwin.sim.numerics.statistics import mean_interval, over_runs, positive_interval

Values = dict[str, dict[int, float]]
"""Policy or yardstick -> run -> value, in one context or as the mean over all."""


def results_beside(evaluation: Any) -> dict:
    """Entries of the result.

    Returns:
        `over_fast_only`: mean latency over that of Fast-Only, for each policy and yardstick, `overall` (mean over the
            contexts) and by context; with the optimum also `regret`, that less the optimum's, and if `REFERENCE` took
            part `gap`: the share of the gap from it to the optimum that a policy closes, empty where that gap is
            `NEGLIGIBLE`. All have intervals over the
            runs, and `runs`, the values behind them.
        `over`: for each ordered pair of policies `ratio` (L_against / L_policy - 1) and `share` (1 - L_policy /
            L_against) of the means over the contexts.
        `optimum`, `gap_closed` (policy -> share): the means of the above over all contexts, as plain numbers; None
            for an empty one.
        `optimum_kind`: `ESTIMATE` if it is one in some context, which policies can beat; else `BOUND`, or `EXACT`.
        `possible`: each yardstick in plain values; of workloads context -> a list of these, one a run.
    """
    specs = list(evaluation.runs)
    rows = _yardsticks(evaluation)
    over, floors = _over_fast_only(evaluation, rows)
    overall = _overall(over)
    result: dict[str, Any] = {
        "over_fast_only": _table(over, overall, positive_interval),
        "over": _pairs(overall, specs),
    }
    if rows:
        options = evaluation.plan.scenario.options
        by_context = {str(name): [rows[key] for key in sorted(rows) if key[1] == name] for name in over}
        result["possible"] = next(iter(rows.values())) if options.trace else by_context
        kinds = {row[OPTIMUM]["kind"] for row in rows.values() if OPTIMUM in row}
        if kinds:
            result["optimum_kind"] = next(kind for kind in (ESTIMATE, BOUND, EXACT) if kind in kinds)
    if OPTIMUM not in overall:
        return result
    floor = _overall({name: {OPTIMUM: runs} for name, runs in floors.items()})[OPTIMUM]
    regrets = {name: _regrets(over[name], floors[name], specs) for name in over}
    result["regret"] = _table(regrets, _regrets(overall, floor, specs))
    result["optimum"] = _mean(overall[OPTIMUM])
    if REFERENCE in specs:
        gap = _gaps(overall, floor, specs)
        result["gap"] = _table({name: _gaps(over[name], floors[name], specs) for name in over}, gap)
        result["gap_closed"] = {spec: _mean(gap[spec]) if gap else None for spec in specs}
    return result


def _mean(values: Mapping[int, float]) -> float:
    return float(np.mean(list(values.values())))


def _yardsticks(evaluation: Any) -> dict[tuple[int, Any], dict[str, dict]]:
    """(run, context) -> yardstick in plain values; no context whose windows go beyond its requests in some run."""
    plan, options = evaluation.plan, evaluation.plan.scenario.options
    if len(options.storage.block_devices) != 2 or not yardsticks_of(options):
        return {}
    parts: dict[tuple[int, Any], list[Part]] = {}
    for number, run in enumerate(next(iter(evaluation.runs.values()))):
        for context, part in measured_parts(plan, number, run.system_seed):
            parts.setdefault((number, context), []).append(part)
    different = list(dict.fromkeys(part for several in parts.values() for part in several))
    values = dict(zip(different, _computed(options, different, evaluation.jobs), strict=True))
    beyond = {context for (_, context), several in parts.items() if not all(values[part] for part in several)}
    return {
        key: _averaged([(part.windows, values[part]) for part in several])
        for key, several in parts.items()
        if key[1] not in beyond
    }


def _computed(options: Any, parts: Sequence[Part], jobs: int) -> list[dict[str, Yardstick]]:
    from joblib import delayed

    return list(processes(min(jobs, len(parts)))(delayed(possible)(options, part) for part in parts))


def _averaged(values: Sequence[tuple[int, Mapping[str, Yardstick]]]) -> dict[str, dict]:
    """Yardstick in plain values, of one part; of several the means, weighted by their windows."""
    weights, several = zip(*values, strict=True)
    result = {}
    for name in several[0]:
        rows = [row_of(each[name]) for each in several]
        means = {
            key: float(np.average([row[key] for row in rows], weights=weights)) for key in ("over_fast_only", "mean_us")
        }
        result[name] = rows[0] | (means if len(rows) > 1 else {})
    return result


def _over_fast_only(
    evaluation: Any, yardsticks: Mapping[tuple[int, Any], Mapping[str, dict]]
) -> tuple[dict[Any, Values], dict[Any, dict[int, float]]]:
    """(context -> mean latency over Fast-Only, context -> run -> latency of the optimum over Fast-Only as simulated).

    A yardstick is over Fast-Only on idle devices, a policy over the same requests simulated with all pages on the first
    device. The two differ where requests queue, and in the layout `append`, which splits reads of pages that were not
    written together. So what lies between a policy and the optimum is counted with the simulated one.
    """
    over: dict[Any, Values] = {}
    floors: dict[Any, dict[int, float]] = {}
    for spec, runs in evaluation.runs.items():
        for number, run in enumerate(runs):
            for context in sorted(set(run.context.tolist())):
                chosen = run.context == context
                mean_us, slowdown = run.measures["mean_us"][chosen], run.measures["slowdown"][chosen]
                fast_us, values = float((mean_us / slowdown).mean()), over.setdefault(context, {})
                values.setdefault(spec, {})[number] = float(mean_us.mean()) / fast_us
                for name, row in yardsticks.get((number, context), {}).items():
                    values.setdefault(name, {})[number] = row["over_fast_only"]
                    if name == OPTIMUM:
                        floors.setdefault(context, {})[number] = row["mean_us"] / fast_us
    return {context: over[context] for context in sorted(over)}, floors


def _overall(over: Mapping[Any, Values]) -> Values:
    """The mean over the contexts, of each run that came to all of them."""
    several = list(over.values())
    names = [name for name in several[0] if all(name in values for values in several)]
    runs = {name: set.intersection(*(set(values[name]) for values in several)) for name in names}
    return {
        name: {run: float(np.mean([values[name][run] for values in several])) for run in sorted(runs[name])}
        for name in names
        if runs[name]
    }


def _regrets(values: Values, least: Mapping[int, float], specs: Sequence[str]) -> Values:
    return {spec: {run: value - least[run] for run, value in values[spec].items() if run in least} for spec in specs}


def _gaps(values: Values, least: Mapping[int, float], specs: Sequence[str]) -> Values:
    """Policy -> share of the gap from `REFERENCE` to the optimum; empty where the gap of some run is negligible."""
    most = values[REFERENCE]
    if any(most[run] - least[run] < NEGLIGIBLE * least[run] for run in least):
        return {}
    return {spec: {run: (most[run] - values[spec][run]) / (most[run] - least[run]) for run in least} for spec in specs}


def _table(over: Mapping[Any, Values], overall: Values, interval: Callable = mean_interval) -> dict:
    """Intervals `overall` and by context."""

    def rows(values: Values) -> dict:
        several = {name: list(runs.values()) for name, runs in values.items() if runs}
        return {name: {**over_runs(runs, interval), "runs": runs} for name, runs in several.items()}

    return {"overall": rows(overall), "contexts": {str(context): rows(values) for context, values in over.items()}}


def _pairs(overall: Values, specs: Sequence[str]) -> list[dict]:
    rows = []
    for policy, against in permutations(specs, 2):
        pairs = [(overall[policy][run], overall[against][run]) for run in overall.get(policy, {})]
        if pairs:
            ratio = over_runs([theirs / ours - 1.0 for ours, theirs in pairs])
            share = over_runs([1.0 - ours / theirs for ours, theirs in pairs])
            rows.append({"policy": policy, "against": against, "ratio": ratio, "share": share})
    return rows
