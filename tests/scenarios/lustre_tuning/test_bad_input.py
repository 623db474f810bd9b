"""Bad input of lustre-tuning: one line on standard error that names field and value, exit code 2, nothing printed."""

import json

import pytest

from pmtwin.cli import main
from pmtwin.config.record import facts
from pmtwin.scenarios.lustre_tuning import LustreTuning

CASES = [
    (("--workload", "random-2-8"), "random-2-8"),
    (("--limits", "7,0"), "4 to 256 in steps of 4"),
    (("--limits", "300,0"), "300,0"),
    (("--limits", "8"), "WINDOW,TAU"),
    (("--limits", "8,100"), "8,100"),
    (("--data-gb", "3000"), "--data-gb: 3000.0 is not accepted; allowed: at most 2000 GB"),
    (("--data-gb", "0.02"), "--data-gb: 0.02 is not accepted; allowed: at least 0.021 GB"),
    (("--rpc-kib", "512"), "--rpc-kib: 512 is not accepted; allowed: at least 1024"),
    (("--io-bytes", "100"), "io"),
    (("--lost", "1.5"), "--lost"),
    (("--lost", "nan"), "--lost"),
    (("--reward", "throughput"), "--reward"),
    (("--latency-weight", "2"), "belongs to --reward objective"),
    (("--engine", "analytic"), "--engine"),
    (("--servers", "0"), "--servers"),
    (("--mean-seek-ms", "25"), "--mean-seek-ms: 25.0 is not accepted"),
    (("--full-seek-ms", "0.5"), "--full-seek-ms: 0.5 is not accepted; allowed: at least track_seek_ms, 1 ms"),
    (("--foreign-gap-s", "0"), "--foreign-gap-s: 0.0 is not accepted"),
    (("--window-s", "-1"), "--window-s"),
]


USUAL = {"--workload": "random-1-9", "--limits": "8,0"}


@pytest.mark.parametrize(("words", "said"), CASES, ids=[" ".join(words) for words, _ in CASES])
def test_bad_input_is_one_line(words, said, capsys):
    usual = [word for option, value in USUAL.items() if option != words[0] for word in (option, value)]
    assert main(["simulate", "lustre-tuning", *usual, *words]) == 2
    out, err = capsys.readouterr()
    assert said in err and "\n" not in err.strip() and not out


def test_a_weight_that_every_workload_replaces_is_refused(capsys):
    words = ["evaluate", "lustre-tuning", "--reward", "objective", "--latency-weight", "2", "--policies", "fixed:8,0"]
    words += ["--dry-run", "--workloads", "contended-mail"]
    assert main([*words, "contended-scratch"]) == 2
    assert "--latency-weight 2.0 has no use: each of the workloads has its own" in capsys.readouterr().err
    assert main([*words, "random-1-9"]) == 0


@pytest.mark.parametrize(
    ("workload", "option", "value"),
    [("contended-mail", "--latency-weight", "2.0"), ("contended-scratch", "--spread", "0.5")],
)
def test_what_the_simulated_workload_replaces_is_refused(workload, option, value, capsys):
    words = ["simulate", "lustre-tuning", "--workload", workload, "--limits", "8,0", "--reward", "objective"]
    assert main([*words, option, value]) == 2
    out, err = capsys.readouterr()
    assert f"{option} {value} has no use: each of the workloads has its own" in err and not out


def test_a_record_leaves_out_what_its_workloads_replace(capsys):
    words = ["evaluate", "lustre-tuning", "--policies", "fixed:8,0", "--dry-run", "--json", "--reward", "objective"]

    def recorded(*workloads):
        assert main([*words, "--workloads", *workloads]) == 0
        return {"latency_weight", "spread"} & json.loads(capsys.readouterr().out)["configuration"].keys()

    assert recorded("contended-scratch", "contended-staging") == set()
    assert recorded("contended-scratch", "contended-mail") == {"spread"}
    assert recorded("contended-scratch", "random-1-9") == {"latency_weight", "spread"}


def test_a_table_leaves_out_what_its_workload_replaces():
    scenario = LustreTuning.of(reward="objective", latency_weight=2.0)
    assert facts(scenario, ["random-1-9"])["latency_weight"] == 2.0
    assert "latency_weight" not in facts(scenario, ["contended-mail"])
