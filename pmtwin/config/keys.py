"""The keys of a command: its own options and those of its scenario, by name, by path, and by the scenario's nouns."""

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
"""What every command has besides."""


class Key(NamedTuple):
    """One option.

    Fields:
        of_scenario: whether it is the scenario's; otherwise the command's.
        leaf: the option.
        entry: key within a mapping whose keys are options (`Option.open`).
        alone: whether the scenario calls an option of its own by the field's name, which then means that option.
    """

    of_scenario: bool
    leaf: Leaf
    entry: str | None = None
    alone: bool = False

    @property
    def id(self) -> tuple[bool, str, str | None]:
        """What two mentions of the same option have in common."""
        return (self.of_scenario, self.path, self.entry)

    @property
    def path(self) -> str:
        """Dotted path of the option in its dataclass."""
        return ".".join(self.leaf.path)

    @property
    def meant(self) -> Leaf:
        """What is given under the key: the option, or of an open mapping the entry, a value of the mapping's type."""
        if self.entry is None:
            return self.leaf
        parameters = typing.get_args(self.leaf.kind)
        kind: Any = parameters[1] if len(parameters) == 2 else str
        return Leaf((*self.leaf.path, self.entry), kind, False, None, Option())

    def is_everyday(self, config: type[CommandConfig], scenario: type[Scenario] | None) -> bool:
        """Whether `--help` shows it; the rest is for `--help-all`."""
        if not config.everyday or self.leaf.about.positional or self.leaf.default is MISSING:
            return True
        names = (*config.everyday, *(scenario.everyday if scenario is not None and self.of_scenario else ()))
        return self.leaf.name in names

    @property
    def names(self) -> list[str]:
        """Its name, and every end of its path: `twin.native.store`, `native.store`, `store`."""
        return [".".join(self.leaf.path[k:]) for k in range(len(self.leaf.path))]

    @property
    def flag(self) -> str:
        """As the command line calls it: an option, or the word in its place."""
        about = self.leaf.about
        return (about.metavar or self.leaf.name.upper()) if about.positional else about.flag or flag_of(self.leaf.name)

    @property
    def flags(self) -> tuple[str, ...]:
        """All that the command line calls it: beside the noun of the scenario the field's own name."""
        about = self.leaf.about
        if self.leaf.kind is bool and self.leaf.default is True:
            return (f"--no-{self.flag.removeprefix('--')}",)
        generic = () if self.of_scenario or about.positional or self.alone else (flag_of(self.leaf.name),)
        return tuple(dict.fromkeys((*filter(None, [about.short]), self.flag, *generic)))


class Keys:
    """All keys of a command.

    Args:
        config: the command's dataclass.
        scenario: that it runs; None if it runs none, or none is named yet.

    Raises:
        InputError: if two options have the same name: one of the scenario's, or one that is called by its nouns.
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
            allowed = f"nouns and options named otherwise than {self.config.command} has: {', '.join(twice)}"
            raise InputError("scenario", scenario.spec, allowed)

    @cached_property
    def _all(self) -> tuple[Key, ...]:
        by_owner = sorted(_each_once(self.config), key=lambda leaf: leaf.path[0] not in self.config.__annotations__)
        others = leaves(self.scenario.Options) if self.scenario else ()
        of_scenario = [Key(True, leaf) for leaf in others if leaf.name not in self.config.replaced]
        named = {key.flag for key in of_scenario}
        keys = [
            Key(False, in_nouns(leaf, self.scenario), alone=flag_of(leaf.name) in named) for leaf in by_owner
        ]  # what only this command has comes first
        return (*keys, *of_scenario)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._all)

    def find(self, name: str, field: str, where: str | None = None) -> Key:
        """The key of that name: an option, its path, or what an open mapping takes (`cores`, `parameters.cores`).

        Raises:
            InputError: naming `field`, and the nearest known name.
        """
        key = self._by_name.get(name.replace("-", "_"))
        if key is not None:
            return key
        head, _, entry = name.rpartition(".")
        today = next((key for key in self if entry.replace("-", "_") == key.leaf.about.formerly), None)
        if today is not None and entry:
            raise InputError(field, name, ".".join(filter(None, (head, today.leaf.name))), where, wrong=RENAMED)
        opened = [key for key in self if key.leaf.about.open]
        for key in opened:
            names = key.leaf.about.names()
            if entry and head in ("", *key.names) and (entry in names or not names):
                return key._replace(entry=entry)
        known = {*self._by_name, *(each for key in opened for each in key.leaf.about.names())}
        if head:
            known |= {f"{head}.{each}" for key in opened if head in key.names for each in key.leaf.about.names()}
        option = f"an option (pmtwin {self.config.command} --help-all)"
        allowed = [option, *(f"an entry of {key.leaf.name}" for key in opened)]
        raise unknown_name(field, name, known, where, shown=[" or ".join(allowed)])

    def holds(self, prefix: str) -> bool:
        """Whether options lie below this path, be they those of an alternative group that is not meant."""
        opened = (name for key in self if key.leaf.about.open for name in key.names)
        return (
            prefix in opened
            or prefix in groups(self.config)
            or any(name.startswith(f"{prefix}.") for key in self for name in key.names)
        )


def _each_once(config: type[CommandConfig]) -> list[Leaf]:
    """The options of a command; of those of one name in alternative groups, that of the group that is meant."""
    by_name: dict[str, Leaf] = {}
    for leaf in leaves(config):
        if leaf.name not in by_name or leaf.path[0] == config.meant:
            by_name[leaf.name] = leaf
    return [leaf for leaf in leaves(config) if by_name[leaf.name] is leaf]
