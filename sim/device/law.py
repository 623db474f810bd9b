"""The law of the device: total bandwidth of T threads with the same kind of accesses.

It is a soft minimum of the issue bound of the cores, C, and the bound of the media, M:
`B = (C^-p + M^-p)^(-1/p)`, with `M = D m w / (1 + |(a - 1, u, x)|_q)` (D DIMMs with media bandwidth m each, power
factor w, amplification a with read-ahead, collision loss u, contention loss x). Losses overlap, so that they add up in
a q-norm: with q = 1 they simply add up, with a large q the largest hides the others. Each loss has its own file.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.contention import contention_loss
from pmtwin.sim.device.interleaving import collision_loss
from pmtwin.sim.device.issue import issue_bound_mib_s, streaming_share
from pmtwin.sim.device.power import power_factor
from pmtwin.sim.device.read_ahead import read_ahead_loss
from pmtwin.sim.device.write_combining import amplification

OPERATIONS = ("load", "ntstore", "store_clwb", "store")
PATTERNS = ("random", "sequential")

LAW_VERSION = 1
"""Version of the law; it rises when the same parameters give other numbers."""


def media_bound_mib_s(
    parameters: Mapping[str, float],
    random: np.ndarray,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power_w: np.ndarray,
) -> np.ndarray:
    """Bound of the media of `dimms` DIMMs, in MiB/s of requested bytes."""
    power = power_factor(parameters, power_w)
    streams = threads * streaming_share(parameters, random, access_size_bytes)
    excess = amplification(parameters, random, access_size_bytes, threads, dimms, power) - 1.0
    excess = excess + read_ahead_loss(parameters, random, access_size_bytes)
    collision = collision_loss(parameters, random, access_size_bytes, dimms)
    contention = contention_loss(parameters, access_size_bytes, streams, dimms, power)
    q = parameters["overlap_norm"]
    loss = (excess**q + collision**q + contention**q) ** (1.0 / q)
    return dimms * parameters["media_mib_s"] * power / (1.0 + loss)


def bandwidth_mib_s(
    parameters: Mapping[str, float],
    random: np.ndarray,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power_w: np.ndarray,
) -> np.ndarray:
    """Total bandwidth in MiB/s of one operation; arrays broadcast against each other.

    Args:
        parameters: of one operation, as `pmtwin.sim.device.parameters` names them.
        random: True for random, False for sequential accesses.
        access_size_bytes: positive.
        threads: positive, not necessarily whole.
        dimms: 1 to 16.
        power_w: budget of a DIMM in W.
    """
    issue = issue_bound_mib_s(parameters, random, access_size_bytes, threads)
    media = media_bound_mib_s(parameters, random, access_size_bytes, threads, dimms, power_w)
    return join_bounds(parameters, issue, media)


def join_bounds(parameters: Mapping[str, float], issue: np.ndarray, media: np.ndarray) -> np.ndarray:
    """Bandwidth in MiB/s from the bounds of the cores and of the media (MiB/s)."""
    # Requests queue well below saturation.
    if parameters["queueing"]:
        issue = issue / (1.0 + parameters["queueing"] * issue / (issue + media))
    p = parameters["softness"]
    # Factored by the smaller bound, so that no power overflows however far apart the two are.
    low, high = np.minimum(issue, media), np.maximum(issue, media)
    return low * (1.0 + (low / high) ** p) ** (-1.0 / p)
