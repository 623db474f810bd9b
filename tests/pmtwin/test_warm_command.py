"""`pmtwin warm`: after it no command that README and docs begin with compiles; an interrupted one goes on."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.console import progress
from pmtwin.machine import warming
from pmtwin.sim.compiling import functions as compiling
from tests.acceptance.pages import first_steps

TOP = Path(cli.__file__).resolve().parents[1]
SHORTER = {
    "simulate": "--windows 1 --set requests_per_window=300",
    "evaluate": "--steps 2 --phase-steps 1 --jobs 1 --seeds 1",
    "train": "--campaign 0.0005 --jobs 1",
    "recommend": "--set requests_per_window=200",
    "plan": "",
}
"""What makes a command of the README quick, for each that compiles: numbers of steps and requests change no code."""

OF_SCENARIO = {"hybrid-storage": "--length 200 --requests-per-window 60", "numa-threads": "--steps 3"}
"""As `SHORTER`, of `evaluate` for other scenarios."""

OTHERS = {"doctor", "probe", "calibrate", "predict", "validate", "list", "completion"}
"""Commands of the README that simulate nothing, or need a device; `validate` drives the twin as `evaluate` does."""

ASK = """
import json, sys
from pmtwin.cli import main
from pmtwin.sim.compiling.cache import ASKED

new = []
for line in json.load(sys.stdin):
    before = set(ASKED)
    assert main(line.split()) == 0, line
    new.append(sorted(ASKED - before))
