"""Random clusters and loads."""

import numpy as np

from pmtwin.sim.lustre.running import Cluster, Load
from pmtwin.sim.stations.deadline import Deadline
from pmtwin.sim.stations.hard_disk import HardDisk

PATTERNS = ("random", "random", "files", "stream")


def drawn(number: int) -> tuple[Cluster, Load]:
    """A small cluster under a load; the patterns take turns."""
    rng = np.random.default_rng([number, 40])
    pattern = PATTERNS[number % 4]
    unit = int(rng.choice([4096, 8192, 65536])) if pattern == "random" else int(rng.choice([1 << 18, 1 << 20]))
    cluster = Cluster(
        servers=int(rng.integers(1, 4)), clients=int(rng.integers(1, 4)), link_mb_s=float(rng.choice([10.0, 125.0])),
        server_threads=int(rng.choice([3, 20, 128])), dirty_mb=float(rng.choice([0.1, 1.0, 4.0])),
        readahead=int(rng.integers(1, 6)), foreign_s=float(rng.choice([0.0, 0.02])), foreign_gap_s=0.1,
        hard_disk=HardDisk(drive_depth=int(rng.choice([1, 4, 31]))),
        deadline=Deadline(slots=int(rng.choice([4, 16, 128]))),
    )  # fmt: skip
    load = Load(
        pattern=pattern, read_share=float(rng.choice([0.0, 0.1, 0.5, 0.9, 1.0])), threads=int(rng.integers(1, 6)),
        unit_bytes=unit, data_gb=float(rng.choice([0.02, 0.1, 3.0])), file_units=int(rng.integers(1, 9)),
        spread=float(rng.choice([0.0, 0.3, 1.0])), readers=int(rng.integers(0, 3)),
    )  # fmt: skip
    return cluster, load
