"""Are the parameters' intervals honest? Simulated devices with known parameters are probed, read and fitted.

    python -m studies.truth lattester_bandwidth.csv --seeds 20

The devices follow a profile's law exactly; a repetition is off by as much as the replicates of the sweep are. Of each
operation every parameter that the profile would call fitted is looked up in its 90 % interval.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence

import joblib

from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.specification import DEFAULT_BOOTSTRAP
from pmtwin.sim.device.profile import DEFAULT_PROFILE, load_profile
from pmtwin.sim.errors import check_range
from studies.recovery import Recovered, coverage, recover, replicate_noise
from studies.study import Study

OPERATIONS = ("load", "ntstore", "store_clwb")
SECONDS = 40.0


def study(
    sweep: str,
    seeds: Sequence[int],
    seconds: float = SECONDS,
    profile: str = DEFAULT_PROFILE,
    replicates: int = DEFAULT_BOOTSTRAP,
    jobs: int = -1,
    progress: Callable[[Iterable], Iterable] = iter,
) -> dict:
    """Probe simulated devices.

    Args:
        sweep: file whose replicates tell the noise.
        seconds: of a device's own clock, for each operation.
        profile: the truth.
        replicates: of the bootstrap.
        progress: wraps the sequence of finished probes.

    Returns:
        What `studies.recovery.coverage` returns, over all operations, and for each of them.

    Raises:
        InputError: the sweep or the profile cannot be read.
    """
    measurements, truth = read_sources([sweep])[0], load_profile(profile)
    work = [
        joblib.delayed(_one)(truth, measurements, operation, seconds, replicates, seed)
        for operation in OPERATIONS
        for seed in seeds
    ]
    result = [each for part in progress(joblib.Parallel(n_jobs=jobs, return_as="generator")(work)) for each in part]
    of_each = {name: coverage([each for each in result if each.operation == name]) for name in OPERATIONS}
    return {"profile": profile, "probes": len(work), "seconds": seconds, **coverage(result), "operations": of_each}


def _one(truth, measurements, operation: str, seconds: float, replicates: int, seed: int) -> list[Recovered]:
    return recover(truth, replicate_noise(measurements), operation, seconds, replicates, seed)


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP", help="file whose replicates tell how measurements scatter")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each probe, by the device's clock")
    parser.add_argument("--profile", default=DEFAULT_PROFILE, help="whose parameters are the truth")
    parser.add_argument("--bootstrap", type=int, default=DEFAULT_BOOTSTRAP, metavar="N", help="replicates")


def _run(args: argparse.Namespace, seeds: range, progress) -> dict:
    check_range("--seconds", args.seconds, 10.0, 3600.0, "s")
    check_range("--bootstrap", args.bootstrap, 2, 10_000)

    def shown(of: Iterable) -> Iterable:
        return progress(of, len(OPERATIONS) * len(seeds), "probe")

    return study(args.sweep, seeds, args.seconds, args.profile, args.bootstrap, args.jobs, shown)


def _text(found: dict) -> str:
    lines = []
    for name, of in (*found["operations"].items(), ("all", found)):
        low, high = of["interval_90"]
        lines.append(
            f"{name:10s} {of['inside']} of {of['judged']} identified parameters inside 90 %: {of['share']} "
            f"({low} to {high})"
        )
    return "\n".join(lines)


main = Study("studies.truth", __doc__, (20, "devices probed, of each operation"), _configure, _run, _text).main


if __name__ == "__main__":
    sys.exit(main())
