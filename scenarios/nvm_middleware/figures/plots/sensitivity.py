"""Whether the ranking of the policies depends on what was assumed."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pmtwin.figures.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.style import PAGE_IN, number, policy_colour, policy_label, policy_marker
from pmtwin.scenarios.nvm_middleware.figures.plots.evaluation import kind_of

DECIDED = 10.0
"""Mean reward by which two policies must differ, with the same sign in every seed, for their order to count as decided.
A miss of 222 operations per second costs as much."""

LINEAR_BELOW = 10.0
MAX_LATENCIES_US = (1e5, 1e6, 1e7, 1e8)
SHORT = {"none": "N", "fixed:15,15": "F", "threshold": "T", "q-learning": "Q", "best-fixed": "B"}


def _short(kind: str) -> str:
    return SHORT.get(kind, kind)


def order(results: dict[str, list[float]]) -> dict[tuple[str, str], int]:
    """For each pair (a, b): 1 if a is better, -1 if b is, 0 if it is not decided."""
    found = {}
    for a, b in combinations(results, 2):
        difference = np.array(results[a]) - np.array(results[b])
        decided = abs(difference.mean()) > DECIDED and np.all(np.sign(difference) == np.sign(difference.mean()))
        found[a, b] = int(np.sign(difference.mean())) if decided else 0
    return found


def reversals(default: dict[str, list[float]], other: dict[str, list[float]]) -> list[tuple[str, str]]:
    """Pairs (winner, loser) in `other` whose order was decided the other way round in `default`."""
    before, now = order(default), order(other)
    pairs = []
    for (a, b), sign in now.items():
        if sign * before[a, b] < 0:
            pairs.append((a, b) if sign > 0 else (b, a))
    return pairs


def _rewards(variant: dict) -> dict[str, list[float]]:
    return {kind_of(spec): found["reward"] for spec, found in variant["results"].items()}


def render_parameters(results: dict) -> Rendered:
    """Every assumed parameter at the ends of its range."""
    data = results["sensitivity"]
    default = _rewards(data["variants"][0])
    moved: dict[str, list[dict]] = {}
    for variant in data["variants"]:
        if variant["kind"] == "parameter":
            moved.setdefault(variant["name"], []).append(variant)
    changed = {
        name: [(variant["value"], reversals(default, _rewards(variant))) for variant in variants]
        for name, variants in moved.items()
    }
    stable = {name: not any(pairs for _, pairs in ends) for name, ends in changed.items()}
    names = sorted(moved, key=lambda name: (stable[name], -_reach(default, moved[name])))
    drawing = _tornado(names, moved, changed, default, data)
    return Rendered([drawing], [_table(names, moved, changed, default), _data(data)], [_statement(changed, default)])


def reversed_orders(data: dict) -> dict[str, str]:
    """Parameter -> the orders of policies that it reverses within its range, in words; only those that do."""
    default = _rewards(data["variants"][0])
    found: dict[str, list[str]] = {}
    for variant in data["variants"]:
        if variant["kind"] == "parameter":
            pairs = reversals(default, _rewards(variant))
            found.setdefault(variant["name"], []).extend(
                f"{policy_label(a)} > {policy_label(b)} at {_plain(variant['value'])}" for a, b in pairs
            )
    return {name: "; ".join(texts) for name, texts in found.items() if texts}


def _reach(default: dict, variants: list[dict]) -> float:
    """How far the parameter moves any policy, on the logarithmic scale of the plot."""
    return max(
        abs(_log(np.mean(values)) - _log(np.mean(default[kind])))
        for variant in variants
        for kind, values in _rewards(variant).items()
    )


def _log(reward: float) -> float:
    return float(np.sign(reward) * np.log1p(abs(reward) / LINEAR_BELOW))


def _tornado(names: list[str], moved: dict, changed: dict, default: dict, data: dict) -> Drawing:
    import matplotlib.pyplot as plt

    from pmtwin.sim.parameters import PARAMETERS

    kinds = list(default)
    figure, axes = plt.subplots(figsize=(PAGE_IN, 0.33 * len(names) + 0.9))
    for row, name in enumerate(names):
        if row % 2 == 0:
            axes.axhspan(row - 0.5, row + 0.5, color="#f6f6f6", linewidth=0, zorder=0)
        for k, kind in enumerate(kinds):
            y = row + (k - (len(kinds) - 1) / 2) * 0.17
            centre = float(np.mean(default[kind]))
            ends = [float(np.mean(_rewards(variant)[kind])) for variant in moved[name]]
            axes.plot([min(centre, *ends), max(centre, *ends)], [y, y], color=policy_colour(kind), linewidth=1.6)
            axes.plot(centre, y, policy_marker(kind), color=policy_colour(kind), markersize=3.6)
        text = _changes(name, changed[name])
        axes.text(1.015, row, text, transform=axes.get_yaxis_transform(), va="center", fontsize=6.8, color="#9b2d00")
    for kind in kinds:
        axes.plot([], [], policy_marker(kind), linestyle="-", color=policy_colour(kind), label=policy_label(kind))
    axes.set_yticks(range(len(names)), [_range_label(PARAMETERS[name]) for name in names])
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if any(pairs for _, pairs in changed[name]) else "normal")
    axes.set(ylim=(len(names) - 0.5, -0.5), xlabel="mean reward per step over the four phases")
    axes.set_xscale("symlog", linthresh=LINEAR_BELOW, linscale=0.6)
    axes.set_xlim(right=18)
    axes.set_xticks([-10_000, -1000, -100, -10, 0, 10], ["−10 k", "−1 k", "−100", "−10", "0", "10"])
    axes.minorticks_off()
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=len(kinds), handletextpad=0.4, columnspacing=1.2)
    letters = ", ".join(f"{_short(kind)} {policy_label(kind)}" for kind in kinds)
    return Drawing(
        "sensitivity-parameters",
        figure,
        "Every assumed parameter moved to the ends of its plausible range, one at a time: markers show the mean reward "
        "at the default, lines how far it moves. Bold parameters change the order of two policies; at the right "
        f"which, and at which value ({letters}; the better one first). An order counts as decided if all "
        f"{data['seeds']} seeds agree and the means differ by more than {DECIDED:g}. Held fixed: the trained policy "
        "and the best fixed pools, both made at the defaults.",
        "A range plot of the reward of each policy for each assumed parameter.",
    )


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def _range_label(parameter) -> str:
    unit = f" {parameter.unit}" if parameter.unit else ""
    return f"{parameter.name}\n{_plain(parameter.low)} – {_plain(parameter.high)}{unit}"


def _changes(name: str, changes: list[tuple[float, list[tuple[str, str]]]]) -> str:
    lines = []
    for value, pairs in changes:
        if pairs:
            orders = [f"{_short(a)}>{_short(b)}" for a, b in pairs]
            lines.append(f"at {_plain(value)}: " + ", ".join(orders[:3]) + ("," if len(orders) > 3 else ""))
            lines += [", ".join(orders[k : k + 4]) for k in range(3, len(orders), 4)]
    return "\n".join(lines)


def _statement(changed: dict, default: dict) -> Statement:
    changing = [name for name, ends in changed.items() if any(pairs for _, pairs in ends)]
    q_loses = sorted(
        f"{name} at {value:g} ({policy_label(winner)} wins)"
        for name, ends in changed.items()
        for value, pairs in ends
        for winner, loser in pairs
        if loser == "q-learning"
    )
    ranking = " > ".join(policy_label(kind) for kind in sorted(default, key=lambda kind: -np.mean(default[kind])))
    return Statement(
        "assumptions of the twin",
        "the ranking of the policies does not depend on what is assumed",
        f"at the defaults {ranking}; {len(changing)} of {len(changed)} assumed parameters change the order of some "
        f"pair within their range ({', '.join(changing) or 'none'}). The trained policy loses a lead with: "
        f"{', '.join(q_loses) or 'none of them'}",
        holds=not changing,
    )


def _table(names: list[str], moved: dict, changed: dict, default: dict) -> Table:
    from pmtwin.sim.parameters import PARAMETERS

    rows = []
    for name in names:
        parameter = PARAMETERS[name]
        for variant, (value, pairs) in zip(moved[name], changed[name], strict=True):
            means = [float(np.mean(values)) for values in _rewards(variant).values()]
            text = ", ".join(f"{policy_label(a)} > {policy_label(b)}" for a, b in pairs) or "none"
            rows.append((name, parameter.unit, parameter.default, value, *means, text))
    header = ("parameter", "unit", "default", "moved to", *(policy_label(kind) for kind in default), "orders reversed")
    first = ("(defaults)", "", None, None, *(float(np.mean(values)) for values in default.values()), "")
    return Table("sensitivity-parameters", "Mean reward with one assumption moved", header, [first, *rows])


def _data(data: dict) -> Table:
    rows = [
        (variant["kind"], variant["name"], variant["value"], kind_of(spec), seed, *values)
        for variant in data["variants"]
        for spec, found in variant["results"].items()
        for seed, values in enumerate(zip(*found.values(), strict=True))
    ]
    measures = tuple(next(iter(data["variants"][0]["results"].values())))
    header = ("kind", "name", "value", "policy", "seed", *measures)
    return Table("sensitivity-runs", "All runs of the sensitivity study", header, rows, shown=False)


def render_load(results: dict) -> Rendered:
    """Other splits of the offered rates, other totals, and another scale of latency in the reward."""
    import matplotlib.pyplot as plt

    data = results["sensitivity"]
    split, load = _by_value(data, "split", 0.5), _by_value(data, "load", 300_000.0)
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
            runs = np.array([found[kind] for found in values.values()])
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
    tables = [_load_table(split, load, scale)]
    return Rendered([drawing], tables, [_rate_statement(split, load), _load_statement(scale)])


def _by_value(data: dict, kind: str, default: float) -> dict[float, dict[str, list[float]]]:
    found = {default: _rewards(data["variants"][0])}
    found |= {variant["value"]: _rewards(variant) for variant in data["variants"] if variant["kind"] == kind}
    return dict(sorted(found.items()))


def _by_max_latency(evaluation: dict) -> dict[float, dict[str, list[float]]]:
    """Mean reward per seed with other upper ends of the latency scale, from the windows of the evaluation."""
    from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, reward

    series = evaluation["series"]
    found = {}
    for max_latency in MAX_LATENCIES_US:
        parameters = RewardParameters(max_latency=max_latency)
        found[max_latency] = {
            kind_of(str(spec)): [
                float(np.mean([reward(p99, rate, parameters) for p99, rate in zip(*steps, strict=True)]))
                for steps in zip(series["p99_us"][row], series["throughput_ops"][row], strict=True)
            ]
            for row, spec in enumerate(series["policies"])
        }
    return found


def _load_table(split: dict, load: dict, scale: dict) -> Table:
    rows, kinds = [], list(next(iter(split.values())))
    for name, values in (("interactive share", split), ("offered ops/s", load), ("max_latency us", scale)):
        for value, found in values.items():
            ranking = " > ".join(_short(kind) for kind in sorted(found, key=lambda kind: -np.mean(found[kind])))
            rows.append((name, value, *(float(np.mean(found[kind])) for kind in kinds), ranking))
    header = ("moved", "value", *(policy_label(kind) for kind in kinds), "ranking by mean")
    letters = ", ".join(f"{_short(kind)} {policy_label(kind)}" for kind in kinds)
    return Table("sensitivity-load", "Mean reward under other loads and latency scales", header, rows, letters)


def _rate_statement(split: dict, load: dict) -> Statement:
    lines = []
    for name, values, default in (("interactive share", split, 0.5), ("offered ops/s", load, 300_000.0)):
        for value, found in values.items():
            pairs = reversals(values[default], found)
            if pairs:
                text = ", ".join(f"{policy_label(a)} > {policy_label(b)}" for a, b in pairs)
                lines.append(f"{name} {_plain(value)}: {text}")
    return Statement(
        "assumptions of the twin",
        "the ranking does not depend on the offered rate and its split (policy and pools as made at 300 k, evenly)",
        "; ".join(lines) or "no pair changes its order",
        holds=not lines,
    )


def _load_statement(scale: dict) -> Statement:
    default = scale[1e6]
    changed = {value: reversals(default, found) for value, found in scale.items()}
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
