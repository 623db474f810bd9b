"""Plan of a probe, its device, and its progress."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from pmtwin.calibrate.probing.native import Answer
from pmtwin.calibrate.probing.plan import Preset


class Device(Protocol):
    """Device under test: the native probe, a simulated device, a recorded sweep."""

    context: dict

    def ask(self, case: dict) -> Answer:
        """The repetitions of a case; raises `CaseRefusedError`."""

    def interrupt(self) -> Answer | None:
        """End the present case; returns its finished repetitions."""


@dataclass(frozen=True)
class Plan:
    """Plan of a probe.

    Args:
        preset: how it spends its time.
        operations: of `pmtwin.sim.device.law.OPERATIONS`.
        most_threads: of a case.
        dimms: of the device.
        seconds: limit of the whole command.
        target_percent: wanted median error of the model; None for the best that the time allows.
        seed: of the order of the cases.
        remote_threads: processors on the remote NUMA node, 0 if there is none.
    """

    preset: Preset
    operations: tuple[str, ...]
    most_threads: int
    dimms: float
    seconds: float
    target_percent: float | None
    seed: int
    remote_threads: int = 0


@dataclass
class State:
    """Progress of a probe, for its bar and its result.

    Args:
        cases: number of different requested cases.
        visits: number of requests.
        measurements: repetitions, in all visits.
        configurations: operation -> configurations of plain bandwidth that calibrate will use.
        error_percent: [median, mean, 90th percentile] of the model, the newest third of the configurations predicted
            from the others; None while an operation has too few (`pmtwin.calibrate.probing.model_error.JUDGED_FROM`).
        needed_s: that the command takes up to the end of its first case, if it was not begun for lack of time.
    """

    cases: int = 0
    visits: int = 0
    configurations: dict[str, int] = field(default_factory=dict)
    needed_s: float | None = None
    measurements: int = 0
    error_percent: list[float] | None = None
    noise_percent: list[float] | None = None
    history: list[dict] = field(default_factory=list)
    refused: list[dict] = field(default_factory=list)
    ended: str = ""
