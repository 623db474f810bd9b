"""Comparison of the middleware's queues by ratios within a round; it was the basis for the choice of the default."""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.console.output import print_table
from pmtwin.sim.numerics.statistics import median_interval

QUANTITIES = {"cpu": "processor time", "p99": "p99"}
VERDICTS = ("lower", "higher", "not told apart")
LEAST_ROUNDS = 3
"""Least number of rounds for a verdict other than the last; two rounds agree by chance in half of the cases."""


def compared(cases: Sequence[dict]) -> list[dict]:
    """The default queue against each other queue, by place (group, engine, workers) and in the same rounds.

    Args:
        cases: cases of queues, those of the default queue first; each with `group`, `engine`, `access`, `workers` and
            `rounds`: the `QUANTITIES` of each round, in order.

    Returns:
        For each place and other queue: `queue`, `over`, and for each quantity the ratio queue / over with an interval
        over rounds (`median`, `low`, `high`, `confidence`) and `verdict`, one of `VERDICTS`. Rounds in which either
        queue answered nothing do not count; places without such rounds are left out.
    """
    first = cases[0]["access"] if cases else None
    mine = {_place(case): case for case in cases if case["access"] == first}
    others = [(mine[_place(case)], case) for case in cases if case["access"] != first]
    return [_against(*pair) for pair in others if all(_ratios(*pair, name) for name in QUANTITIES)]


def show(comparisons: Sequence[dict]) -> None:
    """Print each ratio, and the number of places by verdict."""
    if not comparisons:
        return
    rows = []
    for entry in comparisons:
        cells = []
        for name in QUANTITIES:
            cells += [_ratio_cell(entry[name]), entry[name]["verdict"]]
        rows.append((entry["group"], entry["engine"], entry["workers"], f"{entry['queue']}/{entry['over']}", *cells))
    print_table(rows, ("group", "engine", "workers", "queues", "CPU ratio", "", "p99 ratio", ""))
    confidence = 100 * min(entry[name]["confidence"] for entry in comparisons for name in QUANTITIES)
    held = f"hold the true ratio in {confidence:.0f} % of cases at least"
    print(f"intervals over rounds {held}" if confidence else "a single round gives no interval and tells nothing apart")
    for over in dict.fromkeys(entry["over"] for entry in comparisons):
        entries = [entry for entry in comparisons if entry["over"] == over]
        for name, quantity in QUANTITIES.items():
            verdicts = [entry[name]["verdict"] for entry in entries]
            counts = ", ".join(f"{verdict} at {verdicts.count(verdict)}" for verdict in VERDICTS)
            print(f"{entries[0]['queue']} against {over}, {quantity}: {counts} of {len(entries)} places")


def _ratio_cell(ratio: dict) -> str:
    interval = f" ({ratio['low']:.2f} to {ratio['high']:.2f})" if ratio["confidence"] else ""
    return f"{ratio['median']:.2f}{interval}"


def _place(case: dict) -> tuple:
    return case["group"], case["engine"], case["workers"]


def _against(mine: dict, other: dict) -> dict:
    place = {name: mine[name] for name in ("group", "engine", "workers")}
    ratios = {name: _judged(_ratios(mine, other, name)) for name in QUANTITIES}
    return place | {"queue": mine["access"], "over": other["access"]} | ratios


def _ratios(mine: dict, other: dict, name: str) -> list[float]:
    rounds = zip(mine["rounds"][name], other["rounds"][name], strict=True)
    return [value / over for value, over in rounds if value > 0 and over > 0]


def _judged(ratios: list[float]) -> dict:
    ratio = median_interval(ratios)
    lower, higher, open_ = VERDICTS
    verdict = lower if ratio["high"] < 1 else higher if ratio["low"] > 1 else open_
    return {key: round(value, 3) for key, value in ratio.items()} | {
        "verdict": verdict if len(ratios) >= LEAST_ROUNDS else open_
    }
