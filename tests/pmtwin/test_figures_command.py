"""`pmtwin figures`: names, files, the cache, and input that is refused before anything runs."""

import json
import xml.etree.ElementTree as ET

import pytest

from pmtwin import cli
from pmtwin.scenarios.nvm_middleware.figures.entries import ENTRIES


def test_dry_run_names_steps_and_figures_and_writes_nothing(tmp_path, capsys):
    assert cli.main(["figures", "--dry-run", "--json", "--jobs", "2", "-o", str(tmp_path / "out")]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["figures"] == [entry.name for entry in ENTRIES]
    assert plan["campaign"] == "quick" and plan["jobs"] == 2
    assert [step["step"] for step in plan["steps"]][-1] == "screening"
    assert not (tmp_path / "out").exists()


def test_dry_run_of_one_figure_names_only_what_it_needs(capsys):
    assert cli.main(["figures", "d1-d4", "--dry-run", "--json"]) == 0
    assert [step["step"] for step in json.loads(capsys.readouterr().out)["steps"]] == ["training"]


def test_the_full_campaign_is_the_thesis(capsys):
    assert cli.main(["figures", "d-tables", "--full", "--dry-run", "--json"]) == 0
    (training,) = json.loads(capsys.readouterr().out)["steps"]
    assert training["windows"] > (3400 + 4 * 150) * 200


def test_a_figure_comes_as_svg_png_and_data_and_again_from_the_cache(tmp_path, capsys):
    command = ["figures", "device-mix", "-o", str(tmp_path), "--json"]
    assert cli.main(command) == 0
    first = capsys.readouterr()
    (made,) = json.loads(first.out)["figures"]
    names = ["device-mix.svg", "device-mix.png", "device-mix.csv"]
    assert [file.rsplit("/", 1)[-1] for file in made["files"]] == names
    files = {name: (tmp_path / "figures" / name).read_bytes() for name in names}
    assert ET.fromstring(files["device-mix.svg"]).tag.endswith("svg")
    assert files["device-mix.png"].startswith(b"\x89PNG")
    assert files["device-mix.csv"].startswith(b"operation,threads,kind,reading_threads,bandwidth_mib_s")
    assert cli.main(command) == 0
    second = capsys.readouterr()
    assert "done before" in second.err and "done before" not in first.err
    assert {name: (tmp_path / "figures" / name).read_bytes() for name in names} == files


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["b2"], "figure or scenario: 'b2' is not accepted"),
        (["b1", "--seed", "-1"], "--seed: -1 is not accepted"),
        (["b1", "--jobs", "0"], "--jobs: 0 is not accepted"),
        (["b1", "--data", "no-such-folder"], "--data: 'no-such-folder' is not accepted"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path, capsys):
    assert cli.main(["figures", *arguments, "-o", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"pmtwin figures: {words}; allowed: ") and captured.err.count("\n") == 1
    assert captured.out == "" and not (tmp_path / "out").exists()


def test_an_output_that_is_a_file_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("kept")
    assert cli.main(["figures", "device-mix", "-o", str(tmp_path / "file")]) == 2
    assert "a folder; this is a file" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("field", ["words", "data", "output"])
def test_a_value_of_another_type_in_a_file_is_refused(field, tmp_path, capsys):
    (tmp_path / "a.toml").write_text(f"{field} = 3\n")
    assert cli.main(["figures", "--config", str(tmp_path / "a.toml")]) == 2
    assert f"a.toml: {field}: 3 is not accepted; allowed: a " in capsys.readouterr().err
