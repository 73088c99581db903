"""section.py: points taken at an event: Poincare sections, stroboscopic maps."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np
from matplotlib.colors import Normalize

from .. import style
from ..reading import unknown
from .common import MOST, heading
from .kind import kind
from .sweep import colour_bar

PANELS = 6  # at most
CROWD = 20000  # points in a panel, beyond which they are smaller


def taken(result):
    """{event: the expressions that it takes}, of those that take any."""
    return {
        name: [str(x) for x in result.data(f"/{name}_take")]
        for name in result.names("/events")
        if result.data(f"/events/{name}/take") is not None
    }


def axes_of(result, x, y):
    """(event, index of x, index of y): of the first event that takes both, or two expressions; a text where
    there is none."""
    found, asked = taken(result), [a for a in (x, y) if a]
    for name in asked:
        if not any(name in takes for takes in found.values()):
            known = sorted({t for takes in found.values() for t in takes})
            raise unknown("expression of an event", name, known)
    for event, takes in found.items():
        if len(takes) < 2 or any(name not in takes for name in asked):
            continue
        first = takes.index(x) if x else next(k for k, t in enumerate(takes) if t != y)
        return event, first, takes.index(y) if y else next(k for k in range(len(takes)) if k != first)
    if not asked:
        return "no event of the study takes two expressions"
    return f"no event takes {' and '.join(asked)}"


def shade(result, z, event, case, count):
    """A number for each point of a case, [member, event], and its name: the energy at the start, the member,
    or an expression that is taken."""
    takes = taken(result)[event]
    if z in takes:
        return result.data(f"/events/{event}/take")[case][:, :, takes.index(z)], style.symbol(z)
    if z not in (None, "energy", "member"):
        raise unknown("colour", z, ["energy", "member", *takes])
    members = result.status.shape[1]
    energy = result.data("/observables/energy", "start")
    if z == "member" or energy is None:
        return np.repeat(np.arange(members)[:, None], count, axis=1), "member"
    return np.repeat(energy[case][:, None], count, axis=1), "energy at the start"


def tones(result, z, event, cases, count):
    """The scale of the colours over all panels, and its name; None: there is one value only."""
    all_shades = [shade(result, z, event, case, count) for case in cases]
    values = np.concatenate([s[0].ravel() for s in all_shades])
    values = values[np.isfinite(values)]
    if not len(values) or np.ptp(values) <= 1e-9 * max(1, np.abs(values).max()):
        return None, all_shades[0][1]
    return Normalize(values.min(), values.max()), all_shades[0][1]


def draw(ax, points, colour, norm):
    """The points of a case; those of one colour in that of the first method."""
    x, y = points[:, :, 0].ravel(), points[:, :, 1].ravel()
    good = np.isfinite(style.bounded(x)) & np.isfinite(style.bounded(y))
    size = 0.5 if good.sum() > CROWD else 1.2
    look = {"color": style.COLOURS[0]}
    if norm is not None:
        look = {"c": colour.ravel()[good], "cmap": "turbo", "norm": norm}
    return ax.scatter(x[good], y[good], s=size, linewidths=0, rasterized=True, **look)


@kind(
    "section",
    "Points of two expressions at every event of all members, at the finest step of each method: a Poincare "
    "section, or a stroboscopic map.",
)
def section(result, sheet, x=None, y=None, z=None):
    """Points of two expressions --x, --y at an event; colours --z: energy, member or an expression."""
    first = axes_of(result, *(a[0] if isinstance(a, list) else a for a in (x, y)))
    if isinstance(first, str):
        return first
    event, i, j = first
    z = z[0] if isinstance(z, list) else z
    curves = result.curves()[: min(PANELS, MOST)]
    cases, takes = [c.cases[-1] for c in curves], taken(result)[event]
    data = result.data(f"/events/{event}/take")
    if not np.isfinite(data[cases][..., [i, j]]).any():
        return f"there is no event {event}"
    norm, told = tones(result, z, event, cases, data.shape[2])
    columns = min(len(cases), 2)
    axes = sheet.grid(-(-len(cases) // columns), columns, width=4.6, height=4.2)
    for ax, curve, case in zip(axes.ravel(), curves, cases):
        image = draw(ax, data[case][..., [i, j]], shade(result, z, event, case, data.shape[2])[0], norm)
        ax.set(xlabel=style.symbol(takes[i]), ylabel=style.symbol(takes[j]))
        sheet.name(ax, curve.label)
        if len(cases) > 1:
            ax.set_title(curve.label)
        if norm is not None:
            colour_bar(ax, image, told)
    sheet.hide(axes.ravel()[len(cases) :])
    sheet.title(heading(result, f"event {event}"))
    return None
