"""work.py: error, or the change of the energy, against work: evaluations, iterations, time.

Evaluations and iterations are counted. Time is measured, and what disturbs a measurement only adds to it:
points are where it was measured, the line is at the least of each time and of those of smaller steps. Points
on the plateau of round-off are hollow.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np
from matplotlib.lines import Line2D

from .. import edges, style
from .common import behind, by_method, change, crowded, drawn_lines, groups, handles, heading, positive
from .kind import kind

FRONT = "0.8"  # grey of the front
PLATEAU = 0.3  # a slope below it, from the best error so far, is not convergence


def costs(result):
    """(what, values, whether they are measured) for each measure of work that the file holds."""
    steps = result.data("/cases/n").astype(float)
    rate = result.numbers("steps_per_second")
    seconds = np.divide(steps, rate, out=np.full(len(steps), np.nan), where=rate > 0)
    known = result.numbers("cpu_seconds")  # where the study asks for timing: the least of several runs
    seconds = np.where(np.isfinite(known), known, seconds)
    found = [
        ("evaluations of the force", style.bounded(result.told("evaluations")) * steps, False),
        ("iterations of the solver", style.bounded(result.told("iterations")) * steps, False),
        ("solves of linear systems", style.bounded(result.told("work", "solves")), False),
        ("CPU time of a trajectory [s]", seconds, True),
    ]
    return [(what, x, measured) for what, x, measured in found if positive(x[result.shown])]


def rising(x):
    """The minimum of each time and all times of smaller steps, which cannot have been faster: disturbances
    only add to a measurement."""
    return np.minimum.accumulate(x[::-1])[::-1]


def converging(result, curve, y):
    """True for the points of a curve up to the last at which refining still helped; False on the plateau
    behind it."""
    h, y = result.steps[curve.cases], style.raised(y[curve.cases])
    best, last = y[0], 0
    for k in range(1, len(y)):
        if y[k] < best * (h[k] / h[last]) ** PLATEAU:
            best, last = y[k], k
        elif not np.isfinite(best):
            best, last = y[k], k
    return np.arange(len(y)) <= last


def draw_work(ax, result, curve, x, y, measured):
    """A curve of work against precision."""
    inside = converging(result, curve, y)
    keep = np.isfinite(y[curve.cases]) & (x[curve.cases] > 0)
    cases, inside = curve.cases[keep], inside[keep]
    if not len(cases):
        return
    tone, mark, height = style.colour(curve), style.marker(curve), style.raised(y[cases])
    across = rising(x[cases]) if measured else x[cases]
    solid = np.flatnonzero(inside)
    ax.plot(across, height, color=tone, linestyle=(0, (2, 2)), linewidth=0.9, alpha=0.6, zorder=2)
    ax.plot(across[solid], height[solid], color=tone, linestyle=style.dashes(curve), linewidth=1.3, zorder=3)
    ax.plot(x[cases][solid], height[solid], color=tone, marker=mark, linestyle="", zorder=3)
    ax.plot(
        x[cases][~inside],
        height[~inside],
        color=tone,
        marker=mark,
        markerfacecolor="white",
        linestyle="",
        alpha=0.6,
        zorder=3,
    )


def draw_sets(ax, result, curves, x, y):
    """A method at many sets of parameters: the range of y, and the largest, at each step; work is that of the
    first set."""
    count = min(len(c.cases) for c in curves)
    rows = np.array([style.raised(y[c.cases[:count]]) for c in curves])
    across = np.nanmedian(np.array([x[c.cases[:count]] for c in curves]), axis=0)
    with np.errstate(all="ignore"):
        low, high = np.fmin.reduce(rows), np.fmax.reduce(rows)
    keep = np.isfinite(high) & (across > 0)
    tone = style.colour(curves[0])
    ax.vlines(across[keep], low[keep], high[keep], color=tone, alpha=0.4, linewidth=4, zorder=2)
    ax.plot(across[keep], high[keep], color=tone, marker=style.marker(curves[0]), linewidth=1.2, zorder=3)


def front(x, y):
    """The corners of the front: by rising x, the points with a smaller y than all before."""
    good = np.flatnonzero((x > 0) & np.isfinite(x) & (y > 0) & np.isfinite(y))
    order = good[np.lexsort((y[good], x[good]))]
    least = np.minimum.accumulate(y[order])
    return order[np.flatnonzero(np.concatenate([[True], least[1:] < least[:-1]]))] if len(order) else order


def draw_front(ax, result, x, y):
    """The front of all cases: none is cheaper and at least as precise."""
    corners = front(np.where(result.shown, x, np.nan), np.where(result.shown, style.raised(y), np.nan))
    ax.step(x[corners], y[corners], where="post", color=FRONT, linewidth=3.5, alpha=0.6, zorder=1)


def draw_work_panel(ax, result, group, x, y, measured):
    ax.set(xscale="log", yscale="log")
    for _, curves in by_method(group.curves):
        if crowded(curves):
            draw_sets(ax, result, curves, x, y)
        else:
            for c in curves:
                draw_work(ax, result, c, x, y, measured)
    if result.named("front", "evaluations"):
        draw_front(ax, result, x, y)
    behind(
        ax, [(np.where(x[c.cases] > 0, x[c.cases], np.nan), style.raised(y[c.cases])) for c in group.others]
    )
    shown = np.concatenate([y[c.cases] for c in (*group.curves, *group.others)])
    style.log_axis(ax.xaxis)
    style.log_axis(ax.yaxis)
    mine = drawn_lines(group.curves, lambda c: (x[c.cases], y[c.cases]))
    edges.keep_in_sight(ax, mine, [y[c.cases] for c in group.others])
    edges.note_floor(ax, [shown])


def draw(result, sheet, y, label):
    """A column for each measure of work, a row for each group of methods."""
    panels = costs(result) if result.curves() else []
    if not panels:
        return "no work was counted"
    if not positive(y[result.shown]):
        return "there is nothing to set against the work"
    found = groups(result.curves())
    axes = sheet.grid(len(found), len(panels), width=4.1, height=4.2 if len(found) == 1 else 3.2, sharey=True)
    for k, (row, group) in enumerate(zip(axes, found)):
        for ax, (measure, x, measured) in zip(row, panels):
            draw_work_panel(ax, result, group, x, y, measured)
            sheet.name(ax, measure.split()[0])
            ax.set_xlabel(measure)
        row[0].set_ylabel(label)
        extra = [style.faded("round-off: smaller steps do not help")]
        if result.named("front", "evaluations"):
            label = "front: no other case is cheaper and as precise"
            extra.append(Line2D([], [], color=FRONT, linewidth=3.5, alpha=0.6, label=label))
        sheet.legend(handles(result, group.curves, extra=extra), (k, k))
    for column in axes.T:
        style.same_limits(column, x=True)
    sheet.title(heading(result, "work against precision"))
    return None


@kind(
    "work",
    """Error against work: evaluations of the force and iterations, which depend on the method alone, and measured time, which depends on the
    machine: its points are measurements, its lines at the least of each and of those of smaller steps, since what disturbs only adds. Hollow:
    on the plateau of round-off. Grey, in work-precision studies: the front, the cases to which no other is superior in both.""",
)
def work(result, sheet):
    """Error against work: evaluations, iterations, CPU time."""
    judged = result.quantities("accuracy")
    if judged and judged[0] not in ("error", "q", "p", "lambda"):
        largest = "largest " + change(result, judged[0])
        return draw(result, sheet, result.told("accuracy", judged[0]), largest)
    of = judged[0] if judged and judged[0] != "error" else "total"
    if not judged and not positive(result.told("error", "total")):
        of = next(iter(result.quantities("error")), "total")
    return draw(
        result,
        sheet,
        result.told("error", of),
        ("error of $q$ and $p$" if of == "total" else f"error of {of}") + result.column_unit("error", of),
    )


@kind(
    "work-energy",
    "The largest change of the energy against work. Hollow: smaller steps do not help any more.",
)
def work_energy(result, sheet):
    """The largest change of the energy against work."""
    if not any(len(c.cases) > 1 for c in result.curves()):
        return "the study has one step"
    return draw(result, sheet, result.told("largest", "energy"), "largest " + change(result, "energy"))
