"""Options as dataclass fields: one declaration feeds the check, the command line, its help, files and the record."""

from pmtwin.sim.options.declared import (
    MISSING,
    NONE,
    RENAMED,
    Leaf,
    NoOptions,
    Option,
    Options,
    build,
    check_value,
    groups,
    leaves,
    option,
    option_again,
    plain,
)

__all__ = [
    "MISSING",
    "NONE",
    "RENAMED",
    "Leaf",
    "NoOptions",
    "Option",
    "Options",
    "build",
    "check_value",
    "groups",
    "leaves",
    "option",
    "option_again",
    "plain",
]
