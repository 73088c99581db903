"""averages.py: means over time with their errors, and histograms over time and members with error bars."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import style
from .common import bracketed, handles, heading
from .kind import kind
from .spread import finest

OVERLAID = 6  # histograms in one panel, at most; more are drawn side by side


def apart(curves, curve):
    """A factor that places points of curves at the same step side by side."""
    return 1.0 + 0.02 * (curves.index(curve) - (len(curves) - 1) / 2)


def draw_averages(ax, result, name, curves):
    mean, error = result.told("average", name), result.told("average-error", name)
    for c in curves:
        keep = c.cases[np.isfinite(mean[c.cases])]
        x, e = result.steps[keep] * apart(curves, c), np.nan_to_num(error[keep])
        ax.errorbar(
            x,
            mean[keep],
            yerr=e,
            color=style.colour(c),
            marker=style.marker(c),
            linestyle=style.dashes(c),
            linewidth=0.9,
            capsize=2.5,
            zorder=3,
        )
        unknown = keep[~np.isfinite(error[keep])]
        ax.plot(
            result.steps[unknown] * apart(curves, c),
            mean[unknown],
            color=style.colour(c),
            marker=style.marker(c),
            markerfacecolor="white",
            linestyle="",
            zorder=4,
        )


@kind(
    "averages",
    """Means over time and members behind the burn-in, with their standard errors. Hollow: the run does not tell the error.""",
)
def averages(result, sheet, y=None):
    """Means over time and members against the step."""
    curves = result.curves()
    names = [
        n
        for n in (y or result.quantities("average"))
        if np.isfinite(result.told("average", n)[result.shown]).any()
    ]
    if not curves or not names:
        return "the study takes no averages (`burn-in: 0.1` in the study file asks for them)"
    columns = min(len(names), 3)
    axes = sheet.grid(-(-len(names) // columns), columns, width=4.3, height=3.4)
    for ax, name in zip(axes.ravel(), names):
        draw_averages(ax, result, name, curves)
        sheet.name(ax, name)
        style.step_axis(ax, result.steps[result.shown])
        unit = bracketed(result.unit_of(name, f"/observables/{name}"))
        ax.set(xlabel="step $h$", ylabel=f"mean of {style.plain(name)}" + unit)
    sheet.hide(axes.ravel()[len(names) :])
    sheet.legend(handles(result, curves, bands=False))
    sheet.title(heading(result, "averages over time and members"))
    return None


def draw_density(ax, result, name, curve, case, pale=False):
    """The density as steps, its standard error as bars in the middle of the bins; no bar where it is unknown.
    pale: for comparison."""
    edges, density, error = result.histogram(name, case)
    if not np.isfinite(density).any():
        return
    if pale:
        ax.stairs(density, edges, color=style.PALE, linewidth=0.7, zorder=1)
        return
    ax.stairs(
        density, edges, color=style.colour(curve), linestyle=style.dashes(curve), linewidth=1.2, zorder=3
    )
    middle, known = 0.5 * (edges[1:] + edges[:-1]), np.isfinite(error)
    ax.errorbar(
        middle[known],
        density[known],
        yerr=error[known],
        linestyle="",
        color=style.colour(curve),
        elinewidth=0.8,
        alpha=0.7,
        zorder=2,
    )


def draw_crowded(result, sheet, curves, names):
    """A row of panels for each histogram and a panel for each curve, at its finest step that is done, with
    all others pale behind it."""
    shown = [(c, finest(result, c)) for c in curves if finest(result, c) is not None]
    if not shown:
        return "no case is finished"
    columns = min(len(shown), 4)
    lines = -(-len(shown) // columns)
    axes = sheet.grid(lines * len(names), columns, width=3.2, height=2.4)
    for row, name in enumerate(names):
        block = axes[row * lines : (row + 1) * lines].ravel()
        for ax, (c, case) in zip(block, shown):
            for other, its in shown:
                draw_density(ax, result, name, other, its, pale=other is not c)
            ax.set_title(style.wrapped(c.label, 34), fontsize=style.small() + 1)
            sheet.name(ax, name)
            ax.set_xlabel(style.plain(name))
        style.same_limits(block[: len(shown)])
        for ax in block[: len(shown)]:
            ax.set_ylim(bottom=0)
        sheet.hide(block[len(shown) :])
    sheet.title(heading(result, "histograms over time and members, finest step"))
    return None


@kind(
    "histograms",
    """Densities over time and members behind the burn-in, at no more than three of the steps; bars are standard errors of the density, which
    allow for the correlation in time. A bin has none where the run does not tell it. More than six methods have a panel each, with the
    others in grey.""",
    needs={"/histograms": "the study has no histograms"},
)
def histograms(result, sheet, y=None):
    """Densities with error bars."""
    curves, steps, names = result.curves(), result.chosen_steps(), y or result.histograms
    if not curves or not names:
        return "the study has no histograms"
    if len(curves) > OVERLAID:
        return draw_crowded(result, sheet, curves, names)
    rows = sheet.row_of_panels(names, steps, width=4.6, height=3.2)
    for row, name in zip(rows, names):
        for ax, step in zip(row, steps):
            for c in curves:
                case = result.at_step(c, step)
                if case is not None:
                    draw_density(ax, result, name, c, case)
            ax.set_xlabel(style.plain(name))
            sheet.name(ax, name)
        style.same_limits(row)
        for ax in row:
            ax.set_ylim(bottom=0)
        row[0].set_ylabel("density")
    for ax, step in zip(rows[0], steps):
        ax.set_title(f"step {step:.4g}")
    style.left_labels_only(rows)
    sheet.legend(handles(result, curves, bands=False))
    sheet.title(heading(result, "histograms over time and members"))
    return None
