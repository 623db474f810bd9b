"""Within what `online-q` stays, as it is written in a spec and on the command line."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pmtwin.policies.pools import POOL_MAX, POOL_MIN, parse_pools
from pmtwin.sim.errors import InputError, check_range

Pools = tuple[int, int]

MOST_WINDOWS = 10**6


@dataclass(frozen=True)
class OnlineLimits:
    """What an operator allows a policy that learns on a running system.

    Args:
        fall_back: (interactive, batch), the fixed pools that it falls back to, and begins with; within the bounds. The
            default is the baseline of thesis section 4.3.
        bounds: (lower, upper) pools; no action leaves them.
        step: largest change of a pool from one window to the next, in threads. Actions change one (Table 3.3); the way
            to the pools to fall back to is walked in such steps.
        fall_back_after: windows in a row that miss the service level, after which it falls back.
        resume_after: windows in a row that keep it there, after which it acts and learns again.

    Raises:
        InputError: for a value that is not accepted.
    """

    fall_back: Pools = (15, 15)
    bounds: tuple[Pools, Pools] = ((POOL_MIN, POOL_MIN), (POOL_MAX, POOL_MAX))
    step: int = 4
    fall_back_after: int = 20
    resume_after: int = 5

    def __post_init__(self):
        lower, upper = self.bounds
        if any(low > high for low, high in zip(lower, upper, strict=True)):
            raise InputError("bounds", _written(self.bounds), "lower pools first: I,B:I,B")
        if not self.within(self.fall_back):
            allowed = f"pools within the bounds {_written(self.bounds)} (FILE@I,B)"
            raise InputError("pools to fall back to", _written(self.fall_back), allowed)
        check_range("step", self.step, 1, POOL_MAX)
        check_range("fall_back_after", self.fall_back_after, 1, MOST_WINDOWS)
        check_range("resume_after", self.resume_after, 1, MOST_WINDOWS)

    def within(self, pools: Pools) -> bool:
        """Whether the bounds allow these pools."""
        return pools == self.clipped(pools)

    def clipped(self, pools: Pools) -> Pools:
        """The nearest pools that the bounds allow."""
        return tuple(min(max(size, low), high) for size, low, high in zip(pools, *self.bounds, strict=True))

    def towards(self, pools: Pools, target: Pools) -> Pools:
        """Where one step leads from `pools` on the way to `target`."""
        return tuple(
            size + min(max(end - size, -self.step), self.step) for size, end in zip(pools, target, strict=True)
        )

    def __str__(self):
        """As `parse` reads it; what is as by default is left out, but for the pools to fall back to."""
        given = {name: value for name, value in vars(self).items() if name in LIMITS and value != USUAL[name]}
        told = [f"{_key(name)}={_written(value)}" for name, value in given.items()]
        return "+".join([_written(self.fall_back), *told])

    def to_dict(self) -> dict:
        """Plain values, for the record of a run."""
        return asdict(self)

    @classmethod
    def parse(cls, text: str, field: str) -> OnlineLimits:
        """`I,B+KEY=VALUE+...`, in any order; a key is the name of a field with hyphens, and each may be missing.

        Args:
            field: of errors.

        Raises:
            InputError: for an unknown key, one given twice, or a value that is not accepted.
        """
        given: dict = {}
        for part in text.split("+"):
            key, equals, value = part.partition("=")
            name = key.replace("-", "_") if equals else "fall_back"
            if name not in ("fall_back", *LIMITS) or name in given or (equals and name == "fall_back"):
                allowed = "+".join(["I,B", *(f"{_key(name)}={form}" for name, form in LIMITS.items())])
                raise InputError(field, part, f"{allowed}, each at most once")
            given[name] = parse_pools(field, part) if not equals else read_limit(name, value, f"{field} {key}")
        try:
            return cls(**given)
        except InputError as error:
            raise InputError(f"{field} {error.field}", error.value, error.allowed) from error


USUAL = vars(OnlineLimits())

LIMITS = {"bounds": "I,B:I,B", "step": "N", "fall_back_after": "N", "resume_after": "N"}
"""What may be given by name: field -> form of its value."""


def read_limit(name: str, text: str, field: str) -> int | tuple[Pools, Pools]:
    """The value of one of `LIMITS`.

    Args:
        field: of errors.

    Raises:
        InputError: unless it is accepted, whatever the others are.
    """
    try:
        if name == "bounds":
            lower, upper = (parse_pools(field, pools) for pools in text.split(":"))
            value: int | tuple[Pools, Pools] = (lower, upper)
            OnlineLimits(bounds=(lower, upper), fall_back=lower)
        else:
            value = int(text)
            OnlineLimits(**{name: value})
    except InputError as error:
        raise InputError(field, text, error.allowed) from error
    except ValueError as error:
        raise InputError(
            field, text, "I,B:I,B, lower and upper pools" if name == "bounds" else "a whole number"
        ) from error
    return value


def _key(name: str) -> str:
    return name.replace("_", "-")


def _written(value: int | Pools | tuple[Pools, Pools]) -> str:
    if isinstance(value, int):
        return str(value)
    return ":".join(map(_written, value)) if isinstance(value[0], tuple) else f"{value[0]},{value[1]}"
