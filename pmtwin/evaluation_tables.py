"""An evaluation as tables to read: rewards, measures and goals of each policy, its tail, and every pair of policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pmtwin.output import TAIL_HEADER, print_table, print_text, tail_rows
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.notes import sentences
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.number_forms import percent, rounded

ENDS = ("low", "high")
ALL = "all"


TOO_LITTLE = "clients offer less than a goal asks for in every window: no setting keeps it; give another with --goal"

THREADS_BEYOND = "the device may serve more threads at once, or other sizes, than its profile was fitted on"


def print_unmeasured(scenario: Scenario, contexts: Sequence[int | str]) -> None:
    """Say what the user asked of the device that its profile was never fitted on, if anything."""
    clause = scenario.unmeasured(contexts)
    if clause:
        print_text(f"warning: extrapolated: the device profile was not fitted on {clause}")


def _contexts(result: dict, scenario: Scenario) -> list[int | str]:
    """Those that any policy came to."""
    names = {name for policy in result["policies"].values() for name in policy[scenario.contexts.plural]}
    return sorted(OWN if name == str(OWN) else scenario.contexts.check(name) for name in names)


def print_tables(result: dict, scenario: Scenario, details: bool = False) -> None:
    """Print the result of `pmtwin.scenarios.evaluation_summary.summarise`: the ranking, or every table."""
    _print_leaderboard(result, scenario)
    _print_robustness(result, scenario)
    if details:
        _print_details(result, scenario)
    else:
        _print_best_constant(result, scenario)
        print("more: --details (by context, tails, pairs), --report DIR (pictures), --json")
    print_unmeasured(scenario, _contexts(result, scenario))


def _print_details(result: dict, scenario: Scenario) -> None:
    _print_regrets(result)
    noun, measures = scenario.contexts.noun, [measure.name for measure in scenario.compared]
    parts = [(spec, *part) for spec, policy in result["policies"].items() for part in _parts(policy, scenario)]
    print_table([_reward_row(*part) for part in parts], ("policy", noun, "reward", *ENDS, "runs", "q1", "median", "q3"))
    print()
    header = [word for name in (*measures, "attainment") for word in (name, *ENDS)]
    print_table(
        [
            (spec, where, *(value for name in (*measures, "attainment") for value in _mean(part[name])))
            for spec, where, part in parts
        ],
        ("policy", noun, *header),
    )
    print()
    if scenario.request_classes:
        tails = {spec: policy["overall"]["latency"] for spec, policy in result["policies"].items()}
        print_table([(spec, *row) for spec, tail in tails.items() for row in tail_rows(tail)], ("policy", *TAIL_HEADER))
        print()
    _print_pairs(result, scenario)
    _print_best(result.get("best_fixed", {}), scenario)
    _print_best_constant(result, scenario)
    for spec, policy in result["policies"].items():
        for run, noted in enumerate(policy["notes"]):
            print(*sentences(f"{spec}, run {run}", noted), sep="\n", end="\n" if noted else "")
    print_text(f"intervals of means and percentiles: {result['interval']}")
    if result["extrapolated"]:
        print_text(f"extrapolated: {THREADS_BEYOND}")


def _print_best_constant(result: dict, scenario: Scenario) -> None:
    if "best_constant" in result:
        noun = scenario.settings.noun
        print(f"best constant {noun}: {scenario.settings.written(result['best_constant'][noun])}")


def leaderboard_header(scenario: Scenario) -> tuple[str, ...]:
    """Of `leaderboard_rows`."""
    shares = ("attainment [95 %]", "of best", "regret", "recovery")
    return (
        "rank",
        "policy",
        *shares,
        "reward",
        *(measure.name for measure in scenario.compared),
        "tied with",
    )


def _print_leaderboard(result: dict, scenario: Scenario) -> None:
    """A line for each policy, best first: what most readers came for."""
    print_table(leaderboard_rows(result, scenario), leaderboard_header(scenario))
    for note in leaderboard_notes(result).splitlines():
        print_text(note)
    print()


def leaderboard_rows(result: dict, scenario: Scenario) -> list[tuple]:
    """A policy each, best first, with the means of reward and measures."""
    beside, rows = result["yardsticks"], []
    means = ("reward", *(measure.name for measure in scenario.compared))
    for place, row in enumerate(result["leaderboard"], 1):
        yardstick = beside["policies"][row["policy"]]
        low, high = row["attainment_low"], row["attainment_high"]
        ends = "" if low is None else f" [{100 * low:.1f}–{100 * high:.1f}]"
        ratio = "-" if yardstick["of_reference"] is None else percent(yardstick["of_reference"]["mean"])
        recovery, overall = row["recovery_windows"], result["policies"][row["policy"]]["overall"]
        rows.append(
            (
                place,
                row["policy"],
                f"{percent(row['attainment'])}{ends}",
                ratio,
                percent(row["regret"]),
                "-" if recovery is None else f"{recovery:.1f}",
                *(overall[name]["mean"] for name in means),
                ", ".join(str(1 + _place(result, other)) for other in yardstick["level"]) or "-",
            )
        )
    return rows


def leaderboard_notes(result: dict) -> str:
    """What the columns of `LEADERBOARD` mean, in two lines."""
    beside = result["yardsticks"]
    return (
        f"attainment: share of windows that keep all goals; of best: attainment as a share of that of "
        f"{beside['reference']}; regret: attainment of {beside['reference']} minus attainment of the policy; recovery: "
        f"windows until the goals are kept again after a change of context; tied with: ranks without a clear "
        f"difference\n{_short(beside)}"
    )


def _short(beside: dict) -> str:
    """How often a goal cannot be kept, since clients do not offer enough."""
    share = beside["short_share"]
    if share == 1.0:
        return f"warning: {TOO_LITTLE}"
    if not share:
        return ""
    offered = f"In {percent(share)} of the windows clients offer less, at their mean rates, than a goal asks for"
    return f"{offered}: no policy keeps it there"


def _print_regrets(result: dict) -> None:
    """How far the share of windows that keep the goals is below the reference's, with the paired interval."""
    beside = result["yardsticks"]
    rows = [
        (
            spec,
            "-" if spec == beside["reference"] else beside["reference"],
            *(regret["regret"][end] for end in ("mean", *ENDS)),
            _shown_share(regret),
            "-" if regret["resized"] is None else f"{regret['resized']:.1f}",
        )
        for spec, regret in beside["policies"].items()
    ]
    print_table(rows, ("policy", "against", "regret", *ENDS, "attainment if enough is offered", "resized a window"))
    print()


