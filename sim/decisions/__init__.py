"""Decision points: where a policy decides inside a simulation, and how both engines ask it."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    name: f"pmtwin.sim.decisions.{module}"
    for module, names in {
        "point": ("DecisionPoint",),
        "kind": ("CHOICE", "REPLACEMENT", "Event", "PointKind"),
        "question": ("Left", "Question", "Seen"),
        "state": ("CompiledState", "call_event", "compiled_state"),
        "choice": ("decide", "observe"),
    }.items()
    for name in names
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
