"""`pmtwin list`: every registry shows all that it has, and every entry can be used."""

import json
import re
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.listing.listings import listings
from pmtwin.policies.registry import policy_kinds, policy_names
from pmtwin.scenarios import load_scenario
from pmtwin.scenarios.nvm_middleware.model.engines import engine_names
from pmtwin.scenarios.nvm_middleware.twin import NATIVE
from pmtwin.sim.device.profile import profile_names
from pmtwin.sim.host.file import document
from pmtwin.sim.options import leaves
from pmtwin.sim.parameters.values import PARAMETERS

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"
ADMISSION, BANDITS = SCENARIOS / "admission.py", SCENARIOS / "bandits.py"


def listed(kind: str, capsys) -> list[dict]:
    assert cli.main(["list", kind, "--json"]) == 0
    return json.loads(capsys.readouterr().out)[kind]


@pytest.mark.parametrize("kind", listings())
def test_every_kind_has_entries_and_prints_each_in_a_line(kind, capsys):
    entries = listed(kind, capsys)
    assert cli.main(["list", kind]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(entries) > 0
    assert header.split()[0] == next(iter(entries[0]))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("profiles", profile_names),
        ("policies", lambda: [name for kind in policy_kinds() for name in policy_names(kind)]),
        ("engines", lambda: [*engine_names(), NATIVE]),
        ("parameters", lambda: PARAMETERS),
    ],
)
def test_the_listing_is_the_registry(kind, names, capsys):
    assert [entry["name"] for entry in listed(kind, capsys)] == list(names())


@pytest.mark.parametrize("kind", ["policies", "scenarios", "engines"])
def test_every_entry_says_what_it_is(kind, capsys):
    assert [entry for entry in listed(kind, capsys) if len(entry["description"]) < 10] == []


