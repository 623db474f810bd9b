"""The compiled events of agents that place writes."""

from __future__ import annotations

from pmtwin.policies.tiering.agents.learning import choose, close, count_request, remember, see
from pmtwin.policies.tiering.agents.parts import AGENT, PARTS
from pmtwin.policies.tiering.features import EVICTIONS
from pmtwin.sim.compiling import njit
from pmtwin.sim.compiling.reference import referred

BY_CODE, PENALTY, EVICTION_MS, LEAST_MS = range(4)
"""Numbers of Sibyl's reward: whether it is that of its code; penalty per ms of evictions; time of an eviction; least
latency."""


def decide(arrays, features, mask):
    """The device that a write goes to."""
    return _decided(arrays, features, mask)


def observe(arrays, features, action, reward):
    """Harmonia, equation 2: the reward is 1 / latency."""
    _learn(arrays, features, action, reward)


def observe_with_evictions(arrays, features, action, reward):
    """Sibyl: 1 / latency, less what evictions cost, or as its code has it."""
    _learn(arrays, features, action, _sibyls_reward(arrays[PARTS], features, action, reward))


@njit(cache=True, _nrt=False)
def _decided(arrays, features, mask):
    agent = referred(arrays[:PARTS])
    see(agent, features)
    close(agent)
    return choose(agent, mask)


@njit(cache=True, _nrt=False)
def _learn(arrays, features, action, reward):
    agent = referred(arrays[:PARTS])
    see(agent, features)
    remember(agent, action, reward * agent[AGENT][0].scale)
    count_request(agent)


@njit(cache=True, _nrt=False)
def _sibyls_reward(numbers, features, action, reward):
    """The reward in 1/ms; `reward`: 1 / latency."""
    evictions = features[EVICTIONS] if action == 0 else 0.0
    time_ms = evictions * numbers[EVICTION_MS]
    if numbers[BY_CODE] == 0.0:
        return max(reward - numbers[PENALTY] * time_ms, 0.0)
    latency_ms = max(1.0 / reward - time_ms, numbers[LEAST_MS])
    return round((0.1 / latency_ms - evictions**0.09) / 0.3) * 0.3
