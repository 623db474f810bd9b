"""Models that are built once for equal inputs: their tables of speeds fill up as they are used."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.sim.device.profile import Profile
from pmtwin.sim.measured_threads import measured_threads
from pmtwin.sim.model import Model, build_model
from pmtwin.sim.workload import Kind, Workload

_MODELS: dict[tuple, tuple[Model, float]] = {}
_MODELS_KEPT = 32


def cached_model(
    profile: Profile, workload: Workload, kinds: tuple[Kind, ...], values: Mapping[str, float], direct: bool
) -> tuple[Model, float]:
    """(model, threads at the device that its profile covers), built once for equal inputs."""
    key = (profile.fingerprint, workload, kinds, tuple(values.values()), getattr(values, "chosen", None), direct)
    if key not in _MODELS:
        if len(_MODELS) >= _MODELS_KEPT:
            _MODELS.pop(next(iter(_MODELS)))
        model = build_model(profile, workload, values, direct, kinds)
        _MODELS[key] = model, measured_threads(profile, workload, values)
    return _MODELS[key]
