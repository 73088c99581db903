"""machine.py: the mechanism along stored trajectories: some instants, the earlier ones pale; a panel for each
method and member."""
# SPDX-License-Identifier: BSD-2-Clause
import matplotlib
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

from .. import mechanism, style
from ..reading import ResultError
from .common import bracketed, heading
from .kind import kind
from .motion import chosen

INSTANTS, PANELS = 9, 9
# The projection of space: the first axis to the lower left, the second to the right, the third up.
ACROSS, UP = np.array([-0.42, 0.91, 0.0]), np.array([-0.38, -0.17, 0.91])
TOWARDS = np.cross(ACROSS, UP)
LIGHT = np.array([0.45, 0.3, 0.84])  # where it comes from
DARK = 0.62  # of the brightness: dark faces


def seen(shape, at):
    """[..., 2]: the projection of points [..., 3]."""
    at = at @ shape.turn.T
    return at[..., :2] if shape.flat else np.stack([at @ ACROSS, at @ UP], axis=-1)


def tone(colour, brightness, fade):
    """A colour with a brightness, mixed with white."""
    rgb = np.array(matplotlib.colors.to_rgb(colour))
    lit = rgb * min(brightness, 1.0) + max(0.0, brightness - 1.0) * (1 - rgb)
    return fade * lit + (1 - fade) * np.ones(3)


def visible_faces(shape, mesh, matrix, at, colour, fade):
    """[(depth, corners [n, 2], colour)] of the faces that look towards the viewer."""
    corners = (mesh.corners @ matrix.T + at) @ shape.turn.T
    flat = np.stack([corners @ ACROSS, corners @ UP], axis=1)
    made = []
    for k, face in enumerate(mesh.faces):
        x = corners[face]
        normal = np.cross(x[1] - x[0], x[2] - x[0])
        size = np.linalg.norm(normal)
        if size == 0 or normal @ TOWARDS <= 0:
            continue
        brightness = (0.72 + 0.45 * max(0.0, float(normal @ LIGHT) / float(size))) * (DARK if k in mesh.dark else 1.0)
        made.append((float(x.mean(axis=0) @ TOWARDS), flat[face], tone(colour, brightness, fade)))
    return made


def draw_bodies(ax, shape, values, i, fade, length):
    """Bodies at time index i: their shapes, or three axes where the system does not describe them."""
    faces = []
    for n, name in enumerate(shape.bodies):
        matrix, at = shape.axes(name, values)
        if name in shape.meshes:
            mesh = shape.meshes[name].scaled(length)
            faces += visible_faces(shape, mesh, matrix[i], at[i], style.COLOURS[n % len(style.COLOURS)], fade)
            continue
        for k, colour in enumerate(style.COLOURS[:3]):
            ends = seen(shape, np.stack([at[i], at[i] + length * matrix[i][:, k]]))
            ax.plot(*ends.T, color=colour, linewidth=2.0, alpha=fade, zorder=4, gid=f"body {name} {k}")
    faces.sort(key=lambda face: face[0])
    if faces:
        edges = [0.75 * c + 0.25 * (1 - fade) for *_, c in faces]
        made = PolyCollection([x for _, x, _ in faces], facecolors=[c for *_, c in faces], edgecolors=edges)
        made.set(linewidth=0.3, zorder=3.5 + 0.5 * fade, gid="bodies")
        ax.add_collection(made)


def joint_places(shape, values):
    """[(joint, [time, 3], centre [time, 3])]."""
    found = []
    for joint in shape.joints:
        matrix, at = shape.axes(joint.owner, values)
        found.append((joint, at + matrix @ np.asarray(joint.local), at))
    return found


