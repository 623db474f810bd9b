"""Files that are none of what the commands read."""

import json
from pathlib import Path

HEADER = "operation,pattern,threads,access_size_bytes,dimms"
POINTS = {
    "headless": "",
    "rowless": HEADER,
    "column": f"{HEADER.replace('threads', 'thread')}\nload,random,4,256,6",
    "operation": f"{HEADER}\nlaod,random,4,256,6",
    "pattern": f"{HEADER}\nload,random,4,256,6\nload,randon,4,256,6",
    "negative": f"{HEADER}\nload,random,-4,256,6",
    "nan": f"{HEADER}\nload,random,nan,256,6",
    "text": f"{HEADER}\nload,random,four,256,6",
    "dimms": f"{HEADER}\nload,random,4,256,17",
    "truncated": f"{HEADER}\nload,random,4,2",
}
"""Name -> content of a file of points for `pmtwin predict`, each wrong in one way."""


COLUMNS = "media,task_type,operation,access_size,stride_size,threads,interleaving,avgpower,throughput"
ROW = "lpmem,RandBW,Load,64,64,1,1,10000,2323.4"
MEASUREMENTS = {
    "few": f"{COLUMNS}\n{ROW}",
    "no-throughput": f"{COLUMNS.removesuffix(',throughput')}\n{ROW.removesuffix(',2323.4')}",
    "cell": f"{COLUMNS}\n{ROW.replace('2323.4', 'fast')}",
    "task": f"{COLUMNS}\n{ROW.replace('RandBW', 'RandWB')}",
    "cut": f"{COLUMNS}\n{ROW}\n{ROW[:20]}",
}
"""Name -> content of a file of measurements for `pmtwin calibrate`, each wrong in one way."""


CONFIGS = {
    "keys.toml": "windoes = 3\n[twin]\nengin = 'simpy'\n",
    "range.toml": "seed = -1\n",
    "train.toml": "command = 'train'\n",
    "nowhere.toml": "scenario = 'nvm'\n",
    "old.json": '{"configuration": {"seed": 0}}',
    "broken.py": "Mine = Theirs\n",
    "syntax.py": "def load(:\n",
    "load.toml": "[interactive]\nclients = 4\n[batch]\nclients = 0\n",
    "unit.toml": "[interactive]\nclients = 4\nrate_ops = 280k\n",
    "twice.toml": "[interactive]\nclients = 4\n[interactive]\nclients = 5\n",
    "cut.toml": "read_sizes_bytes = [1, 2\n",
    "words.toml": "clients 4\n",
    "limit.toml": "[goals]\np99_us = 'fast'\n",
    "limits.toml": "goal = 200\n",
    "date.toml": "seed = 2026-01-01\n",
    "table.toml": "seed = {a = 1}\n",
    "load.json": "clients = 4\n",
    "comma.json": '{"a": 1,}',
    "key.toml": "rate ops = 280000\n",
    "twice-within.toml": "a = {b = 1, b = 2}\n",
    "digits.toml": f"seed = {'9' * 5000}\n",
    "deep.toml": f"seed = {'[' * 100_000}\n",
    "marked.toml": "\ufeffseed = -1\n",
}
"""Name -> content of a file for `--config`, or of a scenario or a workload, each wrong in one way or misplaced."""


def broken_files(folder: Path) -> None:
    """Write them all into a folder."""
    (folder / "empty").write_bytes(b"")
    (folder / "binary").write_bytes(bytes(range(256)) * 8)
    (folder / "truncated.json").write_text('{"schema": 1, "name": "x", "para')
    (folder / "list.json").write_text("[1, 2, 3]")
    (folder / "other.json").write_text(json.dumps({"schema": 1, "name": "x"}))
    (folder / "folder").mkdir()
    (folder / "nothing.json").write_text('{"goals": {}}')
    (folder / "typo.json").write_text('{"interactive": {"clients": 4, "rate_opps": 9}}')
    (folder / "load.py").write_text("def load(name):\n    pass\ndef reward():\n    return 1.0\n")
    for name, content in CONFIGS.items():
        (folder / name).write_text(content, encoding="utf-8")
    for name, content in (POINTS | MEASUREMENTS).items():
        (folder / f"{name}.csv").write_text(content)
