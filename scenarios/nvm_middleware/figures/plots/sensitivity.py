"""Dependence of the policies' ranking on the offered load and on the scale of the reward."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import PAGE_IN, policy_colour, policy_label, policy_marker
from pmtwin.scenarios.nvm_middleware.figures.plots.evaluation import kind_of
from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, reward

DECIDED = 10.0
"""Mean reward by which two policies must differ, with the same sign in every seed, for their order to count as decided.
A miss of 222 operations per second costs as much."""

EVEN, USUAL_OPS = 0.5, 300_000.0
"""The load for which the policy was trained and the pools were chosen: interactive share, and operations/s."""

LINEAR_BELOW = 10.0
MAX_LATENCIES_US = (1e5, 1e6, 1e7, 1e8)
SHORT = {"none": "N", "fixed:15,15": "F", "threshold": "T", "q-learning": "Q", "best-fixed": "B"}


def _short(kind: str) -> str:
    return SHORT.get(kind, kind)


def order(results: dict[str, list[float]]) -> dict[tuple[str, str], int]:
    """Order of each pair (a, b): 1 if a is better, -1 if b is, 0 if it is not decided."""
    position = {}
    for a, b in combinations(results, 2):
        difference = np.array(results[a]) - np.array(results[b])
        decided = abs(difference.mean()) > DECIDED and np.all(np.sign(difference) == np.sign(difference.mean()))
        position[a, b] = int(np.sign(difference.mean())) if decided else 0
    return position


def reversals(default: dict[str, list[float]], other: dict[str, list[float]]) -> list[tuple[str, str]]:
    """Pairs (winner, loser) in `other` whose order was decided the other way round in `default`."""
    before, now = order(default), order(other)
    pairs = []
    for (a, b), sign in now.items():
        if sign * before[a, b] < 0:
            pairs.append((a, b) if sign > 0 else (b, a))
    return pairs


def _rewards(variant: dict) -> dict[str, list[float]]:
    return {kind_of(spec): results["reward"] for spec, results in variant["results"].items()}


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def _data(data: dict) -> Table:
    rows = [
        (variant["kind"], variant["name"], variant["value"], kind_of(spec), seed, *values)
        for variant in data["variants"]
        for spec, results in variant["results"].items()
        for seed, values in enumerate(zip(*results.values(), strict=True))
    ]
    measures = tuple(next(iter(data["variants"][0]["results"].values())))
    header = ("kind", "name", "value", "policy", "seed", *measures)
    return Table("sensitivity-runs", "All runs under other loads", header, rows, shown=False)


def render_load(results: dict) -> Rendered:
    """Other splits of the offered rates, other totals, and another scale of latency in the reward."""
    import matplotlib.pyplot as plt

    data = results["sensitivity"]
    split, load = _by_value(data, "split", EVEN), _by_value(data, "load", USUAL_OPS)
    scale = _by_max_latency(results["evaluation-random"])
    figure, panels = plt.subplots(1, 3, figsize=(PAGE_IN, 2.5), sharey=True)
    sides = (
        (panels[0], split, "interactive share of 300 k ops/s", "split of the offered rate", 1.0),
        (panels[1], load, "offered, split evenly (k ops/s)", "offered rate", 1e-3),
        (panels[2], scale, "max_latency of the reward (us)", "latency scale of the reward", 1.0),
    )
    for axes, values, label, title, factor in sides:
        for kind in next(iter(values.values())):
            x = np.array(list(values)) * factor
            runs = np.array([rewards[kind] for rewards in values.values()])
            axes.fill_between(x, runs.min(axis=1), runs.max(axis=1), color=policy_colour(kind), alpha=0.2, linewidth=0)
            style = {"color": policy_colour(kind), "marker": policy_marker(kind), "linewidth": 1.1}
            axes.plot(x, runs.mean(axis=1), label=policy_label(kind), **style)
        axes.set(xlabel=label, title=title)
        axes.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.6)
        axes.set_yticks([-100_000, -10_000, -1000, -100, -10, 0, 10])
        axes.set_yticklabels(["−100 k", "−10 k", "−1 k", "−100", "−10", "0", "10"])
        axes.minorticks_off()
    panels[2].set_xscale("log")
    panels[2].minorticks_off()
    panels[0].set_ylabel("mean reward per step")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), columnspacing=1.2)
    drawing = Drawing(
        "sensitivity-load",
        figure,
        "Mean reward with another split of the offered rate, another total, and another upper end of the latency scale "
        "of Algorithm 1 (bands: least to most over seeds). The trained policy and the best fixed pools stay those of "
        "the defaults; for the latency scale the rewards of the evaluation's windows are computed anew.",
        "Three line plots of the mean reward per policy.",
    )
    tables = [_load_table(split, load, scale), _data(data)]
    return Rendered([drawing], tables, [_rate_statement(split, load), _load_statement(scale)])


def _by_value(data: dict, kind: str, default: float) -> dict[float, dict[str, list[float]]]:
    rewards = {default: _rewards(data["variants"][0])}
    rewards |= {variant["value"]: _rewards(variant) for variant in data["variants"] if variant["kind"] == kind}
    return dict(sorted(rewards.items()))


def _by_max_latency(evaluation: dict) -> dict[float, dict[str, list[float]]]:
    """Mean reward per seed with other upper ends of the latency scale, from the windows of the evaluation."""
    series = evaluation["series"]
    rewards = {}
    for max_latency in MAX_LATENCIES_US:
        parameters = RewardParameters(max_latency_us=max_latency)
        rewards[max_latency] = {
            kind_of(str(spec)): [
                float(np.mean([reward(p99, rate, parameters) for p99, rate in zip(*steps, strict=True)]))
                for steps in zip(series["p99_us"][row], series["throughput_ops"][row], strict=True)
            ]
            for row, spec in enumerate(series["policies"])
        }
    return rewards


def _load_table(split: dict, load: dict, scale: dict) -> Table:
    rows, kinds = [], list(next(iter(split.values())))
    for name, values in (("interactive share", split), ("offered ops/s", load), ("max_latency us", scale)):
        for value, rewards in values.items():
            ranking = " > ".join(_short(kind) for kind in sorted(rewards, key=lambda kind: -np.mean(rewards[kind])))
            rows.append((name, value, *(float(np.mean(rewards[kind])) for kind in kinds), ranking))
    header = ("moved", "value", *(policy_label(kind) for kind in kinds), "ranking by mean")
    letters = ", ".join(f"{_short(kind)} {policy_label(kind)}" for kind in kinds)
    return Table("sensitivity-load", "Mean reward under other loads and latency scales", header, rows, letters)


def turns(data: dict) -> list[tuple[str, str]]:
    """(load, pairs of policies whose order turns there, the better one first) of the step `sensitivity`."""
    return _turns(_by_value(data, "split", EVEN), _by_value(data, "load", USUAL_OPS))


def _turns(split: dict, load: dict) -> list[tuple[str, str]]:
    rows = []
    for name, values, default in (("interactive share", split, EVEN), ("offered operations/s", load, USUAL_OPS)):
        for value, rewards in values.items():
            pairs = reversals(values[default], rewards)
            if pairs:
                text = ", ".join(f"{policy_label(a)} > {policy_label(b)}" for a, b in pairs)
                rows.append((f"{name} {_plain(value)}", text))
    return rows


def _rate_statement(split: dict, load: dict) -> Statement:
    lines = [f"{load}: {text}" for load, text in _turns(split, load)]
    return Statement(
        "assumptions of the twin",
        "the ranking does not depend on the offered rate and its split (policy and pools as made at 300 k, evenly)",
        "; ".join(lines) or "no pair changes its order",
        holds=not lines,
    )


def _load_statement(scale: dict) -> Statement:
    default = scale[1e6]
    changed = {value: reversals(default, rewards) for value, rewards in scale.items()}
    text = "; ".join(
        f"at {value:.0e} us " + ", ".join(f"{policy_label(a)} > {policy_label(b)}" for a, b in pairs)
        for value, pairs in changed.items()
        if pairs
    )
    return Statement(
        "Algorithm 1",
        "max_latency, which nothing published identifies, does not decide the ranking (1e5 to 1e8 us)",
        text or f"no pair changes its order in {number(len(scale))} values from 1e5 to 1e8 us",
        holds=not text,
    )
