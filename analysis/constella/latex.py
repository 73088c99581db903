"""latex.py: a table for LaTeX with booktabs: steps down, methods across, mathematical headers, one precision
per column.

An order study shows the error and the rate of each method, with the fitted order in the last line; others the
columns that are named, or the largest change of what is conserved. Needs \\usepackage{booktabs} and nothing
else.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .reading import ResultError, unknown

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
}
SYMBOLS = {
    "q": "q",
    "p": "p",
    "lambda": r"\lambda",
    "total": "",
    "energy": "E",
    "hidden": "Gv",
    "constraint": "g",
}
HEADERS = {  # of a role; %s: the symbol of what it is of
    "error": r"$\mathrm{err}_{%s}$",
    "error-rms": r"$\mathrm{rms}_{%s}$",
    "rate": r"$\mathrm{rate}_{%s}$",
    "order": r"$\mathrm{order}_{%s}$",
    "largest": r"$\max|\Delta %s|$",
    "slope": r"$\mathrm{d}%s/\mathrm{d}t$",
    "drift-limit": r"$|\mathrm{d}%s/\mathrm{d}t|_{95\%%}$",
    "exponent": r"$\alpha_{%s}$",
    "average": r"$\langle %s\rangle$",
}


def line(s):
    """Text on one line: what ends a line, for Python or for LaTeX, and other control characters become blanks."""
    return "".join(c if c.isprintable() else " " for c in s)


def text(s):
    """Text as LaTeX prints it."""
    return "".join(SPECIAL.get(c, "\\" + c if c in "&%$#_{}" else c) for c in line(s))


def header(result, name):
    """The header of a column in mathematics, or its name where there is no symbol."""
    use = result.uses.get(name, {})
    role, of = use.get("role", ""), use.get("of", "")
    if role not in HEADERS:
        return text(name)
    word = r"\mathrm{%s}" if of.replace("_", "").isalnum() else r"\mbox{%s}"
    symbol = SYMBOLS.get(of, word % text(of))
    return (HEADERS[role] % symbol).replace("_{}", "")


def number(x, role):
    if not np.isfinite(x):
        return "--"
    if role in ("rate", "order", "exponent"):
        return f"${x:.2f}$"
    if x == 0:
        return "$0$"
    mantissa, power = f"{x:.2e}".split("e")
    return rf"${mantissa}\cdot10^{{{int(power)}}}$"


def cell(result, name, case):
    if case is None:
        return ""
    x = result.column(name)[case]
    return text(str(x)) if isinstance(x, str) else number(float(x), result.uses.get(name, {}).get("role", ""))


def chosen_columns(result, names):
    for n in names or []:
        if result.column(n) is None:
            raise unknown("column", n, result.names("/statistics"))
    if names:
        return list(names)
    for role in ("error", "largest", "average", "mean"):
        of = [use["of"] for use in result.uses.values() if use["role"] == role]
        of = (
            [o for o in of if o not in ("total", "lambda")][:1]
            if role != "largest"
            else [n for n in result.conserved][:1]
        )
        found = [result.named(role, o) for o in of]
        found += [result.named("rate", o) for o in of if role == "error" and result.named("rate", o)]
        found = [n for n in found if n and np.isfinite(result.numbers(n)[result.shown]).any()]
        if found:
            return found
    raise ResultError("no column to show; --columns names some")


def wide(result, names=None):
    """The table as text: one set of parameters after the other, each with steps down and methods across."""
    columns, curves = chosen_columns(result, names), result.curves()
    variants = list(dict.fromkeys(c.variant for c in curves))
    out = [
        f"% {line(result.title)}; needs booktabs",
        r"\begin{tabular}{r" + f"*{{{len(columns) * len({c.method for c in curves})}}}{{r}}" + "}",
        r"\toprule",
    ]
    methods = list(dict.fromkeys(c.method for c in curves))
    across = len(columns)
    out.append(" & ".join(["", *(rf"\multicolumn{{{across}}}{{c}}{{{text(m)}}}" for m in methods)]) + r" \\")
    out.append(
        "".join(rf"\cmidrule(lr){{{2 + k * across}-{1 + (k + 1) * across}}}" for k in range(len(methods)))
    )
    out.append(" & ".join(["$h$", *(header(result, n) for _ in methods for n in columns)]) + r" \\")
    for variant in variants:
        out.append(r"\midrule")
        if variant:
            out.append(rf"\multicolumn{{{1 + across * len(methods)}}}{{l}}{{{text(variant)}}} \\")
        mine = {c.method: c for c in curves if c.variant == variant}
        for step in result.steps_written():
            cases = [result.at_step(mine[m], step) if m in mine else None for m in methods]
            if any(case is not None for case in cases):
                out.append(
                    " & ".join([f"${step:.6g}$", *(cell(result, n, case) for case in cases for n in columns)])
                    + r" \\"
                )
        out += order_line(result, columns, [mine.get(m) for m in methods])
    return "\n".join([*out, r"\bottomrule", r"\end{tabular}", ""])


def order_line(result, columns, curves):
    """The fitted orders in a separate line, where rates are shown."""
    rates = [
        result.uses.get(n, {}).get("of") for n in columns if result.uses.get(n, {}).get("role") == "rate"
    ]
    if not rates or not any(result.named("order", of) for of in rates):
        return []
    cells = []
    for c in curves:
        for n in columns:
            use = result.uses.get(n, {})
            name = result.named("order", use["of"]) if use.get("role") == "rate" else ""
            cells.append(cell(result, name, c.cases[0]) if name and c else "")
    return [r"\addlinespace", " & ".join(["order", *cells]) + r" \\"]
