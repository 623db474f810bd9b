"""What `pmtwin list` shows of the two-tiered storage."""

from __future__ import annotations

from pmtwin.scenarios.listing import Listing


def _replacement() -> list[dict]:
    from pmtwin.policies.grammar import form
    from pmtwin.policies.replacement.registry import POLICIES, WEIGHT_SHARING, WeightSharing

    plain = [{"name": name, "spec": name, "description": each.description} for name, each in POLICIES.items()]
    learner = "weight sharing: learns which of its experts names the victim"
    return [*plain, {"name": WEIGHT_SHARING, "spec": form(WEIGHT_SHARING, WeightSharing), "description": learner}]


LISTINGS = {"replacement": Listing("which page leaves a full cache (evaluate two-tier --policies)", _replacement)}
