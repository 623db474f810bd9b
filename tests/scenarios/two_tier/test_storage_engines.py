"""The compiled kernel of the whole system shows what its SimPy specification shows, to the last bit."""

import pytest

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.options import StorageOptions
from pmtwin.scenarios.two_tier.storage.running import simulate_system
from pmtwin.scenarios.two_tier.storage.system import System

COSTS = Costs(io_ms=4.0, disk_load=0.3, contention=0.4, write_back=0.5, access_ms=3.0, access_ms_per_kib=0.1)
CASES = {
    "cold reads": {"pages": 60},
    "writers of a few pages": {"pages": 12, "operation": "read-modify-write"},
    "round-robin, one disk": {"pages": 60, "mapping": "round-robin", "disks": 1},
    "evictions": {"pages": 60, "cache_lines": 9},
    "dirty victims": {"pages": 60, "cache_lines": 5, "operation": "read-modify-write", "mapping": "block"},
    "every policy's ghosts": {"pages": 60, "cache_lines": 9, "replacement": "arc", "operation": "read-modify-write"},
    "a stream": {"pages": 200, "pattern": "sequential", "mapping": "block", "locality": "local", "prefetch_lines": 3},
    "a stream and evictions": {
        "pages": 120, "pattern": "sequential", "mapping": "block-cyclic", "block_pages": 8, "prefetch_lines": 4,
        "cache_lines": 6, "operation": "read-modify-write", "replacement": "s3-fifo",
    },
    "a writer of a stream, whose I/O threads idle": {
        "pages": 600, "pattern": "sequential", "mapping": "block", "locality": "local", "prefetch_lines": 1,
        "cache_lines": 10, "operation": "read-modify-write", "client_threads": 1, "client_rate": 100.0,
        "write_back": 1.0,
    },
    "victims at random": {"pages": 60, "cache_lines": 9, "replacement": "random"},
    "weight sharing": {"pages": 60, "cache_lines": 9, "replacement": "ws", "operation": "read-modify-write"},
    "the hedge, whose strangers are pinned": {
        "pages": 60, "cache_lines": 4, "replacement": "hedge", "operation": "read-modify-write", "write_back": 1.0,
    },
}  # fmt: skip


@pytest.mark.parametrize("seed", (0, 1))
@pytest.mark.parametrize("name", CASES)
def test_both_engines_agree_to_the_last_bit(name, seed):
    options = StorageOptions(**{"client_threads": 3, "client_rate": 50.0} | CASES[name])
    system = System(options, COSTS, processes=4, threads=2, requests=601)
    compiled, simpy = (simulate_system(system, seed, engine) for engine in ("compiled", "simpy"))
    assert compiled == simpy
    assert compiled.counts["requests"] == 601
