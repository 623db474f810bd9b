"""The experiment of thesis section 4.2: YCSB beside the replay of SVD jobs, 100 client threads each."""

from __future__ import annotations

from pmtwin.scenarios.nvm_middleware.workloads.svd import svd_class
from pmtwin.sim.load.workload import ClassWorkload, Workload

CLIENTS = 100
SIZE_BYTES = 128
WRITE_RATIO = 0.5


def section_4_2_workload() -> Workload:
    """YCSB with 128 byte records, half reads and half updates (interactive), beside SVD replay (batch).

    Its keys are zipfian; the twin has no keys, so their popularity makes no difference to it.

    Both in a closed loop: the section compares what a configuration can do, and states no offered rate.
    """
    ycsb = ClassWorkload(
        clients=CLIENTS, write_ratio=WRITE_RATIO, read_sizes_bytes=SIZE_BYTES, write_sizes_bytes=SIZE_BYTES
    )
    return Workload("section-4.2", ycsb, svd_class(CLIENTS, rate_ops=None), {"source": "thesis, section 4.2"})
