"""The law of the device: total bandwidth of T threads that all do the same kind of access.

A soft minimum of what the cores can issue, C, and what the media can serve, M:
`B = (C^-p + M^-p)^(-1/p)`, with `M = D m pw U X / amp` (media bandwidth m per DIMM, power factor pw, spread over the
DIMMs U, contention X, amplification amp). Each factor has its own file.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.device.contention import contention_factor
from sim.device.interleaving import spread_efficiency
from sim.device.issue import issue_bound_mib_s
from sim.device.power import power_factor
from sim.device.write_combining import amplification

OPERATIONS = ("load", "ntstore", "store_clwb", "store")
PATTERNS = ("random", "sequential")

LAW_VERSION = 1
"""Rises whenever the same parameters would give other numbers."""


def media_bound_mib_s(
    parameters: Mapping[str, float],
    random: np.ndarray,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power_w: np.ndarray,
) -> np.ndarray:
    """Bandwidth in MiB/s, of bytes asked for, that the media of `dimms` DIMMs could serve."""
    return (
        dimms
        * parameters["media_mib_s"]
        * power_factor(parameters, power_w)
        * spread_efficiency(parameters, random, access_size_bytes, threads, dimms)
        * contention_factor(parameters, access_size_bytes, threads, dimms)
        / amplification(parameters, random, access_size_bytes, threads, dimms)
    )


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
        parameters: of one operation, as `sim.device.parameters` names them.
        random: True for random, False for sequential accesses.
        access_size_bytes: positive.
        threads: positive, real-valued.
        dimms: 1 to 6.
        power_w: budget of a DIMM in W.
    """
    issue = issue_bound_mib_s(parameters, random, access_size_bytes, threads)
    media = media_bound_mib_s(parameters, random, access_size_bytes, threads, dimms, power_w)
    p = parameters["softness"]
    # Factored by the smaller bound, so that no power overflows however far apart the two are.
    low, high = np.minimum(issue, media), np.maximum(issue, media)
    return low * (1.0 + (low / high) ** p) ** (-1.0 / p)
