"""Linear action values over polynomial features, learnt by compiled stochastic gradient descent."""

from pmtwin.policies.linear_q.algorithm2 import QLearner, QLearningParameters
from pmtwin.policies.linear_q.features import FeatureMap
from pmtwin.policies.linear_q.files import load_model, save_model
from pmtwin.policies.linear_q.model import LinearQ, ModelChoice
from pmtwin.policies.linear_q.sgd import SgdSettings

__all__ = [
    "FeatureMap",
    "LinearQ",
    "ModelChoice",
    "QLearner",
    "QLearningParameters",
    "SgdSettings",
    "load_model",
    "save_model",
]
