"""Capability: a real system beside the twin, for `pmtwin validate`, `infer`, `export` and `recommend --check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


class WithRealSide:
    """A scenario with a real system.

    Class attributes:
        measured: `module:Class` of the `pmtwin.validation.MeasuredSide` of its real system, or the class itself; empty:
            there is none, and `pmtwin validate` refuses it.
        inference: `module:Class` of the `pmtwin.inference.side.InferenceSide` of its model's parameters, or the class
            itself; empty: there is none, and `pmtwin infer` refuses it.
        host_probe: `module:function` that measures the host's parameters on the real system, given the configuration of
            `pmtwin probe --host`; empty: there is none.
        steered: whether a middleware in C++ reads its policies too (`pmtwin export`, docs/steering-policy.md).
    """

    measured: ClassVar[str | type] = ""
    inference: ClassVar[str | type] = ""
    host_probe: ClassVar[str] = ""
    steered: ClassVar[bool] = False

    def real(self, context: int | str) -> Scenario | None:
        """The real system, or its emulation, under the conditions of a context; None where there is none.

        A load that changes has its mean there.
        """
        return None
