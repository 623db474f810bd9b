"""An evaluation as tables to read: rewards, measures and goals of each policy, its tail, and every pair of policies."""

from __future__ import annotations

from collections.abc import Iterator

from pmtwin.output import TAIL_HEADER, print_table, tail_rows
from pmtwin.scenarios.notes import sentences
from pmtwin.scenarios.scenario import Scenario

ENDS = ("low", "high")
ALL = "all"


def print_tables(result: dict, scenario: Scenario) -> None:
    """Print the result of `pmtwin.scenarios.evaluation_summary.summarise`."""
    _print_leaderboard(result)
    noun, measures = scenario.contexts.noun, [measure.name for measure in scenario.compared]
    parts = [(spec, *part) for spec, found in result["policies"].items() for part in _parts(found, scenario)]
    print_table([_reward_row(*part) for part in parts], ("policy", noun, "reward", *ENDS, "runs", "q1", "median", "q3"))
    print()
    header = [word for name in (*measures, "sla") for word in (name, *ENDS)]
    print_table(
        [
            (spec, where, *(value for name in (*measures, "sla_attainment") for value in _mean(part[name])))
            for spec, where, part in parts
        ],
        ("policy", noun, *header),
    )
    print()
    if scenario.request_classes:
        tails = {spec: found["overall"]["latency"] for spec, found in result["policies"].items()}
        print_table([(spec, *row) for spec, tail in tails.items() for row in tail_rows(tail)], ("policy", *TAIL_HEADER))
        print()
    _print_pairs(result["comparisons"], scenario)
    _print_best(result.get("best_fixed", {}), scenario)
    if "best_constant" in result:
        noun = scenario.settings.noun
        print(f"best constant {noun}: {scenario.settings.written(result['best_constant'][noun])}")
    for spec, found in result["policies"].items():
        for run, noted in enumerate(found["notes"]):
            print(*sentences(f"{spec}, run {run}", noted), sep="\n", end="\n" if noted else "")
    print(f"intervals of means and percentiles: {result['interval']}")
    if result["extrapolated"]:
        print("extrapolated: some accesses lie outside what the device profile was fitted on")


def _print_leaderboard(result: dict) -> None:
    """A line for each policy, best first: what most readers came for."""
    beside, rows = result["yardsticks"], []
    for place, row in enumerate(result["leaderboard"], 1):
        found = beside["policies"][row["policy"]]
        ends = "-" if row["attainment_low"] is None else f"{row['attainment_low']:.1%} to {row['attainment_high']:.1%}"
        ratio = "-" if found["of_reference"] is None else f"{found['of_reference']['mean']:.1%}"
        enough, recovery = found["attainment_where_enough_offered"], row["recovery_windows"]
        rows.append(
            (
                place,
                row["policy"],
                f"{row['attainment']:.1%}",
                ends,
                ratio,
                f"{row['regret']:.1%}",
                "-" if recovery is None else f"{recovery:.1f}",
                "-" if enough is None else f"{enough:.1%}",
                ", ".join(str(1 + _place(result, other)) for other in found["level"]) or "-",
            )
        )
    header = (
        "rank",
        "policy",
        "goals kept",
        "95 % interval",
        "of best",
        "regret",
        "recovery",
        "if offered",
        "level",
    )
    print_table(rows, header)
    short = f"{beside['short_share']:.1%}"
    print(
        f"of best, regret: beside {beside['reference']}; recovery: windows after a change of context; if offered: "
        f"without the {short} of the windows\nthat offer less than a goal asks for; level: ranks not told apart",
        end="\n\n",
    )


def _place(result: dict, spec: str) -> int:
    return [row["policy"] for row in result["leaderboard"]].index(spec)


def _parts(found: dict, scenario: Scenario) -> Iterator[tuple[str, dict]]:
    """(context, what was found in it), all contexts together first."""
    yield ALL, found["overall"]
    yield from found[scenario.contexts.plural].items()


def _print_pairs(comparisons: list[dict], scenario: Scenario) -> None:
    """Differences of rewards, and how they vary from sample to sample where systems were sampled."""
    pairs = [(pair["policy"], pair["against"], *part) for pair in comparisons for part in _parts(pair, scenario)]
    noun = scenario.contexts.noun
    if pairs:
        rows = [
            (ours, theirs, where, part["difference"], part["low"], part["high"], part["apart"])
            for ours, theirs, where, part in pairs
        ]
        print_table(rows, ("policy", "against", noun, "difference", *ENDS, "apart"))
        print()
    rows = [
        (ours, theirs, where, found["count"], found["low"], found["high"], found["above_zero"])
        for ours, theirs, where, part in pairs
        if (found := part.get("devices"))
    ]
    if rows:
        print_table(rows, ("policy", "against", noun, scenario.sampled, "5 % of them", "95 % of them", "ahead on"))
        print()


def _print_best(best_fixed: dict, scenario: Scenario) -> None:
    settings = scenario.settings
    for context, best in best_fixed.items():
        written = settings.written(best[settings.noun])
        reward = best["reward"]["mean"]
        print(f"{scenario.contexts.noun} {context}: best fixed {settings.noun} {written}, reward {reward:.5g}")


def _reward_row(spec: str, where: str, part: dict) -> tuple:
    reward = part["reward"]
    quarters = (reward["percentiles"][name] for name in ("25", "50", "75"))
    return (spec, where, *_mean(reward), part["runs"], *quarters)


def _mean(found: dict) -> tuple:
    return found["mean"], found["low"], found["high"]
