"""Prices and endurance of the devices of Table 3, in the place of a reader's own: what stands where, and whence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import DEVICES, BlockDevice

YEAR_S = 365.25 * 86_400
GIVEN = "given"
"""Source of a number that the user gave."""


class Sheet(NamedTuple):
    """A device's price and endurance.

    Fields:
        usd_gb: price of a GB in USD. priced: where it comes from.
        endurance_tb: TB that may be written to a device of its whole capacity; infinite: no limit is stated.
        rated: where that comes from.
    """

    usd_gb: float
    priced: str
    endurance_tb: float
    rated: str


SHEETS: Mapping[str, Sheet] = MappingProxyType({
    "PMEM": Sheet(5.4, "assumed, about 695 USD for 128 GB", 292_000, "assumed, 292 PB for 128 GB"),
    "H": Sheet(
        4.05, "assumed, at launch 1,520 USD for 375 GB", 20_500,
        "assumed, 30 drive writes a day for 5 years, 20.5 PB for 375 GB",
    ),
    "M": Sheet(0.2, "assumed, about 380 USD for 1.92 TB", 7_000, "assumed, 2 drive writes a day for 5 years"),
    "LSSD": Sheet(0.09, "assumed, about 85 USD for 960 GB", 200, "assumed, 200 TB for 960 GB"),
    "L": Sheet(0.045, "assumed, about 45 USD for 1 TB", math.inf, "a disk: no limit of writes"),
})  # fmt: skip
"""Device of Table 3 -> its price and endurance.

Neither the paper nor a source in the project states them. They are what the makers stated for these devices as far as
we remember, and prices change: give those of today, and of your devices' data sheets.
"""


def of_devices(field: str, words: Iterable[str]) -> dict[str, float]:
    """Name of a device -> number, from words `NAME=NUMBER`.

    Raises:
        InputError: for another form, a second number, or one that is not positive.
    """
    values: dict[str, float] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (equals and name and 0.0 < value < math.inf):
            raise InputError(field, word, "NAME=NUMBER with the name of a device and a number above 0, such as H=4")
        if name in values:
            raise InputError(field, word, f"each device once; {name} is {values[name]:g} already")
        values[name] = value
    return values


class Sheets:
    """Prices and endurance of the devices of a system.

    Args:
        devices: the fastest first.
        usd_gb, endurance_tb: name -> number that the user gave, in the place of `SHEETS`.

    Raises:
        InputError: for the name of another device, or a device without both numbers.
    """

    def __init__(
        self, devices: tuple[BlockDevice, ...], usd_gb: Mapping[str, float], endurance_tb: Mapping[str, float]
    ):
        names = [device.name for device in devices]
        for field, values in (("gb_price", usd_gb), ("endurance_tb", endurance_tb)):
            for name in values:
                if name not in names:
                    raise InputError(field, f"{name}={values[name]:g}", f"a device of the system: {', '.join(names)}")
        self.devices = devices
        self.rows = [self._row(device, usd_gb, endurance_tb) for device in devices]

    @staticmethod
    def _row(device: BlockDevice, usd_gb: Mapping[str, float], endurance_tb: Mapping[str, float]) -> Sheet:
        sheet = SHEETS.get(device.name) if DEVICES.get(device.name) == device else None
        for field, values in (("gb_price", usd_gb), ("endurance_tb", endurance_tb)):
            if sheet is None and device.name not in values:
                raise InputError(field, None, f"{device.name}=NUMBER: no default for a device of your own")
        price = (usd_gb[device.name], GIVEN) if device.name in usd_gb else (sheet.usd_gb, sheet.priced)  # type: ignore[union-attr]  # else refused
        rating = (
            (endurance_tb[device.name], GIVEN) if device.name in endurance_tb else (sheet.endurance_tb, sheet.rated)  # type: ignore[union-attr]  # else refused
        )
        return Sheet(*price, *rating)

    def cost_usd(self, gb: list[float]) -> float:
        """Price of so many GB of each device."""
        return sum(size * row.usd_gb for size, row in zip(gb, self.rows, strict=True))

    def years(self, gb: list[float], bytes_s: list[float]) -> dict[str, float | None]:
        """Device -> years until so many bytes/s wear its GB out, with the endurance of its sheet by capacity.

        None: the device is not used, is not written, or has no limit.
        """
        result: dict[str, float | None] = {}
        for device, row, size, rate in zip(self.devices, self.rows, gb, bytes_s, strict=True):
            may_be_written = row.endurance_tb * 1e12 * size / device.capacity_gb
            is_worn = rate > 0.0 and size > 0.0 and math.isfinite(may_be_written)
            result[device.name] = may_be_written / rate / YEAR_S if is_worn else None
        return result

    def record(self) -> dict[str, dict]:
        """Device -> the numbers and where they come from, in plain values."""
        return {
            device.name: row._asdict() | {"endurance_tb": row.endurance_tb if math.isfinite(row.endurance_tb) else None}
            for device, row in zip(self.devices, self.rows, strict=True)
        }
