"""A cache of models: equal inputs share a model and its table of speeds, which fills up in use."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.scenarios.nvm_middleware.model.model import Model, build_model
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.load.workload import Kind, Workload
from pmtwin.sim.store.measured_threads import measured_threads

_MODELS: dict[tuple, tuple[Model, float]] = {}
_MODELS_KEPT = 32


def cached_model(
    profile: Profile, workload: Workload, kinds: tuple[Kind, ...], values: Mapping[str, float], direct: bool
) -> tuple[Model, float]:
    """(model, number of threads at the device that the profile covers), cached by the inputs."""
    key = (profile.fingerprint, workload, kinds, tuple(values.values()), getattr(values, "chosen", None), direct)
    if key not in _MODELS:
        if len(_MODELS) >= _MODELS_KEPT:
            _MODELS.pop(next(iter(_MODELS)))
        model = build_model(profile, workload, values, direct, kinds)
        _MODELS[key] = model, measured_threads(profile, workload, values)
    return _MODELS[key]
