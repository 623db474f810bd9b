"""What a shell completes after `eval "$(pmtwin completion bash)"`."""

import shutil
import subprocess

import pytest

from pmtwin.cli import main
from pmtwin.commands.completion import SHELLS
from pmtwin.config.summaries import SUMMARIES
from pmtwin.listing.completion import completion_script

WORDS = [
    (["pmtwin", "sim"], {"simulate"}),
    (["pmtwin", "simulate", "two"], {"two-tier"}),
    (["pmtwin", "simulate", "--pool"], {"--pools", "--pool-mib", "--pool-node"}),
    (["pmtwin", "simulate", "--engine", "comp"], {"compiled"}),
    (["pmtwin", "evaluate", "two-tier", "--model", ""], {"process", "whole"}),
    (["pmtwin", "train", "--optimiser", "a"], {"adam"}),
    (["pmtwin", "simulate", "--profile", "mi"], {"mine.json"}),
    (["pmtwin", "completion", "f"], {"fish"}),
    (["pmtwin", "plan", "nvm"], set()),
    (["pmtwin", "doctor", "--help"], {"--help", "--help-all"}),
]


@pytest.fixture(scope="module")
def scripts():
    """Shell -> script."""
    return {shell: completion_script(shell) for shell in SHELLS}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("words", "replies"), WORDS, ids=[" ".join(words) for words, _ in WORDS])
def test_bash_completes_commands_scenarios_options_and_values(scripts, words, replies, tmp_path):
    (tmp_path / "mine.json").touch()
    line = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _shtab_pmtwin; echo "${{COMPREPLY[@]}}"'
    command = ["bash", "-c", f"{scripts['bash']}\n{line}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert set(done.stdout.split()) == replies


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_knows_every_command(scripts, shell):
    assert [name for name in SUMMARIES if name not in scripts[shell]] == []


@pytest.mark.parametrize("shell", ["fish", "zsh"])
def test_a_shell_reads_its_script(scripts, shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(scripts[shell])
    assert subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True).stderr == ""


def test_an_unknown_shell_is_refused(capsys):
    assert main(["completion", "ksh"]) == 2
    assert "'ksh'" in capsys.readouterr().err
