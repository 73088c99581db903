"""extremes.py: the least and the largest values of expressions along trajectories, against the step and against
their times."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import style
from .averages import apart
from .common import handles, heading, time_label
from .kind import kind
from .spread import finest

ENDS = ((0, "v"), (1, "^"))  # the entries of the dimension `extreme`: least, largest


def names_of(result):
    """The extremes of the study: those with times beside them."""
    all_names = result.names("/extremes")
    return [n for n in all_names if n + "_time" in all_names]


def good_of(result, name, case):
    """(values, times), [member][2], of the members of a case that did not fail."""
    good = result.status[case] == 0
    return tuple(result.data(f"/extremes/{n}")[case][good] for n in (name, name + "_time"))


def draw_range(ax, result, name, curves):
    """From the least to the largest value over the members, a bar a case."""
    for c in curves:
        ends = []
        for case in c.cases:
            values, _ = good_of(result, name, case)
            ends.append([pick(values[:, k]) for k, pick in ((0, least), (1, largest))])
        low, high = np.array(ends).T
        x = result.steps[c.cases] * apart(curves, c)
        ax.vlines(x, low, high, color=style.colour(c), linestyle=style.dashes(c), linewidth=0.9, zorder=2)
        for y, (_, marker) in zip((low, high), ENDS):
            ax.plot(x, y, color=style.colour(c), marker=marker, markersize=4, linestyle="", zorder=3)


def least(x):
    return np.fmin.reduce(x, initial=np.nan)


def largest(x):
    return np.fmax.reduce(x, initial=np.nan)


def draw_times(ax, result, name, curves):
    """Each member's least and largest value at their first times, at the finest step that is done."""
    for c in curves:
        case = finest(result, c)
        if case is None:
            continue
        values, times = good_of(result, name, case)
        for k, marker in ENDS:
            ax.plot(
                times[:, k],
                values[:, k],
                color=style.colour(c),
                marker=marker,
                markersize=4,
                markerfacecolor="none",
                linestyle="",
                alpha=0.8,
                rasterized=len(times) > 1000,
                zorder=3,
            )


@kind(
    "extremes",
    """The least and the largest value of expressions along trajectories, at observed steps. Left: over all members, against the step.
    Right: of each member at its first time, at the finest step. Pointing down: least; up: largest.""",
    needs={"/extremes": "the study has no extremes (its key `extremes` asks for them)"},
)
def extremes(result, sheet, y=None):
    """The least and the largest value of expressions: over the members, and of each at its time."""
    curves, names = result.curves(), y or names_of(result)
    unknown = [n for n in names if n not in names_of(result)]
    if unknown:
        return f"no extreme is called '{unknown[0]}'; there are {', '.join(names_of(result))}"
    if not any(finest(result, c) is not None for c in curves):
        return "no case is finished"
    axes = sheet.grid(len(names), 2, width=4.3, height=3.0)
    for (left, right), name in zip(axes, names):
        draw_range(left, result, name, curves)
        draw_times(right, result, name, curves)
        style.step_axis(left, result.steps[result.shown])
        left.set(xlabel="step $h$", ylabel=style.plain(name))
        right.set_xlabel(time_label(result))
        style.same_limits((left, right))
        sheet.name(left, name)
        sheet.name(right, f"{name}_time")
    sheet.legend(handles(result, curves, bands=False))
    sheet.title(heading(result, "least and largest values along trajectories"))
    return None
