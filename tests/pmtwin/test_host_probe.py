"""The host's parameters: found again in what a known host would show, measured with the real middleware, read back."""

import json
import re

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.middleware import binding, stores
from pmtwin.middleware.settings import NativeSettings
from pmtwin.scenarios.nvm_middleware.host import experiments
from pmtwin.scenarios.nvm_middleware.host.device_part import slowdown_ns, twin_time_ns
from pmtwin.scenarios.nvm_middleware.host.experiments import handoff_name
from pmtwin.scenarios.nvm_middleware.host.fit import CROWDS, parameters
from pmtwin.scenarios.nvm_middleware.host.probe import host_document
from pmtwin.scenarios.nvm_middleware.validation.tables import _parameters
from pmtwin.sim import InputError
from pmtwin.sim.device.payloads import ns_per_byte
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.host.file import document, read_host
from pmtwin.sim.parameters.values import PARAMETERS

native = pytest.mark.skipif(binding.path() is None, reason="the real middleware is not built (make build)")
CORES, KEYS, PROFILE = 2, 5000, "dram-ddr4"
TRUTH = {
    "threads_per_core": 1,
    "smt_yield": 0.0,
    "workers_poll": 0,
    "timeslice_ns": 0,
    "access_holds_cpu": 1,
    "client_wakeup_ns": 0,
    "cpu_noise_sigma": 0.2,
    "handoff_ns": 400,
    "handoff_contention_threads": 60,
    "kv_contention_threads": 1e6,
    "worker_wakeup_ns": 3000,
    "get_software_ns": 150,
    "get_copy_ns_per_byte": 0.04,
    "get_chain_accesses": 4,
    "put_software_ns": 900,
    "put_copy_ns_per_byte": 0.08,
    "put_chain_accesses": 3,
    "put_persists": 0,
    "put_write_factor": 1.5,
}


def samples_of_twin(profile: str, cores: int) -> dict[str, list[float]]:
    """What the twin of a host with `TRUTH` and so many cores shows where the experiments would measure the real one."""
    truth = TRUTH | {"cores": cores}
    shown = {"one client": truth["cpu_noise_sigma"], "paced": truth["handoff_ns"] + truth["worker_wakeup_ns"]}
    shown[experiments.IDLE] = 0.0
    few = {"get_chain_accesses": 0, "put_chain_accesses": 0, "put_write_factor": 0.01}
    for cell in experiments.cells(KEYS):
        if cell.name in shown:
            continue
        if not cell.store:
            shown[cell.name] = truth["handoff_ns"]
            continue
        hot = cell.keys < KEYS
        time_ns = twin_time_ns(cell, load_profile(profile), truth | (few if hot else {}))
        moved_ns = payload_ns(profile, cell.sizes[0]) if hot and cell.write_ratio == 0.0 else 0.0
        shown[cell.name] = time_ns - moved_ns  # the twin's gets always move their value
    return {name: [value] * 3 for name, value in shown.items()}


def payload_ns(profile: str, size: int) -> float:
    at, first = np.array([float(size)]), np.ones(1)
    return size * float(
        ns_per_byte(load_profile(profile), np.array(["load"]), at, first, PARAMETERS["dimms"].default)[0]
    )


def host_file(tmp_path, **changes):
    """A file with two parameters; `changes` replace top-level fields, or drop those that are None."""
    entries = {
        "handoff_ns": {"value": 321.0, "low": 300.0, "high": 340.0, "origin": "measured", "source": "a test"},
        "timeslice_ns": {"value": 0.0, "origin": "assumed", "source": "a test"},
    }
    content = document(entries, {"rounds": 1}, {}) | changes
    path = tmp_path / "host.json"
    path.write_text(json.dumps({name: value for name, value in content.items() if value is not None}))
    return path


@pytest.mark.parametrize(("profile", "cores"), [(PROFILE, CORES), ("optane-dcpmm-100", 8)])
def test_the_parameters_of_a_known_host_are_found_again_from_windows_of_its_twin(profile, cores):
    samples = samples_of_twin(profile, cores)
    result = parameters(samples, load_profile(profile), cores, 1)
    values = {name: entry["value"] for name, entry in result.items()}
    for name in TRUTH.keys() - {"smt_yield"}:
        assert values[name] == pytest.approx(TRUTH[name], rel=0.05, abs=1e-9), name
    for cell in experiments.cells(KEYS):
        if cell.store and cell.keys == KEYS:
            time_ns = twin_time_ns(cell, load_profile(profile), TRUTH | values)
            assert time_ns == pytest.approx(samples[cell.name][0], rel=0.02), cell.name


def test_that_many_workers_slow_each_others_accesses_down_is_not_taken_for_their_hand_off():
    """On a device that is slow to write it is much of the time; two processors do not crowd main memory."""
    of = {cell.name: cell for cell in experiments.cells(KEYS)}
    together = [of[experiments.handoff_name(workers, 0.5)] for workers in experiments.EACH_POOL]
    alone = [of[f"{operation}:{size}:cold"] for operation in ("get", "put") for size in experiments.SIZES]
    left = np.full(len(together), 500.0)
    optane, dram = (
        slowdown_ns(together, alone, load_profile(profile), TRUTH | {"cores": cores}, left)
        for profile, cores in (("optane-dcpmm-100", 16), (PROFILE, CORES))
    )
    assert np.all(np.diff(optane[:-1]) > 0.0) and optane[-1] > 0.2 * left[-1]
    assert np.abs(dram).max() < 0.05 * left[0]