json.dump(new, open("asked.json", "w"))
"""
"""A process that loads a compiled function, with its types, looks it up once."""


def newly_asked(lines: list[str], folder: Path) -> list[set[str]]:
    """The compiled functions, with their types, that each command calls and no command before it."""
    done = subprocess.run(
        [sys.executable, "-c", ASK], input=json.dumps(lines), cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [set(names) for names in json.loads((folder / "asked.json").read_text())]


def lines_of_the_readme() -> list[str]:
    """The commands of the README that compile, each made short, and each kind of words once."""
    text = (TOP / "README.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    lines = [line.partition("#")[0].strip() for line in re.findall(r"^pmtwin (.+)$", blocks, re.MULTILINE)]
    commands = {line.split()[0] for line in lines}
    assert commands <= set(SHORTER) | OTHERS, "say what makes the new command quick"
    short = [line for line in lines if line.split()[0] in SHORTER and not re.search(r"my-device|host\.json", line)]
    short = [re.sub(r" --(seeds|windows|steps) \S+", "", line) for line in short]
    short = [re.sub(r"--(host|device)-samples \S+", r"--\1-samples 1", line) for line in short]
    return [f"{line} {SHORTER[line.split()[0]]}" for line in short]


def lines_of_the_docs() -> list[str]:
    """First steps of the docs that simulate, and what their pages are about."""
    lines = [*first_steps("recommend.md"), *first_steps("two-tier.md")]
    lines = [line.removeprefix("pmtwin ").replace("--processes 64", "--processes 2") for line in lines]
    short = [line for line in lines if line.split()[0] in ("recommend", "simulate", "plan")]
    inside = [*first_steps("hybrid-storage.md"), *first_steps("numa-threads.md")]
    inside = [re.sub(r" --(seeds|steps|length) \S+", "", line.removeprefix("pmtwin ")) for line in inside]
    short += [
        f"{line} {OF_SCENARIO[line.split()[1]]} --seeds 1 --jobs 1" for line in inside if line.startswith("evaluate")
    ]
    return [*short, "simulate nvm-middleware --phase 1 --pools 2,2 --windows 1 --engine analytic"]


def test_no_command_of_the_readme_and_of_the_docs_calls_what_is_not_warmed(tmp_path):
    warming.lay_out(tmp_path)
    warmed, readme, docs = warming.cases(SHORTER), lines_of_the_readme(), lines_of_the_docs()
    assert len(readme) >= 4 and len(docs) >= 7
    lines = warmed + readme + docs
    asked = newly_asked(lines, tmp_path)
    assert len(set.union(*asked[: len(warmed)])) > 30  # of functions kept by other tests only the outermost are asked
    for line, names in list(zip(lines, asked, strict=True))[len(warmed) :]:
        assert names == set(), line


class Ran(list):
    """The small commands that were started; `codes` is what they end with in turn, 130 an interrupt of `pmtwin warm`.

    Each runs for two looks at it; `together` are the scenarios that ran at the same time, at each start.
    """

    def __init__(self):
        super().__init__()
        self.codes: tuple[int, ...] = ()
        self.running, self.together = [], []

    def start(self, words, stderr, **options):
        process = Process(self, words[3:], self.codes[len(self)] if len(self) < len(self.codes) else 0)
        stderr.write(b"pmtwin: no room\n" if process.code else b"")
        self.append(" ".join(words[3:]))
        self.running.append(process)
        self.together.append([each.scenario for each in self.running])
        return process


class Process:
    """A small command that pretends to run."""

    def __init__(self, ran, words, code):
        self.ran, self.scenario, self.code, self.looks = ran, words[1], code, 0

    def poll(self):
        self.looks += 1
        if self.looks < 3:
            return None
        if self.code == 130:
            raise KeyboardInterrupt
        if self in self.ran.running:
            self.ran.running.remove(self)
        return self.code

    def kill(self):
        self.ran.running.remove(self)

    def wait(self):
        assert self not in self.ran.running


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """The small commands that were started, into a cache of their own; no more than one at a time."""
    monkeypatch.setattr(compiling, "cache_folder", lambda: tmp_path / "kept")
    monkeypatch.setattr(compiling, "readable_folders", lambda: [tmp_path / "kept"])
    monkeypatch.setattr(warming, "usable_processors", lambda: 1)
    monkeypatch.setattr(warming, "LOOK_S", 0.0)
    made = Ran()
    monkeypatch.setattr(warming.subprocess, "Popen", made.start)
    return made


def test_all_commands_are_compiled_for_once(ran, capsys):
    assert cli.main(["warm"]) == 0
    assert sorted(ran) == sorted(warming.cases())
    assert cli.main(["warm"]) == 0 and len(ran) == len(warming.cases())
    assert "nothing to do: all is compiled" in capsys.readouterr().err


@pytest.mark.parametrize("processors", [1, 2])
def test_scenarios_are_compiled_at_the_same_time_and_each_in_its_order(ran, processors, monkeypatch):
    monkeypatch.setattr(warming, "usable_processors", lambda: processors)
    assert cli.main(["warm"]) == 0
    assert all(len(scenarios) == len(set(scenarios)) for scenarios in ran.together)
    assert max(map(len, ran.together)) == processors
    for scenario in ("nvm-middleware", "two-tier"):
        assert [line for line in ran if scenario in line] == [line for line in warming.cases() if scenario in line]


def test_the_first_command_tells_no_time_left_of_the_others(ran, monkeypatch):
    asked = []
    plain = progress.progress
    monkeypatch.setattr("pmtwin.commands.warm.progress", lambda **options: asked.append(options) or plain(**options))
    assert cli.main(["warm"]) == 0
    assert [options["alike"] for options in asked] == [False]


def test_named_commands_alone_and_then_the_others(ran):
    assert cli.main(["warm", "plan", "simulate"]) == 0
    assert sorted(ran) == sorted(warming.cases(("plan", "simulate")))
    assert cli.main(["warm"]) == 0
    assert sorted(ran) == sorted(warming.cases())


def test_an_interrupted_one_goes_on_where_it_was(ran):
    ran.codes = (0, 0, 130)
    assert cli.main(["warm"]) == 130
    ran.codes = ()
    assert cli.main(["warm"]) == 0
    assert len(ran) == len(warming.cases()) + 1


def test_an_interrupt_leaves_no_command_running(ran, monkeypatch):
    monkeypatch.setattr(warming, "usable_processors", lambda: 2)
    ran.codes = (0, 130)
    assert cli.main(["warm"]) == 130
    assert len(ran) >= 2 and ran.running == []


def test_what_failed_is_said_and_tried_again(ran, capsys):
    ran.codes = (2,)
    assert cli.main(["warm", "simulate"]) == 1
    assert "left out: pmtwin simulate nvm-middleware" in capsys.readouterr().err
    assert cli.main(["warm", "simulate"]) == 0


def test_another_processor_is_warmed_anew(ran, monkeypatch):
    assert cli.main(["warm", "plan"]) == 0
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: "another")
    assert cli.main(["warm", "plan"]) == 0
    assert len(ran) == 2


def test_an_unknown_command_is_named(ran, capsys):
    assert cli.main(["warm", "simulat"]) == 2
    assert "(did you mean 'simulate'?)" in capsys.readouterr().err


def test_where_nothing_can_be_kept_nothing_is_compiled(ran, capsys, monkeypatch):
    monkeypatch.setattr(compiling, "cache_folder", lambda: None)
    assert cli.main(["warm"]) == 2
    assert "cannot be kept" in (said := capsys.readouterr().err) and "NUMBA_CACHE_DIR=FOLDER" in said
    assert ran == []
