"""A command that compiles says so, once."""

from types import SimpleNamespace

from pmtwin import cli
from pmtwin.sim.compiling import functions as compiling


def test_a_command_that_compiles_says_so_without_a_terminal_too(monkeypatch, capsys):
    monkeypatch.setattr("pmtwin.cli.compiling.announce", lambda told: told(compiling.ANNOUNCEMENT))
    monkeypatch.setattr("pmtwin.commands.simulate.run", lambda args: 0)
    assert cli.main(["simulate", "nvm-middleware"]) == 0
    assert capsys.readouterr().err == f"{compiling.ANNOUNCEMENT}\n"


def test_a_command_that_compiles_in_several_parts_says_so_once_and_of_itself_alone(monkeypatch, capsys):
    part = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=cli.main)})  # a function of ours

    def run(args):
        for begins in (True, False, True, False):
            compiling._WATCH.note(part, begins)

    monkeypatch.setattr("pmtwin.cli.compiling.announce", lambda report: setattr(compiling._WATCH, "report", report))
    monkeypatch.setattr(compiling._WATCH, "users", [])
    monkeypatch.setattr(compiling._WATCH, "_mark", lambda present: None)
    monkeypatch.setattr("pmtwin.commands.simulate.run", run)
    for _ in range(2):
        assert cli.main(["simulate", "nvm-middleware"]) == 0
        assert capsys.readouterr().err == f"{compiling.ANNOUNCEMENT}\n"
    assert "this command" in compiling.ANNOUNCEMENT
