"""From words to one typed configuration: options, files and `--set`, parsed and checked once, at the door.

A command declares a dataclass of options, `Config`; one that runs a scenario derives it from `ScenarioConfig`. From
these dataclasses come the arguments and their help (`arguments`), the keys of files and of `--set` (`keys`), the
configuration that the command is given (`door`) and its record, which `--config` reads again (`record`). Options that
several commands have stand once, in `shared`.
"""
