"""The prior over devices, judged on devices that it has not seen: each shipped one as seen from the others.

    python -m studies.prior optane-dcpmm-100-128gb=permabench_100series.csv.gz:pmem_apache-128 \\
        dram-ddr4=permabench_100series.csv.gz:dram_apache-256

A device is left out of the family (its profile), so many of its measured configurations are drawn, and all others are
predicted. Beside the prior: the same with the configurations that `--suggest` would choose among those of the device,
the shipped profile that fits best after one factor, and what `--prior none` predicts (a configuration that it refuses
counts as an error of 100 %). `--fit` prints the scales that make all given devices, each
as seen from the others, most likely: those of `pmtwin.calibrate.prior.process.SCALES`.
"""

from __future__ import annotations

import argparse

import numpy as np

from pmtwin.calibrate.context import Context, Latency, Peak
from pmtwin.calibrate.estimators import BandwidthRegressor, features_of
from pmtwin.calibrate.measurements import Configurations, group
from pmtwin.calibrate.prior.design import most_telling
from pmtwin.calibrate.prior.family import Family, kind_of, shipped_family, surface
from pmtwin.calibrate.prior.habits import View, views
from pmtwin.calibrate.prior.observed import known_of
from pmtwin.calibrate.prior.process import SCALES, DevicePosterior, Known
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.specification import MIN_CONFIGURATIONS
from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.numerics.statistics import NORMAL_90

COUNTS = (5, 10, 20, 40, 60)
MOST_ROWS = 400
"""Of a device, drawn once: a sweep of thousands tells no more."""


Device = tuple[str, Configurations, Context]


def device_of(text: str) -> Device:
    """(profile, configurations of a full set at 15 W, what its files tell besides) of PROFILE=FILE[:MACHINE]."""
    name, _, rest = text.partition("=")
    path, _, machine = rest.partition(":")
    measurements = read_sources([path], ReadOptions(machine=machine or None))[0]
    configurations, _ = group(measurements)
    configurations = configurations.take((configurations.dimms == 6) & (configurations.power_w == 15))
    rows = np.random.default_rng(0).permutation(len(configurations))[:MOST_ROWS]
    context = measurements.context
    return name, configurations.take(np.sort(rows)), Context(fenced=context.fenced, prefetchers=context.prefetchers)


def seen(family: dict[str, View], c: Configurations, rows: np.ndarray) -> dict[str, Known]:
    """What the family is told of some rows, by its views."""
    part = c.take(rows)
    known = {name: view.family.points(part, view.kind) for name, view in family.items()}
    return {kind: Known(points, np.log(part.bandwidth_mib_s), np.zeros(rows.size)) for kind, points in known.items()}


def scaled_nearest(family: Family, c: Configurations, rows: np.ndarray) -> np.ndarray:
    """Log bandwidth by the profile that fits best after one factor."""
    measured, best = np.log(c.bandwidth_mib_s), None
    for profile in (profile for those in family.kinds.values() for profile in those):
        told, _ = surface(profile, c)
        miss = (measured - told)[rows]
        factor = np.nanmedian(miss)
        error = np.nanmean(np.abs(miss - factor))
        if best is None or error < best[0]:
            best = error, told + factor
    return best[1]


def without_prior(c: Configurations, rows: np.ndarray) -> np.ndarray:
    """Log bandwidth by fits of each operation that has enough; NaN where there is none."""
    told, part = np.full(len(c), np.nan), c.take(rows)
    for operation in np.unique(part.operation):
        of = part.take(part.operation == operation)
        if len(of) < MIN_CONFIGURATIONS:
            continue
        regressor = BandwidthRegressor(str(operation)).fit(features_of(of), of.bandwidth_mib_s)
        here = (c.operation == operation) & np.isin(c.pattern, of.pattern)
        told[here] = np.log(regressor.predict(features_of(c.take(here)))) if np.any(here) else []
    return told


def judge(device: Device, draws: int, scales: dict[str, float], against: bool) -> None:
    """Print errors of the configurations that were not drawn."""
    name, c, context = device
    family = shipped_family(without=[name])
    views_of = views(family, context, list(family.kinds))
    every = {name: view.family.points(c, view.kind) for name, view in views_of.items()}
    measured, rng = np.log(c.bandwidth_mib_s), np.random.default_rng(1)
    nothing = c.take(np.zeros(0, dtype=int))
    before = {name: known_of(view.family, view.kind, nothing, context, 6.0) for name, view in views_of.items()}
    open_before = DevicePosterior(before, scales, weights={name: view.weight for name, view in views_of.items()})
    suggested = np.array(most_telling(open_before.covariance(every), np.arange(len(c)), max(COUNTS)))
    for count in COUNTS:
        rows = [rng.permutation(len(c)) for _ in range(draws)]
        table = []
        for order in rows:
            known, aside = order[:count], order[count:]
            mean, sd = DevicePosterior(seen(views_of, c, known), scales).predict(every)
            half = NORMAL_90 * sd
            errors = [
                np.abs(np.expm1(mean - measured))[aside].mean(),
                _error(scaled_nearest(family, c, known), measured, aside),
            ]
            errors.append(_error(without_prior(c, known), measured, aside) if against else np.nan)
            inside = np.abs(mean - measured) <= half
            table.append([*errors, inside[aside].mean(), np.median(half[aside])])
        prior, nearest, none, coverage, half = np.mean(table, axis=0)
        worst = np.max(table, axis=0)[0]
        print(
            f"{name:24} {count:3} measurements: {100 * prior:5.1f} % (worst draw {100 * worst:.1f}), "
            f"nearest scaled {100 * nearest:5.1f}, no prior {100 * none:5.1f}; inside {coverage:.0%}, "
            f"half-width {100 * half:.0f} %", flush=True
        )  # fmt: skip
        known = suggested[:count]
        aside = np.setdiff1d(np.arange(len(c)), known)
        mean, sd = DevicePosterior(seen(views_of, c, known), scales).predict(every)
        errors, inside = (
            np.abs(np.expm1(mean - measured))[aside],
            np.abs(mean - measured)[aside] <= NORMAL_90 * sd[aside],
        )
        print(f"{name:24} {count:3} suggested:    {100 * errors.mean():5.1f} %; inside {inside.mean():.0%}, "
              f"half-width {100 * NORMAL_90 * np.median(sd[aside]):.0f} %", flush=True)  # fmt: skip


