"""The ranking of an evaluation as a table to read: a line for each policy, and what its columns mean."""

from __future__ import annotations

from pmtwin.config.nouns import flag_of
from pmtwin.output import counted, interval_text
from pmtwin.result_notes import measures_explained, too_little
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.number_forms import percent
from pmtwin.sim.statistics import FEWEST

ENOUGH = 5
"""Runs that a reader with too few is advised to take."""


def leaderboard_header(result: dict, scenario: Scenario) -> tuple[str, ...]:
    """Of `leaderboard_rows`."""
    attainment = "attainment" if too_few(result, scenario) else "attainment [95 %]"
    shares = (attainment, "of best", "regret", "recovery")
    return (
        "rank",
        "policy",
        *shares,
        "mean reward",
        *(f"mean {measure.name}" for measure in scenario.compared),
        "tied with",
    )


def leaderboard_rows(result: dict, scenario: Scenario) -> list[tuple]:
    """A policy each, best first, with the means of reward and measures."""
    beside, rows = result["yardsticks"], []
    means = ("reward", *(measure.name for measure in scenario.compared))
    for place, row in enumerate(result["leaderboard"], 1):
        yardstick = beside["policies"][row["policy"]]
        ratio = "-" if yardstick["of_reference"] is None else percent(yardstick["of_reference"]["mean"])
        recovery, overall = row["recovery_windows"], result["policies"][row["policy"]]["overall"]
        interval = interval_text(overall["attainment"], lambda share: f"{100 * share:.1f}", "–", "[]")
        rows.append(
            (
                place,
                row["policy"],
                f"{percent(row['attainment'])} {interval}".rstrip(),
                ratio,
                percent(row["regret"]),
                "-" if recovery is None else f"{recovery:.1f}",
                *(overall[name]["mean"] for name in means),
                ", ".join(str(1 + _place(result, other)) for other in yardstick["level"]) or "-",
            )
        )
    return rows


def leaderboard_notes(result: dict, scenario: Scenario) -> list[str]:
    """What the columns of the ranking mean, and what to know beside them."""
    beside = result["yardsticks"]
    columns = (
        f"attainment: share of windows that keep all goals; of best: attainment as a share of that of "
        f"{beside['reference']}; regret: attainment of {beside['reference']} minus attainment of the policy; recovery: "
        f"windows until the goals are kept again after a change of context; "
        f"mean: of all windows, each with its own {_its_own(scenario)}; {measures_explained(scenario.compared)}; "
        f"tied with: ranks without a clear difference"
    )
    return [note for note in (columns, too_few(result, scenario), too_little(beside["short_share"])) if note]


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
    return ("policy", "against", "attainment: difference", interval, "apart")


def _place(result: dict, spec: str) -> int:
    return [row["policy"] for row in result["leaderboard"]].index(spec)
