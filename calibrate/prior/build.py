"""Profile of a sparsely measured device: the family's prior, updated by its measurements, tabulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.calibrate.build import Calibration, versions
from pmtwin.calibrate.context import Context
from pmtwin.calibrate.disturbed import kept_text
from pmtwin.calibrate.identification import not_identified
from pmtwin.calibrate.latencies import DeviceLatencies, device_latencies, shortest_accesses
from pmtwin.calibrate.measurements import Configurations, Measurements, group, noise_percent
from pmtwin.calibrate.mechanism import MechanismFit, bounds_of, fit_mechanism
from pmtwin.calibrate.mixes import mix_errors
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.prior.family import Family, shipped_family, surface
from pmtwin.calibrate.prior.habits import View
from pmtwin.calibrate.prior.knowledge import knowledge_of
from pmtwin.calibrate.prior.modes import uncertainty_of
from pmtwin.calibrate.prior.observed import grid, idle_read_ns, random_read_ns
from pmtwin.calibrate.prior.process import DevicePosterior
from pmtwin.calibrate.prior.tables import PosteriorTables, intervals_of
from pmtwin.calibrate.settings import FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT, FitSettings
from pmtwin.calibrate.specification import free_names
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES
from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.device.parameters import NEVER_FITTED
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.statistics import NORMAL_90

MOST_CONFIGURATIONS = 500

FIT_EVALUATIONS = 40

CONTRADICTION = 0.1
"""Difference between measured and predicted idle latency, in log, above which a note reports the contradiction."""


def calibrate_few(
    measurements: Measurements,
    name: str,
    device: str,
    dimms: int | None = None,
    family: Family | None = None,
    seed: int = 0,
    command: str | None = None,
) -> Calibration:
    """Calibrate a device with the prior over the shipped ones.

    Args:
        dimms: number of modules of the profile where no configuration was measured; None: a full set.
        family: the devices of the prior; None for all shipped.
        seed, command: written to the profile's record.

    Raises:
        InputError: no measurement of bandwidth or latency, or so many that no prior is needed.
    """
    check_few(group(measurements)[0], measurements)
    family = family or shipped_family()
    known = knowledge_of(measurements, family, dimms)
    c, context, posterior = known.configurations, measurements.context, known.posterior
    likeliest = _likeliest(known.views, posterior)
    kind = likeliest.kind
    tables = [PosteriorTables.from_knowledge(known, dimms) for dimms in known.sets]
    parameters = {name: _mechanism(name, likeliest, tables[-1]) for name in OPERATIONS}
    latencies = _latencies(family.kinds[kind], measurements, parameters)
    profile = Profile(
        name=name,
        device=device,
        parameters=parameters,
        fitted_range={name: [box for table in tables for box in table.boxes()] for name in OPERATIONS},
        idle_latency_ns=latencies.idle_ns,
        queue_line_ns=latencies.queue_line_ns,
        tail=latencies.tail,
        residual={
            "form": "exp(r) on the law; r so that both give the posterior mean of the family's process, tabulated",
            "operations": {
                name: [cell for table in tables for cell in table.residual(name, parameters[name])]
                for name in OPERATIONS
            },
        },
        intervals={"coverage": 0.9, "operations": {name: intervals_of(name, tables) for name in OPERATIONS}},
        uncertainty=uncertainty_of(known, tables[-1].power_w, context.media or kind),
    )
    noise = noise_percent(measurements, c, known.index)
    record = _record(measurements, c, noise, family, posterior, kind, latencies)
    record |= {"seed": seed, "bootstrap": 0, "command": command, "versions": versions()}
    profile = replace(profile, record=record)
    profile.record["notes"] += _contradictions(profile, context, known.sets[-1])
    profile.record["mixes"] = mix_errors(profile, context.mixes)
    return Calibration(profile, measurements, c, noise, {}, {})


def _contradictions(profile: Profile, context: Context, dimms: float) -> list[str]:
    """Notes on measured idle latencies that differ from the prediction, which follows from one thread's bandwidth."""
    notes = []
    for key in sorted({(each.operation, each.pattern) for each in context.latencies}):
        shortest = shortest_accesses(context, *key)
        size, measured_ns = shortest[0].access_size_bytes, float(np.median([each.latency_ns for each in shortest]))
        point = grid(key[:1], key[1:], (size,), (1.0,), dimms)
        columns = {name: getattr(point, name) for name in ("operation", "pattern", "access_size_bytes", "threads")}
        told_ns = float(predict(profile, columns | {"dimms": point.dimms, "power_w": point.power_w})["latency_ns"][0])
        if abs(np.log(told_ns / measured_ns)) > CONTRADICTION:
            said = f"{told_ns:.0f} ns, the time per access at the bandwidth of one thread"
            notes.append(f"idle latency of {' '.join(key)}: {measured_ns:.0f} ns measured; predict says {said}")
    return notes


