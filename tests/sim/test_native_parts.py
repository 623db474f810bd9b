"""Where the native parts are looked for, and what a user is told who has none."""

from pathlib import Path

from pmtwin.sim import native_parts


def test_a_checkout_has_them_below_its_top(monkeypatch):
    monkeypatch.delenv(native_parts.VARIABLE, raising=False)
    assert native_parts.native_folder() == Path(__file__).resolve().parents[2] / "build" / "native"
    assert native_parts.how_to_get("X").startswith("`make build` builds it where X are installed")


def test_an_installation_by_pip_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.delenv(native_parts.VARIABLE, raising=False)
    monkeypatch.setattr(native_parts, "CHECKOUT", tmp_path)
    instructions = native_parts.how_to_get("a compiler and CMake")
    assert "run `make build` in a checkout of pmtwin, where a compiler and CMake are installed" in instructions
    assert "set PMTWIN_NATIVE" in instructions


def test_the_variable_names_another_build(monkeypatch, tmp_path):
    monkeypatch.setenv(native_parts.VARIABLE, str(tmp_path))
    assert native_parts.native_folder() == tmp_path
    assert native_parts.how_to_get("X").startswith(f"PMTWIN_NATIVE: {str(tmp_path)!r} lacks it; allowed: the folder")
