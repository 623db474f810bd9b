"""Models that are built once for equal inputs: their tables of speeds fill up as they are used."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.accesses import accesses_of
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import extrapolated
from pmtwin.sim.model import Model, build_model
from pmtwin.sim.workload import Kind, Workload

_MODELS: dict[tuple, tuple[Model, bool]] = {}
_MODELS_KEPT = 32


def cached_model(
    profile: Profile, workload: Workload, kinds: tuple[Kind, ...], values: Mapping[str, float], direct: bool
) -> tuple[Model, bool]:
    """(model, whether it is extrapolated), built once for equal inputs."""
    key = (profile.fingerprint, workload, kinds, tuple(values.values()), getattr(values, "chosen", None), direct)
    if key not in _MODELS:
        if len(_MODELS) >= _MODELS_KEPT:
            _MODELS.pop(next(iter(_MODELS)))
        model = build_model(profile, workload, values, direct, kinds)
        _MODELS[key] = model, _is_extrapolated(profile, workload, model, values)
    return _MODELS[key]


def _is_extrapolated(profile: Profile, workload: Workload, model: Model, values: Mapping[str, float]) -> bool:
    """Whether any access, at any number of threads up to the hardware threads, lies outside the fitted data.

    Or any value outside those whose accesses were counted.
    """
    threads, dimms = np.arange(1, model.records[0]["hardware_threads"] + 1, dtype=float), int(values["dimms"])
    for kind in workload.used_kinds:
        accesses = accesses_of(profile, values, workload.classes[kind.class_index], kind.operation)
        if accesses.extrapolated:
            return True
        for transfer in accesses.transfers:
            for size in np.unique(transfer.access_bytes[transfer.piece_bytes > 0.0]):
                if np.any(extrapolated(profile, transfer.operation, "random", size, threads, dimms)):
                    return True
    return False
