"""`pmtwin probe`: measures the memory below a directory, where it matters first, for `pmtwin calibrate`."""

from __future__ import annotations

import argparse
import os
import time

from pmtwin.probe.options import operations_of, plan_of
from pmtwin.sim.access_profile import KEY_BYTES
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.errors import InputError, check_range

HELP = "measure a memory device through a directory on it"
DESCRIPTION = """Measures bandwidth and latency of the memory below a directory, in a file without a name that is gone
however the probe ends. Without a preset it takes at most five minutes and measures where the fitted model is least
certain. An interrupted probe goes on where it was when the same command is given again. What it writes goes to `pmtwin
calibrate` as it is."""

LONGEST_S = 30 * 24 * 3600.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of `pmtwin probe`."""
    parser.add_argument("--path", metavar="DIR", help="directory on the memory, such as /mnt/pmem0 or /dev/shm")
    parser.add_argument("-o", "--output", metavar="FILE", help="result to write (JSON)")
    presets = parser.add_mutually_exclusive_group()
    presets.add_argument("--quick", action="store_true", help="at most 60 s; without strides and fences")
    presets.add_argument(
        "--kv",
        action="store_true",
        help="not the memory: what gets and puts of pmemkv ask of it, for pmtwin calibrate --access-profile",
    )
    presets.add_argument(
        "--host",
        action="store_true",
        help="not the memory: what the real middleware costs on this machine, for --host of the commands that run the "
        "twin; about a minute on an otherwise idle machine",
    )
    parser.add_argument(
        "--store", default="map", metavar="NAME", help="of --host: map, or pmemkv in a pool below --path"
    )
    parser.add_argument(
        "--keys", type=int, default=1000, metavar="N", help="of --host: keys of the store; as many as later runs use"
    )
    parser.add_argument("--pool-mib", type=int, default=1024, metavar="MIB", help="of --host: size of pmemkv's pool")
    parser.add_argument(
        "--profile",
        default="dram-ddr4",
        metavar="NAME|FILE",
        help="of --host: profile of the memory that the store lies in",
    )
    parser.add_argument(
        "--key-bytes",
        type=int,
        metavar="N",
        help=f"keys of --kv, 8 to 4096 B (default: {KEY_BYTES})",
    )
    presets.add_argument("--full", action="store_true", help="the dense sweep, in an order by chance: an hour and more")
    parser.add_argument("--target-error", type=float, metavar="PERCENT", help="stop at this median error of the model")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="take no longer (default: 300; --quick: 60)")
    parser.add_argument(
        "--resume", action="store_true", help="go on with an interrupted probe; an error if there is none"
    )
    parser.add_argument("--force", action="store_true", help="begin anew, over an existing result or journal")
    parser.add_argument(
        "--operations",
        default=None,
        metavar="NAMES",
        help="which of load,ntstore,store_clwb,store are measured (default: the first three)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="most threads of a case (default: one per processor)")
    parser.add_argument("--dimms", type=int, metavar="N", help="modules of the device, if the kernel does not tell")
    parser.add_argument(
        "--region-bytes", type=int, metavar="N", help="memory to measure on (default: 16 times the cache)"
    )
    parser.add_argument("--memory-node", type=int, metavar="N", help="NUMA node to take the memory from")
    parser.add_argument(
        "--isa", metavar="NAMES", help="use narrower instructions than the processor has, such as avx2+clflushopt"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the order of the cases")
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="measure nothing: how far probe B repeats probe A"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be measured, and measure nothing")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    """Probe, or compare two probes."""
    began = time.monotonic()
    if args.key_bytes is not None and not args.kv:
        raise InputError("--key-bytes", args.key_bytes, "nothing without --kv, whose keys it is about")
    if args.compare:
        from pmtwin.calibrate.probing.compare import compare
        from pmtwin.probe.show import show_comparison

        show_comparison(args, compare(*args.compare))
        return 0
    if args.host:
        from pmtwin.host.command import probe_host

        probe_host(args)
        return 0
    _check(args)
    if args.kv:
        from pmtwin.probe.kv import probe_kv

        probe_kv(args)
        return 0
    if args.dry_run:
        from pmtwin.probe.show import show_plan

        show_plan(args, plan_of(args, {}))
        return 0
    from pmtwin.probe.run import probe

    return probe(args, began)


def _check(args: argparse.Namespace) -> None:
    if not args.path:
        args.command_parser.error("--path is needed: a directory on the memory to measure")
    if not (args.output or args.dry_run):
        args.command_parser.error("--output is needed: the name of the result")
    check_range("--seed", args.seed, 0, 2**63 - 1)
    usable = len(os.sched_getaffinity(0))
    if args.threads is not None:
        check_range("--threads", args.threads, 1, usable, "(processors that this process may use)")
    if args.dimms is not None:
        check_range("--dimms", args.dimms, 1, FULL_SET_DIMMS)
    if args.time is not None:
        check_range("--time", args.time, 5.0, LONGEST_S, "s")
    if args.target_error is not None:
        check_range("--target-error", args.target_error, 0.01, 100.0, "%")
    operations_of(args)
