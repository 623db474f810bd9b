"""Random systems for the conformance of the engines."""

import numpy as np

from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.load import Burst, Drift, LoadPart, RateVariation


def random_workload(rng: np.random.Generator, kinds: int = 4) -> Workload:
    """A workload with everything drawn: classes in closed loop or paced, sizes fixed or spread, any mix.

    Args:
        kinds: of operation: 4, 6 (both classes insert), or 8 (and remove).
    """

    def sizes() -> float | np.ndarray:
        return float(rng.integers(1, 20_000)) if rng.random() < 0.6 else rng.integers(1, 20_000, 256).astype(float)

    def class_load() -> ClassWorkload:
        paced = rng.random() < 0.6
        return ClassWorkload(
            clients=int(rng.integers(1, 260)),
            write_ratio=float(rng.choice([0.0 if kinds == 4 else 0.5, 1.0, rng.random()])),
            read_sizes_bytes=sizes(),
            write_sizes_bytes=sizes(),
            rate_ops=float(10 ** rng.uniform(4.0, 6.0)) if paced else None,
            interarrival_cov=float(rng.choice([0.0, 0.5, 1.0, 2.0])),
            gets_per_read=float(rng.integers(1, 4)),
            gets_per_write=float(rng.integers(0, 2)),
            insert_share=float(rng.uniform(0.1, 0.5)) if kinds > 4 else 0.0,
            remove_share=float(rng.choice([0.1, 0.5])) if kinds > 6 else 0.0,
        )

    interactive, batch = class_load(), class_load()
    changes = np.random.default_rng([interactive.clients, batch.clients])
    return Workload("random", interactive, batch, tied=bool(changes.random() < 0.5), parts=random_parts(changes))


def random_parts(rng: np.random.Generator) -> tuple[LoadPart, ...]:
    """Some parts of a changing load, half of the time none."""
    if rng.random() < 0.5:
        return ()
    drifting = str(rng.choice(["write_ratio", "size", "clients"]))
    variation = RateVariation((0.3, 0.5), correlation=0.4, persistence=0.5)
    return variation, Burst(every=3, length=1, factor=4.0, classes=(0,)), Drift(drifting, to=0.4, every=4, levels=2)
