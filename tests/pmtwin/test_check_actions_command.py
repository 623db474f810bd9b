"""`pmtwin check-actions`: the exit code tells of a hole, and what was not visited is named."""

import json

import pytest

from pmtwin import cli

STORE = """
from pmtwin import live
store = live(lambda: {"served": 1.0}, print, {"cache": (2, range(1, 9)), "batch": (1, [1, 2, 4])}, "served", 0)
"""
HOLE = "[[never]]\ncache = 4\nbatch = 2\n"


@pytest.fixture
def check(tmp_path, capsys):
    """Rules of a small store -> (exit code, output)."""
    (tmp_path / "store.py").write_text(STORE)

    def run(text, *words, system="store.py:store"):
        file = tmp_path / "rules.toml"
        file.write_text(f'system = "{system}"\n{text}')
        return cli.main(["check-actions", str(file), *words]), capsys.readouterr().out

    return run


def test_a_hole_has_exit_code_1_and_its_way(check):
    code, out = check(HOLE)
    assert code == 1 and "hole: 4,2 breaks never: cache 4 to 4, batch 2 to 2; the way: 2,1 -> 4,2" in out
    code, out = check(HOLE, "--json")
    assert code == 1 and json.loads(out)["hole"] == [[2, 1], [4, 2]]


def test_without_a_hole_the_exit_code_is_0(check):
    code, out = check(f"{HOLE}[[forbidden]]\ncache = [3, 5]\nbatch = 2\n")
    assert code == 0 and out.splitlines()[0] == "21 of 24 settings can be reached from 2,1"
    assert out.splitlines()[-1] == "no setting that must not be reached can be"


def test_jumps_that_were_not_visited_are_named(check):
    code, out = check("", system="nvm-middleware")
    assert code == 0 and out.startswith("1,024 of 1,024 settings")
    assert "by numbered actions, nor by jumps, which the rules refuse there; 1,048,576 jumps were not visited" in out


WALL = "[[forbidden]]\ncache = 20\n[[never]]\ncache = 25\nbatch = 25\n"


def test_a_jump_that_may_lead_to_a_hole_and_was_not_visited_has_exit_code_1(check, tmp_path):
    """Single steps stop at a wall that jumps pass; what the rules refuse everywhere behind it, jumps do not reach."""
    (tmp_path / "large.py").write_text(
        STORE.replace("range(1, 9)", "range(1, 65)").replace("[1, 2, 4]", "range(1, 33)")
    )
    code, out = check(WALL, system="large.py:store")
    assert code == 1 and "the rules do not refuse one to 25,25" in out
    code, out = check(WALL, "--json", system="large.py:store")
    report = json.loads(out)
    assert code == 1 and report["hole"] == [] and report["in_doubt"] == [25, 25]
    assert report["settings"] == 19 * 32 and report["unvisited"] == 19 * 32 * 64 * 32
    code, out = check(f"{WALL}[[forbidden]]\ncache = [21, 64]\n", system="large.py:store")
    assert code == 0 and "nor by jumps" in out
