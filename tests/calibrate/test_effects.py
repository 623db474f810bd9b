"""Effects are found where files tell of them, and the shipped ones are what the published data say."""

import numpy as np
import pytest

from pmtwin.calibrate.effects import fit_effects
from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.rows import bandwidth_rows, read_effect_tables
from pmtwin.sim.device import load_profile
from pmtwin.sim.errors import InputError

FILES = ("optane/lattester_bandwidth.csv", "optane/lattester_flush.csv", "optane/fast20_13-sfence_interval.csv")
FILES += ("optane/fast20_06-bandwidth_thmix.csv", "permabench/numa_100series_256gb.csv", "optane/fast20_17-numa.csv")

SWEEP = "access_size,avgpower,interleaving,local,media,operation,stride_size,tag,task_type,threads,throughput"


@pytest.fixture(scope="module")
def published(shared_data):
    paths = [shared_data / name for name in FILES]
    if not all(path.is_file() for path in paths):
        # The data are not part of a clone: they lie beside it, if at all.
        pytest.skip("the published measurements are not in ../shared/data")
    return paths


def test_a_refit_finds_the_shipped_effects(published):
    shipped = load_profile()
    result = fit_effects(shipped, read_effect_tables(published))
    assert {name: sorted(of) for name, of in result.items()} == {
        name: sorted(of) for name, of in shipped.effects.items()
    }
    for name, of in result.items():
        for operation, entry in of.items():
            theirs = shipped.effects[name][operation]
            identified = [p for p in entry["parameters"] if p not in entry["not_identified"]]
            for parameter in identified:
                assert entry["parameters"][parameter] == pytest.approx(theirs["parameters"][parameter], rel=0.02)


def test_the_stated_errors_of_effects():
    effects = load_profile().effects
    for entry in effects["mixes"].values():
        assert entry["errors_percent"][0][1] <= 4.0
    for entry in effects["fences"].values():
        assert entry["errors_percent"][0][1] <= 6.0
    for operation in ("load", "ntstore", "store_clwb"):
        assert effects["strides"][operation]["errors_percent"][0][1] <= 10.0  # below one chunk


def test_a_known_effect_comes_back():
    x = np.linspace(1.0, 10.0, 60)
    measured = 3.0 * x**0.5

    def log_law(p, index):
        return np.log(p["a"]) + p["b"] * np.log(x[index])

    fit = fit_effect({"a": 1.0, "b": 1.0}, log_law, measured)
    assert fit.parameters == pytest.approx({"a": 3.0, "b": 0.5}, rel=1e-4)
    assert fit.not_identified == [] and np.abs(fit.errors).max() < 1e-3


def test_a_parameter_that_no_row_tells_of_is_not_identified():
    fit = fit_effect(
        {"a": 1.0, "idle": 1.0},
        lambda p, index: np.log(p["a"]) + 0.0 * p["idle"] + np.zeros(index.size),
        np.full(30, 2.0) * np.exp(0.01 * np.sin(np.arange(30))),
    )
    assert fit.not_identified == ["idle"]


def test_rows_of_an_effect_are_told_from_the_plain_ones(tmp_path):
    rows = (
        "64,15000,1,1,lpmem,Load,256,,StrideBW,4,9000",
        "64,15000,1,1,lpmem,Load,256,,StrideBW,4,9200",  # a replicate
        "64,15000,1,1,lpmem,Load,64,,StrideBW,4,9000",  # plain
        "64,15000,1,1,lpmem,Load,128,,StrideBW,4,9000",  # two in a media line
        "64,15000,0,1,lpmem,NTStore,64,f6b5,StrideBW,1,350",  # fenced
        "64,15000,1,1,ldram,Load,256,,StrideBW,4,9000",
    )
    path = tmp_path / "sweep.csv"
    path.write_text("\n".join([SWEEP, *rows]) + "\n")
    result = bandwidth_rows(read_effect_tables([path]))
    assert result.operation.tolist() == ["load", "ntstore"]
    assert result.effect.tolist() == ["strides", "fences"]
    assert result.value.tolist() == [256.0, 64.0]
    assert result.bandwidth_mib_s.tolist() == [9100.0, 350.0]


def test_files_without_an_effect_identify_none(tmp_path):
    path = tmp_path / "other.csv"
    header = "Read-Write,PM-Optane\n"
    path.write_text(header + "16-0,100\n")
    assert fit_effects(load_profile(), read_effect_tables([path])) == {}
    path.write_text(header + "16-0,nan\n")
    with pytest.raises(InputError, match=r"other.csv:2: PM-Optane: 'nan'"):
        fit_effects(load_profile(), read_effect_tables([path]))
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="--effects: 'a table of a, b'"):
        fit_effects(load_profile(), read_effect_tables([path]))
    with pytest.raises(InputError, match="--effects"):
        read_effect_tables([tmp_path / "none.csv"])
