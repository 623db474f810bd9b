"""Table 2: costs beside the published ones."""

from __future__ import annotations

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Cell, Rendered, Statement, Table
from pmtwin.scenarios.lustre_tuning.figures.plots.parts import CLOSE, stated
from pmtwin.scenarios.lustre_tuning.published import TABLE_2, Claim

MB, GB = 1e6, 1e9


def render(results: dict) -> Rendered:
    """A row for each published number; none for a graphics processor."""
    costs = results["costs"]
    values = {
        "time of a step of 32 observations on a processor": costs["step_s"],
        "records, one a second in 70 h": None,
        "size on disk": costs["disk_bytes"] / GB,
        "size in memory": costs["memory_bytes"] / GB,
        "numbers of a client in a second": costs["indicators"],
        "numbers": costs["observation"],
        "compressed size, a client and second": costs["message_bytes"],
    }
    values_of = {("network", "size in memory"): costs["network_in_use_bytes"] / MB}
    rows: list[tuple[Cell, ...]] = []
    statements: list[Statement] = []
    for claim in TABLE_2:
        value = values_of.get((claim.about, claim.claim), values.get(claim.claim))
        rows.append(
            (claim.about, claim.claim, _published(claim), None if value is None else _rounded(value), claim.unit)
        )
        if value is not None:
            apart = value - _published(claim)
            text = f"{number(value)} {claim.unit}".rstrip()
            statements.append(stated(claim, text, abs(apart) <= CLOSE * _published(claim), apart))
    note = (
        "Preset paper of policy dqn. Database: an observation of all clients a row, for 250,000 windows from a run of "
        f"600. Network: {costs['parameters']:,} weights of 32 bits, four copies while learning. The time of a step is "
        "the least of 30 on one thread of this machine; it alone is another number in each run."
    )
    header = ("part", "number", "published", "here", "unit")
    return Rendered([], [Table("lustre-table-2", "Cost of learning", header, rows, note)], statements)


def _published(claim: Claim) -> float:
    assert not isinstance(claim.value, tuple)  # one number
    return claim.value


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")