def _shown_share(yardstick: dict) -> str:
    share = yardstick["attainment_where_enough_offered"]
    return "-" if share is None else percent(share)


ROBUSTNESS = ("policy", "middle half", "95 % interval", "worst tenth", "95 % interval", "less the first's", "95 %")


def robustness_rows(result: dict) -> list[tuple]:
    """Rows below `ROBUSTNESS`, best first; empty where there are too few runs."""
    spread = result["yardsticks"]["robustness"]
    if spread is None:
        return []
    first, *_ = ranked = [row["policy"] for row in result["leaderboard"]]
    rows = []
    for spec in ranked:
        middle, worst = (spread["policies"][spec][name] for name in ("interquartile_mean", "worst_tenth"))
        beside = ("-", "-") if spec == first else _share(_less(spread["differences"], spec, first))
        rows.append((spec, *_share(middle), *_share(worst), *beside))
    return rows


def _less(differences: list[dict], ours: str, theirs: str) -> dict:
    """The difference of the worst tenths, whichever way it is kept."""
    for row in differences:
        if (row["policy"], row["against"]) == (ours, theirs):
            return row["worst_tenth"]
        if (row["policy"], row["against"]) == (theirs, ours):
            worst = row["worst_tenth"]
            return {"mean": -worst["mean"], "low": -worst["high"], "high": -worst["low"]}
    raise KeyError((ours, theirs))


