"""`pmtwin bench lustre-tuning`: commands of the disks by workload and engine, and windows of the environment."""

from __future__ import annotations

from collections.abc import Iterator

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case
from pmtwin.bench.timing import Work
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.lustre_tuning.options import LustreOptions
from pmtwin.scenarios.lustre_tuning.scenario import LustreTuning
from pmtwin.scenarios.lustre_tuning.workloads import WORKLOADS
from pmtwin.sim.lustre.running import COMPILED, ENGINES, start_run

SECONDS = {"compiled": 10.0, "simpy": 0.2}
"""Simulated time of a unit of work."""

LEARNER, WARM = "dqn", 600
"""Policy that learns, and windows before it is timed: by then it learns at each tick."""

MEASURED, WINDOWS = ("random-1-9", "random-9-1", "file-server"), 20


def measure(request: Request) -> dict:
    """Time the compiled engine under three workloads, both engines under one, windows with indicators, and learning."""
    by_workload = {name: _commands(name) for name in MEASURED}
    cases = [
        Case("compiled", by_workload),
        Case(f"engines, {MEASURED[0]}", {engine: _commands(MEASURED[0], engine) for engine in ENGINES}),
        Case(f"windows of 1 s, {MEASURED[0]}", {"environment": _windows(), LEARNER: _learned()}),
    ]
    return race.measure("commands of disks or windows", cases, request)


def show(report: dict) -> None:
    """Print rates and ratios."""
    race.show(report)


def _commands(workload: str, engine: str = COMPILED) -> Work:
    """Commands of the disks of a cluster that goes on from sample to sample."""
    options = LustreOptions()
    run = start_run(options.cluster, options.load(WORKLOADS[workload]), engine, SEED)
    times = _times(SECONDS[engine])

    def work() -> int:
        before = int(run.reading().commands.sum())
        run.advance(next(times))
        return int(run.reading().commands.sum()) - before

    work()
    return work


def _times(step_s: float) -> Iterator[float]:
    count = 0
    while True:
        count += 1
        yield count * step_s


def _windows() -> Work:
    """Windows of the environment under the action that changes nothing."""
    env = ControlEnv(LustreTuning(), MEASURED[0], episode_steps=None)
    env.reset(seed=SEED)

    def work() -> int:
        for _ in range(WINDOWS):
            env.step(0)
        return WINDOWS

    return work


def _learned() -> Work:
    """Windows of a network that learns, at the settings that it comes to."""
    scenario = LustreTuning()
    policy = make_policy(LEARNER, scenario)
    env = ControlEnv(scenario, MEASURED[0], episode_steps=None)
    policy.start(PolicyContext.of(scenario, seed=SEED))
    seen = env.reset(seed=SEED)

    def work(windows: int = WINDOWS) -> int:
        nonlocal seen
        for _ in range(windows):
            observation, info = seen
            action = policy.act(observation, info)
            following, reward, _, _, info = env.carry_out(action)
            policy.observe(observation, action, reward, following, False)
            seen = following, info
        return windows

    work(WARM)
    return work
