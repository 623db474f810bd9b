"""Our compiled functions: never stale, kept in a folder of their own, and nobody else's matter."""

import ast
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pmtwin.sim.compiling import functions as compiling

TOP = Path(compiling.__file__).resolve().parents[2]
IMPORT = "from pmtwin.sim.compiling import njit\n"
OUTER = (
    IMPORT
    + "from room.inner import value\nfrom room.plain import CONSTANT\n"
    + "@njit(cache=True)\ndef outer():\n    return CONSTANT + value()\n"
)
INNER = IMPORT + "@njit(cache=True)\ndef value():\n    return {}\n"
NUMBA_ALONE = {IMPORT: "from numba import njit\n"}
USER = "from numba import njit\n@njit(cache=True)\ndef mine():\n    return 1\n"

ROOM = "from pathlib import Path; from pmtwin.sim.compiling import functions as compiling\n"
ROOM += "compiling.ROOMS = [Path({room!r})]\n"
OUTER_ALONE = "from room.outer import outer; print(outer())"
IN_A_CHILD = """
from joblib import Parallel, delayed
def child(room):
    from pathlib import Path; from pmtwin.sim.compiling import functions as compiling
    compiling.ROOMS = [Path(room)]
    from room.outer import outer
    return outer(), outer.stats.cache_path
(answer, place), = Parallel(n_jobs=2)([delayed(child)({room!r})])
assert place.startswith(str(compiling.cache_folder())), place
print(answer)
"""


@pytest.fixture
def room(tmp_path):
    """A package whose compiled `outer` adds a constant (0) and an inlined function (1) of two other files."""
    folder = tmp_path / "room"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "outer.py").write_text(OUTER)
    (folder / "inner.py").write_text(INNER.format(1))
    (folder / "plain.py").write_text("CONSTANT = 0\n")
    return folder


def run(room: Path, code: str, **variables: str) -> str:
    """What the code prints in a fresh process that finds the room."""
    path = os.pathsep.join([str(room.parent), str(TOP)])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(room.parent / "cache")} | variables
    environment |= {"PYTHONDONTWRITEBYTECODE": "1"}  # Python takes an edit of the same second and size for none
    code = code.replace("{room!r}", repr(str(room)))
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_inner_function_is_called_by_compiled_code_alone(room):
    (room / "inner.py").write_text(INNER.format(1).replace("cache=True", "cache=True, inner=True"))
    refused = "\ntry:\n    value()\nexcept TypeError as error:\n    print(error)"
    caller = f"{IMPORT}from room.inner import value\nprint(njit(lambda: value() + 1)()){refused}"
    said = "value is an inner function: compiled code alone can call it"
    assert run(room, ROOM + caller) == f"2\n{said}"
    assert run(room, f"{ROOM}{caller}\nprint(len(value.stats.cache_hits))") == f"2\n{said}\n1", "kept, and read again"


@pytest.mark.parametrize("code", [OUTER_ALONE, IN_A_CHILD])
def test_an_edit_in_another_file_reaches_the_cached_function(room, code):
    assert run(room, ROOM + code) == "1"
    (room / "inner.py").write_text(INNER.format(2))
    assert run(room, ROOM + code) == "2"
    (room / "plain.py").write_text("CONSTANT = 40\n")
    assert run(room, ROOM + code) == "42"


def test_numba_alone_would_serve_the_stale_one(room):
    for name in ("outer.py", "inner.py"):
        (room / name).write_text((room / name).read_text().replace(IMPORT, NUMBA_ALONE[IMPORT]))
    assert run(room, OUTER_ALONE) == "1"
    (room / "inner.py").write_text(INNER.format(2).replace(IMPORT, NUMBA_ALONE[IMPORT]))
    assert run(room, OUTER_ALONE) == "1"


def test_nothing_of_the_process_is_changed_and_a_user_keeps_the_own_cache(room):
    (room / "user.py").write_text(USER)
    code = (
        "import os, numba; before = dict(os.environ), dict(vars(numba.config))\n"
        "import pmtwin.sim.engines, room.outer, room.user\n"
        "assert (dict(os.environ), dict(vars(numba.config))) == before\n"
        "room.outer.outer(), room.user.mine(); print(room.user.mine.stats.cache_path)"
    )
    assert Path(run(room, ROOM + code)).parent == room.parent / "cache"


def test_a_way_of_numba_to_choose_the_place_does_not_reach_ours(room):
    code = ROOM + "from room.outer import outer; outer(); print(outer.stats.cache_path)"
    place = Path(run(room, code, NUMBA_CACHE_LOCATOR_CLASSES="InTreeCacheLocator"))
    assert place.parent.parent == room.parent / "cache"


