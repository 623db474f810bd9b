"""Run the twin with fixed pools, or without the middleware, and show what its windows were like."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmtwin.replacing import LATENCIES, add_force, check_output
from pmtwin.twin_options import (
    add_doubt_option,
    add_middleware_options,
    add_twin_options,
    doubted_share,
    doubts_exit_code,
    environment_settings,
    parameter_record,
    parse_pools,
    parse_rate,
    refuse_middleware_options,
)

HELP = "run the twin: one setting of the pools under a phase or a workload"

DEFAULT_PHASE = 1
LEFT_TO_JSON = ("configuration.twin.", "configuration.reward.")
"""What the table leaves out: a score of settings that are mostly the defaults."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin simulate`."""
    parser.add_argument("scenario", help="what is simulated: nvm-middleware")
    parser.add_argument(
        "--phase", type=int, metavar="K", help=f"phase 1 to 4 of Appendix C ({DEFAULT_PHASE} if omitted)"
    )
    parser.add_argument(
        "--workload", metavar="NAME", help="instead: section-4.2, ycsb-a to -f, azure-blob, svd, traces"
    )
    parser.add_argument(
        "--blob-trace",
        metavar="FILE",
        help="for azure-blob and traces: take the interactive class from this AzureFunctionsBlobDataset2020 CSV",
    )
    parser.add_argument(
        "--pools", default="15,15", metavar="I,B", help="interactive,batch threads; none: no middleware"
    )
    parser.add_argument("--windows", type=int, default=200, metavar="N", help="windows that are measured")
    parser.add_argument(
        "--warmup-windows", type=int, default=5, metavar="N", help="windows before them: a cold start is too fast"
    )
    parser.add_argument("--seed", type=int, default=0, help="root of all random numbers")
    parser.add_argument(
        "--dump-latencies", type=Path, metavar="FILE.npz", help="every request: window, class, latency_us"
    )
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    add_twin_options(parser)
    add_middleware_options(parser)
    add_doubt_option(parser)


def run(args: argparse.Namespace) -> int:
    """Simulate and print; returns 0, or 1 if a real middleware doubts too many of its windows."""
    from pmtwin.output import print_json, progress
    from pmtwin.scenarios import check_scenario
    from pmtwin.scenarios.simulation import simulate, write_latencies
    from pmtwin.sim.errors import check_range

    check_scenario(args.scenario)
    check_range("--windows", args.windows, 1, 10**7)
    check_range("--seed", args.seed, 0, 2**63 - 1)
    if args.dump_latencies:
        check_output(args.dump_latencies, "--dump-latencies", LATENCIES, args.force)
    most_doubted, env = doubted_share(args), _environment(args)
    with progress(description="simulate", total=args.windows, unit="window") as bar:
        result, requests = simulate(env, args.windows, args.seed, bool(args.dump_latencies), bar.update, most_doubted)
    if args.dump_latencies:
        write_latencies(args.dump_latencies, requests)
    if args.json:
        result["configuration"] |= parameter_record(args)
        print_json(result)
    else:
        _print_tables(result)
    return doubts_exit_code(result["doubts"])


def _print_tables(result: dict) -> None:
    from pmtwin.output import TAIL_HEADER, flatten, print_table, tail_rows

    summaries = {name: value for name, value in result.items() if isinstance(value, dict) and "median" in value}
    quartiles = list(next(iter(summaries.values())))
    print_table([(name, *value.values()) for name, value in summaries.items()], ("per window", *quartiles))
    print()
    rows = [(name, *row) for name, of in result["latency"].items() if of["requests"] for row in tail_rows(of)]
    print_table(rows, ("requests", *TAIL_HEADER))
    print()
    apart = (*summaries, "latency", "interval", "doubts")
    rest = dict(flatten({name: value for name, value in result.items() if name not in apart}))
    shown = {name: value for name, value in rest.items() if not name.startswith(LEFT_TO_JSON)}
    profile = {"profile": rest.get("configuration.twin.profile")}
    print_table(
        [(name.removeprefix("configuration."), value) for name, value in (shown | profile).items()], ("run", "")
    )
    print(f"low and high: {result['interval']}")
    print("(--json: the whole configuration)")


def _environment(args: argparse.Namespace):
    from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv

    if args.engine != "native":
        refuse_middleware_options(args)
    settings = environment_settings(args)
    pools = parse_pools(args.pools)
    if args.workload is None:
        settings["phase"] = DEFAULT_PHASE if args.phase is None else args.phase
    return NvmMiddlewareEnv(
        workload=_workload(args),
        initial_pools=pools or (1, 1),
        mode="middleware" if pools else "direct",
        episode_steps=None,
        warmup_windows=args.warmup_windows,
        **settings,
    )


def _workload(args: argparse.Namespace):
    """The workload that was named, at the offered rates; None for a phase."""
    from dataclasses import replace

    from pmtwin.scenarios.nvm_middleware.workloads import make_workload
    from pmtwin.sim.errors import InputError

    if args.workload is None:
        if args.blob_trace:
            raise InputError("--blob-trace", args.blob_trace, "together with --workload azure-blob or traces")
        return None
    if args.phase is not None:
        raise InputError("--phase", args.phase, "either a phase or a workload, not both")
    workload = make_workload(args.workload)
    if args.blob_trace:
        workload = _with_blob_trace(workload, args.blob_trace)
    for name in ("interactive", "batch"):
        rate = parse_rate(name, getattr(args, f"{name}_rate_ops"))
        if rate != "":
            workload = replace(workload, **{name: replace(getattr(workload, name), rate_ops=rate)})
    return workload


def _with_blob_trace(workload, path: str):
    from dataclasses import replace

    from pmtwin.scenarios.nvm_middleware.workloads.azure_blob import blob_class
    from pmtwin.scenarios.nvm_middleware.workloads.azure_trace import read_blob_trace, trace_statistics
    from pmtwin.sim.errors import InputError

    if workload.name not in ("azure-blob", "traces"):
        raise InputError("--blob-trace", path, "together with --workload azure-blob or traces")
    return replace(workload, interactive=blob_class(statistics=trace_statistics(read_blob_trace(path))))
