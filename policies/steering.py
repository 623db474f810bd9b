"""Export of a policy to a file that steers a middleware in C++, without Python (docs/steering-policy.md)."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.grammar import FIELD
from pmtwin.policies.registry import policy_class, policy_names
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.writing import write_json

FORMAT, SCHEMA = "pmtwin-steering-policy", 1


def steering_document(policy: Policy, context: PolicyContext) -> dict:
    """The policy as plain values.

    Raises:
        InputError: if the policy has no form in C++, cannot serve the scenario, or only inherits `exported` from a
            class that may act differently.
    """
    classes = cast("tuple[type[Policy], ...]", type(policy).__mro__)
    author = next(cls for cls in classes if "exported" in vars(cls))
    if author is not type(policy) and author is not Policy:
        allowed = f"a policy with a method exported: that of {author.called()} writes the rules of {author.called()}"
        raise InputError(FIELD, policy.spec, f"{allowed}, and {type(policy).__qualname__} may act differently")
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
    return [name for name in policy_names() if "exported" in vars(policy_class(name))]
