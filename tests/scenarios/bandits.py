"""Bandits of a user for `machines.py`: compiled, plain, and wrong ones."""

from dataclasses import dataclass

import numpy as np

from pmtwin.policies import Choice, PolicyTraining
from pmtwin.policies.learned import LearnedOptions


class Greedy(Choice):
    """Plays what has paid most."""

    Takes = LearnedOptions
    learned = (0, 1)

    def arrays(self, point, key):
        return np.ones(len(point.actions)), np.ones(len(point.actions))

    @staticmethod
    def decide(arrays, features, mask):
        return np.argmax(arrays[0])

    @staticmethod
    def observe(arrays, features, action, reward):
        mean, count = arrays
        count[action] += 1.0
        mean[action] += (reward - mean[action]) / count[action]


class Empty(Greedy):
    """Asks for the least of nothing."""

    @staticmethod
    def decide(arrays, features, mask):
        return np.argmin(arrays[0][:0])


class Plain(Choice):
    """The same in plain Python."""

    def start(self, point, key):
        self.mean, self.count = [1.0] * len(point.actions), [1] * len(point.actions)

    def decide(self, features, mask):
        return self.mean.index(max(self.mean))

    def observe(self, features, action, reward):
        self.count[action] += 1
        self.mean[action] += (reward - self.mean[action]) / self.count[action]


class Broken(Plain):
    """Fails."""

    def decide(self, features, mask):
        return self.nothing


class PlainGreedy(Plain):
    """What it learns is kept."""

    Takes = LearnedOptions
    learned = ("mean", "count")

    def start(self, point, key):
        self.mean, self.count = np.ones(len(point.actions)), np.ones(len(point.actions))

    def decide(self, features, mask):
        return int(np.argmax(self.mean))


class Restless(Greedy):
    """Learns where it decides, too: it likes each play less."""

    @staticmethod
    def decide(arrays, features, mask):
        action = np.argmax(arrays[0])
        arrays[0][action] -= 0.001
        return action


class PlainRestless(PlainGreedy):
    """The same in plain Python, by another name of the array."""

    def start(self, point, key):
        super().start(point, key)
        self.liking = self.mean

    def decide(self, features, mask):
        action = int(np.argmax(self.liking))
        self.liking[action] -= 0.001
        return action


class Own(Greedy):
    """Makes its state in a way of its own."""

    def state(self, point, key):
        return super().state(point, key)


class Fileless(Greedy):
    """Could not begin from what it has learned."""

    Takes = Choice.Takes


class Nameless(Greedy):
    """Learns in an array that it has not."""

    learned = (0, 7)


@dataclass(frozen=True)
class Nothing(PolicyTraining):
    """Forgets to run."""


class Untrainable(Greedy):
    """Brings a training of its own."""

    trainable = Nothing
