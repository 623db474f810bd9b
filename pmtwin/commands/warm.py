"""`pmtwin warm`: compile the simulator now, so that no command waits for it later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.config.shared import CommandConfig
from pmtwin.config.summaries import description
from pmtwin.console.output import counted, message
from pmtwin.console.progress import progress
from pmtwin.machine.warming import cases, commands, compiled_before, warm
from pmtwin.sim.compiling import functions as compiling
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.options import option

DESCRIPTION = description("warm", "; may be interrupted, and goes on where it was")
EXAMPLES = ("pmtwin warm", "pmtwin warm simulate evaluate")


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig):
    """Options of `pmtwin warm`."""

    command: ClassVar[str] = "warm"
    commands: tuple[str, ...] = option(
        (),
        f"commands to compile for (default: all): {', '.join(commands())}",
        metavar="COMMAND",
        positional=True,
        words="*",
    )

    def __post_init__(self):
        super().__post_init__()
        for name in self.commands:
            if name not in commands():
                raise unknown_name("COMMAND", name, commands())


def run(config: Config) -> int:
    """Compile what is not kept yet; returns 0, or 1 if some of it failed.

    Raises:
        InputError: there is no folder that could keep it.
    """
    folder = compiling.cache_folder()
    if folder is None:
        wrong = "cannot be kept: neither the sources' folder, the home nor the temporary folder can be written"
        allowed = f"{compiling.VARIABLE}=FOLDER, of a folder that can"
        raise InputError("compiled code", "of the simulator", allowed, wrong=wrong)
    done = compiled_before()
    lines = [line for line in cases(config.commands) if line not in done]
    if not lines:
        message(f"nothing to do: all is compiled, in {folder}")
        return 0
    faults = []
    with progress(desc="compile", total=len(lines), unit="command", alike=False) as bar:
        for line, fault in warm(lines):
            bar.update(1)
            if fault:
                faults.append(f"left out: pmtwin {line}: {fault}")
    for text in faults:
        message(text)
    message(f"compiled for {counted(len(lines) - len(faults), 'small command')}, in {folder}")
    return 1 if faults else 0
