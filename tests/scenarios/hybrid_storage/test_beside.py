"""What an evaluation on a trace shows beside the policies."""

import json
import random

import pytest

from pmtwin.cli import main

POLICIES = ("write-lru", "static-set", "slow-only", "fast-only")


@pytest.fixture
def trace(tmp_path):
    draws, path = random.Random(3), tmp_path / "t.csv"
    rows = (
        f"{90 * k},{draws.choice('RRW')},{4096 * int(draws.paretovariate(0.6)) % 819200},4096\n" for k in range(800)
    )
    path.write_text("time_us,op,offset,size\n" + "".join(rows))
    return path


def evaluated(capsys, trace, *words):
    common = ("--requests-per-window", "100", "--seeds", "1", "--json")
    assert main(["evaluate", "hybrid-storage", "--trace", str(trace), *common, *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_no_policy_without_prefetch_is_faster_than_the_optimum_and_none_than_fast_only(trace, capsys):
    result = evaluated(capsys, trace, "--fast", "10", "--policies", *POLICIES)
    assert set(result["possible"]) == {"optimum", "optimum_charged", "oracle_epoch"}
    assert result["possible"]["optimum"]["kind"] == "exact"
    assert result["optimum"] == result["possible"]["optimum"]["over_fast_only"] > 1.0
    closed = result["gap_closed"]
    assert closed["write-lru"] == 0.0 and set(closed) == set(POLICIES)
    assert all(closed[name] <= 1.0 for name in POLICIES[:3]) and closed["fast-only"] > 1.0
    assert closed["slow-only"] < 0.0


def test_three_devices_have_no_yardstick_here(trace, capsys):
    result = evaluated(capsys, trace, "--devices", "tri", "--policies", "write-lru")
    assert not {"possible", "optimum", "gap_closed"} & set(result)


def test_a_trace_whose_time_goes_back_is_refused_in_one_line(trace, capsys):
    trace.write_text(trace.read_text() + "5,R,0,4096\n")
    assert main(["evaluate", "hybrid-storage", "--trace", str(trace), "--policies", "write-lru"]) == 2
    error = capsys.readouterr().err.strip()
    assert "line 802: time_us: 5.0 goes back" in error and "\n" not in error
