"""exponents.py: running Lyapunov exponents against time."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import style
from .common import handles, heading, time_label
from .kind import kind


def draw_running(ax, result, curve, case):
    """The median of the members' largest exponents, in a band from their 5 to their 95 % quantiles."""
    t, x = result.data("/lyapunov/time")[case], result.data("/lyapunov/running_1")[case]
    good = np.isfinite(x).any(axis=1)
    keep = np.isfinite(t)
    if not good.any() or not keep.any():
        return
    with np.errstate(all="ignore"):
        low, middle, high = np.nanquantile(np.abs(x[good][:, keep]), [0.05, 0.5, 0.95], axis=0)
    if good.sum() > 1:
        ax.fill_between(t[keep], low, high, color=style.colour(curve), alpha=0.2, linewidth=0, zorder=2)
    style.line(ax, curve, t[keep], middle)


@kind(
    "exponents",
    """The largest Lyapunov exponent until a time, its absolute value: the median over the members and a band from 5 to
    95 % of them. Dashed: log(t)/t, as which it decays for regular motion.""",
)
def exponents(result, sheet):
    """Running Lyapunov exponents."""
    if result.data("/lyapunov/running_1") is None:
        return "no Lyapunov exponents were measured: 'lyapunov' is not among the observables"
    ax, curves = sheet.grid(1, 1)[0, 0], result.curves()
    for c in curves:
        if len(c.cases):
            draw_running(ax, result, c, c.cases[-1])
    times = result.data("/lyapunov/time")
    times = np.unique(times[np.isfinite(times) & (times > np.e)])
    if len(times) > 1:
        ax.plot(times, np.log(times) / times, color="black", linestyle="--", linewidth=0.8, zorder=1)
    ax.set(xscale="log", yscale="log", xlabel=time_label(result), ylabel=r"$|\lambda_1(t)|$")
    sheet.legend(handles(result, curves))
    sheet.title(heading(result, "running exponent"))
    return None
