"""Plausible systems in the place of the profile and the store's law: a device with its errors, and a host."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.device.sampling import sample_profiles
from pmtwin.sim.device.shared_node import NodeErrors
from pmtwin.sim.host.file import places_drawn
from pmtwin.sim.host.samples import SystemSamples
from pmtwin.sim.numa.costs import Plausible
from pmtwin.sim.store.file import load_store


class PlausibleSystem(NamedTuple):
    """A device, and what differs beside it."""

    profile: Profile
    beside: Plausible


@lru_cache(maxsize=16)
def plausible_systems(profile: str, samples: SystemSamples) -> tuple[PlausibleSystem, ...]:
    """The sampled systems; the profile with the representative host alone if there are no samples.

    A sampled device has other parameters, and its times err by as much as their intervals say. A sampled host is a
    joint sample of the store's law.
    """
    device, count = load_profile(profile), max(samples.systems, 1)
    devices = [device]
    errors: list[NodeErrors | None] = [None]
    laws: list[int] | list[None] = [None]
    if samples.device_samples:
        drawn = sample_profiles(device, samples.device_samples, samples.device_seed, samples.device_spread)
        devices = [replace(each, name=device.name) for each in drawn]
        errors = [_errors(samples, number) for number in range(samples.device_samples)]
    if samples.host_samples:
        laws = places_drawn(load_store().fit_beside(device.name).count, samples.host_samples, samples.host_seed)
    return tuple(
        PlausibleSystem(
            devices[number % len(devices)], Plausible(laws[number % len(laws)], errors[number % len(errors)])
        )
        for number in range(count)
    )


def _errors(samples: SystemSamples, number: int) -> NodeErrors:
    device, far = samples.device_spread * np.random.default_rng((samples.device_seed, number)).standard_normal((2, 2))
    return NodeErrors(device, far)
