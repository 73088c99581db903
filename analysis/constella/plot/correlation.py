"""correlation.py: autocorrelations and mean square displacements against the lag."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import style
from .common import handles, heading
from .kind import kind
from .spread import finest


def names_of(result, group):
    """The entries of a group: those with lags beside them."""
    found = result.names(group)
    return [n for n in found if n + "_lag" in found]


def wrong(names, known, what):
    """What is said of the first name that is none of them; None: all are."""
    unknown = [n for n in names if n not in known]
    return f"no {what} is called '{unknown[0]}'; there are {', '.join(known)}" if unknown else None


def draw_band(ax, curve, t, y, error):
    """A line in a band of two standard errors."""
    style.line(ax, curve, t, style.bounded(y))
    if np.isfinite(error).any():
        low, high = style.bounded(y - 2 * error), style.bounded(y + 2 * error)
        ax.fill_between(t, low, high, color=style.colour(curve), alpha=0.22, linewidth=0, zorder=2)


def lag_label(result):
    unit = result.unit_of("t")
    return "lag" + (f" [{unit}]" if unit not in ("", "1") else "")


@kind(
    "autocorrelation",
    "Autocorrelations divided by their value at lag 0, at the finest step of each method, in a band of two standard errors.",
    needs={"/autocorrelation": "the study has no autocorrelations (its key `autocorrelation` asks for them)"},
)
def autocorrelation(result, sheet, y=None):
    """Autocorrelations of expressions against the lag."""
    known = names_of(result, "/autocorrelation")
    names, curves = y or known, result.curves()
    if said := wrong(names, known, "autocorrelation"):
        return said
    shown = [(c, finest(result, c)) for c in curves if finest(result, c) is not None]
    if not shown:
        return "no case is finished"
    axes = sheet.grid(len(names), 1, width=4.8, height=3.3)[:, 0]
    for ax, name in zip(axes, names):
        root = f"/autocorrelation/{name}"
        for c, case in shown:
            t, x, error = (result.data(root + e)[case] for e in ("_lag", "_normalised", "_normalised_error"))
            draw_band(ax, c, t, x, error)
        style.level(ax, 0)
        ax.set(xlabel=lag_label(result), ylabel=f"$C(t)/C(0)$ of {style.plain(name)}")
        ax.margins(x=0)
        sheet.name(ax, name)
    sheet.legend(handles(result, [c for c, _ in shown]))
    sheet.title(heading(result, "autocorrelation"))
    return None


def draw_powers(ax, t, rows):
    """Guides below all curves rows[curve][lag]: the power 2 at the first lags, 1 at the last."""
    with np.errstate(all="ignore"):
        x = np.fmin.reduce([np.where(r > 0, r, np.nan) for r in rows])
    good = np.isfinite(x)
    if good.sum() < 3:
        return
    t, x = t[good], x[good]
    early, late = t[t <= 5 * t[0]], t[t >= 0.4 * t[-1]]
    style.guide(ax, early, 0.3 * x[0] * (early / t[0]) ** 2, "$t^2$")
    style.guide(ax, late, 0.4 * x[-1] * (late / t[-1]), "$t$")


@kind(
    "displacement",
    """Mean square displacements against the lag, at the finest step of each method, in a band of two standard errors.
    Guides: growth as t^2, free motion, and as t, diffusion.""",
    needs={
        "/mean-square-displacement": "the study has no mean square displacements (its key `mean-square-displacement` "
        "asks for them)"
    },
)
def displacement(result, sheet, y=None):
    """Mean square displacements of expressions against the lag."""
    known = names_of(result, "/mean-square-displacement")
    names, curves = y or known, result.curves()
    if said := wrong(names, known, "mean square displacement"):
        return said
    shown = [(c, finest(result, c)) for c in curves if finest(result, c) is not None]
    if not shown:
        return "no case is finished"
    axes = sheet.grid(len(names), 1, width=4.8, height=3.3)[:, 0]
    for ax, name in zip(axes, names):
        root = f"/mean-square-displacement/{name}"
        ax.set(xscale="log", yscale="log")
        rows = []
        for c, case in shown:
            t, x, error = (result.data(root + e)[case][1:] for e in ("_lag", "", "_error"))
            draw_band(ax, c, t, style.raised(x), error)
            rows.append(x)
        draw_powers(ax, t, rows)
        ax.set(xlabel=lag_label(result), ylabel=f"mean square displacement of {style.plain(name)}")
        sheet.name(ax, name)
    sheet.legend(handles(result, [c for c, _ in shown]))
    sheet.title(heading(result, "mean square displacement"))
    return None
