"""digits.py: numbers as `constella table` prints them (src/cli/table.c): with three digits, or, of parameters
and tolerances, with as many as distinguish the cases."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .reading import shortest

LEAST, MOST = 3, 17
SWEPT = ("parameter", "tolerance")  # roles


def with_places(x, places):
    """Four digits where they are all that the number has."""
    return f"{x:.4g}" if float(f"{x:.4g}") == x else f"{x:.{places}g}"


def places(values):
    """The fewest digits with which no two different numbers look alike."""
    x = np.unique(np.asarray(values, dtype=float))
    for n in range(LEAST, MOST):
        if len({with_places(v, n) for v in x}) == len(x):
            return n
    return MOST


def distinct(values):
    """The texts of numbers, each with as many digits as distinguish them; texts stay."""
    values = list(values)
    if any(isinstance(v, str) for v in values):
        return [str(v) for v in values]
    n = places(values)
    return [with_places(float(v), n) for v in values]


def number(role, x):
    """A number of a column of this role, one by one."""
    if x != x:
        return "–"
    if role.startswith(("order", "rate", "exponent")):
        return f"{x:.3f}"
    if role in ("step", "step-taken", "end") or (x == int(x) if abs(x) < 1e9 else False):
        return shortest(x)
    return f"{x:.3g}"


def column(result, name):
    """The texts of a column of numbers, of all cases."""
    role, x = result.uses.get(name, {}).get("role", ""), result.column(name)
    return distinct(x) if role in SWEPT else [number(role, float(v)) for v in x]
