"""The whole system: cases computed by hand, mappings, the fit to the paper's tables, and what is refused."""

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios.two_tier.storage.costs import FITTED, read_costs
from pmtwin.scenarios.two_tier.storage.fitting import costs_of, fit, median_errors, parameters_of, published_rows
from pmtwin.scenarios.two_tier.storage.fluid import fluid_of
from pmtwin.scenarios.two_tier.storage.mapping import MAPPINGS, owners
from pmtwin.scenarios.two_tier.storage.published import SCALING
from pmtwin.scenarios.two_tier.storage.running import simulate_system
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS
from pmtwin.sim.errors import InputError


def test_the_mappings_as_the_literature_defines_them():
    assert owners("round-robin", 7, 3).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert owners("block", 7, 3).tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert owners("block-cyclic", 7, 2, block_pages=2).tolist() == [0, 0, 1, 1, 0, 0, 1]
    with pytest.raises(InputError, match=r"'blok' is not accepted.*did you mean 'block'"):
        owners("blok", 7, 3)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_each_page_has_one_process_and_processes_have_about_as_many_pages(mapping):
    counts = np.bincount(owners(mapping, 32_768, 16, block_pages=16), minlength=16)
    assert counts.sum() == 32_768
    assert counts.min() > 0.9 * 2048 and counts.max() < 1.1 * 2048


def test_the_rows_are_those_of_the_paper():
    rows = published_rows()
    assert len(rows) == 17
    assert sum(WORKLOADS[table].requests for table, _ in rows) == 121_000_000
    assert sum(disk > response for table in SCALING.values() for response, disk in table.values()) == 5


def test_the_profile_fits_six_costs_and_says_how_well_it_tells_rows_that_are_left_out():
    costs, profile = read_costs()
    assert [name for name, entry in profile["parameters"].items() if entry["origin"] == "fitted"] == list(FITTED)
    assert len(FITTED) == 6
    rows = published_rows()
    fluid = [fluid_of(WORKLOADS[table].system(processes, costs)) for table, processes in rows]
    errors = median_errors([(each["response_s"], each["disk_s"]) for each in fluid], rows)
    assert errors == pytest.approx(profile["median_error_percent"], rel=1e-2)
    assert errors["completion"] < 20.0
    left_out = profile["median_error_percent_left_out"]
    assert errors["completion"] < left_out["completion"] < 10.0
    assert errors["response_and_disk"] < left_out["response_and_disk"] < 20.0


def test_a_fit_finds_the_costs_that_made_the_times(monkeypatch):
    rows = [("table-viii", 16), ("table-viii", 32), ("table-viii", 200), ("table-ix", 16)]
    costs, _ = read_costs()
    made = {table: {} for table in SCALING}
    for table, processes in rows:
        fluid = fluid_of(WORKLOADS[table].system(processes, costs))
        made[table][processes] = (fluid["response_s"], fluid["disk_s"])
    monkeypatch.setattr("pmtwin.scenarios.two_tier.storage.fitting.SCALING", made)
    start = parameters_of({name: getattr(costs, name) for name in FITTED})
    result = costs_of(fit(rows, start + np.array([0.1, -0.1, 0.1, 0.1, -0.1, 0.1])))
    for table, processes in rows:
        fluid = fluid_of(WORKLOADS[table].system(processes, result))
        assert (fluid["response_s"], fluid["disk_s"]) == pytest.approx(made[table][processes], rel=0.02)


@pytest.mark.parametrize(("table", "processes"), [("table-viii", 512), ("table-viii", 128)])
def test_the_simulation_is_near_the_fluid_limit(table, processes):
    system = WORKLOADS[table].system(processes, read_costs()[0])._replace(requests=400_000)
    times, fluid = simulate_system(system), fluid_of(system)
    assert times.counts["reads"] == pytest.approx(32_768, rel=0.01)
    assert times.disk_s == pytest.approx(fluid["disk_s"], rel=0.15)
    assert times.completion_s == pytest.approx(fluid["completion_s"], rel=0.15)


REFUSED = {
    "--page-bytes 1000": "page-bytes: 1000 is not accepted; allowed: at least the 4096 bytes",
    "--set request_offset=524287": "request_offset: 524287 is not accepted; allowed: 0 to 520192: a request must not",
    "--cache-lines 0": "cache-lines: 0",
    "--threads 0": "threads: '0'",
    "--client-rate 0": "client-rate: 0.0",
    "--client-rate nan": "client-rate: nan",
    "--write-back 1.1": "write-back: 1.1",
    "--disk-load 1": "disk-load: 1.0",
    "--mapping hash": "mapping: 'hash'",
    "--replacement belady": "'belady' is not accepted",
    "--replacement min": "replacement: 'min' is not accepted; allowed: arc",
    "--miss-rate 0.1": "miss-rate ",
    "--engine analytic --skew 1.1": "skew: '1.1' is not accepted; allowed: pages that are all alike",
    "--engine analytic --cache-lines 10": "cache-lines: 10 is not accepted; allowed: at least",
    "--pages 3 --locality local": "pages: 3 is not accepted; allowed: enough for a page in each process",
}


@pytest.mark.parametrize("words", REFUSED)
def test_bad_input_is_one_line_and_exit_code_2(capsys, words):
    assert cli.main(["simulate", "two-tier", "--example", "table-viii", *words.split()]) == 2
    error = capsys.readouterr().err.strip()
    assert REFUSED[words] in error and "\n" not in error


@pytest.mark.parametrize("example", ["table-viii", "section-v"])
def test_a_result_repeats_its_run(capsys, tmp_path, example):
    words = ["simulate", "two-tier", "--example", example, "--requests", "3000", "--engine", "analytic", "--json"]
    assert cli.main(words) == 0
    text = capsys.readouterr().out
    (tmp_path / "result.json").write_text(text)
    assert cli.main(["simulate", "--config", str(tmp_path / "result.json"), "--json"]) == 0
    assert capsys.readouterr().out == text


def test_options_of_the_whole_system_need_one_of_its_workloads(capsys):
    assert cli.main(["simulate", "two-tier", "--example", "section-v", "--pages", "3"]) == 2
    assert "pages 3 belongs to --example table-vii" in capsys.readouterr().err
