"""Where the native parts are looked for, and what a user is told who has none."""

from pathlib import Path

import pytest

from pmtwin.sim.common import native_parts


def test_a_checkout_has_them_below_its_top(monkeypatch):
    monkeypatch.delenv(native_parts.VARIABLE, raising=False)
    assert native_parts.native_folder() == Path(__file__).resolve().parents[3] / "build" / "native"


def test_a_checkout_that_was_not_built_says_what_builds_them(monkeypatch, tmp_path):
    (tmp_path / "Makefile").touch()
    monkeypatch.delenv(native_parts.VARIABLE, raising=False)
    monkeypatch.setattr(native_parts, "CHECKOUT", tmp_path)
    assert native_parts.how_to_get("X").startswith("`make build` builds it where X are installed")


def test_an_installation_by_pip_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.delenv(native_parts.VARIABLE, raising=False)
    monkeypatch.setattr(native_parts, "CHECKOUT", tmp_path)
    instructions = native_parts.how_to_get("a compiler and CMake")
    assert "run `make build` in a checkout of pmtwin, where a compiler and CMake are installed" in instructions
    assert "set PMTWIN_NATIVE" in instructions


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """The folder that PMTWIN_NATIVE names, which is not there yet."""
    monkeypatch.setenv(native_parts.VARIABLE, str(tmp_path / "native"))
    return tmp_path / "native"


def test_the_variable_names_another_build(folder):
    assert native_parts.native_folder() == folder
    assert f"PMTWIN_NATIVE: {str(folder)!r} is no folder; allowed: the folder" in native_parts.how_to_get("X")
    folder.mkdir()
    assert f"{str(folder)!r} has no native parts; allowed: the folder" in native_parts.how_to_get("X")


@pytest.mark.parametrize("part", ["pmtwin-probe", "_pmtwin_native.cpython-311-x86_64-linux-gnu.so"])
def test_a_build_that_was_not_finished_is_to_be_finished(folder, part):
    folder.mkdir()
    (folder / part).touch()
    (folder / "CMakeCache.txt").write_text("A:B=C\nCMAKE_HOME_DIRECTORY:INTERNAL=/home/me/pmtwin\n")
    said = native_parts.how_to_get("X")
    assert said.startswith(f"{folder} has native parts, but not this one; run `make build` in /home/me/pmtwin")


def test_what_a_build_left_out_is_told_with_its_reason(folder):
    folder.mkdir()
    (folder / "pmtwin-act").touch()
    folder.with_name("native-left-out").write_text("the probe: needs libnuma-dev\n")
    assert "`make build` left out the probe: needs libnuma-dev; run it in" in native_parts.how_to_get("X")
