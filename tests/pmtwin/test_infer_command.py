"""`pmtwin infer`: from a user's measurements to a host file with joint draws, and its use."""

import json

import pytest

from pmtwin import cli
from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.host.file import read_host, sample_hosts
from pmtwin.sim.store.file import load_store

SHORT = ["--set", "requests_per_window=200"]
HEADER = "phase,pools,measure,value,tolerance_percent\n"


def evidence(tmp_path, text, name="own.csv"):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def infer(tmp_path, text, *words, name="own.csv"):
    output = tmp_path / "host.json"
    result = [
        "infer",
        "--evidence",
        evidence(tmp_path, text, name),
        "-o",
        str(output),
        "--draws",
        "64",
        "--windows",
        "4",
    ]
    assert cli.main([*result, "--samples", "30", "--jobs", "1", *SHORT, *words]) == 0
    return output


MEASURED = HEADER + '1,"4,4",throughput_ops,150000,5\n1,"20,20",throughput_ops,100000,5\n'


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return infer(tmp_path_factory.mktemp("infer"), MEASURED, "--only", "handoff_ns,handoff_contention_threads")


def test_measurements_become_a_host_with_joint_draws(host):
    result = read_host(host)
    assert set(result.values) == {"handoff_ns", "handoff_contention_threads"}
    assert len(result.draws) == 30 and {e["origin"] for e in result.entries.values()} == {"inferred"}
    assert {row["name"] for row in result.inference["parameters"]} == set(result.values)
    assert [row["use"] for row in result.inference["statements"]] == ["value with tolerance"] * 2
    assert result.inference["draws"] == 64 and not host.with_name("host.json.checkpoint").exists()


def test_evidence_that_is_left_out_is_predicted(capsys):
    assert cli.main(["infer", "--dry-run", "--json", "--without", "Table D.6"]) == 0
    statements = json.loads(capsys.readouterr().out)["statements"]
    assert {each["use"] for each in statements if each["source"] == "Table D.6"} == {"check only"}
    assert "sign or order only" in {each["use"] for each in statements if each["source"] == "Table D.4"}


@pytest.mark.parametrize("source", ["Table D.5", "Table E.1"])
def test_a_source_that_is_not_used_cannot_be_left_out(source, capsys):
    assert cli.main(["infer", "--dry-run", "--without", source]) == 2
    assert f"--without: '{source}' is not accepted" in capsys.readouterr().err


def test_what_is_given_holds_beside_every_draw(tmp_path):
    """Records that are stated bring the store's own samples with them."""
    output = infer(tmp_path, MEASURED, "--only", "handoff_ns", "--set", "records=1000000", "--set", "cores=8")
    host, fit = read_host(output), load_store().fit_beside(DEFAULT_PROFILE)
    assert (host.entries["records"]["origin"], host.entries["cores"]["origin"]) == ("assumed", "assumed")
    assert json.loads(output.read_text())["context"]["simulated"]["twin"]["host"] == "assumed"
    for number, draw in enumerate(host.draws):
        assert (draw["records"], draw["cores"]) == (1_000_000, 8)
        assert draw["kv_extra_reads"] == pytest.approx(fit.twin_parameters(number)["kv_extra_reads"], rel=1e-5)


def test_the_hand_off_of_the_draws_explains_what_was_measured(host, capsys):
    """150,000 operations/s of 8 threads leave 53 us for each; the default's 22 us of hand-off would give 200,000."""
    words = [
        "simulate",
        "nvm-middleware",
        "--host",
        str(host),
        "--pools",
        "4,4",
        "--windows",
        "4",
        "--warmup-windows",
        "2",
        *SHORT,
    ]
    assert cli.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["throughput_ops"]["median"] == pytest.approx(150_000, rel=0.15)


