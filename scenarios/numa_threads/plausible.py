"""Plausible systems in the place of the profile and the store's law: a device with its errors, and a host."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.device.sampling import sample_profiles
from pmtwin.sim.device.shared_node import NodeErrors
from pmtwin.sim.host.file import places_drawn
from pmtwin.sim.host.samples import SystemSamples
from pmtwin.sim.numa.costs import Plausible
from pmtwin.sim.store.file import load_store

MEMORY = 1
"""Key of the draws for nodes without processors, whose device differs independently of the others'."""


class PlausibleSystem(NamedTuple):
    """A device, what differs beside it, and the memory of nodes without processors (None: there are none)."""

    profile: Profile
    beside: Plausible
    memory: Profile | None = None


@lru_cache(maxsize=16)
def plausible_systems(profile: str, samples: SystemSamples, memory_profile: str = "") -> tuple[PlausibleSystem, ...]:
    """The sampled systems; the profiles with the representative host alone if there are no samples.

    A sampled device has other parameters, and its times err by as much as their intervals say; so has the memory of
    nodes without processors. A sampled host is a joint sample of the store's law.
    """
    device, count = load_profile(profile), max(samples.systems, 1)
    devices, errors = _devices(device, samples)
    memories: list[Profile] | list[None] = [None]
    memory_errors: list[NodeErrors] | list[None] = [None]
    if memory_profile:
        memories, memory_errors = _devices(load_profile(memory_profile), samples, (MEMORY,))
    laws: list[int] | list[None] = [None]
    if samples.host_samples:
        laws = places_drawn(load_store().fit_beside(device.name).count, samples.host_samples, samples.host_seed)
    columns = (islice(cycle(column), count) for column in (devices, laws, errors, memory_errors, memories))
    return tuple(
        PlausibleSystem(device, Plausible(law, error, memory_error), memory)
        for device, law, error, memory_error, memory in zip(*columns, strict=True)
    )


def _devices(
    profile: Profile, samples: SystemSamples, key: tuple[int, ...] = ()
) -> tuple[list[Profile], list[NodeErrors] | list[None]]:
    """Plausible devices, and the errors of their times; the profile without errors if none is sampled.

    Args:
        key: of the draws.
    """
    if not samples.device_samples:
        return [profile], [None]
    seed = np.random.SeedSequence(samples.device_seed, spawn_key=key)
    drawn = sample_profiles(profile, samples.device_samples, seed, samples.device_spread)
    errors = [_errors(samples, (number, *key)) for number in range(samples.device_samples)]
    return [replace(sample, name=profile.name) for sample in drawn], errors


def _errors(samples: SystemSamples, key: tuple[int, ...]) -> NodeErrors:
    rng = np.random.default_rng((samples.device_seed, *key))
    device, far = samples.device_spread * rng.standard_normal((2, 2))
    return NodeErrors(device, far)
