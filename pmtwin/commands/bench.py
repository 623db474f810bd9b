"""`pmtwin bench TARGET`: how fast the twin, the learning agent, the device law and the middleware run here.

`kv` measures gets and puts of pmemkv, and says how well a model fitted to some value sizes and thread counts
predicts others. `middleware` sets the middleware beside the store without it, with `--ycsb` under YCSB's mixes;
`durability` kills it and looks at what is left. `probe` sets the probe's latency and bandwidths beside those of other
programs.
"""

from __future__ import annotations

import argparse
import importlib
from typing import NamedTuple

from pmtwin import machine
from pmtwin.bench import Request
from pmtwin.output import print_json
from pmtwin.sim.errors import InputError, check_range, unknown_name

HELP = "how fast the twin, the agent, pmemkv and the middleware run here; how right the probe is; what kills leave"

SCHEMA_VERSION = 1


class Target(NamedTuple):
    """Defaults and bounds of a target's samples; how it is measured is in `pmtwin.bench`, a module of its name."""

    repeats: int = 5
    seconds: float = 0.5
    most_seconds: float = 600


TARGETS = {
    "engine": Target(),
    "agent": Target(),
    "device": Target(),
    "kv": Target(repeats=10, seconds=0.02),
    "probe": Target(repeats=10, most_seconds=60),
    "middleware": Target(seconds=0.3),
    "durability": Target(repeats=100),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin bench`."""
    parser.add_argument("target", metavar="TARGET", help=f"one of {', '.join(TARGETS)}")
    parser.add_argument(
        "--repeats",
        type=int,
        help="samples of each contender, or rounds (default: 5; kv and probe: 10; durability: 100 kills)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help="least duration of a sample (default: 0.5; kv: 0.02; middleware: 0.3; durability has none)",
    )
    parser.add_argument(
        "--path",
        default="/dev/shm",
        help="directory that the native programs measure in; they leave nothing there but, after a kill -9, what the "
        "next run removes",
    )
    parser.add_argument(
        "--ycsb",
        nargs="*",
        metavar="MIX",
        help="of middleware: throughput and p99 under YCSB's mixes instead, of A, B, C, D, F (all if none is named)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON, with the host's context")


def run(args: argparse.Namespace) -> None:
    """Measure and print.

    Raises:
        InputError: for an unknown target, a number out of range, or a directory that cannot be used.
        CheckFailedError: if contenders that must agree compute different numbers, or a kill lost what was acknowledged.
        MissingDependencyError: if a native program was not built.
    """
    if args.target not in TARGETS:
        raise unknown_name("TARGET", args.target, TARGETS)
    target = TARGETS[args.target]
    repeats = target.repeats if args.repeats is None else args.repeats
    seconds = target.seconds if args.seconds is None else args.seconds
    check_range("--repeats", repeats, 1, 1000)
    check_range("--seconds", seconds, 0.001, target.most_seconds, "s")
    module, more = _module(args)
    report = {"schema_version": SCHEMA_VERSION, "benchmark": args.target, "repeats": repeats}
    report |= module.measure(Request(args.path, repeats, seconds), *more)
    if args.json:
        print_json(report | {"host": machine.host_context()})
    else:
        module.show(report)


def _module(args: argparse.Namespace):
    """What measures, and what it is told beside the request.

    Raises:
        InputError: `--ycsb` with another target.
    """
    if args.ycsb is None:
        return importlib.import_module(f"pmtwin.bench.{args.target}"), ()
    if args.target != "middleware":
        raise InputError("--ycsb", " ".join(args.ycsb), "only with the target middleware")
    from pmtwin.bench import middleware_ycsb

    return middleware_ycsb, (args.ycsb,)
