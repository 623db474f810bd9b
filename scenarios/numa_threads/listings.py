"""Listing of the scenario for `pmtwin list`: what the paper claims."""

from __future__ import annotations

from pmtwin.scenarios.listing import Listing


def _claims() -> list[dict]:
    from pmtwin.scenarios.numa_threads.published import CLAIMS

    return [each._asdict() for each in CLAIMS]


LISTINGS = {"claims": Listing("what the Smart Scheduler paper publishes, with its place (numa-threads)", _claims)}
