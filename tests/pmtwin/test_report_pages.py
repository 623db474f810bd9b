"""The pages of `evaluate --report` and `recommend --report`: what they show, and that they need nothing else."""

import csv
import json
import re

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.evaluation.recommendation import notes
from pmtwin.figures.drawing.style import BLUE, BLUES, styled
from pmtwin.figures.plots.attainment import over_time, regret
from pmtwin.report.evaluation import ranking
from pmtwin.report.recommendation import write_recommendation
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.common.number_forms import percent


def is_self_contained(page: str) -> bool:
    return not re.search(r'(?:src|href)="(?!#|data:)', page) and "<script" not in page


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluated")
    words = "evaluate nvm-middleware --policies threshold fixed:9,8 --steps 20 --phase-steps 10 --seeds 2 --jobs 1"
    words += f" --requests-per-window 200 --report {folder / 'page'} --output {folder / 'result.json'}"
    assert cli.main(words.split()) == 0
    return (folder / "page" / "index.html").read_text(), json.loads((folder / "result.json").read_text())


def test_each_picture_lies_beside_the_page_as_svg_with_its_data_as_csv(evaluated, tmp_path_factory):
    _, result = evaluated
    folder = max(tmp_path_factory.getbasetemp().glob("evaluated*/page"))
    assert {path.name for path in folder.iterdir()} == {
        "index.html", *(f"{name}.{kind}" for name in ("ranking", "time", "regret") for kind in ("svg", "csv")),
    }  # fmt: skip
    with open(folder / "ranking.csv", newline="") as file:
        ranking = list(csv.DictReader(file))
    shares = {spec: entry["overall"]["attainment"]["mean"] for spec, entry in result["policies"].items()}
    assert {row["policy"]: float(row["attainment"]) for row in ranking} == pytest.approx(shares)
    with open(folder / "time.csv", newline="") as file:
        assert next(csv.reader(file)) == ["window", *(row["policy"] for row in result["leaderboard"])]


def test_a_policy_alone_is_shown_without_what_needs_two(tmp_path, capsys):
    words = "evaluate nvm-middleware --policies fixed:9,8 --steps 4 --phase-steps 2 --seeds 10 --jobs 1 --details"
    assert cli.main([*words.split(), "--requests-per-window", "200", "--report", str(tmp_path / "page")]) == 0
    page, out = (tmp_path / "page" / "index.html").read_text(), capsys.readouterr().out
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Ranking", "Attainment over time", "Middle half and worst tenth"]
    assert {path.stem for path in (tmp_path / "page").iterdir()} == {"index", "ranking", "time"}
    said = "A policy alone has no regret, no ties and no differences"
    for text in (page, " ".join(out.split())):
        assert said in text
        rest = text.replace(said, "")
        assert not re.search(r"\b(regret|of best|tied with|against|less that|less the first|most often)\b", rest)


def test_a_comparison_shows_ranking_time_regret_and_differences(evaluated):
    page, result = evaluated
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings == ["Ranking", "Attainment over time", "Regret", "Differences"]
    assert [f'id="{name}-figure_1"' in page for name in ("ranking", "time", "regret")] == [True] * 3
    cell = '<td data-name="policy">{}</td><td data-name="attainment">{}'
    assert all(cell.format(row["policy"], percent(row["attainment"])) in page for row in result["leaderboard"])
    assert "2 runs: too few for an interval" in page and "from the least run to the greatest" in page
    assert "extrapolated where more than 24 threads are at the device at once" in page
    assert "p99_us: 99th percentile of the latency of interactive requests" in page
    assert is_self_contained(page)


@pytest.mark.parametrize(("words", "named"), [(["--workload", "svd"], "svd, steady"), ([], "phases, varying")])
def test_the_head_names_the_workload_or_the_set_of_phases_once(words, named, tmp_path):
    words = ["evaluate", "nvm-middleware", "--policies", "none", "--steps", "2", "--seeds", "1", *words]
    assert cli.main([*words, "--requests-per-window", "100", "--report", str(tmp_path)]) == 0
    page = (tmp_path / "index.html").read_text()
    assert f"<dt>load</dt><dd>{named}, " in page
    assert "<dt>context set</dt>" not in page and "<dt>workload</dt>" not in page


def test_regret_counts_what_the_reference_kept_and_the_policy_did_not():
    met = {"a": np.ones((2, 40), bool), "b": np.tile([True, False], (2, 20))}
    with styled():
        drawing = regret("regret", met, "a")
        lines = {line.get_label(): line.get_ydata() for line in drawing.figure.axes[0].get_lines()}
        shown = over_time("time", met).figure.axes[0].get_lines()
        assert lines["a"].tolist() == [0.0] * 40
        assert lines["b"].tolist() == np.cumsum(np.tile([0.0, 1.0], 20)).tolist()
        assert shown[1].get_ydata().tolist() == [100.0, 0.0] * 20


def test_a_point_of_each_window_and_one_of_several_say_so_and_policies_are_called_as_in_the_tables():
    with styled():
        each, several = (over_time("time", {"fixed:9,8": np.ones((2, windows), bool)}) for windows in (20, 80))
        lost = regret("regret", {"fixed:9,8": np.ones((2, 20), bool)}, "fixed:9,8")
    assert each.caption == "Mean over runs, window by window."
    assert several.caption == "Mean over runs and over 2 windows at a time."
    assert lost.caption == "Windows that fixed:9,8 has kept so far, less those of the policy."
    assert each.alt == "Runs that keep all goals (%), at the end: fixed:9,8 100."


