"""Headline of the report: a few numbers and sentences, the misses included; all from the results, none by hand."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from pmtwin.figures.drawing.numbers import number, percent, with_interval
from pmtwin.figures.drawing.rendered import Statement
from pmtwin.figures.drawing.style import policy_label
from pmtwin.figures.page.markup import card, folded, group, joined, paragraph, table
from pmtwin.report.sections import statement_html
from pmtwin.scenarios.nvm_middleware.figures.experiments.recommended import SETS
from pmtwin.scenarios.nvm_middleware.figures.plots.concurrency import Measured
from pmtwin.scenarios.nvm_middleware.figures.plots.evaluation import BASELINE, comparison, kind_of
from pmtwin.scenarios.nvm_middleware.figures.plots.explain import bar_of
from pmtwin.scenarios.nvm_middleware.figures.plots.screening import deciding
from pmtwin.scenarios.nvm_middleware.figures.plots.sensitivity import turns
from pmtwin.scenarios.nvm_middleware.figures.plots.yardsticks import RECOMMENDED, of_clairvoyant
from pmtwin.scenarios.nvm_middleware.figures.plots.yardsticks import kind_of as kind_of_yardstick
from pmtwin.sim.numerics.statistics import Interval, mean_interval
from pmtwin.sim.parameters.values import PARAMETERS

ORACLE = "best-fixed"
TRAINED = "q-learning"


class Card(NamedTuple):
    """A number of the headline."""

    what: str
    value: str
    more: str


def cards(results: dict) -> list[Card]:
    """The headline's numbers."""
    return [
        _recommended(results["yardsticks"]),
        *_policy_cards(results["evaluation-random"]),
        _assumptions(results["screening"]),
        *_concurrency_cards(results["concurrency"]),
        _device(results),
        _control(results["explain"]),
    ]


def cards_html(results: dict) -> Markup:
    """The numbers side by side."""
    return group("cards", (card(each.value, each.what, each.more) for each in cards(results)))


def _by_kind(evaluation: dict) -> dict[str, dict]:
    return {kind_of(spec): result for spec, result in evaluation["policies"].items()}


def _policy_cards(evaluation: dict) -> list[Card]:
    policies = _by_kind(evaluation)
    shares = {kind: result["overall"]["attainment"] for kind, result in policies.items()}
    others = ", ".join(f"{policy_label(kind)} {100 * shares[kind]['mean']:.0f} %" for kind in shares if kind != TRAINED)
    rivals = [kind for kind in policies if kind not in (TRAINED, ORACLE)]
    wins = {kind: _wins(comparison(evaluation, TRAINED, kind)) for kind in rivals}
    counts = "; ".join(f"against {policy_label(kind)}: {wins[kind]}" for kind in rivals)
    phases = len(policies[TRAINED]["phases"])
    gap = next(part for spec, part in evaluation["gap_to_best_fixed"].items() if kind_of(spec) == TRAINED)
    return [
        Card(
            "Q-learning meets both goals in",
            f"{100 * shares[TRAINED]['mean']:.0f} % of steps",
            f"{_interval(shares[TRAINED])}; {others}",
        ),
        Card(
            "Ahead of fixed 15,15 and of none in",
            f"{min(wins[BASELINE], wins['none'])} of {phases} phases",
            f"intervals apart {counts}; lacks {with_interval(_as_interval(gap['overall']))} reward a step to the "
            "oracle of the best fixed pools",
        ),
    ]


def _recommended(compared: dict) -> Card:
    """What the recommended policy keeps, beside those that know more or choose once."""
    lines = []
    for name in SETS:
        shares = {kind_of_yardstick(row["policy"]): row["attainment"] for row in compared[name]["leaderboard"]}
        kept = ", ".join(f"{policy_label(kind)} {percent(share)}" for kind, share in shares.items())
        ratio = of_clairvoyant(compared, name, RECOMMENDED)
        lines.append(f"{name}: {percent(ratio['mean'])} of the clairvoyant; {kept}")
    ratio = of_clairvoyant(compared, SETS[0], RECOMMENDED)
    return Card("Recommended policy, of the clairvoyant's attainment", percent(ratio["mean"]), f"{'. '.join(lines)}.")


def _interval(share: dict) -> str:
    if share["low"] is None:
        return "no interval: fewer than three runs"
    low, high = f"{100 * max(share['low'], 0):.0f}", f"{100 * min(share['high'], 1):.0f}"
    return f"95 % interval {f'within half a point of {low} %' if low == high else f'{low} to {high} %'}"


def _as_interval(part: dict) -> Interval:
    return {"mean": part["difference"], "low": part["low"], "high": part["high"]}


def _wins(pair: dict) -> int:
    return sum(bool(part["difference"] > 0 and part["apart"]) for part in pair["phases"].values())


