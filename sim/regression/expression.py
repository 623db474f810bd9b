"""Arithmetic on named columns, as inside R's I(); other code is refused."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping

import numpy as np

from pmtwin.sim.errors import InputError

FIELD = "formula"
FUNCTIONS = {"pmin": np.minimum, "pmax": np.maximum, "exp": np.exp, "log": np.log}
BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
ALLOWED = f"numbers, names of columns, + - * / ^ and {', '.join(FUNCTIONS)}"
MOST_CHARACTERS = 10_000


class Expression:
    """An arithmetic expression.

    Args:
        text: the expression, in R's notation.

    Raises:
        InputError: the text is no arithmetic on names of columns.
    """

    def __init__(self, text: str):
        self.text = text.strip()
        try:
            self._root = ast.parse(self.text[:MOST_CHARACTERS].replace("^", "**"), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(FIELD, self.text, f"an expression of {ALLOWED}") from None
        for node in ast.walk(self._root):
            self._check(node)
        called = {id(node.func) for node in ast.walk(self._root) if isinstance(node, ast.Call)}
        nodes = [node for node in ast.walk(self._root) if isinstance(node, ast.Name) and id(node) not in called]
        self.names = tuple(dict.fromkeys(node.id for node in nodes))

    def _check(self, node: ast.AST) -> None:
        plain = (ast.Name, ast.Load, ast.operator, ast.USub)
        binary = isinstance(node, ast.BinOp) and type(node.op) in BINARY
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if not (isinstance(node, plain) or binary or negative or number or _is_known_call(node)):
            raise InputError(FIELD, self.text, f"an expression of {ALLOWED}")

    def values(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """The expression at every row; `columns`: name -> shape (rows,)."""
        return self._value(self._root, columns)

    def _value(self, node: ast.expr, columns: Mapping[str, np.ndarray]):
        match node:
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Name(id=name):
                return columns[name]
            case ast.UnaryOp(operand=operand):
                return -self._value(operand, columns)
            case ast.BinOp(left=left, op=operator, right=right):
                return BINARY[type(operator)](self._value(left, columns), self._value(right, columns))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return FUNCTIONS[name](*(self._value(argument, columns) for argument in arguments))
        raise TypeError(ast.dump(node))  # none that `_check` lets pass


def _is_known_call(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS):
        return False
    return not node.keywords and len(node.args) == (2 if node.func.id.startswith("pm") else 1)
