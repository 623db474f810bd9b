"""Options of `pmtwin validate`: engine, profile, window, rates, parameters, SLA and reward."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from pmtwin.sim.errors import InputError, check_range

NOTHING = "none"
"""On the command line: no offered rate (clients send at once), no middleware."""

RATE_RANGE_OPS = (1.0, 1e9)
"""Offered operations/s that `pmtwin.sim.workload` accepts; asked here so that the error names the option."""


def add_twin_options(parser: argparse.ArgumentParser, host_words: Mapping[str, str] | None = None) -> None:
    """Add the options that `environment_settings` reads.

    Args:
        host_words: what `--host` may say besides the name of a file -> what it means; left to the command itself.
    """
    words = host_words or {}
    parser.set_defaults(host_words=tuple(words))
    twin = parser.add_argument_group("the twin")
    twin.add_argument("--engine", default="compiled", metavar="NAME", help="compiled or simpy: the same numbers")
    twin.add_argument("--profile", default="optane-dcpmm-100", metavar="NAME|FILE", help="device profile")
    twin.add_argument(
        "--requests-per-window", type=int, metavar="N", help="completions that end a window (5000 if omitted)"
    )
    twin.add_argument(
        "--window-seconds",
        type=float,
        metavar="S",
        help="instead: a window is S seconds of the trace, all answered before the next",
    )
    twin.add_argument(
        "--drain",
        action="store_true",
        help="instead: the window of the thesis, one second of the trace, all answered before the next",
    )
    twin.add_argument(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a model parameter (pmtwin list parameters); may be repeated",
    )
    twin.add_argument(
        "--host",
        metavar="|".join(("FILE", *words)),
        help="; ".join(
            (
                "model parameters measured on a machine by `pmtwin probe --host`",
                *(f"{word}: {meaning}" for word, meaning in words.items()),
                "--set overrides it",
            )
        ),
    )
    load = parser.add_argument_group("offered load")
    for name in ("interactive", "batch"):
        load.add_argument(
            f"--{name}-rate-ops",
            metavar="OPS",
            help=f"operations/s that the {name} trace offers; none: its clients send at once (default: 150000)",
        )
    goals = parser.add_argument_group("SLA and reward (Algorithm 1)")
    goals.add_argument(
        "--latency-goal-us",
        type=float,
        default=200.0,
        metavar="US",
        help="goal: most for the p99 of interactive requests",
    )
    goals.add_argument(
        "--throughput-goal-ops",
        type=float,
        default=250_000.0,
        metavar="OPS",
        help="goal: least operations/s of both classes together",
    )
    goals.add_argument(
        "--max-latency-us",
        type=float,
        default=1e6,
        metavar="US",
        help="upper end of the latency range that the reward scales",
    )


def add_middleware_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `middleware_settings` reads."""
    group = parser.add_argument_group("the real middleware")
    group.add_argument(
        "--store", default="emulated", metavar="NAME", help="emulated, map, null, or pmemkv: what it keeps its data in"
    )
    group.add_argument("--path", metavar="DIR", help="of pmemkv: a folder on persistent memory (DAX), or /dev/shm")
    group.add_argument("--pool-mib", type=int, default=1024, metavar="MIB", help="of pmemkv: size of its pool")
    group.add_argument(
        "--dilation",
        type=float,
        metavar="K",
        help="of emulated: how many times slower (chosen from the load if omitted)",
    )
    group.add_argument(
        "--queue", metavar="NAME", help="queue of the middleware: handoff, mutex or tbb (default: handoff)"
    )
    group.add_argument("--keys", type=int, default=1000, metavar="N", help="keys of each class of requests")
    for pool in ("interactive", "batch"):
        group.add_argument(
            f"--{pool}-cpus", metavar="LIST", help=f"processors of the {pool} workers, as 0-3,8 (any if omitted)"
        )
        group.add_argument(
            f"--{pool}-node", type=int, metavar="N", help=f"or the NUMA node on whose processors the {pool} workers run"
        )
    group.add_argument("--one-cpu-each", action="store_true", help="a worker keeps to one of its pool's processors")