def draw_instant(ax, shape, values, i, fade, length):
    """Rods, bodies, joints and points at time index i; their gid names them."""
    for name, a, b in shape.rods:
        ends = seen(shape, np.stack([shape.place(a, values)[i], shape.place(b, values)[i]]))
        ax.plot(*ends.T, color="#333333", linewidth=1.6, alpha=fade, zorder=3, gid=f"rod {name}")
    for joint, at, centre in joint_places(shape, values):
        ends = seen(shape, np.stack([centre[i], at[i]]))
        ax.plot(*ends.T, color="#333333", linewidth=1.0, alpha=fade, zorder=3, gid=f"arm {joint.name}")
        if fade == 1.0:
            look = {"color": "#333333", "marker": "o", "markerfacecolor": "white", "linestyle": "", "zorder": 5}
            ax.plot(*ends[1:].T, **look, markersize=0.7 * matplotlib.rcParams["lines.markersize"], gid=f"joint {joint.name}")
    draw_bodies(ax, shape, values, i, fade, length)
    centres = {centre for _, centre in shape.bodies.values()}
    for name in shape.points:
        if name not in centres:
            at = seen(shape, shape.place(name, values)[i])
            ax.plot(*at[:, None], color=style.COLOURS[0], marker="o", alpha=fade, linestyle="", zorder=5, gid=f"point {name}")


def traces(shape, values, length):
    """[(name, [time, 3])]: points, and the end of the third axis of a body that turns about the origin."""
    found = [(name, style.bounded(shape.place(name, values))) for name in shape.points]
    for name, (_, centre) in shape.bodies.items():
        if not centre:
            found.append((name, length * style.bounded(shape.axes(name, values)[0][:, :, 2])))
    return found


def floor_lines(shape, low, high):
    """Lines of the floor below what lies between low and high, in the axes of the view: a grid, or a line in the
    plane."""
    middle, size = (low + high) / 2, 0.62 * float((high - low).max())
    if shape.flat:
        return [np.array([[middle[0] - size, shape.ground], [middle[0] + size, shape.ground]])]
    marks = np.linspace(-size, size, 9)
    down = [np.array([[middle[0] + m, middle[1] + s * size, shape.ground] for s in (-1, 1)]) for m in marks]
    across = [np.array([[middle[0] + s * size, middle[1] + m, shape.ground] for s in (-1, 1)]) for m in marks]
    return [np.stack([x @ ACROSS, x @ UP], axis=1) for x in [*down, *across]]


def hatched(at, size):
    """The sign of what stands still: a line with strokes below it, for a place in the picture."""
    x, y = at
    strokes = [[(x + s * size, y), (x + (s - 0.45) * size, y - 0.45 * size)] for s in (-0.6, -0.1, 0.4, 0.9)]
    return [[(x - size, y), (x + size, y)], *strokes]


def draw_fixed(ax, shape, values, reach, low, high):
    """What does not move: anchors, rails, the floor."""
    anchors = [np.asarray(b) for _, _, b in shape.rods if not isinstance(b, str)]
    anchors += [at[0] for joint, at, _ in joint_places(shape, values) if joint.ground]
    for b in anchors:
        x, y = seen(shape, b)
        ax.plot([x], [y], color="black", marker="^", linestyle="", zorder=6, gid="anchor")
        drop = 0.02 * reach
        ax.add_collection(LineCollection(hatched((x, y - drop), 0.05 * reach), colors="black", linewidths=0.7, zorder=5.5))
    for _, normal, distance in shape.rails:
        along, foot = np.array([-normal[1], normal[0], 0.0]), distance * normal
        ends = seen(shape, np.stack([foot - reach * along, foot + reach * along]))
        ax.plot(*ends.T, color=style.PALE, linewidth=2.5, zorder=1, gid="rail", scalex=False, scaley=False)
    if shape.ground is not None:
        lines = floor_lines(shape, low, high)
        ax.add_collection(LineCollection(lines, colors=style.PALE, linewidths=0.6 if len(lines) > 1 else 1.4, zorder=1, gid="floor"))
        if shape.flat:
            (a, y), (b, _) = lines[0]
            step = (b - a) / 24
            strokes = [[(x, y), (x - 0.6 * step, y - 0.6 * step)] for x in np.arange(a + step, b + step / 2, step)]
            ax.add_collection(LineCollection(strokes, colors=style.PALE, linewidths=0.6, zorder=1))


