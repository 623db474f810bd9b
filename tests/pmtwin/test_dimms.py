"""How many modules the twin has: as many as its profile was measured on, unless somebody says another number."""

from dataclasses import replace

import pytest

from pmtwin.cli import main
from pmtwin.inference.side import inference_side
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.host.device_part import twin_time_ns
from pmtwin.scenarios.nvm_middleware.host.experiments import cells
from pmtwin.scenarios.nvm_middleware.host.fit import _bytes_ns
from pmtwin.sim.device import load_profile, profile_names
from pmtwin.sim.device.ranges import usual_dimms


@pytest.fixture
def run(capsys):
    """Runs a command that succeeds: its standard output."""

    def output(*words) -> str:
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr().out

    return output


def profile_of(folder, *dimms):
    """The file of a profile that was measured on sets of these sizes."""
    shipped = load_profile()
    whole = {name: [box for box in boxes if box["dimms"] == 6] for name, boxes in shipped.fitted_range.items()}
    fitted = {name: [{**box, "dimms": each} for box in boxes for each in dimms] for name, boxes in whole.items()}
    return str(replace(shipped, name="mine", fitted_range=fitted).save(folder / "mine.json"))


@pytest.mark.parametrize(
    ("measured", "usual"), [((4,), 4), ((6,), 6), ((1, 6), 6), ((6, 12), 6), ((2, 4), 4), ((8,), 8)]
)
def test_the_usual_number_stays_where_it_was_measured_and_is_else_the_largest(tmp_path, measured, usual):
    assert usual_dimms(load_profile(profile_of(tmp_path, *measured))) == usual


@pytest.mark.parametrize("name", profile_names())
def test_beside_shipped_profiles_nothing_is_set(name):
    scenario = NvmMiddleware.of(profile=name)
    assert "dimms" not in scenario.options.twin.values
    assert scenario.derived() == {}


@pytest.mark.parametrize("dimms", [4, 8])
def test_the_twin_has_the_modules_of_its_profile_and_its_record_says_so(tmp_path, dimms):
    mine = profile_of(tmp_path, dimms)
    scenario, stated = NvmMiddleware.of(profile=mine), NvmMiddleware.of(profile=mine, parameters={"dimms": dimms})
    assert scenario.record()["twin"]["parameters"]["dimms"] == dimms
    row = next(row for row in scenario.parameters()["parameters"] if row["name"] == "dimms")
    assert row == {"name": "dimms", "value": dimms, "origin": "measured", "source": "as measured for profile mine"}
    assert scenario.derived() == {"dimms": f"{dimms}, as measured for profile mine (--set dimms=N changes it)"}
    assert scenario.unmeasured((1,)) == ""
    assert windows(scenario) == windows(stated) != windows(NvmMiddleware.of(profile=mine, parameters={"dimms": 6}))


def windows(scenario):
    env = ControlEnv(scenario, 1, (8, 8), episode_steps=None, warmup_windows=0, jumps=True)
    env.reset(seed=0)
    return [env.step((8, 8))[4]["p99_us"] for _ in range(2)]


@pytest.mark.parametrize("host", ["inferred", "assumed"])
def test_what_is_set_by_hand_wins(tmp_path, host):
    scenario = NvmMiddleware.of(profile=profile_of(tmp_path, 4), host=host, parameters={"dimms": 2.0})
    assert scenario.options.twin.values["dimms"] == 2.0
    assert scenario.derived() == {}


def test_sampled_hosts_have_the_modules_too(tmp_path):
    twin = NvmMiddleware.of(profile=profile_of(tmp_path, 4), host_samples=3).options.twin
    assert [values["dimms"] for values in twin.hosts] == [4.0] * 3


@pytest.mark.parametrize("host", ["inferred", "assumed"])
def test_an_inference_simulates_as_many(tmp_path, host):
    mine = profile_of(tmp_path, 4)

    def simulated(**given) -> tuple[float | None, float | None]:
        side = inference_side(NvmMiddleware.of(host=host, **given))
        return side.simulator(()).values({}).get("dimms"), side.with_values({}).options.twin.values.get("dimms")

    assert simulated(profile=mine) == (4.0, 4.0)
    assert simulated(profile=mine, parameters={"dimms": 2.0}) == (2.0, 2.0)
    assert simulated() == (None, None)  # the thesis' machine, as by default


def test_contexts_with_a_number_of_their_own_keep_it(tmp_path):
    scenario = NvmMiddleware.of(profile=profile_of(tmp_path, 4), contexts="device-bound")
    assert scenario.offer(1)[1]["dimms"] == 1.0
    assert scenario.derived() == {}


def test_a_run_says_the_number_and_is_repeated_from_its_result(tmp_path, run):
    words = ("simulate", "nvm-middleware", "--profile", profile_of(tmp_path, 4), "--windows", "1")
    assert "\ndimms           4, as measured for profile mine (--set dimms=N changes it)\n" in run(*words)
    first = run(*words, "--json")
    (tmp_path / "result.json").write_text(first)
    assert run("simulate", "--config", tmp_path / "result.json", "--json") == first


def test_a_host_is_measured_beside_as_many(tmp_path):
    mine = load_profile(profile_of(tmp_path, 2))
    cell = next(cell for cell in cells(1000) if cell.store and cell.both and cell.write_ratio)
    host = {"cores": 24, "threads_per_core": 1, "put_write_factor": 50.0}  # the device decides
    stated, whole = (twin_time_ns(cell, mine, host | {"dimms": dimms}) for dimms in (2, 6))
    assert twin_time_ns(cell, mine, host) == stated != whole
    assert (_bytes_ns(mine, "put") > _bytes_ns(load_profile(), "put")).any()


def test_predict_takes_the_same_number(tmp_path, run):
    words = ("predict", "--profile", profile_of(tmp_path, 4), "--threads", "8", "--csv")
    access = (*words, "--operation", "load", "--pattern", "random", "--size", "256")
    operation = (*words, "--operation", "get", "--also", "value_bytes=64", "records=1000000")
    assert run(*access) == run(*access, "--dimms", "4") != run(*access, "--dimms", "6")
    speed = [
        run(*operation, *dimms).splitlines()[1].split(",")[-8:] for dimms in ((), ("--dimms", "4"), ("--dimms", "6"))
    ]
    assert speed[0] == speed[1] != speed[2]


@pytest.mark.parametrize(
    "command",
    [
        ("train", "nvm-middleware", "-o", "{tmp}/p.npz", "--dry-run"),
        ("evaluate", "nvm-middleware", "--policies", "none", "--dry-run"),
        ("validate", "--dry-run"),
    ],
)
def test_every_plan_says_the_number(tmp_path, run, command):
    lines = run(*(word.format(tmp=tmp_path) for word in command), "--profile", profile_of(tmp_path, 4)).splitlines()
    assert any(line.split()[0].endswith("dimms") and line.split()[1].startswith("4") for line in lines)
