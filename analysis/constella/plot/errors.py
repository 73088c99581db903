"""errors.py: distributions of the final errors of conserved quantities, with their sign, and normal curves."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import notes, style
from .common import bracketed, heading
from .kind import kind
from .spread import common_edges, finest

QUANTITIES, METHODS = 4, 4  # at most; the first without named ones
FEWEST = 8  # members


def changes(result, name, case):
    """x(end) - x(0) of the members that did not fail."""
    end, start = (result.data(f"/observables/{name}", figure) for figure in ("end", "start"))
    if end is None:
        return np.array([])
    x = (end - start)[case][result.status[case] == 0]
    return x[np.isfinite(style.bounded(x))]


def normal(x, mean, deviation):
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))


def draw(ax, curve, x, scale):
    """A histogram as a density, and the normal curve with its mean and deviation."""
    edges = common_edges([scale * x], bins=36)
    counts, _ = np.histogram(scale * x, edges)
    ax.stairs(counts / (len(x) * np.diff(edges)), edges, color=style.colour(curve), alpha=0.4, fill=True, zorder=2)
    deviation = scale * x.std(ddof=1)
    if deviation > 0.25 * (edges[1] - edges[0]):
        across = np.linspace(edges[0], edges[-1], 400)
        ax.plot(across, normal(across, scale * x.mean(), deviation), color="black", linewidth=1.0, zorder=3)
    if edges[0] <= 0 <= edges[-1]:
        ax.axvline(0, color=style.GREY, linewidth=0.9, linestyle=":", zorder=1)
    beyond = int(((scale * x < edges[0]) | (scale * x > edges[-1])).sum())
    if beyond:
        notes.add(ax, f"{beyond} member{'s' if beyond > 1 else ''} outside the panel")
    ax.set(ylim=(0, None), xlim=(edges[0], edges[-1]))


def told(x):
    """The mean with its standard error, and the deviation."""
    deviation = x.std(ddof=1)
    return f"mean {x.mean():.2g} ± {deviation / np.sqrt(len(x)):.1g}, deviation {deviation:.2g}"


def panel(ax, result, curve, name, x):
    """One quantity of one method."""
    if len(x) < FEWEST or not x.std():
        notes.add(ax, "all errors are equal" if len(x) else "no member ended well")
        ax.set_axis_off()
        return
    power = int(np.floor(np.log10(np.abs(x).max())))
    draw(ax, curve, x, 10.0**-power)
    unit = bracketed(result.unit_of(name, f"/observables/{name}"))
    factor = rf" / $10^{{{power}}}$" if power else ""
    ax.set(xlabel=f"final error of {style.plain(name)}{unit}{factor}", ylabel="density")
    notes.add(ax, told(x))


@kind(
    "errors",
    """Final errors of conserved quantities with their sign, x(end) - x(0) of the members, at the finest step of each method, as
    densities. Lines: the normal curves with their means and deviations. Unbiased round-off is normal about 0.""",
)
def errors(result, sheet, y=None):
    """Signed histograms of final errors with normal curves."""
    known = result.conserved
    unknown = [n for n in y or [] if n not in result.drifting]
    if unknown:
        return f"no conserved quantity is called '{unknown[0]}'; there are {', '.join(result.drifting)}"
    names = y or known[:QUANTITIES]
    if not names:
        return "the study has no conserved quantity"
    shown = [(c, finest(result, c)) for c in result.curves() if finest(result, c) is not None][:METHODS]
    rows = {n: [changes(result, n, case) for _, case in shown] for n in names}
    if not any(len(x) >= FEWEST for x in rows[names[0]]):
        return f"a distribution takes {FEWEST} members or more that did not fail"
    axes = sheet.grid(len(names), len(shown), width=4.2, height=3.3)
    for line, name in zip(axes, names):
        for ax, (curve, _), x in zip(line, shown, rows[name]):
            panel(ax, result, curve, name, x)
            sheet.name(ax, f"{name}, {curve.label}")
    for ax, (curve, _) in zip(axes[0], shown):
        ax.set_title(style.wrapped(curve.label, 38), fontsize=style.small() + 1.5)
    sheet.title(heading(result, "final errors"))
    return None