@native
def test_a_short_measurement_gives_every_parameter_with_its_interval_and_source(tmp_path):
    result = host_document(NativeSettings(store="map", keys=50), PROFILE, lambda: None, rounds=2, shortened=True)
    (tmp_path / "host.json").write_text(json.dumps(result, allow_nan=False))
    host = read_host(tmp_path / "host.json")
    assert host.context["rounds"] == 2 and host.values["handoff_ns"] >= 0.0
    for name, entry in host.entries.items():
        assert entry["source"]
        low, high = PARAMETERS[name].limits
        assert low <= entry.get("low", entry["value"]) <= entry["value"] <= entry.get("high", entry["value"]) <= high
    for name in ("handoff_ns", "worker_wakeup_ns", "get_software_ns", "put_software_ns", "put_copy_ns_per_byte"):
        assert host.entries[name]["origin"] == "measured" and "low" in host.entries[name]
    assert host.entries["timeslice_ns"]["origin"] == "assumed"


def test_what_is_set_by_hand_goes_before_the_file(tmp_path, capsys):
    path = host_file(tmp_path)
    command = ["validate", "--grid", "2,2", "--phases", "1", "--host", str(path), "--dry-run", "--json"]
    assert main(command) == 0
    parameters = json.loads(capsys.readouterr().out)["twin"]["parameters"]
    assert parameters == {"handoff_ns": 321.0, "timeslice_ns": 0.0}
    assert main([*command, "--set", "handoff_ns=500"]) == 0
    assert json.loads(capsys.readouterr().out)["twin"]["parameters"]["handoff_ns"] == 500.0


def test_a_validation_shows_the_intervals_of_its_host_file(tmp_path, capsys):
    entry = {"value": 321.0, "low": 300.5, "high": 350.5, "origin": "measured", "source": "rounds"}
    path = host_file(tmp_path, parameters={"handoff_ns": entry, "get_software_ns": entry})
    words = [
        "--grid",
        "2,2",
        "--phases",
        "1",
        "--host",
        str(path),
        "--set",
        "get_software_ns=200",
        "--dry-run",
        "--json",
    ]
    assert main(["validate", *words]) == 0
    used = json.loads(capsys.readouterr().out)
    assert used["host_intervals"] == {"handoff_ns": {"low": 300.5, "high": 350.5}}
    (table,) = _parameters({"configuration": used})
    assert [row[:4] for row in table.rows] == [
        ("handoff_ns", 321.0, 300.5, 350.5),
        ("get_software_ns", 200.0, None, None),
    ]


def test_the_list_of_parameters_names_the_file_as_the_source(tmp_path, capsys):
    path = host_file(tmp_path)
    assert main(["list", "parameters", "--host", str(path), "--json"]) == 0
    listed = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["parameters"]}
    assert listed["handoff_ns"]["value"] == 321.0 and listed["handoff_ns"]["origin"] == "measured"
    assert listed["handoff_ns"]["source"].startswith(str(path))
    assert listed["timeslice_ns"]["origin"] == "assumed" and listed["cores"]["value"] == PARAMETERS["cores"].default


COMMANDS = {
    "validate": ["--grid", "2,2", "--phases", "1", "--dry-run"],
    "simulate": ["nvm-middleware", "--windows", "2", "--requests-per-window", "100"],
    "evaluate": [
        *("nvm-middleware", "--policies", "fixed:2,2", "--phases", "1"),
        *("--steps", "2", "--seeds", "1", "--jobs", "1"),
    ],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("beside", [PROFILE, "optane-dcpmm-100"])
def test_parameters_that_were_measured_beside_another_profile_are_warned_of(tmp_path, capsys, command, beside):
    context = {"profile": {"name": beside, "fingerprint": load_profile(beside).fingerprint}}
    words = ["--host", str(host_file(tmp_path, context=context)), "--profile", PROFILE, "--json"]
    assert main([command, *COMMANDS[command], *words]) == 0
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    warnings = result.get("configuration", result)["warnings"]
    if beside == PROFILE:
        assert warnings == [] and "warning:" not in shown.err
    else:
        assert len(warnings) == 1 and beside in warnings[0] and PROFILE in warnings[0]
        assert f"warning: {warnings[0]}" in shown.err


def test_a_run_says_where_each_parameter_comes_from(tmp_path, capsys):
    words = ["--host", str(host_file(tmp_path)), "--set", "timeslice_ns=5", "--json"]
    assert main(["validate", *COMMANDS["validate"], *words]) == 0
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)["parameters"]}
    assert listed.keys() == PARAMETERS.keys()
    assert listed["handoff_ns"]["value"] == 321.0 and listed["handoff_ns"]["origin"] == "measured"
    assert listed["timeslice_ns"]["value"] == 5.0 and "--set" in listed["timeslice_ns"]["source"]
    assert listed["dimms"]["origin"] == PARAMETERS["dimms"].origin


