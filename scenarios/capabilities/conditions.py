"""Capability: conditions that options set in the place of contexts; names and loads of contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pmtwin.sim.errors import ConflictError, InputError

if TYPE_CHECKING:
    from pmtwin.scenarios.contexts import Contexts


class WithConditions:
    """A scenario whose contexts need more than their names.

    Class attributes:
        own_conditions_option: name of the option that sets `own_conditions`.
    """

    contexts: Contexts
    own_conditions_option: ClassVar[str] = ""

    if TYPE_CHECKING:

        def record(self) -> dict: ...

    @property
    def own_conditions(self) -> Any:
        """Conditions that the options set in the place of all contexts; None if they set none."""
        return None

    @property
    def options_without_use(self) -> Mapping[str, str]:
        """Options that have no use beside the values of other options: a user may not give them, results omit them.

        Returns:
            name -> end of the error "OPTION VALUE ...".
        """
        return {}

    def options_without_use_in(self, contexts: Sequence[int | str]) -> Mapping[str, str]:
        """As `options_without_use`, if only some contexts run; (): those that run by default."""
        return self.options_without_use

    def record_in(self, contexts: Sequence[int | str]) -> dict:
        """The scenario's record, without options that have no use in these contexts."""
        idle = self.options_without_use_in(contexts)
        return {name: value for name, value in self.record().items() if name not in idle}

    @property
    def in_place_of_contexts(self) -> str:
        """End of the error "OPTION VALUE ..." for an option about contexts beside `own_conditions`."""
        flag = f"--{self.own_conditions_option.replace('_', '-')}"
        return f"does not go with {flag}, which replaces the {self.contexts.plural}; remove one of the two"

    def refused_contexts(self, field: str, value: object) -> InputError:
        """The error for contexts that are given beside `own_conditions`."""
        return ConflictError(field, value, self.in_place_of_contexts)

    def context_name(self, context: int | str) -> str:
        """Name of a context in sentences: noun and name."""
        return f"{self.contexts.noun} {context}"

    def context_record(self, context: int | str) -> dict:
        """Entries for a context in the record of a run."""
        return {self.contexts.noun: context}

    def offered_load(self, context: int | str) -> float | None:
        """Load that clients offer in a context, in the unit of the first compared measure; None: unlimited."""
        return None

    def load_varies(self, context: int | str) -> bool:
        """Whether rates or mix of a context's load differ from run to run, not only the single requests."""
        return False
