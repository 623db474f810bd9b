"""Engine `compiled` of a cluster."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.lustre import kernel
from pmtwin.sim.lustre.cluster import Cluster
from pmtwin.sim.lustre.load import Load
from pmtwin.sim.lustre.records import make_state
from pmtwin.sim.lustre.run import Reading, Run, Seed


class CompiledRun(Run):
    """A run of the compiled engine; a copy goes on with the same bits."""

    name, copyable = "compiled", True

    def __init__(self, cluster: Cluster, load: Load, seed: Seed):
        super().__init__(cluster, load)
        self.state = make_state(cluster, load, seed)
        kernel.start(self.state)

    def advance(self, until_s):
        kernel.run(self.state, until_s * 1e9)

    def _set_limits(self, window, gap_ns):
        self.state.setting["window"], self.state.setting["gap_ns"] = window, gap_ns
        kernel.pump_all(self.state)

    def set_read_share(self, share):
        self.state.setting["read_share"] = share

    def reading(self):
        osc, disk, server = self.state.osc, self.state.disks.disk, self.state.server
        tally = self.state.tally[0]
        now_ns = float(tally["now_ns"])
        columns = ("in_flight", "dirty", "bytes", "rpcs", "hits", "accepted", "ack_ns", "send_ns", "process_ns")
        disks = ("came", "done", "bytes", "commands", "expired")
        busy_ns = disk["busy_ns"] + np.where(disk["current"] >= 0, now_ns - disk["begun_ns"], 0.0)
        return Reading(
            now_ns * 1e-9,
            int(tally["events"]),
            *(osc[name].copy() for name in (*columns, "least_process_ns")),
            self._pings(now_ns),
            *(disk[name].copy() for name in disks),
            busy_ns,
            disk["moving_ns"].copy(),
            server["busy"].copy(),
            server["waiting"].copy(),
            self.state.latency.copy(),
        )

    def _pings(self, now_ns: float) -> np.ndarray:
        """Shape (O,), ns: waits for both links of both hosts, one after the other, and the latencies."""
        servers, links = self.cluster.servers, self.state.links
        out, into = np.maximum(links.out_ns - now_ns, 0.0), np.maximum(links.in_ns - now_ns, 0.0)
        there = np.maximum(out[servers:, None], into[None, :servers])
        back = np.maximum(out[None, :servers], into[servers:, None])
        return (2.0 * links.cost[1] + (there + back)).ravel()
