"""Random systems for the conformance of the engines."""

import numpy as np

from pmtwin.sim import ClassWorkload, Workload


def random_workload(rng: np.random.Generator) -> Workload:
    """A workload with everything drawn: classes in closed loop or paced, sizes fixed or spread, any mix."""

    def sizes() -> float | np.ndarray:
        return float(rng.integers(1, 20_000)) if rng.random() < 0.6 else rng.integers(1, 20_000, 256).astype(float)

    def one() -> ClassWorkload:
        paced = rng.random() < 0.6
        return ClassWorkload(
            clients=int(rng.integers(1, 260)),
            write_ratio=float(rng.choice([0.0, 1.0, rng.random()])),
            read_sizes_bytes=sizes(),
            write_sizes_bytes=sizes(),
            rate_ops=float(10 ** rng.uniform(4.0, 6.0)) if paced else None,
            interarrival_cov=float(rng.choice([0.0, 0.5, 1.0, 2.0])),
            gets_per_read=float(rng.integers(1, 4)),
            gets_per_write=float(rng.integers(0, 2)),
        )

    return Workload("random", one(), one())
