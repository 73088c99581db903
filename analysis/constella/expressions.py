"""expressions.py: expressions of a system file evaluated on arrays: + - * / ^ and the functions of src/expr,
names, x' for a velocity, x[i+1].

An expression is parsed by Python's own parser and walked here; nothing but arithmetic on named numbers can
happen.
"""
# SPDX-License-Identifier: BSD-2-Clause
import ast
import operator
import re

import numpy as np

from .reading import ResultError, nearest

FUNCTIONS = {
    **{name: getattr(np, name) for name in ("sqrt", "sin", "cos", "tan", "exp", "log")},
    **{name: getattr(np, name) for name in ("expm1", "log1p", "sinh", "cosh", "tanh")},
    "acos": np.arccos,
    "asin": np.arcsin,
    "atan2": np.arctan2,
    "abs": np.abs,
}
BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
PRIME = "__prime"
LONGEST = 4000  # characters


class Walk(ast.NodeVisitor):
    """The value of a parsed expression with these names."""

    def __init__(self, names, text):
        self.names, self.text = names, text

    def fail(self, why):
        raise ResultError(f'"{self.text}": {why}')

    def named(self, name):
        name = name.replace(PRIME, "'")
        if name in self.names:
            return self.names[name]
        self.fail(f"there is no {name}{nearest(name, self.names)} there are {', '.join(self.names)}")

    def visit_Expression(self, node):
        return self.visit(node.body)

    def visit_Constant(self, node):
        if not isinstance(node.value, (int, float)) or isinstance(node.value, bool):
            self.fail("only numbers and names may stand in it")
        return float(node.value)

    def visit_Name(self, node):
        return np.pi if node.id == "pi" and "pi" not in self.names else self.named(node.id)

    def visit_BinOp(self, node):
        if type(node.op) not in BINARY:
            self.fail("operators are + - * / ^")
        a, b = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Pow) and np.ndim(b) == 0 and float(b).is_integer():
            b = int(b)
            return np.asarray(a, dtype=float) ** b
        return BINARY[type(node.op)](np.asarray(a, dtype=float), b)

    def visit_UnaryOp(self, node):
        x = self.visit(node.operand)
        return (
            -x
            if isinstance(node.op, ast.USub)
            else x
            if isinstance(node.op, ast.UAdd)
            else self.fail("it has a wrong sign")
        )

    def visit_Subscript(self, node):
        if not isinstance(node.value, ast.Name):
            self.fail("an index belongs to a name")
        index = self.visit(node.slice)
        name = node.value.id
        base, prime = (name[: -len(PRIME)], "'") if name.endswith(PRIME) else (name, "")
        for spelt in (f"{base}{prime}[{int(index)}]", f"{base}[{int(index)}]{prime}"):
            if spelt in self.names:
                return self.names[spelt]
        return self.named(f"{base}{prime}[{int(index)}]")

    def visit_Call(self, node):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "sum" and len(node.args) == 4 and isinstance(node.args[0], ast.Name):
            return self.sum(*node.args)
        if name not in FUNCTIONS or node.keywords:
            self.fail(f"functions are {', '.join(FUNCTIONS)} and sum")
        if len(node.args) != (2 if name == "atan2" else 1):
            self.fail(f"{name} takes {'two arguments' if name == 'atan2' else 'one argument'}")
        return FUNCTIONS[name](*(self.visit(a) for a in node.args))

    def sum(self, variable, first, last, term):
        total = 0.0
        for i in range(int(self.visit(first)), int(self.visit(last)) + 1):
            total = total + Walk({**self.names, variable.id: float(i)}, self.text).visit(term)
        return total

    def generic_visit(self, node):
        self.fail("only arithmetic may stand in it")


def evaluate(text, names):
    """The value of the expression with {name: number or array}; a name alone may be anything that is a key.
    ResultError says what is wrong."""
    text = str(text).strip()
    if text in names:
        return names[text]
    spelt = re.sub(r"(?<=[A-Za-z0-9_])'", PRIME, text).replace("^", "**")
    try:
        if len(text) > LONGEST:
            raise ValueError
        tree = ast.parse(spelt, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ResultError(f'"{text[:80]}" is no expression') from None
    with np.errstate(all="ignore"):
        try:
            return Walk(names, text).visit(tree)
        except (RecursionError, OverflowError, ValueError, TypeError):
            raise ResultError(f'"{text[:80]}" has no value') from None
