"""The remaining uncertainty of the posterior as a few tables, from which device samples are drawn."""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.prior.knowledge import Knowledge
from pmtwin.calibrate.prior.observed import grid
from pmtwin.calibrate.prior.tables import SIZES, THREADS
from pmtwin.calibrate.readers.cleaning import ceiling_mib_s
from pmtwin.sim.device.law import OPERATIONS, PATTERNS

LEFT_OUT = 0.1
"""Largest share of the total variance of the correlation matrix that the modes may leave out."""


def modes_of(covariance: np.ndarray) -> np.ndarray:
    """Directions in which bandwidths may differ from their mean, shape (modes, points).

    The sum of the modes, each multiplied by an independent standard normal number, has the variances of the covariance
    matrix, and nearly its correlations. The modes are the principal components of the correlation matrix, as few as
    hold all but `LEFT_OUT` of its variance, scaled so that the variance of each point is kept.

    Args:
        covariance: of log bandwidth, shape (points, points).
    """
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    shares, directions = np.linalg.eigh(covariance / np.outer(deviation, deviation))
    shares, directions = np.maximum(shares[::-1], 0.0), directions[:, ::-1]
    count = 1 + int(np.searchsorted(np.cumsum(shares), (1.0 - LEFT_OUT) * shares.sum()))
    kept = np.sqrt(shares[:count, None]) * directions[:, :count].T
    largest = np.argmax(np.abs(kept), axis=1, keepdims=True)
    kept *= np.sign(np.take_along_axis(kept, largest, axis=1))  # a direction's sign is arbitrary
    return kept * deviation / np.sqrt(np.sum(kept**2, axis=0))


def uncertainty_of(known: Knowledge, power_w: float, media: str) -> dict:
    """`uncertainty` of a profile: joint modes of all operations, over the knots of its largest set of DIMMs.

    The knots are those of the family. Measured sizes and threads between them are not added: the uncertainty changes
    little within an octave.
    """
    dimms = known.sets[-1]
    points = known.points(grid(OPERATIONS, PATTERNS, SIZES, THREADS, dimms, power_w))
    mean, _ = known.posterior.predict(points)
    shape = len(OPERATIONS), len(PATTERNS), 1, len(SIZES), len(THREADS)
    modes = np.round(modes_of(known.posterior.covariance(points)), 3).reshape(-1, *shape)
    most = np.round(np.maximum(np.log(ceiling_mib_s(media, dimms)) - mean, 0.0), 3).reshape(shape)
    axes = {"dimms": int(dimms), "power_w": [power_w], "access_size_bytes": [*SIZES], "threads": [*THREADS]}
    return {
        operation: {
            "cells": [
                {"pattern": name, **axes, "modes": modes[:, index, at].tolist(), "most": most[index, at].tolist()}
                for at, name in enumerate(PATTERNS)
            ]
        }
        for index, operation in enumerate(OPERATIONS)
    }
