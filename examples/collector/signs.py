"""signs.py: the figure of the collector `signs` (docs/adding.md), for analysis/constella/plot: how often expressions
change their sign."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import style
from .common import handles, heading
from .kind import kind


@kind("signs", "Changes of sign of an expression between observed steps, the mean over the members.",
      needs={"/signs": "the study counts no signs (its key `signs` asks for it)"})
def signs(result, sheet):
    """Changes of sign along trajectories, against the step."""
    names = [n for n in result.names("/signs") if not n.endswith("_mean")]
    for ax, name in zip(sheet.grid(len(names), 1)[:, 0], names):
        changes = np.where(result.status == 0, result.data(f"/signs/{name}")[:, :, 1], np.nan)
        for c in result.curves():
            y = np.nanmean(changes[c.cases], axis=1)
            ax.plot(result.steps[c.cases], y, color=style.colour(c), marker=style.marker(c))
        style.step_axis(ax, result.steps[result.shown])
        ax.set(xlabel="step $h$", ylabel=f"changes of sign of {style.plain(name)}")
    sheet.legend(handles(result, result.curves()))
    sheet.title(heading(result, "changes of sign"))
