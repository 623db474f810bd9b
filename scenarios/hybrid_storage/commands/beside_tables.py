"""Tables below an evaluation: latencies over Fast-Only beside what is possible, by policy and by workload."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.console.output import informative, interval_text, print_table, print_text
from pmtwin.scenarios.hybrid_storage.options import OPTIMUM, REFERENCE
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import ESTIMATE, NEGLIGIBLE
from pmtwin.sim.common.number_forms import percent, rounded

AGAINST = ("sibyl", REFERENCE)
"""Policies over which the text shows the others, the first that took part; --json has all pairs."""


def print_beside(result: Mapping) -> None:
    """Print the tables of `pmtwin.scenarios.hybrid_storage.beside.results_beside`."""
    over = result["over_fast_only"]
    against = against_of(list(result["policies"]))
    _print_overall(result, against)
    if len(over["contexts"]) > 1:
        names = _names(result)
        rows = [
            (context, *(rounded(values[name]["mean"]) if name in values else "-" for name in names))
            for context, values in over["contexts"].items()
        ]
        print_table(rows, ("x Fast-Only", *(shown_as(name, result) if name == OPTIMUM else name for name in names)))
        print()
    if "optimum_kind" in result:
        kind = result["optimum_kind"]
        note = f"{OPTIMUM}: what is possible without fetching pages before they are used ({kind})"
        if kind == ESTIMATE:
            note += (
                "; several threads send their requests in an order that policies change, so that a policy can beat it"
            )
        if "gap" in result:
            note += f"; gap closed: of that from {REFERENCE} to it"
            note += "" if result["gap"]["overall"] else f" (-: the gap is below {percent(NEGLIGIBLE)} of the optimum)"
        print_text(note)


def shown_as(name: str, result: Mapping) -> str:
    """A name in a table of what rests on the optimum, which says so where that is an estimate."""
    return f"{name} ({ESTIMATE})" if result.get("optimum_kind") == ESTIMATE else name


def against_of(specs: list[str]) -> str:
    """The policy over which the others are shown."""
    return next((name for name in AGAINST if name in specs), specs[0])


def _names(result: Mapping) -> list[str]:
    """Policies, then yardsticks."""
    names = result["over_fast_only"]["overall"]
    return sorted(names, key=lambda name: name not in result["policies"])


def _print_overall(result: Mapping, against: str) -> None:
    regrets, gaps = (result.get(name, {"overall": {}})["overall"] for name in ("regret", "gap"))
    pairs = {row["policy"]: row for row in result["over"] if row["against"] == against}
    rows = []
    for name in _names(result):
        entry = result["over_fast_only"]["overall"][name]
        closed, pair = gaps.get(name), pairs.get(name)
        rows.append(
            (
                shown_as(name, result) if name == OPTIMUM else name,
                f"{rounded(entry['mean'])} {interval_text(entry, rounded, '–', '[]')}".rstrip(),
                rounded(regrets[name]["mean"]) if name in regrets else "-" if regrets else None,
                percent(closed["mean"]) if closed else "-" if "gap" in result else None,
                percent(pair["ratio"]["mean"], signed=True) if pair else "-" if pairs else None,
                percent(pair["share"]["mean"], signed=True) if pair else "-" if pairs else None,
            )
        )
    of_optimum = (shown_as(name, result) for name in ("regret", "gap closed"))
    header = ("", "x Fast-Only", *of_optimum, f"{against}/it - 1", f"1 - it/{against}")
    print_table(*informative(rows, header))
    print()
