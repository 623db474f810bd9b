"""`pmtwin bench agent`: a step of Algorithm 2 (nine predictions and one update), compiled and with scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case, show
from pmtwin.bench.timing import Work
from pmtwin.policies.linear_q.algorithm2 import QLearner, QLearningParameters
from pmtwin.policies.linear_q.features import FeatureMap
from pmtwin.policies.linear_q.model import LinearQ, ModelChoice

LOG_COLUMNS = (True,) * 6 + (False,) * 2
"""Table 3.2: two pools, two queues and two block sizes are counts or sizes; two write ratios are shares."""

__all__ = ["measure", "show"]

STEPS = 100
DEGREE = 2


def measure(request: Request) -> dict:
    """Time both agents in turn."""
    return race.measure("steps", _cases(), request)


def _cases() -> list[Case]:
    states = np.random.default_rng(SEED).uniform(1.0, 32.0, (STEPS, 8))
    contenders = {"compiled": _compiled_agent(states), "scikit-learn": _sklearn_agent(states)}
    for work in contenders.values():
        work()
    return [Case(f"degree {DEGREE}, 9 actions", contenders)]


def _compiled_agent(states: np.ndarray) -> Work:
    features = FeatureMap.fit(states, DEGREE, LOG_COLUMNS)
    learner = QLearner(LinearQ(features, [ModelChoice(DEGREE)] * 9), QLearningParameters())

    def work() -> int:
        action = learner.begin(states[-1])
        for state in states:
            action = learner.learn(action, 1.0, state, terminal=False)
        return len(states)

    return work


def _sklearn_agent(states: np.ndarray) -> Work:
    features = make_pipeline(StandardScaler(), PolynomialFeatures(DEGREE, include_bias=False), StandardScaler())
    features.fit(states)
    models = [SGDRegressor().partial_fit(features.transform(states[:1]), [0.0]) for _ in range(9)]

    def values(x) -> np.ndarray:
        return np.array([model.predict(x)[0] for model in models])

    def work() -> int:
        x = features.transform(states[-1:])
        action = int(values(x).argmax())
        for state in states:
            next_x = features.transform(state[None])
            next_values = values(next_x)
            models[action].partial_fit(x, [1.0 + 0.95 * next_values.max()])
            x, action = next_x, int(next_values.argmax())
        return len(states)

    return work
