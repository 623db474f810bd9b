"""Options of the scenario: those of a process' queues, and those of the whole system of caches, clients and disks."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pmtwin.scenarios.two_tier.options import ANALYTIC, TwoTierOptions
from pmtwin.scenarios.two_tier.storage.mapping import BLOCK_CYCLIC
from pmtwin.scenarios.two_tier.storage.options import (
    BESIDE_REQUESTS,
    OF_TRACE,
    PAGE_BYTES,
    READ,
    READ_MODIFY_WRITE,
    StorageOptions,
)
from pmtwin.sim.errors import ConflictError
from pmtwin.sim.options import option, option_again

PROCESS, WHOLE = "process", "whole"

WHOLE_RESPONSE_GOAL_MS = 50.0


class ByModel(float):
    """Value of a limit that the user has not set; its default depends on the model."""


BY_LOAD = " (default: by load; a value replaces the loads)"


@dataclass(frozen=True, kw_only=True)
class ScenarioOptions(TwoTierOptions, StorageOptions):
    """The model that runs, and the options of both models.

    Raises:
        InputError: as `StorageOptions`, and for an option of the other model.
    """

    model: str | None = option(
        None,
        "model: process (queues of one process with a fixed miss rate), or whole (caches, clients and disks; misses "
        "depend on the replacement policy); default: whole if an option or a policy belongs to it, otherwise process",
        choices=(PROCESS, WHOLE), metavar="NAME",
    )  # fmt: skip
    response_goal_ms: float = option(
        ByModel(20.0),
        "maximum mean response time, in milliseconds; same as --goal mean_response_ms=MS "
        f"(default: 20; of the whole system {WHOLE_RESPONSE_GOAL_MS:g})",
        low=0.0, high=1e9, metavar="MS", excludes=("goal",),
    )  # fmt: skip
    p99_goal_ms: float = option(
        300.0,
        "maximum p99 of the response time in the whole system, in milliseconds; same as --goal p99_ms=MS",
        low=0.0, high=1e9, metavar="MS", excludes=("goal",),
    )  # fmt: skip
    pages: int = option_again(StorageOptions, "pages", 4096)
    cache_lines: int = option_again(StorageOptions, "cache_lines", 128)
    request_bytes: int = option_again(StorageOptions, "request_bytes", 65_536)
    client_rate: float | None = option_again(StorageOptions, "client_rate", None, BY_LOAD)  # type: ignore[assignment]  # none: by load
    skew: float | None = option_again(StorageOptions, "skew", None, BY_LOAD)  # type: ignore[assignment]  # none: by load
    drift: int | None = option_again(StorageOptions, "drift", None, BY_LOAD)  # type: ignore[assignment]  # none: by load

    def __post_init__(self):
        super().__post_init__()
        process, whole = self._given(OF_PROCESS), self._given(OF_WHOLE)
        if self.model == PROCESS and whole:
            raise ConflictError(whole[0], getattr(self, whole[0]), f"belongs to --model {WHOLE}; remove one of the two")
        if self.below == WHOLE:
            if process:
                reason = f"belongs to --model {PROCESS}, the queues of one process; remove it"
                raise ConflictError(process[0], getattr(self, process[0]), reason)
            if isinstance(self.response_goal_ms, ByModel):
                object.__setattr__(self, "response_goal_ms", WHOLE_RESPONSE_GOAL_MS)

    @property
    def below(self) -> str:
        """The model that runs."""
        return self.model or (WHOLE if self._given(OF_WHOLE) else PROCESS)

    @property
    def unused(self) -> tuple[str, ...]:
        """Names of the options that belong to the other model."""
        return OF_WHOLE if self.below == PROCESS else OF_PROCESS

    @property
    def idle(self) -> dict[str, str]:
        """Options of the whole system without use beside its other options -> reason."""
        if self.below == PROCESS:
            return {}
        reasons = {"request_offset": "has no use: a request within a page takes the same time anywhere; remove it"}
        if self.requests_from is None:
            reasons["page_bytes"] = (
                f"belongs to --requests-from: disks have times of pages of {PAGE_BYTES:,} B; remove it"
            )
        else:
            reasons |= dict.fromkeys(OF_TRACE, BESIDE_REQUESTS)
        if self.mapping != BLOCK_CYCLIC:
            reasons["block_pages"] = f"belongs to --mapping {BLOCK_CYCLIC}; add that, or remove this option"
        if self.operation == READ:
            reasons["write_back"] = (
                f"belongs to --operation {READ_MODIFY_WRITE}, without which no page is dirty; add that, or remove it"
            )
        return reasons

    @property
    def idle_in_windows(self) -> dict[str, str]:
        """Options without use in a run by windows -> reason."""
        example = "belongs to --example of pmtwin simulate two-tier; remove it"
        reasons = {"requests": f"{example}, or give --requests-per-window"}
        if self.below == PROCESS:
            reasons["processes"] = f"{example}: windows are of one process"
            if self.engine == ANALYTIC:
                reasons["requests_per_window"] = f"does not go with --engine {ANALYTIC}, which counts none; remove it"
        return reasons

    def storage(self, client_rate: float, skew: float, drift: int) -> StorageOptions:
        """Options of the whole system, with the requests of a load or of the options."""
        values = {field.name: getattr(self, field.name) for field in fields(StorageOptions)}
        values |= {"client_rate": client_rate, "skew": skew, "drift": drift}
        left_out = OF_TRACE if self.requests_from is not None else ()
        return StorageOptions(**{name: value for name, value in values.items() if name not in left_out})

    def _given(self, names: tuple[str, ...]) -> list[str]:
        defaults = type(self).__dataclass_fields__
        return [name for name in names if getattr(self, name) != defaults[name].default]


OF_WHOLE = ("p99_goal_ms", *(field.name for field in fields(StorageOptions)))
OF_PROCESS = ("rate", "miss_rate", "mu1_per_s", "mu2_per_s", "arrival_cov", "cov1", "cov2", "servers")
"""Options of one model only."""
