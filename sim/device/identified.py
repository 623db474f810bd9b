"""Values of a profile that its data may not identify; a request for such a value is an error."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.sim.errors import InputError


class Identified(dict):
    """A mapping in which a missing key is an `InputError`: the data do not identify its value.

    Args:
        values: the identified values.
        noun: noun for the values, for the error.
        profile: name of the profile, for the error.
    """

    def __init__(self, values: Mapping, noun: str, profile: str):
        super().__init__(values)
        self._noun, self._profile = noun, profile

    def __missing__(self, key: object) -> float:
        name = " ".join(key) if isinstance(key, tuple) else str(key)
        known = ", ".join(" ".join(k) if isinstance(k, tuple) else str(k) for k in self) or "none"
        allowed = f"what profile {self._profile} identifies ({known}); calibrate with measurements of it, or --like"
        raise InputError(self._noun, name, allowed)

    def __reduce__(self):
        return type(self), (dict(self), self._noun, self._profile)
