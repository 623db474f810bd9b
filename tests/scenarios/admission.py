"""M/M/k with admission control: a whole scenario in one file, the smallest that uses all of the seam.

Jobs come at random to a few servers; who finds all of them busy waits, if one of the waiting places that the policy
allows is free, and is rejected otherwise. Few places reject jobs that could have been served, many make all wait. The
stationary distribution is known in closed form (Erlang), so that both engines have something to be checked against.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import factorial

import numpy as np

from pmtwin.scenarios import Contexts, Scenario, System, Training
from pmtwin.sim.control import HIGHER, LOG, LOWER, Column, Goal, Measure, Settings
from pmtwin.sim.engines import exact_engine_names, start_network
from pmtwin.sim.options import Options, option
from pmtwin.sim.stations import Arrivals, Network, Queue, Servers

MOST_PLACES = 40
RATES = {"calm": 250.0, "busy": 420.0}
"""Jobs per second of the named loads; a job takes 10 ms on average."""

RESPONSE = Measure("response_ms", "ms", "mean time from arrival to departure of the jobs served", LOWER, LOG)
SERVED = Measure("served_per_s", "jobs/s", "jobs served", HIGHER)
PLACES = Settings("limit", ("waiting_places",), (0,), (MOST_PLACES,), "places", moves=((-1,), (1,)))


@dataclass(frozen=True)
class AdmissionOptions(Options):
    """What an operator would set."""

    engine: str = option("compiled", "engine that runs the model", choices=exact_engine_names, metavar="NAME")
    servers: int = option(4, "number of servers", low=1, high=64, metavar="K")
    job_ms: float = option(10.0, "mean service time, in milliseconds", low=0.001, high=1e6, metavar="MS")
    jobs_per_window: int = option(500, "jobs served that end a window", low=10, high=10**6, metavar="N")
    response_goal_ms: float = option(20.0, "maximum mean response, in milliseconds", low=0.0, high=1e9, metavar="MS")
    served_goal_per_s: float = option(230.0, "minimum jobs served, per second", low=0.0, high=1e9, metavar="JOBS")


def network(options: AdmissionOptions, rate_per_s: float, places: int) -> Network:
    """The model: arrivals, a queue with a limited number of places, k servers."""
    return Network(
        stations=(
            Arrivals(name="arrivals", rate_ops=rate_per_s),
            Queue(name="queue", capacity=places),
            Servers(name="servers", servers=options.servers, mean_ns=options.job_ms * 1e6),
        )
    )


def expected(options: AdmissionOptions, rate_per_s: float, places: int) -> dict[str, float]:
    """Both measures in equilibrium: M/M/k/(k + places), by the balance equations and Little's law."""
    k, load = options.servers, rate_per_s * options.job_ms / 1000.0
    weights = [load**n / factorial(min(n, k)) / k ** max(n - k, 0) for n in range(k + places + 1)]
    share = np.array(weights) / sum(weights)
    served = rate_per_s * (1.0 - share[-1])
    return {"response_ms": 1000.0 * float(share @ np.arange(len(share))) / served, "served_per_s": float(served)}


class AdmissionSystem(System):
    """The queue and its servers, on either engine."""

    def __init__(self, options: AdmissionOptions, rate_per_s: float, seed: int):
        self._options, self._rate, self._seed = options, rate_per_s, seed
        self._window = None

    def start(self, setting):
        (self._places,) = PLACES.check(PLACES.noun, setting)
        model = network(self._options, self._rate, self._places)
        self._run = start_network(model, self._options.engine, self._seed)

    def apply(self, action):
        setting = action if isinstance(action, tuple) else PLACES.moved(self.setting(), int(action))
        (self._places,) = PLACES.check(PLACES.noun, setting)
        self._run.set("queue", "capacity", self._places)

    def run_window(self):
        self._window = self._run.run_window(self._options.jobs_per_window)

    def setting(self):
        return (self._places,)

    def _per_second(self, count: float) -> float:
        return 1e9 * count / (self._window.end_ns - self._window.start_ns)

    def observation(self):
        if self._window is None:
            return np.array([self._places, 0.0, 0.0])
        waiting = self._per_second(self._window.waited_ns["queue"]) * 1e-9
        rejected = float(self._window.rejected.sum())
        return np.array([self._places, min(waiting, MOST_PLACES), rejected / (rejected + len(self._window.classes))])

    def measures(self):
        window = self._window
        return {
            RESPONSE.name: float(window.latency_ns.mean()) * 1e-6,
            SERVED.name: self._per_second(len(window.classes)),
        }

    def requests(self):
        return self._window.classes, self._window.latency_ns * 1e-3

    def set_context(self, conditions):
        self._rate = RATES.get(conditions, conditions)
        self._run.set("arrivals", "rate_ops", self._rate)


class Admission(Scenario):
    """How many jobs may wait."""

    name = "admission"
    description = "How many jobs may wait for k servers"
    Options = AdmissionOptions
    columns = (
        Column("waiting_places", 0, MOST_PLACES, "places"),
        Column("waiting", 0, MOST_PLACES, "jobs", LOG),
        Column("rejected_share", 0, 1),
    )
    measures = (RESPONSE, SERVED)
    settings = PLACES
    initial_setting = (20,)
    contexts = Contexts("load", tuple(RATES), {"drawn": lambda rng: float(rng.uniform(200.0, 450.0))})
    request_classes = ("jobs",)
    baselines = ("fixed:2", "fixed:20", "random")
    training = Training(dict.fromkeys(RATES, 60), dataset_episodes=10, episode_steps=60)

    @property
    def goals(self):
        response, served = self.options.response_goal_ms, self.options.served_goal_per_s
        return Goal("response", RESPONSE, response), Goal("served", SERVED, served)

    def reward(self, measures: Mapping[str, float]) -> float:
        late = measures[RESPONSE.name] / self.options.response_goal_ms - 1.0
        slow = 1.0 - measures[SERVED.name] / self.options.served_goal_per_s
        return -(max(late, 0.0) + max(slow, 0.0)) if late > 0.0 or slow > 0.0 else -0.1 * (late + slow)

    def system(self, conditions, seed, device=0, mode=None):
        return AdmissionSystem(self.options, RATES.get(conditions, conditions), seed)

    @property
    def engine(self):
        return self.options.engine
