"""The ranking of an evaluation as a table to read: a line for each policy, and what its columns mean."""

from __future__ import annotations

from pmtwin.config.nouns import flag_of
from pmtwin.output import counted, interval_text
from pmtwin.result_notes import measures_explained, too_little
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.score import score_of
from pmtwin.sim.number_forms import percent
from pmtwin.sim.statistics import FEWEST

ENOUGH = 5
"""Runs that a reader with too few is advised to take."""


def leaderboard_header(result: dict, scenario: Scenario) -> tuple[str, ...]:
    """Of `leaderboard_rows`."""
    score = score_of(scenario)
    first = score.name if too_few(result, scenario) else f"{score.name} [95 %]"
    beside = ("of best", "regret", "recovery", "mean reward") if scenario.goals else ("regret",)
    return (
        "rank",
        "policy",
        first,
        *beside,
        *(f"mean {measure.name}" for measure in scenario.compared),
        "tied with",
    )


def leaderboard_rows(result: dict, scenario: Scenario) -> list[tuple]:
    """A policy each, best first, with the means of reward and measures."""
    beside, rows, score = result["yardsticks"], [], score_of(scenario)
    means = (*(["reward"] if scenario.goals else []), *(measure.name for measure in scenario.compared))
    to, end = ("–", lambda share: f"{100 * share:.1f}") if score.is_share else (" to ", score.text)
    for place, row in enumerate(result["leaderboard"], 1):
        yardstick, overall = beside["policies"][row["policy"]], result["policies"][row["policy"]]["overall"]
        interval, regret = interval_text(overall[score.name], end, to, "[]"), score.text(row["regret"])
        if scenario.goals:
            ratio, recovery = yardstick["of_reference"], row["recovery_windows"]
            shown = ("-" if ratio is None else percent(ratio["mean"]), regret)
            shown += ("-" if recovery is None else f"{recovery:.1f}",)
        else:
            shown = (regret,)
        rows.append(
            (
                place,
                row["policy"],
                f"{score.text(row[score.name])} {interval}".rstrip(),
                *shown,
                *(overall[name]["mean"] for name in means),
                ", ".join(str(1 + _place(result, other)) for other in yardstick["level"]) or "-",
            )
        )
    return rows


def leaderboard_notes(result: dict, scenario: Scenario) -> list[str]:
    """What the columns of the ranking mean, and what to know beside them."""
    score, reference = score_of(scenario), result["yardsticks"]["reference"]
    columns = [f"{score.name}: {score.meaning}"]
    if scenario.goals:
        columns.append(f"of best: {score.name} as a share of that of {reference}")
    columns.append(f"regret: {score.name} of {reference} minus {score.name} of the policy")
    if scenario.goals:
        columns.append("recovery: windows until the goals are kept again after a change of context")
    columns.append(f"mean: of all windows, each with its own {_its_own(scenario)}")
    columns += [measures_explained(scenario.compared), "tied with: ranks without a clear difference"]
    short = too_little(result["yardsticks"].get("short_share", 0.0))
    return [note for note in ("; ".join(columns), too_few(result, scenario), short) if note]


def _its_own(scenario: Scenario) -> str:
    """What a mean over windows is of; the percentiles of all requests together stand elsewhere."""
    lead = scenario.compared[0].name
    return f"{lead} (of all requests together: --details)" if scenario.request_classes else lead


def too_few(result: dict, scenario: Scenario) -> str:
    """That there is no interval, and what stands in its place; empty where runs, or sampled systems, suffice."""
    runs = scenario.devices or next(iter(result["policies"].values()))["overall"]["runs"]
    if runs >= FEWEST:
        return ""
    what = f"{runs} sampled {scenario.sampled}" if scenario.devices else counted(runs, "run")
    option = f"{flag_of(scenario.sampled_by)} and --seeds" if scenario.devices else "--seeds"
    extremes = "" if runs == 1 else "; in parentheses: the least and the greatest"
    return f"{what}: too few for an interval; {option} {ENOUGH} or more{extremes}"


def differences_header(result: dict, scenario: Scenario) -> tuple[str, ...]:
    """Of `difference_rows`."""
    interval = "range" if too_few(result, scenario) else "95 % interval"
    return ("policy", "against", f"{score_of(scenario).name}: difference", interval, "apart")


def _place(result: dict, spec: str) -> int:
    return [row["policy"] for row in result["leaderboard"]].index(spec)
