"""space.py: stored trajectories as curves in space: three expressions, the points of a system, axes of bodies."""
# SPDX-License-Identifier: BSD-2-Clause
import itertools

import numpy as np

from .. import mechanism, style
from ..reading import ResultError
from .common import heading
from .kind import kind
from .motion import POINTS, chosen, chosen_set, first_of

AZIMUTH, ELEVATION = np.radians(-55), np.radians(22)
PANELS = 4  # at most
# from space to the picture: to the right, upwards
VIEW = np.array(
    [
        [-np.sin(AZIMUTH), np.cos(AZIMUTH), 0],
        [-np.cos(AZIMUTH) * np.sin(ELEVATION), -np.sin(AZIMUTH) * np.sin(ELEVATION), np.cos(ELEVATION)],
    ]
)
DEPTH = np.array([np.cos(AZIMUTH) * np.cos(ELEVATION), np.sin(AZIMUTH) * np.cos(ELEVATION), np.sin(ELEVATION)])


def of_expressions(trajectory, names):
    return {", ".join(names): np.stack([trajectory[n] for n in names], axis=1)}


def of_mechanism(result, trajectory):
    """{name: [time][3]} of the points of a system, and of the third axes of its bodies."""
    shape = mechanism.of(result, trajectory.case)
    found = {f"point {p}": shape.place(p, trajectory.values) for p in shape.points}
    for body in shape.bodies:
        if not shape.bodies[body][1]:  # the path of a centre is there
            found[f"axis 3 of {body}"] = shape.axes(body, trajectory.values)[0][:, :, 2]
    return found


def limits_of(curves):
    """The box of all curves, [2][3]; a side without extent gets some."""
    points = np.concatenate([c for c in curves if len(c)])
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        raise ResultError("the trajectories have no finite points")
    low, high = points.min(axis=0), points.max(axis=0)
    flat = (high - low) < 1e-3 * max((high - low).max(), 1e-300)
    return np.array([np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high)])


class Box:
    """A view of a box, whose sides are stretched to equal length unless `equal`."""

    def __init__(self, limits, equal):
        self.limits, size = limits, limits[1] - limits[0]
        self.scale = np.full(3, size.max()) if equal else size

    def seen(self, points):
        """[..., 2] in the picture."""
        return ((points - self.limits.mean(axis=0)) / self.scale) @ VIEW.T

    def corner(self, which):
        return self.limits[list(which), [0, 1, 2]]

    def height(self, width):
        """Of a panel of this width."""
        corners = np.array([self.corner(c) for c in itertools.product((0, 1), repeat=3)])
        across, up = np.ptp(self.seen(corners), axis=0)
        return float(np.clip(width * up / across + 0.5, 2.2, 6.0))

    def draw(self, ax, names):
        """The edges, those behind the curves dotted; names and limits of the three in front."""
        nearest = tuple(int(d > 0) for d in DEPTH)
        farthest = tuple(1 - k for k in nearest)
        for a, b in itertools.combinations(itertools.product((0, 1), repeat=3), 2):
            if sum(i != j for i, j in zip(a, b)) != 1:
                continue
            ends = self.seen(np.array([self.corner(a), self.corner(b)]))
            if nearest in (a, b):  # they would hide the curves
                continue
            behind = farthest in (a, b)
            ax.plot(*ends.T, color=style.PALE, linewidth=0.7, linestyle=":" if behind else "-", zorder=1)
        self._label(ax, names)

    def _label(self, ax, names):
        middle = self.seen(self.limits.mean(axis=0))
        for k, (bottom, fixed) in enumerate((((0, 1), (None, 0, 0)), ((0, 1), (1, None, 0)), ((0, 1), (0, 0, None)))):
            places = [self.corner([end if f is None else f for f in fixed]) for end in bottom]
            at = self.seen(np.array(places))
            away = at.mean(axis=0) - middle
            away = away / max(np.hypot(*away), 1e-12)
            for end, share in zip(bottom, (0.07, 0.93)):
                ax.annotate(
                    f"{self.limits[end][k]:.3g}",
                    at[0] + share * (at[1] - at[0]),
                    xytext=8 * away,
                    textcoords="offset points",
                    ha="center",
                    va="center",
                    fontsize=style.small(),
                    color=style.GREY,
                )
            ax.annotate(names[k], at.mean(axis=0), xytext=14 * away, textcoords="offset points", ha="center", va="center")


def panel_of(ax, box, curves, tones, name):
    box.draw(ax, name)
    for tone, points in zip(tones, curves.values()):
        step = max(1, len(points) // (4 * POINTS))
        at = box.seen(style.bounded(points[::step]))
        ax.plot(*at.T, color=tone, linewidth=0.7, zorder=3)
        ax.plot(*at[:1].T, color=tone, marker="o", markersize=4, markerfacecolor="white", linestyle="", zorder=4)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.09)
    ax.set_axis_off()


@kind(
    "space",
    """Stored trajectories as curves in space, seen from above and the side: three expressions, or the points of the system and
    the third axes of its bodies. Circles: the starts. Numbers: the limits of the box.""",
)
def space(result, sheet, x=None, y=None, z=None, members=None, time=None):
    """Curves in space: three expressions --x, --y, --z, or the points and bodies of the system."""
    first_of(result, members)
    named = [a[0] for a in (x, y, z) if a]
    if len(named) not in (0, 3):
        raise ResultError("space takes three expressions, --x, --y and --z, or none")
    found = chosen(result, members, time)
    curve = {k: c for c in result.curves() for k in c.cases}
    methods = list(dict.fromkeys(curve[t.case].method for t in found))[:PANELS]
    made: dict = {m: {} for m in methods}
    for t in [t for t in found if curve[t.case].method in methods]:
        mine = of_expressions(t, named) if named else of_mechanism(result, t)
        several = len({u.member for u in found}) > 1
        made[curve[t.case].method].update({f"{n}, member {t.member}" if several else n: p for n, p in mine.items()})
    if not all(made.values()):
        return "the system has neither points nor bodies; name three expressions with --x, --y and --z"
    box = Box(limits_of([p for curves in made.values() for p in curves.values()]), equal=not named)
    axes = sheet.grid(1, len(methods), width=4.8, height=box.height(4.8))
    labels = list(dict.fromkeys(n for curves in made.values() for n in curves))
    for ax, method in zip(axes[0], methods):
        tones = [style.COLOURS[labels.index(n) % len(style.COLOURS)] for n in made[method]]
        panel_of(ax, box, made[method], tones, [style.symbol(n) for n in named] or ["$x$", "$y$", "$z$"])
        ax.set_title(style.wrapped(method, 34), fontsize=style.small() + 1.5)
        sheet.name(ax, method)
    entries = [
        style.Line2D([], [], color=style.COLOURS[k % len(style.COLOURS)], label=style.plain(n)) for k, n in enumerate(labels)
    ]
    if len(labels) > 1:
        sheet.legend(entries[:20])
    sheet.title(heading(result, "curves in space" + chosen_set(result, found)))
    return None
