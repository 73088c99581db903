"""latex.py: a table for LaTeX with booktabs and siunitx: parameters and steps down, methods across, mathematical
headers, numbers of at most four digits in columns S.

An order study shows the error and the rate of each method, with the fitted order in the last line; others the
columns that are named, or the largest change of what is conserved.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from . import digits, labelled
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
    "minimum": r"$\min %s$",
    "maximum": r"$\max %s$",
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
    """A number for a column S of siunitx, with two decimals, or three digits in all."""
    if not np.isfinite(x):
        return "{--}"
    if role in ("rate", "order", "exponent"):
        return f"{x:.2f}"
    if x == 0:
        return "0"
    mantissa, power = f"{x:.2e}".split("e")
    return f"{mantissa}e{int(power)}"


def cell(result, name, case):
    if case is None:
        return ""
    x = result.column(name)[case]
    role = result.uses.get(name, {}).get("role", "")
    return f"{{{text(str(x))}}}" if isinstance(x, str) else number(float(x), role)


def format_of(cells):
    """The column of siunitx that fits these cells, or l for texts."""
    numbers = [c for c in cells if c and not c.startswith("{")]
    if not numbers:
        return "l"
    parts = [c.lstrip("-").partition("e") for c in numbers]
    whole = max(len(mantissa.partition(".")[0]) for mantissa, _, _ in parts)
    decimals = max(len(mantissa.partition(".")[2]) for mantissa, _, _ in parts)
    power = max((len(p.lstrip("-")) for _, _, p in parts), default=0)
    sign = "-" if any(c.startswith("-") for c in numbers) else ""
    below = "-" if any(p.startswith("-") for _, _, p in parts) else ""
    return f"S[table-format={sign}{whole}.{decimals}" + (f"e{below}{power}]" if power else "]")


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


def leading(result):
    """{name: [entry of each case]}: what is swept, and the step, by which rows differ; one of them at least."""
    found = {n: x for n, x in labelled.case_coordinates(result).items() if n != "method"}
    several = [n for n, x in found.items() if len(set(x[result.shown])) > 1]
    return {n: found[n] for n in several or ["step"]}


def name_of(result, name):
    """What is swept, in mathematics, with its unit."""
    from . import style  # brings matplotlib

    symbol = style.symbol(name) if style.symbol(name).startswith("$") else text(name)
    unit = result.unit_of("t" if name == "step" else name)
    return ("$h$" if name == "step" else symbol) + (f" [{text(unit)}]" if unit not in ("", "1") else "")


def blocks(result, methods):
    """[[(case of any method, [case of each method or None])]]: a block for each set of parameters, of rows from the
    coarsest step to the finest."""
    found: dict = {}
    for c in result.curves():
        for case in c.cases:
            rows = found.setdefault(c.variant, {})
            rows.setdefault(result.nominal[case], [None] * len(methods))[methods.index(c.method)] = case
    ordered = [sorted(rows.items(), key=lambda row: -row[0]) for rows in found.values()]
    return [[(next(k for k in cases if k is not None), cases) for _, cases in rows] for rows in ordered]


def wide(result, names=None):
    """The table as text: rows are parameters and steps, columns the chosen ones of each method."""
    columns, curves = chosen_columns(result, names), result.curves()
    methods = list(dict.fromkeys(c.method for c in curves))
    first, across = leading(result), len(columns)
    told = {n: digits.distinct(x) for n, x in first.items()}
    texts = {n for n, x in first.items() if labelled.is_text(x)}
    body: list = []
    lines: list = []
    for rows in blocks(result, methods):
        many = len(rows) > 1
        lines += [r"\midrule"] if many or not lines else []
        for any_case, cases in rows:
            heads = [f"{{{text(told[n][any_case])}}}" if n in texts else told[n][any_case] for n in first]
            body.append([*heads, *(cell(result, n, case) for case in cases for n in columns)])
            lines.append(" & ".join(body[-1]) + r" \\")
        last = [result.curve_of(case) if case is not None else None for case in rows[-1][1]]
        lines += order_line(result, columns, last, len(first))
    formats = [format_of(c) for c in zip(*body)]
    span = [f"{1 + len(first) + k * across}-{len(first) + (k + 1) * across}" for k in range(len(methods))]
    return "\n".join(
        [
            f"% {line(result.title)}; needs booktabs and siunitx",
            r"\begin{tabular}{" + "".join(formats) + "}",
            r"\toprule",
            " & ".join([*([""] * len(first)), *(rf"\multicolumn{{{across}}}{{c}}{{{text(m)}}}" for m in methods)]) + r" \\",
            "".join(rf"\cmidrule(lr){{{s}}}" for s in span),
            " & ".join(f"{{{h}}}" for h in [*(name_of(result, n) for n in first), *(header(result, n) for _ in methods for n in columns)]) + r" \\",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def order_line(result, columns, curves, first):
    """The fitted orders in a separate line, where rates are shown; first: the number of columns before."""
    rates = [result.uses.get(n, {}).get("of") for n in columns if result.uses.get(n, {}).get("role") == "rate"]
    if not rates or not any(result.named("order", of) for of in rates):
        return []
    cells = []
    for c in curves:
        for n in columns:
            use = result.uses.get(n, {})
            name = result.named("order", use["of"]) if use.get("role") == "rate" else ""
            cells.append(cell(result, name, c.cases[0]) if name and c else "")
    return [r"\addlinespace", " & ".join(["{order}", *([""] * (first - 1)), *cells]) + r" \\"]
