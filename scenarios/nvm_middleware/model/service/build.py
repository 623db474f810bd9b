"""Service demand of a key-value operation on the device.

An operation is a chain of dependent accesses, each at the loaded latency, and a payload that shares the bandwidth
(`pmtwin.sim.device.payloads`). `pmtwin.scenarios.nvm_middleware.model.service.speeds` computes the speeds of concurrent
operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.requests import GATES
from pmtwin.scenarios.nvm_middleware.model.service.speed_tables import speed_law
from pmtwin.scenarios.nvm_middleware.model.service.speeds import SpeedLaw
from pmtwin.sim.device.access_latency import AccessLatency
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.load.workload import Kind, Workload
from pmtwin.sim.store.operation_demand import DeviceView, operation_demand


class Demand(NamedTuple):
    """Service demand of each of K kinds.

    On an otherwise idle device an operation takes `a + b z + c z^2`, z standard normal, and perhaps a stall. The
    formula has the mean, variance and skewness of the sum of the operation's accesses, which are independent and
    log-normal (`sim.device.access_latency`). The four numbers of a size bin are adjacent in memory, since each request
    needs all of them.

    Fields:
        demand_ns: shape (K, SIZE_BINS, 4), by size bin: CPU work in the store with one operation; a, b, c.
        wear_probability, rare_probability: shape (K, SIZE_BINS), of a stall per operation, of either kind.
        stall_gate: shape (K,), number of `scenarios.nvm_middleware.model.requests.GATES` at which a stall is drawn: 0
            if no operation stalls, 1 if few do, else all.
    """

    demand_ns: np.ndarray
    wear_probability: np.ndarray
    rare_probability: np.ndarray
    stall_gate: np.ndarray


def build_service(
    profile: Profile,
    workload: Workload,
    kinds: tuple[Kind, ...],
    values: Mapping[str, float],
    hardware_threads: int,
    remote: bool,
) -> tuple[Demand, SpeedLaw]:
    """Demands and speed law of a workload on a device.

    Args:
        profile: the calibrated device.
        workload: both classes.
        kinds: kinds of operation, in the order of their numbers.
        values: resolved parameters.
        hardware_threads: largest number of operations in the device at once.
        remote: whether accesses come from the remote node.
    """
    factors = (values["remote_read_factor"], values["remote_write_factor"]) if remote else (1.0, 1.0)
    mix_factor = values["remote_mix_factor"] if remote else 1.0
    device = DeviceView(profile, factors, hardware_threads, values["dimms"], mix_factor)
    demands = [operation_demand(device, values, workload.classes[kind.class_index], kind.operation) for kind in kinds]
    wear, rare = _stall_probabilities(
        profile.tail, np.array([each.lines for each in demands]), values["hot_write_share"]
    )
    most = (wear + rare).max(axis=1)
    gate = np.where(most <= 0.0, 0, np.where(most * GATES <= 1.0, 1, GATES)).astype(np.uint64)
    demand = Demand(np.array([each.demand_ns for each in demands]), wear, rare, gate)
    return demand, speed_law(device, workload, kinds, demands)


def _stall_probabilities(tail: Tail, lines: np.ndarray, hot_share: float) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities (wear levelling, rarer) of a stall in an operation that writes `lines`, a share of them hot."""
    hot = replace(tail, stall_probability=hot_share * tail.stall_probability)
    access = AccessLatency(0.0, hot, lines, region_bytes=0.0)
    return access.stall_probability, access.rare_stall_probability
