"""Copies of a run, by `copy.deepcopy` or `pickle`: a tree search goes on from one window in several ways."""

from __future__ import annotations

from typing import Any, ClassVar

from pmtwin.sim.errors import InputError


class Copying:
    """Base of the engines. Copying one whose state cannot be copied is an `InputError` that names the engine."""

    name: str

    copyable: ClassVar[bool] = False
    """Whether the whole state is arrays and numbers, and none of it generators, threads or other processes."""

    def __getstate__(self) -> dict[str, Any]:
        if not self.copyable:
            wrong = "cannot be copied or pickled while it runs"
            raise InputError("engine", self.name, "compiled or analytic, where the scenario has them", wrong=wrong)
        return vars(self).copy()
