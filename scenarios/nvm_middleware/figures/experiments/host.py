"""The inferred host as it is shipped: its joint draws, and the summary of the inference; nothing is simulated."""

from __future__ import annotations

from pmtwin.sim.host.file import shipped_host

HOST = "inferred"


def run() -> dict:
    """`inference` of the host file, its `draws` (`names`, and `values` by draw), and the `representative` by name."""
    host = shipped_host(HOST)
    names = list(host.draws[0])
    return {
        "inference": host.inference,
        "draws": {"names": names, "values": [[draw[name] for name in names] for draw in host.draws]},
        "representative": host.values,
    }
