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


def _options(name: str) -> list[dict]:
    from pmtwin.policies.grammar import described
    from pmtwin.policies.replacement.foreign import PACKAGE, Foreign
    from pmtwin.policies.replacement.learning import LEARNERS
    from pmtwin.sim.errors import unknown_name

    names = [entry["name"] for entry in _replacement()]
    if name not in names:
        raise unknown_name("NAME", name, names)
    takes = {PACKAGE: Foreign, **{learner: each.options for learner, each in LEARNERS.items()}}
    return described(takes[name]) if name in takes else []


WHAT = "which page leaves a full cache (evaluate two-tier --policies); with a NAME, its options"
LISTINGS = {"replacement": Listing(WHAT, _replacement, options=_options)}
