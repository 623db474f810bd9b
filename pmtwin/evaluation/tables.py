"""The tables of an evaluation: reward, measures, goals and tail of each policy, and every pair of policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from pmtwin.console.output import TAIL_HEADER, ends, informative, interval_text, print_table, print_text, tail_rows
from pmtwin.evaluation.leaderboard import (
    all_alike,
    alone,
    leaderboard_notes,
    leaderboard_table,
    measures_table,
    too_few,
)
from pmtwin.evaluation.notes import extrapolation
from pmtwin.evaluation.wide import wide_names, wide_note
from pmtwin.scenarios.comparison.notes import sentences
from pmtwin.scenarios.comparison.robustness import FEWEST_RESAMPLED
from pmtwin.scenarios.comparison.score import Score, score_of
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.number_forms import percent, rounded

ENDS = ("low", "high")
ALL = "all"


def extrapolation_note(result: dict, scenario: Scenario) -> str:
    """A note on where the result is extrapolated, in the contexts that ran; empty if it is not."""
    names = {name for policy in result["policies"].values() for name in policy[scenario.contexts.plural]}
    contexts = sorted(OWN if name == str(OWN) else scenario.contexts.check(name) for name in names)
    return extrapolation(scenario, contexts, result["extrapolated"])


def system_notes(result: dict, scenario: Scenario) -> list[str]:
    """Notes on the device below the result: whether it is taken as known, and where results are extrapolated."""
    return list(filter(None, (result["known_device"], extrapolation_note(result, scenario))))


def print_tables(result: dict, scenario: Scenario, setup: Mapping[str, str], details: bool = False) -> None:
    """Print the result of `pmtwin.scenarios.comparison.summary.summarise`: the ranking, or every table.

    Args:
        setup: result of `Scenario.setup`.
    """
    if setup:
        print_table(setup.items())
        print()
    _print_leaderboard(result, scenario)
    _print_robustness(result, scenario)
    if details:
        _print_details(result, scenario)
    else:
        _print_best_constant(result, scenario)
    for note in system_notes(result, scenario):
        print_text(note)
    if not details:
        print("more: --details (by context, tails, pairs), --report DIR (pictures), --json")


def _print_details(result: dict, scenario: Scenario) -> None:
    _print_regrets(result, scenario)
    noun, measures = scenario.contexts.noun, [measure.name for measure in scenario.compared]
    policies, quarters = result["policies"], ("q1", "median", "q3")
    parts = [(spec, *part) for spec, policy in policies.items() for part in _parts(policy, scenario)]
    rows = [_reward_row(*part, policies[part[0]]["alike"]) for part in parts]
    print_table(*informative(rows, ("policy", noun, "reward", *ENDS, "runs", *quarters)))
    print("q1, median, q3: quartiles of the reward over the windows of all runs", end="\n\n")
    share = ["attainment"] if scenario.goals else []
    header = [word for name in (*(f"mean {name}" for name in measures), *share) for word in (name, *ENDS)]
    rows = [
        (
            spec,
            where,
            *(value for name in (*measures, *share) for value in _mean(part[name], policies[spec]["alike"])),
            wide_names(part, measures),
        )
        for spec, where, part in parts
    ]
    print_table(*informative(rows, ("policy", noun, *header, "note")))
    print()
    if scenario.request_classes:
        tails = {spec: policy["overall"]["latency"] for spec, policy in result["policies"].items()}
        rows = [(spec, *row) for spec, tail in tails.items() for row in tail_rows(tail)]
        print_table(*informative(rows, ("policy", *TAIL_HEADER)))
        print()
    if (note := wide_note(result, scenario, details=True)) != wide_note(result, scenario):  # below the ranking
        print_text(note)
        print()
    _print_gains(result, scenario)
    _print_pairs(result, scenario)
    _print_best(result.get("best_fixed", {}), scenario)
    _print_best_constant(result, scenario)
    for spec, policy in result["policies"].items():
        for run, noted in enumerate(policy["notes"]):
            print(*sentences(f"{spec}, run {run}", noted), sep="\n", end="\n" if noted else "")
    if not all_alike(result):
        print_text(f"low and high of means and percentiles: {result['interval']}, here in parentheses")


def _print_best_constant(result: dict, scenario: Scenario) -> None:
    if "best_constant" in result:
        noun = scenario.settings.noun
        print(f"best constant {noun}: {scenario.settings.written(result['best_constant'][noun])}")


def _print_leaderboard(result: dict, scenario: Scenario) -> None:
    """Print the ranking, the main table: one row per policy, best first."""
    print_table(*leaderboard_table(result, scenario))
    rows, header = measures_table(result, scenario)
    if rows:
        print()
        print_table(rows, header)
    for note in leaderboard_notes(result, scenario):
        print_text(note)
    print()


def _print_regrets(result: dict, scenario: Scenario) -> None:
    """Print each policy's regret against the reference, with its paired interval."""
    beside = result["yardsticks"]
    more = {
        **({"attainment if enough is offered": _shown_share} if scenario.goals else {}),
        **({"resized a window": _shown_resizes} if scenario.settings else {}),
    }
    rows = [
        (
            spec,
            *_regret(result, spec, regret["regret"]),
            *(shown(regret) for shown in more.values()),
        )
        for spec, regret in beside["policies"].items()
    ]
    print_table(*informative(rows, ("policy", "against", "regret", *ENDS, *more)))
    print()


