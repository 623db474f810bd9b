"""Jobs to two servers of unlike speed: a whole scenario whose policies decide inside the simulation, at each arrival.

A job is routed when it comes, and its reward, minus its response time, becomes known when it leaves. Sending each job
to the same server with a fixed probability splits a Poisson stream into two M/M/1 queues, so that the best split is
known in closed form. Two learners find it, one compiled and one in plain Python.
"""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from pmtwin.policies import Options, option
from pmtwin.policies.inline import Choice
from pmtwin.scenarios import Contexts, Scenario, System
from pmtwin.sim.control import LOG, LOWER, Column, Goal, Measure
from pmtwin.sim.draws import uniform
from pmtwin.sim.engines import exact_engine_names, start_network
from pmtwin.sim.stations import Arrivals, Network, Queue, Router, Servers

RATES = {"calm": 50.0, "busy": 90.0}
"""Jobs per second of the named loads."""

FAST, SLOW = ("fast-queue", "fast"), ("slow-queue", "slow")
RESPONSE = Measure("response_ms", "ms", "mean time from arrival to departure", LOWER, LOG)
SHARE = Measure("fast_share", "", "share of the jobs that the fast server takes", compared=False)
MOST = 1e6


@dataclass(frozen=True)
class RoutingOptions(Options):
    """What an operator would set."""

    engine: str = option("compiled", "engine that runs the model", choices=exact_engine_names, metavar="NAME")
    fast_per_s: float = option(100.0, "jobs that the fast server does, per second", low=1e-3, high=1e6)
    slow_per_s: float = option(50.0, "jobs that the slow server does, per second", low=1e-3, high=1e6)
    jobs_per_window: int = option(500, "jobs that end a window", low=10, high=10**6, metavar="N")
    response_goal_ms: float = option(40.0, "maximum mean response, in milliseconds", low=0.0, high=1e9, metavar="MS")


def network(options: RoutingOptions, rate_per_s: float) -> Network:
    """The model: arrivals, a router, two servers with a queue each."""
    stations = (
        Arrivals("jobs", rate_ops=rate_per_s),
        Router("route", branches=(FAST, SLOW), shown=((FAST[0], "waiting"), (SLOW[0], "waiting"))),
        Queue(FAST[0]),
        Servers(FAST[1], servers=1, mean_ns=1e9 / options.fast_per_s),
        Queue(SLOW[0]),
        Servers(SLOW[1], servers=1, mean_ns=1e9 / options.slow_per_s),
    )
    return Network(stations=stations)


def best_share(options: RoutingOptions, rate_per_s: float) -> float:
    """Share of the fast server with the least mean response: the Lagrangian of two M/M/1 queues, in closed form."""
    fast, slow = options.fast_per_s, options.slow_per_s
    share = (fast - sqrt(fast) * (fast + slow - rate_per_s) / (sqrt(fast) + sqrt(slow))) / rate_per_s
    return min(max(share, 0.0), 1.0)


def expected_response_ms(options: RoutingOptions, rate_per_s: float, share: float) -> float:
    """Mean response of a fixed split in equilibrium."""
    parts = ((share, options.fast_per_s), (1.0 - share, options.slow_per_s))
    return 1e3 * sum(part / (speed - part * rate_per_s) for part, speed in parts if part > 0.0)


