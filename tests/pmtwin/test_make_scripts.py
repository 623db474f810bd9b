"""What `make run` and `make test` build and say: make-parts, make-native, run-tests, among tools that only pretend."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
TOOLS = (
    "bash",
    "cat",
    "cmp",
    "cp",
    "dirname",
    "flock",
    "grep",
    "head",
    "id",
    "mkdir",
    "nice",
    "sed",
    "sleep",
    "tail",
    "tee",
    "touch",
    "tr",
)
CMAKE = """#!/bin/sh
echo "$@" >>"{asked}"
case "$*" in
  --version) echo "cmake version 3.25.1" ;;
  --preset*) mkdir -p build/native; {configure} ;;
  *"--target test"*) {test} ;;
  --build*) {build} ;;
esac
"""
PASSED = "echo '100% tests passed, 0 tests failed out of 12'"


class Checkout:
    """The scripts in a folder of their own, where nothing can be installed; nothing is on the path but `TOOLS`."""

    def __init__(self, folder: Path):
        self.folder, self.tools, self.asked = folder, folder / "tools", folder / "asked"
        self._file("scripts/install-system-packages", "exit 3")
        self._file("scripts/fetch-pmemkv", "exit 0")
        self._file("scripts/make-environment", "exit 0")
        for name in ("make-native", "make-parts", "run-tests"):
            shutil.copy2(SCRIPTS / name, folder / "scripts" / name)
        self.tools.mkdir()
        for name in TOOLS:
            (self.tools / name).symlink_to(shutil.which(name))
        self.python_tests(skipped=0)

    def _file(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def python_tests(self, skipped: int, code: int = 0) -> None:
        """What pytest reports."""
        report = f'<testsuite name="pytest" errors="0" failures="0" skipped="{skipped}" tests="50">'
        self._file(".venv/bin/python", f"echo '{report}' >build/python-tests.xml\nexit {code}")

    def compiler(self) -> None:
        self._file("tools/c++", "exit 0")

    def cmake(self, configure: str = ":", test: str = PASSED, build: str = ":") -> None:
        self._file("tools/cmake", CMAKE.format(asked=self.asked, configure=configure, test=test, build=build))

    def started(self, script: str, *arguments: str, **variables: str) -> subprocess.Popen:
        environment = {name: value for name, value in os.environ.items() if name != "CXX"}
        environment |= {"PATH": str(self.tools), **variables}
        command = [self.tools / "bash", self.folder / "scripts" / script, *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=self.folder
        )

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess:
        with self.started(script, *arguments) as running:
            out, err = running.communicate(timeout=60)
        return subprocess.CompletedProcess(running.args, running.returncode, out, err)


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    return Checkout(tmp_path)


def test_where_everything_was_tested_it_says_so(checkout):
    checkout.compiler()
    checkout.cmake()
    done = checkout.run("run-tests")
    assert done.returncode == 0
    assert done.stdout == "make test: all tests passed\n"


def test_without_a_compiler_it_names_what_was_not_tested(checkout):
    checkout.cmake()
    checkout.python_tests(skipped=17)
    done = checkout.run("run-tests")
    assert done.returncode == 0
    assert "all tests passed" not in done.stdout
    assert done.stdout.splitlines() == [
        "make test: the tests that can run here passed; not tested:",
        "  everything native: no C++ compiler (pmtwin doctor says what that costs)",
        "  Python tests: 17 skipped, for the reasons above",
    ]


def test_native_parts_that_were_left_out_and_skipped_tests_were_not_tested(checkout):
    checkout.compiler()
    checkout.cmake(
        configure="echo 'left out: the engine `pmemkv`: no pmemkv'",
        test=f"{PASSED}; echo 'The following tests did not run:'; echo '  3 - Noise.OfTwo (Skipped)'",
    )
    done = checkout.run("run-tests")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == [
        "  the engine `pmemkv`: no pmemkv",
        "  native tests that this machine cannot run: 1 (build/native.log names them)",
    ]


def test_what_was_left_out_once_is_forgotten_when_it_is_there(checkout):
    checkout.compiler()
    checkout.cmake(configure="echo 'left out: the native tests: no GoogleTest'")
    assert "no GoogleTest" in checkout.run("run-tests").stdout
    checkout.cmake()
    assert checkout.run("run-tests").stdout == "make test: all tests passed\n"


@pytest.mark.parametrize("room", ["python", "native"])
def test_a_failure_is_no_success(checkout, room):
    checkout.compiler()
    checkout.cmake(test="exit 1" if room == "native" else PASSED)
    checkout.python_tests(skipped=0, code=int(room == "python"))
    done = checkout.run("run-tests")
    assert done.returncode == 1
    assert "passed" not in done.stdout


@pytest.mark.parametrize(("mode", "target"), [("--run", "pmtwin_run"), ("", "all"), ("--test", "all")])
def test_make_run_builds_what_it_needs_and_make_build_everything(checkout, mode, target):
    checkout.compiler()
    checkout.cmake()
    assert checkout.run("make-native", *filter(None, [mode])).returncode == 0
    assert f"--build build/native --parallel 2 --target {target}\n" in checkout.asked.read_text()


def until(seen: str) -> str:
    """Words of a shell that wait for a file; what is waited for has to run beside it."""
    return f"while ! [ -e {seen} ]; do sleep 0.1; done"


@pytest.fixture
def parts(checkout) -> Checkout:
    """A checkout in which each part of make-parts notes that it was asked for, and ends well."""
    for script in ("make-environment", "make-native"):
        checkout._file(f"scripts/{script}", f"echo {script} $* >>{checkout.asked}")
    checkout._file(".venv/bin/pmtwin", f"echo $* >>{checkout.asked}")
    checkout._file("tools/make", f"echo $* >>{checkout.asked}")
    (checkout.folder / "build").mkdir()
    return checkout


def test_system_packages_are_installed_beside_the_environment_once_there_is_an_interpreter(parts):
    parts._file("scripts/make-native", f"echo make-native $* >>{parts.asked}; touch packages; {until('environment')}")
    making = f'[ "$1" = --interpreter ] || {{ touch environment; {until("packages")}; }}'
    parts._file("scripts/make-environment", f"echo make-environment $* >>{parts.asked}; {making}")
    assert parts.run("make-parts", "python3.11").returncode == 0
    first, *beside, native = [line for line in parts.asked.read_text().splitlines() if "make-" in line]
    assert first == "make-environment --interpreter python3.11"
    assert sorted(beside) == ["make-environment python3.11", "make-native --packages"]
    assert native == "make-native"


def test_without_an_environment_nothing_is_built(parts):
    parts._file("scripts/make-environment", '[ "$1" = --interpreter ] || exit 3')
    assert parts.run("make-parts", "--check", "python3.11").returncode == 3
    assert parts.asked.read_text() == "make-native --packages\n"


@pytest.mark.parametrize("types", [0, 2])
def test_style_is_checked_first_and_types_beside_the_native_parts(parts, types):
    checking = f"case $* in *types) {until('native')}; echo found $* : {types}; exit {types} ;; esac"
    parts._file("tools/make", f"echo $* >>{parts.asked}; {checking}")
    native = "[ $# = 1 ] || touch native"
    parts._file("scripts/make-native", f"echo make-native $* >>{parts.asked}; {native}")
    done = parts.run("make-parts", "--check")
    assert done.returncode == (1 if types else 0)
    assert f"types : {types}" in done.stdout
    asked = parts.asked.read_text()
    assert asked.index("lint") < asked.index("types") and asked.index("lint") < asked.index("make-native\n")


def test_bad_style_ends_it_before_anything_is_built(parts):
    parts._file("tools/make", "case $* in *lint) exit 2 ;; esac")
    assert parts.run("make-parts", "--check").returncode == 2
    assert "make-native\n" not in parts.asked.read_text()


@pytest.mark.parametrize(("native", "warming"), [(0, 0), (1, 0), (0, 1)])
def test_the_simulator_is_compiled_beside_the_native_parts_and_is_no_reason_to_fail(parts, native, warming):
    building = f"{until('warmed')}; echo native $* >>{parts.asked}; exit {native}"
    parts._file("scripts/make-native", f'[ "$1" = --packages ] || {{ {building}; }}')
    parts._file(".venv/bin/pmtwin", f"touch warmed; echo $* >>{parts.asked}; echo nothing to do: >&2; exit {warming}")
    done = parts.run("make-parts", "--run")
    assert done.returncode == native and "nothing to do" not in done.stderr
    asked = {line for line in parts.asked.read_text().splitlines() if "environment" not in line}
    assert asked == {"native --run", "warm run"}
    assert ("is left to the commands" in done.stderr) == bool(warming)


def test_compiling_says_how_far_it_is_and_takes_its_share_when_the_native_parts_are_built(checkout):
    checkout._file("scripts/make-native", f'[ "$1" = --packages ] || {until("seen")}')
    goes_on = f"echo compile: 1 of 2 >&2; nice >>{checkout.asked}; [ $(nice) = {os.nice(0)} ] || exec sleep 60"
    checkout._file(".venv/bin/pmtwin", goes_on)
    with checkout.started("make-parts") as build:
        assert build.stderr.readline() == "compile: 1 of 2\n"  # beside the native parts, and not kept in a buffer
        while not (checkout.asked.exists() and checkout.asked.read_text()):  # the shell makes it first
            time.sleep(0.1)
        (checkout.folder / "seen").touch()
        assert build.wait(50) == 0
    beside, after = map(int, checkout.asked.read_text().split())
    assert beside > after == os.nice(0)


def test_packages_alone_build_nothing(checkout):
    checkout.compiler()
    checkout.cmake()
    assert checkout.run("make-native", "--packages").returncode == 0
    assert not checkout.asked.exists()
    assert (checkout.folder / "build" / "native-pmemkv").exists()


def test_a_build_says_how_far_it_is(checkout):
    checkout.compiler()
    checkout.cmake(build="echo '[ 42%] Building'; while ! [ -e seen ]; do sleep 0.1; done")
    with checkout.started("make-native", PROGRESS_SECONDS="1") as build:
        lines = []
        while "42% built" not in (lines or [""])[-1]:
            lines.append(build.stderr.readline())
            assert lines[-1], lines
        (checkout.folder / "seen").touch()
        assert build.wait(60) == 0
    assert lines[0] == "building the native parts in build/native\n"
    assert lines[-1].startswith("native parts: 42% built, ") and lines[-1].endswith(" s so far\n")


def test_sanitizers_without_a_compiler_are_a_failure(checkout):
    checkout.cmake()
    done = checkout.run("make-native", "--test", "asan")
    assert done.returncode == 3
    assert "left out: everything native: no C++ compiler" in done.stderr
