"""Plan, device and progress of a probe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from pmtwin.calibrate.probing.native import Answer
from pmtwin.calibrate.probing.plan import Preset


class Device(Protocol):
    """Device under test: the native probe, a simulated device or a recorded sweep."""

    context: dict

    def ask(self, case: dict) -> Answer:
        """The repetitions of a case; raises `CaseRefusedError` where the device cannot run the case."""

    def interrupt(self) -> Answer | None:
        """End the current case; returns its finished repetitions, if any."""


@dataclass(frozen=True)
class Plan:
    """Plan of a probe.

    Args:
        preset: repetitions of the cases, and shares of the time.
        operations: names from `pmtwin.sim.device.law.OPERATIONS`.
        most_threads: largest number of threads of a case.
        dimms: number of modules of the device.
        seconds: time limit of the whole command.
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
    """Progress of a probe, for its progress bar and its result.

    Args:
        cases: number of different cases requested.
        visits: number of requests.
        measurements: number of repetitions in all visits.
        configurations: operation -> number of pure bandwidth configurations that `pmtwin calibrate` will use.
        error_percent: [median, mean, 90th percentile] of the model's error for the newest third of the configurations,
            predicted from the others; None while an operation has fewer than
            `pmtwin.calibrate.probing.model_error.JUDGED_FROM` configurations.
        needed_s: time of the command up to the end of its first case, where there was too little time to begin that
            case; else None.
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
