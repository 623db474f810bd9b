"""Configuration of commands: options, files and `--set` become one typed object, parsed and checked once.

A command declares a dataclass of options, `Config`; commands that run a scenario derive it from `ScenarioConfig`. These
dataclasses determine the arguments and their help (`arguments`), the keys of files and of `--set` (`keys`), the checked
configuration (`door`) and its record, which `--config` reads again (`record`). Options of several commands are defined
once, in `shared`.
"""
