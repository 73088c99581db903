"""error.py: the error against the reference over time; of two results in one picture."""
# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import pathlib

import numpy as np

from .. import style
from .common import handles, heading, time_label
from .kind import kind


def series(result, case):
    """(t, largest error of the members) at the samples after the start; empty where there is none."""
    t, x = result.time_series("error", case)
    good = np.isfinite(x) & (x > 0)
    return t[good], x[good]


def draw(ax, result, step, dotted=False):
    """A line for each curve that has this step."""
    for c in result.curves():
        case = result.at_step(c, step)
        if case is None:
            continue
        t, x = series(result, case)
        if len(t):
            if dotted:
                ax.plot(t, x, color=style.colour(c), linestyle=":", linewidth=1.3, zorder=2)
            else:
                style.line(ax, c, t, x)


@kind(
    "error",
    """The largest error of q and p over the members, against the reference, at the samples: a panel for each of at most three steps.
    Dotted: those of another result.""",
    needs={"/series/error": "the study has no errors over time: 'error' is not among its observables"},
)
def error(result, sheet, other=None):
    """Error against the reference over time; of a second result (--other FILE) too."""
    from ..result import Result  # which the package of figures does not need otherwise

    with contextlib.ExitStack() as opened:
        second = opened.enter_context(Result(other)) if isinstance(other, (str, pathlib.Path)) else other
        if second is not None and not second.names("/series/error"):
            return f"{pathlib.Path(second.path).name} has no errors over time: 'error' is not among its observables"
        steps = result.chosen_steps()
        row = sheet.row_of_panels(["error"], steps, 4.4, 3.1)[0]
        for ax, step in zip(row, steps):
            ax.set(yscale="log", xlabel=time_label(result), title=f"step {step:.4g}")
            draw(ax, result, step)
            if second is not None:
                draw(ax, second, step, dotted=True)
        style.same_limits(row, x=True)
        row[0].set_ylabel("error of $q$ and $p$")
        sheet.legend(handles(result, result.curves()))
        sheet.title(heading(result, "error over time" + (f"; dotted: {pathlib.Path(second.path).name}" if second is not None else "")))
    return None
