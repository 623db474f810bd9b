"""One memory used from two NUMA nodes, measured and predicted: `python -m studies.both_nodes ../shared/data`.

PerMA-Bench's 64 B accesses of 16 threads (`numa_100series_256gb.csv`), from the benchmark's own pure ends on either
node: of both nodes at once each share of writes by a fit to the others, of one node by no fit to mixes; then by
`pmtwin predict`, which does not know the benchmark's ends. Last FAST'20's figure 17 from its local column, the factor
of reads (PerMA-Bench), that of writes from remote DRAM (LATTester's `rdram`), and the directory: no number of the
remote column sets a parameter.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pmtwin.calibrate.effects.directory import BISECTIONS, SharedBench, entry_of_rows
from pmtwin.calibrate.effects.remote_mixes import THREADS, write_share
from pmtwin.calibrate.effects.rows import cell_number, read_effect_tables, records
from pmtwin.calibrate.effects.shared_rows import SharedRow, shared_rows
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.sim.device.effects.directory import SHARED_EQUALLY, Directory
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MIB
from pmtwin.sim.device.points import MIXED
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.files.csv_table import Table

PERMA, FIGURE, SWEEP = (
    "permabench/numa_100series_256gb.csv",
    "optane/fast20_17-numa.csv",
    "optane/lattester_bandwidth.csv",
)
WRITES = "store_clwb"
PLACES = {0.0: "local", SHARED_EQUALLY: "both", 1.0: "remote"}


def judge_shared(name: str, table: Table) -> None:
    """Errors of a profile's law on PerMA-Bench's accesses, from the benchmark's pure ends."""
    profile, rows = load_profile(name), shared_rows([table])
    bench = SharedBench(profile.parameters, rows, WRITES)
    entry = entry_of_rows(rows, bench)
    held = entry["parameters"]["entries_per_write"]
    low, high = entry["interval_90"]["entries_per_write"]
    print(f"\n{name}: {held:.2f} entries a media write ({low:.2f} to {high:.2f})")
    for place, called in PLACES.items():
        mine = [row for row in rows if row.remote_share == place]
        errors = np.array([np.log(bench.accesses_per_us(row, held) / row.accesses_per_us) for row in mine])
        inner = np.array([0.0 < row.write_share < 1.0 for row in mine])
        told = entry["errors_percent"][0] if called == "both" else ape(errors[inner])
        how = "each share left out" if called == "both" else "mixes, none fitted"
        print(f"  {called:6} {how}: median / mean / 90th percentile {' / '.join(f'{each:.1f}' for each in told)} %")
    both = [row for row in rows if row.remote_share == SHARED_EQUALLY]
    changes = [(row.write_share + 0.5 * (1.0 - row.write_share)) * row.accesses_per_us for row in both]
    print(f"  both: million writes and halves of reads a second, by share of writes: {np.round(changes, 1)}")


def judge_predictions(name: str, table: Table) -> None:
    """Errors and coverage of `pmtwin predict` on the same accesses, the benchmark's pure ends not known to it.

    Each row of both nodes by the entry that the others of both nodes tell.
    """
    profile, rows = load_profile(name), shared_rows([table])
    for place, called in PLACES.items():
        mine = [row for row in rows if row.remote_share == place]
        predicted = [predicted_per_us(without(profile, rows, row), row) for row in mine]
        measured = np.array([row.accesses_per_us for row in mine])
        value, low, high = np.array(predicted).T
        inside = int(np.sum((low <= measured) & (measured <= high)))
        told = " / ".join(f"{each:.1f}" for each in ape(np.log(value / measured)))
        print(f"  {called:6} predicted outright: {told} %, {inside} of {len(mine)} inside the 90 % interval")


def judge_assumptions(name: str, table: Table) -> None:
    """Errors on the rows of both nodes by what is assumed of the entries, and by which pure ends are known."""
    profile, rows = load_profile(name), shared_rows([table])
    both = [row for row in rows if row.remote_share == SHARED_EQUALLY]
    directory = profile.effects[Directory.name]["load"]
    print(f"  both, medians: entries a media write of {name}, no pure end known")
    for called, held in (("none written", np.inf), ("4", 4.0), ("as fitted to all six rows", None), ("1", 1.0)):
        changed = {} if held is None else {"entries_per_write": held}
        entry = {**directory, "parameters": {**directory["parameters"], **changed}}
        stated = replace(profile, effects={**profile.effects, Directory.name: {"load": entry}})
        ratios = [predicted_per_us(stated, row)[0] / row.accesses_per_us for row in both]
        print(f"    {called:36} {told_median(ratios)}")
    print("  both, medians: pure ends known on either node, entries fitted to the other shares of writes")
    for called, shares in (("none", ()), ("of writes", (1.0,)), ("of reads", (0.0,)), ("of both", (0.0, 1.0))):
        known = [row if row.write_share in shares else with_predicted_end(profile, row) for row in rows]
        ratios = []
        for row, same in zip(rows, known, strict=True):
            if row.remote_share == SHARED_EQUALLY:
                bench = SharedBench(profile.parameters, known, WRITES)
                entry = entry_of_rows([other for other in rows if other != row], bench)
                ratios.append(
                    bench.accesses_per_us(same, entry["parameters"]["entries_per_write"]) / row.accesses_per_us
                )
        print(f"    {called:36} {told_median(ratios)}")