def _regret(result: dict, spec: str, regret: dict) -> tuple:
    """Cells: the reference, and the regret against it with its interval; empty for a single policy."""
    reference = result["yardsticks"]["reference"]
    if alone(result):
        return (None,) * 4
    against = "-" if spec == reference else reference
    return against, *_mean(regret, _are_alike(result, spec, reference))


def _shown_share(yardstick: dict) -> str:
    share = yardstick["attainment_where_enough_offered"]
    return "-" if share is None else percent(share)


def _shown_resizes(yardstick: dict) -> str:
    return "-" if yardstick["resized"] is None else f"{yardstick['resized']:.1f}"


ROBUSTNESS = ("policy", "middle half", "95 % interval", "worst tenth", "95 % interval", "less the first's", "95 %")


def robustness_rows(result: dict, scenario: Scenario) -> list[tuple]:
    """Rows below `ROBUSTNESS`, best first; empty for too few runs."""
    spread, score = result["yardsticks"]["robustness"], score_of(scenario)
    if spread is None:
        return []
    first, *_ = ranked = [row["policy"] for row in result["leaderboard"]]
    rows = []
    for spec in ranked:
        middle, worst = (spread["policies"][spec][name] for name in ("interquartile_mean", "worst_tenth"))
        nothing = (None, None) if alone(result) else ("-", "-")
        beside = nothing if spec == first else _written(_less(spread["differences"], spec, first), score)
        rows.append((spec, *_written(middle, score), *_written(worst, score), *beside))
    return rows


def _less(differences: list[dict], ours: str, theirs: str) -> dict:
    """Difference of the worst tenths of two policies, in whichever order `differences` has the pair."""
    for row in differences:
        if (row["policy"], row["against"]) == (ours, theirs):
            return row["worst_tenth"]
        if (row["policy"], row["against"]) == (theirs, ours):
            worst = row["worst_tenth"]
            low, high = (None if end is None else -end for end in (worst["high"], worst["low"]))
            return {"mean": -worst["mean"], "low": low, "high": high}
    raise KeyError((ours, theirs))


def _written(interval: dict, score: Score) -> tuple[str, str]:
    return score.text(interval["mean"]), interval_text(interval, score.text, " to ") or "-"


def robustness_note(result: dict, scenario: Scenario) -> str:
    """Note on the columns of `ROBUSTNESS`, and on worst tenths without an interval."""
    over = f"sampled {scenario.sampled}" if scenario.devices else "runs"
    note = f"means of {score_of(scenario).name}, over {over}"
    note += "" if alone(result) else "; the last columns: differences of worst tenths"
    spread = result["yardsticks"]["robustness"]
    if spread is None or any(row["worst_tenth"]["low"] is not None for row in spread["policies"].values()):
        return note
    return (
        f"{note}. Fewer than {FEWEST_RESAMPLED} {over}: the worst tenth is a single one, which does not tell how much "
        "worse others may be; hence no interval"
    )


def _print_robustness(result: dict, scenario: Scenario) -> None:
    rows = robustness_rows(result, scenario)
    if rows:
        print_table(*informative(rows, ROBUSTNESS))
        print_text(robustness_note(result, scenario))
        print()


def _parts(result: dict, scenario: Scenario) -> Iterator[tuple[str, dict]]:
    """(context, summary), all contexts together first; a single context is not repeated."""
    yield ALL, result["overall"]
    named = result[scenario.contexts.plural]
    if len(named) > 1:
        yield from named.items()


def differences(result: dict, scenario: Scenario) -> str:
    """Title and explanation above `difference_table`."""
    subject = f"{score_of(scenario).subject} of a policy less that of another"
    if all_alike(result):
        return f"{subject}: exact, since nothing is random."
    exact = any(_are_alike(result, pair["policy"], pair["against"]) for pair in result["yardsticks"]["differences"])
    return (
        f"{subject}, on the same seeds. Apart: by the paired t test, with Holm's correction for all pairs. Each "
        "interval is of its pair alone, without the correction: a pair whose interval leaves out 0 may still not be "
        f"apart.{' Exact: nothing is random in either policy.' if exact else ''}"
    )


