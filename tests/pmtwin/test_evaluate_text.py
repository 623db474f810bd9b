"""`pmtwin evaluate`: what the text and the page say, in which order."""

import pytest

from pmtwin import cli
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from tests.pmtwin.evaluating import QUICK, evaluate, ranking


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
    words = ["--policies", "none", "random", "--warmup-windows", "3"]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *words]) == 0
    said = "rests on: 2 seeds for each policy, 4 windows a run, without the first 3, 2 of a phase in turn: 1 of the 2"
    assert f"{said} phases; 4 windows in all" in " ".join(capsys.readouterr().out.split())


def test_what_the_differences_are_is_said_above_their_tables(capsys, tmp_path):
    words = ["--policies", "none", "random", "--seeds", "3", "--details", "--report", str(tmp_path)]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *words]) == 0
    said = ("Holm", "without the correction", "attainment: difference", "Own intervals", "own intervals")
    for shown in (capsys.readouterr().out, (tmp_path / "index.html").read_text()):
        places = [" ".join(shown.split()).index(text) for text in said]
        assert places == sorted(places)


def test_the_page_is_named(capsys, tmp_path):
    page = tmp_path / "absent" / "page"
    arguments = ["--policies", "none", "random", "--report", str(page)]
    assert cli.main(["evaluate", "nvm-middleware", *QUICK, *arguments]) == 0
    assert f"report: {page / 'index.html'}\n" in capsys.readouterr().err and (page / "index.html").is_file()