def test_a_folder_that_cannot_be_written_makes_one_warning_and_no_cache(room):
    (room.parent / "file").write_text("")
    code = (
        "import warnings; caught = warnings.catch_warnings(record=True).__enter__()\n"
        "from room.outer import outer\n"
        "print(outer(), len(caught), caught[0].message)"
    )
    output = run(room, ROOM + code, NUMBA_CACHE_DIR=str(room.parent / "file"))
    assert output.startswith("1 1 compiled code cannot be kept in") and "set NUMBA_CACHE_DIR" in output


def test_numba_that_compiles_nothing_is_refused_by_the_name_of_the_variable(room):
    code = "from pmtwin.sim.errors import InputError\ntry:\n    from room.outer import outer\n"
    code += "except InputError as error:\n    print(error)"
    assert run(room, ROOM + code, NUMBA_DISABLE_JIT="1").startswith(
        "environment variable NUMBA_DISABLE_JIT: '1' is not"
    )


def test_the_rooms_hold_every_compiled_function():
    packages = ("sim", "calibrate", "policies", "middleware", "scenarios", "figures", "pmtwin")
    compiled = {path.resolve() for name in packages for path in (TOP / name).rglob("*.py") if _compiles(path)}
    assert len(compiled) > 5
    assert [path for path in compiled if not any(path.is_relative_to(room) for room in compiling.ROOMS)] == []


def test_all_that_compiled_functions_import_is_in_the_rooms():
    files = [path for room in compiling.ROOMS for path in room.rglob("*.py") if _compiles(path)]
    outside = {
        node.module
        for file in files
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ImportFrom) and node.module.startswith("pmtwin.") and not _in_rooms(node.module)
    }
    assert outside == set()


def _in_rooms(module: str) -> bool:
    return any((TOP / Path(*module.split(".")[1:])).is_relative_to(room) for room in compiling.ROOMS)


def _compiles(path: Path) -> bool:
    return IMPORT.strip() in path.read_text() or "from numba import" in path.read_text()


@pytest.fixture
def fresh(monkeypatch, room):
    """The folder settled anew, for the sources of the room, as in a process that has not loaded numba."""
    monkeypatch.setattr(compiling, "ROOMS", [room])
    monkeypatch.setitem(sys.modules, "numba", None)  # so that the numba of this process keeps its folder
    monkeypatch.setenv(compiling.VARIABLE, "")
    settled = (compiling.cache_folder, compiling.readable_folders)
    for function in settled:
        function.cache_clear()
    yield monkeypatch
    for function in settled:
        function.cache_clear()


def test_a_folder_that_the_user_named_is_respected(fresh):
    fresh.setenv(compiling.VARIABLE, "/var/cache/mine")
    assert compiling.cache_folder().parent == Path("/var/cache/mine")
    assert os.environ[compiling.VARIABLE] == "/var/cache/mine"


def test_the_folder_is_beside_the_sources_and_not_beside_the_link(fresh):
    fresh.setattr(compiling, "_prune", lambda base: None)  # the caches there are those in use
    assert compiling.cache_folder().parent == TOP / "sim" / "__pycache__"


ANNOUNCED = """
compiling.announce(lambda told: print("compiling", compiling.is_compiling()))
from pmtwin_room.outer import outer
outer(), outer(), print(compiling.is_compiling())
"""


def test_the_first_compilation_is_announced_once_and_only_where_there_is_one(room):
    package = room.parent / "pmtwin_room"
    room.rename(package)
    for path in package.glob("*.py"):
        path.write_text(path.read_text().replace("room.", "pmtwin_room."))
    code = ROOM.replace("{room!r}", repr(str(package))) + "compiling.OURS = 'pmtwin_room.'\n" + ANNOUNCED
    assert run(package, code).split("\n") == ["compiling True", "False"]
    assert run(package, code) == "False"  # what is kept is loaded


def test_no_garbage_is_collected_while_a_function_compiles(monkeypatch):
    monkeypatch.setattr(compiling, "OURS", __name__)
    compiling._WATCH.install()
    depths = []
    gc.callbacks.append(lambda phase, info: depths.append(compiling._WATCH.depth))
    try:
        assert compiling.njit(lambda: 1)() == 1
        gc.collect()
    finally:
        gc.callbacks.pop()
    assert gc.isenabled() and set(depths) == {0}


