"""Benchmarks that compare the speed of implementations of the same work, in this process."""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.bench import Request
from pmtwin.bench.timing import PROCESSOR, WALL, Sample, Work, quotients, rates, sample_in_turn, was_disturbed
from pmtwin.console.output import counted, message, print_table
from pmtwin.console.progress import progress
from pmtwin.sim.numerics.statistics import spread


class Case(NamedTuple):
    """Warmed-up contenders that do the same work; the first is compared with each other one."""

    name: str
    contenders: dict[str, Work]


def measure(unit: str, cases: list[Case], request: Request, several_cores: bool = False) -> dict:
    """Rates of all contenders, and ratios of the speed of each case's first contender to the others'.

    Args:
        unit: unit of work, such as requests.
        cases: the cases.
        request: repeats and seconds of the samples.
        several_cores: whether a contender uses several cores; adds ratios by the wall clock.
    """
    results, disturbed = [], False
    with progress(desc="samples", total=request.repeats * sum(len(case.contenders) for case in cases)) as bar:
        for case in cases:
            samples = sample_in_turn(case.contenders, request.repeats, request.seconds, bar.update)
            disturbed |= was_disturbed(samples)
            results.append(_result(case, samples, several_cores))
    if disturbed:
        message(
            "pmtwin bench: something else used the processors meanwhile, and the caches with them: repeat when idle"
        )
    return {
        "unit": f"{unit} per core and second of processor time",
        "seconds": request.seconds,
        "disturbed": disturbed,
        "results": results,
    }


def _result(case: Case, samples: dict[str, list[Sample]], several_cores: bool) -> dict:
    first, *others = samples
    result = {"case": case.name, "rates": {name: rates(some) for name, some in samples.items()}}
    for key, clock in {"ratios": PROCESSOR, **({"wall_clock_ratios": WALL} if several_cores else {})}.items():
        result[key] = {f"{first}/{other}": spread(quotients(samples[first], samples[other], clock)) for other in others}
    return result


def show(report: dict) -> None:
    """Print rates and ratios as a table."""
    print(f"{report['benchmark']}: {report['unit']}; median of {counted(report['repeats'], 'sample')} (least to most)")
    rows = []
    for result in report["results"]:
        by_wall = "wall_clock_ratios" in result
        for name, value in result["rates"].items():
            seen = f"{value['wall_clock_median']:,.0f} a second by the wall clock" if by_wall else ""
            rows.append((result["case"], name, value["median"], value["min"], value["max"], seen))
        for key, words in {"ratios": "times", "wall_clock_ratios": "times by the wall clock"}.items():
            for name, value in result.get(key, {}).items():
                rows.append((result["case"], name, value["median"], value["min"], value["max"], words))
    print_table(rows, ("case", "what", "median", "least", "most", ""))
