"""Options of what is measured of the host beside a validation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pmtwin.sim.host.file import ASSUMED, DEFAULT_HOST
from pmtwin.sim.options import Options, option

MEASURE, NOTHING, USUAL = "measure", "none", "usual"
"""What stands in the place of a file."""

ROUNDS, DRIFT_ROUNDS = 15, 9
ROUND_S, DRIFT_ROUND_S = 5.0, 1.0
"""Rounds that measure a host, and those that hold it against its file: how many, and seconds of each, about."""

MACHINE = "this machine"
"""Heading of the options."""


@dataclass(frozen=True)
class HostOptions(Options):
    """What is measured of the host beside a validation."""

    host: str = option(
        USUAL,
        f"host parameters: FILE of `pmtwin probe --host`; {MEASURE}: measured during this run (default for stores map "
        f"and pmemkv); {DEFAULT_HOST}: as in simulate (default for store emulated); {ASSUMED} or {NOTHING}: the "
        "defaults of `pmtwin list parameters` (default for store null); --set changes single ones",
        metavar="NAME|FILE",
        group=MACHINE,
    )
    host_rounds: int | None = option(
        None,
        f"rounds of host measurement between the runs: with --host measure some seconds each (default: {ROUNDS}); with "
        f"--host FILE a second each, to show whether the machine is slower than then (default: {DRIFT_ROUNDS})",
        low=2,
        high=1000,
        metavar="N",
        group=MACHINE,
    )
    host_output: Path | None = option(
        None,
        "file for the parameters of --host measure, for later use with --host FILE",
        metavar="FILE",
        group=MACHINE,
        recorded=False,
    )

    def twin_host(self, emulated: bool) -> str:
        """The host of the twin, by name or file, before anything is measured.

        Args:
            emulated: whether the device is emulated: then both sides have this host, as the twin of other commands.
        """
        if self.host == USUAL and emulated:
            return DEFAULT_HOST
        return ASSUMED if self.host in (MEASURE, NOTHING, USUAL) else self.host
