"""The small expressions of ``gate_generator.yaml`` (``1+poisson(1)``, ``0.7 * r``), read without running any code."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Shape = tuple[int, ...]

_LONGEST = 200


class BadExpression(Exception):
    """An expression that is not of the small language; says what in it is not."""


@dataclass(frozen=True, slots=True)
class Law:
    """A distribution: how many parameters it has, how it is drawn, and its mean."""

    parameters: int
    draw: Callable[..., Array]
    mean: Callable[..., float]


LAWS: Mapping[str, Law] = MappingProxyType(
    {
        "poisson": Law(1, lambda rng, shape, a: rng.poisson(a, shape), lambda a: a),
        "beta": Law(2, lambda rng, shape, a, b: rng.beta(a, b, shape), lambda a, b: a / (a + b)),
        "pareto": Law(1, lambda rng, shape, a: rng.pareto(a, shape), lambda a: 1 / (a - 1) if a > 1 else np.inf),
        "normal": Law(2, lambda rng, shape, a, b: rng.normal(a, b, shape), lambda a, b: a),
        "lognormal": Law(2, lambda rng, shape, a, b: rng.lognormal(a, b, shape), lambda a, b: np.exp(a + b * b / 2)),
    }
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A number, ``r`` (the arc's own rate), distributions, ``round``, and sums and products of these."""

    tree: ast.expr

    def draw(self, rng: np.random.Generator, shape: Shape, r: Array | float = np.nan) -> Array:
        """Return draws of the given shape; ``r`` stands for the rates."""
        value = _value(self.tree, lambda law, parameters: law.draw(rng, shape, *parameters), np.round, r)
        return np.broadcast_to(np.asarray(value, dtype=np.float64), shape)

    def mean(self, r: float = np.nan) -> float:
        """Return the mean; exact for sums of independent parts without ``round``, which is left out of account."""
        return float(_value(self.tree, lambda law, parameters: law.mean(*parameters), lambda value: value, r))


def parse(text: str | float) -> Expression:
    """Return the expression of a text; raise `BadExpression` for whatever is not of the language."""
    if len(str(text)) > _LONGEST:
        raise BadExpression(f"{str(text)[:40]!r}...: longer than {_LONGEST} characters")
    try:
        tree = ast.parse(str(text).strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise BadExpression(f"{text!r}: no expression: {error}") from error
    _check(tree, str(text))
    return Expression(tree)


def _check(node: ast.expr, text: str) -> None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return
        case ast.Name(id="r"):
            return
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            _check(left, text)
            _check(right, text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _check(operand, text)
        case ast.Call(func=ast.Name(id="round"), args=[inner], keywords=[]):
            _check(inner, text)
        case ast.Call(func=ast.Name(id=name), args=parameters, keywords=[]) if name in LAWS:
            if len(parameters) != LAWS[name].parameters:
                raise BadExpression(f"{text!r}: {name} takes {LAWS[name].parameters} parameters")
            if not all(isinstance(p, ast.Constant) and isinstance(p.value, int | float) for p in parameters):
                raise BadExpression(f"{text!r}: {name} takes numbers")
        case _:
            known = ", ".join([*LAWS, "round"])
            raise BadExpression(f"{text!r}: {ast.unparse(node)!r} is none of numbers, r, + - * /, {known}")


def _value(
    node: ast.expr, law: Callable[[Law, list[Any]], Any], rounded: Callable[[Any], Any], r: Array | float
) -> Any:
    """Return a checked tree's value; ``law`` says what a distribution stands for."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name():
            return r
        case ast.UnaryOp(operand=operand):
            return -_value(operand, law, rounded, r)
        case ast.Call(func=ast.Name(id="round"), args=[inner]):
            return rounded(_value(inner, law, rounded, r))
        case ast.Call(func=ast.Name(id=name), args=parameters):
            return law(LAWS[name], [ast.literal_eval(parameter) for parameter in parameters])
        case ast.BinOp(left=left, op=operator, right=right):
            one, other = _value(left, law, rounded, r), _value(right, law, rounded, r)
            match operator:
                case ast.Add():
                    return one + other
                case ast.Sub():
                    return one - other
                case ast.Mult():
                    return one * other
                case _:
                    return one / other
    raise AssertionError(f"an unchecked tree: {node!r}")
