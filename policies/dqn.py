"""Deep Q-network policy: acts by the action values of a network from a file, or learns one during the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pmtwin.policies.base import Action, Policy, PolicyContext
from pmtwin.policies.grammar import FIELD
from pmtwin.policies.mlp import Mlp, MlpOptions
from pmtwin.policies.npz_file import read_form
from pmtwin.policies.online.presets import OnlineOptions
from pmtwin.policies.registry import register
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    from pmtwin.policies.online.agent import OnlineAgent


@dataclass(frozen=True)
class DqnOptions(Options):
    """A trained network, or how to learn one during the run."""

    file: str = option(
        "", "trained network, written by pmtwin train --policy dqn; empty: learn during the run", metavar="FILE"
    )
    replay: str | None = option(
        None, "SQLite replay database of the run, which a stopped run goes on from (default: in memory)", metavar="FILE"
    )
    learning: OnlineOptions = field(default_factory=OnlineOptions)

    def __post_init__(self):
        super().__post_init__()
        if self.file and (self.replay or self.learning != OnlineOptions()):
            allowed = "a file alone, whose network does not learn, or options of learning without a file"
            raise InputError("file", self.file, allowed)


@register("dqn")
class Dqn(Mlp):
    """Takes the action that a trained network values highest, or explores and learns from nothing during the run.

    Raises:
        InputError: if the file is no trained deep Q-network.
    """

    Takes: ClassVar[type[Options]] = DqnOptions
    options: DqnOptions  # type: ignore[assignment]
    form = "pmtwin-dqn"
    trainable = "pmtwin.policies.training.dqn_options:DqnTraining"
    hears_workloads = True

    def __init__(self, options: DqnOptions | None = None):
        options = DqnOptions() if options is None else options
        self.agent: OnlineAgent | None = None
        if options.file:
            try:
                form = read_form(options.file, f"a network written by pmtwin train --policy {self.called()}")
            except InputError as error:
                raise error.renamed(f"{FIELD} {self.called()}: file", error.where) from error
            if form == Mlp.form:
                self.form = form  # type: ignore[misc]  # of this object: what a run has learned is such a file
            super().__init__(MlpOptions(options.file))
        Policy.__init__(self, options)

    @property
    def files(self):
        """The trained file, if there is one."""
        return (self.options.file,) if self.options.file else ()

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Refuse scenarios that the network cannot serve.

        Raises:
            InputError: for a scenario with fewer than two numbered actions, or with columns without finite bounds.
        """
        context.check_choice()
        if not context.columns:
            raise InputError("scenario", context.scenario, "one whose observations have columns")
        try:
            Normalization(context.columns)
        except InputError as error:
            raise error.renamed(FIELD) from error

    def start(self, context: PolicyContext):
        """Begin a run: with the network of the file, or with random weights.

        Raises:
            InputError: if the file does not fit the scenario, the scenario cannot be served, or the replay database
                cannot be used.
        """
        if self.options.file:
            return super().start(context)
        from pmtwin.policies.online.agent import OnlineAgent  # numba is loaded for runs only

        self.check_scenario(context)
        self.close()
        self.agent = OnlineAgent(context, self.options.learning.hyperparameters, self.options.replay)
        return self.agent.setting

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The action with the greatest value, or a random one while it learns."""
        return super().act(observation, info) if self.agent is None else self.agent.act(observation, info)

    def observe(self, observation: np.ndarray, action: Action, reward: float, next_observation: np.ndarray, done: bool):
        """Learn from the outcome, unless the network is that of a file."""
        if self.agent is not None:
            self.agent.observe(action, reward)

    def on_workload(self):
        """Explore more again, unless the network is that of a file."""
        if self.agent is not None:
            self.agent.workload_started()

    def learns_in_a_run(self):
        """Whether there is no file."""
        return not self.options.file

    def save(self, path: str) -> Path | None:
        """Write the network that the run has learned; None with the network of a file."""
        return None if self.agent is None else self.agent.save(path)

    def exported(self, context: PolicyContext):
        """The form of `Mlp` for the network of a file; None for one that learns."""
        return super().exported(context) if self.options.file else None

    def resumed(self):
        """Windows in the replay database that followed an action."""
        return 0 if self.agent is None else max(self.agent.resumed - 1, 0)

    def close(self):
        """Close the replay database."""
        if self.agent is not None and self.agent.database is not None:
            self.agent.database.close()
