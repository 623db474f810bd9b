"""Policies of a user, as a file that the tests name: one replacement policy in both forms, and how it can be wrong."""

import numpy as np

from pmtwin.policies import Choice, Policy, Replacement
from pmtwin.policies.replacement import is_pinned
from pmtwin.sim.draws import uniform


class Clock(Replacement):
    """A hand goes round; what was used since it passed has another round."""

    def arrays(self, lines, key):
        return np.zeros(lines, np.bool_), np.zeros(1, np.int64)

    @staticmethod
    def hit(arrays, line):
        arrays[0][line] = True

    @staticmethod
    def victim(arrays, pins):
        used, hand = arrays
        while used[hand[0]] or is_pinned(pins, hand[0]):
            used[hand[0]] = False
            hand[0] = (hand[0] + 1) % used.size
        return hand[0]


class PlainClock(Replacement):
    """The same in plain Python."""

    def start(self, lines, key):
        self.used, self.hand = [False] * lines, 0

    def hit(self, line):
        self.used[line] = True

    def victim(self, pins):
        while self.used[self.hand] or is_pinned(pins, self.hand):
            self.used[self.hand] = False
            self.hand = (self.hand + 1) % len(self.used)
        return self.hand


class Habit(Clock):
    """Counts the uses of each line, and lets the least used one go: what it learns, in its own events."""

    learned = (0,)

    def arrays(self, lines, key):
        return np.zeros(lines), np.zeros(1, np.int64)

    @staticmethod
    def hit(arrays, line):
        arrays[0][line] += 1.0

    @staticmethod
    def victim(arrays, pins):
        return np.argmin(arrays[0])


class First(Clock):
    """Always the first line."""

    @staticmethod
    def victim(arrays, pins):
        return 0


class Large(First):
    """Learns a number beyond those that a float holds exactly."""

    learned = (0,)

    def arrays(self, lines, key):
        return np.zeros(1, np.uint64), np.zeros(lines, np.bool_)

    @staticmethod
    def hit(arrays, line):
        arrays[1][line] = True


class PlainHabit(Replacement):
    """The same in plain Python."""

    learned = ("uses",)

    def start(self, lines, key):
        self.uses = np.zeros(lines)

    def hit(self, line):
        self.uses[line] += 1.0

    def victim(self, pins):
        return int(np.argmin(self.uses))


class OutOfBounds(Clock):
    """Writes where there is no line."""

    @staticmethod
    def admit(arrays, line):
        arrays[0][line + 10_000] = True


class NoAttribute(Clock):
    """Asks a tuple for what it has not."""

    @staticmethod
    def admit(arrays, line):
        arrays.used[line] = False


class ReturnsNothing(Clock):
    """Names no line."""

    @staticmethod
    def victim(arrays, pins):
        arrays[1][0] += 1


class ReturnsFloat(Clock):
    """Names half a line."""

    @staticmethod
    def victim(arrays, pins):
        return arrays[1][0] / 2


class PlainFloat(PlainClock):
    """The same in plain Python."""

    def victim(self, pins):
        return 0.5


class DividesByZero(Clock):
    """Fails in compiled code, which does not say where."""

    @staticmethod
    def admit(arrays, line):
        arrays[1][0] //= arrays[1][0]


class FewArguments(Clock):
    """Takes less than the event tells."""

    @staticmethod
    def hit(arrays):
        arrays[1][0] += 1


class FarVictim(Clock):
    """Names no line of the cache."""

    @staticmethod
    def victim(arrays, pins):
        return 1 << 40


class Raises(Clock):
    """Fails in compiled code."""

    @staticmethod
    def admit(arrays, line):
        if line > 3:
            raise ValueError("too far")


class OneArray(Clock):
    """Declares no tuple."""

    def arrays(self, lines, key):
        return np.zeros(lines)


class PlainFault(PlainClock):
    """Fails in plain Python."""

    def admit(self, line):
        self.nothing += 1


class PlainText(PlainClock):
    """Names no number."""

    def victim(self, pins):
        return "oldest"


class Mixed(Clock):
    """A static method, and one that is none."""

    def admit(self, line):
        return


class NoVictim(Replacement):
    """Lacks the event that matters."""

    def arrays(self, lines, key):
        return (np.zeros(lines),)


class Coin(Choice):
    """Draws an action, and counts the rewards that it is told."""

    def arrays(self, point, key):
        return np.array([key, 0], np.uint64), np.zeros(len(point.actions))

    @staticmethod
    def decide(arrays, features, mask):
        return int(uniform(arrays[0]) * arrays[1].size)

    @staticmethod
    def observe(arrays, features, action, reward):
        arrays[1][action] += reward


class Window(Policy):
    """Decides between windows."""

    def act(self, observation, info=None):
        return 0
