"""edges.py: the range that a panel shows, and marks for whatever lies outside it.

No curve leaves a panel in silence. A triangle in the curve's colour stands at the edge where the curve
leaves, and a note above the panel names the curve and its largest value. Only values above a wide gap over
the median are left out, so that a method which blew up does not press all others into one line.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses

import numpy as np

from . import notes, style

GAP = 1e6  # a gap of this width above the median separates values that blew up
HOW = "methods=LABEL draws it alone"


@dataclasses.dataclass(frozen=True)
class Line:
    """What a curve draws: its name and colour, and the numbers before zeros and infinities are replaced."""

    name: str
    colour: str
    x: np.ndarray
    y: np.ndarray


def line(curve, x, y):
    return Line(curve.label, style.colour(curve), np.asarray(x, dtype=float), np.asarray(y, dtype=float))


def worth_seeing(values, gap=GAP):
    """(lowest, highest) value for a logarithmic axis, without values above a wide gap over the median. None:
    nothing."""
    x = np.sort(style.raised(np.concatenate([np.ravel(v) for v in values]) if len(values) else np.zeros(0)))
    x = x[np.isfinite(x)]
    if not len(x):
        return None
    wide = np.flatnonzero(x[1:] / x[:-1] > gap)
    wide = wide[wide >= (len(x) - 1) // 2]
    return x[0], x[wide[0]] if len(wide) else x[-1]


def keep_in_sight(ax, lines, others=(), gap=GAP):
    """Limit a logarithmic axis to what is worth seeing of all values, and mark the lines that leave it.

    lines: [Line]; others: values [array] of what is drawn behind them, which have marks elsewhere."""
    ends = worth_seeing([*(n.y for n in lines), *others], gap)
    if ends is None:
        return
    low, high = ends
    bottom, top = ax.get_ylim()
    if any((style.bounded(n.y) > high).any() or np.isinf(n.y).any() for n in lines):
        margin = max(high / low, 10.0) ** 0.06
        bottom, top = low / margin, high * margin**2
    ax.set_ylim(bottom, top)
    mark(ax, lines)


def number(x):
    """A value in a note: two digits."""
    return f"{x:.2g}" if x < style.LARGEST else f"{style.LARGEST:g} and more"


def mark(ax, lines):
    """Mark every line that leaves the panel at its top or bottom."""
    bottom, top = ax.get_ylim()
    dips = []
    for n in lines:
        y = np.abs(n.y)
        above = np.flatnonzero((y > top) & ~np.isnan(n.x))
        if len(above):
            triangle(ax, n, above, 1, "^")
            notes.add(ax, f"▲ {n.name}: up to {number(np.nanmax(y))}", n.colour)
        below = np.flatnonzero((style.raised(n.y) < bottom) & ~np.isnan(n.x))
        if len(below):
            triangle(ax, n, below, 0, "v")
            dips.append(y[below].min())
    if any("▲" in note for note in notes.of(ax)):
        notes.add(ax, f"▲ leaves the panel; {HOW}")
    if dips:
        notes.add(ax, f"▼ values down to {number(min(dips))} lie below the panel")


def triangle(ax, n, outside, edge, marker):
    """A mark at the edge, in the middle of the part of the line that is outside."""
    at = n.x[outside[len(outside) // 2]]
    ax.plot(
        [at],
        [0.985 if edge else 0.015],
        transform=ax.get_xaxis_transform(),
        color=n.colour,
        marker=marker,
        linestyle="",
        clip_on=False,
        zorder=6,
        scalex=False,
        gid="leaves",
    )


def note_floor(ax, values):
    """Note that a zero was drawn at the floor, if the panel reaches as far. values: [array]."""
    if ax.get_ylim()[0] <= style.FLOOR and any((np.asarray(v) == 0).any() for v in values):
        notes.add(ax, "0 drawn at 1e-17")
