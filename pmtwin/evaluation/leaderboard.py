"""The ranking of an evaluation as a table: a row for each policy, with notes on the columns."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.config.nouns import flag_of
from pmtwin.console.output import WIDE, counted, informative, interval_text, is_wide
from pmtwin.evaluation.notes import measures_explained, too_little
from pmtwin.evaluation.wide import wide_note
from pmtwin.scenarios.comparison.score import score_of
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.number_forms import percent, rounded
from pmtwin.sim.numerics.statistics import FEWEST

ENOUGH = 5
"""Number of runs that a reader with too few runs is advised to use."""

LEVEL = "[95 %]"
"""Suffix of the header of a column with intervals."""


def leaderboard_table(result: dict, scenario: Scenario) -> tuple[list[tuple], tuple[str, ...]]:
    """Rows and header of the ranking, without uninformative columns."""
    return informative(_rows(result, scenario), _header(result, scenario))


def measures_table(result: dict, scenario: Scenario) -> tuple[list[tuple], tuple[str, ...]]:
    """Rows and header: the measures of each policy, best first, with their intervals.

    No rows without intervals: the ranking then has the means.
    """
    names = [measure.name for measure in scenario.compared] if _has_intervals(result, scenario) else []
    header = ("policy", *(f"{_mean(name)} {LEVEL}" for name in names))
    return [(spec, *(_shown(overall[name]) for name in names)) for spec, overall in ranked(result) if names], header


def ranked(result: dict) -> list[tuple[str, dict]]:
    """(policy, its summary over all contexts), best first."""
    return [(row["policy"], result["policies"][row["policy"]]["overall"]) for row in result["leaderboard"]]


def _mean(name: str) -> str:
    """Header of a column of means; names that begin with `mean_` stay as they are."""
    return name if name.startswith("mean_") else f"mean {name}"


def _has_intervals(result: dict, scenario: Scenario) -> bool:
    return not too_few(result, scenario) and not all_alike(result)


def _shown(entry: Mapping) -> str | None:
    """A mean with its interval, "12.3 [11.9–12.7]"; None if no window has a value."""
    if entry["mean"] is None:
        return None
    to = " to " if entry["low"] is not None and entry["low"] < 0.0 else "–"
    text = f"{rounded(entry['mean'])} {interval_text(entry, rounded, to, '[]')}".rstrip()
    return f"{text}, {WIDE}" if is_wide(entry) else text


def all_alike(result: dict) -> bool:
    """Whether no policy's runs depend on random numbers."""
    return all(policy["alike"] for policy in result["policies"].values())


def alone(result: dict) -> bool:
    """Whether the result has only one policy."""
    return len(result["policies"]) == 1


ALONE = "A policy alone has no regret, no ties and no differences: name others in --policies too."


def _header(result: dict, scenario: Scenario) -> tuple[str, ...]:
    score = score_of(scenario)
    apart = _has_intervals(result, scenario)
    first = f"{score.name} {LEVEL}" if apart and any(_intervals(result, scenario).values()) else score.name
    reward = f"mean reward {LEVEL}" if apart else "mean reward"
    beside = ("of best", "regret", "recovery", reward) if scenario.goals else ("regret",)
    measures = () if apart else tuple(_mean(measure.name) for measure in scenario.compared)
    return ("rank", "policy", first, *beside, *measures, "tied with")


def _intervals(result: dict, scenario: Scenario) -> dict[str, str]:
    """Policy -> the interval of its score as text; empty if its runs are equal."""
    score = score_of(scenario)
    to, end = ("–", lambda share: f"{100 * share:.1f}") if score.is_share else (" to ", score.text)
    return {
        spec: interval_text(policy["overall"][score.name], end, to, "[]") for spec, policy in result["policies"].items()
    }


def _rows(result: dict, scenario: Scenario) -> list[tuple]:
    """One row per policy, best first, with mean reward and, unless `measures_table` shows them, means of measures."""
    beside, rows, score = result["yardsticks"], [], score_of(scenario)
    apart = _has_intervals(result, scenario)
    means = (*(["reward"] if scenario.goals else []), *([] if apart else (each.name for each in scenario.compared)))
    intervals = _intervals(result, scenario)
    for place, row in enumerate(result["leaderboard"], 1):
        yardstick, overall = beside["policies"][row["policy"]], result["policies"][row["policy"]]["overall"]
        regret = None if alone(result) else score.text(row["regret"])
        if scenario.goals:
            ratio, recovery = yardstick["of_reference"], row["recovery_windows"]
            of_best = "-" if ratio is None else percent(ratio["mean"])
            shown: tuple[str | None, ...] = (None if alone(result) else of_best, regret)
            shown += ("-" if recovery is None else f"{recovery:.1f}",)
        else:
            shown = (regret,)
        rows.append(
            (
                None if alone(result) else place,
                row["policy"],
                f"{score.text(row[score.name])} {intervals[row['policy']]}".rstrip(),
                *shown,
                *(_shown(overall[name]) if apart else overall[name]["mean"] for name in means),
                None if all_alike(result) or alone(result) else _tied(result, row["policy"]),
            )
        )
    return rows


