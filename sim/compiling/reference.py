"""Named tuples of arrays by reference, in compiled code.

A call passes seven numbers for each array of a tuple. For a state of 25 arrays that takes longer than most functions
do. A reference is one number.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer, infer_getattr, signature
from numba.extending import intrinsic, models, register_model


class Reference(types.Type):
    """Type of a reference to a tuple; the tuple itself does not change, its arrays may.

    Attributes:
        target: type of the tuple.
    """

    def __init__(self, target: Any):
        self.target = target
        super().__init__(name=f"reference({target})")

    @property
    def key(self) -> Any:
        """The type of the tuple: tuples of two classes may have one name, and other fields."""
        return self.target


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Reference):
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.target).get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    """Fields of a named tuple."""

    key = Reference

    def generic_resolve(self, reference: Any, name: Any) -> Any:  # type: ignore[override]  # declared as missing
        fields = getattr(reference.target, "fields", ())
        return reference.target.types[fields.index(name)] if name in fields else None


@lower_getattr_generic(Reference)
def _field(context: Any, builder: ir.IRBuilder, kind: Reference, value: ir.Value, name: str) -> ir.Value:
    return _loaded(builder, value, (kind.target.fields.index(name),))


@intrinsic
def referred(typing_context, values):
    """A reference to a tuple; compiled code alone can call it, without reference counts (`_nrt=False`).

    It is valid until the calling function returns, which keeps the tuple alive. All calls at one place of that
    function share one copy of the tuple, so that a call in a loop has to be given the same tuple each time.

    Args:
        values: a tuple, named or not, of arrays, numbers and further tuples.

    Returns:
        What has the fields of `values`, and its items at constant places, negative ones from the end.

    Raises:
        TypingError: `values` is no tuple, a field is unknown, or a place is no constant or beyond the tuple; when the
            calling function is compiled.
    """
    if not isinstance(values, types.BaseTuple):
        raise TypingError(f"a reference to {values}; allowed: to a tuple")
    kind = Reference(values)

    def made(context, builder, signature, arguments):
        place = cgutils.alloca_once_value(builder, arguments[0])
        # an empty instruction: nobody can tell that this is the place that was written just now, so that the loads
        # of `_loaded`, which never change from here on, cannot come before the tuple is there
        same = ir.FunctionType(place.type, [place.type])
        return builder.asm(same, "", "=r,0,~{memory}", [place], True)

    return kind(values), made


@infer
class _Places(AbstractTemplate):
    """Places of a tuple, which have to be constants."""

    key = "static_getitem"

    def generic(self, args: tuple, kws: Any) -> Any:
        """Signature of `reference[place]`."""
        reference, place = args
        if isinstance(reference, Reference) and isinstance(place, int) and _is_within(reference, place):
            return signature(reference.target.types[place], *args)
        return None


@lower_builtin("static_getitem", Reference, types.IntegerLiteral)
def _place(context: Any, builder: ir.IRBuilder, kinds: Any, arguments: tuple) -> ir.Value:
    return _loaded(builder, arguments[0], (int(arguments[1]) % len(kinds.args[0].target.types),))


def _is_within(reference: Reference, place: int) -> bool:
    return -len(reference.target.types) <= place < len(reference.target.types)


def _loaded(builder: ir.IRBuilder, pointer: ir.Value, places: tuple[int, ...]) -> ir.Value:
    """A part of the tuple, number by number; the compiler keeps what it has loaded, since nothing of it changes."""
    index = [ir.Constant(ir.IntType(32), place) for place in (0, *places)]
    part = builder.gep(pointer, index, inbounds=True)
    kind = part.type.pointee
    if not isinstance(kind, ir.types.Aggregate):
        number = builder.load(part)
        number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number
    value = ir.Constant(kind, ir.Undefined)
    for place in range(len(kind.elements) if isinstance(kind, ir.BaseStructType) else kind.count):
        value = builder.insert_value(value, _loaded(builder, pointer, (*places, place)), place)
    return value
