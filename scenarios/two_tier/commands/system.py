"""`pmtwin simulate two-tier --example table-vii`: the whole system of section III, beside the published times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from pmtwin.config.record import run_record
from pmtwin.console.output import print_table
from pmtwin.console.progress import progress
from pmtwin.evaluation.results import Result
from pmtwin.scenarios.two_tier.options import ANALYTIC, TwoTierOptions
from pmtwin.scenarios.two_tier.scenario_options import OF_WHOLE
from pmtwin.scenarios.two_tier.storage.costs import read_costs
from pmtwin.scenarios.two_tier.storage.fluid import doubts, fluid_of
from pmtwin.scenarios.two_tier.storage.options import StorageOptions
from pmtwin.scenarios.two_tier.storage.published import SCALING
from pmtwin.scenarios.two_tier.storage.system import System
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS
from pmtwin.sim.errors import InputError

DOUBTS = "fluid_doubts"
"""Entry of a result: why the fluid limit is in doubt for this system."""

OF_SCENARIO = ("engine", "processes", "requests")
"""Options of the scenario that apply to the whole system."""


def refused_beside(example: str) -> dict[str, str]:
    """Option of the scenario without use beside an example -> reason."""
    if example not in WORKLOADS:
        return dict.fromkeys(OF_WHOLE, f"belongs to --example {' or '.join(WORKLOADS)}; remove it")
    reason = f"does not go with --example {example}, whose costs are those of the profile; remove it"
    return {field.name: reason for field in fields(TwoTierOptions) if field.name not in OF_SCENARIO}


def example_values(name: str, values: Mapping[str, object]) -> dict[str, object]:
    """Options of the scenario for a workload of the whole system; options of the user take precedence."""
    workload, defaults = WORKLOADS[name], StorageOptions()
    of_paper = {field.name: getattr(defaults, field.name) for field in fields(StorageOptions)}
    sizes: dict[str, float] = {"processes": workload.processes[0], "requests": workload.requests}
    sizes["response_goal_ms"] = TwoTierOptions().response_goal_ms  # a run to its end has no goal
    return {**of_paper, **workload.storage, **sizes, **values}


def system_result(config) -> Result:
    """Result of the whole system, simulated or by formula; its table has a row for each number."""
    result = answers(config)
    record = {"seed": config.seed} | run_record(config)
    return Result(
        result | {"configuration": record}, lambda: _print(result, config.scenario.engine), lambda: number_rows(result)
    )


def number_rows(result: Mapping) -> list[dict]:
    """Rows with `name` and `value` for each number of a result."""
    return [{"name": name, "value": value} for name, value in result.items() if isinstance(value, int | float)]


def _print(result: Mapping, engine: str) -> None:
    flat = {name: value for name, value in result.items() if not isinstance(value, dict) and value is not None}
    doubt = flat.pop(DOUBTS, "")
    print_table(flat.items(), ("the whole system", ""))
    print()
    titles = {"fluid": "fluid limit", "published": "published"}
    columns = {title: column for name, title in titles.items() if (column := result.get(name))}
    names = ("response_s", "disk_s", "completion_s")
    rows = [(name, result[name], *(column.get(name) for column in columns.values())) for name in names]
    print_table(rows, ("", "fluid limit" if engine == ANALYTIC else engine, *columns))
    if doubt:
        print(f"fluid limit: {doubt}")
    print("(--json: the whole configuration)")


def answers(config) -> dict:
    """The result without its configuration."""
    options, workload = config.scenario.options, WORKLOADS[config.example]
    threads = config.setting[0] if config.setting else workload.threads
    storage = StorageOptions(**{field.name: getattr(options, field.name) for field in fields(StorageOptions)})
    system = System(storage, read_costs()[0], options.processes, threads, options.requests)
    head = {"example": config.example, "engine": options.engine, "processes": system.processes, "threads": threads}
    compared: dict[str, object] = {"published": _published(config, system)}
    if options.engine == ANALYTIC:
        return head | fluid_of(system) | {DOUBTS: doubts(system) or None} | compared
    from pmtwin.scenarios.two_tier.storage.running import simulate_system

    with progress(desc="simulate", total=system.requests, unit="request") as bar:
        times = simulate_system(system, config.seed, options.engine, bar.update)
    try:
        compared |= {"fluid": fluid_of(system), DOUBTS: doubts(system) or None}
    except InputError:  # no formula: small caches, or pages that are not requested uniformly
        compared["fluid"] = None
    values = times._asdict()
    counts = values.pop("counts")
    return head | values | counts | compared


def _published(config, system: System) -> dict[str, float] | None:
    """The row of the paper's table for this system; None if it has none."""
    row = SCALING.get(config.example, {}).get(system.processes)
    if row is None or system != WORKLOADS[config.example].system(system.processes, system.costs):
        return None
    return {"response_s": row[0], "disk_s": row[1], "completion_s": max(row)}
