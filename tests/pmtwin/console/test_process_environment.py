"""Commands in environments as they are: closed and full outputs, poor encodings, odd names, variables, no folder."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from pmtwin.console import process_environment

TOP = Path(process_environment.__file__).resolve().parents[2]
EXPORT = "pmtwin export threshold -o"
NAMES = ("messung-ü.json".encode(), "測.json".encode(), b"m-\xff.json")


@pytest.fixture
def shell(tmp_path):
    """Runs a line of bash in which `pmtwin` is the command: (exit code, standard output, standard error), as bytes."""

    def run(line: str, **variables: str):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": path} | variables
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True)
        assert b"Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.parametrize(
    ("outputs", "code"),
    [
        (">&-", 0),
        ("<&- >&- 2>&-", 0),
        ("2>/dev/full", 0),
        (">/dev/full 2>&1", 2),
        ("| true; exit ${PIPESTATUS[0]}", 0),
        ("2>&1 | true; exit ${PIPESTATUS[0]}", 0),
    ],
)
def test_work_is_done_whoever_listens(shell, tmp_path, outputs, code):
    assert shell(f"{EXPORT} policy.json {outputs}")[0] == code
    assert json.loads((tmp_path / "policy.json").read_text())["policy"]  # whole: no file took the descriptor


def test_what_a_full_disk_did_not_take_is_said(shell):
    code, _, error = shell("pmtwin list policies >/dev/full")
    assert (code, error.count(b"\n")) == (2, 1)
    assert b"pmtwin list: standard output cannot be written: no space is left there" in error
    assert shell("pmtwin --help >/dev/full")[0] == 2


def test_an_error_has_its_exit_code_with_nobody_to_hear_it(shell):
    for outputs in ("2>&-", "2>/dev/full"):
        assert shell(f"pmtwin nonesuch {outputs}")[:2] == (2, b"")
    assert shell("pmtwin doctor --nonesuch 2>&-")[:2] == (2, b"")


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "ascii:surrogateescape"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "utf-8:strict"},
    ],
)
def test_names_that_the_terminal_cannot_show_end_nothing(shell, tmp_path, variables):
    files = [Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)) for name in NAMES]
    for file in files:
        code, output, _ = shell(f'{EXPORT} "$FILE"', FILE=file.name, **variables)
        assert (code, output.count(b".json"), file.exists()) == (0, 1, True)


def test_a_name_goes_out_as_the_bytes_that_it_has_on_disk(shell):
    assert (
        NAMES[-1]
        in shell(f"{EXPORT} $'{NAMES[-1].decode('ascii', 'backslashreplace')}'", PYTHONIOENCODING="utf-8:strict")[1]
    )


def test_a_folder_that_was_removed_is_named(shell):
    code, _, error = shell("mkdir gone; cd gone; rmdir ../gone; pmtwin list policies")
    assert (code, error.count(b"\n")) == (2, 1)
    assert b"the current folder" in error and b"was removed; allowed: an existing one: cd to it" in error


@pytest.mark.parametrize("value", ["0", "many"])
def test_a_number_of_threads_that_numba_cannot_use_is_named(shell, value):
    code, _, error = shell("pmtwin list policies", NUMBA_NUM_THREADS=value)
    assert code == 2 and b"environment variable NUMBA_NUM_THREADS: " in error and b"unset" in error


def test_warnings_that_a_user_made_errors_end_no_work(monkeypatch, capsys):
    monkeypatch.setattr(sys, "warnoptions", ["error"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with process_environment.prepared():
            warnings.warn("old", DeprecationWarning, stacklevel=1)
        with pytest.raises(DeprecationWarning):
            warnings.warn("old", DeprecationWarning, stacklevel=1)


def test_a_file_named_as_a_module_of_python_is_not_taken_for_it_by_a_worker(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('taken for another')\n")
    code = "from pmtwin.console.process_environment import prepared\nfrom joblib import Parallel, delayed\n"
    code += "with prepared():\n    print(sum(Parallel(n_jobs=2)(delayed(abs)(n) for n in (-1, -2))))\n"
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/run.py").write_text(code)
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    done = subprocess.run(
        [sys.executable, "scripts/run.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("3\n", 0), done.stderr


def test_a_user_without_home_and_without_a_folder_to_write(shell):
    variables = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/dev/null/x", "MPLCONFIGDIR": "/dev/null/x"}
    variables |= {"TMPDIR": "/nonexistent", "COLUMNS": "0", "TERM": "dumb", "PYTHONOPTIMIZE": "1"}
    code, output, error = shell(f"{EXPORT} policy.json", **variables)
    assert (code, error) == (0, b"") and output


def test_numba_that_was_told_to_compile_nothing_compiles(shell):
    code = "import os, sys; from pmtwin.console.process_environment import prepared\n"
    code += "with prepared():\n"
    code += "    from pmtwin.scenarios.nvm_middleware.model.engines import compiled\n"
    code += "    print(os.environ.get('NUMBA_DISABLE_JIT'))"
    status, output, error = shell(f'python -c "{code}"', NUMBA_DISABLE_JIT="1")
    assert (status, output) == (0, b"None\n") and b"NUMBA_DISABLE_JIT is set aside" in error


def test_a_trace_with_a_variable_left_in_the_environment(shell, shared_cases):
    trace = shared_cases / "27-disable-jit/trace.csv"
    line = f"pmtwin evaluate two-tier --trace {trace} --cache 10% --policies lru -o r.json >&-"
    code, _, error = shell(f"{line}; code=$?; ls r.json >&2; exit $code", NUMBA_DISABLE_JIT="1")
    assert code == 0 and b"r.json" in error
