"""The admission scenario with another engine as its real system."""

from dataclasses import replace
from typing import ClassVar

from pmtwin.scenarios.system import Account
from pmtwin.sim.options import build
from pmtwin.validation import MeasuredSide, Medium
from tests.scenarios.admission import RESPONSE, SERVED, Admission, AdmissionOptions, AdmissionSystem


class AccountedSystem(AdmissionSystem):
    """Counts its jobs."""

    def account(self):
        return Account(counted=10.0, stamped=10.5)


class OtherEngine(MeasuredSide):
    """SimPy beside the compiled engine."""

    system = "other engine"
    media: ClassVar[dict[str, Medium]] = {"simpy": Medium("verified (simpy)", "both engines run the same model")}
    grids: ClassVar[dict[str, tuple]] = {"three": ((2,), (8,), (20,))}

    @classmethod
    def of(cls, scenario, values, options):
        predicted = scenario(build(AdmissionOptions, values))
        measured = Beside(replace(predicted.options, engine="simpy"))
        return cls(predicted, measured, options)

    @property
    def medium(self):
        return "simpy"

    def arguments(self):
        return super().arguments() | {"engine": self.predicted.options.engine}


class Beside(Admission):
    """Admission that declares a real system and what is judged."""

    measured = OtherEngine
    measures = (
        replace(SERVED, tolerance_percent=1.0, worst_percent=2.0),
        replace(RESPONSE, tolerance_percent=5.0),
    )

    def system(self, conditions, seed, device=0, mode=None):
        system = super().system(conditions, seed, device, mode)
        system.__class__ = AccountedSystem if self.engine == "simpy" else AdmissionSystem
        return system
