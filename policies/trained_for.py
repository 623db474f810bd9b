"""Check that a trained file fits the scenario that uses it."""

from __future__ import annotations

from typing import Any

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.network.interface import Interface
from pmtwin.sim.errors import InputError


def check_trained_for(
    context: PolicyContext,
    origin: dict,
    columns: int,
    actions: int | None,
    file: str,
    interface: Interface | None = None,
) -> None:
    """Check the scenario's name, its number of actions, and its observations.

    Args:
        context: where the policy is used.
        origin: of the file; names the scenario.
        columns, actions: that the file was trained for; actions None: it chooses no numbered ones.
        file: for the error.
        interface: how it sees and acts; None: as the scenario does.

    Raises:
        InputError: naming what differs.
    """
    interface = interface or Interface()
    interface.check_measures(context, file)
    for field, trained, given in (
        ("scenario", origin.get("scenario", context.scenario), context.scenario),
        ("action_count", actions, None if actions is None else interface.outputs(context)),
        ("observation_size", columns, interface.observation_size(context)),
    ):
        if trained != given:
            raise InputError(field, given, f"{trained}, which the policy was trained for", file)


def check_learned_for(scenario: Any, policy: Any) -> None:
    """Check that a policy inside the simulation has learned in that scenario, if it begins from a file.

    Raises:
        InputError: naming both scenarios.
    """
    trained = getattr(policy, "origin", {}).get("scenario", scenario.name) if policy.files else scenario.name
    if trained != scenario.name:
        raise InputError("scenario", scenario.name, f"{trained}, which the policy was trained for", policy.files[0])
