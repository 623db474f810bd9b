"""The line `next: pmtwin ...`, with which commands end, is accepted as it is and runs under the same conditions."""

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import pmtwin
from pmtwin.commands.infer import next_command as after_infer
from pmtwin.config import command_words
from pmtwin.probe.run import _next_step as after_probe
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.host.command import next_command as after_host_probe
from pmtwin.scenarios.two_tier import TwoTier
from pmtwin.training.summary import next_command as after_training

USABLE = {"accepted": True, "would_fit": ["load"], "kept_share": 1.0, "kept": ""}


def configuration(line: str):
    """What the line means, whose command takes all its words."""
    assert line.startswith("next: pmtwin ")
    return command_words.parsed_configuration(shlex.split(line)[2:])


@pytest.mark.parametrize(
    "scenario",
    [
        NvmMiddleware.of(workload="svd", latency_goal_us=150.0, requests_per_window=50),
        NvmMiddleware.of(host_samples=32, device_samples=4, device_seed=3),
        NvmMiddleware.of(host_samples=8, host_seed=5, parameters={"cores": 48.0, "handoff_ns": 9405.3}),
        NvmMiddleware.of(contexts="contended", load="steady", interactive_rate_ops=None, drain=True),
        TwoTier.of(model="whole", cache_lines=64, skew=1.3, p99_goal_ms=250.0),
        TwoTier.of(rate=90.0, servers="shared"),
    ],
    ids=lambda scenario: type(scenario).__name__,
)
def test_after_a_training_the_same_system_is_evaluated_on_other_draws(scenario):
    config = configuration(after_training("trained:my policy.npz", scenario, 7))
    assert config.policies[0] == "trained:my policy.npz" and config.seed != 7
    config.plan()  # such as samples, of which each needs a seed
    kept = scenario.options
    for name in scenario.drawn_by:
        assert getattr(config.scenario.options.twin, name) != getattr(kept.twin, name)
        kept = replace(kept, twin=replace(kept.twin, **{name: getattr(config.scenario.options.twin, name)}))
    assert config.scenario.options == kept


def test_what_draws_nothing_is_evaluated_without_a_seed(monkeypatch):
    monkeypatch.setattr(TwoTier, "draws", False)
    assert "--seed" not in after_training("trained:p.npz", TwoTier.of(), 0)


def test_the_last_seed_has_another_one_too():
    assert " --seed 0 " in after_training("trained:p.npz", TwoTier.of(), 2**63 - 1)


def test_after_an_inference_its_conditions_are_simulated(tmp_path):
    host = Path(__file__).parents[3] / "sim" / "hosts" / "inferred.json"
    evidence = ["--evidence", "own.csv", "--workload", "ycsb-a", "--profile", "dram-ddr4", "--window-seconds", "0.1"]
    config = command_words.parsed_configuration(["infer", *evidence, "-o", str(host)])
    asked, simulated = config.scenario.options, configuration(after_infer(config)).scenario.options
    assert (simulated.workload, simulated.twin.profile) == (asked.workload, asked.twin.profile)
    assert simulated.twin.window() == asked.twin.window()
    assert simulated.twin.host == str(host) and simulated.twin.host_samples == 20


def test_after_a_probe_of_the_host_the_same_store_is_validated(tmp_path):
    store = ["--store", "pmemkv", "--path", str(tmp_path), "--pool-mib", "300", "--keys", "5000"]
    config = command_words.parsed_configuration(
        ["probe", "--host", *store, "--profile", "dram-ddr4", "-o", "host.json"]
    )
    words = shlex.split(after_host_probe(config, Path("my host.json")))
    given = dict(zip(words[3::2], words[4::2], strict=True))
    assert given == dict(zip(store[::2], store[1::2], strict=True)) | {
        "--host": "my host.json",
        "--profile": "dram-ddr4",
    }


def test_after_a_probe_its_file_is_calibrated():
    assert str(configuration(after_probe(Path("my probe.json"), USABLE)).sources[0]) == "my probe.json"


def test_no_command_writes_such_a_line_by_itself():
    root = Path(pmtwin.__file__).parent
    writing = [path.name for path in root.rglob("*.py") if re.search(r'["\']next: (pmtwin|\{)', path.read_text())]
    assert writing == ["next_command.py"]
