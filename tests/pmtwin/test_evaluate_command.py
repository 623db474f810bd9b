"""`pmtwin evaluate`: the JSON, the table, the files, and what is refused before anything runs."""

import csv
import json
import re

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.middleware import binding
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.common.number_forms import rounded
from pmtwin.sim.errors import MissingDependencyError

QUICK = ["--steps", "4", "--phase-steps", "2", "--seeds", "2", "--phases", "1", "3", "--requests-per-window", "100"]


def evaluate(capsys, *arguments):
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_json(capsys):
    result = evaluate(capsys, "--policies", "none", "fixed:15,15", "threshold")
    assert list(result["policies"]) == ["none", "fixed:15,15", "threshold"]
    for summary in result["policies"].values():
        assert list(summary["phases"]) == ["1", "3"]
        for part in (summary["overall"], *summary["phases"].values()):
            for measure in ("reward", "p99_us", "throughput_ops"):
                least, greatest = part[measure]["range"] or [part[measure]["mean"]] * 2
                assert least <= part[measure]["mean"] <= greatest and part[measure]["low"] is None  # two runs
                assert list(part[measure]["percentiles"]) == ["0", "5", "25", "50", "75", "99", "100"]
    assert result["policies"]["none"]["overall"]["steps"] == 8
    assert result["policies"]["none"]["overall"]["runs"] == 2
    assert [(pair["policy"], pair["against"]) for pair in result["comparisons"]] == [
        ("none", "fixed:15,15"),
        ("none", "threshold"),
        ("fixed:15,15", "threshold"),
    ]
    assert result["extrapolated"] is True
    assert result["configuration"]["seeds"] == 2
    assert result["configuration"]["load"] == "varying" and result["configuration"]["offered_ops"] == {}


def test_a_run_is_repeated_from_its_own_result(capsys, tmp_path):
    output = tmp_path / "result.json"
    words = ["--policies", "fixed:9,8", "threshold", "--seed", "3", "--set", "cores=48", "-o", str(output)]
    first = evaluate(capsys, *words)
    assert cli.main(["evaluate", "--config", str(output), "--json", "--jobs", "1"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert cli.main(["evaluate", "--config", str(output), "--json", "--set", "seed=4", "--policies", "random"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert list(other["policies"]) == ["random"] and other["configuration"]["seed"] == 4
    assert other["configuration"]["arguments"]["twin"] == first["configuration"]["arguments"]["twin"]


def test_a_failing_policy_of_a_user_is_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from pmtwin.policies import Policy\n\nclass Mine(Policy):\n"
        "    def act(self, observation, info=None):\n        return 1 // 0\n"
    )
    words = ["--jobs", "1", "--policies", "mine.py:Mine", "--report", "reports/mine"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *words]) == 2
    assert not (tmp_path / "reports").exists()
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("pmtwin evaluate: ") and "mine.py:5" in error and "ZeroDivisionError" in error


def test_files_hold_what_was_printed(capsys, tmp_path):
    output, series = tmp_path / "result.json", tmp_path / "series.npz"
    arguments = ["--policies", "none", "random", "-o", str(output), "--series", str(series), "--json"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments]) == 0
    captured = capsys.readouterr()
    assert output.read_text() == captured.out
    assert captured.err == ""
    result = json.loads(captured.out)
    with np.load(series, allow_pickle=False) as steps:
        assert steps["reward"].shape == (2, 2, 4)
        assert steps["reward"][0].mean() == pytest.approx(result["policies"]["none"]["overall"]["reward"]["mean"])


def test_a_table(capsys):
    assert (
        cli.main(["evaluate", "nvm-middleware", *QUICK, "--seeds", "1", "--details", "--policies", "none", "random"])
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert ["rank", "policy", "attainment"] in [line.split()[:3] for line in lines]
    assert ["policy", "against", "regret"] in [line.split()[:3] for line in lines]
    start = next(k for k, line in enumerate(lines) if line.split()[:3] == ["policy", "phase", "reward"])
    lines = lines[start:]
    assert [line.split()[:2] for line in lines[1:4]] == [["none", "all"], ["none", "1"], ["none", "3"]]


def ranking(lines):
    """The line with the names of the ranking's columns."""
    return next(line for line in lines if line.startswith("rank"))


def test_load_and_goals_come_first(capsys, tmp_path):
    words = ["--policies", "none", "--goal", "p99_us=345", "--load", "steady"]
    page = tmp_path / "page"
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *words, "--report", str(page)]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.split("\n\n")[0].splitlines())
    assert rows == {
        "profile": "optane-dcpmm-100",
        "host": "inferred",
        "load": "phases, steady, 300,000 operations/s",
        "goals": "p99_us at most 345; throughput_ops at least 250,000",
    }
    shown = (page / "index.html").read_text()
    assert all(f"<dt>{name}</dt><dd>{value}</dd>" in shown for name, value in rows.items())
    assert not any(f"<dt>{name}</dt>" in shown for name in ("context set", "latency goal us"))  # said by load and goals
    assert evaluate(capsys, *words)["goals"] == rows["goals"].split("; ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"engine": "native"}, {"profile": "optane-dcpmm-100", "host": "assumed", "store": "emulated"}),
        ({"engine": "native", "native": {"store": "map"}}, {"store": "map"}),
    ],
)
def test_the_real_middleware_names_profile_and_host_where_it_emulates_them(options, said):
    shown = NvmMiddleware.of(host="assumed", **options).setup([1])
    assert list(shown.items())[: len(said)] == list(said.items()) and list(shown)[len(said) :] == ["load", "goals"]


