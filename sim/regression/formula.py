"""Model formulas in R's notation: `time_s ~ a*b + c:d + I(a/b) + 0` (Wilkinson and Rogers, 1973).

`a*b*c` stands for a, b, c and all their products, `a:b` for the product alone, `I(...)` for an expression, and `+ 0`
for a model without an intercept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.regression.expression import FIELD, Expression

INTERCEPT = "(Intercept)"
FORM = "RESPONSE ~ TERM + TERM ..., a term as a, a:b, a*b or I(a/b)"
_NAME = re.compile(r"[A-Za-z_]\w*")


class Formula:
    """A linear model: its response and its terms.

    Attributes:
        response: name of the response's column.
        terms: names of the terms in R's order: the intercept, then products by their number of variables.
        variables: names of the columns of the explanatory variables.

    Raises:
        InputError: another notation, or no term.
    """

    def __init__(self, text: str):
        self.text = " ".join(text.split())
        left, tilde, right = self.text.partition("~")
        self.response = left.strip()
        if not tilde or not _NAME.fullmatch(self.response):
            raise InputError(FIELD, self.text, FORM)
        self._expressions: dict[str, Expression] = {}
        products: dict[tuple[str, ...], None] = {}
        intercept = True
        for part in _split(right, "+"):
            if part in ("0", "1"):
                intercept = part == "1"
            elif part.startswith("I(") and part.endswith(")"):
                self._expressions[part] = Expression(part[2:-1])
            else:
                products |= dict.fromkeys(self._products(part))
        factors = list(dict.fromkeys(name for product in products for name in product))
        distinct = {tuple(sorted(product, key=factors.index)) for product in products}
        order = sorted(distinct, key=lambda product: (len(product), *map(factors.index, product)))
        self._factors = {":".join(product): product for product in order}
        self.terms = (*([INTERCEPT] if intercept else []), *self._factors, *self._expressions)
        if not self.terms:
            raise InputError(FIELD, self.text, FORM)
        parts = (factors, *(expression.names for expression in self._expressions.values()))
        self.variables = tuple(dict.fromkeys(name for names in parts for name in names))
        if self.response in self.variables:
            raise InputError(FIELD, self.text, f"terms without the response {self.response}")

    def _products(self, part: str) -> Iterable[tuple[str, ...]]:
        names = re.split(r"\s*[*:]\s*", part)
        if not all(_NAME.fullmatch(name) for name in names) or len(set(names)) < len(names) or len(names) > 8:
            raise InputError(FIELD, part, FORM)
        if ":" in part and "*" in part:
            raise InputError(FIELD, part, "a term with : or with *, not both")
        if ":" in part:
            return [tuple(names)]
        return [product for size in range(1, len(names) + 1) for product in combinations(names, size)]

    def matrix(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Values of the terms, shape (rows, terms); `columns`: name -> shape (rows,)."""
        rows = np.shape(next(iter(columns.values())))
        return np.column_stack([np.broadcast_to(self._term(name, columns), rows) for name in self.terms])

    def _term(self, name: str, columns: Mapping[str, np.ndarray]):
        if name == INTERCEPT:
            return 1.0
        if name in self._expressions:
            with np.errstate(all="ignore"):
                return self._expressions[name].values(columns)
        return np.prod([columns[factor] for factor in self._factors[name]], axis=0)


def _split(text: str, mark: str) -> list[str]:
    """The parts between marks outside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
