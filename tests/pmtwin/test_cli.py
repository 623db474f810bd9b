"""The command line itself: which commands it has, how it fails, and that starting it is quick."""

import importlib
import pkgutil
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from pmtwin import cli, commands
from pmtwin.config import command_words
from pmtwin.config.parser import Parser
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.summaries import SUMMARIES
from pmtwin.console.interrupts import Terminated
from pmtwin.listing.listings import listings
from pmtwin.scenarios import load_scenario, scenario_names
from pmtwin.scenarios.registry import DEFAULT
from pmtwin.sim.compiling import functions as compiling
from pmtwin.sim.errors import CheckFailedError, InputError, MissingDependencyError
from pmtwin.sim.options import leaves

ABSENT = "cannot be used: there is no such file or folder; allowed: an existing one"
FULL = "cannot be used: no space is left there; allowed: a place with room; or make room there"
READ_ONLY = "cannot be used: the file system is read-only; allowed: a place that can be written"


@pytest.fixture
def command(monkeypatch):
    """Put one command, `doctor`, on the command line, whose run is the given function."""

    def replace(run):
        monkeypatch.setattr("pmtwin.commands.doctor.run", run)
        return ["doctor"]

    return replace


def test_every_module_of_a_command_has_its_line_in_the_help():
    modules = {module.name for module in pkgutil.iter_modules(commands.__path__) if not module.name.startswith("_")}
    assert modules == set(SUMMARIES)


def test_the_line_of_list_names_all_kinds():
    assert SUMMARIES["list"] == f"list names: {', '.join(listings())}"


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main(["--help"])
    assert leave.value.code == 0
    text = capsys.readouterr().out
    assert [name for name in SUMMARIES if name not in text] == []
    assert "exit codes: 0 ok, 1 a check failed" in text


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main([name, "--help"])
    assert leave.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: pmtwin {name}")


def test_help_shows_the_everyday_options_and_says_how_many_more_there_are(capsys):
    shown = {}
    for flag in ("--help", "--help-all"):
        with pytest.raises(SystemExit):
            cli.main(["validate", flag])
        shown[flag] = capsys.readouterr().out
    options = {flag: set(re.findall(r"^  (--[\w-]+)", text, re.MULTILINE)) for flag, text in shown.items()}
    assert {"--grid", "--policies", "--store"} <= options["--help"] < options["--help-all"]
    left_out = len(options["--help-all"] - options["--help"])
    assert f"{left_out} more options: pmtwin validate --help-all" in shown["--help"]
    assert "more options" not in shown["--help-all"]
    assert all("\n  pmtwin validate --grid 4,4" in text for text in shown.values())


def examples() -> list[str]:
    """The examples of all commands and scenarios."""
    commands = [importlib.import_module(f"pmtwin.commands.{name}") for name in SUMMARIES]
    scenarios = [lines for name in scenario_names() for lines in load_scenario(name).examples.values()]
    return [line for lines in (*(getattr(each, "EXAMPLES", ()) for each in commands), *scenarios) for line in lines]


@pytest.mark.parametrize("line", examples())
def test_the_examples_of_the_help_are_accepted(line):
    command, *words = line.partition(" > ")[0].split()[1:]
    args = command_words.build_parser(command, words).parse_args([command, *words])
    if not any("." in word for word in words):  # no file that only the reader has
        args.door.configuration(args)


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_help_has_two_to_four_examples(name, capsys):
    with pytest.raises(SystemExit):
        cli.main([name, "--help"])
    assert 2 <= len(re.findall(r"^  pmtwin ", capsys.readouterr().out, re.MULTILINE)) <= 4


@pytest.mark.parametrize("name", SUMMARIES)
def test_everyday_options_exist_and_fit_a_screen(name):
    config = importlib.import_module(f"pmtwin.commands.{name}").Config
    configs = [config]
    if issubclass(config, ScenarioConfig):
        configs.append(config.for_scenario(load_scenario(config.scenarios()[0])))
    assert set(config.everyday) <= {leaf.name for each in configs for leaf in leaves(each)}
    assert len(config.everyday) <= 14


@pytest.mark.parametrize("name", scenario_names())
def test_everyday_options_of_a_scenario_exist(name):
    scenario = load_scenario(name)
    assert set(scenario.everyday) <= {leaf.name for leaf in leaves(scenario.Options)}
    assert set(scenario.examples) <= set(SUMMARIES)


