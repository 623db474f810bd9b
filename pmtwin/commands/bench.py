"""`pmtwin bench TARGET`: how fast the twin, training, pmemkv and the middleware run here.

`engine` compares the engines, and many replicas of the compiled one; `vector` vector environments and single ones.
`analytic` compares the formulas with the simulation over random settings. `kv` measures gets and puts of pmemkv, and
the errors of a model fitted to some value sizes and thread counts for others. `middleware` compares the middleware with
direct calls of the store, with `--ycsb` under YCSB's mixes; `durability` kills it and checks its store. `probe`
compares the probe's latency and bandwidths with those of other programs, and with predictions of a profile. `campaign`
trains on the thesis' campaign or a share of it; `selection` compares successive halving with scoring all
configurations. `two-tier` measures replacement policies, queues and formulas of that scenario. `deep-q` compares a step
of a deep Q-network with scikit-learn's, and measures a replay database of 250,000 ticks.
Other scenarios bring their targets along.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from pmtwin.bench import Request
from pmtwin.config.shared import CommandConfig, Parallel, Printed
from pmtwin.console.output import print_json
from pmtwin.machine import machine
from pmtwin.policies.training.plan import MOST_ACTORS
from pmtwin.scenarios.registry import BENCHED
from pmtwin.sim.errors import ConflictError, check_range, unknown_name
from pmtwin.sim.options import option

EXAMPLES = ("pmtwin bench engine", "pmtwin bench campaign --json")

SCHEMA_VERSION = 1


class Target(NamedTuple):
    """Defaults and bounds for the samples of a target.

    Module `pmtwin.bench.TARGET` measures it, or that of the scenario of this name.
    """

    repeats: int = 5
    seconds: float = 0.5
    most_seconds: float = 600


TARGETS = {
    "engine": Target(),
    "vector": Target(),
    "analytic": Target(),
    "kv": Target(repeats=10, seconds=0.02),
    "probe": Target(repeats=10, most_seconds=60),
    "middleware": Target(seconds=0.3),
    "durability": Target(repeats=100),
    "campaign": Target(repeats=1),
    "selection": Target(repeats=1),
    "two-tier": Target(),
    "deep-q": Target(),
    **dict.fromkeys(BENCHED, Target()),
}


def _defaults(field: str) -> str:
    """Text with the default of most targets, and those of the others."""
    usual = getattr(Target(), field)
    others = {name: value for name, target in TARGETS.items() if (value := getattr(target, field)) != usual}
    return "; ".join((f"default: {usual}", *(f"{name}: {value}" for name, value in others.items())))


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Parallel, Printed):
    """Options of `pmtwin bench`."""

    command: ClassVar[str] = "bench"
    target: str = option(help=f"one of {', '.join(TARGETS)}", positional=True)
    repeats: int | None = option(
        None,
        f"number of samples ({_defaults('repeats')})",
        low=1,
        high=1000,
        metavar="N",
    )
    seconds: float | None = option(
        None,
        f"minimum duration of a sample, in seconds ({_defaults('seconds')}; durability has none)",
        low=0.001,
        high=600,
        unit="s",
        metavar="S",
    )
    path: str = option(
        "/dev/shm",
        "directory for the files of the native programs; they are removed afterwards",
        metavar="DIR",
    )
    profile: str | None = option(
        None,
        "device profile whose predictions are set beside the measurements, for target probe; same machine and path",
        metavar="NAME|FILE",
    )
    ycsb: tuple[str, ...] | None = option(
        None,
        "YCSB mixes A, B, C, D, F for target middleware (default: all)",
        metavar="MIX",
        words="*",
    )

    campaign: float | None = option(
        None,
        "share of the thesis' campaign, for targets campaign and selection (default: 1)",
        low=0.0005,
        high=1.0,
        metavar="SHARE",
    )
    actors: int | None = option(
        None, "episodes played at the same time, for target campaign (default: 1)", low=1, high=MOST_ACTORS, metavar="N"
    )

    def __post_init__(self):
        super().__post_init__()
        if self.target not in TARGETS:
            raise unknown_name("target", self.target, TARGETS)
        if self.ycsb is not None and self.target != "middleware":
            raise ConflictError("ycsb", self.ycsb, "belongs to target middleware; remove it")
        owners = {"campaign": ("campaign", "selection"), "actors": ("campaign",), "profile": ("probe",)}
        for name, targets in owners.items():
            if getattr(self, name) is not None and self.target not in targets:
                raise ConflictError(name, getattr(self, name), f"belongs to target {' or '.join(targets)}; remove it")
        check_range("seconds", self.request.seconds, 0.001, TARGETS[self.target].most_seconds, "s")

    @property
    def request(self) -> Request:
        """Arguments of the benchmark, with the target's defaults."""
        target = TARGETS[self.target]
        repeats = target.repeats if self.repeats is None else self.repeats
        return Request(self.path, repeats, target.seconds if self.seconds is None else self.seconds)


def run(config: Config) -> None:
    """Measure and print.

    Raises:
        InputError: if the directory cannot be used.
        CheckFailedError: if contenders that must agree compute different numbers, or a kill damages the store.
        MissingDependencyError: if a native program was not built.
    """
    more: tuple[object, ...] = ()
    if config.ycsb is not None:
        more = (list(config.ycsb),)
    elif config.target == "campaign":
        more = (config.campaign or 1.0, config.actors or 1, config.jobs)
    elif config.target == "probe":
        more = (config.profile,)
    elif config.target == "selection":
        more = (config.campaign or 1.0, config.jobs)
    name = config.target.replace("-", "_") if config.ycsb is None else "middleware_ycsb"
    module = importlib.import_module(BENCHED.get(config.target, f"pmtwin.bench.{name}"))
    request = config.request
    report = {"schema_version": SCHEMA_VERSION, "benchmark": config.target, "repeats": request.repeats}
    report |= module.measure(request, *more)
    if config.json:
        print_json(report | {"host": machine.host_context()})
    else:
        module.show(report)
