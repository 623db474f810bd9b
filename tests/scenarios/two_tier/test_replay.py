"""`pmtwin evaluate two-tier --trace`: miss ratios by cache size; without a trace the evaluation of every scenario."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies.replacement import foreign
from pmtwin.scenarios.two_tier.replay import CURVE_SIZES, lines_of, sizes_of
from tests.policies.replacement import reference

COMMAND = ("evaluate", "two-tier")


@pytest.fixture
def trace(tmp_path):
    """20,000 requests of one or two pages, and these pages."""
    rng = np.random.default_rng(4)
    page, more = np.minimum(rng.zipf(1.2, 20_000), 900), rng.random(20_000) < 0.2
    rows = [f"{k}.0,0,{'RW'[k % 2]},{4096 * p},{8192 if m else 512}" for k, (p, m) in enumerate(zip(page, more))]  # noqa: B905
    path = tmp_path / "requests.csv.gz"
    path.write_bytes(gzip.compress(("time_us,dev,op,offset,size\n" + "\n".join(rows) + "\n").encode()))
    pages = [int(each) for p, m in zip(page, more, strict=True) for each in ([p, p + 1] if m else [p])]
    return path, pages


def run(capsys, *words: str) -> dict:
    assert cli.main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_miss_ratios_are_those_of_the_references(trace, capsys, monkeypatch):
    """The trace comes in blocks of 999 requests."""
    monkeypatch.setattr("pmtwin.scenarios.block_traces.csv_format.BLOCK_REQUESTS", 999)
    path, pages = trace
    policies = {"lru": reference.lru, "lfu": reference.lfu, "sieve": reference.sieve, "arc": reference.arc}
    words = (*COMMAND, "--trace", str(path), "--cache", "2%,37", "--policies", *policies, "min")
    report = run(capsys, *words)
    assert report["lines"] == [int(0.02 * len(set(pages))), 37]
    assert (report["requests"], report["page_requests"], report["pages"]) == (20_000, len(pages), len(set(pages)))
    assert set(report["miss_ratio"]) == {*policies, "min"}
    for name, slow in policies.items():
        expected = [1.0 - np.mean(slow(pages, lines)) for lines in report["lines"]]
        assert report["miss_ratio"][name] == pytest.approx(expected, abs=1e-12)
        assert all(np.array(report["miss_ratio"][name]) > report["miss_ratio"]["min"])
    assert run(capsys, *words, "--jobs", "1")["misses"] == report["misses"]


def test_volumes_have_their_own_pages(shared_data, tmp_path, capsys):
    words = ("--trace", str(shared_data / "block_traces" / "ssdsim_example.csv.gz"), "--cache", "256,10%")
    apart = run(capsys, *COMMAND, *words, "--policies", "lru")
    together = run(capsys, *COMMAND, *words, "--policies", "lru", "--volumes", "together")
    assert (apart["volumes"], apart["pages"], together["volumes"], together["pages"]) == (22, 7322, 22, 7142)
    assert apart["miss_ratio"]["lru"][0] == pytest.approx(0.433, abs=5e-4)
    assert together["miss_ratio"]["lru"][0] == pytest.approx(0.426, abs=5e-4)
    assert apart["lines"] == [256, 732]
    for volumes, said in (("apart", "22, the pages of each apart"), ("together", "22, equal offsets as one page")):
        assert cli.main([*COMMAND, *words, "--policies", "lru", "--volumes", volumes, "--dry-run"]) == 0
        assert said in capsys.readouterr().out


def test_a_trace_tells_the_scenario(trace, capsys):
    words = ("--policies", "lru", "--trace", str(trace[0]), "--cache", "1%", "--dry-run")
    assert run(capsys, "evaluate", *words)["scenario"] == "two-tier"


def test_requests_that_touch_nothing_are_said(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("offset,size\n0,1\n4096,0\n8192,0\noffset,size\n0,1\n")
    words = (*COMMAND, "--trace", str(tmp_path / "t.csv"), "--cache", "1", "--policies", "lru", "--dry-run")
    assert run(capsys, *words)["configuration"]["left_out"] == [
        {"reason": "header again", "count": 1, "first": "line 5"},
        {"reason": "size 0", "count": 2, "first": "line 3"},
    ]
    assert cli.main([*words]) == 0
    printed = capsys.readouterr().out
    assert "1 with the header again, first line 5; 2 of size 0, first line 3" in printed and "1 line\n" in printed


def test_a_result_is_repeated_and_written(trace, tmp_path, capsys):
    result = tmp_path / "result.json"
    words = ("--trace", str(trace[0]), "--cache", "5%", "--policies", "random", "ws:choice=sampled", "--seed", "7")
    first = run(capsys, *COMMAND, *words, "-o", str(result))
    assert json.loads(result.read_text()) == first
    assert run(capsys, *COMMAND, "--config", str(result)) == first
    assert cli.main([*COMMAND, *words]) == 0
    assert "5% (" in capsys.readouterr().out


def test_pages_may_be_larger(trace, capsys):
    words = (*COMMAND, "--trace", str(trace[0]), "--cache", "10", "--policies", "lru", "--dry-run")
    large, small = (run(capsys, *words, "--page-bytes", each)["configuration"]["pages"] for each in ("16384", "4096"))
    assert large < small


def test_without_a_trace_policies_control_the_threads(capsys):
    short = ("--steps", "4", "--load-steps", "2", "--seeds", "1", "--requests-per-window", "100", "--jobs", "1")
    report = run(capsys, *COMMAND, "--policies", "fixed:1", "fixed:16", *short)
    assert set(report["policies"]) == {"fixed:1", "fixed:16"}


@pytest.mark.parametrize(
    ("size", "lines"), [("1%", 2692), ("10%", 26921), ("100%", 269210), ("0.0001%", 1), ("64", 64)]
)
def test_sizes_are_lines_or_shares(size, lines):
    assert lines_of(size, 269_210) == lines


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cache", "0"), "--cache: 0 "),
        (("--cache", "0%"), "--cache: '0%'"),
        (("--cache", "nan%"), "--cache: 'nan%'"),
        (("--cache", "101%"), "--cache: '101%'"),
        (("--cache", "many"), "--cache: 'many'"),
        (("--page-bytes", "0"), "--page-bytes: 0"),
        (("--policies", "lru", "clock"), "policy: 'clock'"),
        (("--policies", "lru", "lru"), "each policy once"),
        (("--cache", "10%..1%"), "--cache: '10%..1%' is not accepted; allowed: from a size to a greater one"),
        (("--rate", "7"), "--rate 7.0 does not go with --trace"),
        (("--engine", "simpy"), "--engine simpy does not go with --trace"),
        (("--goal", "mean_response_ms=3"), "--goal mean_response_ms=3 does not go with --trace"),
        (("--load-steps", "7"), "--load-steps 7 does not go with --trace"),
        (("--learning", "frozen"), "--learning frozen does not go with policies none of which learns"),
        (("--policies", "none"), "policy: 'none' runs in mode direct; allowed: policies of mode controlled"),
        (("--policies", "thread=fixed:3"), "decision point of two-tier: 'thread' is not accepted"),
    ],
)
def test_bad_input_is_one_line(trace, words, message, capsys):
    policies = () if "--policies" in words else ("--policies", "lru")
    assert cli.main([*COMMAND, "--trace", str(trace[0]), *policies, *words]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and len(shown.err.splitlines()) == 1 and not shown.out


@pytest.mark.parametrize("words", [("--cache", "20%"), ("--page-bytes", "512"), ("--volumes", "together")])
def test_options_of_a_trace_need_one(words, capsys):
    assert cli.main([*COMMAND, "--policies", "threshold", *words]) == 2
    assert f"{words[0]}" in (shown := capsys.readouterr()).err and "belongs to --trace" in shown.err


def test_a_truncated_trace_is_one_line(trace, capsys):
    path, _ = trace
    path.write_bytes(path.read_bytes()[:5_000])
    assert cli.main([*COMMAND, "--trace", str(path), "--policies", "lru"]) == 2
    shown = capsys.readouterr()
    assert "truncated" in shown.err and len(shown.err.splitlines()) == 1 and not shown.out


def test_what_draws_has_runs_and_intervals_and_the_rest_a_single_run(trace, capsys):
    words = ("--trace", str(trace[0]), "--cache", "5%", "--policies", "lru", "random", "--seeds", "4", "--jobs", "1")
    report = run(capsys, *COMMAND, *words)
    means = {spec: policy["overall"]["miss_ratio_5%"] for spec, policy in report["policies"].items()}
    assert means["lru"]["low"] == means["lru"]["high"] == pytest.approx(report["miss_ratio"]["lru"][0])
    assert means["random"]["low"] < means["random"]["mean"] < means["random"]["high"]
    assert [row["policy"] for row in report["leaderboard"]] == ["lru", "random"]
    assert cli.main([*COMMAND, *words, "--steps", "7", "--details"]) == 0
    assert "random" in capsys.readouterr().out


def test_where_nothing_is_random_no_table_has_intervals_or_ties(trace, tmp_path, capsys):
    """One run stands for all, which is said once."""
    words = ("--trace", str(trace[0]), "--cache", "5%", "--policies", "lru", "min", "--jobs", "1")
    assert cli.main([*COMMAND, *words, "--details", "--report", str(tmp_path)]) == 0
    shown, page = capsys.readouterr().out, (tmp_path / "index.html").read_text()
    assert not [word for word in ("95 %", "low", "tied", "apart", "t test", "too few") if word in shown]
    assert not [word for word in ("95 %", "tied", "apart") if word in page.partition("<main")[2]]
    assert shown.count("Nothing is random here: one run of each policy stands for all") == 1
    header, row = shown.partition("policy  context")[2].splitlines()[:2]
    assert dict(zip(header.split(), row.split()[2:], strict=True))["runs"] == "1"


@pytest.mark.parametrize("option", [("--seeds", "3"), ("--seed", "10")])
def test_seeds_are_refused_where_no_policy_draws(trace, capsys, option):
    words = ("--trace", str(trace[0]), "--cache", "5%", "--jobs", "1", *option, "--policies", "lru")
    assert cli.main([*COMMAND, *words]) == 2
    assert f"{' '.join(option)} has no use: no policy draws random numbers" in capsys.readouterr().err.replace("'", "")
    assert cli.main([*COMMAND, *words, "random"]) == 0


def test_a_policy_that_no_option_can_stop_is_not_frozen(trace, capsys, monkeypatch):
    """Beside one that is: it would go on to learn without a word."""
    monkeypatch.setattr(foreign, "check_installed", lambda: None)
    words = ("--trace", str(trace[0]), "--cache", "5%", "--jobs", "1", "--learning", "frozen", "--policies", "ws")
    assert cli.main([*COMMAND, *words, "libcachesim:lecar"]) == 2
    assert "on: libcachesim:lecar is a policy of a package that cannot stop learning" in capsys.readouterr().err


def test_what_draws_keeps_its_interval_beside_what_does_not(trace, capsys):
    words = ("--trace", str(trace[0]), "--cache", "5%", "--policies", "lru", "random", "min", "--seeds", "3")
    assert cli.main([*COMMAND, *words, "--jobs", "1", "--details"]) == 0
    shown = capsys.readouterr().out
    assert "Nothing is random in lru, min: one run stands for all" in shown and "reward [95 %]" in shown
    pairs = {tuple(line.split()[:2]): line.split()[3:] for line in shown.splitlines() if "exact" in line.split()}
    assert pairs == {("min", "lru"): ["exact", "-"]}


def test_ties_are_listed_both_ways(capsys):
    words = ("--policies", "fixed:4", "fixed:16", "--engine", "analytic", "--steps", "6", "--load-steps", "2")
    assert cli.main([*COMMAND, *words, "--schedule", "random", "--seeds", "3", "--jobs", "1"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[-1] for line in lines if line[1:2] and line[1].startswith("fixed:")] == ["2", "1"]


def test_a_range_of_sizes_is_a_curve(trace, tmp_path, capsys):
    words = ("--trace", str(trace[0]), "--cache", "0.5%..50%", "--policies", "lru", "sieve", "--jobs", "1")
    assert cli.main([*COMMAND, *words, "--report", str(tmp_path / "report")]) == 0
    header, *rows = capsys.readouterr().out.partition("cache ")[2].splitlines()[:-1]
    assert header.split()[0] == "lines" and len(rows) == CURVE_SIZES
    ratios = [float(row.split()[2]) for row in rows]
    assert ratios == sorted(ratios, reverse=True)
    csv = (tmp_path / "report" / "curve.csv").read_text().splitlines()
    assert csv[0] == "policy,cache,lines,miss_ratio,low,high" and len(csv) == 1 + 2 * CURVE_SIZES
    assert "Miss ratio by size" in (tmp_path / "report" / "index.html").read_text()
    assert (tmp_path / "report" / "curve.svg").is_file()


def test_ranges_of_sizes_are_even_on_a_logarithmic_scale():
    assert sizes_of(("1%", "100..102", "1%")) == ("1%", "100", "101", "102")
    shares = [float(size.rstrip("%")) for size in sizes_of(("0.1%..10%",))]
    assert shares[0] == 0.1 and shares[-1] == 10.0
    assert np.diff(np.log(shares)) == pytest.approx(np.log(100.0) / (CURVE_SIZES - 1), rel=1e-2)


def test_a_users_policy_replays_a_trace_and_its_errors_are_one_line(trace, capsys):
    file = Path(__file__).parents[2] / "policies" / "inline" / "users.py"
    words = (*COMMAND, "--trace", str(trace[0]), "--cache", "5%", "--jobs", "1", "--seeds", "1", "--policies")
    report = run(capsys, *words, f"{file}:Clock", f"{file}:PlainClock")
    assert len(set(map(tuple, report["misses"].values()))) == 1
    assert cli.main([*words, f"{file}:OutOfBounds"]) == 2
    assert "OutOfBounds: a compiled function failed: IndexError" in (shown := capsys.readouterr()).err
    assert len([line for line in shown.err.splitlines() if line.startswith("pmtwin")]) == 1


def test_times_that_go_back_are_counted_and_said(tmp_path, capsys):
    path = tmp_path / "sorted-by-offset.csv"
    path.write_text("time_us,offset,size\n" + "".join(f"{9 - k % 10},{4096 * k},512\n" for k in range(40)))
    assert cli.main(["evaluate", "two-tier", "--trace", str(path), "--cache", "10", "--policies", "lru"]) == 0
    assert "36 go back: the requests are replayed in the order of the lines" in capsys.readouterr().out
