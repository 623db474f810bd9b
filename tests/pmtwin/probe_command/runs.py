"""Runs of the command, and what they leave."""

from pmtwin import cli


def probe(folder, *more: str, path: str | None = None) -> int:
    words = ["probe", "--path", path or str(folder), "-o", str(folder / "p.json"), "--operations", "load", "--quick"]
    return cli.main([*words, *map(str, more)])


def listed(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