def test_no_two_workloads_look_alike_without_saying_so(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert cli.main(["list", "workloads"]) == 0
    rows = dict(re.split(r"  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:])
    assert len(set(rows.values())) == len(rows)
    assert "in the twin as ycsb-b" in rows["--workload ycsb-d"]
    assert "scans of 50.5 records on average" in rows["--workload ycsb-e"]
    assert "a read before each write" in rows["--workload ycsb-f"]


def test_parameters_say_where_they_come_from(capsys):
    entries = listed("parameters", capsys)
    assert {entry["origin"] for entry in entries} <= {"measured", "assumed", "inferred", "published"}
    assert [entry["name"] for entry in entries if not entry["source"]] == []
    assert [entry["name"] for entry in entries if not entry["low"] <= entry["default"] <= entry["high"]] == []


def test_default_parameters_say_which_host_has_them(capsys):
    """A default run has another host, so that its values are other ones."""
    assert cli.main(["list", "parameters"]) == 0
    default = capsys.readouterr()
    assert cli.main(["list", "parameters", "--host", "inferred"]) == 0
    of_host = capsys.readouterr()
    assert "pmtwin list parameters --host inferred" in default.err and not of_host.err
    assert default.out != of_host.out
    assert load_scenario("nvm-middleware").Options().twin.host == "inferred"


def test_descriptions_of_policies_have_room(capsys):
    assert cli.main(["list", "policies"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split("  ")[0] == "name and options"
    assert lines[0].startswith("afterstate:FILE[,KEY=VALUE...]  ")


def test_without_a_kind_it_lists_the_kinds(capsys):
    assert cli.main(["list"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[:3] for line in lines] == [["pmtwin", "list", kind] for kind in listings()]
    assert all(line[3:] for line in lines)
    assert cli.main(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"kinds": list(listings())}


def test_an_unknown_kind_suggests_the_nearest(capsys):
    assert cli.main(["list", "policy"]) == 2
    assert capsys.readouterr().err == (
        f"pmtwin list: KIND: 'policy' is not accepted; allowed: {', '.join(sorted(listings()))} "
        "(did you mean 'policies'?)\n"
    )


def test_a_policy_says_what_it_takes(capsys):
    assert cli.main(["list", "policies", "threshold", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert "confirm-windows" in [row["option"] for row in result["options"]]
    assert cli.main(["list", "policies", "threshold"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["option", "value", "default", "description"]
    assert cli.main(["list", "policies", "none"]) == 0
    assert capsys.readouterr().out == "decision points: window\nnone takes no options\n"


@pytest.mark.parametrize("spec", ["nvm-middleware", f"{ADMISSION}:admission"])
def test_a_scenario_shows_all_that_it_declares(spec, capsys):
    scenario = load_scenario(spec)
    assert cli.main(["list", "scenarios", spec, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in result["measures"]] == [measure.name for measure in scenario.measures]
    assert [entry["name"] for entry in result["columns"]] == [column.name for column in scenario.columns]
    assert result["contexts"]["names"] == list(scenario.contexts.names)
    assert len(result["options"]) == len(leaves(scenario.Options))
    assert cli.main(["list", "scenarios", spec]) == 0
    shown = capsys.readouterr().out
    words = [*(measure.name for measure in scenario.measures), scenario.settings.noun, scenario.contexts.noun]
    assert [word for word in words if word not in shown] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["policies", "treshold"], "did you mean 'threshold'"),
        (["scenarios", "nvm-middlewar"], "did you mean 'nvm-middleware'"),
        (["engines", "simpi"], "did you mean 'simpy'"),
        (["policies", "hedg"], "did you mean 'hedge'"),
        (
            ["engines", "--host", "x.json"],
            "--host x.json belongs to kind parameters: pmtwin list parameters --host FILE",
        ),
    ],
)
def test_what_cannot_be_looked_at_is_refused(arguments, words, capsys):
    assert cli.main(["list", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("kind", listings())
def test_every_name_that_is_listed_can_be_looked_at(kind, capsys):
    for entry in listings()[kind].entries():
        first = next(iter(entry.values()))
        for name in first if isinstance(first, list) else [first]:
            assert cli.main(["list", kind, str(name)]) == 0, entry
            assert capsys.readouterr().out


def test_every_figure_that_is_listed_can_be_asked_for_by_its_name_alone(capsys, tmp_path):
    for entry in listings()["figures"].entries():
        assert cli.main(["figures", entry["name"], "--dry-run", "-o", str(tmp_path / "results")]) == 0, entry


def test_a_replacement_policy_says_what_it_takes(capsys):
    assert cli.main(["list", "policies", "hedge"]) == 0
    assert "experts" in capsys.readouterr().out
    assert cli.main(["list", "policies", "lru"]) == 0
    assert capsys.readouterr().out == "decision points: two-tier: replacement\nlru takes no options\n"


@pytest.mark.parametrize(
    ("spec", "points"),
    [
        (f"{BANDITS}:Greedy", ["hybrid-storage: place", "numa-threads: core"]),
        ("random", ["window", "hybrid-storage: place", "numa-threads: core", "two-tier: replacement"]),
    ],
)
def test_a_policy_says_where_it_decides(spec, points, capsys):
    assert cli.main(["list", "policies", spec, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["points"] == points


def host_file(tmp_path, **handoff):
    entry = {"value": 9e3, "low": 8e3, "high": 9.9e3, "origin": "measured", "source": "a test"} | handoff
    path = tmp_path / "host.json"
    path.write_text(json.dumps(document({"handoff_ns": entry}, {}, {})))
    return path


def test_the_parameters_of_a_host_have_intervals_units_and_their_own_sources(tmp_path, capsys):
    path = host_file(tmp_path)
    assert cli.main(["list", "parameters", "--host", str(path), "--json"]) == 0
    result = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["parameters"]}
    assert list(result) == list(PARAMETERS)
    assert result["handoff_ns"]["interval_95"] == [8e3, 9.9e3] and result["handoff_ns"]["unit"] == "ns"
    assert result["dimms"]["interval_95"] is None
    assert result["dimms"]["source"] == f"not in {path}; default, from thesis Table 4.1"
    assert cli.main(["list", "parameters", "--host", str(path)]) == 0
    out = capsys.readouterr().out
    assert "95 % interval" in out and "8,000 to 9,900" in out


@pytest.mark.parametrize(("end", "value"), [("low", "x"), ("high", None), ("high", float("nan")), ("low", True)])
def test_a_hosts_interval_that_is_none_is_refused(tmp_path, capsys, end, value):
    path = host_file(tmp_path, **{end: value})
    assert cli.main(["list", "parameters", "--host", str(path)]) == 2
    assert f"parameters.handoff_ns.{end}" in capsys.readouterr().err


def test_each_system_of_a_scenario_is_shown(capsys):
    assert cli.main(["list", "scenarios", "two-tier"]) == 0
    process, whole = capsys.readouterr().out.split("\nwith --model whole:\n")
    point = "replacement     a miss of a full cache  which page leaves a full cache  lru"
    assert point in whole and point not in process
    assert "p99_ms at most 300" in whole and "w2_ms" in process and "w2_ms" not in whole


def test_options_by_any_name_are_listed_as_they_are_written(capsys):
    assert cli.main(["list", "scenarios", "nvm-middleware"]) == 0
    assert "  --set NAME=VALUE\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "count"),
    [("numa-threads", 15), ("72 threads", 5), ("fillrandom", 3), ("readseq", 2)],
)
def test_a_name_that_several_entries_share_shows_them_all(name, count, capsys):
    assert cli.main(["list", "claims", name, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["claims"]) == count
    assert cli.main(["list", "claims", name]) == 0
    assert len(capsys.readouterr().out.splitlines()) > count


def test_an_unknown_name_is_told_each_known_one_once(capsys):
    assert cli.main(["list", "claims", "fillrandon"]) == 2
    names = capsys.readouterr().err.partition("allowed: ")[2].partition(" (")[0].strip().split(", ")
    assert len(set(names)) == len(names) and {"fillrandom", "numa-threads"} <= set(names)
