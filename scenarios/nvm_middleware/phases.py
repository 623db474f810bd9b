"""The four phases of Appendix C of the thesis.

A phase overrides sizes and mixes of the two traces; their burstiness stays. Sizes are read as 1k = 1024 bytes, a
read-to-write ratio of 80-20 as 20 % writes, "pure read" as none. The appendix counts 1 to 4 (the tables of the thesis
0 to 3); so does everything here.

The thesis does not state the offered load. Its throughput stays near 300,000 operations/s where the SLA is met, so that
is the default, split evenly between the classes (assumed; the two rates are parameters).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pmtwin.scenarios.nvm_middleware.workloads import azure_blob, svd
from pmtwin.sim.errors import InputError
from pmtwin.sim.load.workload import ClassWorkload, Workload

INTERACTIVE_RATE_OPS = 150_000.0
BATCH_RATE_OPS = 150_000.0


@dataclass(frozen=True)
class Phase:
    """A paragraph of Appendix C."""

    interactive_clients: int
    interactive_size_bytes: int
    interactive_write_ratio: float
    batch_clients: int
    batch_size_bytes: int
    batch_write_ratio: float


PHASES = {
    1: Phase(200, 50, 0.2, 200, 8192, 0.5),
    2: Phase(150, 50, 0.2, 320, 8192, 0.5),
    3: Phase(400, 50, 0.2, 200, 4096, 0.0),
    4: Phase(200, 500, 0.9, 200, 4096, 0.0),
}


def phase_numbers() -> tuple[int, ...]:
    """(1, 2, 3, 4)."""
    return tuple(PHASES)


def check_phase(phase: Any) -> int:
    """The phase as an int.

    Raises:
        InputError: unless it is one of `phase_numbers()`.
    """
    if isinstance(phase, bool) or phase not in PHASES:
        raise InputError("phase", phase, ", ".join(map(str, PHASES)))
    return int(phase)


def phase_workload(
    phase: int,
    interactive_rate_ops: float | None = INTERACTIVE_RATE_OPS,
    batch_rate_ops: float | None = BATCH_RATE_OPS,
    interactive_interarrival_cov: float = azure_blob.INTERARRIVAL_COV,
    batch_interarrival_cov: float = svd.INTERARRIVAL_COV,
) -> Workload:
    """The workload of a phase.

    Args:
        phase: 1 to 4.
        interactive_rate_ops, batch_rate_ops: offered operations/s of the replayed traces; None replays without pause
            (closed loop).
        interactive_interarrival_cov, batch_interarrival_cov: burstiness of the traces.

    Raises:
        InputError: for an unknown phase or a rate out of range.
    """
    number = check_phase(phase)
    p = PHASES[number]
    return Workload(
        name=f"phase-{number}",
        interactive=ClassWorkload(
            clients=p.interactive_clients,
            write_ratio=p.interactive_write_ratio,
            read_sizes_bytes=p.interactive_size_bytes,
            write_sizes_bytes=p.interactive_size_bytes,
            rate_ops=interactive_rate_ops,
            interarrival_cov=interactive_interarrival_cov,
        ),
        batch=ClassWorkload(
            clients=p.batch_clients,
            write_ratio=p.batch_write_ratio,
            read_sizes_bytes=p.batch_size_bytes,
            write_sizes_bytes=p.batch_size_bytes,
            rate_ops=batch_rate_ops,
            interarrival_cov=batch_interarrival_cov,
        ),
        notes={"source": "thesis, Appendix C", "assumed": "offered rates and their split"},
    )
