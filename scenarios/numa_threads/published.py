"""What the paper publishes (Chen and others, "Smart scheduler", CCF Transactions on HPC 4, 2022). None of it sets a
parameter. Bar heights of its figures are not in its text.
"""

from __future__ import annotations

from typing import NamedTuple


class Claim(NamedTuple):
    """A number of the paper.

    Fields:
        workload: as it is named here, or what it is about. claim: what is compared. value: as published. place: in the
            paper.
    """

    workload: str
    claim: str
    value: str
    place: str


TABLE_1 = {10: 151.08, 5: 129.35, 3: 126.97, 1: 123.97, 0: 123.04}
"""Percent of remote accesses of 72 threads -> time of the program in s."""

MINUTES = {50: (25, 27, 9), 70: (18, 18, 7), 90: (4, 4, 4)}
"""Percent of reads -> minutes of Smart Scheduler, Linux and the rule."""

WRITES_OVER_LINUX = 0.599
"""Time of Smart Scheduler over that of Linux, least; the abstract says "by up to 59.9 %", section 9.2.1 "to 59.9 %"."""

READS_BELOW_LINUX, READS_BELOW_RULE = 0.124, 0.107
"""Share by which the time of Smart Scheduler is below the others, the first at most."""

BEHIND_BEST = 0.021
"""Share by which the time of Smart Scheduler is above that of the best method, at most."""

P99_BELOW_LINUX, P99_BELOW_RULE = 0.191, 0.041

STABLE_EPOCHS = 20
"""Decisions until the bounds of two actions are stable."""

_TIME = "time of Smart Scheduler"
CLAIMS = (
    *(Claim("72 threads", f"time, {each} % of accesses remote", f"{TABLE_1[each]} s", "Table 1") for each in TABLE_1),
    Claim(
        "fillrandom, fillseq",
        f"{_TIME} over that of Linux, least",
        f"{WRITES_OVER_LINUX}",
        "9.2.1 (abstract: by up to 59.9 %)",
    ),
    Claim("readrandom, readseq", f"{_TIME} below that of Linux, most", f"{100 * READS_BELOW_LINUX:g} %", "9.2.1"),
    Claim("readrandom, readseq", f"{_TIME} below that of the rule", f"{100 * READS_BELOW_RULE:g} %", "9.2.1"),
    Claim("all four", f"{_TIME} above that of the best method, most", f"{100 * BEHIND_BEST:g} %", "9.2.1"),
    Claim("fillrandom", "p99 of Smart Scheduler below that of Linux", f"{100 * P99_BELOW_LINUX:g} %", "9.2.2"),
    Claim("fillrandom", "p99 of Smart Scheduler below that of the rule", f"{100 * P99_BELOW_RULE:g} %", "9.2.2"),
    Claim("four", "decisions until the bounds of two actions are stable", f"{STABLE_EPOCHS}", "9.3, figure 7"),
    *(
        Claim(f"mixed-{reads}", "minutes of Smart Scheduler, Linux, rule", ", ".join(map(str, each)), "10")
        for reads, each in MINUTES.items()
    ),
)
