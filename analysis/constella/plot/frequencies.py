"""frequencies.py: frequency maps: frequencies and their drift over the starts of an ensemble."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np
from matplotlib.colors import Normalize

from .. import style
from ..reading import unknown
from .common import heading
from .kind import kind
from .spread import finest
from .sweep import colour_bar

METHODS = 4  # at most, a row of panels each
DRIFT = r"$\log_{10}\,|\Delta\nu/\nu|$"
LEAST = -14  # of that logarithm; below it is round-off


def names_of(result):
    """The signals of the study: those whose halves are there."""
    found = result.names("/frequencies")
    return [n for n in found if n + "_halves" in found]


def starts_of(result, case):
    """{name: [member]} of the coordinates and velocities at the start that differ between members, in order."""
    names = [str(n) for n in result.data("/coordinate")]
    found = {}
    for path, ending in (("q", ""), ("v", "'")):
        x = result.data(f"/frequencies/start_{path}")[case]
        for k, name in enumerate(names):
            if np.ptp(x[:, k]) > 1e-12 * max(1, np.abs(x[:, k]).max()):
                found[name + ending] = x[:, k]
    return found


def axes_of(result, case, asked):
    """The two starts, or the one, over which the map is drawn."""
    starts = starts_of(result, case)
    for name in asked:
        if name not in starts:
            raise unknown("start that differs between members", name, list(starts))
    free = [n for n in starts if n not in asked]
    if not asked and len(free) > 2:  # those that take the most values
        count = {n: len(np.unique(np.round(starts[n], 12))) for n in free}
        free = sorted(sorted(free, key=lambda n: -count[n])[:2], key=free.index)
    return [(n, starts[n]) for n in [*asked, *free][:2]]


def drift_of(result, name, case):
    """The logarithm of the drift of the frequency between the halves of the run, relative to it; [member]."""
    halves, nu = result.data(f"/frequencies/{name}_halves")[case], result.data(f"/frequencies/{name}")[case][:, 0]
    with np.errstate(all="ignore"):
        return np.maximum(np.log10(np.abs(halves[:, 1] - halves[:, 0]) / np.abs(nu)), LEAST)


def lattice(x, y):
    """(xs, ys, the place of each point) if the points are all of a grid; else None."""
    xs, ys = np.unique(np.round(x, 10)), np.unique(np.round(y, 10))
    if len(xs) * len(ys) != len(x) or min(len(xs), len(ys)) < 2:
        return None
    return xs, ys, (np.searchsorted(ys, np.round(y, 10)), np.searchsorted(xs, np.round(x, 10)))


def draw_map(ax, places, shade, norm):
    """The shades over two starts: a mesh if these are a grid, else points."""
    (x_name, x), (y_name, y) = places
    grid = lattice(x, y)
    if grid:
        xs, ys, at = grid
        cells = np.full((len(ys), len(xs)), np.nan)
        cells[at] = shade
        image = ax.pcolormesh(xs, ys, cells, cmap="viridis", norm=norm, shading="nearest", rasterized=True)
        ax.grid(False)
    else:
        good = np.isfinite(shade)
        image = ax.scatter(x[good], y[good], c=shade[good], s=6, cmap="viridis", norm=norm, linewidths=0)
    ax.set(xlabel=style.symbol(x_name), ylabel=style.symbol(y_name))
    return image


def draw_plane(ax, x, y, shade, norm, labels):
    """Points of two frequencies, or of one against a start."""
    good = np.isfinite(style.bounded(x)) & np.isfinite(style.bounded(y)) & np.isfinite(shade)
    size = 1.5 if good.sum() > 2000 else 5
    order = np.argsort(shade[good])[::-1]  # regular orbits in front
    image = ax.scatter(
        x[good][order], y[good][order], c=shade[good][order], s=size, cmap="viridis", norm=norm, linewidths=0, rasterized=True
    )
    ax.set(xlabel=labels[0], ylabel=labels[1])
    return image


def nu_label(name):
    return rf"$\nu$ of {style.plain(name)}"


@kind(
    "frequencies",
    """Frequencies of the members of an ensemble, at the finest step of each method. Left: over their starts, the colour tells how
    far the frequency drifts between the two halves of the run: dark is regular, bright chaotic. Right: two frequencies against
    each other, or one against a start.""",
    needs={"/frequencies": "the study has no frequencies (its key `frequencies` asks for them)"},
)
def frequencies(result, sheet, x=None, y=None, z=None):
    """Frequency maps over the starts --x, --y, and the plane of the frequencies --z."""
    known, asked = names_of(result), [a[0] if isinstance(a, list) else a for a in (x, y) if a]
    signals = z or known
    for name in signals:
        if name not in known:
            raise unknown("frequency", name, known)
    shown = [(c, finest(result, c)) for c in result.curves() if finest(result, c) is not None][:METHODS]
    if not shown:
        return "no case is finished"
    places = axes_of(result, shown[0][1], asked)
    if not places:
        return "all members have one start; the frequencies are columns of the table"
    shades = [drift_of(result, signals[0], case) for _, case in shown]
    values = np.concatenate([s[np.isfinite(s)] for s in shades])
    if not len(values):
        return f"no member has a frequency {signals[0]}"
    norm = Normalize(values.min(), max(values.max(), values.min() + 1))
    flat = len(places) == 2
    axes = sheet.grid(len(shown), 1 + flat, width=4.4, height=4.0)
    for row, (curve, case), shade in zip(axes, shown, shades):
        nu = [result.data(f"/frequencies/{n}")[case][:, 0] for n in signals]
        if flat:
            image = draw_map(row[0], axes_of(result, case, asked), shade, norm)
            colour_bar(row[0], image, f"{DRIFT} of {style.plain(signals[0])}")
            sheet.name(row[0], f"{curve.label}, starts")
        if flat and len(nu) > 1:
            image = draw_plane(row[-1], nu[0], nu[1], shade, norm, [nu_label(n) for n in signals[:2]])
        else:
            image = draw_plane(row[-1], places[0][1], nu[0], shade, norm, [style.symbol(places[0][0]), nu_label(signals[0])])
        colour_bar(row[-1], image, f"{DRIFT} of {style.plain(signals[0])}")
        sheet.name(row[-1], curve.label)
        if len(shown) > 1:
            row[0].set_title(style.wrapped(curve.label, 40), fontsize=style.small() + 1.5)
    sheet.title(heading(result, "frequencies"))
    return None
