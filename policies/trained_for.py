"""Whether a trained file serves the scenario that it is used in."""

from __future__ import annotations

from pmtwin.policies.base import PolicyContext
from pmtwin.sim.errors import InputError


def check_trained_for(context: PolicyContext, origin: dict, columns: int, actions: int | None, file: str) -> None:
    """Check the scenario's name, its number of actions, and its observations.

    Args:
        context: where the policy is used.
        origin: of the file; names the scenario.
        columns, actions: that the file was trained for; actions None: it chooses no numbered ones.
        file: for the error.

    Raises:
        InputError: naming what differs.
    """
    for field, trained, given in (
        ("scenario", origin.get("scenario", context.scenario), context.scenario),
        ("action_count", actions, None if actions is None else context.action_count),
        ("observation_size", columns, context.observation_size),
    ):
        if trained != given:
            raise InputError(field, given, f"{trained}, which the policy was trained for", file)