def reward_differences(result: dict) -> str:
    """Title and explanation above `pair_table`."""
    subject = "Mean reward of a policy less that of another"
    if all_alike(result):
        return f"{subject}: exact, since nothing is random."
    shown = any(pair["overall"]["apart"] is not None for pair in result["comparisons"])
    apart = " Own intervals apart: the intervals of both means do not overlap." if shown else ""
    return f"{subject}, on the same seeds.{apart}"


def _pairs(result: dict, scenario: Scenario) -> list[tuple]:
    return [
        (pair["policy"], pair["against"], *part) for pair in result["comparisons"] for part in _parts(pair, scenario)
    ]


def pair_table(result: dict, scenario: Scenario) -> tuple[list[tuple], tuple[str, ...]]:
    """Rows and header: the mean reward of a policy less that of another, in each context, with its interval.

    No rows if `difference_table` has the same numbers.
    """
    pairs = _pairs(result, scenario)
    if all_alike(result) and not scenario.goals and all(where == ALL for _, _, where, _ in pairs):
        pairs = []
    rows = [
        (ours, theirs, where, part["difference"], *((None,) * 3 if exact else (*ends(part), part["apart"])))
        for ours, theirs, where, part in pairs
        for exact in [_are_alike(result, ours, theirs)]
    ]
    header = ("policy", "against", scenario.contexts.noun, "difference", *ENDS, "own intervals apart")
    return informative(rows, header)


def difference_table(result: dict, scenario: Scenario) -> tuple[list[tuple], tuple[str, ...]]:
    """Rows and header: the paired difference of scores for each pair of policies, the better one first."""
    rows, score = [], score_of(scenario)
    for pair in result["yardsticks"]["differences"]:
        mean, interval = score.signed(pair["mean"]), interval_text(pair, score.signed, " to ") or "-"
        shown: tuple[object, object] = (interval, pair["apart"])
        if _are_alike(result, pair["policy"], pair["against"]):
            shown = (None, None) if all_alike(result) else ("exact", None)
        rows.append((pair["policy"], pair["against"], mean, *shown))
    interval = "range" if too_few(result, scenario) else "95 % interval"
    return informative(rows, ("policy", "against", f"{score.name}: difference", interval, "apart"))


def _are_alike(result: dict, *specs: str) -> bool:
    """Whether no runs of these policies depend on random numbers."""
    return all(result["policies"][spec]["alike"] for spec in specs)


def _print_pairs(result: dict, scenario: Scenario) -> None:
    """Print differences of scores and of rewards, and their spread over sampled systems."""
    for about, (rows, header) in (
        (differences(result, scenario), difference_table(result, scenario)),
        (reward_differences(result), pair_table(result, scenario)),
    ):
        if rows:
            print_text(about)
            print_table(rows, header)
            print()
    pairs = _pairs(result, scenario)
    noun = scenario.contexts.noun
    rows = [
        (ours, theirs, where, spread["count"], spread["low"], spread["high"], spread["above_zero"])
        for ours, theirs, where, part in pairs
        if (spread := part.get("devices"))
    ]
    if rows:
        print_table(rows, ("policy", "against", noun, scenario.sampled, "5 % of them", "95 % of them", "ahead on"))
        print()


def _print_gains(result: dict, scenario: Scenario) -> None:
    """Print gains over the baseline, and their share of the best settings' gain, where a baseline took part."""
    if "gains" not in result:
        return
    rows = []
    for spec, policy in result["gains"]["policies"].items():
        for where, part in _parts(policy, scenario):
            gain, share = part["gain"], part.get("of_best_fixed")
            if gain is not None:
                shown = None if share is None else percent(share["mean"])
                rows.append((spec, where, percent(gain["mean"], signed=True), _gain_text(gain), gain["over"], shown))
    if rows:
        header = ("policy", scenario.contexts.noun, f"gain over {result['gains']['over']}", "95 % interval", "over")
        print_table(*informative(rows, (*header, "of best-fixed's")))
        print()


def _gain_text(gain: dict) -> str:
    return interval_text(gain, partial(percent, signed=True), " to ") or "-"


def _print_best(best_fixed: dict, scenario: Scenario) -> None:
    settings = scenario.settings
    for context, best in best_fixed.items():
        written = settings.written(best[settings.noun])
        reward = best["reward"]["mean"]
        print(f"{scenario.contexts.noun} {context}: best fixed {settings.noun} {written}, reward {rounded(reward)}")


def _reward_row(spec: str, where: str, part: dict, alike: bool) -> tuple:
    reward = part["reward"]
    quarters = (reward["percentiles"][name] for name in ("25", "50", "75"))
    return (spec, where, *_mean(reward, alike), 1 if alike else part["runs"], *quarters)


def _mean(interval: dict, alike: bool) -> tuple:
    """Cells: a mean, and the ends of its interval; no interval if all runs are equal."""
    return interval["mean"], *((None, None) if alike else ends(interval))
