"""blob.py: a set of starts in a phase plane at several times."""
# SPDX-License-Identifier: BSD-2-Clause
import matplotlib
import numpy as np

from .. import motions, style
from ..reading import ResultError
from .common import MOST, heading
from .kind import kind
from .motion import label

TIMES = 6  # at most
NEAR = 0.3  # of the set's extent: larger gaps between neighbours are none of a closed curve


def plane_of(first, x, y):
    """The two expressions: a coordinate and its velocity or momentum, unless they are named."""
    across = x[0] if x else next(n for n in first.names if n != "t")
    up = y[0] if y else next((n for n in (f"p_{across}", f"{across}'") if n in first.names), None)
    if not up:
        raise ResultError(
            f"neither a velocity nor a momentum of {across} was stored; there are {', '.join(first.names)}: name two by --x and --y"
        )
    return across, up


def is_curve(points):
    """Whether points [n][2], in their order, lie along a closed curve: no gap is large."""
    gaps = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
    return len(points) >= 12 and gaps.max() <= NEAR * np.hypot(*np.ptp(points, axis=0))


def is_torn(points):
    """Whether neighbours on the curve are on opposite sides of the picture, as where an angle jumps by 2 pi."""
    return bool((np.abs(np.roll(points, -1, axis=0) - points) > 0.5 * np.ptp(points, axis=0)).any())


def area(points):
    """Of the polygon with these corners."""
    a, b = points, np.roll(points, -1, axis=0)
    return 0.5 * abs(float((a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1]).sum()))


def moments_of(trajectories, time):
    """Indices of at most TIMES stored times, equidistant, between those of `time`."""
    t = min((u.t for u in trajectories), key=len)
    first, last = time or (t[0], t[-1])
    inside = np.flatnonzero((t >= first) & (t <= last))
    if not len(inside):
        raise ResultError(f"no stored time is between {first:g} and {last:g}; they go from {t[0]:g} to {t[-1]:g}")
    return t, np.unique(inside[np.linspace(0, len(inside) - 1, min(TIMES, len(inside))).round().astype(int)])


def draw(ax, points, colour, whole):
    """The set at one time; whole: its area at first, 0: its points are not joined."""
    if not whole or is_torn(points):
        ax.scatter(points[:, 0], points[:, 1], color=[colour], s=3, linewidths=0, rasterized=True)
        return
    corner = np.vstack([points, points[:1]])
    ax.fill(points[:, 0], points[:, 1], color=colour, alpha=0.25, linewidth=0)
    ax.plot(corner[:, 0], corner[:, 1], color=colour, linewidth=1.0)
    text = ax.text(*points.mean(axis=0), f"{area(points) / whole:.4g}", ha="center", va="center", fontsize=style.small(), zorder=5)
    text.set_bbox({**style.PATCH, "edgecolor": colour, "linewidth": 0.9, "pad": 1.2})


@kind(
    "blob",
    """A set of starts in the plane of two expressions at equidistant times, at the finest step of each method. Where the
    starts go round a closed curve they are joined, and numbers tell the areas, in units of that at first: exact motions
    with one degree of freedom, and symplectic methods, keep it.""",
)
def blob(result, sheet, x=None, y=None, members=None, time=None):
    """A set of starts in a phase plane --x, --y at several times between --time."""
    found = motions.trajectories(result, members, finest=True)
    if len({t.member for t in found}) < 3:
        return "three members or more make a set: store them with trajectories: {members: [...], every: ...}"
    curves = [c for c in result.curves() if any(t.case in c.cases for t in found)][:MOST]
    across, up = plane_of(found[0], x, y)
    t, at = moments_of(found, time)
    columns = min(len(curves), 3)
    axes = sheet.grid(-(-len(curves) // columns), columns, width=4.4, height=4.0)
    tones = matplotlib.colormaps["viridis"](np.linspace(0, 0.92, len(at)))
    for ax, curve in zip(axes.ravel(), curves):
        mine = [u for u in found if u.case in curve.cases]
        data = np.array([np.stack([style.bounded(u[across])[at], style.bounded(u[up])[at]]) for u in mine])
        whole = area(data[:, :, 0]) if is_curve(data[:, :, 0]) else 0
        for k, tone in enumerate(tones):
            draw(ax, data[:, :, k][np.isfinite(data[:, :, k]).all(axis=1)], tone, whole)
        ax.set(xlabel=label(across, found[0]), ylabel=label(up, found[0]))
        ax.set_title(style.wrapped(curve.label, 34), fontsize=style.small() + 1.5)
        sheet.name(ax, curve.label)
    sheet.hide(axes.ravel()[len(curves) :])
    sheet.legend([style.Line2D([], [], color=tone, linewidth=3, label=f"t = {t[i]:.4g}") for i, tone in zip(at, tones)])
    sheet.title(heading(result, "a set of starts"))
    return None
