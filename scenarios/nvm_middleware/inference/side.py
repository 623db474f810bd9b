"""The inference of the thesis' host and load, for `pmtwin infer`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from pmtwin.calibrate.inference.priors import Priors
from pmtwin.calibrate.inference.statements import Statement
from pmtwin.inference.side import InferenceSide
from pmtwin.scenarios.nvm_middleware.inference.evidence import evidence
from pmtwin.scenarios.nvm_middleware.inference.priors import COUNTED_STORE, PRIORS
from pmtwin.scenarios.nvm_middleware.inference.simulator import ThesisSimulator
from pmtwin.scenarios.nvm_middleware.options import NvmOptions
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.sim.host.file import ASSUMED, device_values
from pmtwin.sim.options import leaves
from pmtwin.sim.parameters.load import LOAD
from pmtwin.sim.store.file import load_store

OF_PUBLISHED = ("profile", "host", "parameters")
"""Options that matter for the thesis' tables, which state the others."""

LOAD_NAMES = tuple(parameter.name for parameter in LOAD)


class ThesisInference(InferenceSide):
    """See `pmtwin.inference.side.InferenceSide`."""

    scenario: NvmMiddleware

    @property
    def priors(self) -> Priors:
        return self._left(PRIORS.table)

    def evidence(self) -> tuple[Statement, ...]:
        return evidence()

    def simulator(self, inferred: Collection[str]) -> ThesisSimulator:
        twin = self.scenario.options.twin
        values = device_values(twin.device) | self.taken(None, inferred) | self.known()
        return ThesisSimulator(twin.profile, parameters=tuple(sorted(values.items())))

    def taken(self, sample: int | None, inferred: Collection[str]) -> dict[str, float]:
        """Parameters of the store's operations, where its records are inferred or given."""
        if "records" not in inferred and not self.known().get("records"):
            return {}
        fit = load_store().fit_beside(self.scenario.options.twin.device.name)
        values = fit.twin_parameters(fit.representative if sample is None else sample % fit.count)
        return {name: value for name, value in values.items() if name not in {*inferred, *self.known()}}

    def with_values(self, values: Mapping[str, float]) -> NvmMiddleware:
        options = self.scenario.options
        parameters = self.taken(None, values) | self.known() | dict(values)
        twin = replace(options.twin, host=ASSUMED, host_samples=0, parameters=parameters)
        return NvmMiddleware(replace(options, twin=twin))

    def priors_of_measured(self) -> Priors:
        """Without what only the thesis' rewards rest on, the records, and the load's where it does not vary."""
        without = {"records", *(() if self.scenario.options.varies else LOAD_NAMES)}
        table = tuple(each for each in PRIORS.table if not each.nuisance and each.name not in without)
        return self._left(table if self.known().get("records") else (*table, COUNTED_STORE))

    def options_without_use(self, measured: bool) -> Mapping[str, str]:
        hosts = dict.fromkeys(("host_samples", "host_seed"), "has no use: hosts are what is inferred; remove it")
        others = [] if measured else [leaf.name for leaf in leaves(NvmOptions) if leaf.name not in OF_PUBLISHED]
        return dict.fromkeys(others, "belongs to --evidence: the published tables state it; remove it") | hosts

    def source(self) -> str:
        return "thesis, sections 4.2 and 4.3, Tables D.4, D.6, E.2, E.3"

    def known(self) -> dict[str, float]:
        """Parameters that are not inferred: measured on the host, or set by hand."""
        twin = self.scenario.options.twin
        return dict(twin.parameters) if twin.host_file is None or twin.host_file.draws else dict(twin.values)

    def _left(self, table: tuple) -> Priors:
        return Priors(tuple(each for each in table if each.name not in self.known()))
