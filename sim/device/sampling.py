"""Plausible devices: profiles drawn as the data leave them uncertain, in parameters or in modes of their bandwidths.

A profile of few measurements states modes: bandwidths at all knots are drawn around its own, of all operations together
(`pmtwin.calibrate.prior.modes`). Every other one states deviations of parameters in bootstrap replicates. Fewer
replicates than parameters leave some directions open, and the correlations of the others uncertain. So the covariance
is shrunk towards the parameters' own variances: (1 - w) S + w diag(S), with the weight w that Schaefer and Strimmer
estimate from the replicates themselves ("A Shrinkage Approach to Large-Scale Covariance Matrix Estimation", Stat. Appl.
Genet. Mol. Biol. 4, 2005, target D). No variance changes, and no direction is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pmtwin.sim.device.parameters import LAW_PARAMETERS
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError, check_range

STATES_UNCERTAINTY = "calibrate it again, without --bootstrap 0"

MAX_SAMPLES = 100_000
MAX_SPREAD = 20.0


def sample_profiles(
    profile: Profile, n: int, seed: int | np.random.SeedSequence = 0, spread: float = 1.0
) -> list[Profile]:
    """`n` profiles with the same data behind them.

    With modes, a standard normal multiple of each is added to log bandwidth. Without, the logarithms of an operation's
    fitted parameters are normal around the fit, with the shrunk covariance of the bootstrap replicates: parameters that
    trade off against each other are drawn together. Each stays inside the bounds of the fit; one that no replicate
    moves (nothing that was measured depends on it, or it is on a bound) stays where it is. Device number k is the same
    for any `n`.

    Args:
        seed: 0 or more, or a seed sequence.
        spread: factor on all deviations; above 1 for devices that differ more than one device's data leave open.

    Raises:
        InputError: a profile that states no uncertainty, or a number out of range.
    """
    check_range("n", n, 1, MAX_SAMPLES)
    check_range("spread", spread, 0.0, MAX_SPREAD)
    if not profile.uncertainty:
        allowed = f"a profile that states its uncertainty ({STATES_UNCERTAINTY})"
        raise InputError("profile", profile.name, allowed)
    if not isinstance(seed, np.random.SeedSequence):
        check_range("seed", seed, 0, 2**63 - 1)
        seed = np.random.SeedSequence(seed)
    children = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key).spawn(n)
    generators = [np.random.default_rng(child) for child in children]
    if any(entry.get("cells") for entry in profile.uncertainty.values()):
        return [
            _sample_modes(profile, profile.uncertainty, number, rng, spread) for number, rng in enumerate(generators)
        ]
    roots = {
        operation: (entry["parameters"], covariance_root(np.asarray(entry["deviations"], dtype=float)))
        for operation, entry in profile.uncertainty.items()
    }
    return [_sample(profile, number, roots, rng, spread) for number, rng in enumerate(generators)]


def without_uncertainty(profile: Profile) -> str:
    """A clause on why no devices can be drawn around a profile, and the remedy; empty if they can be drawn."""
    if profile.uncertainty:
        return ""
    return f"profile {profile.name} states no uncertainty ({STATES_UNCERTAINTY})"


def shrinkage_weight(deviations: np.ndarray) -> float:
    """Weight of the diagonal, above 0 and at most 1: how far the correlations are noise of few replicates.

    The sum of the estimated variances of all correlations over the sum of their squares; at least one replicate's part,
    since two or three agree by chance.

    Args:
        deviations: shape (replicates, parameters), at least two replicates; columns with a mean of 0.
    """
    count = len(deviations)
    moved = deviations[:, deviations.any(axis=0)]
    z = moved / moved.std(axis=0, ddof=1)
    off_diagonal = ~np.eye(z.shape[1], dtype=bool)
    mean = z.T @ z / count
    variance = count / (count - 1) ** 3 * ((z**2).T @ z**2 - count * mean**2)
    squares = np.sum((count / (count - 1) * mean[off_diagonal]) ** 2)
    return float(np.clip(np.sum(variance[off_diagonal]) / squares, 1.0 / count, 1.0)) if squares else 1.0


def covariance_root(deviations: np.ndarray) -> np.ndarray:
    """A matrix F of shape (replicates + parameters, parameters) whose F'F is the shrunk covariance.

    A weighted sum of the replicates' deviations has their covariance, one of the own deviations its diagonal.

    Args:
        deviations: as of `shrinkage_weight`.
    """
    weight, freedom = shrinkage_weight(deviations), len(deviations) - 1
    together = np.sqrt((1.0 - weight) / freedom) * deviations
    return np.vstack([together, np.diag(np.sqrt(weight) * deviations.std(axis=0, ddof=1))])


def _sample(
    profile: Profile,
    number: int,
    roots: dict[str, tuple[list[str], np.ndarray]],
    rng: np.random.Generator,
    spread: float,
) -> Profile:
    parameters = {}
    for operation, values in profile.parameters.items():
        drawn = dict(values)
        if operation in roots:
            names, root = roots[operation]
            shift = spread * rng.standard_normal(len(root)) @ root
            for name, by in zip(names, shift, strict=True):
                low, high = LAW_PARAMETERS[name].low, LAW_PARAMETERS[name].high
                drawn[name] = float(np.clip(values[name] * np.exp(by), min(low, values[name]), max(high, values[name])))
        parameters[operation] = drawn
    return replace(profile, name=f"{profile.name}-sample-{number}", parameters=parameters)


def _sample_modes(
    profile: Profile, uncertainty: Mapping[str, Mapping], number: int, rng: np.random.Generator, spread: float
) -> Profile:
    count = len(next(iter(uncertainty.values()))["cells"][0]["modes"])
    multiples = spread * rng.standard_normal(count)
    deviations = {
        operation: [_deviation(cell, multiples) for cell in entry["cells"]] for operation, entry in uncertainty.items()
    }
    residual = {"operations": {}, **(profile.residual or {}), "deviations": deviations}
    return replace(profile, name=f"{profile.name}-sample-{number}", residual=residual, uncertainty=None)


def _deviation(cell: dict, multiples: np.ndarray) -> dict:
    """The sum of a cell's modes, in the form of a residual's."""
    total = np.minimum(np.tensordot(multiples, np.asarray(cell["modes"]), axes=1), np.asarray(cell["most"]))
    knots = {name: value for name, value in cell.items() if name not in ("modes", "most")}
    return {**knots, "log_ratio": total.tolist()}
