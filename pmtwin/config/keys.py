"""Keys of a command: its options and those of its scenario, by name, by path, and by the scenario's nouns."""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Iterator
from dataclasses import MISSING
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pmtwin.config.nouns import flag_of, in_nouns, noun_of
from pmtwin.config.shared import CommandConfig
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.options import RENAMED, Leaf, Option, groups, leaves

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


RESERVED = ("--set", "--config", "--help", "--help-all", "-h", "--scenario")
"""Options that every command has and no dataclass declares."""


class Key(NamedTuple):
    """One option.

    Fields:
        of_scenario: whether it is an option of the scenario; otherwise it is one of the command.
        leaf: the option.
        entry: key of an entry, if the option is a mapping whose keys are options (`Option.open`).
        alone: whether the field's name means an option of the scenario, so that this option has only its other name.
    """

    of_scenario: bool
    leaf: Leaf
    entry: str | None = None
    alone: bool = False

    @property
    def id(self) -> tuple[bool, str, str | None]:
        """Identity of the option, however a user names it."""
        return (self.of_scenario, self.path, self.entry)

    @property
    def path(self) -> str:
        """Dotted path of the option in its dataclass."""
        return ".".join(self.leaf.path)

    @property
    def meant(self) -> Leaf:
        """The option that a value is for: the option itself, or the entry of an open mapping."""
        if self.entry is None:
            return self.leaf
        parameters = typing.get_args(self.leaf.kind)
        kind: Any = parameters[1] if len(parameters) == 2 else str
        return Leaf((*self.leaf.path, self.entry), kind, False, None, Option())

    def is_everyday(self, config: type[CommandConfig], scenario: type[Scenario] | None) -> bool:
        """Whether `--help` shows the option; `--help-all` shows all."""
        if not config.everyday or self.leaf.about.positional or self.leaf.default is MISSING:
            return True
        names = (*config.everyday, *(scenario.everyday if scenario is not None and self.of_scenario else ()))
        return self.leaf.name in names

    @property
    def names(self) -> list[str]:
        """Its path and all ends of it: `twin.native.store`, `native.store`, `store`."""
        return [".".join(self.leaf.path[k:]) for k in range(len(self.leaf.path))]

    @property
    def flag(self) -> str:
        """Its name on the command line: a flag, or the placeholder of a positional argument."""
        about = self.leaf.about
        return (about.metavar or self.leaf.name.upper()) if about.positional else about.flag or flag_of(self.leaf.name)

    @property
    def flags(self) -> tuple[str, ...]:
        """All its flags: the short one, the flag by the scenario's noun, and the flag by the field's name."""
        about = self.leaf.about
        if self.leaf.kind is bool and self.leaf.default is True:
            return (f"--no-{self.flag.removeprefix('--')}",)
        generic = () if self.of_scenario or about.positional or self.alone else (flag_of(self.leaf.name),)
        return tuple(dict.fromkeys((*filter(None, [about.short]), self.flag, *generic)))


class Keys:
    """All keys of a command.

    Args:
        config: dataclass of the command's options.
        scenario: scenario that the command runs; None if there is none, or none is named yet.

    Raises:
        InputError: if two options have the same flag, by an option or a noun of the scenario.
    """

    def __init__(self, config: type[CommandConfig], scenario: type[Scenario] | None = None):
        self.config, self.scenario = config, scenario
        self._by_name = {name: key for key in self for name in key.names}
        self._by_name |= {noun_of(key.leaf.name, scenario): key for key in self if not key.of_scenario}
        if scenario is not None:
            self._check_flags(scenario)

    def _check_flags(self, scenario: type[Scenario]) -> None:
        flags = Counter(flag for key in self for flag in key.flags)
        flags.update(RESERVED)
        twice = sorted(flag for flag, count in flags.items() if count > 1)
        if twice:
            allowed = f"other names of nouns and options than those of {self.config.command}: {', '.join(twice)}"
            raise InputError("scenario", scenario.spec, allowed)

    @cached_property
    def _all(self) -> tuple[Key, ...]:
        by_owner = sorted(_each_once(self.config), key=lambda leaf: leaf.path[0] not in self.config.__annotations__)
        scenario_leaves = leaves(self.scenario.Options) if self.scenario else ()
        of_scenario = [Key(True, leaf) for leaf in scenario_leaves if leaf.name not in self.config.replaced]
        taken = {key.flag for key in of_scenario}
        # options that only this command has come first
        keys = [Key(False, in_nouns(leaf, self.scenario), alone=flag_of(leaf.name) in taken) for leaf in by_owner]
        return (*keys, *of_scenario)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._all)

    def find(self, name: str, field: str, where: str | None = None) -> Key:
        """The key with a name: an option, its path, or an entry of an open mapping (`cores`, `parameters.cores`).

        Args:
            name: name to look up.
            field: field of the error.
            where: file of the error.

        Raises:
            InputError: for an unknown name, with the nearest known one.
        """
        key = self._by_name.get(name.replace("-", "_"))
        if key is not None:
            return key
        head, _, entry = name.rpartition(".")
        renamed = next((key for key in self if entry.replace("-", "_") == key.leaf.about.formerly), None)
        if renamed is not None and entry:
            raise InputError(field, name, ".".join(filter(None, (head, renamed.leaf.name))), where, wrong=RENAMED)
        opened = [key for key in self if key.leaf.about.open]
        for key in opened:
            names = key.leaf.about.names()
            if entry and head in ("", *key.names) and (entry in names or not names):
                return key._replace(entry=entry)
        known = {*self._by_name, *(entry_name for key in opened for entry_name in key.leaf.about.names())}
        if head:
            heads = [key for key in opened if head in key.names]
            known |= {f"{head}.{entry_name}" for key in heads for entry_name in key.leaf.about.names()}
        option = f"an option (pmtwin {self.config.command} --help-all)"
        allowed = [option, *(f"an entry of {key.leaf.name}" for key in opened)]
        raise unknown_name(field, name, known, where, shown=[" or ".join(allowed)])

    def holds(self, prefix: str) -> bool:
        """Whether options lie below this path, also those of an alternative group that is not chosen."""
        opened = (name for key in self if key.leaf.about.open for name in key.names)
        return (
            prefix in opened
            or prefix in groups(self.config)
            or any(name.startswith(f"{prefix}.") for key in self for name in key.names)
        )


def _each_once(config: type[CommandConfig]) -> list[Leaf]:
    """The options of a command; among options of the same name, the one of the chosen group (`CommandConfig.meant`)."""
    by_name: dict[str, Leaf] = {}
    for leaf in leaves(config):
        if leaf.name not in by_name or leaf.path[0] == config.meant:
            by_name[leaf.name] = leaf
    return [leaf for leaf in leaves(config) if by_name[leaf.name] is leaf]
