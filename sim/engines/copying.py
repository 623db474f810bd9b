"""Runs that can be copied and pickled between two windows, as a tree search does, and the refusal of the others."""

from __future__ import annotations

from typing import Any, ClassVar

from pmtwin.sim.errors import InputError


class Copying:
    """Base of the engines: `copy.deepcopy` and `pickle` take what can be copied, and refuse the rest by name."""

    name: str

    copyable: ClassVar[bool] = False
    """Whether all of the state is in arrays and numbers; it is not in generators, threads and other processes."""

    def __getstate__(self) -> dict[str, Any]:
        if not self.copyable:
            wrong = "cannot be copied or pickled while it runs"
            raise InputError("engine", self.name, "compiled or analytic, where the scenario has them", wrong=wrong)
        return vars(self).copy()
