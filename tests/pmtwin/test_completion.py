"""What a shell completes after `eval "$(pmtwin completion bash)"`."""

import shutil
import subprocess

import pytest

from pmtwin.cli import main
from pmtwin.commands import SUMMARIES
from pmtwin.completion import completion_script

WORDS = [
    (["pmtwin", "sim"], {"simulate"}),
    (["pmtwin", "simulate", "two"], {"two-tier"}),
    (["pmtwin", "simulate", "--pool"], {"--pools", "--pool-mib"}),
    (["pmtwin", "simulate", "--engine", "comp"], {"compiled"}),
    (["pmtwin", "plan", "nvm"], set()),
    (["pmtwin", "doctor", "--help"], {"--help", "--help-all"}),
]


@pytest.fixture(scope="module")
def scripts():
    """Shell -> script."""
    return {shell: completion_script(shell) for shell in ("bash", "zsh")}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("words", "replies"), WORDS, ids=[" ".join(words) for words, _ in WORDS])
def test_bash_completes_commands_scenarios_options_and_values(scripts, words, replies):
    line = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _pmtwin; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", scripts["bash"] + line], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == replies and done.stderr == ""


def test_zsh_runs_the_function_of_bash(scripts):
    assert scripts["zsh"].endswith(scripts["bash"]) and "bashcompinit" in scripts["zsh"]
    assert [name for name in SUMMARIES if name not in scripts["zsh"]] == []


def test_an_unknown_shell_is_refused(capsys):
    assert main(["completion", "fish"]) == 2
    assert "'fish'" in capsys.readouterr().err