class RoutingSystem(System):
    """The two servers, on either engine."""

    def __init__(self, options: RoutingOptions, rate_per_s: float, seed: int):
        self._options, self._rate, self._seed = options, rate_per_s, seed
        self._deciders, self._window = {}, None

    def decide(self, point, policy, seed):
        policy.check_engine(self._options.engine)
        declared = next(each for each in Routing.points if each.name == point)
        self._deciders[point] = policy.state(
            declared, int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
        )

    def deciding(self, point):
        return (self._deciders[point],)

    def start(self, setting):
        model = network(self._options, self._rate)
        self._run = start_network(model, self._options.engine, self._seed, self._deciders)

    def apply(self, action):
        """Nothing is decided between windows."""

    def run_window(self):
        self._window = self._run.run_window(self._options.jobs_per_window)

    def setting(self):
        return ()

    def _mean(self, queue: str) -> float:
        window = self._window
        return 0.0 if window is None else window.waited_ns[queue] / (window.end_ns - window.start_ns)

    def observation(self):
        return np.minimum([self._mean(FAST[0]), self._mean(SLOW[0])], MOST)

    def measures(self):
        work = [self._window.busy_ns[FAST[1]] * self._options.fast_per_s,
                self._window.busy_ns[SLOW[1]] * self._options.slow_per_s]  # fmt: skip
        return {RESPONSE.name: float(self._window.latency_ns.mean()) * 1e-6, SHARE.name: work[0] / sum(work)}

    def requests(self):
        return self._window.classes, self._window.latency_ns * 1e-3

    def set_context(self, conditions):
        self._rate = RATES.get(conditions, conditions)
        self._run.set("jobs", "rate_ops", self._rate)


class Routing(Scenario):
    """Which server takes a job."""

    name = "routing"
    description = "Jobs to two servers of unlike speed"
    Options = RoutingOptions
    columns = (Column("waiting_fast", 0, MOST, "jobs", LOG), Column("waiting_slow", 0, MOST, "jobs", LOG))
    measures = (RESPONSE, SHARE)
    contexts = Contexts("load", tuple(RATES))
    request_classes = ("jobs",)
    points = tuple(replace(each, default="random") for _, each in network(RoutingOptions(), RATES["busy"]).asking())
    baselines = ("fixed:fast-queue", "random")

    @property
    def goals(self):
        return (Goal("response", RESPONSE, self.options.response_goal_ms),)

    def system(self, conditions, seed, device=0, mode=None):
        return RoutingSystem(self.options, RATES.get(conditions, conditions), seed)

    @property
    def engine(self):
        return self.options.engine


SHARES = np.linspace(0.5, 1.0, 6)
"""Arms of the bandits: shares of the fast server, all of which both servers can bear."""


@dataclass(frozen=True)
class BanditOptions(Options):
    """How long an arm is held."""

    jobs: int = option(
        1000, "jobs for which a share is held; rewards of the first half are left out", low=2, high=10**6
    )


class Bandit(Choice):
    """Learns the share of the fast server: each arm in turn, then mostly that of the best mean reward."""

    Takes = BanditOptions

    def arrays(self, point, key):
        """Mean and count of each arm; arm in force, jobs sent, jobs of an arm; key and counter of the draws."""
        return np.zeros(6), np.zeros(6), np.array([0, 0, self.options.jobs]), np.array([key, 0], np.uint64)

    @staticmethod
    def decide(arrays, features, mask):
        mean, count, state, draws = arrays
        if state[1] == state[2]:
            state[1] = 0
            if count.min() == 0.0:
                state[0] = np.argmin(count)
            elif uniform(draws) < 0.1:
                state[0] = int(uniform(draws) * mean.size)
            else:
                state[0] = np.argmax(mean)
        state[1] += 1
        return 0 if uniform(draws) < 0.5 + 0.1 * state[0] else 1

    @staticmethod
    def observe(arrays, features, action, reward):
        mean, count, state, _ = arrays
        if 2 * state[1] > state[2]:
            count[state[0]] += 1.0
            mean[state[0]] += (reward - mean[state[0]]) / count[state[0]]


class PlainBandit(Bandit):
    """The same in plain Python, for the SimPy engine: methods with `self`."""

    def start(self, point, key):
        """Begins with nothing learned."""
        self.learned = Bandit.arrays(self, point, key)

    def decide(self, features, mask):
        return Bandit.decide(self.learned, features, mask)

    def observe(self, features, action, reward):
        Bandit.observe(self.learned, features, action, reward)
