"""A small stand-in for the thread-pool scenario: the same observations, actions and reward, made by closed formulas.

Each class of a phase has an offered load and a service rate per thread that falls as all threads contend; p99 and
throughput follow from the utilisation. The service level is met in a small region away from (15, 15), and missing it
costs hundreds to thousands, as in Algorithm 1.
"""

import gymnasium
import numpy as np

from pmtwin.policies import PolicyContext
from pmtwin.policies.training import Problem
from pmtwin.sim.control import LOG, Column, Goal, Measure, Settings

DELTAS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Table 3.3."""

SETTINGS = Settings("pools", ("interactive_threads", "batch_threads"), (1, 1), (32, 32), "threads", DELTAS)
COLUMNS = (
    *(Column(name, 1.0, 32.0, "threads", LOG) for name in SETTINGS.names),
    *(Column(f"{kind}_queue", 0.0, 1e6, scale=LOG) for kind in ("interactive", "batch")),
    *(Column(f"{kind}_block_bytes", 0.0, 1e6, "bytes", LOG) for kind in ("interactive", "batch")),
    *(Column(f"{kind}_write_ratio", 0.0, 1.0) for kind in ("interactive", "batch")),
)
LOG_COLUMNS = tuple(column.scale == LOG for column in COLUMNS)
P99 = Measure("p99_us", "us", "tail latency", "lower", LOG)
THROUGHPUT = Measure("throughput_ops", "operations/s", "throughput", "higher")
EPISODES = {1: 700, 2: 700, 3: 1000, 4: 1000}


def problem(*phases):
    """What training knows of it."""
    return Problem(phases or tuple(PHASES), LOG_COLUMNS, "phase", "pools", 2)


def context(**changes):
    """What a policy is told of it."""
    fields = {
        "scenario": "nvm-middleware",
        "action_space": gymnasium.spaces.Discrete(9),
        "columns": COLUMNS,
        "settings": SETTINGS,
        "goals": (Goal("latency", P99, 200.0), Goal("throughput", THROUGHPUT, 250_000.0)),
        "initial": (15, 15),
    }
    return PolicyContext(**fields | changes)


def moved(pools, action):
    """The pools after an action."""
    return SETTINGS.moved(pools, action)


def action_for(interactive, batch):
    """The action that changes the pools by these numbers of threads, each taken as its sign."""
    return DELTAS.index(tuple((n > 0) - (n < 0) for n in (interactive, batch)))


PHASES = {
    # interactive ops/s per thread, batch ops/s per thread, threads at which contention halves speed, clients, state
    1: (26e3, 30e3, 26.0, (200, 200), (50.0, 8192.0, 0.2, 0.5)),
    2: (28e3, 22e3, 30.0, (150, 320), (50.0, 8192.0, 0.2, 0.5)),
    3: (30e3, 36e3, 24.0, (400, 200), (50.0, 4096.0, 0.2, 0.0)),
    4: (20e3, 40e3, 28.0, (200, 200), (500.0, 4096.0, 0.9, 0.0)),
}
OFFERED_OPS = 150e3


def measures(phase, interactive, batch):
    """Noiseless (p99 in us, throughput in operations/s, queue lengths) of fixed pools."""
    rate_i, rate_b, half, clients, _ = PHASES[phase]
    slow_down = 1.0 + ((interactive + batch) / half) ** 4
    capacity = np.array([interactive * rate_i, batch * rate_b]) / slow_down
    load = OFFERED_OPS / capacity
    served = np.minimum(capacity, OFFERED_OPS)
    queues = np.where(load < 0.98, load**2 / (1.02 - np.minimum(load, 0.98)), clients) * 1.0
    p99 = 1e6 * (queues[0] + 2.0 * interactive) / served[0]
    return p99, served.sum(), np.minimum(queues, clients)


def reward_of(p99_us, throughput_ops):
    """Algorithm 1 with its constants multiplied out."""
    late, slow = 0.000999 * (p99_us - 200.0), 0.000009 * (250e3 - throughput_ops)
    if late <= 0 and slow <= 0:
        return -10.0 * (late + slow)
    return -500.0 * max(late, 0.0) - 5000.0 * max(slow, 0.0)


class ToyPools(gymnasium.Env):
    """Discrete(9) actions on two pools, Box(8) observations, 200 steps; `reset(options={"context": k})`."""

    action_for = staticmethod(action_for)
    action_space = gymnasium.spaces.Discrete(9)
    observation_space = gymnasium.spaces.Box(0.0, np.inf, (8,), np.float64)

    def __init__(self, episode_steps=200, noise=0.05, initial_pools=(15, 15)):
        self.episode_steps, self.noise, self.initial_pools = episode_steps, noise, initial_pools

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.phase = (options or {}).get("context", 1)
        start = self.initial_pools
        self.pools = tuple(int(n) for n in self.np_random.integers(1, 33, 2)) if start == "random" else start
        self.steps = 0
        self._run()
        return self._observation(), self._info()

    def set_context(self, context):
        self.phase = context

    def step(self, action):
        self.pools = moved(self.pools, int(action)) if np.ndim(action) == 0 else tuple(action)
        self.steps += 1
        self._run()
        done = self.steps >= self.episode_steps
        return self._observation(), reward_of(self.p99, self.throughput), False, done, self._info()

    carry_out = step

    def _run(self):
        p99, throughput, queues = measures(self.phase, *self.pools)
        noise = np.exp(self.noise * self.np_random.standard_normal(4))
        self.p99, self.throughput, self.queues = p99 * noise[0], throughput * noise[1] ** 0.2, queues * noise[2:]

    def _observation(self):
        return np.array([*self.pools, *self.queues, *PHASES[self.phase][4]])

    def _info(self):
        return {"p99_us": float(self.p99), "throughput_ops": float(self.throughput), "pools": self.pools}
