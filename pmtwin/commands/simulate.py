"""Run a scenario at one setting, or uncontrolled, and show what its windows were like."""

from __future__ import annotations

import numpy as np

from pmtwin.config.record import run_record, run_table
from pmtwin.config.validity_warnings import validity_exit_code
from pmtwin.console.output import TAIL_HEADER, informative, print_table, print_text, tail_rows
from pmtwin.console.overwrite_guard import LATENCIES, check_output
from pmtwin.console.progress import progress
from pmtwin.evaluation.notes import extrapolation, known_device, too_little
from pmtwin.evaluation.results import Result
from pmtwin.sim.common.number_forms import percent
from pmtwin.simulation.config import Config
from pmtwin.simulation.explanation import check_explained, explanation, print_explanation

__all__ = ["Config", "run"]


def run(config: Config) -> int:
    """Simulate and print; returns 0, or 1 if too many windows of a real system have a validity warning."""
    result = result_of(config)
    result.print(config.json)
    return validity_exit_code(result["validity_warnings"])


def result_of(config: Config) -> Result:
    """Simulate, and write the file of latencies if the configuration names one."""
    from pmtwin.scenarios.simulation.simulation import simulate, write_latencies

    if config.dump_latencies:
        check_output(config.dump_latencies, "--dump-latencies", LATENCIES, config.force)
    if config.explain:
        check_explained(config.scenario)
    env = config.environment()
    total = config.windows * max(config.scenario.devices, 1)
    with progress(desc="simulate", total=total, unit="window") as bar:
        result, requests = simulate(
            env, config.windows, config.seed, bool(config.dump_latencies), bar.update, config.warned_share
        )
    if config.dump_latencies:
        write_latencies(config.dump_latencies, requests)
    if config.explain:
        result["explain"] = explanation(config.environment(), config.windows, config.seed)
    result["known_device"] = known_device(config.scenario)
    run_configuration = dict(result["configuration"])
    result["configuration"] |= run_record(config)
    return Result(result, lambda: _print_tables(result, run_configuration, config, env.context), lambda: _rows(result))


def _rows(result: dict) -> list[dict]:
    """A row for the reward and each measure."""
    return [{"measure": name, **summary} for name, summary in _summaries(result).items()]


def _summaries(result: dict) -> dict[str, dict]:
    return {name: value for name, value in result.items() if isinstance(value, dict) and "median" in value}


def _print_tables(result: dict, configuration: dict, config: Config, context: int | str) -> None:
    summaries = _summaries(result)
    names = ("reward", *(measure.name for measure in config.scenario.measures))
    empty = [name for name in names if result[name] is None]
    if summaries:
        quartiles = [key for key in next(iter(summaries.values())) if key != "median_by_sample"]
        print_table(
            [(name, *(value[key] for key in quartiles)) for name, value in summaries.items()],
            ("per window", *quartiles),
        )
        print()
    if config.scenario.devices > 1 and summaries:
        print_table(_spread_over_samples(summaries), ("median of a sample", "5 %", "50 %", "95 %"))
        print()
    if "latency" in result:
        tails = {name: tail for name, tail in result["latency"].items() if tail["requests"]}
        requests = [(name, *row) for name, tail in tails.items() for row in tail_rows(tail)]
        print_table(*informative(requests, ("requests", *TAIL_HEADER)))
        print()
    apart = (*names, "interval", "explain", "extrapolated", "short_share", "known_device", "attainment_by_sample")
    plain = {name: value for name, value in result.items() if not isinstance(value, dict) and name not in apart}
    if result.get("attainment") is not None:
        plain["attainment"] = _attainment(result)
    plain |= {"goals": "; ".join(map(str, config.scenario.goals))} if config.scenario.goals else {}
    about = run_table(plain, configuration, config.scenario, [context])
    goal_options = config.scenario.goal_options.values()  # the row of goals has them
    print_table([row for row in about.items() if row[0] not in goal_options], ("run", ""))
    if empty:
        print(f"no window could show: {', '.join(empty)}")
    if "interval" in result:
        print_text(f"low and high: {result['interval']}")
    if result.get("attainment_interval"):
        print_text(f"attainment: 95 % interval {result['attainment_interval']['over']}")
    if result["known_device"]:
        print_text(result["known_device"])
    settings = None if config.setting is None else [config.setting or config.scenario.initial_setting]
    if note := extrapolation(config.scenario, [context], result["extrapolated"], settings):
        print_text(note)
    if short := too_little(result.get("short_share", 0.0)):
        print_text(short)
    print("(--json: the whole configuration)")
    if config.explain:
        print_explanation(result["explain"], config.windows, [each.name for each in config.scenario.compared])


def _attainment(result: dict) -> str:
    """The share of windows that keep all goals, with its interval, as evaluations have it."""
    ends = result["attainment_interval"]
    interval = "" if ends is None else f" [{100 * ends['low']:.1f}–{100 * ends['high']:.1f}]"
    return f"{percent(result['attainment'])} of windows{interval}"


def _spread_over_samples(summaries: dict[str, dict]) -> list[tuple]:
    """Rows of name, and of the medians of the sampled hosts or devices the 5th, 50th and 95th percentile."""
    rows = []
    for name, value in summaries.items():
        medians = [each for each in value["median_by_sample"] if each is not None]
        if medians:
            rows.append((name, *np.percentile(medians, (5, 50, 95)).tolist()))
    return rows