def test_help_for_planning_shows_a_scenario_that_can_be_planned(capsys):
    with pytest.raises(SystemExit):
        cli.main(["plan", "--help-all"])
    shown = capsys.readouterr().out
    assert "--p99 MS" in shown and "--profile" not in shown
    assert cli.main(["plan", DEFAULT, "--help"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "'validate'", "'simulate', ['nvm-middleware']", "'simulate', ['two-tier']"),
        "'evaluate', ['nvm-middleware']",
    ],
)
def test_help_needs_no_heavy_package(arguments):
    heavy = "{'numba', 'scipy', 'sklearn', 'matplotlib', 'gymnasium'" + (", 'numpy'}" if not arguments else "}")
    code = f"import sys; from pmtwin.config.command_words import build_parser; build_parser({arguments}); "
    code += f"print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (["list"], []),
        (["simulate", "--windows", "1", "--help"], ["nvm_middleware"]),
        (["simulate", "two-tier", "--help"], ["two_tier"]),
    ],
)
def test_no_scenario_is_loaded_but_the_one_that_runs(words, loaded):
    code = r"import atexit, re, sys; declared = re.compile(r'pmtwin\.scenarios\.(\w+)\.scenario').fullmatch; "
    code += "atexit.register(lambda: print([name[1] for name in map(declared, list(sys.modules)) if name])); "
    code += f"from pmtwin.cli import main; main({words})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(loaded)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InputError("phase", 9, "1 to 4"), 2, "pmtwin doctor: phase: 9 is not accepted; allowed: 1 to 4\n"),
        (CheckFailedError("diverged at step 3"), 1, "pmtwin doctor: diverged at step 3\n"),
        (MissingDependencyError("no pmem"), 3, "pmtwin doctor: no pmem\n"),
        (KeyboardInterrupt(), 130, "pmtwin doctor: interrupted\n"),
        (Terminated(), 143, "pmtwin doctor: interrupted\n"),
        (FileNotFoundError(2, "No such file", "a.csv"), 2, f"pmtwin doctor: 'a.csv' {ABSENT}\n"),
        (OSError(28, "No space left on device", "a.csv"), 2, f"pmtwin doctor: 'a.csv' {FULL}\n"),
        (OSError(30, "Read-only file system"), 2, f"pmtwin doctor: a file without a name {READ_ONLY}\n"),
    ],
)
def test_errors_become_one_line_and_an_exit_code(command, capsys, error, code, text):
    def run(args):
        raise error

    assert cli.main(command(run)) == code
    assert capsys.readouterr().err == text


def test_a_fault_of_our_own_is_not_dressed_up_as_bad_input(command):
    def run(args):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cli.main(command(run))


@pytest.mark.parametrize(("result", "code"), [(None, 0), (0, 0), (1, 1)])
def test_exit_code_of_a_command_is_the_exit_code(command, result, code):
    assert cli.main(command(lambda args: result)) == code


