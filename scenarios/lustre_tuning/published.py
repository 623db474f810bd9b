"""What the paper publishes (Li and others, "CAPES", SC 2017), with the places in the paper.

Bar heights of its figures are not in its text.
"""

from __future__ import annotations

from typing import NamedTuple


class Claim(NamedTuple):
    """A published number.

    Fields:
        about: workload, or part of the system. claim: what is stated. value: as published; a range has two ends.
        unit: of the value. place: in the paper. used: whether it sets a parameter of the model, or its size had a part
            in setting one.
    """

    about: str
    claim: str
    value: float | tuple[float, float]
    unit: str
    place: str
    used: bool = False


SYSTEM = (
    Claim("servers", "dedicated servers, with a disk each", 4, "", "4.2", used=True),
    Claim("clients", "dedicated clients", 5, "", "4.2", used=True),
    Claim("network", "peak throughput of gigabit Ethernet, all servers", 500, "MB/s", "4.2", used=True),
    Claim("disk", "sequential reads", 113, "MB/s", "4.2", used=True),
    Claim("disk", "sequential writes", 106, "MB/s", "4.2", used=True),
    Claim("disk", "speed of rotation", 7200, "1/min", "4.2", used=True),
    Claim("stripes", "servers that a file lies on", 4, "", "4.2", used=True),
    Claim("stripes", "size of a stripe", 1, "MB", "4.2", used=True),
    Claim("random", "threads of a client", 5, "", "4.3", used=True),
    Claim("file-server", "threads of a client", 32, "", "4.3", used=True),
    Claim("file-server", "data of a file, written or read", 100, "MB", "4.3", used=True),
    Claim("sequential-write", "threads of a client", 5, "", "4.3", used=True),
    Claim("sequential-write", "size of a write", 1, "MB", "4.3", used=True),
)
"""The evaluated system."""

TABLE_1 = {
    "action tick length": 1.0,
    "epsilon initial value": 1.0,
    "epsilon final value": 0.05,
    "discount rate": 0.99,
    "hidden layer size": 600.0,
    "initial exploration period, h": 2.0,
    "minibatch size": 32.0,
    "missing entry tolerance": 0.2,
    "number of hidden layers": 2.0,
    "Adam learning rate": 1e-4,
    "sampling tick length, s": 1.0,
    "sampling ticks per observation": 10.0,
    "target network update rate": 0.01,
}
"""Hyperparameters: preset `paper` of policy `dqn` has them."""

BUMPED_EXPLORATION = 0.2
"""Share of random actions when a workload starts (section 3.6)."""

GAIN_1_9 = Claim("random-1-9", "throughput over the default's", 45, "%", "4.3, figure 2", used=True)
READ_HEAVY = ("random-9-1", "random-4-1")
NO_EFFECT = Claim("random-9-1, random-4-1", "no obvious effect where reads prevail", 0, "%", "4.3, figure 2", used=True)
LONGER_TRAINING = "24 h of training are slightly better than 12 h for read-heavy workloads only"
FILE_SERVER = Claim("file-server", "throughput over the default's after 24 h of training", 17, "%", "4.3, figure 3")
TOO_SHORT = "12 h of training are not enough for the file server"
SESSIONS = Claim("file-server", "throughput over the default's, three sessions", (13, 36), "%", "4.3, figure 4")
SESSION_H = 2.0
"""Hours of a session without tuning, and with it (section 4.3)."""

FALLING = "the prediction error falls steadily after a warm-up"
COMPARABLE = "the throughput of a training of 70 h is comparable to that of three measurements of the default"
TRAINING_H, LONG_H = (12.0, 24.0), 70.0
"""Hours of training before the readings of figures 2 and 3, and of the training of figure 6."""

TABLE_2 = (
    Claim("training", "time of a step of 32 observations on a processor", 0.1, "s", "Table 2"),
    Claim("training", "the same on a graphics processor", 0.01, "s", "Table 2"),
    Claim("database", "records, one a second in 70 h", 250_000, "", "Table 2"),
    Claim("database", "size on disk", 0.5, "GB", "Table 2"),
    Claim("database", "size in memory", 1.5, "GB", "Table 2"),
    Claim("network", "size in memory", 84, "MB", "Table 2"),
    Claim("indicators", "numbers of a client in a second", 44, "", "Table 2", used=True),
    Claim("observation", "numbers", 1760, "", "Table 2"),
    Claim("message", "compressed size, a client and second", 186, "B", "Table 2"),
)