def _concurrency_cards(data: dict) -> list[Card]:
    m = Measured(data)
    fastest, most = int(m.p99_ratio.mean(axis=1).argmin()), int(m.batch_ratio.mean(axis=1).argmax())
    latency = mean_interval((1.0 - m.p99_ratio[fastest]).tolist())
    throughput = mean_interval((m.batch_ratio[most] - 1.0).tolist())
    worse = mean_interval(((m.p99_ratio > 1) | (m.batch_ratio < 1)).sum(axis=0).astype(float).tolist())
    return [
        Card(
            "Best p99 against no middleware (section 4.2)",
            f"−{100 * latency['mean']:.1f} %",
            f"{with_interval(latency, 3, 100, ' %')} with pools {m.label(fastest)}; published: up to 98 %",
        ),
        Card(
            "Best batch throughput against none",
            f"+{100 * throughput['mean']:.0f} %",
            f"{with_interval(throughput, 3, 100, ' %')} with pools {m.label(most)}; published: up to 86 %. "
            f"{with_interval(worse)} of 42 combinations are worse than none in p99 or batch throughput",
        ),
    ]


def _assumptions(screening: dict) -> Card:
    names = deciding(screening)
    return Card(
        "Assumptions that move the trained policy's lead",
        f"{len(names)} of {len(screening['parameters'])}",
        f"all varied together; the strongest: {'; '.join(map(_meaning, names[:3])) or 'none'}",
    )


def _meaning(name: str) -> str:
    """A parameter in plain words, with its name."""
    meaning = PARAMETERS[name].meaning.partition(",")[0].partition(";")[0].removesuffix(".")
    return f"{meaning[:1].lower()}{meaning[1:]} ({name})"


def _device(results: dict) -> Card:
    errors = results["calibration"]["shipped"]["errors_percent"]
    unseen = {name: each.get("unseen_configurations", {}).get("predict") for name, each in errors.items()}
    known = {name: three for name, three in unseen.items() if three}
    worst = max(known, key=lambda name: known[name][1])
    more = "; ".join(f"{name} {' / '.join(f'{value:.1f}' for value in three)} %" for name, three in known.items())
    return Card(
        "Device model on unseen configurations",
        f"≤ {number(known[worst][1], 2)} % mean error",
        f"median / mean / 90th percentile: {more}",
    )


def _control(data: dict) -> Card:
    """Difference of the phases that remains with DRAM in place of the device."""
    phases = sorted({bar["phase"] for bar in data["bars"]})
    pairs = [[bar_of(data, profile, phase, [15, 15]) for profile in ("Optane", "DRAM")] for phase in phases]
    changes = [100.0 * (dram["throughput_ops"] / optane["throughput_ops"] - 1.0) for optane, dram in pairs]
    more = "; ".join(
        f"phase {optane['phase']}: {number(optane['throughput_ops'] / 1000)} to "
        f"{number(dram['throughput_ops'] / 1000)} k operations/s, p99 {number(optane['p99_us'])} to "
        f"{number(dram['p99_us'])} us"
        for optane, dram in pairs
    )
    return Card("DRAM instead of Optane, pools of 15,15", f"{max(changes, key=abs):+.1f} % at most", more)


def sentences(results: dict, statements: list[Statement]) -> Markup:
    """Conclusions, and results that differ from the published ones."""
    evaluation = results["evaluation-random"]
    policies = _by_kind(evaluation)
    reward = {kind: result["overall"]["reward"] for kind, result in policies.items()}
    p99 = {kind: result["overall"]["p99_us"]["percentiles"]["50"] for kind, result in policies.items()}
    lead = (
        f"A policy trained in the twin with the thesis' Q-learning earns {with_interval(reward[TRAINED])} reward a "
        f"step while the workload changes at random; fixed pools of 15,15 earn {with_interval(reward[BASELINE], 4)}, "
        f"no middleware {with_interval(reward['none'], 4)}. Its median p99 is {number(p99[TRAINED])} us "
        f"(fixed: {number(p99[BASELINE])} us). Every number is the twin's, on a device model fitted to real "
        "measurements and a software path that is partly assumed; none has been validated on hardware here."
    )
    if evaluation["extrapolated"] or results["concurrency"]["extrapolated"]:
        lead += (
            " They are extrapolated: some sizes, or numbers of threads, lie outside what the device was measured with; "
            "there its mechanism answers alone."
        )
    missed = [statement for statement in statements if statement.holds is False]
    held = sum(statement.holds is True for statement in statements)
    verdict = f"Of {held + len(missed)} statements that can be true or false, {held} hold in the twin."
    parts = [turning(turns(results["sensitivity"])), paragraph(verdict)]
    if missed:
        title = f"The {len(missed)} that do not hold"
        parts.append(folded(title, group("misses", map(statement_html, missed))))
    parts.append(folded("What these numbers rest on", paragraph(lead)))
    return joined(parts)


def turning(loads: list[tuple[str, str]]) -> Markup:
    """Loads at which the ranking of the policies turns."""
    if not loads:
        return paragraph("The ranking of the policies is the same at every load that was tried.", "lead")
    title = paragraph(Markup("<b>The ranking of the policies turns with the load.</b>"), "lead")
    return joined((title, table(("load", "order that turns there, the better policy first"), loads)))
