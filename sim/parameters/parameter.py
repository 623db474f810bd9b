"""A parameter of a twin: its value, its plausible range, and the source of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Origin = Literal["measured", "published", "inferred", "assumed"]


@dataclass(frozen=True)
class Parameter:
    """A number of the model.

    Args:
        name: ends in the unit, if there is one.
        default, low, high: the usual value and its plausible range on the thesis' machine, in `unit`.
        origin: measured, published, inferred or assumed.
        source: the measurement, table or reasoning behind the value.
        meaning: one sentence.
        whole: whether only whole numbers are accepted.
        allowed: accepted range, if it is wider than the plausible one: other machines and stores have been measured.
        with_records: True: the parameter has an effect only in a store with `records` above 0; False: only in one
            without; None: in both.
        least_above_zero: least accepted value apart from 0, which has a special meaning; None: no such limit.
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
        """The accepted range, (low, high)."""
        return self.allowed or (self.low, self.high)

    def counts_among(self, records: float) -> bool:
        """Whether the parameter has an effect with this number of records, and a profile that counts accesses."""
        return self.with_records is None or self.with_records == (records > 0)