def test_lines_of_like_colours_have_dashes_of_their_own():
    met = {spec: np.ones((1, 4), bool) for spec in ("q-learning:a", *(f"fixed:{number},1" for number in range(1, 14)))}
    with styled():
        lines = over_time("time", met).figure.axes[0].get_lines()
        looks = [(BLUE if line.get_color() in BLUES else line.get_color(), line.get_linestyle()) for line in lines]
    assert len(set(looks)) == len(looks) == 14
    assert [dash for _, dash in looks[:6]] == ["-"] * 6 and looks[6] == (BLUE, "--")


RESULT = {
    "scenario": "s",
    "workload": "w < x",
    "goals": ["p99_us at most 200"],
    "setting": [2, 1],
    "attainment": 0.5,
    "attainment_low": 0.4,
    "attainment_high": 0.6,
    "measures": {"p99_us": 150.0},
    "percentiles": {"p99_us": {"5": 120.0, "50": 145.0, "95": 180.0}},
    "known_device": None,
    "extrapolated": True,
    "goals_kept": {"p99_us": 0.55},
    "unreachable": [],
    "loss_if_wrong": 0.01,
    "best_in_samples": 0.75,
    "ties": [[1, 1]],
    "alternatives": [{"setting": [1, 1], "attainment": 0.49, "mean_over_samples": 0.48}],
    "changes": [
        {"change": "load x 2", "setting": [2, 2], "gain": 0.1, "kept": 0.4, "by": "formulas", "beyond_load": []},
        {"change": "load x 1", "setting": [2, 1], "gain": 0.0, "kept": 0.6, "by": "formulas", "beyond_load": []},
        {
            "change": "load x 0.5",
            "setting": [1, 2],
            "gain": 1e-12,
            "kept": 0.033,
            "by": "formulas",
            "beyond_load": ["throughput_ops at least 250,000"],
        },
    ],
    "plateau": {"settings": [[1, 1], [1, 2], [2, 1], [2, 2]], "share": [0.4, 0.1, 0.5, 0.2]},
    "samples": {"of": "load", "count": 3, "mean": 0.47, "least": 0.3, "low": 0.31, "high": 0.59},
}


def test_a_recommendation_shows_answer_plateau_and_what_would_change_it(tmp_path):
    with styled():
        page = write_recommendation(RESULT, NvmMiddleware(), 1, tmp_path / "page", {"host": "inferred"}).read_text()
    assert (
        "pools 2,1: 50 % of windows keep all goals (47 % [31 %, 59 %] over 3 samples of load)" in page
        and "w &lt; x" in page
    )
    assert "p99_us misses its goal most often, in 45 %" in page and "near a goal&#39;s limit counts in part" in page
    assert "median 145, 120 to 180 (5th to 95th percentile of windows)" in page
    assert "p99_us: 99th percentile of the latency of interactive requests" in page
    assert "extrapolated where" not in page  # of pools with three threads at most
    beyond = notes(RESULT | {"ties": [[24, 1]]}, NvmMiddleware(), 1)
    assert "extrapolated where more than 24 threads are at the device at once: not measured for all accesses" in beyond
    assert "samples</td>" in page
    assert 'id="plateau-figure_1"' in page and "<dt>host</dt><dd>inferred</dd>" in page
    assert "<td>load x 2</td><td>40 %</td><td>2,2</td><td>10.0 points</td>" in page
    stays = "<td>the same</td><td>none</td>"
    assert f"<td>load x 0.5</td><td>3.3 %</td>{stays}" in page  # no gain, and yet a loss is shown
    assert "load x 0.5 offers less than a goal: throughput_ops at least 250,000; no pools can keep it" in page
    assert "for the present load the formulas give 60 %, the simulation 50 %" in page
    assert is_self_contained(page)


def test_where_nothing_keeps_the_goals_the_page_says_why_and_leaves_out_what_means_nothing(tmp_path):
    nothing = {"attainment": 0.0, "goals_kept": {"p99_us": 0.0}, "samples": RESULT["samples"] | {"mean": 0.0}}
    changes = [
        change | {"kept": 0.0, "gain": gain} for change, gain in zip(RESULT["changes"], (0.3, 0.0, 0.0), strict=True)
    ]
    unreachable = [{"goal": "p99_us at most 200", "best": 212.0, "offered": None}]
    result = RESULT | nothing | {"changes": changes, "unreachable": unreachable}
    with styled():
        page = write_recommendation(result, NvmMiddleware(), 1, tmp_path / "page", {}).read_text()
    assert "which no pools meet (p99_us at most 200: the best value of any window at any setting tried is 212)" in page
    assert "plateau-figure_1" not in page and "ties" not in page and "cost if wrong" not in page
    assert "samples</td>" not in page
    assert "load x 2" in page and "load x 0.5" not in page  # only what would let some pools keep them


def test_a_report_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    words = ["evaluate", "nvm-middleware", "--policies", "threshold", "--report", str(tmp_path / "file" / "page")]
    assert cli.main(words) == 2
    assert "--report" in capsys.readouterr().err


def test_the_ranking_names_no_winner_among_ties():
    shares = {
        spec: {"mean": mean, "low": None, "high": None, "range": None}
        for spec, mean in (("a", 0.5), ("b", 0.49), ("c", 0.1))
    }
    policies = {"a": {"level": []}, "b": {"level": ["a"]}, "c": {"level": []}}
    with styled():
        tied = ranking(shares, {"yardsticks": {"policies": policies}})
        won = ranking(shares, {"yardsticks": {"policies": policies | {"b": {"level": []}}}})
    assert tied.alt == "The highest attainment is 50 %; without a clear difference: a, b."
    assert won.alt == "All goals are kept most often by a, in 50 % of the windows."
