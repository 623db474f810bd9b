"""Costs of the system's parts: six fitted and two assumed ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.options import Options, option

WANTED = "a profile of the two-tiered storage"
DELTA = Path(__file__).with_name("delta.json")
"""Profile of the paper's cluster, fitted to the 17 rows of its Tables VII to IX (`fitting.py` writes it)."""


@dataclass(frozen=True, kw_only=True)
class Costs(Options):
    """Costs of the system's parts; docs/two-tier.md states how well the tables determine them.

    Of disk_ms and disk_load the tables determine only disk_ms / (1 - disk_load), so that disk_ms is assumed.
    """

    io_ms: float = option(help="I/O-thread time of a page (HDF5, Lustre, network), in milliseconds", low=0.0, high=1e6)
    disk_load: float = option(help="utilisation of each disk by other users", low=0.0, high=0.99)
    contention: float = option(
        help="contention exponent: with w pages waiting at the disks a service takes (1 + w)^contention as long",
        low=0.0,
        high=2.0,
    )
    write_back: float = option(help="share of the dirty pages that idle I/O threads write", low=0.0, high=1.0)
    access_ms: float = option(
        help="mean service-thread time of an access to a cached page, in milliseconds", low=0.0, high=1e6
    )
    access_ms_per_kib: float = option(
        help="mean service-thread time per KiB of a request, in milliseconds", low=0.0, high=1e6
    )
    disk_ms: float = option(
        2.1, "mean time of a page at an idle disk, in milliseconds (assumed: 512 KiB in sequence at 250 MB/s)",
        low=1e-6, high=1e6,
    )  # fmt: skip
    rpc_us: float = option(
        5.0,
        "LogP cost of a message to another process, L + 2 o, in microseconds (assumed, Slingshot)",
        low=0.0,
        high=1e6,
    )


FITTED = ("io_ms", "disk_load", "contention", "write_back", "access_ms", "access_ms_per_kib")
"""Names of the fitted costs."""


def read_costs(path: Path = DELTA) -> tuple[Costs, Mapping]:
    """(costs of a profile, content of the file).

    Raises:
        InputError: for a file that is no profile of these costs.
    """
    profile = read_json(path, "profile", WANTED)
    try:
        costs = {name: entry["value"] for name, entry in profile["parameters"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError("profile", str(path), WANTED) from error
    return Costs(**costs), profile
