"""Steps are cached by what they depend on; what is damaged or unfinished is done again, never half-used."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.pipeline import fingerprint
from pmtwin.pipeline.runner import Runner
from pmtwin.pipeline.sources import sources
from pmtwin.pipeline.step import Setting, Step
from pmtwin.pipeline.store import Store
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.steps import STEPS
from pmtwin.sim.errors import InputError

SETTING = Setting(scenario=NvmMiddleware(), campaign=QUICK, seed=0, jobs=1, data=None)


def counting_step(name="first", needs=(), compute=None):
    """A step that counts how often it is computed."""
    calls = []

    def run(work):
        calls.append(work)
        if compute is not None:
            return compute(work)
        return {"call": len(calls), "pair": (1, 2)}

    module = "pmtwin.scenarios.nvm_middleware.published"
    step = Step(name, name, needs, ("steps",), module, lambda setting: 0, 0.0, False, run)
    return step, calls


def test_a_finished_step_is_not_computed_again(tmp_path):
    step, calls = counting_step()
    first = Runner(SETTING, Store(tmp_path)).run([step])
    second = Runner(SETTING, Store(tmp_path)).run([step])
    assert len(calls) == 1
    assert (first["first"].cached, second["first"].cached) == (False, True)
    assert first["first"].values == second["first"].values == {"call": 1, "pair": [1, 2]}


def test_a_result_that_does_not_last_is_computed_again(tmp_path):
    step, _ = counting_step()
    step = replace(step, lasting=lambda values: values["call"] == 2)
    result = [Runner(SETTING, Store(tmp_path)).run([step])["first"] for _ in range(3)]
    assert [(each.values["call"], each.cached) for each in result] == [(1, False), (2, False), (2, True)]


def test_windows_that_are_not_the_twins_have_their_own_time(tmp_path):
    step, _ = counting_step()
    runner = Runner(SETTING, Store(tmp_path))
    assert runner.estimate_s(replace(step, windows=lambda setting: 10, fixed_s=1.0, window_s=0.5)) == 6.0


def test_an_estimate_follows_finished_steps_by_their_share_of_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("pmtwin.pipeline.runner.compiling.cache_folder", lambda: tmp_path / "kept")  # no other compiles
    clock = iter([0.0, 2.0, 2.0, 200.0])
    monkeypatch.setattr("pmtwin.pipeline.runner.time.perf_counter", lambda: next(clock))
    runner, (step, _) = Runner(SETTING, Store(tmp_path)), counting_step()
    timed = replace(step, windows=lambda setting: 0)
    short, long = replace(timed, name="short", fixed_s=1.0), replace(timed, name="long", fixed_s=99.0)
    after = []
    finish = runner.store.finish
    monkeypatch.setattr(
        runner.store, "finish", lambda *arguments: after.append(runner.estimate_s(long)) or finish(*arguments)
    )
    runner.run([short, long])
    after.append(runner.estimate_s(long))
    assert after == pytest.approx([99.0, 99.0 * 52 / 51, 99.0 * 250 / 150])


def test_a_wait_for_the_compiler_does_not_move_the_estimate(tmp_path, monkeypatch):
    monkeypatch.setattr("pmtwin.pipeline.runner.compiling.cache_folder", lambda: tmp_path / "kept")
    clock = iter([0.0, 100.0])
    monkeypatch.setattr("pmtwin.pipeline.runner.time.perf_counter", lambda: next(clock))

    def compiles(work):
        (tmp_path / "kept").mkdir()
        (tmp_path / "kept" / "kernel.nbc").touch()
        return {}

    runner, (step, _) = Runner(SETTING, Store(tmp_path / "results")), counting_step()
    step = replace(step, windows=lambda setting: 0, fixed_s=10.0)
    runner.run([replace(step, compute=compiles)])
    assert runner.estimate_s(step) == 10.0


@pytest.mark.parametrize("damage", ["", "{", '{"key": "another", "values": {}}'])
def test_a_damaged_result_is_computed_again(tmp_path, damage):
    step, calls = counting_step()
    done = Runner(SETTING, Store(tmp_path)).run([step])
    (done["first"].folder / "result.json").write_text(damage)
    assert Runner(SETTING, Store(tmp_path)).run([step])["first"].values["call"] == 2
    assert Runner(SETTING, Store(tmp_path)).run([step])["first"].values["call"] == 2
    assert len(calls) == 2


def test_an_interrupted_step_leaves_no_result_and_finds_its_folder_again(tmp_path):
    def compute(work):
        seen = (work.folder / "checkpoint").exists()
        (work.folder / "checkpoint").write_text("half")
        if not seen:
            raise KeyboardInterrupt
        return {"resumed": seen}

    step, calls = counting_step(compute=compute)
    with pytest.raises(KeyboardInterrupt):
        Runner(SETTING, Store(tmp_path)).run([step])
    assert [path.suffix for path in tmp_path.iterdir()] == [".partial"]
    assert Runner(SETTING, Store(tmp_path)).run([step])["first"].values == {"resumed": True}
    assert len(calls) == 2
    assert [path.suffix for path in tmp_path.iterdir()] == [""]


def test_a_step_is_given_the_values_and_folders_of_those_it_needs(tmp_path):
    first, _ = counting_step()
    second, calls = counting_step("second", needs=("first",))
    done = Runner(SETTING, Store(tmp_path)).run([first, second])
    assert calls[0].results == {"first": {"call": 1, "pair": [1, 2]}}
    assert calls[0].folders == {"first": done["first"].folder}


def test_arrays_beside_the_values_come_back(tmp_path):
    def compute(work):
        np.savez(work.folder / "series.npz", reward=np.arange(3.0))
        return {}

    step, _ = counting_step(compute=compute)
    for _ in range(2):
        values = Runner(SETTING, Store(tmp_path)).run([step])["first"].values
        assert values["series"]["reward"].tolist() == [0.0, 1.0, 2.0]


def test_arrays_that_are_cut_off_are_computed_again(tmp_path):
    def compute(work):
        np.savez(work.folder / "series.npz", reward=np.arange(3.0))
        return {}

    step, calls = counting_step(compute=compute)
    series = Runner(SETTING, Store(tmp_path)).run([step])["first"].folder / "series.npz"
    for times, size in enumerate((0, 10, series.stat().st_size - 30), 2):
        series.write_bytes(series.read_bytes()[:size])
        done = Runner(SETTING, Store(tmp_path)).run([step])["first"]
        assert len(calls) == times
        assert done.values["series"]["reward"].tolist() == [0.0, 1.0, 2.0]


def test_the_key_follows_settings_seed_needs_and_data_but_not_processes(tmp_path):
    step = STEPS["evaluation-random"]
    key = step.key(SETTING, {"training": "a"})
    assert step.key(replace(SETTING, jobs=7), {"training": "a"}) == key
    others = [
        step.key(replace(SETTING, seed=1), {"training": "a"}),
        step.key(SETTING, {"training": "b"}),
        step.key(replace(SETTING, campaign=replace(QUICK, steps=10)), {"training": "a"}),
    ]
    assert len({key, *others}) == 4
    assert step.key(replace(SETTING, campaign=replace(QUICK, bootstrap=99)), {"training": "a"}) == key

    device = STEPS["device"]
    (tmp_path / "lattester_bandwidth.csv").write_text("x")
    assert device.key(replace(SETTING, data=tmp_path), {}) != device.key(SETTING, {})


@pytest.mark.parametrize("name", ["concurrency", "fixed-pools", "sensitivity"])
def test_the_key_of_a_step_follows_the_seeds_of_its_environments(name):
    assert "pmtwin.figures.experiments.parallel" in sources(STEPS[name].module)


def test_a_step_does_not_follow_the_code_of_others():
    modules = sources(STEPS["training"].module, SETTING.scenario.named_modules(measured=True))
    ours = "pmtwin.scenarios.nvm_middleware.figures"
    others = (
        "pmtwin.calibrate",
        "pmtwin.pipeline",
        "pmtwin.report",
        f"{ours}.plots",
        f"{ours}.report",
        "pmtwin.commands",
    )
    assert not [name for name in modules if name.startswith(others)]


def test_every_step_names_fields_of_the_campaign_and_a_module_that_exists():
    for step in STEPS.values():
        assert set(step.settings) <= set(QUICK.to_dict()), step.name
        assert step.module in sources(step.module), step.name
        assert step.windows(SETTING) >= 0


def test_the_key_of_the_validation_follows_the_built_middleware(monkeypatch):
    keys = set()
    for build in ("one", "another"):
        monkeypatch.setattr(fingerprint, "native", lambda build=build: build)
        keys.add(STEPS["validation"].key(SETTING, {"evaluation-random": "a"}))
    assert len(keys) == 2


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"-o: .*a folder that can be made"):
        Store(tmp_path / "file" / "cache")


def test_the_record_of_a_step_is_plain_json(tmp_path):
    step, _ = counting_step()
    done = Runner(SETTING, Store(tmp_path)).run([step])
    record = json.loads((done["first"].folder / "result.json").read_text())
    assert record["step"] == "first" and record["key"] == done["first"].key and record["seconds"] >= 0
