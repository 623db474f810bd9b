"""Listings of the two-tiered storage for `pmtwin list`."""

from __future__ import annotations

from pmtwin.scenarios.listing import Listing


def _replacement() -> list[dict]:
    from pmtwin.policies.grammar import form
    from pmtwin.policies.replacement.foreign import DESCRIPTION, PACKAGE, Foreign
    from pmtwin.policies.replacement.learning import LEARNERS
    from pmtwin.policies.replacement.plain import POLICIES

    plain = [{"name": name, "spec": name, "description": each.description} for name, each in POLICIES.items()]
    learners = [{"name": name, "spec": form(name, each.options), "description": each.description}
                for name, each in LEARNERS.items()]  # fmt: skip
    foreign = {"name": PACKAGE, "spec": form(PACKAGE, Foreign), "description": DESCRIPTION}
    return [*plain, *learners, foreign]


LISTINGS = {"replacement": Listing("which page leaves a full cache (evaluate two-tier --policies)", _replacement)}
