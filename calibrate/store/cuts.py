"""Left-out parts in the validation of a store's fit: the upper half of an operation's thread counts, or a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmtwin.calibrate.store.measurements import Measured
from pmtwin.sim.load.workload import OPERATIONS

LEAST_THREAD_COUNTS = 4


@dataclass(frozen=True)
class Cut:
    """Measurements divided into those that a fit sees and those that it predicts.

    Args:
        kept: measurements that the fit sees.
        left_out: measurements that it predicts.
        same_machine: False where the left-out measurements are all those of one machine.
    """

    name: str
    kept: tuple[Measured, ...]
    left_out: tuple[Measured, ...]
    same_machine: bool = True


def cuts_of(measured: Sequence[Measured]) -> list[Cut]:
    """A cut for each operation with enough thread counts (the upper half), and one for each machine but the first."""
    cuts = []
    for operation in OPERATIONS:
        threads = sorted({each.point.threads for each in measured if each.point.operation == operation})
        if len(threads) >= LEAST_THREAD_COUNTS:
            largest = threads[(len(threads) - 1) // 2]
            above = [each.point.operation == operation and each.point.threads > largest for each in measured]
            cuts.append(_cut(f"{operation} above {largest} threads", measured, above, True))
    for machine in sorted({each.machine for each in measured} - {measured[0].machine}):
        cuts.append(_cut(f"machine {machine}", measured, [each.machine == machine for each in measured], False))
    return cuts


def _cut(name: str, measured: Sequence[Measured], left_out: Sequence[bool], same_machine: bool) -> Cut:
    pairs = list(zip(measured, left_out, strict=True))
    kept, rest = (tuple(each for each, out in pairs if out is which) for which in (False, True))
    return Cut(name, kept, rest, same_machine)
