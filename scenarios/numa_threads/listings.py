"""Listing of the scenario for `pmtwin list`: what the paper claims."""

from __future__ import annotations

from pmtwin.scenarios.listing import Listing
from pmtwin.scenarios.numa_threads.published import CLAIMS


def _claims() -> list[dict]:
    return [{**claim._asdict(), "workload": claim.workload.split(", ")} for claim in CLAIMS]


LISTINGS = {
    "claims": Listing(
        "what the Smart Scheduler paper publishes, with its place (numa-threads)",
        _claims,
        cells={"workload": ", ".join},
    )
}