def test_the_ranking_fits_a_screen_and_has_the_measures(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    policies = ["none", "random", "threshold"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--policies", *policies]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 100
    start = lines.index(ranking(lines))
    header = f"{ranking(lines)} {lines[start + 1]}".split()  # long names go on below themselves
    assert {"reward", "p99_us", "throughput_ops"} <= set(header) and header.count("mean") == 3
    note = " ".join(" ".join(lines).split())
    assert "mean: of all windows, each with its own p99_us (of all requests together: --details)" in note
    assert any("--details" in line for line in lines)


def test_what_the_ranking_rests_on_and_goes_by_is_said(capsys):
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--policies", "none", "random"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "rests on: 2 seeds for each policy, 4 windows a run, 2 of a phase in turn; 16 windows in all" in shown
    assert "rank: by attainment, not by mean reward" in shown


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


def test_what_the_differences_are_is_said_above_their_tables(capsys, tmp_path):
    words = ["--policies", "none", "random", "--seeds", "3", "--details", "--report", str(tmp_path)]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *words]) == 0
    said = ("Holm", "without the correction", "attainment: difference", "Own intervals", "own intervals")
    for shown in (capsys.readouterr().out, (tmp_path / "index.html").read_text()):
        places = [" ".join(shown.split()).index(text) for text in said]
        assert places == sorted(places)


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


def test_the_page_is_named(capsys, tmp_path):
    page = tmp_path / "absent" / "page"
    arguments = ["--policies", "none", "random", "--report", str(page)]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments]) == 0
    assert f"report: {page / 'index.html'}\n" in capsys.readouterr().err and (page / "index.html").is_file()


def test_far_percentiles_are_stated_where_enough_requests_lie_beyond_them(capsys):
    result = evaluate(capsys, "--policies", "fixed:9,9", "--requests-per-window", "1000")
    tail = result["policies"]["fixed:9,9"]["overall"]["latency"]
    assert tail["requests"] > 3_000
    assert tail["p50"]["us"] < tail["p99"]["us"]
    assert tail["p99.999"]["us"] is None and tail["p99.999"]["requests_beyond"] < 1


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


def test_a_dry_run_runs_nothing(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("pmtwin.scenarios.comparison.evaluation.evaluate", lambda *_: pytest.fail("ran"))
    output = tmp_path / "result.json"
    result = evaluate(capsys, "--policies", "none", "best-fixed", "--dry-run", "-o", str(output))
    assert result["windows"] == 2 * 2 * 4
    assert result["configuration"]["policies"] == ["none", "best-fixed"]
    assert not output.exists()
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, "--policies", "none", "threshold", "--dry-run"]) == 0
    names, values = zip(*(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()), strict=True)
    assert {"policies", "steps", "phase_steps", "phases", "windows", "profile"} <= {*names}
    assert "none threshold" in values and "1 3" in values
    assert len(names) == len(set(names)) < 20 and not {"context_steps", "contexts"} & {*names}


@pytest.mark.parametrize(
    ("words", "load", "note"),
    [
        ([], "phases, varying, 315,485 to 461,984 operations/s", ""),
        (["--contexts", "contended"], "contended, varying, 360,000 operations/s", ""),
        (["--workload", "svd", "--goal", "p99_us=345"], "svd, steady, 150,000 operations/s", ""),
        (
            ["--workload", "svd", "--host-samples", "4"],
            "svd, steady, 150,000 operations/s",
            "the device is taken as known: no --device-samples",
        ),
    ],
)
def test_a_dry_run_says_each_thing_once_and_in_words(capsys, words, load, note):
    assert cli.main(["evaluate", "nvm-middleware", "--policies", "none", "--dry-run", *words]) == 0
    *lines, _ = capsys.readouterr().out.splitlines()
    assert (lines.pop() if note else "") == note
    rows = dict(line.split(maxsplit=1) for line in lines)
    assert rows["load"] == load and "-" not in rows.values()
    assert not {"known_device", "contexts", "workload", "latency_goal_us"} & set(rows)
    assert ("phases" in rows) is ("--workload" not in words)


