"""Shell completion: the words of the command line as a bash function, which zsh runs through `bashcompinit`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence

from pmtwin.config.scenario_config import ScenarioConfig

ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
"""What zsh needs to run a completion function of bash."""

FUNCTION = """_pmtwin() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words={commands}
  else
    case "$command $before" in
{values}
    esac
    if [ -z "$words" ]; then
      case "$current" in
        -*) case "$command" in
{options}
        esac ;;
        *) case "$command" in
{scenarios}
        esac ;;
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _pmtwin pmtwin
"""


def completion_script(shell: str) -> str:
    """The script that a shell reads to complete commands, scenarios, options and the values that have names.

    Args:
        shell: bash or zsh.
    """
    from pmtwin.commands import SUMMARIES

    options: dict[str, list[str]] = {}
    values: dict[str, list[str]] = {}
    scenarios: dict[str, list[str]] = {}
    for command in SUMMARIES:
        named = _parsers(command)
        scenarios[command] = [scenario for scenario in named if scenario]
        flags = (flag for parser in named.values() for action in parser._actions for flag in action.option_strings)
        options[command] = sorted({flag for flag in flags if flag.startswith("--")})
        for parser in named.values():
            for key in parser.get_default("door").keys:
                names = [] if key.leaf.about.open else key.leaf.about.names()
                for flag in key.flags if names and not key.leaf.about.positional else ():
                    values.setdefault(f"{command} {flag}", []).extend(map(str, names))
    text = FUNCTION.format(
        commands=shlex.quote(" ".join(SUMMARIES)),
        values=_cases(values, 6),
        options=_cases(options, 10),
        scenarios=_cases(scenarios, 10),
    )
    return (ZSH if shell == "zsh" else "") + text


def _parsers(command: str) -> Mapping[str, argparse.ArgumentParser]:
    """Scenario -> the parser of a command for it; "" -> the parser of a command that runs none."""
    from importlib import import_module

    from pmtwin.cli import build_parser

    config = import_module(f"pmtwin.commands.{command}").Config
    scenarios: Sequence[str] = config.scenarios() if issubclass(config, ScenarioConfig) else ("",)
    return {name: _subparser(build_parser(command, _naming(config, name)), command) for name in scenarios}


def _naming(config: type, scenario: str) -> list[str]:
    if not scenario:
        return []
    return ["--scenario", scenario] if config.scenario_flag else [scenario]


def _subparser(parser: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser:
    actions = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return next(actions).choices[command]


def _cases(words: Mapping[str, Sequence[str]], indent: int) -> str:
    """Branches of a `case` that set `words`."""
    lines = (
        f"{shlex.quote(pattern)}) words={shlex.quote(' '.join(dict.fromkeys(choices)))} ;;"
        for pattern, choices in words.items()
        if choices
    )
    return "\n".join(" " * indent + line for line in lines)
