"""A parameter of a twin: its value, its plausible range, and where both come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Origin = Literal["measured", "published", "inferred", "assumed"]


@dataclass(frozen=True)
class Parameter:
    """A number of the model.

    Args:
        name: unit in the name where it has one.
        default, low, high: the value used and its plausible range, all in `unit`.
        origin: measured, published, inferred or assumed.
        source: the measurement, table or reasoning behind the value.
        meaning: one sentence.
        whole: only whole numbers make sense.
        allowed: (low, high) of what is accepted, where that is more than the plausible range of the thesis' machine:
            other machines and stores, which have been measured.
        with_records: True: it has an effect only in a store with `records` above 0; False: only in one without;
            None: in both.
        least_above_zero: 0 is accepted, and has a meaning of its own; what is more is accepted from here on.
    """

    name: str
    default: float
    low: float
    high: float
    unit: str
    origin: Origin
    source: str
    meaning: str
    whole: bool = False
    allowed: tuple[float, float] | None = None
    with_records: bool | None = None
    least_above_zero: float | None = None

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value that is accepted."""
        return self.allowed or (self.low, self.high)

    def counts_among(self, records: float) -> bool:
        """Whether it has an effect in a store with a number of records, beside a profile with counted accesses."""
        return self.with_records is None or self.with_records == (records > 0)
