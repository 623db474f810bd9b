"""Tables below an evaluation: latencies over Fast-Only beside what is possible, by policy and by workload."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.console.output import informative, interval_text, print_table, print_text
from pmtwin.scenarios.hybrid_storage.options import OPTIMUM, REFERENCE
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
        print_table(rows, ("x Fast-Only", *names))
        print()
    kinds = {row["kind"] for row in _rows(result) if row["name"] == OPTIMUM}
    if kinds:
        note = f"{OPTIMUM}: what is possible without fetching pages before they are used ({', '.join(sorted(kinds))})"
        print_text(f"{note}; gap closed: of that from {REFERENCE} to it" if "gap" in result else note)


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
                name,
                f"{rounded(entry['mean'])} {interval_text(entry, rounded, '–', '[]')}".rstrip(),
                rounded(regrets[name]["mean"]) if name in regrets else "-" if regrets else None,
                percent(closed["mean"]) if closed else "-" if gaps else None,
                percent(pair["ratio"]["mean"], signed=True) if pair else "-" if pairs else None,
                percent(pair["share"]["mean"], signed=True) if pair else "-" if pairs else None,
            )
        )
    header = ("", "x Fast-Only", "regret", "gap closed", f"{against}/it - 1", f"1 - it/{against}")
    print_table(*informative(rows, header))
    print()


def _rows(result: Mapping) -> list[dict]:
    """All yardsticks of the result, with their names."""
    known = result.get("possible", {})
    several = [row for rows in known.values() for row in rows] if _is_by_workload(known) else [known]
    return [{"name": name, **row} for values in several for name, row in values.items()]


def _is_by_workload(known: Mapping) -> bool:
    return any(isinstance(rows, list) for rows in known.values())
