"""The recommended policy beside the clairvoyant and the best constant, in the phases and in `contended`."""

from __future__ import annotations

from dataclasses import replace

from pmtwin.figures.drawing.numbers import percent
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import policy_label
from pmtwin.figures.plots.attainment import bars
from pmtwin.scenarios.nvm_middleware.figures.experiments.recommended import SETS, UNFORESEEING
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware

RECOMMENDED, BEST_CONSTANT = "recommended", "best-constant"
LABELS = {NvmMiddleware.recommended: RECOMMENDED, "q-learning": "q-learning", UNFORESEEING: "no foresight"}
TARGETS = {"phases": 0.97, "contended": 0.95}
"""Attainment of the recommended policy over the clairvoyant's, as this project aims at it."""

CONSTANT_AT_MOST = 0.85
"""Attainment of the best constant over the clairvoyant's where no constant is meant to serve."""


def kind_of(spec: str) -> str:
    """A policy as figures call it, without the file of a trained one."""
    return LABELS.get(spec) or LABELS.get(spec.partition(":")[0], spec)


def render(results: dict) -> Rendered:
    """Bars for each set of contexts, a table, and the targets."""
    compared = results["yardsticks"]
    drawings = [replace(attainment(compared, name), name=f"yardsticks-{name}") for name in SETS]
    return Rendered(drawings, [_table(compared)], statements(compared))


def attainment(compared: dict, name: str) -> Drawing:
    """Share of windows that keep all goals in one set of contexts, with a sentence on the recommended policy."""
    shares = {
        kind_of(row["policy"]): {
            "mean": row["attainment"],
            "low": row["attainment_low"],
            "high": row["attainment_high"],
        }
        for row in compared[name]["leaderboard"]
    }
    ratio = of_clairvoyant(compared, name, RECOMMENDED)["mean"]
    sentence = (
        f"The recommended policy keeps all goals in {percent(shares[RECOMMENDED]['mean'])} of the windows: "
        f"{percent(ratio)} of what the clairvoyant keeps."
    )
    drawn = bars("overview-attainment", shares)
    where = "The four phases of the thesis" if name == SETS[0] else f"The contexts of {name}"
    caption = f"{where}. The clairvoyant knows the coming load; no foresight: it knows the load so far."
    return replace(drawn, alt=sentence, caption=f"{caption} {drawn.caption}")


def of_clairvoyant(compared: dict, name: str, kind: str) -> dict:
    """Attainment of a policy over the clairvoyant's: `mean`, `low`, `high`."""
    policies = compared[name]["yardsticks"]["policies"]
    return next(values["of_reference"] for spec, values in policies.items() if kind_of(spec) == kind)


def _table(compared: dict) -> Table:
    rows = []
    for name in SETS:
        beside = compared[name]["yardsticks"]["policies"]
        for row in compared[name]["leaderboard"]:
            ratio = beside[row["policy"]]["of_reference"]
            shares = (row["attainment"], row["attainment_low"], row["attainment_high"], *ratio.values(), row["regret"])
            rows.append(
                (name, policy_label(kind_of(row["policy"])), *map(_hundredths, shares), row["recovery_windows"])
            )
    header = (
        *("contexts", "policy", "attainment (%)", "low", "high", "of the clairvoyant (%)", "low", "high"),
        *("regret (points)", "recovery (windows)"),
    )
    constants = ", ".join(f"{'{},{}'.format(*compared[name]['best_constant']['pools'])} in {name}" for name in SETS)
    note = (
        f"Attainment: share of windows that keep all goals. Regret: the clairvoyant's attainment less the policy's. "
        f"Recovery: windows after a change of phase until the goals are kept again. Best constant: {constants}. "
        "Intervals: 95 % over seeds."
    )
    return Table("yardsticks", "Attainment, regret and recovery beside the clairvoyant", header, rows, note)


def _hundredths(share: float | None) -> float | None:
    return None if share is None else round(100.0 * share, 1)


def statements(compared: dict) -> list[Statement]:
    """Targets of the project, met or not."""
    claims = []
    for name, least in TARGETS.items():
        ratio = of_clairvoyant(compared, name, RECOMMENDED)
        claim = f"{name}: the recommended policy keeps at least {percent(least)} of the clairvoyant's attainment"
        claims.append(_target(claim, ratio, holds=ratio["mean"] >= least))
    ratio = of_clairvoyant(compared, "contended", BEST_CONSTANT)
    claim = f"contended: the best constant keeps at most {percent(CONSTANT_AT_MOST)} of the clairvoyant's attainment"
    return [*claims, _target(claim, ratio, holds=ratio["mean"] <= CONSTANT_AT_MOST)]


def _target(claim: str, ratio: dict, holds: bool) -> Statement:
    low, high = ratio["low"], ratio["high"]
    interval = "" if low is None else f" [{percent(low)}, {percent(high)}]"
    return Statement("target of the project", claim, f"{percent(ratio['mean'])}{interval}", holds=bool(holds))
