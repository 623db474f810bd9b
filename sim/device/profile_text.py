"""JSON text for readers: indented objects, and each list of numbers on one line."""

from __future__ import annotations

import json


def to_text(value: object, indent: int = 0) -> str:
    """JSON text of `value`.

    Raises:
        ValueError: the value has NaN or an infinity.
    """
    pad, inner = " " * indent, " " * (indent + 1)
    if isinstance(value, dict) and value:
        items = (f"{inner}{json.dumps(str(key))}: {to_text(item, indent + 1)}" for key, item in value.items())
        return "{\n" + ",\n".join(items) + f"\n{pad}}}"
    if isinstance(value, list | tuple) and any(isinstance(item, dict | list | tuple) for item in value):
        items = (inner + to_text(item, indent + 1) for item in value)
        return "[\n" + ",\n".join(items) + f"\n{pad}]"
    return json.dumps(value, allow_nan=False)
