"""One memory used from two NUMA nodes, measured and predicted: `python -m studies.both_nodes ../shared/data`.

PerMA-Bench's 64 B accesses of 16 threads (`numa_100series_256gb.csv`) by `pmtwin predict`, which does not know the
benchmark's pure ends; of both nodes at once each share of writes by entries that the others tell, then by stated ones.
Last FAST'20's figure 17 from its local column, the factor of reads (PerMA-Bench), that of writes from remote DRAM
(LATTester's `rdram`), and the directory: no number of the remote column sets a parameter.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pmtwin.calibrate.effects.directory import entry_of_rows, with_directory
from pmtwin.calibrate.effects.remote_mixes import THREADS, write_share
from pmtwin.calibrate.effects.rows import cell_number, read_effect_tables, records
from pmtwin.calibrate.effects.shared_accesses import points_of, writing_time
from pmtwin.calibrate.effects.shared_rows import SharedRow, shared_rows
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.sim.device.effects.directory import SHARED_EQUALLY, Directory
from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.files.csv_table import Table

PERMA, FIGURE, SWEEP = (
    "permabench/numa_100series_256gb.csv",
    "optane/fast20_17-numa.csv",
    "optane/lattester_bandwidth.csv",
)
PLACES = {0.0: "local", SHARED_EQUALLY: "both", 1.0: "remote"}


def judge_predictions(name: str, table: Table) -> None:
    """Errors and coverage of `pmtwin predict`, each row of both nodes by the entry that the others tell."""
    profile, rows = load_profile(name), shared_rows([table])
    entry = profile.effects[Directory.name]["load"]
    held, (low, high) = (entry[key]["entries_per_write"] for key in ("parameters", "interval_90"))
    print(f"\n{name}: {held:.2f} entries a media write ({low:.2f} to {high:.2f})")
    for place, called in PLACES.items():
        judged = [row for row in rows if row.remote_share == place]
        values, inside, ends = [], 0, {}
        for row in judged:
            value, least, most = predicted_per_us(without(profile, rows, row), row)
            values.append(value / row.accesses_per_us)
            inside += least <= row.accesses_per_us <= most
            if row.write_share in (0.0, 1.0):
                ends["reads" if row.write_share == 0.0 else "writes"] = values[-1]
        told = " / ".join(f"{error:.1f}" for error in ape(np.log(values)))
        pure = ", ".join(f"pure {kind} {ratio:.2f} of the measured" for kind, ratio in ends.items())
        print(f"  {called:6} predicted: {told} %, {inside} of {len(judged)} inside the 90 % interval; {pure}")
    both = [row for row in rows if row.remote_share == SHARED_EQUALLY]
    changes = [(row.write_share + 0.5 * (1.0 - row.write_share)) * row.accesses_per_us for row in both]
    print(f"  both: million writes and halves of reads a second, by share of writes: {np.round(changes, 1)}")


def judge_assumptions(name: str, table: Table) -> None:
    """Errors on the rows of both nodes by what is assumed of the entries."""
    profile = load_profile(name)
    both = [row for row in shared_rows([table]) if row.remote_share == SHARED_EQUALLY]
    entry = profile.effects[Directory.name]["load"]
    fitted = entry["parameters"]["entries_per_write"]
    print("  both, by entries a media write")
    for called, held in (("none written", np.inf), ("4", 4.0), ("2", 2.0), ("1", 1.0), ("as fitted to all", fitted)):
        stated = with_directory(profile, {**entry, "parameters": {**entry["parameters"], "entries_per_write": held}})
        ratios = [predicted_per_us(stated, row)[0] / row.accesses_per_us for row in both]
        print(f"    {called:17} {signed_errors(ratios)}")


def signed_errors(ratios: Sequence[float]) -> str:
    """Median error, the median of the signed ones, and all of them."""
    errors = 100.0 * (np.array(ratios) - 1.0)
    whole = np.round(errors).astype(int)
    return f"median {np.median(np.abs(errors)):.1f} % (signed {np.median(errors):+.1f} %), by share of writes {whole}"


def without(profile: Profile, rows: Sequence[SharedRow], aside: SharedRow) -> Profile:
    """The profile with the directory as all rows of both nodes but one tell it."""
    if aside.remote_share != SHARED_EQUALLY:
        return profile
    others = [row for row in rows if row.remote_share == SHARED_EQUALLY and row != aside]
    return with_directory(profile, entry_of_rows(profile, others))


def predicted_per_us(profile: Profile, row: SharedRow) -> tuple[float, float, float]:
    """Accesses predicted where threads read and write in turns, and the ends of the interval."""
    result = predict(profile, points_of([row], writing_time(profile, [row])))
    scale = MIB / row.access_size_bytes / 1e6
    value, least, most = (float(result[f"bandwidth_{end}mib_s"][0]) * scale for end in ("", "low_", "high_"))
    return value, least, most


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
        judge_predictions(name, perma)
        judge_assumptions(name, perma)
    judge_figure(figure, sweep)


if __name__ == "__main__":
    main()
