"""The host beside a validation in real time: measured between its runs, or held against the file that was given.

A machine changes its speed from minute to minute, a virtual one by a tenth and more. Rounds of the host's experiments
are therefore spread between the runs of the middleware, so that both meet the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from pmtwin.middleware.own_store import OwnStore
from pmtwin.middleware.settings import EMULATED, NativeSettings
from pmtwin.pipeline import fingerprint
from pmtwin.scenarios.nvm_middleware.host import experiments
from pmtwin.scenarios.nvm_middleware.host.drift import drift, incomparable, is_clear, sentence
from pmtwin.scenarios.nvm_middleware.host.options import (
    DRIFT_ROUND_S,
    DRIFT_ROUNDS,
    MEASURE,
    ROUND_S,
    ROUNDS,
    USUAL,
    HostOptions,
)
from pmtwin.scenarios.nvm_middleware.host.probe import fitted, measurable, stores
from pmtwin.scenarios.nvm_middleware.host.rounds import Rounds, claim_records
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.files.writing import write_json
from pmtwin.sim.host.file import HostFile, host_of, record
from pmtwin.validation.keys import case_key
from pmtwin.validation.measured import BetweenRuns
from pmtwin.validation.plan import MEASURED, ValidationPlan

MEASURED_HERE = "measured between the runs"

NO_HOST = (
    "the twin has the host parameters of its defaults, not those of this machine: have them measured (--host measure, "
    "over map and pmemkv), or give a file of them (pmtwin probe --host)"
)


@dataclass(frozen=True)
class HostWatch:
    """What is measured of the host between the runs, and what it is for.

    Args:
        settings: the store of the middleware, and how many keys its requests use.
        profile_name: of the memory that the store lies in. by_hand: parameters that go before measured ones.
        given: the file to hold the machine against; None: its parameters are measured for the twin.
        rounds: how many are spread between the runs.
        output: where measured parameters are kept as a file.
    """

    settings: NativeSettings
    profile_name: str
    by_hand: Mapping[str, float]
    given: HostFile | None
    rounds: int
    output: Path | None = None

    @contextmanager
    def between(self, plan: ValidationPlan, keep: Path | None) -> Iterator[tuple[BetweenRuns, Mapping]]:
        """While the middleware runs.

        Yields:
            What measures the cells that are due; the samples so far, of `Rounds`.
        """
        cells = self._cells()
        names = [cell.name for cell in cells]
        profile = load_profile(self.profile_name)
        with Rounds(
            self.settings, profile, cells, keep=keep, key=lambda number: host_key(plan, names, number)
        ) as rounds:
            samples = (None for number in range(self.rounds) for _ in rounds.run(number))
            taken = 0

            def measure(done: int, runs: int, on_window: Callable[[], object]) -> None:
                nonlocal taken
                wanted = round(self.rounds * len(cells) * done / runs)
                for _ in islice(samples, wanted - taken):
                    taken += 1
                    on_window()

            yield BetweenRuns(self.windows, measure), rounds.samples

    @property
    def windows(self) -> int:
        """Windows of all rounds."""
        return self.rounds * len(self._cells())

    @property
    def expected_s(self) -> float:
        """Seconds that all rounds take, about."""
        return self.rounds * (ROUND_S if self.given is None else DRIFT_ROUND_S)

    def check_room(self) -> None:
        """Raise `InputError` unless the store has room for what the rounds put into it."""
        claim_records(OwnStore(self.settings), self._cells())

    def _cells(self) -> list[experiments.Cell]:
        every = experiments.cells(self.settings.keys)
        return [cell for cell in every if self.given is None or cell.name in experiments.REFERENCE]

    def outcome(self, samples: Mapping[str, list[float]]) -> tuple[dict[str, float] | None, dict]:
        """The parameters for the twin (None: those that it has), and what the record of the run says of them.

        Returns:
            (parameters, `parameters`, `warnings`, and `host_measurement`, the content of a file, or `host_drift`, of
            `drift`)
        """
        if self.given is not None:
            outcome = drift(self.given.samples, samples)
            told = record(self.given, self.by_hand, self.profile_name)
            told["warnings"] += [sentence(outcome, self.given.path)] if is_clear(outcome) else []
            return None, told | {"host_drift": outcome}
        content = fitted(samples, self.settings, self.profile_name)
        if self.output is not None:
            write_json(self.output, content, field="--host-output")
        host = host_of(content, MEASURED_HERE if self.output is None else str(self.output))
        told = record(host, self.by_hand, self.profile_name)
        return {**host.values, **self.by_hand}, told | {"host_measurement": content}


def host_key(plan: ValidationPlan, cells: Sequence[str], number: int) -> str:
    """Key of a kept round of measurements. The runs that it is measured between are part of it."""
    runs = [case_key(plan, MEASURED, case, plan.seeds) for case in plan.cases]
    return fingerprint.digest(
        {"host": fingerprint.code("pmtwin.scenarios.nvm_middleware.host"), "round": [number, *cells], "runs": runs}
    )


def watch_of(
    options: HostOptions,
    settings: NativeSettings,
    given: HostFile | None,
    profile_name: str,
    by_hand: Mapping[str, float],
) -> tuple[HostWatch | None, list[str]]:
    """What options ask to be measured of the host, and warnings where it is nothing.

    Raises:
        InputError: naming the option.
    """
    real = settings.store != EMULATED
    measuring = options.host == MEASURE or (options.host == USUAL and settings.store in stores())
    if options.host == MEASURE and not measurable(settings):
        raise ConflictError("--host", MEASURE, f"needs --store {' or '.join(stores())}")
    if options.host_rounds is not None and not (measuring or (real and given)):
        raise ConflictError(
            "--host-rounds", options.host_rounds, "needs --host measure, or --host FILE with a real store; remove it"
        )
    if options.host_output is not None:
        _check_output(options.host_output, measuring)
    watch = partial(HostWatch, settings, profile_name, by_hand, given)
    if measuring:
        return watch(rounds=options.host_rounds or ROUNDS, output=options.host_output), []
    if given is None or not real:
        return None, [NO_HOST] if real else []
    why = incomparable(given, settings)
    if why is not None:
        return None, [f"{why}: whether the machine is still as fast is not known"]
    return watch(rounds=options.host_rounds or DRIFT_ROUNDS), []


def _check_output(path: Path, measuring: bool) -> None:
    if not measuring:
        raise ConflictError("--host-output", str(path), "belongs to --host measure; add that, or remove this option")
    if not path.parent.is_dir():
        raise InputError("--host-output", str(path), "a file in an existing folder")
    if path.exists():
        try:
            host_of_file = path.is_file() and '"pmtwin-host"' in path.read_text()[:200]
        except (OSError, UnicodeDecodeError):
            host_of_file = False
        if not host_of_file:
            raise InputError("--host-output", str(path), "a new file, or a host file, which is overwritten")