def leaderboard_notes(result: dict, scenario: Scenario) -> list[str]:
    """Notes below the ranking: the meaning of its columns, and cautions."""
    score, reference = score_of(scenario), result["yardsticks"]["reference"]
    apart = ", not by mean reward" if scenario.goals else ""
    single = alone(result)
    columns = [] if single else [f"rank: by {score.name}{apart}"]
    columns.append(f"{score.name}: {score.meaning}")
    if scenario.goals and not single:
        columns.append(f"of best: {score.name} as a share of that of {reference}")
    columns += [] if single else [f"regret: {score.name} of {reference} minus {score.name} of the policy"]
    if scenario.goals:
        columns.append("recovery: windows until the goals are kept again after a change of context")
    columns.append(f"mean: of all windows, each with its own {_its_own(scenario)}")
    columns.append(measures_explained(scenario.compared))
    columns += [] if single or all_alike(result) else ["tied with: ranks, better and worse, without a clear difference"]
    short = too_little(result["yardsticks"].get("short_share", 0.0))
    lone, wide = ALONE if single else "", wide_note(result, scenario)
    reasons = (lone, too_few(result, scenario), wide, _without_interval(result, scenario), short)
    return list(filter(None, (_length(result, scenario), "; ".join(columns), *reasons)))


def _length(result: dict, scenario: Scenario) -> str:
    """The numbers of runs and windows behind the ranking, in words."""
    plan, noun = result["configuration"], scenario.contexts.noun
    contexts, warmup = plan[scenario.contexts.plural], plan["warmup_windows"]
    met = -(-plan["steps"] // plan[f"{noun}_steps"]) - warmup // plan[f"{noun}_steps"] if len(contexts) > 1 else 1
    turns = f", {plan[f'{noun}_steps']:,} of a {noun} in turn" if len(contexts) > 1 else ""
    if met < len(contexts):
        turns += f": {met} of the {len(contexts)} {scenario.contexts.plural}"
    alike = [policy["alike"] for policy in result["policies"].values()]
    runs = sum(1 if once else plan["seeds"] for once in alike)
    seeds, windows = counted(plan["seeds"], "seed"), counted(plan["steps"], "window")
    said = "one run" if all(alike) else f"{seeds} (one run where nothing is random)" if any(alike) else seeds
    total = counted(runs * (plan["steps"] - warmup), "window")
    windows += f" a run, without the first {warmup:,}" if warmup else " a run"
    return f"rests on: {said} for each policy, {windows}{turns}; {total} in all"


def _without_interval(result: dict, scenario: Scenario) -> str:
    """Why policies lack an interval in spite of enough runs; empty if all have one."""
    if all_alike(result):
        if alone(result):
            return "Nothing is random here: one run stands for all."
        return (
            "Nothing is random here: one run of each policy stands for all, and the differences are exact. They hold "
            "for this input; another may rank the policies otherwise."
        )
    intervals = {} if too_few(result, scenario) else _intervals(result, scenario)
    alike = [spec for spec, policy in result["policies"].items() if policy["alike"]]
    level = [spec for spec, text in intervals.items() if not text and spec not in alike]
    sentences = (
        [f"Nothing is random in {', '.join(alike)}: one run stands for all, without an interval"] if alike else []
    )
    sentences += (
        [f"No interval: {score_of(scenario).name} is the same in every run of {', '.join(level)}"] if level else []
    )
    return "; ".join(sentences)


def _its_own(scenario: Scenario) -> str:
    """Name of the measure in a mean over windows, with a pointer to the percentiles over all requests."""
    lead = scenario.compared[0].name
    return f"{lead} (of all requests together: --details)" if scenario.request_classes else lead


def too_few(result: dict, scenario: Scenario) -> str:
    """A note that runs are too few for intervals, and how to get them; empty if runs or sampled systems suffice."""
    runs = scenario.devices or next(iter(result["policies"].values()))["overall"]["runs"]
    if runs >= FEWEST or all_alike(result):
        return ""
    what = f"{runs} sampled {scenario.sampled}" if scenario.devices else counted(runs, "run")
    options = [*(map(flag_of, scenario.sampled_by) if scenario.devices else ()), "--seeds"]
    extremes = "" if runs == 1 else "; in parentheses: the least and the greatest"
    advised = " ".join(f"{option} {ENOUGH}" for option in options)
    return f"{what}: too few for an interval; take {advised} or more{extremes}"


def _tied(result: dict, spec: str) -> str:
    """Ranks of the policies from which a policy does not differ significantly."""
    order = [row["policy"] for row in result["leaderboard"]]
    pairs = [(pair["policy"], pair["against"]) for pair in result["yardsticks"]["differences"] if not pair["apart"]]
    ranks = {1 + order.index(other) for pair in pairs if spec in pair for other in pair if other != spec}
    return ", ".join(map(str, sorted(ranks))) or "-"
