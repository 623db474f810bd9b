"""The device side of a model, built once for all hosts and offered rates, on which it does not depend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.service.build import Demand, build_service
from pmtwin.scenarios.nvm_middleware.model.service.occupancy import empty_rows
from pmtwin.scenarios.nvm_middleware.model.service.speeds import SpeedLaw
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.load.workload import Kind, Workload
from pmtwin.sim.parameters.host import HOST
from pmtwin.sim.parameters.load import LOAD

WITHOUT_EFFECT = frozenset(parameter.name for parameter in (*HOST, *LOAD))
"""Parameters that affect no demand and no speed; the number of hardware threads is a separate argument."""

MOST_KEPT = 128


class SharedService(NamedTuple):
    """Demands and speed law of a workload, and the table of speeds that all its models share and fill."""

    demand: Demand
    law: SpeedLaw
    rows: np.ndarray


_KEPT: dict[tuple, SharedService] = {}


def shared_service(
    profile: Profile,
    workload: Workload,
    kinds: tuple[Kind, ...],
    values: Mapping[str, float],
    hardware_threads: int,
    remote: bool,
) -> SharedService:
    """Demands, speed law and table of speeds; arguments as of `build_service`."""
    effective = {name: value for name, value in values.items() if name not in WITHOUT_EFFECT}
    chosen = getattr(values, "chosen", None)
    chosen = None if chosen is None else chosen - WITHOUT_EFFECT
    loads = tuple(
        replace(load, clients=min(load.clients, 1), rate_ops=None, interarrival_cov=1.0) for load in workload.classes
    )
    key = (profile.fingerprint, loads, kinds, tuple(effective.items()), chosen, hardware_threads, remote)
    if key not in _KEPT:
        if len(_KEPT) >= MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)))
        demand, law = build_service(profile, workload, kinds, values, hardware_threads, remote)
        _KEPT[key] = SharedService(demand, law, empty_rows(len(kinds)))
    return _KEPT[key]
