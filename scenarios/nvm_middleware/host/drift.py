"""How much slower a machine is than when its host file was written: cells of the measurement run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.middleware.settings import NativeSettings
from pmtwin.scenarios.nvm_middleware.host.experiments import REFERENCE
from pmtwin.scenarios.nvm_middleware.host.fit import INTERVAL, QUANTILES, REPLICATES, mean_time
from pmtwin.sim.host.file import HostFile

LEAST_ROUNDS = 2


def incomparable(host: HostFile, settings: NativeSettings) -> str | None:
    """Why a file's measurement cannot be repeated over the store of `settings`; None if it can."""
    measured = host.context.get("middleware")
    then = measured if isinstance(measured, Mapping) else {}
    for name in ("store", "keys", "queue"):
        if then.get(name) != getattr(settings, name):
            return f"{host.path} was measured with {name} {then.get(name)}, this is {getattr(settings, name)}"
    if not all(_is_sampled(host.samples.get(name)) for name in REFERENCE):
        return f"{host.path} has no samples of {', '.join(REFERENCE)}"
    return None


def _is_sampled(values: object) -> bool:
    return (
        isinstance(values, list)
        and len(values) >= LEAST_ROUNDS
        and all(isinstance(value, int | float) and not isinstance(value, bool) and value > 0 for value in values)
    )


def drift(then: Mapping[str, Sequence[float]], now: Mapping[str, Sequence[float]]) -> dict:
    """Time of a request now over that when the file was written; above 1 the machine is slower now.

    Args:
        then, now: of each cell of `REFERENCE`, one value a round, greater than 0.

    Returns:
        `ratio`: geometric mean over the cells, of `fit.mean_time` over rounds, with `low` and `high`;
        `cells`: ratio of each; `rounds` of now; `interval`: what it is.
    """
    sides = [np.array([some[name] for name in REFERENCE], dtype=float) for some in (then, now)]
    rng = np.random.default_rng(0)

    def logarithms(before: np.ndarray, after: np.ndarray) -> np.ndarray:
        return np.log(mean_time(after) / mean_time(before))

    def again(side: np.ndarray) -> np.ndarray:
        return side[:, rng.integers(0, side.shape[1], side.shape[1])]

    each = logarithms(*sides)
    replicates = [logarithms(*map(again, sides)).mean() for _ in range(REPLICATES)]
    low, high = np.exp(np.quantile(replicates, QUANTILES)).tolist()
    ratio = float(np.exp(each.mean()))
    return {
        "ratio": ratio,
        "low": min(low, ratio),
        "high": max(high, ratio),
        "cells": dict(zip(REFERENCE, np.exp(each).tolist(), strict=True)),
        "rounds": sides[1].shape[1],
        "interval": INTERVAL,
    }


def sentence(measured: Mapping, path: str) -> str:
    """The drift in words."""
    how = "slower" if measured["ratio"] >= 1.0 else "faster"
    return (
        f"the machine was {how} than when {path} was written: a request took {measured['ratio']:.3g} times as long "
        f"({measured['low']:.3g} to {measured['high']:.3g})"
    )


def is_clear(measured: Mapping) -> bool:
    """Whether the machine has changed beyond the interval."""
    return not measured["low"] <= 1.0 <= measured["high"]