def extent(shape, values, length):
    """(lowest, highest) corner of all that is ever seen, in the axes of the view."""
    seen_ones = [at for _, at in traces(shape, values, length)]
    for name in shape.bodies:
        matrix, at = shape.axes(name, values)
        size = np.linalg.norm(shape.meshes[name].scaled(length).corners, axis=1).max() if name in shape.meshes else length
        seen_ones += [at - size, at + size]
    seen_ones += [np.asarray(b, dtype=float)[None] for _, _, b in shape.rods if not isinstance(b, str)]
    seen_ones += [at for _, at, _ in joint_places(shape, values)]
    whole = np.concatenate(seen_ones) @ shape.turn.T
    return np.nanmin(whole, axis=0), np.nanmax(whole, axis=0)


def reach_of(shape, values):
    """The largest distance from the origin."""
    points = [shape.place(p, values) for p in shape.points]
    far = max([float(np.nanmax(np.abs(style.bounded(p)))) for p in points], default=0.0)
    return far or 1.0


def draw_panel(ax, shape, t, instants):
    reach, values = reach_of(shape, t.values), t.values
    length = 0.4 * reach
    ends = np.unique(np.linspace(0, len(t.t) - 1, instants).astype(int))
    for name, at in traces(shape, values, length):
        ax.plot(*seen(shape, at).T, color=style.PALE, linewidth=0.6, zorder=2, gid=f"path {name}")
    for k, i in enumerate(ends):
        draw_instant(ax, shape, values, i, 1.0 if i == ends[-1] else 0.1 + 0.35 * k / len(ends), length)
    draw_fixed(ax, shape, values, reach, *extent(shape, values, length))
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
    if not shape.flat:
        ax.tick_params(labelbottom=False, labelleft=False, length=0)
        ax.grid(False)


def name_axes(ax, shape, unit):
    """The letters of the two axes of a plane."""
    for row, put in zip(shape.turn[:2], (ax.set_xlabel, ax.set_ylabel)):
        k = int(np.abs(row).argmax())
        put(("-" if row[k] < 0 else "") + "xyz"[k] + unit)


@kind(
    "mechanism",
    """The mechanism along a stored trajectory: points, rods, joints and anchors as the text of the system has them, bodies by their shapes;
    the last instant dark, earlier ones pale, thin lines the paths of points. In space the axis that the key `up` names points upwards, z
    without it.""",
    report=3,
)
def draw_mechanism(result, sheet, members=None, time=None, instants=INSTANTS):
    """The mechanism itself, read off the system's text; with -o PAGE.html as an animation."""
    found = chosen(result, members, time)[:PANELS]
    if not len(found[0].t):
        raise ResultError("the trajectory is empty")
    columns = min(len(found), 3)
    size = 5.6 if len(found) == 1 else 3.9
    axes = sheet.grid(-(-len(found) // columns), columns, width=size, height=size)
    shapes = [mechanism.of(result, t.case) for t in found]
    for ax, shape, t in zip(axes.ravel(), shapes, found):
        draw_panel(ax, shape, t, instants)
        sheet.name(ax, t.label)
        if shape.flat:
            name_axes(ax, shape, bracketed(result.unit_of(next(iter(shape.points.values()))[0])))
        ax.set_title(
            f"{style.wrapped(t.label)}, step {t.step:.4g}, member {t.member}, t = {t.t[0]:.4g} to {t.t[-1]:.4g}",
            fontsize=style.small() + 1.5,
        )
    shown = axes.ravel()[: len(found)]
    style.same_limits(shown)
    style.same_limits(shown, x=True)
    sheet.hide(axes.ravel()[len(found) :])
    sheet.title(heading(result, "the mechanism"))
    return None
