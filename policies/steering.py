"""A policy as a file that steers a middleware in C++, without Python (docs/steering-policy.md)."""

from __future__ import annotations

from pathlib import Path

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import FIELD, policy_class, policy_names
from pmtwin.sim.errors import InputError
from pmtwin.sim.files import write_json

FORMAT, SCHEMA = "pmtwin-steering-policy", 1


def steering_document(policy: Policy, context: PolicyContext) -> dict:
    """The policy as plain values.

    Raises:
        InputError: if it cannot act without Python, or not in this context.
    """
    exported = policy.exported(context)
    if exported is None:
        raise InputError(FIELD, policy.spec, f"a policy that has a form in C++: {', '.join(exportable_names())}")
    return {"format": FORMAT, "schema": SCHEMA, "policy": policy.spec, "scenario": context.scenario, **exported}


def write_steering(path: str | Path, policy: Policy, context: PolicyContext, field: str = "output") -> Path:
    """Write the policy, atomically.

    Raises:
        InputError: as `steering_document`, or if the file cannot be written.
    """
    return write_json(path, steering_document(policy, context), field)


def exportable_names() -> list[str]:
    """Names of the registered policies that have a form in C++."""
    return [name for name in policy_names() if policy_class(name).exported is not Policy.exported]
