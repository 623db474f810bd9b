"""`pmtwin plan hybrid-storage`: the least fast capacity that keeps a goal, what it costs and how long it lasts."""

import json
import math
import random

import pytest

from pmtwin.cli import main
from pmtwin.scenarios.hybrid_storage.sizing.search import TOLERANCE
from pmtwin.scenarios.hybrid_storage.sizing.sheets import SHEETS, YEAR_S, Sheets
from pmtwin.sim.hybrid.devices import devices_of


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    draws, path = random.Random(3), tmp_path_factory.mktemp("trace") / "t.csv"
    rows = (
        f"{90 * k},{draws.choice('RWW')},{4096 * int(draws.paretovariate(0.5)) % 3_276_800},4096\n"
        for k in range(3_000)
    )
    path.write_text("time_us,op,offset,size\n" + "".join(rows))
    return path


def planned(capsys, *words, code=0):
    assert main(["plan", "hybrid-storage", *map(str, words), "--jobs", "1", "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_capacity_is_the_least_that_keeps_the_goal(trace, capsys):
    words = ("--trace", trace, "--goal", "mean_us=40", "--policies", "write-lru", "lru-clean", "fast-only")
    result = planned(capsys, *words)
    assert [row["fast_pages"] for row in result["policies"]] == sorted(row["fast_pages"] for row in result["policies"])
    assert result["best"] == result["policies"][0] and "simulated" not in result
    for row in result["policies"]:
        assert (
            row["mean_us"]["mean"] <= 40.0 and row["mean_us"]["low"] < row["mean_us"]["mean"] < row["mean_us"]["high"]
        )
        smaller = [tried for tried in result["curves"][row["policy"]] if tried["fast_pages"] < row["fast_pages"]]
        assert all(tried["mean_us"]["mean"] > 40.0 for tried in smaller)
        if smaller:
            nearest = smaller[-1]["fast_pages"]
            assert row["fast_pages"] - nearest <= max(1, TOLERANCE * nearest)
    fast_only = next(row for row in result["policies"] if row["policy"] == "fast-only")
    assert fast_only["fast_percent"] == 100.0 and fast_only["gb"]["M"] == 0.0


def test_of_equal_capacities_the_cheapest_comes_first_and_then_the_fastest(trace, capsys):
    words = ("--trace", trace, "--goal", "mean_us=1e6", "--policies", "write-lru", "slow-only", "lru-clean")
    rows = planned(capsys, *words)["policies"]
    assert len({row["fast_pages"] for row in rows}) == 1
    order = [(row["cost_usd"], row["mean_us"]["mean"]) for row in rows]
    assert order == sorted(order) and rows[0]["policy"] != "slow-only"


def test_cost_and_years_follow_from_prices_endurance_and_bytes(trace, capsys):
    words = ("--trace", trace, "--goal", "mean_us=40", "--policies", "write-lru", "--gb-price", "H=3", "M=0.5")
    row = planned(capsys, *words, "--endurance-tb", "H=1000")["best"]
    assert row["cost_usd"] == pytest.approx(3.0 * row["gb"]["H"] + 0.5 * row["gb"]["M"])
    worn = 1000e12 * row["gb"]["H"] / 375.0 / (row["written_mb_s"]["H"] * 1e6)
    assert row["years"]["H"] == pytest.approx(worn / YEAR_S)
    assert row["fast_gb"] == pytest.approx(row["fast_pages"] * 4096 / 1e9)


def test_what_is_assumed_is_shown_at_half_and_at_double_and_what_is_given_is_not(trace, capsys):
    words = ("--trace", trace, "--goal", "mean_us=40", "--policies", "write-lru", "fast-only", "--gb-price", "M=0.5")
    result = planned(capsys, *words)
    best, rows = result["best"], {(row["device"], row["assumed"]): row for row in result["sensitivity"]}
    assert set(rows) == {("H", "usd_gb"), ("H", "endurance_tb"), ("M", "endurance_tb")}
    of_h = SHEETS["H"].usd_gb * best["gb"]["H"]
    price = rows["H", "usd_gb"]
    assert price["cost_usd"] == pytest.approx([best["cost_usd"] - of_h / 2.0, best["cost_usd"] + of_h])
    assert rows["H", "endurance_tb"]["years"] == pytest.approx([best["years"]["H"] / 2.0, best["years"]["H"] * 2.0])
    costs = {
        row["policy"]: [SHEETS["H"].usd_gb * factor * row["gb"]["H"] + 0.5 * row["gb"]["M"] for factor in (0.5, 2.0)]
        for row in result["policies"]
    }
    assert price["cheapest"] == [min(costs, key=lambda policy: costs[policy][k]) for k in (0, 1)]
    given = planned(capsys, *words[:-2], "--gb-price", "H=4", "M=0.2", "--endurance-tb", "H=20500", "M=7000")
    assert given["sensitivity"] == []


def test_endurance_of_h_is_thirty_drive_writes_a_day():
    device = devices_of("perf")[0]
    a_day = device.capacity_gb * 1e9 * 30 / 86_400
    assert Sheets(devices_of("perf"), {}, {}).years([375.0, 0.0], [a_day, 0.0])["H"] == pytest.approx(5.0, rel=0.01)
    assert SHEETS["L"].endurance_tb == math.inf
    assert Sheets(devices_of("cost"), {}, {}).years([1.0, 9.0], [0.0, 1e6]) == {"H": None, "L": None}


def test_drawn_workloads_are_checked_with_seeds_that_the_search_did_not_see(capsys):
    words = ("--workload", "LUN4", "--length", "1000", "--footprint-pages", "2000", "--seeds", "3")
    result = planned(capsys, *words, "--goal", "mean_us=60", "p99_us=2000", "--policies", "write-lru", "lru-clean")
    assert set(result["simulated"]) == {"mean_us", "p99_us"}
    assert result["simulated"]["mean_us"] != result["best"]["mean_us"]
    again = planned(capsys, *words, "--goal", "mean_us=60", "p99_us=2000", "--policies", "write-lru", "lru-clean")
    assert again == result


def test_an_impossible_goal_is_refused_with_the_best_that_can_be_had(trace, capsys):
    words = ["plan", "hybrid-storage", "--trace", str(trace), "--jobs", "1", "--policies", "write-lru", "fast-only"]
    assert main([*words, "--goal", "mean_us=1"]) == 2
    out, err = capsys.readouterr()
    assert (
        not out and "\n" not in err.strip() and "mean_us at least" in err and "(fast-only, 100 % of the pages)" in err
    )
    least = float(err.partition("at least ")[2].partition(" ")[0])
    assert main([*words, "--goal", f"mean_us={least}"]) == 0


def test_a_device_of_ones_own_needs_its_price(tmp_path, capsys):
    from pmtwin.sim.hybrid.device_file import DeviceFile

    file = DeviceFile(name="mine", read_gb_s=0.5, write_gb_s=0.5, read_us=90.0, write_us=40.0, capacity_gb=500.0)
    (tmp_path / "mine.json").write_text(json.dumps(file.document()))
    words = ["plan", "hybrid-storage", "--devices", f"H+{tmp_path / 'mine.json'}", "--workload", "LUN4", "--jobs", "1"]
    assert main([*words, "--goal", "mean_us=100"]) == 2
    assert "mine=NUMBER: no default for a device of your own" in capsys.readouterr().err


def test_the_text_names_prices_and_endurance_as_assumed(trace, capsys):
    assert main(["plan", "hybrid-storage", "--trace", str(trace), "--goal", "mean_us=40", "--jobs", "1"]) == 0
    text = capsys.readouterr().out
    for part in ("assumed, 30 drive writes a day", "years of wear", "best", "price of H: cost USD", "cheapest policy"):
        assert part in text, part
