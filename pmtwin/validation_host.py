"""The host beside a validation in real time: measured between its runs, or held against the file that was given.

A machine changes its speed from minute to minute, a virtual one by a tenth and more. Rounds of the host's experiments
are therefore spread between the runs of the middleware, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pmtwin.host import experiments
from pmtwin.host.drift import drift, incomparable, is_clear, sentence
from pmtwin.host.probe import ROUNDS, STORES, check_store, fitted
from pmtwin.host.rounds import Rounds
from pmtwin.scenarios.nvm_middleware.native import NativeSettings
from pmtwin.scenarios.validation import ValidationPlan
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.files import write_json
from pmtwin.sim.host_file import HostFile, host_of, record
from pmtwin.twin_options import host_file, parse_overrides
from pmtwin.validation_keys import host_key

MEASURE = "measure"
DRIFT_ROUNDS = 9
MEASURED_HERE = "measured between the runs"

NO_HOST = (
    "the twin has the host parameters of its defaults, not those of this machine: have them measured (--host measure, "
    "over map and pmemkv), or give a file of them (pmtwin probe --host)"
)


@dataclass(frozen=True)
class HostWatch:
    """What is measured of the host between the runs, and what it is for.

    Args:
        profile_name: of the memory that the store lies in. by_hand: parameters that go before measured ones.
        given: the file to hold the machine against; None: its parameters are measured for the twin.
        rounds: how many are spread between the runs.
        output: where measured parameters are kept as a file.
    """

    profile_name: str
    by_hand: Mapping[str, float]
    given: HostFile | None
    rounds: int
    output: Path | None = None

    @contextmanager
    def between(self, plan: ValidationPlan, keep: Path | None) -> Iterator[tuple[Callable[[int, int], None], Mapping]]:
        """While the middleware runs.

        Yields:
            A function to be called with (runs that are done, all runs) before each run and after the last, which
            measures the cells that are due; the samples so far, of `Rounds`.
        """
        cells = self._cells(plan)
        names = [cell.name for cell in cells]
        settings, profile = plan.measured["native"], load_profile(self.profile_name)
        with Rounds(settings, profile, cells, keep=keep, key=lambda number: host_key(plan, names, number)) as rounds:
            samples = (None for number in range(self.rounds) for _ in rounds.run(number))
            taken = 0

            def due(done: int, runs: int) -> None:
                nonlocal taken
                wanted = round(self.rounds * len(cells) * done / runs)
                for _ in islice(samples, wanted - taken):
                    taken += 1

            yield due, rounds.samples

    def _cells(self, plan: ValidationPlan) -> list[experiments.Cell]:
        every = experiments.cells(plan.measured["native"].keys)
        return [cell for cell in every if self.given is None or cell.name in experiments.REFERENCE]

    def outcome(self, plan: ValidationPlan, samples: Mapping[str, list[float]]) -> tuple[ValidationPlan, dict]:
        """The plan with the parameters for its twin, and what the record of the run says of them.

        Returns:
            (plan, `parameters`, `warnings`, and `host_measurement`, the content of a file, or `host_drift`, of `drift`)
        """
        if self.given is not None:
            found = drift(self.given.samples, samples)
            told = record(self.given, self.by_hand, self.profile_name)
            told["warnings"] += [sentence(found, self.given.path)] if is_clear(found) else []
            return plan, told | {"host_drift": found}
        content = fitted(samples, plan.measured["native"], self.profile_name)
        if self.output is not None:
            write_json(self.output, content, field="--host-output")
        host = host_of(content, MEASURED_HERE if self.output is None else str(self.output))
        parameters = {**host.values, **self.by_hand}
        told = record(host, self.by_hand, self.profile_name)
        return replace(plan, settings={**plan.settings, "parameters": parameters}), told | {"host_measurement": content}


def watch_of(args: argparse.Namespace, settings: NativeSettings) -> tuple[HostWatch | None, list[str]]:
    """What the options of `pmtwin validate` ask to be measured of the host, and warnings where it is nothing.

    Raises:
        InputError: naming the option.
    """
    real = settings.store != "emulated"
    given = host_file(args)
    measuring = given is None and (args.host == MEASURE or (args.host is None and settings.store in STORES))
    if args.host == MEASURE:
        check_store(settings)
    if args.host_rounds is not None:
        check_range("--host-rounds", args.host_rounds, 2, 1000)
        if not (measuring or (real and given)):
            raise InputError(
                "--host-rounds", args.host_rounds, "only where the host is measured, or held against a file"
            )
    if args.host_output is not None:
        _check_output(args.host_output, measuring)
    common = {"profile_name": args.profile, "by_hand": parse_overrides(args.overrides), "given": given}
    if measuring:
        return HostWatch(**common, rounds=args.host_rounds or ROUNDS, output=args.host_output), []
    if given is None or not real:
        return None, [NO_HOST] if real else []
    why = incomparable(given, settings)
    if why is not None:
        return None, [f"{why}: whether the machine is still as fast is not known"]
    return HostWatch(**common, rounds=args.host_rounds or DRIFT_ROUNDS), []


def _check_output(path: Path, measuring: bool) -> None:
    if not measuring:
        raise InputError("--host-output", str(path), "only with --host measure")
    if not path.parent.is_dir():
        raise InputError("--host-output", str(path), "a file in a folder that is there")
    if path.exists():
        try:
            host_of_file = path.is_file() and '"pmtwin-host"' in path.read_text()[:200]
        except (OSError, UnicodeDecodeError):
            host_of_file = False
        if not host_of_file:
            raise InputError("--host-output", str(path), "a new file, or one of a host, which is replaced")
