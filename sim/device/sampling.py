"""Plausible devices: profiles drawn from the uncertainty that the data leave, in parameters or in modes of bandwidths.

A profile from few measurements states modes: the bandwidths at all knots and of all operations are drawn together
(`pmtwin.calibrate.prior.modes`). Other profiles state deviations of the parameters in bootstrap replicates. With fewer
replicates than parameters the covariance S is singular, and its correlations are noisy. It is therefore shrunk towards
its diagonal, (1 - w) S + w diag(S), with the weight w that Schaefer and Strimmer estimate from the replicates ("A
Shrinkage Approach to Large-Scale Covariance Matrix Estimation", Stat. Appl. Genet. Mol. Biol. 4, 2005, target D). The
variances do not change, and no direction has variance 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pmtwin.sim.device.effects.directory import MOST_ENTRIES, Directory, stating_entries
from pmtwin.sim.device.parameters import LAW_PARAMETERS
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError, check_range

STATES_UNCERTAINTY = "calibrate it again, without --bootstrap 0"

MAX_SAMPLES = 100_000
MAX_SPREAD = 20.0


def sample_profiles(
    profile: Profile, n: int, seed: int | np.random.SeedSequence = 0, spread: float = 1.0
) -> list[Profile]:
    """Draw `n` profiles that are plausible with the profile's data; number k does not depend on `n`.

    If the profile states modes, a standard normal multiple of each mode is added to log bandwidth. Otherwise the
    logarithms of an operation's parameters are normal around the fit, with the shrunk covariance of the bootstrap
    replicates. They stay inside the bounds of the fit, and a parameter that is the same in all replicates is not
    changed. Of effects the one number is drawn that no measurement shows: directory entries of streamed reads in a
    media write, from 1 to 4, equally likely by its logarithm.

    Args:
        seed: 0 or more, or a seed sequence.
        spread: factor on all deviations; above 1 for devices that differ more than the data of one device allow.

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
    """The reason why no devices can be drawn from a profile, and the remedy; empty if they can be drawn."""
    if profile.uncertainty:
        return ""
    return f"profile {profile.name} states no uncertainty ({STATES_UNCERTAINTY})"


def shrinkage_weight(deviations: np.ndarray) -> float:
    """Weight of the diagonal, above 0 and at most 1: the part of the correlations that is noise.

    It is the sum of the estimated variances of all correlations over the sum of their squares, and at least one over
    the number of replicates, since two or three of them agree by chance.

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

    Its first rows give the covariance of the replicates, the others its diagonal.

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
            for name, step in zip(names, shift, strict=True):
                value, bounds = values[name], LAW_PARAMETERS[name]
                drawn[name] = float(np.clip(value * np.exp(step), min(bounds.low, value), max(bounds.high, value)))
        parameters[operation] = drawn
    effects = _with_drawn_entries(profile.effects, rng, spread)
    return replace(profile, name=f"{profile.name}-sample-{number}", parameters=parameters, effects=effects)


def _with_drawn_entries(effects: dict | None, rng: np.random.Generator, spread: float) -> dict | None:
    """The effects, their directory with a drawn number of entries of streamed reads in a media write."""
    if not effects or Directory.name not in effects or not spread:
        return effects
    count = np.sqrt(MOST_ENTRIES) ** (1.0 + spread * rng.uniform(-1.0, 1.0))
    return stating_entries(effects, float(np.clip(count, 1.0, MOST_ENTRIES)))


def _sample_modes(
    profile: Profile, uncertainty: Mapping[str, Mapping], number: int, rng: np.random.Generator, spread: float
) -> Profile:
    count = len(next(iter(uncertainty.values()))["cells"][0]["modes"])
    multiples = spread * rng.standard_normal(count)
    deviations = {
        operation: [_deviation(cell, multiples) for cell in entry["cells"]] for operation, entry in uncertainty.items()
    }
    residual = {"operations": {}, **(profile.residual or {}), "deviations": deviations}
    effects = _with_drawn_entries(profile.effects, rng, spread)
    name = f"{profile.name}-sample-{number}"
    return replace(profile, name=name, residual=residual, effects=effects, uncertainty=None)


def _deviation(cell: dict, multiples: np.ndarray) -> dict:
    """The sum of a cell's modes, in the form of a cell of a residual."""
    total = np.minimum(np.tensordot(multiples, np.asarray(cell["modes"]), axes=1), np.asarray(cell["most"]))
    knots = {name: value for name, value in cell.items() if name not in ("modes", "most")}
    return {**knots, "log_ratio": total.tolist()}
