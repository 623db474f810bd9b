"""What the paper leaves open, one thing changed at a time: the system, and how the network learns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pmtwin.pipeline.step import Work
from pmtwin.scenarios.lustre_tuning.figures.experiments.controls import BY_MINUTE, FIXED
from pmtwin.scenarios.lustre_tuning.figures.experiments.runs import Case, computed
from pmtwin.scenarios.lustre_tuning.figures.experiments.subject import subject
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import DQN, FILES, LONGEST, PAPER


class Change(NamedTuple):
    """What is assumed otherwise.

    Fields:
        name: in words. options, cluster, disk: options that differ.
    """

    name: str
    options: Mapping[str, Any] = {}
    cluster: Mapping[str, Any] = {}
    disk: Mapping[str, Any] = {}


AS_BUILT = "as built"
SYSTEMS = (
    Change(AS_BUILT),
    Change("spread 0.5", {"spread": 0.5}),
    Change("spread 0", {"spread": 0.0}),
    Change("data 10 GB", {"data_gb": 10.0}),
    Change("data 1000 GB", {"data_gb": 1000.0}),
    Change("reads and writes of 4 KiB", {"io_bytes": 4096}),
    Change("reads and writes of 64 KiB", {"io_bytes": 65_536}),
    Change("8 MiB dirty", cluster={"dirty_mb": 8.0}),
    Change("128 MiB dirty", cluster={"dirty_mb": 128.0}),
    Change("32 threads a server", cluster={"server_threads": 32}),
    Change("512 threads a server", cluster={"server_threads": 512}),
    Change("drive's patience 0.5 s", disk={"drive_patience_ms": 500.0}),
    Change("drive's patience without end", disk={"drive_patience_ms": 1e9}),
    Change("drive of 1 command", disk={"drive_depth": 1}),
    Change("no foreign traffic", cluster={"foreign_s": 0.0}),
)
WORKLOADS = (LONGEST, FILES)
WINDOWS = (8, 16, 64, 256)
FIXED_SPECS = {window: f"fixed:{window},0" for window in WINDOWS}
SYSTEM_H, LEAST_SETTLED_H = 0.5, 0.05
"""Hours of a run, and those at its begin that do not count."""

LEARNING = {
    "default": DQN,
    "reward: change": f"{DQN}:reward=change",
    "discount 0.99": f"{DQN}:discount=0.99",
    "an action every window": f"{DQN}:hold=1,seen=10,exploration-actions=3000",
    "no double Q": f"{DQN}:double=no",
    "256 units": f"{DQN}:units=256",
    "as printed, 64 units": f"{PAPER},units=64",
    "code, 64 units, 1 step": f"{DQN}:preset=code,units=64,steps=1",
    "as printed, level": f"{PAPER},units=64,reward=level",
}
"""Changes of how the network learns -> policy."""


def systems(work: Work) -> dict:
    """`runs` at fixed windows without a limit of the rate; label: the change."""
    disk = subject(work).options.cluster.hard_disk
    cases = []
    for change in SYSTEMS:
        cluster = {**change.cluster, "hard_disk": replace(disk, **change.disk)}
        for name in WORKLOADS:
            if "io_bytes" in change.options and name == FILES:
                continue  # it has units of its own
            cases += [
                Case(name, spec, SYSTEM_H, change.name, {**change.options, **BY_MINUTE}, cluster)
                for spec in FIXED_SPECS.values()
            ]
    return computed(work, cases, work.setting.campaign.seeds)


def learning(work: Work) -> dict:
    """`runs` of networks that learn otherwise, on `LONGEST`; label: the change. Then those of the default setting."""
    campaign = work.setting.campaign
    hours = campaign.open_h
    cases = [Case(LONGEST, spec, hours, name) for name, spec in LEARNING.items()]
    cases.append(Case(LONGEST, FIXED, hours, options=BY_MINUTE))
    return computed(work, cases, campaign.open_seeds)
