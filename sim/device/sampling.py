"""Plausible devices: profiles whose parameters are drawn as the data leave them uncertain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.device.parameters import LAW_PARAMETERS
from pmtwin.sim.errors import InputError, check_range

if TYPE_CHECKING:
    from pmtwin.sim.device.profile import Profile

MAX_SAMPLES = 100_000
MAX_SPREAD = 20.0


def sample_profiles(profile: Profile, n: int, seed: int | np.random.SeedSequence, spread: float) -> list[Profile]:
    """`n` profiles with the same data behind them.

    The logarithms of an operation's fitted parameters are normal around the fit, with the covariance of the bootstrap
    replicates: parameters that trade off against each other are drawn together. Each stays inside the bounds of the
    fit. Device number k is the same for any `n`.

    Args:
        seed: 0 or more, or a seed sequence.
        spread: factor on all deviations; above 1 for devices that differ more than one device's data leave open.

    Raises:
        InputError: a profile without bootstrap, or a number out of range.
    """
    check_range("n", n, 1, MAX_SAMPLES)
    check_range("spread", spread, 0.0, MAX_SPREAD)
    if not profile.uncertainty:
        allowed = "a profile calibrated with --bootstrap: this one does not say how uncertain its parameters are"
        raise InputError("profile", profile.name, allowed)
    if not isinstance(seed, np.random.SeedSequence):
        check_range("seed", seed, 0, 2**63 - 1)
        seed = np.random.SeedSequence(seed)
    children = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key).spawn(n)
    return [_one(profile, number, np.random.default_rng(child), spread) for number, child in enumerate(children)]


def _one(profile: Profile, number: int, rng: np.random.Generator, spread: float) -> Profile:
    parameters = {}
    for operation, values in profile.parameters.items():
        drawn = dict(values)
        entry = profile.uncertainty.get(operation)
        if entry:
            deviations = np.asarray(entry["deviations"], dtype=float)
            # A weighted sum of R replicates' deviations has their covariance.
            shift = spread * rng.standard_normal(len(deviations)) @ deviations / np.sqrt(len(deviations) - 1)
            for name, by in zip(entry["parameters"], shift, strict=True):
                low, high = LAW_PARAMETERS[name].low, LAW_PARAMETERS[name].high
                drawn[name] = float(np.clip(values[name] * np.exp(by), min(low, values[name]), max(high, values[name])))
        parameters[operation] = drawn
    return replace(profile, name=f"{profile.name}-sample-{number}", parameters=parameters)
