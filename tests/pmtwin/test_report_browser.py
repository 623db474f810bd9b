"""Reports in a browser (Debian's Chromium; `make test-extra` installs it): nothing overflows, nothing is reported."""

import re
import shutil
import subprocess
from html import escape

import pytest

from pmtwin import cli

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed (make test-extra)")

FRAME = """<!doctype html><title>?</title><body>
<iframe id="page" style="border:0;width:{width}px;height:2000px" srcdoc="{page}"></iframe>
<script>window.onload = () => {{
  const root = document.getElementById("page").contentDocument.documentElement;
  document.title = `${{root.scrollWidth}} ${{root.scrollHeight}} ${{root.querySelectorAll("svg title").length}}`;
}};</script>"""
"""A page in a frame of its own width: a window of Chromium is 500 pixels wide or more."""


def opened(page: str, width: int, folder) -> tuple[int, int, int, str]:
    """Width and height of the content, values that show under the pointer, and what the browser's console says."""
    (folder / "frame.html").write_text(FRAME.format(width=width, page=escape(page)))
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    flags += ["--enable-logging=stderr", "--virtual-time-budget=5000", "--window-size=1400,2000", "--dump-dom"]
    command = [CHROMIUM, *flags, f"file://{folder / 'frame.html'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    across, down, values = map(int, re.search(r"<title>(\d+) (\d+) (\d+)</title>", done.stdout).groups())
    return across, down, values, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a small comparison."""
    folder = tmp_path_factory.mktemp("page")
    words = "evaluate nvm-middleware --policies threshold fixed:9,8 none --steps 20 --phase-steps 10 --seeds 2 --jobs 1"
    assert cli.main([*words.split(), "--requests-per-window", "200", "--report", str(folder)]) == 0
    return (folder / "index.html").read_text()


@pytest.mark.parametrize("width", [420, 1280])
def test_nothing_overflows_and_the_console_is_silent(page, width, tmp_path):
    across, down, values, console = opened(page, width, tmp_path)
    assert across <= width and down > 500
    assert values > 50
    assert console == ""


def test_an_overflow_and_an_error_would_be_seen(tmp_path):
    broken = "<div style='width:900px'>wide</div><script>undefined_name()</script>"
    across, _, _, console = opened(broken, 420, tmp_path)
    assert across >= 900 and "undefined_name" in console
