"""machine.py: the mechanism along a stored trajectory: some instants, the earlier ones pale."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import mechanism, motions, style
from ..reading import ResultError
from .common import bracketed, heading
from .kind import kind

INSTANTS = 9
# The projection of space: x to the lower left, y to the right, z up.
ACROSS, UP = np.array([-0.42, 0.91, 0.0]), np.array([-0.38, -0.17, 0.91])


def seen(flat, at):
    """[..., 2]: the projection of points [..., 3]."""
    return at[..., :2] if flat else np.stack([at @ ACROSS, at @ UP], axis=-1)


def one(result, members, time=None):
    """The trajectory that is drawn: that of the first method at its finest step, of the given member or the
    foremost."""
    _, case, member = motions.foremost(result, motions.listed(result, members, finest=True), members)
    found = motions.trajectory(result, case, member)
    return found if time is None else found.between(*time)


def draw_instant(ax, shape, values, i, tone, alpha, length):
    """Rods, points and bodies at time index i; names: artists that tests and legends find by their gid."""
    for name, a, b in shape.rods:
        ends = seen(shape.flat, np.stack([shape.place(a, values)[i], shape.place(b, values)[i]]))
        ax.plot(
            ends[:, 0], ends[:, 1], color="#333333", linewidth=1.6, alpha=alpha, zorder=3, gid=f"rod {name}"
        )
    for name, (entries, centre) in shape.bodies.items():
        matrix, at = shape.axes(name, values)
        for k, colour in enumerate(style.COLOURS[:3]):
            ends = seen(False, np.stack([at[i], at[i] + length * matrix[i][:, k]]))
            ax.plot(
                ends[:, 0],
                ends[:, 1],
                color=colour,
                linewidth=2.0,
                alpha=alpha,
                zorder=4,
                gid=f"body {name} {k}",
            )
    for name in shape.points:
        x, y = seen(shape.flat, shape.place(name, values)[i])
        ax.plot([x], [y], color=tone, marker="o", alpha=alpha, linestyle="", zorder=5, gid=f"point {name}")


def draw_fixed(ax, shape, reach):
    """Anchors and rails, which do not move."""
    for _, _, b in shape.rods:
        if not isinstance(b, str):
            x, y = seen(shape.flat, np.asarray(b))
            ax.plot([x], [y], color="black", marker="^", linestyle="", zorder=6, gid="anchor")
    for _, normal, distance in shape.rails:
        along, foot = np.array([-normal[1], normal[0], 0.0]), distance * normal
        ends = seen(shape.flat, np.stack([foot - reach * along, foot + reach * along]))
        ax.plot(
            ends[:, 0],
            ends[:, 1],
            color=style.PALE,
            linewidth=2.5,
            zorder=1,
            gid="rail",
            scalex=False,
            scaley=False,
        )


def reach_of(shape, values):
    """The largest distance from the origin."""
    points = [shape.place(p, values) for p in shape.points]
    far = max([float(np.nanmax(np.abs(style.bounded(p)))) for p in points], default=0.0)
    return far or 1.0


@kind(
    "mechanism",
    """The mechanism along a stored trajectory: points, rods and anchors as the text of the system has them, bodies as their axes; the last
    instant dark, earlier ones pale, thin lines the paths of points. In space z is up.""",
)
def draw_mechanism(result, sheet, members=None, time=None):
    """The mechanism itself, read off the system's text; with -o PAGE.html as an animation."""
    t = one(result, members, time)
    shape = mechanism.of(result, t.case)
    if not len(t.t):
        raise ResultError("the trajectory is empty")
    ax = sheet.grid(1, 1, width=5.6, height=5.6)[0, 0]
    reach, values = reach_of(shape, t.values), t.values
    ends = np.unique(np.linspace(0, min(len(t.t) - 1, 40 * INSTANTS), INSTANTS).astype(int))
    for name in shape.points:
        at = seen(shape.flat, style.bounded(shape.place(name, values)))[: ends[-1] + 1]
        ax.plot(at[:, 0], at[:, 1], color=style.PALE, linewidth=0.6, zorder=2, gid=f"path {name}")
    for k, i in enumerate(ends):
        fade = 1.0 if i == ends[-1] else 0.08 + 0.3 * k / len(ends)
        draw_instant(ax, shape, values, i, style.COLOURS[0], fade, 0.4 * reach)
    draw_fixed(ax, shape, reach)
    ax.set_aspect("equal", adjustable="datalim")
    unit = bracketed(result.unit_of(next(iter(shape.points.values()))[0])) if shape.points else ""
    if shape.flat:
        ax.set(xlabel="x" + unit, ylabel="y" + unit)
    else:
        ax.tick_params(labelbottom=False, labelleft=False, length=0)
    ax.set_title(
        f"{style.wrapped(t.label)}, step {t.step:.4g}, member {t.member}, "
        f"t = {t.t[0]:.4g} to {t.t[ends[-1]]:.4g}",
        fontsize=style.small() + 1.5,
    )
    sheet.title(heading(result, "the mechanism"))
    return None
