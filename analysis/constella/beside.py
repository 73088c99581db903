"""beside.py: what `constella compare A B` prints: two results side by side."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import csv
import io
import statistics

from . import brief
from .compare import Comparison, Cost, columns_of, largest, some

WIDTH = 14  # of what stands before each line


def line(what: str, said: str) -> str:
    return f"{what:<{WIDTH}}{said}\n"


def made(c: Comparison, which: int) -> str:
    """The program, its code and the machine of A (1) or B (2)."""
    told = {row[0]: row[which] for row in c.origin}
    ranks = f"{told['ranks']} rank" + "s" * (told["ranks"] != "1")
    return f"{told['program']} {told['version']} ({told['source']}), {told['kernels']} kernels, {told['instruction set']}, {ranks}, {told['machine']}"


def builds(c: Comparison) -> str:
    """What made them and differs, beyond the first two lines."""
    shown = ("compiler", "libraries")
    return "".join(line(what, f"A: {a}") + line("", f"B: {b}") for what, a, b in c.origin if what in shown and a != b)


def cases(c: Comparison) -> str:
    said = f"{c.common} in both"
    for name, path in (("A", c.a), ("B", c.b)):
        if c.alone[path]:
            said += f"; {len(c.alone[path])} only in {name}: {some(c.alone[path])}"
    return said


def bits(c: Comparison) -> str:
    if not c.common:
        return "no case to compare"
    if not (c.differences or c.data):
        return "equal in all columns and data"
    return f"differ in {len(columns_of(c.differences))} columns and {len(c.data)} datasets"


def beyond(c: Comparison) -> str:
    """A line per column with its largest difference."""
    names = columns_of(c.beyond)
    if not names:
        return line("beyond noise", "nothing")
    rows = [("column", "cases", "A", "B", "relative", "where it is largest")]
    for name in names:
        mine = [d for d in c.beyond if d.column == name]
        most = largest(mine)
        relative = "" if most.relative != most.relative else f"{most.relative:.2g}"
        rows.append((name, str(len(mine)), brief.entry(most.a), brief.entry(most.b), relative, most.case))
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    return line("beyond noise", "") + "".join(
        "  " + "  ".join([*(f"{x:<{w}}" for x, w in zip(row, widths)), row[5]]) + "\n" for row in rows
    )


def cost(c: Cost) -> str:
    spread = f" ({min(c.ratios):.3g} to {max(c.ratios):.3g})" if len(c.ratios) > 1 else ""
    more = f", beyond its repeats for {some(c.beyond)}" if c.beyond else ""
    return f"{c.name} {statistics.median(c.ratios):.3g}{spread}{more}"


def conclusion(c: Comparison) -> str:
    if c.agrees:
        return "A and B agree."
    if c.short:
        return f"Sums over members in {' and '.join(c.short)} have fewer terms than members."
    if c.beyond or any(x.beyond for x in c.costs):
        return "A and B differ beyond noise."
    return "A and B do not have the same cases; those in both agree." if c.common else "A and B have no case in common."


def text(c: Comparison) -> str:
    """All of it. The last line tells whether they agree."""
    within = [d.relative for d in c.within if d.relative == d.relative]
    out = [line("A", f"{c.a}: {made(c, 1)}"), line("B", f"{c.b}: {made(c, 2)}"), builds(c)]
    out += [line("study", brief.some(c.study) if c.study else "the same"), line("cases", cases(c)), line("bits", bits(c))]
    out.append(beyond(c))
    if c.within:
        most = f", by a factor 1 + {max(within):.2g} at most" if within else ""
        out.append(line("within noise", f"{brief.some(columns_of(c.within))}{most}"))
    if c.unjudged:
        out.append(line("not judged", f"{brief.some(columns_of(c.unjudged))} (they follow from others)"))
    if c.short:
        out.append(line("sums", "; ".join(f"members are missing in {x}: constella verify {x} shows where" for x in c.short)))
    if c.costs:
        out.append(line("work, B / A", "; ".join(map(cost, c.costs))))
    return "".join(out) + conclusion(c) + "\n"


def table(c: Comparison) -> str:
    """All differences as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(c.rows())
    return out.getvalue()
