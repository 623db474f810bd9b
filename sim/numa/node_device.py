"""A device as the memory of a machine's nodes: what its profile does not know of threads on other nodes is assumed.

A profile that never measured a directory has none here. Without the flushed writes of far threads (PerMA-Bench and
LATTester measured none on DRAM), far flushed writes take as many times longer as streamed ones do. What the links carry
is the machine's to say (`pmtwin.sim.numa.links`), not the profile's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pmtwin.sim.device.effects.directory import Directory, without_entries
from pmtwin.sim.device.effects.remote import Remote
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.store.device_times import PERSIST

LOAD, STREAM = "load", "ntstore"

SAME_EVERYWHERE = {"parameters": {"time_factor": 1.0}, "fitted_range": [], "log_half_width": [0.0]}
"""Accesses on a machine of one node, where nobody is far."""


class NodeDevice(NamedTuple):
    """A device on each node.

    Fields:
        profile: with all effects of several nodes.
        assumed: sentences on what is not known of them.
    """

    profile: Profile
    assumed: tuple[str, ...]


def node_device(profile: Profile, nodes: int, directory: bool = True) -> NodeDevice:
    """The device of a profile on each of so many nodes with processors.

    Args:
        directory: whether its media write directory entries, as far as the profile knows them.

    Raises:
        InputError: for several nodes, and a profile that knows nothing of accesses from another one.
    """
    effects: dict[str, Any] = dict(profile.effects or {})
    assumed: list[str] = []
    if nodes == 1:
        effects[Remote.name] = dict.fromkeys((LOAD, STREAM, PERSIST), SAME_EVERYWHERE)
    else:
        effects[Remote.name], assumed = _remote(profile.name, effects.get(Remote.name, {}))
    if not directory or Directory.name not in effects:
        if directory and nodes > 1:
            assumed.append("of a directory it knows nothing: none is written")
        effects = without_entries(effects)
    said = [f"profile {profile.name}: {each}" for each in assumed]
    if nodes > 2:
        said.append(f"machine of {nodes} nodes: each two are linked, and all are equally far from one another")
    return NodeDevice(replace(profile, effects=effects), tuple(said))


def _remote(name: str, known: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """(entries of the effect without what the link carries, what is assumed)."""
    missing = [operation for operation in (LOAD, STREAM) if operation not in known]
    if missing:
        allowed = (
            f"one that knows {' and '.join(missing)} of the remote node, for a machine of several nodes; take another "
            "(pmtwin list profiles), calibrate one with --effects, or give --nodes 1"
        )
        raise InputError("profile", name, allowed)
    entries = {operation: {**entry, "link_mib_s": None} for operation, entry in known.items()}
    if PERSIST in entries:
        return entries, []
    entries[PERSIST] = {**entries[STREAM], "fitted_range": []}
    factor = entries[STREAM]["parameters"]["time_factor"]
    return entries, [f"flushed writes from the remote node take {factor:.2f} times as long (assumed: as streamed ones)"]
