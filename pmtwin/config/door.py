"""The door of a command: one checked configuration of defaults, `--config`, `--set` and options, later ones first."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from pmtwin.config.arguments import add_arguments, assigned_values, given_values, required_missing
from pmtwin.config.files import file_values, read_config
from pmtwin.config.keys import Key, Keys
from pmtwin.config.meant import option_meant
from pmtwin.config.nouns import flag_of
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.scenario_named import SCENARIO_FLAG, flags, flags_of, scenario_named
from pmtwin.config.shared import CommandConfig
from pmtwin.config.usage_errors import missing_arguments
from pmtwin.config.values import Given, Origin
from pmtwin.console.output import message
from pmtwin.scenarios.registry import FORM, load_scenario
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import build

SCENARIO, HELP_ALL = "SCENARIO", "--help-all"


def declare(
    parser: argparse.ArgumentParser,
    config: type[CommandConfig],
    words: Sequence[str] | None,
    examples: Sequence[str] = (),
) -> None:
    """Add the arguments of a command.

    Args:
        parser: parser of the command.
        config: dataclass of the command's options.
        words: words after the command, which may name a scenario; None: for help on all commands, without a scenario.
        examples: lines for the end of the help; a scenario adds its own.

    Raises:
        InputError: for an unknown scenario.
    """
    spec = scenario = None
    if issubclass(config, ScenarioConfig):
        names, flag = config.scenarios(), config.scenario_flag
        known = f"{', '.join(names)}, or {FORM}"
        spec = scenario_named(words or (), config)
        shown = spec or names[0]
        spec = shown if flag or config.scenario_optional else spec
        scenario = None if words is None else _loaded(shown, config)
        added = config.module_of(scenario) if scenario else None
        if added:
            parser.set_defaults(run=added.run)
        config = config.for_scenario(scenario) if scenario else config
        config = config.for_words(words or (), scenario)
        if flag:
            parser.add_argument(SCENARIO_FLAG, default=spec, metavar=SCENARIO, help=f"{known} (default: {spec})")
        else:
            taken = set() if config.scenario_optional or scenario is None else flags(scenario, config)
            noun = "" if scenario is None else flag_of(scenario.settings.noun)
            hint = f"; not needed with an option only it has, such as {noun}" if noun in taken else ""
            hint = f" (default: {shown})" if config.scenario_optional else hint
            parser.add_argument("scenario", nargs="?", metavar=SCENARIO, help=f"{known}{hint}")
        if not spec:
            parser.description = f"{parser.description}. Options of {shown}; another scenario: SCENARIO --help."
    keys = Keys(config, scenario)
    everything = words is None or HELP_ALL in words
    left_out = add_arguments(parser, keys, everything)
    parser.add_argument(HELP_ALL, action="help", help="show the help with every option and exit")
    scenario_examples = scenario.examples.get(config.command, ()) if scenario else ()
    parser.epilog = _end(parser, left_out, (*examples, *scenario_examples))
    parser.set_defaults(door=Door(keys, spec, parser))


def _loaded(spec: str, config: type[ScenarioConfig]) -> type[Scenario]:
    try:
        return load_scenario(spec)
    except InputError as error:
        meant = option_meant(spec, flags_of(config))
        raise InputError(error.field, spec, f"{error.allowed}{meant}", error.where, error.wrong) from error


def _end(parser: argparse.ArgumentParser, left_out: int, examples: Sequence[str]) -> str:
    """The text below the options: examples, the parser's epilog, and the number of options that are not shown."""
    hint = [f"{left_out} more options: {parser.prog} {HELP_ALL}"] if left_out else []
    lines = [f"  {example}" for example in examples]
    lines = ["examples:", *lines] if lines else []
    return "\n\n".join(filter(None, ("\n".join(lines), parser.epilog, *hint)))


def refuse_excluded(values: Mapping[tuple, Given]) -> None:
    """Raise `InputError` for two given options that exclude each other."""
    by_name = {
        given.key.leaf.name: given for given in values.values() if given.value is not None and given.value is not False
    }
    for given in values.values():
        for name in given.key.leaf.about.excludes:
            if name in by_name:
                reason = f"does not go with {by_name[name].origin.name}; remove one of the two"
                raise ConflictError(given.origin.name, given.value, reason)


def refuse_without_use(given: Iterable[Given], config: CommandConfig) -> None:
    """Raise `InputError` for a given option that has no effect (`CommandConfig.without_use`).

    A default value in a file does not count as given, since the result of an earlier run has all options.
    """
    of_command, of_scenario = config.without_use(), config.scenario_without_use()
    for key, value, (name, where) in given:
        counts = value is not None and (where is None or value != key.leaf.default)
        reason = of_scenario.get(key.leaf.name) if key.of_scenario else of_command.get(key.leaf.path[0])
        if counts and reason:
            single = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
            raise ConflictError(name, single, reason, where)