def test_the_mark_of_a_process_below_this_one_is_seen_until_that_ends(fresh, tmp_path):
    fresh.setenv(compiling.VARIABLE, str(tmp_path / "cache"))
    assert not compiling.is_compiling()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    compiling.cache_folder().mkdir(parents=True)
    (compiling.cache_folder() / f"compiling-{child.pid}").touch()
    assert compiling.is_compiling()
    os.utime(compiling.cache_folder() / f"compiling-{child.pid}", (0, 0))  # another process has its number now
    assert not compiling.is_compiling()
    (compiling.cache_folder() / f"compiling-{child.pid}").touch()
    assert compiling.is_compiling()
    child.communicate(b"\n")
    assert not compiling.is_compiling()


def test_no_command_waits_for_what_another_one_compiles(fresh, tmp_path):
    fresh.setenv(compiling.VARIABLE, str(tmp_path / "cache"))
    compiling.cache_folder().mkdir(parents=True)
    (compiling.cache_folder() / f"compiling-{os.getppid()}").touch()  # alive, and not below this process
    assert not compiling.is_compiling()


@pytest.mark.parametrize(("writable", "place"), [("home", "home/pmtwin"), ("temporary", "temporary/pmtwin-{}")])
def test_an_installation_that_is_not_writable_uses_another_folder(fresh, tmp_path, writable, place):
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    fresh.setattr(compiling.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    fresh.setattr(compiling.os, "access", lambda path, mode: Path(path).is_relative_to(tmp_path / writable))
    assert compiling.cache_folder().parent == tmp_path / place.format(os.getuid())


def test_only_the_latest_caches_stay(fresh, tmp_path):
    fresh.setenv(compiling.VARIABLE, str(tmp_path / "cache"))
    names = [f"{compiling.PREFIX}{number:016x}" for number in range(compiling.KEPT + 3)]
    for age, name in enumerate(names):
        (tmp_path / "cache" / name).mkdir(parents=True)
        os.utime(tmp_path / "cache" / name, (1000 - age, 1000 - age))
    (tmp_path / "cache" / "pmtwin-mine").mkdir()
    compiling.cache_folder()
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [*names[: compiling.KEPT], "pmtwin-mine"]


def shipped(room) -> str:
    """Code that takes a folder of the test for that beside the sources."""
    return ROOM + f"compiling.SHIPPED = Path({str(room.parent / 'shipped')!r})\n"


def test_what_somebody_else_compiled_is_read_and_what_it_lacks_is_kept_apart(room):
    lacks = "from room.outer import outer\nprint(outer()); "
    both = lacks + "from room.inner import value; print(value())"
    named = {"NUMBA_CACHE_DIR": str(room.parent / "shipped")}
    run(room, shipped(room) + lacks, **named)
    before = sorted((room.parent / "shipped").rglob("*.nb?"))
    assert len(before) == 4  # of outer and of value, which it calls
    counted = "print(compiling.compilations())"
    environment = {"NUMBA_CACHE_DIR": str(room.parent / "own")}
    code = shipped(room) + "compiling.OURS = 'room.'\n"
    assert run(room, code + both + "; " + counted, **environment).split() == ["1", "1", "0"]
    assert not (room.parent / "own").exists() or not list((room.parent / "own").rglob("*.nb?"))
    for path in before:
        if "inner" in path.name:
            path.write_bytes(b"cut sh")  # an unreadable one is compiled anew, into the folder that the variable names
    assert run(room, code + both + "; " + counted, **environment).split() == ["1", "1", "1"]
    assert {path.name.split(".")[0] for path in (room.parent / "own").rglob("*.nb?")} == {"inner"}


def test_a_cache_that_was_cut_short_is_written_anew(room):
    run(room, ROOM + OUTER_ALONE)
    for path in (room.parent / "cache").rglob("*.nbi"):
        path.write_bytes(path.read_bytes()[:20])
    assert run(room, ROOM + OUTER_ALONE) == "1"
    counted = "\ncompiling.OURS = 'room.'\n" + OUTER_ALONE + ", print(compiling.compilations())"
    assert run(room, ROOM + counted).split() == ["1", "0"]


def test_code_for_another_processor_is_compiled_anew_and_that_is_said(room):
    run(room, ROOM + OUTER_ALONE)
    code = ROOM + "compiling.OURS = 'room.'\ncompiling.announce(print)\n" + OUTER_ALONE
    told = run(room, code, NUMBA_CPU_NAME="generic")
    assert "compiling what this command needs" in told and "compiled for another processor" in told


def test_a_temporary_folder_of_somebody_else_is_not_used(fresh, tmp_path):
    fresh.setattr(compiling.tempfile, "gettempdir", lambda: str(tmp_path))
    assert compiling._temporary() == tmp_path / f"pmtwin-{os.getuid()}"
    fresh.setattr(compiling.os, "getuid", lambda: 12345)
    (tmp_path / "pmtwin-12345").mkdir()
    assert compiling._temporary() is None
