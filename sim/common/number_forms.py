"""Numbers as text for readers: shares in percent, few digits, no powers of ten."""

from __future__ import annotations


def percent(share: float, digits: int = 1, signed: bool = False) -> str:
    """A share, 0 to 1, in percent: "94.4 %"; only 1 itself is "100 %", and trailing zeros are left out."""
    text = f"{100.0 * share:{'+' if signed else ''}.{digits}f}"
    if float(text) == 0.0:
        return "0 %"
    if not signed and share < 1.0 and float(text) == 100.0:
        return f"> {100.0 - 10.0**-digits:.{digits}f} %"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def percentage(value: float) -> str:
    """A percentage as a number: two decimals below 1, else three significant digits."""
    return rounded(value, 3) if abs(value) >= 1.0 else f"{round(value, 2) + 0.0:.2f}"  # + 0.0: no negative zero


def rounded(value: float, digits: int = 4) -> str:
    """A number with a few significant digits; from 1,000 on without decimals."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.{digits}g}"