def _share(interval: dict) -> tuple[str, str]:
    return percent(interval["mean"]), f"{percent(interval['low'])} to {percent(interval['high'])}"


def robustness_note(scenario: Scenario) -> str:
    """What the columns of `ROBUSTNESS` mean."""
    over = f"sampled {scenario.sampled}" if scenario.devices else "runs"
    return f"means of attainment, over {over}; the last columns: differences of worst tenths"


def _print_robustness(result: dict, scenario: Scenario) -> None:
    rows = robustness_rows(result)
    if rows:
        print_table(rows, ROBUSTNESS)
        print(robustness_note(scenario), end="\n\n")


def _place(result: dict, spec: str) -> int:
    return [row["policy"] for row in result["leaderboard"]].index(spec)


def _parts(result: dict, scenario: Scenario) -> Iterator[tuple[str, dict]]:
    """(context, what was found in it), all contexts together first."""
    yield ALL, result["overall"]
    yield from result[scenario.contexts.plural].items()


def _pairs(result: dict, scenario: Scenario) -> list[tuple]:
    return [
        (pair["policy"], pair["against"], *part) for pair in result["comparisons"] for part in _parts(pair, scenario)
    ]


def pairs_header(scenario: Scenario) -> tuple[str, ...]:
    """Of `pair_rows`."""
    return ("policy", "against", scenario.contexts.noun, "difference", *ENDS, "own intervals apart")


def pair_rows(result: dict, scenario: Scenario) -> list[tuple]:
    """The mean reward of a policy less that of another, in each context, with its interval."""
    return [
        (ours, theirs, where, part["difference"], part["low"], part["high"], part["apart"])
        for ours, theirs, where, part in _pairs(result, scenario)
    ]


DIFFERENCES = ("policy", "against", "attainment: difference", "95 % interval", "apart")
"""Of `difference_rows`."""


def difference_rows(result: dict) -> list[tuple]:
    """A pair of policies each, better first: the paired difference of attainment."""
    rows = []
    for pair in result["yardsticks"]["differences"]:
        mean, low, high = (None if pair[end] is None else percent(pair[end], signed=True) for end in ("mean", *ENDS))
        rows.append((pair["policy"], pair["against"], mean, "-" if low is None else f"{low} to {high}", pair["apart"]))
    return rows


def _print_pairs(result: dict, scenario: Scenario) -> None:
    """Differences of attainment and of rewards, and how these vary over sampled systems."""
    if rows := difference_rows(result):
        print_table(rows, DIFFERENCES)
        print()
    pairs = _pairs(result, scenario)
    if pairs:
        print_table(pair_rows(result, scenario), pairs_header(scenario))
        print()
    noun = scenario.contexts.noun
    rows = [
        (ours, theirs, where, spread["count"], spread["low"], spread["high"], spread["above_zero"])
        for ours, theirs, where, part in pairs
        if (spread := part.get("devices"))
    ]
    if rows:
        print_table(rows, ("policy", "against", noun, scenario.sampled, "5 % of them", "95 % of them", "ahead on"))
        print()


def _print_best(best_fixed: dict, scenario: Scenario) -> None:
    settings = scenario.settings
    for context, best in best_fixed.items():
        written = settings.written(best[settings.noun])
        reward = best["reward"]["mean"]
        print(f"{scenario.contexts.noun} {context}: best fixed {settings.noun} {written}, reward {rounded(reward)}")


def _reward_row(spec: str, where: str, part: dict) -> tuple:
    reward = part["reward"]
    quarters = (reward["percentiles"][name] for name in ("25", "50", "75"))
    return (spec, where, *_mean(reward), part["runs"], *quarters)


def _mean(interval: dict) -> tuple:
    return interval["mean"], interval["low"], interval["high"]
