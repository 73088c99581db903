"""columns.py: columns of the table against each other: those with an attribute for their axis, or any named
ones."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import edges, style
from ..reading import unknown
from .common import behind, groups, handles, heading, positive
from .kind import kind


def abscissa(result, column):
    """The numbers of a column on the x axis; for the nominal step, the steps taken."""
    return result.steps if result.uses[column]["role"] == "step" else result.numbers(column)


def drawn(x, scale):
    return style.raised(x) if scale == "log" else style.bounded(x)


def meaning(result, column):
    """The name of a column, with its description below."""
    words = result.attribute(f"/statistics/{column}", "long_name")
    return (
        style.plain(column)
        + result.unit(f"/statistics/{column}")
        + (f"\n{style.wrapped(words, 36)}" if words else "")
    )


def scaled(result, column):
    """(column, scale): logarithmic where all numbers are positive and differ by a factor of thirty."""
    x = result.column(column)
    if x is None or x.dtype.kind == "O":
        numbers = [
            n
            for n in result.names("/statistics")
            if result.column(n) is not None and result.column(n).dtype.kind != "O"
        ]
        raise unknown("column of numbers", column, numbers)
    x = style.bounded(x[result.shown])
    x = x[np.isfinite(x)]
    return column, "log" if len(x) and (x > 0).all() and x.max() > 30 * x.min() else "linear"


def draw_columns(ax, result, group, across, x_scale, name, scale):
    x, y = abscissa(result, across), result.numbers(name)
    ax.set(xscale=x_scale, yscale=scale)
    for c in group.curves:
        keep = c.cases[np.isfinite(x[c.cases]) & np.isfinite(y[c.cases])]
        look = {
            "color": style.colour(c),
            "marker": style.marker(c),
            "linestyle": style.dashes(c),
            "linewidth": 1.2,
        }
        ax.plot(drawn(x[keep], x_scale), drawn(y[keep], scale), **look)
    behind(ax, [(drawn(x[c.cases], x_scale), drawn(y[c.cases], scale)) for c in group.others])
    for axis, which in ((ax.xaxis, x_scale), (ax.yaxis, scale)):
        if which == "log":
            style.log_axis(axis)
    if scale == "log":
        mine = [edges.line(c, x[c.cases], y[c.cases]) for c in group.curves]
        edges.keep_in_sight(ax, mine, [y[c.cases] for c in group.others])
        edges.note_floor(ax, [y[result.shown]])


@kind(
    "axes",
    "The columns of the table that say where they belong: those of the y axis against those of the x axis.",
)
def axes(result, sheet, x=None, y=None):
    """Columns of the table against each other: those of their own axes, or --x and --y."""
    curves = result.curves()
    xs = [scaled(result, n) for n in x] if x else result.on_axis("x")
    ys = [scaled(result, n) for n in y] if y else result.on_axis("y")
    ys = [(name, scale) for name, scale in ys if positive(result.numbers(name)[result.shown])]
    if not curves or not xs or not ys:
        return "no column says that it belongs on an axis; --x and --y name some"
    found = groups(curves)
    panels = sheet.grid(len(ys) * len(found), len(xs), width=4.6, height=3.8)
    for k, (row, (group, (name, scale))) in enumerate(zip(panels, [(g, y) for g in found for y in ys])):
        for ax, (across, x_scale) in zip(row, xs):
            draw_columns(ax, result, group, across, x_scale, name, scale)
            sheet.name(ax, name)
            ax.set_xlabel(meaning(result, across))
        row[0].set_ylabel(meaning(result, name))
        if k % len(ys) == 0:
            sheet.legend(handles(result, group.curves, bands=False), (k, k + len(ys) - 1))
    sheet.title(heading(result, "columns of the table"))
    return None
