"""Capability: conditions that options bring in the place of contexts; names and load of each context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pmtwin.sim.errors import ConflictError, InputError

if TYPE_CHECKING:
    from pmtwin.scenarios.contexts import Contexts


class WithConditions:
    """A scenario whose contexts need more than their names.

    Class attributes:
        own_conditions_option: name of the option that brings `own_conditions`.
    """

    contexts: Contexts
    own_conditions_option: ClassVar[str] = ""

    @property
    def own_conditions(self) -> Any:
        """Conditions of the options that replace all contexts; None if there are none."""
        return None

    @property
    def options_without_use(self) -> Mapping[str, str]:
        """Options of the scenario that the others leave without use, and that are refused where they are given.

        Returns:
            name -> the end of the sentence "OPTION VALUE ..."; a reader of a result is not told their values.
        """
        return {}

    @property
    def in_place_of_contexts(self) -> str:
        """The end of the sentence "OPTION VALUE ..." of what is about contexts, beside `own_conditions`."""
        flag = f"--{self.own_conditions_option.replace('_', '-')}"
        return f"does not go with {flag}, which replaces the {self.contexts.plural}; remove one of the two"

    def refused_contexts(self, field: str, value: object) -> InputError:
        """The error of contexts that are asked for beside `own_conditions`."""
        return ConflictError(field, value, self.in_place_of_contexts)

    def context_name(self, context: int | str) -> str:
        """Noun for a context."""
        return f"{self.contexts.noun} {context}"

    def context_record(self, context: int | str) -> dict:
        """Record of a run in one context, under the context's name there."""
        return {self.contexts.noun: context}

    def offered_load(self, context: int | str) -> float | None:
        """Load that is offered in a context, in the unit of the leading compared measure; None: without a bound."""
        return None

    def load_varies(self, context: int | str) -> bool:
        """Whether the load of a context, its rates or mix, differs from run to run by more than single requests."""
        return False
