"""Parameters of the access to the memory: without a middleware, from the remote node, number of modules."""

from __future__ import annotations

from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MOST_DIMMS
from pmtwin.sim.parameters.parameter import Parameter

ACCESS = (
    Parameter(
        "direct_concurrency",
        200,
        1,
        1_000,
        "accesses",
        "published",
        "thesis section 4.2",
        "Concurrent accesses without a middleware.",
        True,
    ),
    Parameter(
        "direct_remote",
        1,
        0,
        1,
        "",
        "assumed",
        "thesis section 4.1.1: the applications have a socket of their own",
        "1: without a middleware the clients run on the remote NUMA node, the other socket.",
        True,
    ),
    Parameter(
        "remote_read_factor",
        1.17,
        1.0,
        3.0,
        "",
        "measured",
        "PerMA-Bench, 64 B random, 16 threads: 15.4 GiB/s from the local node, 13.2 from the remote one",
        "Time of a read from the remote node, relative to the local node.",
    ),
    Parameter(
        "remote_write_factor",
        1.52,
        1.0,
        6.0,
        "",
        "measured",
        "PerMA-Bench, 64 B random, 16 threads: 3.00 GiB/s from the local node, 1.98 from the remote one",
        "Time of a write from the remote node, relative to the local node.",
    ),
    Parameter(
        "remote_mix_factor",
        1.0,
        1.0,
        20.0,
        "",
        "assumed",
        "FAST'20 figure 17 has 4.6 among four threads, and no more threads; 1 leaves it out",
        "Further factor on the time of a payload from the remote node, among threads that read or stream writes.",
    ),
    Parameter(
        "dimms",
        FULL_SET_DIMMS,
        1,
        FULL_SET_DIMMS,
        "DIMMs",
        "published",
        "thesis Table 4.1",
        "Interleaved DIMMs of the socket; beside a profile of fewer or more, as many as it was fitted to.",
        True,
        (1, MOST_DIMMS),
    ),
)
