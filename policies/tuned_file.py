"""Files of policies with tuned parameters: npz with the policy's name and options, and nothing that runs."""

from __future__ import annotations

from pathlib import Path

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.npz_file import read_npz, write_npz
from pmtwin.policies.registry import policy_class, policy_names
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, build, plain

FORMAT, SCHEMA = "pmtwin-tuned", 1
ALLOWED = "parameters found by pmtwin train"


def save_tuned(path: str | Path, policy: str, options: Options, origin: dict) -> Path:
    """Write the name of a registered policy, its options and their origin.

    Raises:
        InputError: if the path cannot be written.
    """
    header = {"format": FORMAT, "schema": SCHEMA, "policy": policy, "options": plain(options), "origin": origin}
    return write_npz(path, header, {})


def load_tuned(path: str | Path) -> tuple[type, Options, dict]:
    """(class of the policy, its options, origin).

    Raises:
        InputError: if the file is absent, unreadable, of another kind or schema, or names another policy or options.
    """
    header, _ = read_npz(path, FORMAT, SCHEMA, ALLOWED)
    name, options = header.get("policy"), header.get("options")
    # registered names only: importing a user's class would run its code
    if name not in policy_names() or not isinstance(options, dict):
        raise InputError(FIELD, str(path), f"{ALLOWED} for a registered policy; this file names {name}")
    cls = policy_class(name)
    try:
        return cls, build(cls.Takes, options), header.get("origin", {})
    except InputError as error:
        raise error.renamed(error.field, str(path)) from error
