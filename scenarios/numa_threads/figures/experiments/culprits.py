"""Why Smart Scheduler fails on mixtures in the paper: one thing at a time differs from how it is built here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pmtwin.figures.experiments.parallel import environment_seed, run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.numa_threads.figures.experiments.programs import program, program_scenario
from pmtwin.scenarios.numa_threads.figures.experiments.subject import subject
from pmtwin.scenarios.numa_threads.options import CHANGES, LEVELS, LOADS, OWN, PRINTED, NumaOptions
from pmtwin.scenarios.numa_threads.scenario import NumaThreads

WORKLOADS = ("fillrandom", "readseq", "mixed-50")
SMART, RULE = "linucb", "rule"


@dataclass(frozen=True)
class Variant:
    """What differs.

    Args:
        group: factor. name: what it is set to. policy: spec of Smart Scheduler.
        decisions, kernel, whole: options of decisions, of the kernel and of the scenario that differ.
    """

    group: str
    name: str
    policy: str = SMART
    decisions: dict[str, Any] = field(default_factory=dict)
    kernel: dict[str, Any] = field(default_factory=dict)
    whole: dict[str, Any] = field(default_factory=dict)

    def of(self, options: NumaOptions) -> NumaOptions:
        """The options with what differs."""
        decisions, kernel = replace(options.decisions, **self.decisions), replace(options.kernel, **self.kernel)
        return replace(options, decisions=decisions, kernel=kernel, **self.whole)


def _printed(group: str, name: str, unit: str, **more: Any) -> Variant:
    return Variant(group, name, decisions={"reward_form": PRINTED, "local_unit": unit, **more})


VARIANTS = (
    Variant("as built", "normalised reward"),
    Variant("level in the reward", "shares, with levels", decisions={"reward_form": LEVELS}),
    Variant("level in the reward", "count, with changes", decisions={"reward_form": CHANGES}),
    _printed("as printed", "local accesses in accesses", "accesses"),
    _printed("as printed", "in thousands", "thousands"),
    _printed("as printed", "in millions", "millions"),
    _printed("as printed", "without the level", "accesses", local_weight=0.9, bandwidth_weight=0.0),
    Variant("zero start", "untried actions earn 1", "linucb:untried=1"),
    Variant("zero start", "as the action before", "linucb:new_arms=neighbour"),
    Variant("alpha", "0", "linucb:alpha=0"),
    Variant("alpha", "3", "linucb:alpha=3"),
    Variant("trigger", "on loads only", decisions={"counted": LOADS}),
    Variant("way back", "to the other node too", decisions={"way_back": True}),
    Variant("credit", "each decision's own threads", decisions={"credit": OWN}),
    Variant("noise", "counters 10 %", decisions={"counter_noise": 0.1}),
    Variant("noise", "counters 50 %", decisions={"counter_noise": 0.5}),
    Variant("kernel", "without balance", kernel={"balance": False}),
    Variant("start of threads", "all far", whole={"start": "far"}),
    Variant("directory", "none", whole={"directory_writes": False}),
)


def compute(work: Work) -> dict:
    """`runs`: a row for each variant and workload: `smart_s`, `rule_s`: real time of a program.

    One seed: runs of other seeds differ by less than a hundredth.
    """
    setting, options = work.setting, subject(work).options
    seed, numbers = environment_seed(setting.seed), range(len(VARIANTS))
    tasks = [(options, number, name, seed) for name in WORKLOADS for number in numbers]
    with work.progress(total=len(tasks), desc="variants") as bar:
        return {"runs": run_tasks(_run, tasks, setting.jobs, bar.update)}


def _run(options: NumaOptions, number: int, workload: str, seed: int) -> dict:
    variant = VARIANTS[number]
    scenario = program_scenario(NumaThreads(variant.of(options)))
    smart, rule = (program(scenario, workload, spec, seed, None)["real_s"] for spec in (variant.policy, RULE))
    place = {"group": variant.group, "variant": variant.name, "workload": workload}
    return place | {"smart_s": smart, "rule_s": rule}
