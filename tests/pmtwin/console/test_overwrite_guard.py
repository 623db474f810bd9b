"""A command writes over an earlier result of its own kind, and over nothing else without --force."""

import json

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.console.overwrite_guard import (
    EVALUATION,
    LATENCIES,
    POLICY,
    PROFILE,
    SERIES,
    STEERING,
    TRAINING,
    check_output,
)
from pmtwin.sim.device import load_profile
from pmtwin.sim.errors import InputError

KINDS = (EVALUATION, LATENCIES, POLICY, PROFILE, SERIES, STEERING, TRAINING)
EVALUATE = ["evaluate", "nvm-middleware", "--policies", "fixed:4,4", "--steps", "2", "--phase-steps", "1"]
EVALUATE += ["--seeds", "1", "--jobs", "1", "--requests-per-window", "100"]
SIMULATE = ["simulate", "nvm-middleware", "--windows", "1", "--warmup-windows", "0", "--requests-per-window", "100"]
WRITES = [
    ([*EVALUATE, "--output"], "out.json"),
    ([*EVALUATE, "--series"], "out.npz"),
    ([*SIMULATE, "--dump-latencies"], "out.npz"),
    (["export", "threshold", "--output"], "out.json"),
]


@pytest.mark.parametrize(("command", "name"), WRITES)
def test_a_command_replaces_its_own_result_and_no_other_file(command, name, tmp_path, capsys):
    path = tmp_path / name
    path.write_text("the user's")
    assert cli.main([*command, str(path)]) == 2
    assert f"{command[-1]}: " in capsys.readouterr().err and path.read_text() == "the user's"
    assert cli.main([*command, str(path), "--force"]) == 0
    assert path.read_bytes() != b"the user's"
    assert cli.main([*command, str(path)]) == 0  # its own


REPORTS = {
    "recommend": ["recommend", "--phase", "1"],
    "evaluate": EVALUATE,
    "validate": ["validate", "--grid", "2,2"],
    "calibrate": ["calibrate", "absent.csv"],
}
RUN, MARK = ["run", "--dry-run"], '<meta name="generator" content="{}">'


@pytest.mark.parametrize("command", REPORTS)
def test_a_page_that_is_no_earlier_report_of_the_command_is_not_replaced(command, tmp_path, capsys):
    page = tmp_path / "index.html"
    for content in ("<h1>mine</h1>", '<meta name="generator" content="pmtwin other">'):
        page.write_text(content)
        assert cli.main([*REPORTS[command], "--report", str(tmp_path)]) == 2
        said = capsys.readouterr()
        assert "--report" in said.err and "--force" in said.err and not said.out and page.read_text() == content


@pytest.mark.parametrize(
    ("name", "other", "earlier"),
    [
        ("report.html", MARK.format("pmtwin evaluate"), MARK.format("pmtwin run")),
        ("run.json", '{"steps": 3}', '{"schema_version": 1, "scenario": "", "campaign": {}, "steps": {}}'),
    ],
)
def test_a_run_replaces_an_earlier_run_and_no_file_of_another_origin(name, other, earlier, tmp_path, capsys):
    path = tmp_path / name
    for content in ("mine", other):
        path.write_text(content)
        assert cli.main([*RUN, "-o", str(tmp_path)]) == 2
        assert f"-o: '{path}' exists and is another file; allowed: " in capsys.readouterr().err
        assert path.read_text() == content and cli.main([*RUN, "-o", str(tmp_path), "--force"]) == 0
    path.write_text(earlier)
    assert cli.main([*RUN, "-o", str(tmp_path)]) == 0


def test_a_report_replaces_its_earlier_one_and_with_force_any_page(tmp_path, capsys):
    page = tmp_path / "index.html"
    page.write_text("mine")
    assert cli.main([*EVALUATE, "--report", str(tmp_path), "--force"]) == 0
    written = page.read_text()
    assert '<meta name="generator" content="pmtwin evaluate">' in written and "host" in written
    assert f"<code>pmtwin {' '.join(EVALUATE)} --report {tmp_path} --force</code>" in written
    assert cli.main([*EVALUATE, "--report", str(tmp_path)]) == 0


def test_a_table_that_is_of_no_report_is_not_replaced_by_that_of_a_validation(tmp_path, capsys):
    (tmp_path / "validation-errors.csv").write_text("mine")
    assert cli.main([*REPORTS["validate"], "--report", str(tmp_path)]) == 2
    assert "validation-errors.csv" in capsys.readouterr().err


@pytest.mark.parametrize("how", [[], ["--dry-run"]])
@pytest.mark.parametrize("command", ["calibrate", "train"])
def test_a_long_command_refuses_before_it_begins(command, how, tmp_path, capsys):
    path = tmp_path / "out"
    path.write_text("the user's")
    words = {"calibrate": ["absent.csv"], "train": ["nvm-middleware"]}[command]
    assert cli.main([command, *words, "-o", str(path), *how]) == 2
    assert "or --force to overwrite this one" in capsys.readouterr().err and path.read_text() == "the user's"


def test_the_record_beside_a_policy_is_not_lost_either(tmp_path, capsys):
    record = tmp_path / "q.record.json"
    record.write_text("{}")
    assert cli.main(["train", "nvm-middleware", "-o", str(tmp_path / "q.npz")]) == 2
    assert "q.record.json" in capsys.readouterr().err and record.read_text() == "{}"


@pytest.mark.parametrize("content", ["{}", "[1]", "PK\x03\x04", "{", '{"format": "x"}'])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_another_program_wrote_is_of_no_kind(kind, content, tmp_path):
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(InputError, match="exists and is another file"):
        check_output(path, "-o", kind, force=False)
    np.savez(tmp_path / "a.npz", a=1)
    with pytest.raises(InputError, match="exists and is another file"):
        check_output(tmp_path / "a.npz", "-o", kind, force=False)


def test_a_profile_is_replaced_and_so_is_an_empty_file(tmp_path):
    path = tmp_path / "p.json"
    path.touch()
    assert check_output(path, "-o", PROFILE, force=False) == path
    path.write_text(json.dumps(load_profile().to_json()))
    assert check_output(path, "-o", PROFILE, force=False) == path
    with pytest.raises(InputError, match="a new file"):
        check_output(path, "-o", None, force=False)