class Door:
    """Builds a command's configuration, and knows the user's names for its options.

    Args:
        keys: options of the command and its scenario.
        spec: spec of the scenario; None if the user has named none.
        parser: parser of the command line; None if Python calls the command.

    Attributes:
        origins: name of an option in the library -> its origin in the user's input.
        given: values that the user gave.
    """

    def __init__(self, keys: Keys, spec: str | None, parser: argparse.ArgumentParser | None = None):
        self.parser, self.keys, self.spec = parser, keys, spec
        self.origins: dict[str, Origin] = {}
        self.given: tuple[Given, ...] = ()

    def configuration(self, args: argparse.Namespace) -> CommandConfig:
        """The configuration from parsed arguments, with the file of `--config`.

        Raises:
            InputError: for a value that is not accepted, under the user's name for the option.
        """
        keys, file = self.keys, read_config(args.config) if args.config else None
        self._check_scenario()
        values = file_values(file, keys) if file else {}
        words = assigned_values(args.assignments, keys) | given_values(args, keys)
        refuse_excluded(words)
        missing = required_missing(keys, values | words)
        if keys.scenario is not None and self._scenario(args) is None:
            missing.insert(0, SCENARIO)
        if missing:
            known = ", for instance nvm-middleware (pmtwin list scenarios)" if missing == [SCENARIO] else ""
            self._fail(f"{missing_arguments(missing)}{known}")
        config = self.built(values | words)
        if file and not file.values and file.scenario is None:
            message(f"note: --config {file.path} holds no settings; options that are not given are at their defaults")
        return config

    def built(self, values: Mapping[tuple, Given]) -> CommandConfig:
        """The configuration from given values.

        Raises:
            InputError: for a value that is not accepted, under the user's name for the option.
        """
        self.origins = {
            name: Origin(key.flag if self.parser else key.leaf.name) for key in self.keys for name in self._names(key)
        }
        self.given = tuple(values.values())
        for given in self.given:
            self.origins |= dict.fromkeys(self._names(given.key), given.origin)
        with self.renaming():
            config = self._build(values)
            refuse_without_use(self.given, config)
        return config

    @contextmanager
    def renaming(self) -> Iterator[None]:
        """Context manager whose errors have the user's names for options."""
        try:
            yield
        except InputError as error:
            raise self.renamed(error) from error

    def renamed(self, error: InputError) -> InputError:
        """The error under the user's name for the option: the option itself, `--set KEY`, or a key of a file."""
        if error.where is not None:
            return error
        origin, value = self.origins.get(error.field), error.value
        if origin is None:  # the field may be a group of options
            member = next((given for given in self.given if error.field in given.key.leaf.path[:-1]), None)
            if member is None:
                return error
            origin, value = member.origin, member.value
        return error.renamed(origin.name, origin.where, value)

    def _names(self, key: Key) -> set[str]:
        """Names of the option in errors of the library."""
        if key.entry is not None:
            return {key.entry}
        nouns = {key.leaf.name, key.flag.removeprefix("--").replace("-", "_")}
        if self.keys.scenario is not None and not key.of_scenario and key.leaf.name in ("context", "contexts"):
            nouns |= {self.keys.scenario.contexts.noun, self.keys.scenario.contexts.plural}
        return nouns | {key.path}

    def _check_scenario(self) -> None:
        """Raise `InputError` if the scenario lacks a capability that the command requires; before other errors."""
        config, scenario = self.keys.config, self.keys.scenario
        if issubclass(config, ScenarioConfig) and scenario is not None and self.spec is not None:
            config.check_scenario(scenario)

    def _scenario(self, args: argparse.Namespace) -> str | None:
        if args.scenario not in (None, self.spec):
            self._fail(f"the scenario comes first: {args.scenario}")
        return self.spec

    def _build(self, values: Mapping[tuple, Given]) -> CommandConfig:
        parts: dict[bool, dict] = {False: {}, True: {}}
        for (of_scenario, path, entry), given in values.items():
            if entry is None:
                parts[of_scenario][path] = given.value
        for (of_scenario, path, entry), given in values.items():
            if entry is not None:
                parts[of_scenario].setdefault(path, {})[entry] = given.value
        config, scenario = self.keys.config, self.keys.scenario
        if issubclass(config, ScenarioConfig) and scenario is not None:
            return build(config, parts[False], **config.of_scenario(scenario, parts[True], parts[False]))
        return build(config, parts[False])

    def _fail(self, message: str) -> NoReturn:
        assert self.parser is not None  # only the command line calls `configuration`
        self.parser.error(message)