def judge_mlc(device: Device, scales: dict[str, float]) -> None:
    """Print errors of what MLC alone would tell of the device: peaks of reads and of mixes, idle latency."""
    name, c, habit = device
    family, device = shipped_family(without=[name]), load_profile(name)
    context, truth = mlc_of(c, device), np.log(c.bandwidth_mib_s)
    empty = c.take(np.zeros(0, dtype=int))
    kinds = [kind_of(device)] if kind_of(device) in family.kinds else list(family.kinds)
    seen_as = views(family, habit, kinds)
    known = {name: known_of(view.family, view.kind, empty, context, 6.0) for name, view in seen_as.items()}
    posterior = DevicePosterior(known, scales, weights={name: view.weight for name, view in seen_as.items()})
    mean, sd = posterior.predict({name: view.family.points(c, view.kind) for name, view in seen_as.items()})
    errors = 100 * np.abs(np.expm1(mean - truth))
    peaks = [(name, pattern) for name in np.unique(c.operation) for pattern in np.unique(c.pattern)]
    cells = [(c.operation == name) & (c.pattern == pattern) for name, pattern in peaks]
    tops = [100 * abs(np.exp(mean[cell].max() - truth[cell].max()) - 1) for cell in cells if np.any(cell)]
    inside = np.mean(np.abs(mean - truth) <= NORMAL_90 * sd)
    print(
        f"{name:24} MLC alone: {errors.mean():.1f} % (median {np.median(errors):.1f}), peak of each operation and "
        f"pattern {np.mean(tops):.1f} %, load sequential {tops[1]:.1f} %; inside {inside:.0%}"
    )


def mlc_of(c: Configurations, device: Profile) -> Context:
    """What MLC would print of a device: it moves sequential data with all threads."""
    top = {
        name: c.bandwidth_mib_s[(c.operation == name) & (c.pattern == "sequential")].max()
        for name in ("load", "store", "ntstore")
    }
    triad = 1.0 / (2 / 3 / top["load"] + 1 / 3 / top["ntstore"])
    peaks = Peak(1.0, False, top["load"]), Peak(0.5, False, 2.0 * top["store"]), Peak(2 / 3, True, triad)
    idle = Latency("load", "random", 64, device.idle_latency_ns["load", "random"])
    return Context(peaks=peaks, latencies=(idle,))


def _error(told: np.ndarray, measured: np.ndarray, aside: np.ndarray) -> float:
    return float(np.where(np.isnan(told), 1.0, np.abs(np.expm1(told - measured)))[aside].mean())


def fit_scales(devices: list[Device], evaluations: int) -> dict[str, float]:
    """The scales of greatest evidence, with a weak prior (a factor of two) around those of the code."""
    from scipy.optimize import minimize

    names, start = list(SCALES), np.log(list(SCALES.values()))
    known = []
    for name, c, context in devices:
        rows = np.random.default_rng(0).permutation(len(c))[:110]
        family = shipped_family(without=[name])
        known.append(seen(views(family, context, list(family.kinds)), c, rows))

    def cost(logs: np.ndarray) -> float:
        scales = dict(zip(names, np.exp(logs), strict=True))
        return 0.5 * np.sum(((logs - start) / 0.7) ** 2) - sum(DevicePosterior(of, scales).log_evidence for of in known)

    result = minimize(cost, start, method="L-BFGS-B", options={"maxiter": evaluations})
    return dict(zip(names, np.exp(result.x).round(4).tolist(), strict=True))


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("devices", nargs="+", metavar="PROFILE=FILE[:MACHINE]")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--fit", type=int, default=0, metavar="ITERATIONS")
    parser.add_argument("--others", action="store_true", help="scales of each device fitted to the other devices alone")
    parser.add_argument("--none", action="store_true", help="fits without a prior as well (slow)")
    asked = parser.parse_args(words)
    devices = [device_of(text) for text in asked.devices]
    if asked.fit and not asked.others:
        print(fit_scales(devices, asked.fit))
    for device in devices:
        scales = SCALES
        if asked.others:
            scales = fit_scales([each for each in devices if each[0] != device[0]], asked.fit or 15)
        judge_mlc(device, scales)
        judge(device, asked.draws, scales, asked.none)


if __name__ == "__main__":
    main()