def test_only_what_was_measured_is_called_so():
    samples = {cell.name: [1000.0] for cell in experiments.cells(KEYS)} | {experiments.IDLE: [0.0]}
    result = parameters(samples, load_profile(PROFILE), CORES, 1)
    fixed = {name for name, entry in result.items() if entry["origin"] == "assumed"}
    measured = {name for name, entry in result.items() if "low" in entry} | {"cores", "threads_per_core"}
    assert fixed == result.keys() - measured and "access_holds_cpu" in fixed


ENTRY = {"value": 1.0, "origin": "measured", "source": "here"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"version": 99}, "version"),
        ({"version": True}, "version"),
        ({"samples": None}, "host"),
        ({"context": {"profile": "optane-dcpmm-100"}}, "context.profile"),
        ({"parameters": {"handoff_ns": ENTRY | {"low": 10**400, "high": 2.0}}}, "parameters.handoff_ns.low"),
        ({"parameters": {"handoff_ns": ENTRY | {"low": 2.0, "high": 1.0}}}, "parameters.handoff_ns.low"),
        ({"parameters": {"handoff_ns": ENTRY | {"low": 0.5}}}, "parameters.handoff_ns.high"),
        ({"parameters": {"handoff_ns": {"value": 1.0, "origin": "measured"}}}, "parameters.handoff_ns"),
        (
            {"parameters": {"handoff_ns": {"value": "1", "origin": "measured", "source": ""}}},
            "parameters.handoff_ns.value",
        ),
        (
            {"parameters": {"handoff_ns": {"value": 1, "origin": "guessed", "source": ""}}},
            "parameters.handoff_ns.origin",
        ),
        ({"parameters": {"handof_ns": {"value": 1, "origin": "measured", "source": ""}}}, "parameter"),
        ({"parameters": {"cores": {"value": 1000, "origin": "measured", "source": ""}}}, "cores"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_no_host_is_refused_by_the_field_that_is_wrong(tmp_path, changes, field):
    path = host_file(tmp_path, **changes)
    with pytest.raises(InputError, match=f"host.json: {field}(: |.* is missing: )"):
        read_host(path)


@pytest.mark.parametrize("text", [None, "no JSON", "[]", '{"format": "pmtwin-probe"}'])
def test_something_else_than_a_host_file_is_an_error_with_exit_code_2(tmp_path, capsys, text):
    path = tmp_path / "other.json"
    if text is not None:
        path.write_text(text)
    assert main(["simulate", "nvm-middleware", "--phase", "1", "--pools", "2,2", "--host", str(path)]) == 2
    assert "other.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--store", "null"], "--store"),
        (["--store", "pmemkv"], "path"),
        (["--keys", "0"], "keys"),
        (["--path", "/dev/shm", "--dry-run"], "--store pmemkv"),
        (["--time", "9"], "--time 9.0 does not go with --host"),
        (["--target-error", "9"], "--target-error 9.0 does not go with --host"),
        (["--resume"], "--resume"),
        (["--profile", "nothing"], "profile"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_runs(tmp_path, capsys, words, field):
    assert main(["probe", "--host", "-o", str(tmp_path / "host.json"), *words]) == 2
    assert field in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_dry_run_says_how_long_it_takes(tmp_path, capsys):
    words = ["probe", "--host", "--store", "map", "-o", str(tmp_path / "host.json"), "--dry-run"]
    assert main(words) == 0
    assert re.search(r"windows in all, about \d+ s\n", capsys.readouterr().out)
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["about_seconds"] > 10.0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", [[], ["--dry-run"]])
@pytest.mark.parametrize("kind", [["--host", "--store", "map"], ["--kv", "--path", "/dev/shm"]])
def test_an_existing_file_is_not_overwritten(kind, how, tmp_path, capsys):
    path = host_file(tmp_path)
    before = path.read_text()
    assert main(["probe", *kind, "-o", str(path), *how]) == 2
    assert "--force" in capsys.readouterr().err and path.read_text() == before


@native
def test_an_idle_pool_that_sleeps_takes_no_processor():
    assert experiments.idle_processors(stores.open_store("null"), "", load_profile(PROFILE)) < 0.5


def test_contention_does_not_fall_with_threads():
    samples = {cell.name: [1000.0 if cell.both else 600.0] for cell in experiments.cells(KEYS)} | {
        experiments.IDLE: [0.0]
    }
    samples |= {handoff_name(*crowd): [1000.0 - crowd[0]] for crowd in CROWDS}
    result = parameters(samples, load_profile(PROFILE), CORES, 1)
    assert result["handoff_contention_threads"]["value"] == PARAMETERS["handoff_contention_threads"].limits[1]
    assert result["handoff_contention_threads"]["source"].endswith("no contention seen")
    assert 976.0 < result["handoff_ns"]["value"] < 1000.0
    assert np.isfinite([entry["value"] for entry in result.values()]).all()
