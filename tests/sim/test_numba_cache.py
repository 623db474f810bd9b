"""The cache of compiled functions never serves what an edit of another file has made stale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pmtwin.sim import numba_cache

OUTER = "from numba import njit\nfrom room.inner import value\n@njit(cache=True)\ndef outer():\n    return value()\n"
INNER = "from numba import njit\n@njit(cache=True)\ndef value():\n    return {}\n"


@pytest.fixture
def room(tmp_path):
    """A package whose compiled `outer` inlines a function of another file, which returns 1."""
    folder = tmp_path / "room"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "outer.py").write_text(OUTER)
    (folder / "inner.py").write_text(INNER.format(1))
    return folder


def run_outer(room: Path, first: str) -> str:
    """What `outer()` returns in a fresh process that runs the statement `first` before anything is compiled."""
    code = f"from pathlib import Path; {first}; from room.outer import outer; print(outer())"
    path = os.pathsep.join([str(room.parent), str(numba_cache.TOP)])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(room.parent / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_an_edit_in_another_file_reaches_the_cached_function(room):
    ours = f"from pmtwin.sim.numba_cache import use_own_folder; use_own_folder([Path({str(room)!r})])"
    assert run_outer(room, ours) == "1"
    (room / "inner.py").write_text(INNER.format(2))
    assert run_outer(room, ours) == "2"


def test_numba_alone_would_serve_the_stale_one(room):
    assert run_outer(room, "pass") == "1"
    (room / "inner.py").write_text(INNER.format(2))
    assert run_outer(room, "pass") == "1"


def test_digest_changes_with_compiled_sources_only(room):
    before = numba_cache.source_digest([room])
    (room / "plain.py").write_text("x = 1\n")
    assert numba_cache.source_digest([room]) == before
    (room / "plain.py").write_text("import numba\n")
    assert numba_cache.source_digest([room]) != before


@pytest.fixture
def environment(monkeypatch):
    monkeypatch.setitem(os.environ, numba_cache.VARIABLE, "")
    monkeypatch.setitem(sys.modules, "numba", None)  # so that the numba of this process keeps its folder
    monkeypatch.delitem(sys.modules, "numba")
    return monkeypatch


def test_a_folder_that_the_user_named_is_respected(environment, room):
    environment.setenv(numba_cache.VARIABLE, "/var/cache/mine")
    folder = numba_cache.use_own_folder([room])
    assert folder.parent == Path("/var/cache/mine")
    assert os.environ[numba_cache.VARIABLE] == str(folder)


def test_a_child_process_uses_the_folder_of_its_parent(environment, room):
    first = numba_cache.use_own_folder([room])
    assert numba_cache.use_own_folder([room]) == first
    assert first.parent == Path(numba_cache.__file__).parent / "__pycache__"


def test_the_cache_is_cold_until_something_is_kept(environment, room, tmp_path):
    environment.setenv(numba_cache.VARIABLE, str(tmp_path / "cache"))
    folder = numba_cache.use_own_folder([room])
    assert numba_cache.is_cold()
    folder.mkdir(parents=True)
    assert not numba_cache.is_cold()


def test_an_installation_that_is_not_writable_uses_the_home_folder(environment, room, tmp_path):
    environment.setenv("XDG_CACHE_HOME", str(tmp_path))
    environment.setattr(numba_cache.os, "access", lambda path, mode: Path(path) == tmp_path)
    assert numba_cache.use_own_folder([room]).parent == tmp_path / "pmtwin"


def test_only_the_latest_caches_stay(environment, room, tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, numba_cache.VARIABLE, str(tmp_path / "cache"))
    names = [f"{numba_cache.PREFIX}{number:016x}" for number in range(numba_cache.KEPT + 3)]
    for age, name in enumerate(names):
        (tmp_path / "cache" / name).mkdir(parents=True)
        os.utime(tmp_path / "cache" / name, (1000 - age, 1000 - age))
    (tmp_path / "cache" / "pmtwin-mine").mkdir()
    numba_cache.use_own_folder([room])
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [*names[: numba_cache.KEPT], "pmtwin-mine"]