def test_simulate_shows_the_median_of_each_sample(host, capsys):
    words = [
        "simulate",
        "nvm-middleware",
        "--host",
        str(host),
        "--host-samples",
        "5",
        "--windows",
        "4",
        "--json",
        *SHORT,
    ]
    assert cli.main(words) == 0
    result = json.loads(capsys.readouterr().out)
    medians = result["reward"]["median_by_sample"]
    assert len(medians) == 5 == len(result["attainment_by_sample"]) and len(set(medians)) > 1
    assert len(result["throughput_ops"]["median_by_sample"]) == 5
    assert result["configuration"]["twin"]["host_samples"] == 5
    assert cli.main([*words, "--host-seed", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["reward"]["median_by_sample"] != medians


def test_samples_of_a_seed_are_the_first_of_more(host):
    result = read_host(host)
    assert sample_hosts(result, 3, 7) == sample_hosts(result, 9, 7)[:3]
    names = {tuple(values.items()) for values in sample_hosts(result, 30, 7)}
    assert names == {tuple({**result.values, **draw}.items()) for draw in result.draws}


def test_toml_is_read_as_csv_is(tmp_path):
    text = (
        '[[measured]]\nphase = 1\npools = [4, 4]\nmeasure = "throughput_ops"\nvalue = 150000\ntolerance_percent = 5\n'
    )
    text += '[[measured]]\nphase = 1\npools = "none"\nmeasure = "attainment"\nlow = 0.0\nhigh = 0.4\n'
    output = infer(tmp_path, text, "--only", "handoff_ns", name="own.toml")
    names = [row["name"] for row in read_host(output).inference["statements"]]
    assert names == ["phase 1/4,4/throughput_ops:median", "phase 1/none/attainment"]


def test_the_same_file_on_any_number_of_processes(tmp_path):
    first = json.loads(infer(tmp_path, MEASURED, "--only", "handoff_ns").read_text())
    two = json.loads(infer(tmp_path, MEASURED, "--only", "handoff_ns", "--jobs", "2").read_text())
    assert first == two


def test_the_published_evidence_can_be_looked_at(capsys):
    assert cli.main(["infer", "--dry-run"]) == 0
    text = capsys.readouterr().out
    assert "10,10 > 5,15 > 15,15 > 5,5 > 15,5" in text and "not used" in text and "max_latency" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "own.csv"),
        (HEADER, "at least one row"),
        (HEADER + "7,4,throughput_ops,1,5\n", "phase: '7'"),
        (HEADER + '1,"4,99",throughput_ops,1,5\n', "pools: '4,99'"),
        (HEADER + '1,"4,4",speed,1,5\n', "measure: 'speed'"),
        (HEADER + '1,"4,4",p99_us,fast,5\n', "value: 'fast'"),
        (HEADER + '1,"4,4",p99_us,100,0\n', "tolerance_percent: '0'"),
        (HEADER + '1,"4,4",p99_us,100,\n', "value and tolerance_percent, or low and high"),
        (HEADER.replace("value", "values") + '1,"4,4",p99_us,100,5\n', "column: 'values'"),
        ("phase,pools,measure,low,high\n" + '1,"4,4",p99_us,100,50\n', "low: 100"),
        (HEADER + '1,"4,4",attainment,1.2,5\n', "value: 1.2"),
        ("phase,pools,value,tolerance_percent\n" + '1,"4,4",100,5\n', "in a column of that name"),
    ],
)
def test_evidence_that_is_none_is_one_line_and_exit_code_2(tmp_path, capsys, text, message):
    code = cli.main(["infer", "--evidence", evidence(tmp_path, text), "-o", str(tmp_path / "host.json")])
    error = capsys.readouterr().err
    assert code == 2 and message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["infer"], "--output is missing"),
        (["infer", "--only", "speed", "--dry-run"], "--only: 'speed'"),
        (["infer", "--evidence", "absent.csv", "-o", "x.json"], "absent.csv"),
        (["infer", "-o", "absent/x.json", "--dry-run"], "absent"),
        (["simulate", "nvm-middleware", "--host", "assumed", "--host-samples", "5"], "0 with host assumed"),
        (["simulate", "nvm-middleware", "--host", "nowhere"], "--host: 'nowhere'"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_exit_code_2(words, message, capsys):
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": 3}, "version"),
        ({"draws": {"names": ["handoff_ns"], "values": []}}, "draws.values"),
        ({"draws": {"names": ["handoff_ns"], "values": [[1.0, 2.0]]}}, "draws.values"),
        ({"draws": {"names": ["handoff_ns"], "values": [[-1.0]]}}, "handoff_ns"),
        ({"draws": {"names": ["nobody"], "values": [[1.0]]}}, "parameter"),
        ({"inference": {"parameters": [{}]}}, "inference.parameters[0]"),
        ({"context": {"simulated": {"profile": 1}}}, "context.simulated.profile"),
    ],
)
def test_a_damaged_host_file_is_refused_by_name(host, tmp_path, capsys, change, field):
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(json.loads(host.read_text()) | change))
    assert cli.main(["simulate", "nvm-middleware", "--host", str(path)]) == 2
    error = capsys.readouterr().err
    assert field in error and error.count("\n") == 1
