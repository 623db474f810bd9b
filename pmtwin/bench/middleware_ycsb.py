"""`pmtwin bench middleware --ycsb`: YCSB's mixes through the middleware, against direct calls by the same clients."""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.bench import Request
from pmtwin.bench.middleware import IN_MEMORY
from pmtwin.console.output import message, print_table
from pmtwin.machine.native_programs import run_program
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.statistics import median_interval

MIXES = {
    "A": "half reads, half updates",
    "B": "95 % reads, 5 % updates",
    "C": "reads",
    "D": "95 % reads of the latest records, 5 % inserts",
    "F": "half reads, half reads with an update of the same record",
}
"""Core workloads of YCSB (Cooper et al., SoCC 2010) that need no scans."""

SIDES = ("raw", "middleware")
QUANTITIES = {"ops_per_s": "requests/s", "p99_us": "p99 us"}


def check_mixes(named: Sequence[str]) -> str:
    """Letters of the named mixes in order; all of `MIXES` for no names.

    Raises:
        InputError: for an unknown mix, or one named twice.
    """
    letters = [name.upper() for name in named] or list(MIXES)
    for name, letter in zip(named, letters, strict=False):
        if letter not in MIXES:
            scans = " (E scans, which pmemkv's cmap cannot)" if letter == "E" else ""
            raise InputError("--ycsb", name, ", ".join(MIXES) + scans)
        if letters.count(letter) > 1:
            raise InputError("--ycsb", name, "each mix once")
    return "".join(sorted(letters))


def measure(request: Request, named: Sequence[str]) -> dict:
    """Throughput and p99 of each mix and store through the middleware and by direct calls, in turn, `repeats` times.

    200 concurrent clients request one of 10,000 records of 1000 bytes, chosen as by YCSB; a read with an update counts
    as two requests.

    Returns:
        `ycsb`: the mixes; `rows`: for each mix and store the `QUANTITIES` of `raw` and `middleware`, and as `over_raw`
        the ratios middleware / raw within a round; each as a median with an interval over rounds (`median`, `low`,
        `high`, `confidence`), or None if no round has answers of both sides.

    Raises:
        InputError: for an unknown mix, or a directory that cannot be used.
        MissingDependencyError: if the program was not built.
    """
    letters = check_mixes(named)
    message(f"pmtwin bench middleware: {request.repeats} rounds of YCSB {', '.join(letters)}")
    options = [f"--ycsb={letters.lower()}", f"--repeats={request.repeats}", f"--seconds={request.seconds}"]
    cases = run_program("pmtwin-middleware-bench", request.path, options, IN_MEMORY)["cases"]
    raw = {(case["group"], case["engine"]): case for case in cases if case["access"] == "raw"}
    rows = [_row(raw[case["group"], case["engine"]], case) for case in cases if case["access"] != "raw"]
    return {"seconds": request.seconds, "path": request.path, "ycsb": list(letters), "rows": rows}


def show(report: dict) -> None:
    """Print a line for each mix and store."""
    rows = []
    for row in report["rows"]:
        cells = []
        for name in QUANTITIES:
            cells += [_number(row[side][name]) for side in SIDES] + [_ratio(row["over_raw"][name])]
        rows.append((row["mix"], row["store"], *cells))
    heads = [head for unit in QUANTITIES.values() for head in (f"raw {unit}", f"middleware {unit}", "ratio")]
    print_table(rows, ("mix", "store", *heads))
    known = [row["over_raw"]["p99_us"]["confidence"] for row in report["rows"] if row["over_raw"]["p99_us"]]
    if known:
        print(
            f"ratios middleware / raw within a round; intervals hold the true one in {100 * min(known):.0f} % at least"
        )
    for letter in report["ycsb"]:
        print(f"{letter}: {MIXES[letter]}")


def _row(raw: dict, through: dict) -> dict:
    rounds = [
        (_measured(left), _measured(right))
        for left, right in zip(raw["samples"], through["samples"], strict=True)
        if left["requests"] and right["requests"] and left["p99_us"] > 0 and right["p99_us"] > 0
    ]
    sides = {
        side: {name: _interval([pair[k][name] for pair in rounds], 1) for name in QUANTITIES}
        for k, side in enumerate(SIDES)
    }
    ratios = {name: _interval([right[name] / left[name] for left, right in rounds], 3) for name in QUANTITIES}
    place = {"mix": through["group"].removeprefix("ycsb-").upper(), "store": through["engine"]}
    return (
        place
        | {"queue": through["access"], "workers": through["workers"], "clients": through["clients"]}
        | (sides | {"over_raw": ratios, "rounds": len(rounds)})
    )


def _measured(sample: dict) -> dict[str, float]:
    return {"ops_per_s": sample["requests"] / sample["wall_s"], "p99_us": sample["p99_us"]}


def _interval(values: Sequence[float], digits: int) -> dict[str, float] | None:
    if not values:
        return None
    interval = median_interval(values)
    return {name: round(value, 3 if name == "confidence" else digits) for name, value in interval.items()}


def _number(interval: dict | None) -> str:
    return "-" if interval is None else f"{interval['median']:.0f}"


def _ratio(interval: dict | None) -> str:
    return "-" if interval is None else f"{interval['median']:.2f} ({interval['low']:.2f} to {interval['high']:.2f})"
