"""The authors' own run in the simulated cluster: the same windows, second by second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed, run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.lustre_tuning.figures.experiments.subject import subject
from pmtwin.scenarios.lustre_tuning.figures.recorded import CLIENTS, SERVERS, recorded
from pmtwin.scenarios.lustre_tuning.options import LustreOptions
from pmtwin.scenarios.lustre_tuning.workloads import WORKLOADS
from pmtwin.sim.lustre.running import start_run

WORKLOAD = "file-server"
"""Assumed: the log does not say what ran. It begins with writes alone, then 40 % of its data are reads."""

USED = 2
"""Servers that have nine tenths of the data in the log."""

SEEDS = 5
MB = 1e-6


class Variant(NamedTuple):
    """What differs in a replay.

    Fields:
        name: in words. servers: that the data lie on. kept: whether the window stays at 8. cluster, data: options.
    """

    name: str
    servers: int = USED
    kept: bool = False
    cluster: Mapping[str, Any] = {}
    data: Mapping[str, Any] = {}


REPLAYED = Variant("as logged")
VARIANTS = (
    REPLAYED,
    Variant("window stays at 8 (control)", kept=True),
    Variant("data on all four servers alike", servers=SERVERS),
    Variant("no foreign traffic", cluster={"foreign_s": 0.0}),
    Variant("data one after the other (spread 0)", data={"spread": 0.0}),
    Variant("reads without readahead", cluster={"readahead": 1}),
)
"""The log itself says on which servers the data lie; nothing else of it is an input."""


def compute(work: Work) -> dict:
    """`runs`: a row for each variant and seed, with `read_mb_s` and `write_mb_s` of each second, all servers.

    Servers that a variant leaves out have the share of the data that they have in the log.
    """
    options, seeds = subject(work).options, [environment_seed(work.setting.seed, count) for count in range(SEEDS)]
    tasks = [(options, number, seed) for number in range(len(VARIANTS)) for seed in seeds]
    with work.progress(total=len(tasks), desc="replays") as bar:
        return {"runs": run_tasks(replayed, tasks, work.setting.jobs, bar.update)}


def replayed(options: LustreOptions, number: int, seed: int) -> dict:
    """One run of a variant."""
    variant, log = VARIANTS[number], recorded()
    cluster = replace(options.cluster, clients=CLIENTS, servers=variant.servers, **variant.cluster)
    options = replace(options, cluster=cluster, **variant.data)
    run = start_run(cluster, options.load(WORKLOADS[WORKLOAD]), options.engine, seed)
    done = []
    for second, window in enumerate(log.window, 1):
        if not variant.kept:
            run.set_limits(int(window), 0.0)
        run.advance(float(second))
        done.append(run.reading().bytes.sum(axis=0) * MB)
    share = 1.0 if variant.servers == SERVERS else log.busiest(variant.servers)
    read, written = np.diff(done, axis=0, prepend=0.0).T / share
    return {"variant": variant.name, "seed": seed, "read_mb_s": _plain(read), "write_mb_s": _plain(written)}


def _plain(values: np.ndarray) -> list[float]:
    return values.round(3).tolist()
