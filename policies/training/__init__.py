"""Training of the thesis' Q-learning: data set, model selection, bootstrap, Algorithm 2, checkpoints and a record.

Nothing here knows the scenario: it is given a function that makes an environment with Gymnasium's API.
"""

from pmtwin.policies.training.checkpoint import Checkpoint
from pmtwin.policies.training.plan import TrainingPlan
from pmtwin.policies.training.record import training_record
from pmtwin.policies.training.run import TrainingResult, train

__all__ = ["Checkpoint", "TrainingPlan", "TrainingResult", "train", "training_record"]
