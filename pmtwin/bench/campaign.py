"""`pmtwin bench campaign`: a training of the thesis' campaign, or a share of it, from data set to policy.

For comparison, the report has the time of the same windows on the machine of the thesis, one second each, and under
SimPy, measured in the same run.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from pathlib import Path

from pmtwin.bench import SEED, Request
from pmtwin.bench.memory import PeakMemory
from pmtwin.bench.timing import sample
from pmtwin.console.output import print_table
from pmtwin.policies.training import QTraining
from pmtwin.scenarios import load_scenario
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.training import config as train
from pmtwin.training.run import trained

REAL_WINDOW_S = 1.0
"""Duration of a window on the machine of the thesis, in seconds."""
DAY_S = 86400.0


def measure(request: Request, share: float, actors: int, jobs: int) -> dict:
    """Train once.

    Args:
        request: `seconds`: least duration of the measurement of SimPy under each phase.
        share: share of the campaign, 0.0005 to 1.
        actors: number of actors of the online part.
        jobs: number of processes.

    Returns:
        `seed`, `campaign`, `actors`, `jobs`; `wall_s`, and `seconds` of each part; simulated `windows` and `requests`,
        without the warm-up window of each episode; `peak_memory_mib` of all processes; `policy_sha256` of the file of
        `pmtwin train`; `real_machine` and `simpy`: `window_s`, and days for the windows of the `online` part and of
        `all` parts.
    """
    scenario = _scenario()
    training = QTraining(campaign=share, actors=actors)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "policy.npz"
        named = {"scenario": scenario, "policy": "q-learning", "output": output, "jobs": jobs}
        config = train.Config.for_scenario(type(scenario))(training=training, **named)  # type: ignore[call-arg]  # a field of the scenario's own
        began = time.perf_counter()
        with PeakMemory() as memory:
            trained(config)
        wall_s = time.perf_counter() - began
        digest = hashlib.sha256(output.read_bytes()).hexdigest()
        record = json.loads(config.record_path.read_text(encoding="utf-8"))
    steps = record["steps"]
    windows = sum(steps.values())
    places = {"real_machine": REAL_WINDOW_S, "simpy": _simpy_window_s(scenario.trained_contexts, request.seconds)}
    return {
        "seed": config.seed,
        "campaign": share,
        "actors": actors,
        "jobs": jobs,
        "wall_s": round(wall_s, 3),
        "seconds": record["seconds"],
        "windows": windows,
        "requests": windows * scenario.options.twin.requests_per_window,
        "peak_memory_mib": round(memory.mib, 1),
        "policy_sha256": digest,
        **{
            place: {
                "window_s": round(window_s, 4),
                "online_days": round(steps["online"] * window_s / DAY_S, 3),
                "all_days": round(windows * window_s / DAY_S, 3),
            }
            for place, window_s in places.items()
        },
    }


def _scenario(**options):
    return load_scenario("nvm-middleware").of(**options)


def _simpy_window_s(contexts: tuple, seconds: float) -> float:
    """Mean wall-clock time of a window under SimPy over the contexts, at the first setting."""
    env = ControlEnv(_scenario(engine="simpy"), episode_steps=None)
    stays = 0

    def work() -> int:
        env.step(stays)
        return 1

    windows_s = []
    for context in contexts:
        env.reset(seed=SEED, options={"context": context})
        watched = sample(work, seconds)
        windows_s.append(watched.wall_s / watched.units)
    env.close()
    return sum(windows_s) / len(windows_s)


def show(report: dict) -> None:
    """Print the seconds of the parts, and the days of the same windows on the real machine and under SimPy."""
    rate = report["windows"] / report["wall_s"]
    print(
        f"campaign: {report['campaign']:g} of the whole one, actors {report['actors']}, processes {report['jobs']}: "
        f"{report['wall_s']:.0f} s for {report['windows']:,} windows, {rate:.0f} a second, "
        f"of {report['requests']:,} requests together; at most {report['peak_memory_mib']:.0f} MiB of memory"
    )
    print_table(report["seconds"].items(), ("part", "s"))
    rows = [(name, *report[key].values()) for key, name in (("real_machine", "real machine"), ("simpy", "SimPy"))]
    print_table(rows, ("elsewhere", "s a window", "days, online part", "days, all"))
    print(f"policy {report['policy_sha256']}")
