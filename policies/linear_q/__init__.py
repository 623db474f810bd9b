"""Linear action values over polynomial features, learned by compiled stochastic gradient descent."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    name: f"pmtwin.policies.linear_q.{module}"
    for module, names in {
        "algorithm2": ("QLearner",),
        "features": ("FeatureMap",),
        "files": ("load_model", "save_model"),
        "model": ("LinearQ", "ModelChoice"),
        "parameters": ("QLearningParameters",),
        "sgd": ("SgdSettings",),
    }.items()
    for name in names
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
