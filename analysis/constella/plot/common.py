"""common.py: shared by several kinds of figures: headings, legends, groups of methods, names of
quantities."""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from .. import edges, notes, style

MOST = 7  # methods in one panel
PARTS = {
    "q": ("$q$", "coordinates $q$"),
    "p": ("$p$", "momenta $p$"),
    "lambda": (r"$\lambda$", r"multipliers $\lambda$"),
    "total": ("", "$q$ and $p$"),
}
CHANGES = {
    "energy": "$|E - E(0)|$",
    "constraint": "$|g|$",
    "hidden": "$|G v|$",
    "constraint_scaled": "$|g|$, scaled",
    "hidden_scaled": "$|G v|$, scaled",
    "displacement": "$|q - q(0)|$",
}


def heading(result, what):
    return f"{result.title if result.attribute('/', 'title') else result.system}: {what}"


def positive(x):
    """Whether there is anything to draw on a logarithmic axis."""
    x = style.bounded(x)
    return np.isfinite(x).any() and (x[np.isfinite(x)] != 0).any()


def change(result, name):
    """|x - x(0)| of a quantity in mathematics, with its unit."""
    return CHANGES.get(name, f"|change of {style.plain(name)}|") + bracketed(
        result.unit_of(name, f"/observables/{name}")
    )


def bracketed(unit):
    return f" [{unit}]" if unit not in ("", "1") else ""


def time_label(result):
    return "time $t$" + bracketed(result.unit_of("t", "/series/t"))


# ---- methods, at most seven in a panel


@dataclasses.dataclass(frozen=True)
class Group:
    """curves: those in colour, renumbered; others: those behind them."""

    curves: list
    others: list


def groups(curves):
    """All curves or, for more than seven methods, groups of equal size of at most seven, each in front of the
    others in grey."""
    methods = list(dict.fromkeys(c.method for c in curves))
    count = -(-len(methods) // MOST)
    size = -(-len(methods) // max(count, 1))
    found = []
    for k in range(0, len(methods), max(size, 1)):
        mine = methods[k : k + size]
        own = [dataclasses.replace(c, method_index=mine.index(c.method)) for c in curves if c.method in mine]
        found.append(Group(own, [c for c in curves if c.method not in mine]))
    return found


def behind(ax, lines):
    """Thin grey lines [(x, y)] behind everything else."""
    pieces = [np.column_stack([x, y])[np.isfinite(x) & np.isfinite(y)] for x, y in lines]
    pieces = [p for p in pieces if len(p) > 1]
    if pieces:
        ax.add_collection(LineCollection(pieces, colors="#D9D9D9", linewidths=0.7, zorder=1.5))


def crowded(curves):
    """Whether there are more sets of parameters than patterns of dashes, so that they are drawn as bands."""
    return bool(curves) and curves[0].variants > len(style.DASHES)


def by_method(curves):
    """[(first curve, all curves of its method)]."""
    found: dict = {}
    for c in curves:
        found.setdefault(c.method, []).append(c)
    return [(cs[0], cs) for cs in found.values()]


def drawn_lines(curves, line_of):
    """The lines of curves for edges.py: one per curve, or the largest of all sets of a method where they are
    drawn as a band. line_of(curve): (x, y)."""
    made = []
    for first, mine in by_method(curves):
        if not crowded(mine):
            made += [edges.line(c, *line_of(c)) for c in mine]
            continue
        pairs = [line_of(c) for c in mine]
        count = min(len(x) for x, _ in pairs)
        with np.errstate(all="ignore"):
            top = np.fmax.reduce([np.abs(y[:count]) for _, y in pairs])
        made.append(edges.Line(first.method, style.colour(first), pairs[0][0][:count], top))
    return made


def band(ax, curve, x, rows):
    """Between the least and the largest of rows[set][point], with the largest as a line."""
    rows = np.array([style.raised(r) for r in rows])
    with np.errstate(all="ignore"):
        low, high = np.fmin.reduce(rows), np.fmax.reduce(rows)
    keep = np.isfinite(low) & np.isfinite(high)
    if keep.any():
        ax.fill_between(
            x[keep], low[keep], high[keep], color=style.colour(curve), alpha=0.22, linewidth=0, zorder=2
        )
        style.line(ax, curve, x, high)


# ---- legends


def handles(result, curves, told=None, extra=(), bands=True):
    """Legend entries: one per method (with what is told of it, and how many of its trajectories failed), then one per
    variant, then extra."""
    told = dict(told or {})
    made = []
    for c, mine in by_method(curves):
        failed, of = result.failed_of(np.concatenate([m.cases for m in mine]))
        note = "; ".join(
            filter(None, [told.get(c.method, ""), f"{failed} of {of} failed" if failed else ""])
        )
        text = style.wrapped(c.method) + (f"\n   {note}" if note else "")
        made.append(Line2D([], [], color=style.colour(c), marker=style.marker(c), label=text))
    return [*made, *style.variant_handles(curves, bands), *extra]


def methods_note(curves, ax, told):
    """Note in a panel which curves coincide: told[(method, variant)] is the drawn data of a curve. Returns
    those that are covered."""
    covered = {}
    for i, a in enumerate(curves):
        for b in curves[i + 1 :]:
            x, y = told[a.label], told[b.label]
            if len(x) == len(y) and len(x) > 1 and a.label not in covered:
                both = np.isfinite(x) & np.isfinite(y) & (x > 0)
                if (
                    both.sum() > 1
                    and (both == np.isfinite(x)).all()
                    and np.allclose(x[both], y[both], rtol=0.01, atol=0)
                ):
                    covered[a.label] = b.label
    for a, b in list(covered.items())[:3]:
        notes.add(ax, f"{a} lies under {b}")
    if len(covered) > 3:
        notes.add(ax, f"{len(covered) - 3} more curves lie under others")
    return covered
