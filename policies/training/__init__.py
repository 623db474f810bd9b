"""Training of the thesis' Q-learning: data set, model selection, bootstrap, Algorithm 2 and a record.

It knows no scenario: it takes a function that makes an environment with Gymnasium's API, and the scenario's nouns
(`Problem`).
"""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    name: f"pmtwin.policies.training.{module}"
    for module, names in {
        "options": ("QTraining",),
        "plan": ("TrainingPlan",),
        "problem": ("Problem",),
        "record": ("training_record",),
        "run": ("TrainingResult", "train"),
    }.items()
    for name in names
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
