"""selection.py: selects cases by labels of methods, and by conditions as in `constella table --where`."""
# SPDX-License-Identifier: BSD-2-Clause
import operator

import numpy as np

from . import digits
from .reading import ResultError, unknown

OPERATORS = {  # the longer ones first
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


def split(text):
    """The parts of a list with commas between them; those inside brackets separate nothing."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


MOST = 20  # values in a message


def plain(label):
    return label.replace(" ", "")


def of_methods(result, methods):
    """[case] True for the cases of these methods: labels in a list, or in one text with commas. None: all."""
    keep = np.ones(result.ncase, dtype=bool)
    if methods is None:
        return keep
    wanted = split(methods) if isinstance(methods, str) else list(methods)
    labels = result.texts("method")
    known = {plain(label): label for label in labels if label}
    for method in wanted:
        if plain(method) not in known:
            raise unknown("method", method, list(known.values()))
    return np.isin([plain(label) for label in labels], [plain(m) for m in wanted])


def scan_value(text):
    """(value, rest): up to a comma or the word `and` outside brackets, or what stands in quotes."""
    if text[:1] in ("'", '"'):
        end = text.find(text[0], 1)
        if end < 0:
            raise ResultError(f"--where: a quote is not closed in {text}")
        return text[1:end], text[end + 1 :].lstrip()
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth <= 0 and (c == "," or text.startswith(" and ", i)):
            return text[:i].rstrip(), text[i:].lstrip()
    return text.rstrip(), ""


def fulfils(result, name, op, value):
    """[case] True where the column fulfils the comparison with the value. NaN only equals nan."""
    column = result.column(name)
    if column is None:
        raise unknown("column", name, [n for n in result.names("/statistics")])
    if column.dtype.kind == "O":
        return OPERATORS[op](column, value).astype(bool)
    try:
        number = float(value)
    except ValueError:
        raise ResultError(f'--where: column {name} holds numbers, not "{value}"') from None
    if np.isnan(number):
        same = np.isnan(column)
        return same if op in ("=", "==") else ~same if op == "!=" else np.zeros(len(column), dtype=bool)
    alike = printed_as(result, name, number)
    if op in ("=", "==") and not (alike & result.shown).any():
        have = list(dict.fromkeys(x for x, k in zip(digits.column(result, name), result.shown) if k))
        raise ResultError(f"--where: no case has {name} = {value}; there are: {', '.join(have[:MOST])}")
    return OPERATORS[op](np.where(alike, number, column), number)


def printed_as(result, name, number):
    """[case] True where the column is the number, or is printed as the number by `constella table`."""
    return (result.column(name) == number) | np.array([text not in ("–", "") and float(text) == number for text in digits.column(result, name)])


def of_conditions(result, where):
    """[case] True where all conditions hold: `method = rattle and step < 0.1`, commas or `and` between them.
    None: everywhere."""
    keep, rest = np.ones(result.ncase, dtype=bool), (where or "").strip()
    while rest:
        end = min((rest.find(c) for c in " =!<>" if c in rest), default=len(rest))
        name, rest = rest[:end], rest[end:].lstrip()
        op = next((o for o in OPERATORS if rest.startswith(o)), None)
        if not name or op is None:
            raise ResultError(
                f'--where: "{where}": column OP value is expected, OP one of {" ".join(OPERATORS)}'
            )
        value, rest = scan_value(rest[len(op) :].lstrip())
        keep &= fulfils(result, name, op, value)
        if rest and not rest.startswith((",", "and ")):
            raise ResultError(f'--where: "{where}": a comma or `and` is expected before "{rest}"')
        rest = rest[1:].lstrip() if rest.startswith(",") else rest[4:].lstrip()
    return keep
