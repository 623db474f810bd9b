"""Devices simple enough for pencil and paper, and a host with round numbers to go with them."""

from dataclasses import fields, replace

import numpy as np

from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile

BYTE_PER_NS_IN_MIB_S = 1e9 / 2**20

ROUND = {
    "handoff_ns": 10_000,
    "handoff_contention_threads": 64,
    "kv_contention_threads": 64,
    "get_software_ns": 1_000,
    "get_copy_ns_per_byte": 0.05,
    "get_chain_accesses": 1,
    "cpu_noise_sigma": 0,
}
"""Parameters: a get of s bytes is 1,000 + 0.05 s ns of software and one dependent read; nothing is random."""


class Ideal(Profile):
    """A device of a stated bandwidth; reads and writes share it by threads."""


@predict.register(Ideal)
def stated(device, points):
    """What `predict` says of an ideal device."""
    total = np.asarray(points["threads"], dtype=float)
    writers = points.get("write_threads", np.where(points["operation"] == "load", 0.0, total))
    bandwidth = device.mib_s(total)
    shares = {"read": (total - writers) / total, "write": writers / total}
    sides = {f"{side}_bandwidth_mib_s": bandwidth * share for side, share in shares.items()}
    return {"bandwidth_mib_s": bandwidth, **sides}


class Unshared(Ideal):
    """Every thread moves a byte a nanosecond, however many there are."""

    def mib_s(self, threads):
        return threads * BYTE_PER_NS_IN_MIB_S


class Shared(Ideal):
    """All threads together move a byte a nanosecond."""

    def mib_s(self, threads):
        return np.full(threads.shape, BYTE_PER_NS_IN_MIB_S)


def ideal(kind: type[Profile], latency_ns: float) -> Profile:
    """A device of `kind` whose every access takes `latency_ns` under any load, without noise, stalls and counts."""
    shipped = load_profile()
    profile = kind(**{field.name: getattr(shipped, field.name) for field in fields(Profile)})
    return replace(
        profile,
        idle_latency_ns=dict.fromkeys(shipped.idle_latency_ns, latency_ns),
        queue_line_ns=dict.fromkeys(shipped.queue_line_ns, 0.0),
        access_profile=None,
        tail=replace(shipped.tail, write_body_sigma=0.0, stall_probability=0.0, rare_stall_probability=0.0),
    )
