"""`pmtwin evaluate`: intervals, or why there are none."""

import csv
import re

import pytest

from pmtwin import cli
from pmtwin.sim.common.number_forms import rounded
from tests.pmtwin.evaluating import QUICK, evaluate, ranking


def test_two_runs_are_too_few_for_intervals(capsys):
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--policies", "none", "random", "--details"]) == 0
    lines = capsys.readouterr().out.splitlines()
    note = "2 runs: too few for an interval; take --seeds 5 or more; in parentheses: the least and the greatest"
    assert note in lines and "[95 %]" not in ranking(lines)
    text = " ".join(" ".join(lines).split())
    assert "fewer than 3 have no interval, only the range from the least to the greatest, here in parentheses" in text
    assert "null" not in text  # a word of JSON
    row = next(line for line in lines if line.split()[:2] == ["none", "all"])
    low, high = (float(cell.strip("()")) for cell in row.split()[3:5])
    assert row.split()[3][0] == "(" and low <= float(row.split()[2]) <= high
    ranges = [line for line in lines if " % to " in line]
    assert ranges and all("(" in line for line in ranges)


def test_a_wide_interval_has_the_word_and_where_it_comes_from(capsys, tmp_path, monkeypatch):
    """Each run meets one phase, whose latencies lie far apart."""
    monkeypatch.setenv("COLUMNS", "200")
    words = ["evaluate", "nvm-middleware", "--policies", "fixed:15,15", "--steps", "5", "--phase-steps", "10"]
    words += ["--seeds", "3", "--requests-per-window", "500", "--report", str(tmp_path / "page")]
    assert cli.main([*words, "--details"]) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = re.compile(r"\[([\d.,]+)–([\d.,]+)\](, wide)?")
    apart = [match.groups() for line in lines for match in shown.finditer(line)]
    apart = [(*(float(end.replace(",", "")) for end in ends), word) for *ends, word in apart]
    assert apart and all((high > 10 * low) == bool(word) for low, high, word in apart if low > 0.0)
    tails = [line.split() for line in lines if re.match(r"fixed:15,15 +p[59]", line)]
    told = [(*(float(cell.replace(",", "")) for cell in cells[3:5]), cells[-1]) for cells in tails if cells[3] != "-"]
    assert any(word == "wide" for *_, word in told)
    assert all((high > 10 * low) == (word == "wide") for low, high, word in told)
    reason = "the runs met different phases: with --steps 40 or more each meets all"
    assert reason in " ".join(" ".join(lines).split()) and reason in (tmp_path / "page" / "index.html").read_text()


def test_three_runs_have_intervals(capsys):
    arguments = ["--policies", "none", "random", "--seeds", "3"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments]) == 0
    shown = capsys.readouterr().out
    assert "[95 %]" in shown and "too few" not in shown
    assert "extrapolated where more than 24 threads are at the device at once" in shown
    assert "p99_us: 99th percentile of the latency of interactive requests" in " ".join(shown.split())
    (pair,) = evaluate(capsys, *arguments)["yardsticks"]["differences"]
    assert -1.0 <= pair["low"] <= pair["mean"] <= pair["high"] <= 1.0


def test_each_measure_has_its_interval_in_the_text_the_page_and_its_csv(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "120")
    arguments = ["--policies", "none", "random", "--seeds", "3"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments, "--report", str(tmp_path)]) == 0
    shown, policies = capsys.readouterr().out, evaluate(capsys, *arguments)["policies"]
    page = (tmp_path / "index.html").read_text()
    with open(tmp_path / "ranking.csv", newline="") as file:
        written = {row["policy"]: row for row in csv.DictReader(file)}
    assert max(map(len, shown.splitlines())) <= 120 and "mean p99_us [95 %]" in shown
    for spec, policy in policies.items():
        for name in ("p99_us", "throughput_ops"):
            mean, low, high = (policy["overall"][name][key] for key in ("mean", "low", "high"))
            text = f"{rounded(mean)} [{rounded(low)}–{rounded(high)}]"
            assert text in shown and text in page
            assert float(written[spec][f"{name}_low"]) == low and float(written[spec][f"{name}_high"]) == high


@pytest.mark.parametrize(
    ("samples", "advice"),
    [
        (["--device-samples", "2"], "2 sampled devices: too few for an interval; take --device-samples 5 --seeds 5"),
        (["--host-samples", "2", "--device-samples", "2"], "take --host-samples 5 --device-samples 5 --seeds 5"),
        (["--host-samples", "1", "--device-samples", "2"], "take --device-samples 5 --host-samples 5 --seeds 5"),
    ],
)
def test_too_few_samples_are_named_with_what_draws_more(capsys, samples, advice):
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--policies", "none", "random", *samples]) == 0
    assert advice in " ".join(capsys.readouterr().out.split())


def test_sampled_devices_in_the_json_and_the_table(capsys):
    arguments = ["--policies", "none", "fixed:9,9", "--device-samples", "2"]
    result = evaluate(capsys, *arguments)
    assert result["comparisons"][0]["overall"]["devices"]["count"] == 2
    assert result["configuration"]["twin"]["device_samples"] == 2
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments, "--details"]) == 0
    shown = capsys.readouterr().out
    assert "ahead on" in shown and "over sampled devices" in shown and "extrapolated" in shown


def test_sampled_hosts_in_the_table(capsys):
    arguments = ["--policies", "none", "fixed:9,9", "--host-samples", "2"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments, "--details"]) == 0
    shown = capsys.readouterr().out
    assert "  hosts  " in shown and "over sampled hosts" in shown and "devices" not in shown