def test_a_dry_run_leaves_out_options_without_a_value(capsys):
    assert cli.main(["evaluate", "two-tier", "--policies", "random", "--dry-run"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "load" in names and "rate" not in names and "response_goal_ms" not in names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policies", "fixd:1,1"], "did you mean 'fixed'"),
        (["--policies", "none", "none"], "each policy once"),
        (["--policies", "fixed:0,5"], "fixed"),
        (["--policies", "q-learning:no-such-file"], "policy file: 'no-such-file'"),
        (["--policies", "none", "--schedule", "rnd"], "schedule: 'rnd'"),
        (["--policies", "none", "--phases", "9"], "--phases: '9'"),
        (["--policies", "none", "--steps", "0"], "steps: 0"),
        (["--policies", "none", "--seeds", "0"], "seeds: 0"),
        (["--policies", "none", "--seed", "-4"], "seed: -4"),
        (
            ["--policies", "none", "--store", "map"],
            "--store map belongs to engine native; add --engine native",
        ),
        (["--policies", "none", "--dilation", "9"], "--dilation"),
        (["--policies", "none", "--path", "x"], "--path"),
        (["--policies", "none", "--keys", "9"], "--keys"),
        (["--policies", "none", "--queue", "tbb"], "--queue"),
        (["--policies", "none", "--batch-cpus", "0"], "--batch-cpus"),
        (["--policies", "none", "--jobs", "0", "--dry-run"], "--jobs: 0"),
        (["--policies", "none", "--profile", "optane"], "profile: 'optane'"),
        (["--policies", "none", "-o", "no/such/folder/x.json"], "--output"),
        (["--policies", "none", "--series", "."], "--series"),
    ],
)
def test_bad_input_is_one_line_that_names_it(capsys, arguments, message):
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_an_unknown_scenario(capsys):
    assert cli.main(["evaluate", "nvm", "--policies", "none"]) == 2
    assert "nvm-middleware" in capsys.readouterr().err


@pytest.mark.parametrize(("store", "extrapolated"), [("map", False), ("emulated", True)])
def test_only_what_rests_on_the_profile_can_lie_outside_its_data(store, extrapolated, capsys):
    try:
        binding.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    arguments = ["--policies", "fixed:20,20", "--engine", "native", "--store", store, "--steps", "1", "--seeds", "1"]
    assert evaluate(capsys, *arguments, "--phase-steps", "1", "--warned-share", "100")["extrapolated"] is extrapolated


@pytest.mark.parametrize(("doubtful", "code"), [(1, 0), (2, 1)])
def test_windows_with_a_validity_warning_are_told_and_too_many_are_an_error(capsys, monkeypatch, doubtful, code):
    windows = []

    def validity_warning(middleware):
        stats = middleware.get_stats()
        if not any(stats is other for other in windows):
            windows.append(stats)
        number = next(number for number, other in enumerate(windows) if other is stats)
        return "requests failed" if 1 <= number <= doubtful else ""  # number 0 is the warm-up

    monkeypatch.setattr(
        "pmtwin.scenarios.nvm_middleware.model.middleware.Middleware.validity_warning", validity_warning
    )
    size = ["--steps", "20", "--phase-steps", "10", "--requests-per-window", "50", "--seeds", "1", "--jobs", "1"]
    assert cli.main(["evaluate", "nvm-middleware", "--policies", "fixed:4,4", *size, "--json"]) == code
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert (
        result["validity_warnings"]["reasons"]
        == result["policies"]["fixed:4,4"]["validity_warnings"]
        == {"requests failed": doubtful}
    )
    assert (result["validity_warnings"]["percent"], result["validity_warnings"]["passed"]) == (5 * doubtful, code == 0)
    assert "a validity warning of the system: requests failed" in shown.err


def test_a_twin_has_no_validity_warnings_and_is_given_no_share(capsys):
    assert cli.main(["evaluate", "nvm-middleware", "--policies", "fixed:4,4", "--warned-share", "3"]) == 2
    assert "--warned-share" in capsys.readouterr().err