def middleware_settings(args: argparse.Namespace):
    """`pmtwin.scenarios.nvm_middleware.native.NativeSettings` of what was given on the command line.

    Raises:
        InputError: for a value that is not accepted.
    """
    from pmtwin.scenarios.nvm_middleware.native import NativeSettings
    from pmtwin.sim.cpu_list import parse_cpus

    values = {name: getattr(args, name) for name in NativeSettings.__dataclass_fields__}
    for name in ("interactive_cpus", "batch_cpus"):
        if values[name] is not None:
            values[name] = parse_cpus(f"--{name.replace('_', '-')}", values[name])
    return NativeSettings(**values)


def environment_settings(args: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments of `NvmMiddlewareEnv` for what was given on the command line.

    Raises:
        InputError: for a value that is not accepted.
    """
    from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, Sla

    rates = {
        f"{name}_rate_ops": parse_rate(name, getattr(args, f"{name}_rate_ops")) for name in ("interactive", "batch")
    }
    requests = args.requests_per_window
    if requests is not None and (args.drain or args.window_seconds is not None):
        raise InputError("--requests-per-window", requests, "one kind of window: not with --drain or --window-seconds")
    native = {"native": middleware_settings(args)} if args.engine == "native" and "store" in args else {}
    return {
        "engine": args.engine,
        **native,
        "profile": args.profile,
        **({} if requests is None else {"requests_per_window": requests}),
        "window_seconds": args.window_seconds,
        "drain": args.drain,
        "parameters": {**_host_values(args), **parse_overrides(args.overrides)},
        **{name: getattr(args, name) for name in ("device_samples", "device_seed", "device_spread") if name in args},
        "reward_parameters": RewardParameters(
            max_latency=args.max_latency_us,
            sla=Sla(latency_goal_us=args.latency_goal_us, throughput_goal_ops=args.throughput_goal_ops),
        ),
        **{name: rate for name, rate in rates.items() if rate != ""},
    }


def host_file(args: argparse.Namespace):
    """`pmtwin.sim.host_file.HostFile` that `--host` names; None if it names none.

    Raises:
        InputError: no such file, or another kind of file.
    """
    from pmtwin.sim.host_file import read_host

    return None if args.host is None or args.host in args.host_words else read_host(args.host)


def _host_values(args: argparse.Namespace) -> dict[str, float]:
    """Of the file of `--host`, if there is one; what speaks against it goes to standard error."""
    from pmtwin.output import message

    host = host_file(args)
    if host is None:
        return {}
    for warning in host.warnings(args.profile):
        message(f"take care: {warning}")
    return host.values


def parameter_record(args: argparse.Namespace) -> dict[str, list]:
    """For the record of a run: `parameters`, each with its origin and source, and `warnings` about them.

    Raises:
        InputError: as `environment_settings`.
    """
    from pmtwin.sim.host_file import record

    return record(host_file(args), parse_overrides(args.overrides), args.profile)


def parse_rate(name: str, text: str | None) -> float | str | None:
    """Operations/s, None for "none" (closed loop), or "" where nothing was given (the scenario's own rate)."""
    if text is None:
        return ""
    if text == NOTHING:
        return None
    option = f"--{name}-rate-ops"
    try:
        rate = float(text)
    except ValueError:
        raise InputError(option, text, f"operations per second, or {NOTHING}") from None
    check_range(option, rate, *RATE_RANGE_OPS, "operations/s")
    return rate


def parse_overrides(assignments: list[str]) -> dict[str, float]:
    """NAME=VALUE, each name once.

    Raises:
        InputError: for another form or a name given twice; the names and ranges themselves are checked by the twin.
    """
    values: dict[str, float] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        try:
            value = float(text)
        except ValueError:
            equals = ""
        if not (equals and name):
            raise InputError("--set", assignment, "NAME=VALUE with a number (pmtwin list parameters)")
        if name in values:
            raise InputError("--set", assignment, f"each name once; {name} is {values[name]:g} already")
        values[name] = value
    return values


def parse_pools(text: str, option: str = "--pools") -> tuple[int, int] | None:
    """INTERACTIVE,BATCH as two ints; None for "none", no middleware.

    Raises:
        InputError: unless both are whole numbers from 1 to 32.
    """
    from pmtwin.scenarios.nvm_middleware import check_pools

    if text == NOTHING:
        return None
    try:
        sizes = tuple(int(part) for part in text.split(","))
    except ValueError:
        sizes = text  # refused below, as it was given
    return check_pools(option, sizes)
