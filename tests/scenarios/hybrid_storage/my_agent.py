"""An agent of a user's own on decision steps, as docs/hybrid-storage.md shows it."""

import numpy as np


class Epsilon:
    """Mean reward of each device by the device that has the page; explores one decision in ten."""

    def __init__(self, devices, seed):
        self.random, self.devices = np.random.default_rng(seed), devices
        self.total, self.count = np.zeros((2, devices, devices)), np.ones((2, devices, devices))

    def state(self, info, observation):
        """(number of the decision point, device of the page)."""
        return int(info["point"] == "migrate"), int(observation[5])

    def act(self, state, mask):
        """The best known possible device, or any."""
        possible = np.flatnonzero(mask)
        if self.random.random() < 0.1:
            return int(self.random.choice(possible))
        means = (self.total / self.count)[state]
        return int(possible[means[possible].argmax()])

    def learn(self, state, action, reward):
        """Add a reward."""
        self.total[(*state, action)] += reward
        self.count[(*state, action)] += 1


def episode(env, agent, seed):
    """(decisions by point, sum of rewards) of an episode."""
    observation, info = env.reset(seed=seed)
    decisions, total, is_over = {"place": 0, "migrate": 0}, 0.0, False
    while not is_over:
        state, point = agent.state(info, observation), info["point"]
        action = agent.act(state, info["mask"])
        observation, reward, _, is_over, info = env.step(action)
        agent.learn(state, action, reward)
        decisions[point] += 1
        total += reward
    return decisions, total
