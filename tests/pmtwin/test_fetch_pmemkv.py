"""scripts/fetch-pmemkv where it cannot do its work: the build goes on, and nothing half-made is left behind."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "fetch-pmemkv"


@pytest.fixture
def fetch(tmp_path):
    """Runs a copy of the script, with nothing of Debian's to be reached."""
    copy = tmp_path / "scripts" / SCRIPT.name
    copy.parent.mkdir()
    shutil.copy2(SCRIPT, copy)
    environment = os.environ | {"PMTWIN_DEBIAN_MIRROR": "file:/absent/debian", "PMTWIN_PMEMKV_PACKAGES": "1"}

    def run(*arguments):
        return subprocess.run(
            ["bash", copy, *arguments], capture_output=True, text=True, env=environment, timeout=60, check=False
        )

    return run


def test_without_packages_the_build_goes_on(fetch, tmp_path):
    done = fetch()
    assert done.returncode == 0
    assert "pmemkv is left out: " in done.stderr
    assert {file.name for file in tmp_path.glob(".deps/*")} <= {".lock"}


def test_who_needs_pmemkv_learns_of_its_absence(fetch):
    assert fetch("--require").returncode == 3


def test_an_unknown_option_is_refused(fetch):
    done = fetch("--force")
    assert done.returncode == 2
    assert "usage" in done.stderr


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt-get on this machine")
def test_a_download_that_is_not_debians_is_not_unpacked(fetch, tmp_path):
    tool = tmp_path / "tools" / "apt-get"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\ncase "$*" in *download*) echo forged > libpmemkv1_1.4-1_amd64.deb;; esac\n')
    tool.chmod(0o755)
    path = f"{tool.parent}:{os.environ['PATH']}"
    environment = os.environ | {"PMTWIN_PMEMKV_PACKAGES": "1", "PATH": path}
    script = tmp_path / "scripts" / SCRIPT.name
    done = subprocess.run(["bash", script], capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert "not what Debian 11 had" in done.stderr
    assert not (tmp_path / ".deps" / "pmemkv").exists()
