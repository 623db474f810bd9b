"""Checks that a trained file fits the scenario that uses it."""

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
        context: context in which the policy is used.
        origin: origin of the file, which names the scenario.
        columns: length of an observation that the policy was trained for.
        actions: number of actions that it was trained for; None: not checked.
        file: path of the file, for the error.
        interface: observations and actions of the policy; None: those of the scenario.

    Raises:
        InputError: for the first difference.
    """
    interface = interface or Interface()
    interface.check_measures(context, file)
    for field, trained, used in (
        ("scenario", origin.get("scenario", context.scenario), context.scenario),
        ("action_count", actions, None if actions is None else interface.outputs(context)),
        ("observation_size", columns, interface.observation_size(context)),
    ):
        if trained != used:
            raise InputError(field, used, f"{trained}, which the policy was trained for", file)


def check_learned_for(scenario: Any, policy: Any) -> None:
    """Check the scenario in which a policy inside the simulation has learned, if it starts from a file.

    Raises:
        InputError: if that is another scenario.
    """
    trained = getattr(policy, "origin", {}).get("scenario", scenario.name) if policy.files else scenario.name
    if trained != scenario.name:
        raise InputError("scenario", scenario.name, f"{trained}, which the policy was trained for", policy.files[0])
