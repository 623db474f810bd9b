"""`pmtwin bench campaign`: a small share of the campaign gives the policy of `pmtwin train`, to the byte."""

import hashlib
import json

import pytest

from pmtwin import cli
from pmtwin.bench import campaign

SHARE = "0.0005"


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    """Windows of twenty requests."""
    plain = campaign._scenario
    monkeypatch.setattr(campaign, "_scenario", lambda **options: plain(requests_per_window=20, **options))


@pytest.mark.parametrize("actors", ["1", "4"])
def test_it_trains_the_policy_of_pmtwin_train(actors, tmp_path, capsys):
    bench = [
        "bench",
        "campaign",
        "--campaign",
        SHARE,
        "--actors",
        actors,
        "--seconds",
        "0.001",
        "--jobs",
        "1",
        "--json",
    ]
    assert cli.main(bench) == 0
    report = json.loads(capsys.readouterr().out)
    output = tmp_path / "q.npz"
    train = ["train", "nvm-middleware", "--requests-per-window", "20", "--campaign", SHARE, "--actors", actors]
    assert cli.main([*train, "--jobs", "1", "-o", str(output)]) == 0
    assert report["policy_sha256"] == hashlib.sha256(output.read_bytes()).hexdigest()
    assert set(report["seconds"]) == {"dataset", "selection", "bootstrap", "online", "trials"}
    assert sum(report["seconds"].values()) <= report["wall_s"]
    assert report["windows"] == 4 * 2 * 200 + 4 * 3 * 200 + 13 * 40 * 13
    assert report["requests"] == 20 * report["windows"]
    assert report["real_machine"]["online_days"] == pytest.approx(4 * 3 * 200 / 86400, abs=1e-3)
    assert report["simpy"]["window_s"] > 0


def test_the_report_as_text(capsys):
    assert cli.main(["bench", "campaign", "--campaign", SHARE, "--seconds", "0.001", "--jobs", "1"]) == 0
    text = capsys.readouterr().out
    for words in ("0.0005 of the whole one", "bootstrap", "real machine", "SimPy", "policy "):
        assert words in text


def test_an_interrupt_points_to_no_checkpoint_since_none_stays(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pmtwin.policies.training.train", interrupted)
    assert cli.main(["bench", "campaign", "--campaign", SHARE, "--seconds", "0.001", "--jobs", "1"]) == 130
    shown = capsys.readouterr().err
    assert "goes on" not in shown and "checkpoint" not in shown


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["campaign", "--campaign", "0"], "--campaign: 0.0 is not accepted; allowed: 0.0005 to 1"),
        (["campaign", "--actors", "0"], "--actors: 0 is not accepted; allowed: 1 to 1024"),
        (["engine", "--actors", "2"], "--actors 2 belongs to target campaign"),
        (
            ["engine", "--campaign", "0.1"],
            "--campaign 0.1 belongs to target campaign or selection",
        ),
        (["selection", "--actors", "2"], "--actors 2 belongs to target campaign"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(arguments, error, capsys):
    assert cli.main(["bench", *arguments]) == 2
    assert error in capsys.readouterr().err
