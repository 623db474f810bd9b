"""The real middleware (C++) as a live system: the threads of both pools, over a store of this machine, in real time.

    pmtwin tune docs/examples/middleware_store.py:middleware --policy dqn --seconds 300

Needs the native build. The store is a map in memory; `PMTWIN_STORE=pmemkv` and `PMTWIN_STORE_PATH=FOLDER` take pmemkv
on persistent memory. A tick is a window of the thesis' phase 1: requests of interactive and of batch clients.
"""

import math
import os

from pmtwin import live
from pmtwin.scenarios import load_scenario

PHASE = 1


def middleware():
    """The middleware with the number of threads that it starts with."""
    store = {"store": os.environ.get("PMTWIN_STORE", "map"), "path": os.environ.get("PMTWIN_STORE_PATH")}
    scenario = load_scenario("nvm-middleware").of(engine="native", **store)
    system, settings = scenario.system(PHASE, seed=0), scenario.settings
    system.start(scenario.initial_setting)

    def collect():
        """A window: operations per second, and the 99th percentile of interactive latency."""
        system.run_window()
        measures = system.measures()
        return {name: value for name, value in measures.items() if math.isfinite(value)}

    def control(values):
        """Resize both pools; requests in progress are answered first."""
        system.apply(tuple(values.values()))

    now = dict(zip(settings.names, scenario.initial_setting, strict=True))
    levels = dict(zip(settings.names, settings.levels, strict=True))
    parameters = {name: (now[name], levels[name]) for name in settings.names}
    return live(collect, control, parameters, "throughput_ops", tick_s=0, name="middleware")
