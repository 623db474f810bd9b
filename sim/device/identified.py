"""Values of a profile that its data may leave open: a request for such a value is an error."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.sim.errors import InputError


class Identified(dict):
    """A mapping whose missing keys are values that the data did not identify.

    Args:
        values: the known values.
        of: noun for the values, for the error.
        profile: name of the profile, for the error.
    """

    def __init__(self, values: Mapping, noun: str, profile: str):
        super().__init__(values)
        self._of, self._profile = noun, profile

    def __missing__(self, key: object) -> float:
        what = " ".join(key) if isinstance(key, tuple) else str(key)
        known = ", ".join(" ".join(k) if isinstance(k, tuple) else str(k) for k in self) or "none"
        allowed = f"what profile {self._profile} identifies ({known}); calibrate with measurements of it, or --like"
        raise InputError(self._of, what, allowed)

    def __reduce__(self):
        return type(self), (dict(self), self._of, self._profile)
