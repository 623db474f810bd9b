"""Engine `compiled` of a hybrid storage."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.hybrid import kernel
from pmtwin.sim.hybrid.driving import drive
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.records import COUNTS, make_state
from pmtwin.sim.hybrid.run import Deciders, Reading, last_of
from pmtwin.sim.hybrid.stream import Paged


class CompiledRun:
    """Engine `compiled`; arguments as for `start_run`."""

    def __init__(self, options: HybridOptions, paged: Paged, deciders: Deciders | None, window: int, key: int):
        every = 0 if deciders is None else deciders.every
        self.state = make_state(options, paged, window, key, fast_only=deciders is None, every=every)
        self.options, self._deciders = options, deciders
        self._scan = 0 if every else options.scan
        self._order = np.argsort(paged.stream.thread, kind="stable")
        if deciders is not None:
            self.state.setting["tells"], self.state.setting["moves"] = deciders.tells, deciders.moves and not every
        kernel.start(self.state)

    def advance(self, until):
        if self._deciders is None:
            kernel.run_alone(self.state, until)
            return
        place, migrate, *_ = self._deciders
        drive(self.state, place, migrate, until, self._scan, self.options.idle_scan)

    def reading(self):
        tally, device = self.state.tally[0], self.state.device
        now = float(tally["now_ns"])
        busy = device["busy_ns"] + np.where(device["present"] > 0, now - device["since_ns"], 0.0)
        counts = {name: int(tally[name]) for name in COUNTS}
        used, written, read = (device[name].copy() for name in ("used", "written", "read"))
        return Reading(now, int(tally["answered"]), counts, used, written, read, busy)

    def set_knobs(self, setting):
        self.state.knobs[:] = setting

    def last(self):
        answer, answered = self.state.answer, int(self.state.tally["answered"][0])
        return last_of(answer["latency_ns"], self._order[answer["row"]], answered)

    def device_of(self):
        return self.state.device_of.copy()
