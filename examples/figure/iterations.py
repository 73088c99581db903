"""iterations.py: an example of a figure (docs/adding.md), for analysis/constella/plot: iterations of the solver against
the step."""
# SPDX-License-Identifier: BSD-2-Clause
from .. import style
from .common import handles, heading
from .kind import kind


@kind("iterations", "Iterations of the solver in a step, the mean over members and steps.")
def iterations(result, sheet):
    """Iterations in a step, against the step."""
    ax, y = sheet.grid(1, 1)[0, 0], result.told("iterations")
    for c in result.curves():
        ax.plot(result.steps[c.cases], y[c.cases], color=style.colour(c), marker=style.marker(c))
    style.step_axis(ax, result.steps[result.shown])
    ax.set(xlabel="step $h$", ylabel="iterations")
    sheet.legend(handles(result, result.curves()))
    sheet.title(heading(result, "iterations"))
