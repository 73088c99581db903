"""brief.py: what a notebook shows of results, trajectories and comparisons: a line, and a short table."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .motions import Trajectory
    from .result import Result

ROWS = 12  # of a table; the text below it tells how many there are
NAMES = 8


def some(names: Sequence[str], most: int = NAMES) -> str:
    """The names, or the first of them and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def entry(x: Any) -> str:
    """A cell: text, or a number of at most four digits."""
    if isinstance(x, str):
        return x or "–"
    return "–" if x != x else f"{float(x):.4g}"


def table(heading: str, columns: Iterable[str], rows: Sequence[Sequence[Any]], total: int) -> str:
    """rows: the first of so many in total."""
    head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(entry(x))}</td>" for x in row) + "</tr>" for row in rows
    )
    more = f"<p>{total - len(rows)} more rows</p>" if total > len(rows) else ""
    return (
        f"<p>{html.escape(heading)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def result_html(result: Result) -> str:
    """The default columns of the first cases."""
    names, shown = result.columns, result.chosen
    columns = [result.column(n) for n in names]
    rows = [[case, *(c[case] for c in columns)] for case in shown[:ROWS]]
    return table(repr(result)[1:-1], ["case", *names], rows, len(shown))


def trajectory_html(t: Trajectory) -> str:
    """Its quantities, with units, first and last values, and extremes."""
    rows = [
        [n, t.units.get(n, "1"), x[0], x[-1], min(x), max(x)] for n, x in list(t.values.items())[: 2 * ROWS]
    ]
    return table(repr(t)[1:-1], ["quantity", "unit", "first", "last", "least", "largest"], rows, len(t.values))