def check_few(c: Configurations, measurements: Measurements) -> None:
    """Raise `InputError` if there is no usable measurement, or so many configurations that no prior is needed."""
    context = measurements.context
    if not (len(c) or context.peaks or context.loaded or context.latencies):
        told = [f"{rows} dropped: {reason}" for reason, rows in sorted(measurements.dropped.items())]
        if beside := len(context.mixes) + len(context.varied):
            told.insert(0, f"{beside} mixes and effects, which need pure accesses beside them")
        reasons = "; ".join(told)
        allowed = "at least one bandwidth, peak or latency"
        raise InputError("usable rows", 0, f"{allowed} ({reasons})" if reasons else allowed, wrong="are too few")
    if len(c) > MOST_CONFIGURATIONS:
        allowed = f"at most {MOST_CONFIGURATIONS} configurations; more need no prior (--prior none)"
        raise InputError("prior", f"family, {len(c)} configurations", allowed)


def _record(
    measurements: Measurements,
    c: Configurations,
    noise: np.ndarray,
    family: Family,
    posterior: DevicePosterior,
    kind: str,
    latencies: DeviceLatencies,
) -> dict:
    context, errors = measurements.context, _left_out(posterior, c)
    return {
        "sources": [vars(source) for source in measurements.sources],
        "usable_rows": len(measurements),
        "dropped_rows": dict(sorted(measurements.dropped.items())),
        "configurations": len(c),
        "noise_floor_percent": ape(np.log1p(noise / 100.0)) if noise.size else None,
        "media": context.media or kind,
        **({"dimms_assumed": True} if context.dimms_assumed else {}),
        "notes": [*filter(None, [kept_text(measurements)]), *context.notes, *_notes(family, posterior, c, kind)],
        "too_few_configurations": {},
        "not_identified": _unknown(c, measurements, latencies),
        "unmeasured_operations": [name for name in OPERATIONS if not np.any(c.operation == name)],
        "parameters": {name: {} for name in OPERATIONS},
        "errors_percent": {name: _error_table(errors[name]) for name in OPERATIONS if name in errors},
        "errors_percent_all": {"predict": ape(np.concatenate([each[:, 0] for each in errors.values()]))}
        if errors
        else None,
        "published": latencies.sources,
        "prior": {
            "family": sorted(each.name for members in family.kinds.values() for each in members),
            "shares": {
                f"{kin}, {factor:g} times as unlike": round(share, 3)
                for (kin, factor), share in posterior.share.items()
            },
        },
    }


def _likeliest(views_by_name: dict[str, View], posterior: DevicePosterior) -> View:
    """The likeliest view of the likeliest kind of memory."""
    share = dict.fromkeys(views_by_name, 0.0)
    for (name, _), part in posterior.share.items():
        share[name] += part
    kinds = {view.kind for view in views_by_name.values()}
    kind = max(
        sorted(kinds), key=lambda each: sum(share[name] for name, view in views_by_name.items() if view.kind == each)
    )
    of_kind = (name for name, view in views_by_name.items() if view.kind == kind)
    return views_by_name[max(of_kind, key=lambda name: share[name])]


