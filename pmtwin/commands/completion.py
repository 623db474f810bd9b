"""Print the script by which a shell completes `pmtwin`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.config.shared import CommandConfig
from pmtwin.listing.completion import completion_script
from pmtwin.sim.options import option

EXAMPLES = (
    "pmtwin completion bash > ~/.local/share/bash-completion/completions/pmtwin",
    "pmtwin completion fish > ~/.config/fish/completions/pmtwin.fish",
    "pmtwin completion zsh > ~/.zfunc/_pmtwin    # and in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)",
)

SHELLS = ("bash", "fish", "tcsh", "zsh")


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig):
    """Options of `pmtwin completion`."""

    command: ClassVar[str] = "completion"
    shell: str = option(
        help="shell: bash, fish, tcsh or zsh", choices=SHELLS, metavar="SHELL", positional=True, recorded=False
    )


def run(config: Config) -> int:
    """Print the script; returns 0."""
    print(completion_script(config.shell), end="")
    return 0
