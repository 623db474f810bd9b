"""`pmtwin calibrate --prior family --suggest N`: which configurations to measure next."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.context import Context
from pmtwin.calibrate.prior.design import most_telling
from pmtwin.calibrate.prior.family import shipped_family, surface
from pmtwin.calibrate.prior.observed import grid, known_of
from pmtwin.calibrate.prior.process import SCALES, DevicePosterior, Known
from pmtwin.cli import main
from pmtwin.sim.device import PATTERNS, load_profile

HELD_OUT = "optane-dcpmm-100-512gb"


def variance_after(covariance, measured):
    """Sum of all variances after noisy measurements, by the formula of a Gaussian process."""
    cross = covariance[:, measured]
    matrix = covariance[np.ix_(measured, measured)] + SCALES["noise"] ** 2 * np.eye(len(measured))
    return np.trace(covariance - cross @ np.linalg.solve(matrix, cross.T))


def test_each_choice_leaves_the_least_variance():
    factors = np.random.default_rng(4).standard_normal((12, 5))
    covariance = factors @ factors.T * 0.1 + 0.01 * np.eye(12)
    candidates = np.arange(1, 12)  # the first cannot be measured
    chosen = most_telling(covariance, candidates, 4)
    for count in range(4):
        before = chosen[:count]
        rest = [k for k in candidates if k not in before]
        assert chosen[count] == min(rest, key=lambda k: variance_after(covariance, [*before, k]))
    assert sorted(most_telling(covariance, candidates, 50)) == list(range(1, 12))


def test_chosen_measurements_tell_more_than_random_ones():
    family = shipped_family(without=[HELD_OUT])
    device = grid(("load", "ntstore", "store"), PATTERNS, (64, 256, 1024, 4096), (1, 2, 4, 8, 16), 6.0)
    truth = surface(load_profile(HELD_OUT), device)[0]
    device = replace(device, bandwidth_mib_s=np.exp(truth))
    points = {kind: family.points(device, kind) for kind in family.kinds}
    nothing = device.take(np.zeros(0, dtype=int))
    before = DevicePosterior({kind: known_of(family, kind, nothing, Context(), 6.0) for kind in family.kinds})

    def error(rows):
        known = {kind: Known(each.take(rows), truth[rows], np.zeros(rows.size), None) for kind, each in points.items()}
        mean, _ = DevicePosterior(known).predict(points)
        return np.abs(np.expm1(mean - truth)).mean()

    rng = np.random.default_rng(5)
    for count in (5, 10):
        chosen = np.array(most_telling(before.covariance(points), np.arange(len(device)), count))
        assert error(chosen) < np.mean([error(rng.permutation(len(device))[:count]) for _ in range(10)])


def suggested(capsys, *words):
    assert main(["calibrate", "--prior", "family", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    return list(csv.DictReader(io.StringIO(out))), err


def test_a_table_to_fill_in_is_printed(capsys):
    words = ("--suggest", 12, "--media", "dram", "--dimms", 4, "--most-threads", 8)
    rows, err = suggested(capsys, *words)
    idle, rows = rows[:2], rows[2:]
    assert [(row["operation"], row["access_size_bytes"], row["threads"]) for row in idle] == [
        ("load", "64", "1"),
        ("store_clwb", "64", "1"),
    ]
    assert len({tuple(row.values()) for row in rows}) == 12
    assert {row["dimms"] for row in (*idle, *rows)} == {"4"} and max(int(row["threads"]) for row in rows) <= 8
    assert {row["bandwidth_mib_s"] for row in rows} == {""}
    assert "fill in latency_ns of the first 2 rows" in err
    assert ([*idle, *rows], err) == suggested(capsys, *words)


def filled(rows, path):
    """The table with a latency in its first two rows and a bandwidth in the others."""
    lines = [",".join(rows[0])]
    lines += [",".join([*list(row.values())[:-2], "", "300"]) for row in rows[:2]]
    lines += [",".join([*list(row.values())[:-2], "5000", ""]) for row in rows[2:]]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_what_was_measured_is_not_suggested_again(capsys, tmp_path):
    first, _ = suggested(capsys, "--suggest", 8, "--media", "pmem")
    path = filled(first, tmp_path / "few.csv")
    more, err = suggested(capsys, path, "--suggest", 8, "--media", "pmem")

    def points(rows):
        return {tuple(row.values())[:-2] for row in rows}

    assert len(points(more)) == 8 and not points(first) & points(more)
    assert "read 8 usable rows" in err and "latency_ns" not in err
    other, _ = suggested(capsys, path, "--suggest", 2, "--media", "pmem", "--dimms", 1)
    assert {row["dimms"] for row in other} == {"1"}
    output = tmp_path / "device.json"
    assert main(["calibrate", str(path), "--prior", "family", "--media", "pmem", "-o", str(output)]) == 0
    profile = load_profile(output)
    assert profile.record["configurations"] == 8 and profile.idle_latency_ns["store_clwb", "random"] == 300.0
    assert "--bootstrap" not in profile.record["command"]


def test_a_table_that_was_not_filled_in_is_refused(capsys, tmp_path):
    first, _ = suggested(capsys, "--suggest", 3)
    path = tmp_path / "empty.csv"
    path.write_text("\n".join([",".join(first[0]), *(",".join(row.values()) for row in first)]) + "\n")
    assert main(["calibrate", str(path), "--prior", "family", "--suggest", "3"]) == 2
    assert "neither bandwidth nor latency in the row" in capsys.readouterr().err


def test_suggestions_as_json_can_be_repeated(capsys, tmp_path):
    assert main(["calibrate", "--prior", "family", "--suggest", "2", "--json"]) == 0
    out = capsys.readouterr().out
    rows = json.loads(out)["suggested"]
    assert [row["measure"] for row in rows] == ["latency_ns"] * 2 + ["bandwidth_mib_s"] * 2 and rows[0]["dimms"] == 6
    (tmp_path / "earlier.json").write_text(out)
    assert main(["calibrate", "--config", str(tmp_path / "earlier.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prior", "family"], "SOURCE is missing: a file of measurements, or a folder of such files"),
        (["--suggest", "3"], "--suggest 3 belongs to --prior family; add that"),
        (["--suggest", "3", "--prior", "family", "-o", "x.json"], "--output x.json does not go with --suggest"),
        (["--suggest", "3", "--prior", "family", "--dry-run"], "--dry-run does not go with --suggest"),
        (["--suggest", "3", "--prior", "family", "--machine", "m"], "--machine m does not go with --suggest"),
        (["few.csv", "--most-threads", "3"], "--most-threads 3 belongs to --suggest"),
        (["--suggest", "0", "--prior", "family"], "--suggest: 0 is not accepted; allowed: 1 to 200"),
    ],
)
def test_options_that_do_not_go_together(capsys, words, message):
    assert main(["calibrate", *words]) == 2
    assert message in capsys.readouterr().err
