"""Register of the effects on accesses that are not the plain ones of the sweep, with a line for each effect.

Points, predictions, the schema of a profile, readers, probe and report use the register. An effect is a file in this
folder with a line below, and a file of the same name in `pmtwin.calibrate.effects` with a line in its `registry.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.sim.device.effects.directory import Directory
from pmtwin.sim.device.effects.effect import Column, Effect, VariedEffect, check_entries
from pmtwin.sim.device.effects.fences import Fences
from pmtwin.sim.device.effects.media_queue import MediaQueue
from pmtwin.sim.device.effects.mixes import Mixes
from pmtwin.sim.device.effects.remote import Remote
from pmtwin.sim.device.effects.strides import Strides
from pmtwin.sim.files.typed_json import check_name

EFFECTS: dict[str, Effect] = {
    effect.name: effect for effect in (Strides(), Fences(), Remote(), Directory(), Mixes(), MediaQueue())
}
"""Effects by name, in the order in which they apply."""

__all__ = ["EFFECTS", "Column", "Effect", "VariedEffect", "check_effects", "varied"]


def varied() -> list[VariedEffect]:
    """The effects with a column, in the order in which they apply."""
    return [effect for effect in EFFECTS.values() if isinstance(effect, VariedEffect)]


def check_effects(effects: Mapping[str, object] | None, where: str) -> None:
    """Raise `InputError` unless a profile's `effects` are known, with entries of their forms."""
    for name, operations in (effects or {}).items():
        check_name("effects", name, EFFECTS, where)
        check_entries(EFFECTS[name], operations, where)
