"""The store's parameters of an inferred host: with another device, they come from the fit to that device.

The joint samples of a fit are assigned to the host's draws in their order, as in the host's file; the assignment is
arbitrary.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pmtwin.sim.parameters.store_law import IN_TWIN, twin_name
from pmtwin.sim.store.file import load_store

if TYPE_CHECKING:
    from pmtwin.sim.host.file import HostFile


def with_store_beside(host: HostFile, profile_name: str) -> HostFile:
    """The host with the store's parameters from the fit with a profile; unchanged if there is no such fit."""
    names = _store_names(host)
    if not names or profile_name == _inferred_beside(host):
        return host
    store = load_store()
    if profile_name not in store.fits or profile_name == store.fitted_beside(_inferred_beside(host)):
        return host
    fit, source = store.fits[profile_name], f"posterior of the store beside {profile_name}"
    samples = [fit.twin_parameters(sample) for sample in range(fit.count)]
    chosen = samples[fit.representative]
    entries = {name: {**host.entries[name], "value": chosen[name], "source": source} for name in names}
    draws = tuple(
        {**draw, **{name: samples[number % fit.count][name] for name in names}}
        for number, draw in enumerate(host.draws)
    )
    return replace(host, entries={**host.entries, **entries}, draws=draws)


def store_warnings(host: HostFile, profile_name: str) -> list[str]:
    """Reasons not to trust the fitted parameters of the store with a profile."""
    store = load_store()
    if not _store_names(host) or profile_name in store.fits:
        return []
    return [
        f"the store of host {host.path} was fitted with profile {store.fitted_beside(_inferred_beside(host))}, and "
        f"there is no fit with {profile_name}: its operations may take another time there; --set records=0 gives the "
        "store whose accesses were counted"
    ]


def _store_names(host: HostFile) -> list[str]:
    """Names of the parameters that come from the store's samples, and were not inferred with the host."""
    inferred = {row["name"] for row in host.inference.get("parameters", ())}
    names = [name for name in map(twin_name, IN_TWIN) if name in host.entries and name not in inferred]
    return [name for name in names if host.entries[name]["origin"] == "inferred"]


def _inferred_beside(host: HostFile) -> str:
    return host.context.get("simulated", {}).get("profile", "")
