"""Linear action values over polynomial features, learnt by compiled stochastic gradient descent."""

from policies.linear_q.algorithm2 import QLearner, QLearningParameters
from policies.linear_q.features import FeatureMap
from policies.linear_q.files import load_model, save_model
from policies.linear_q.model import LinearQ, ModelChoice
from policies.linear_q.sgd import SgdSettings

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
