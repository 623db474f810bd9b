"""Capability: a real system beside the twin, for `pmtwin validate`, `infer`, `export` and `recommend --check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


class WithRealSide:
    """A scenario with a real system.

    Class attributes:
        measured: class derived from `pmtwin.validation.MeasuredSide`, for the real system, or `module:Class`; empty:
            `pmtwin validate` refuses the scenario.
        inference: class derived from `pmtwin.inference.side.InferenceSide`, for the model's parameters, or
            `module:Class`; empty: `pmtwin infer` refuses the scenario.
        host_probe: `module:function` that measures parameters of the host on the real system; its argument is the
            configuration of `pmtwin probe --host`; empty: there is none.
        steered: whether a middleware in C++ can run the scenario's policies (`pmtwin export`, docs/steering-policy.md).
    """

    measured: ClassVar[str | type] = ""
    inference: ClassVar[str | type] = ""
    host_probe: ClassVar[str] = ""
    steered: ClassVar[bool] = False

    def real(self, context: int | str) -> Scenario | None:
        """The scenario with the real system, or its emulation, in a context; None if there is none.

        A load that changes is replaced by its mean.
        """
        return None
