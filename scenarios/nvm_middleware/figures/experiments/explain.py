"""Time of requests in the four phases, on Optane and on DRAM, and the limiting station over load, size and DIMMs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from pmtwin.figures.experiments.parallel import Tick, environment_seed, run_tasks
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware.campaign import Campaign, Pools
from pmtwin.scenarios.nvm_middleware.context_sets import LEAN_STORE
from pmtwin.scenarios.nvm_middleware.phases import phase_numbers
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.scenarios.simulation.simulation import simulate
from pmtwin.sim.load.workload import ClassWorkload, Workload

PROFILES = {"Optane": "optane-dcpmm-100", "DRAM": "dram-ddr4"}
SETTINGS: tuple[Pools | None, ...] = ((6, 6), (15, 15), (30, 30), None)
SEED_KEY = 17

LOADS_OPS = (50e3, 100e3, 200e3, 400e3, 800e3)
SIZES_BYTES = (64, 1024, 4096, 16_384, 65_536)
DIMMS = (1, 2, 6)
STORES = ("thesis", "lean")
"""Host and store as by default, or those of the context set `device-bound`."""

MAP_POOLS = (15, 15)
MAP_CLIENTS = 200
MAP_WRITE_RATIO = 0.5
MAP_WINDOW = 400
"""Requests of a window of the map: each cell is a short run."""


def run(campaign: Campaign, seed: int, jobs: int = 1, on_done: Tick | None = None) -> dict:
    """Trace every setting, and every cell of the map.

    Returns:
        `stations` (names in order); `bars`: a list with `profile`, `phase`, `pools` (None: no middleware), `time`
        (class -> mean us at each station), `limits`, and of a longer run of the compiled engine `throughput_ops` and
        `p99_us` (medians over windows); `map`: a list with `store`, `dimms`, `load_ops`, `size_bytes`, `limits`.
    """
    from pmtwin.scenarios.nvm_middleware.model.engines.traced import STATIONS

    bars = [(campaign, seed, *each) for each in product(PROFILES, phase_numbers(), SETTINGS)]
    cells = [(campaign, seed, store, dimms) for store, dimms in product(STORES, DIMMS)]
    results = run_tasks(_either, [(_bar, task) for task in bars] + [(_cells, task) for task in cells], jobs, on_done)
    return {
        "stations": list(STATIONS),
        "bars": results[: len(bars)],
        "map": [cell for part in results[len(bars) :] for cell in part],
        "map_pools": list(MAP_POOLS),
    }


def tasks(_campaign: Campaign) -> int:
    """Number of calls of `on_done` in a run."""
    return 4 * len(PROFILES) * len(SETTINGS) + len(STORES) * len(DIMMS)


def _either(function: Callable[..., dict], task: tuple):
    return function(*task)


def _bar(campaign: Campaign, seed: int, profile: str, phase: int, pools: Pools | None) -> dict:
    from pmtwin.scenarios.nvm_middleware.explaining import explain_time

    scenario = NvmMiddleware.of(profile=PROFILES[profile], requests_per_window=campaign.explain_requests)
    mode, setting = ("direct", (1, 1)) if pools is None else ("middleware", pools)
    seed = environment_seed(seed, SEED_KEY, phase)
    explained = explain_time(ControlEnv(scenario, phase, setting, None, 2, mode), campaign.explain_windows, seed)
    longer = NvmMiddleware.of(profile=PROFILES[profile])
    result, _ = simulate(ControlEnv(longer, phase, setting, None, 2, mode), campaign.fixed_windows, seed)
    return {
        "profile": profile,
        "phase": phase,
        "pools": None if pools is None else list(pools),
        "time": {
            name: [station.mean_us for station in time.stations.values()] for name, time in explained.time.items()
        },
        "limits": explained.limits,
        "throughput_ops": result["throughput_ops"]["median"],
        "p99_us": result["p99_us"]["median"],
    }


def _cells(campaign: Campaign, seed: int, store: str, dimms: int) -> list[dict]:
    """A panel of the map."""
    return [_cell(campaign, seed, store, dimms, *each) for each in product(LOADS_OPS, SIZES_BYTES)]


def _cell(campaign: Campaign, seed: int, store: str, dimms: int, load_ops: float, size_bytes: int) -> dict:
    from pmtwin.scenarios.nvm_middleware.explaining import explain_time

    load = ClassWorkload(MAP_CLIENTS, MAP_WRITE_RATIO, size_bytes, size_bytes, rate_ops=load_ops / 2.0)
    parameters = (LEAN_STORE if store == "lean" else {}) | {"dimms": float(dimms)}
    scenario = NvmMiddleware.of(
        workload=Workload("map", load, load), parameters=parameters, requests_per_window=MAP_WINDOW
    )
    env = ControlEnv(scenario, None, MAP_POOLS, None, 2)
    explained = explain_time(env, campaign.explain_windows, environment_seed(seed, SEED_KEY, 0))
    about = {"store": store, "dimms": dimms, "load_ops": load_ops, "size_bytes": size_bytes}
    return about | {"limits": explained.limits}