def told_median(ratios: Sequence[float]) -> str:
    """Median error, and the median of the signed ones."""
    errors = 100.0 * (np.array(ratios) - 1.0)
    return f"{np.median(np.abs(errors)):.1f} % (signed {np.median(errors):+.1f} %)"


def with_predicted_end(profile: Profile, row: SharedRow) -> SharedRow:
    """The row with what is predicted in the place of what was measured, if it is a pure end of one node."""
    end = row.remote_share != SHARED_EQUALLY and row.write_share in (0.0, 1.0)
    return replace(row, accesses_per_us=predicted_per_us(profile, row)[0]) if end else row


def without(profile: Profile, rows: Sequence[SharedRow], aside: SharedRow) -> Profile:
    """The profile with the directory as all rows but one tell it."""
    if aside.remote_share != SHARED_EQUALLY:
        return profile
    entry = entry_of_rows([row for row in rows if row != aside], SharedBench(profile.parameters, rows, WRITES))
    return replace(profile, effects={**(profile.effects or {}), Directory.name: {"load": entry}})


def predicted_per_us(profile: Profile, row: SharedRow) -> tuple[float, float, float]:
    """Accesses predicted where threads read and write in turns, and the ends of the interval."""
    low, high = (0.0, 1.0) if 0.0 < row.write_share < 1.0 else (row.write_share, row.write_share)
    for _ in range(BISECTIONS):
        writing = 0.5 * (low + high)  # share of the time
        result = predict(profile, points_of(row, writing))
        read, write = (result[f"{side}_bandwidth_mib_s"][0] for side in ("read", "write"))
        low, high = (writing, high) if write < row.write_share * (read + write) else (low, writing)
    scale = MIB / row.access_size_bytes / 1e6
    value, least, most = (result[f"bandwidth_{end}mib_s"][0] * scale for end in ("", "low_", "high_"))
    return value, least, most


def points_of(row: SharedRow, writing: float) -> dict[str, np.ndarray]:
    """Columns of `pmtwin.sim.device.prediction.predict`, with a share of the threads' time that goes to writes."""
    columns = {
        "operation": MIXED,
        "pattern": "random",
        "access_size_bytes": row.access_size_bytes,
        "threads": row.threads,
        "read_threads": row.threads * (1.0 - writing),
        "write_threads": row.threads * writing,
        "write_operation": WRITES,
        "dimms": float(FULL_SET_DIMMS),
        "power_w": REFERENCE_POWER_W,
        "remote": row.remote_share,
        "last_elsewhere": SHARED_EQUALLY if row.remote_share == SHARED_EQUALLY else 0.0,
    }
    return {name: np.array([value]) for name, value in columns.items()}


def dram_factor(table: Table, operation: str, threads: int) -> float:
    """Time of random accesses from the remote node's DRAM over that from the local one's, median over the sizes."""
    speeds: dict[tuple[str, str], list[float]] = {}
    for row in records(table):
        if (row["operation"], row["task_type"], row["threads"]) == (operation, "RandBW", str(threads)):
            speeds.setdefault((row["access_size"], row["media"]), []).append(float(row["throughput"]))
    ratios = [
        np.median(speeds[size, "ldram"]) / np.median(speeds[size, "rdram"])
        for size, media in speeds
        if media == "rdram" and (size, "ldram") in speeds
    ]
    return float(np.median(ratios))


def judge_figure(figure: Table, sweep: Table) -> None:
    """Errors on figure 17's remote column by what is assumed of the directory."""
    profile = load_profile()
    directory = profile.effects["directory"]["load"]["parameters"]
    load = profile.effects["remote"]["load"]["parameters"]["time_factor"]
    rows = records(figure)
    shares = np.array([write_share(row[""]) for row in rows])
    print(f"\nfigure 17, factor of reads {load:.2f}; errors in %, by share of writes {np.round(shares, 2)}")
    for threads in THREADS:
        local, remote = (
            np.array([cell_number(row[f"Optane-{node}{threads}"], "Optane", figure.where) for row in rows])
            for node in ("", "Remote-")
        )
        write = dram_factor(sweep, "NTStore", threads)
        times = np.array([(1 - shares) / local[0], shares / local[-1]])
        factor = (times * [[load], [write]]).sum(axis=0) / times.sum(axis=0)
        print(f"  {threads} threads, factor of writes {write:.2f} (measured {local[-1] / remote[-1]:.2f})")
        entries = (1 - shares) * shares  # a read of a line that was streamed last finds no entry of the remote node
        for called, modules, held in (
            ("no directory", 1, np.inf),
            ("4 entries a write, 6 modules", 6, 4.0),
            ("1 entry a write, 6 modules", 6, 1.0),
            ("1 entry a write, all at one module", 1, 1.0),
        ):
            busy = entries * directory["line_write_ns"] / held / modules / 64.0
            predicted = 1.0 / (factor / local + busy)
            errors = 100 * (predicted / remote - 1)
            print(f"    {called:36} {np.round(errors).astype(int)}, median {np.median(np.abs(errors)):.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the published files")
    data = parser.parse_args().data
    perma, figure, sweep = read_effect_tables([data / name for name in (PERMA, FIGURE, SWEEP)])
    for name in ("optane-dcpmm-100", "optane-dcpmm-100-256gb"):
        judge_shared(name, perma)
        judge_predictions(name, perma)
        judge_assumptions(name, perma)
    judge_figure(figure, sweep)


if __name__ == "__main__":
    main()