def test_unknown_command_suggests_the_nearest(capsys):
    assert cli.main(["docter"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("pmtwin: command: 'docter' is not accepted; allowed: ")
    assert error.endswith("(did you mean 'doctor'?)\n")


def test_usage_errors_are_one_line(capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main(["doctor", "--jsno"])
    assert leave.value.code == 2
    told = "option: '--jsno' is unknown; allowed: those of pmtwin doctor --help-all (did you mean '--json'?)"
    assert capsys.readouterr().err == f"pmtwin doctor: {told}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "pmtwin: COMMAND is missing (see pmtwin --help)"),
        ("--jsno", "pmtwin: option: '--jsno' is unknown; allowed: --help, --version, -h"),
        ("--json doctor", "option: '--json' stands before the command; allowed: after it (pmtwin doctor --json)"),
        ("--seed=3 simulate nvm-middleware", "option: '--seed' stands before the command; allowed: after it (pmtwin "),
        ("--jsno doctor", "'--jsno' is unknown; allowed: those of pmtwin doctor --help-all (did you mean '--json'?)"),
        ("doctor all", "word: 'all' belongs to no option; allowed: the arguments of pmtwin doctor --help-all"),
        (
            "doctor all now",
            "words: 'all', 'now' belong to no option; allowed: the arguments of pmtwin doctor --help-all",
        ),
        ("predict --threads 1 2 4", "words: '2', '4' after --threads, which takes one value; allowed: --threads N ("),
        ("predict --size=64 128 256 --threads 1", "words: '128', '256' after --size, which takes one value; allowed:"),
        ("predict --threads 1 2 4", "several points: rows of POINTS.CSV"),
        ("predict --threads 1 2", "--threads 1 does not go with the file of points '2'; remove one of the two"),
        ("predict --bogus=3", "option: '--bogus' is unknown; allowed: those of pmtwin predict --help-all"),
        ("predict --size", "the value of --size is missing: --size BYTES (see pmtwin predict --help)"),
        ("predict --columns", "the value of --columns is missing: --columns NAME ... (see pmtwin predict --help)"),
        ("simulate nvm-middleware --pools", "the value of --pools is missing: --pools INTERACTIVE,BATCH (see "),
        ("train nvm-middleware -o", "the value of --output is missing: --output FILE (see pmtwin train --help)"),
        ("predict --json=3", "--json: '3' is not accepted; allowed: --json alone, which takes no value (see "),
        ("calibrate", "SOURCE is missing: a file of measurements, "),
        ("evaluate", "--policies is missing (see pmtwin evaluate --help)"),
        ("train", "SCENARIO, -o/--output are missing (see pmtwin train --help)"),
        ("export", "POLICY (or --sb3 FILE.zip), -o/--output are missing (see pmtwin export --help)"),
        ("export --sb3 a.zip", "export: -o/--output is missing (see pmtwin export --help)"),
        ("probe", "--path, --output are missing: a directory on the memory to measure, or --node N; the file of the r"),
    ],
)
def test_usage_errors_have_the_form_of_all_errors(capsys, words, told):
    try:
        code = cli.main(words.split())
    except SystemExit as leave:
        code = leave.code
    error = capsys.readouterr().err
    assert code == 2 and told in error and error.count("\n") == 1
    command = next((word for word in words.split() if not word.startswith("-")), None)
    assert error.startswith(("pmtwin: ", f"pmtwin {command}: "))


@pytest.mark.parametrize("value", ["-1,5", "-1e3", "-inf", "-nan", "-1", "-0.5"])
def test_a_negative_value_reaches_the_option_before_it(value):
    parser = Parser()
    parser.add_argument("--pools")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--phases", nargs="+")
    args = parser.parse_args(["--pools", value, "--json", "--phases", "-1", "2"])
    assert (args.pools, args.json, args.phases) == (value, True, ["-1", "2"])


def test_an_error_inside_a_file_keeps_its_own_name(command, capsys):
    def run(args):
        raise InputError("require", 1, "text", where="a.json")

    assert cli.main(command(run)) == 2
    assert capsys.readouterr().err == "pmtwin doctor: a.json: require: 1 is not accepted; allowed: text\n"


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


def run_piped(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "pmtwin.cli", *arguments], stderr=subprocess.PIPE, text=True, **options
    )


def test_a_full_disk_is_an_error_and_no_traceback():
    with open("/dev/full", "w") as full:
        done = run_piped("doctor", "--json", stdout=full)
    assert done.returncode == 2
    told = "pmtwin doctor: standard output cannot be written: no space is left there; allowed: another output"
    assert done.stderr.startswith(told) and done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error():
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    done = run_piped("doctor", "--json", stdout=reader.stdin)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_every_command_ends_with_the_code_of_the_signal(command, number, code):
    def interrupted(args):
        signal.raise_signal(number)
        time.sleep(60)

    before = signal.getsignal(signal.SIGTERM)
    assert cli.main(command(interrupted)) == code
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_signal_that_is_sent_twice_at_once_interrupts_nothing_that_has_begun_to_end(command):
    ended = []

    def interrupted(args):
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            ended.append(True)

    assert cli.main(command(interrupted)) == 130 and ended


def test_a_worker_process_that_is_terminated_says_nothing():
    code = (
        "import os, signal, time; from pmtwin.console.interrupts import terminating\n"
        "with terminating():\n"
        "    ready, tell = os.pipe()\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        os.write(tell, b'.')  # a signal before this may be lost in the fork\n"
        "        time.sleep(60)\n"
        "        os._exit(1)\n"
        "    os.read(ready, 1)\n"
        "    os.kill(child, signal.SIGTERM)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == (f"{-signal.SIGTERM}\n", "")


def test_words_behind_an_option_belong_to_the_argument_that_takes_several(tmp_path, capsys):
    header = "operation,pattern,access_size_bytes,threads,bandwidth_mib_s\n"
    for name, pattern in (("a.csv", "random"), ("b.csv", "sequential")):
        (tmp_path / name).write_text(f"{header}load,{pattern},256,1,2000\n")
    first, last, output = (str(tmp_path / name) for name in ("a.csv", "b.csv", "x.json"))
    words = ["calibrate", first, "-o", output, last, "--prior", "family", "--dry-run"]
    assert cli.main(words) == 0
    assert "read a.csv" in (shown := capsys.readouterr().out) and "read b.csv" in shown
    with pytest.raises(SystemExit):
        cli.main([*words, "--jsno"])
    assert capsys.readouterr().err.startswith("pmtwin calibrate: option: '--jsno' is unknown; ")
    with pytest.raises(SystemExit):
        cli.main(["list", "profiles", "--json", "x", "y"])
