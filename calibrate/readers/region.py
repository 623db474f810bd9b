"""Whether a probe measured on enough memory for its figures to be those of the device, and not of the cache."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.sim.common.number_forms import percent

ENOUGH = 16
"""Multiple of the last-level cache from which the cache serves hardly any access."""

MIB = 1 << 20


def region_note(context: Mapping) -> str:
    """Note about the size of the measured memory; "" if it is large, or the context does not tell.

    Args:
        context: of a probe's result; `memory.region_bytes`, and `caches` with the `size` of each in bytes.
    """
    memory, caches = context.get("memory"), context.get("caches")
    region = _bytes(memory, "region_bytes")
    cache = max((_bytes(each, "size") for each in caches), default=0) if isinstance(caches, list) else 0
    if not region or not cache or region >= ENOUGH * cache:
        return ""
    measured = f"measured on {region // MIB:,} MiB"
    if region <= cache:
        return f"{measured}, which a cache of {cache // MIB:,} MiB holds: the figures are the cache's, not the device's"
    return (
        f"{measured}, {region / cache:.2g} times the cache of {cache // MIB:,} MiB: the cache may serve up to "
        f"{percent(cache / region)} of the random accesses; --region-bytes {ENOUGH * cache} measures on more"
    )


def _bytes(entry: object, name: str) -> int:
    value = entry.get(name) if isinstance(entry, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