def _mechanism(operation: str, view: View, tables: PosteriorTables) -> dict[str, float]:
    """Parameters of the law, fitted to the posterior mean; the fit starts at the most similar device of the kind."""
    knots = tables.operation_knots(operation)
    members = [each for each in view.family.kinds[view.kind] if operation in each.parameters]
    nearest = min(members, key=lambda each: _unlikeness(surface(each, knots)[0] - np.log(knots.bandwidth_mib_s)))
    start = nearest.parameters[operation]
    held = {name: start[name] for name in NEVER_FITTED if name in start}
    free = free_names(operation, power_varies=False)
    low, high = bounds_of(free)
    logs = np.clip(np.log([max(start[name], 1e-12) for name in free]), low, high)
    settings = FitSettings(FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT, held)
    begun = MechanismFit(operation, dict(start), free, logs, settings)
    return fit_mechanism(operation, knots, begun, max_evaluations=FIT_EVALUATIONS).parameters


def _unlikeness(log_ratio: np.ndarray) -> float:
    return float(np.nanstd(log_ratio))


def _left_out(posterior: DevicePosterior, c: Configurations) -> dict[str, np.ndarray]:
    if len(c) < 2:
        return {}
    mean, deviation = posterior.left_out(len(c))
    miss, half = mean - np.log(c.bandwidth_mib_s), NORMAL_90 * deviation
    table = np.column_stack([miss, np.abs(miss) <= half, half])
    return {name: table[c.operation == name] for name in OPERATIONS if np.any(c.operation == name)}


def _error_table(errors: np.ndarray) -> dict:
    return {
        "fit": {"configurations": len(errors)},
        "unseen_configurations": {"configurations": len(errors), "predict": ape(errors[:, 0])},
        "coverage_90": {"configurations": round(float(errors[:, 1].mean()), 3)},
        "median_half_width": {"configurations": round(100.0 * float(np.median(errors[:, 2])), 2)},
    }


def _latencies(
    members: list[Profile], measurements: Measurements, parameters: dict[str, dict[str, float]]
) -> DeviceLatencies:
    """Measured latencies; where one is missing, that of the device of the kind with the most similar idle read latency.

    The read latencies of that device are scaled to the measured one, or to the geometric mean of the kind.
    """
    context = measurements.context
    measured = random_read_ns(context)
    size = measured[1] if measured else CACHE_LINE_BYTES
    reads_ns = {each.name: idle_read_ns(each, size) for each in members}
    typical = measured[0] if measured else float(np.exp(np.mean(np.log(list(reads_ns.values())))))
    like = min(members, key=lambda each: abs(np.log(reads_ns[each.name] / typical)))
    slower = typical / reads_ns[like.name]
    loads = {key: ns * slower for key, ns in like.idle_latency_ns.items() if key[0] == "load"}
    like = replace(like, idle_latency_ns=dict(like.idle_latency_ns) | loads)
    further_line_ns = {name: values["further_line_ns"] for name, values in parameters.items()}
    return device_latencies(OPERATIONS, context, further_line_ns, like)


def _unknown(c: Configurations, measurements: Measurements, latencies: DeviceLatencies) -> list[str]:
    measured = [name for name in OPERATIONS if np.any(c.operation == name)]
    return not_identified(c, measured, measurements.context, latencies.sources, filled="from the family alone")


def _notes(family: Family, posterior: DevicePosterior, c: Configurations, kind: str) -> list[str]:
    devices = sum(len(members) for members in family.kinds.values())
    notes = [f"prior over {devices} shipped devices; {len(c)} configurations; seen as {kind}"]
    if devices < 5 or any(len(members) < 5 for members in family.kinds.values()):
        notes.append("fewer than five devices of a kind inform the prior: how unlike a new one may be is assumed")
    return notes
