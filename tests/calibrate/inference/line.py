"""A simulator whose posterior is known: two parameters, of which the sum is seen."""

from dataclasses import dataclass

from pmtwin.calibrate.inference.priors import LOG_UNIFORM, UNIFORM, Prior, Priors
from pmtwin.calibrate.inference.statements import LINEAR, Between, Value

PRIORS = Priors((Prior("a", -5.0, 5.0, UNIFORM, "wide"), Prior("b", 0.1, 10.0, LOG_UNIFORM, "wide", "s")))

SUM = Value(name="sum", text="a + b = 4", quantity="sum", value=4.0, discrepancy=0.3, scale=LINEAR)
PRODUCT = Between(name="product", text="a b above 3", quantity="product", low=3.0, discrepancy=0.3)
EVIDENCE = (SUM, PRODUCT)


@dataclass(frozen=True)
class Line:
    """Gives the sum and the product."""

    quantities = ("sum", "product")

    def simulate(self, draw, seed):
        return {"sum": draw["a"] + draw["b"], "product": draw["a"] * draw["b"]}

    def identity(self):
        return {"line": 1}
