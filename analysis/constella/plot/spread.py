"""spread.py: distributions over the members of an ensemble: at the end, and of the largest drift."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import notes, style
from .common import bracketed, change, groups, handles, heading, positive
from .kind import kind


def finest(result, curve):
    """The finest case of a curve of which any member finished."""
    done = [c for c in curve.cases if (result.status[c] == 0).any()]
    return done[-1] if done else None


def draw_ridge(ax, curve, base, values, edges):
    """A histogram on the line `base`, at most 0.55 high."""
    counts, _ = np.histogram(values, edges)
    if counts.max() > 0:
        ax.stairs(
            base + 0.55 * counts / counts.max(),
            edges,
            baseline=base,
            fill=True,
            color=style.colour(curve),
            alpha=0.4,
            zorder=2,
        )


def draw_band(ax, result, name, curve, case, y):
    """5 to 95 % thin, 25 to 75 % thick, the median as a circle, the mean as a tick."""
    low, q1, middle, q3, high, mean = (
        style.bounded(result.told(q, name)[case]) for q in ("q05", "q25", "q50", "q75", "q95", "mean")
    )
    tone = style.colour(curve)
    ax.plot([low, high], [y, y], color=tone, linewidth=1.2, zorder=3)
    ax.plot([q1, q3], [y, y], color=tone, linewidth=3.2, solid_capstyle="butt", zorder=3)
    ax.plot(
        [middle],
        [y],
        color=tone,
        marker="o",
        markersize=4.2,
        markerfacecolor="white",
        markeredgewidth=1.1,
        zorder=4,
    )
    error = standard_error(result, name, case)
    ax.errorbar(
        [mean],
        [y],
        xerr=None if np.isnan(error) else [2 * error],
        color="black",
        marker="|",
        markersize=7,
        elinewidth=0.7,
        zorder=5,
    )


def standard_error(result, name, case):
    """The standard error of the mean over the members at the end, from the file; else from its members. NaN
    with fewer than two."""
    told = result.told("mean-error", name)[case]
    if np.isfinite(told):
        return float(told)
    x = style.bounded(result.members(name, case, "end"))
    return float(x.std(ddof=1) / np.sqrt(len(x))) if len(x) > 1 and np.isfinite(x).all() else float("nan")


def near(x, widths=20):
    """The values without outliers, many times the spread away from the bulk."""
    x = x[np.isfinite(style.bounded(x))]
    if not len(x):
        return x
    low, high = np.quantile(x, [0.05, 0.95])
    return x[(x >= low - widths * (high - low)) & (x <= high + widths * (high - low))] if high > low else x


def common_edges(values, bins=40):
    """Bins for all values without outliers; not narrower than numerical noise."""
    x = np.concatenate([near(v) for v in values]) if values else np.zeros(1)
    low, high = (x.min(), x.max()) if len(x) else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-300):
        half = 0.5 * max(abs(low), 1e-12)
        low, high = low - half, high + half
    return np.linspace(low, high, bins + 1)


def draw_distribution(ax, result, name, curves, steps):
    rows = [
        result.members(name, finest(result, c), "end") if finest(result, c) is not None else np.array([])
        for c in curves
    ]
    edges = common_edges([x for x in rows if len(x)])
    for row, (c, x) in enumerate(zip(curves, rows)):
        base = -float(row)
        draw_ridge(ax, c, base, x, edges)
        cases = [result.at_step(c, s) for s in steps[::-1]]
        for k, case in enumerate(case for case in cases if case is not None):
            draw_band(ax, result, name, c, case, base - 0.09 - 0.1 * k)
    beyond = sum(int(((x < edges[0]) | (x > edges[-1])).sum()) for x in rows)
    if beyond:
        ax.set_xlim(edges[0], edges[-1])
        x = np.concatenate(rows)
        ends = f"{np.nanmin(x):.2g} to {np.nanmax(x):.2g}"
        notes.add(ax, f"{beyond} member{'s' if beyond > 1 else ''} outside the panel; all: {ends}")
    ax.set(
        xlabel=f"{style.plain(name)} at the end" + bracketed(result.unit_of(name, f"/observables/{name}")),
        ylim=(-len(curves) + 0.6, 0.7),
    )
    ax.ticklabel_format(axis="x", style="sci", scilimits=(-3, 4), useMathText=True)
    ax.xaxis.set_major_locator(style.MaxNLocator(5))
    ax.grid(False, axis="y")


def draw_shares(ax, result, name, curves, case_of):
    """The fraction of members that drifted by at most x."""
    ax.set(xscale="log", ylim=(-0.02, 1.02))
    for c in curves:
        x = (
            np.sort(style.raised(result.members(name, case_of(c), "drift")))
            if case_of(c) is not None
            else np.array([])
        )
        x = x[np.isfinite(x)]
        if len(x):
            pick = np.unique(np.linspace(0, len(x) - 1, 2000).astype(int))
            share = np.append(0, (pick + 1) / len(x))
            style.line(ax, c, np.append(x[:1], x[pick]), share, drawstyle="steps-pre")
    style.log_axis(ax.xaxis)


@kind(
    "ensemble",
    """Distribution over the members at the end. Histogram: the finest step. Lines below it, from the finest step down: 5 to 95 % (thin),
    25 to 75 % (thick), median (circle), mean with two standard errors (tick and bar).""",
)
def ensemble(result, sheet, y=None):
    """Distributions of the observables at the end, a row per method."""
    curves, steps = result.curves(), result.chosen_steps()
    names = [
        n for n in (y or [*result.drifting, "displacement"]) if positive(result.told("q50", n)[result.shown])
    ]
    if not curves or not names:
        told = result.quantities("q50")
        return "no member has a number at the end" if told else "the study is no ensemble"
    columns = min(len(names), 3)
    lines = -(-len(names) // columns)
    axes = sheet.grid(lines, columns, width=4.0, height=max(2.4, 0.62 * len(curves) + 0.8), sharey="row")
    for ax, name in zip(axes.ravel(), names):
        draw_distribution(ax, result, name, curves, steps)
        sheet.name(ax, name)
    sheet.hide(axes.ravel()[len(names) :])
    labels = [
        style.wrapped(c.label, 30) + ("" if finest(result, c) is not None else "\nall failed") for c in curves
    ]
    for ax in axes[:, 0]:
        ax.set_yticks(-np.arange(len(curves)), labels, va="center")
        ax.tick_params(axis="y", length=0)
    sheet.title(heading(result, "the ensemble at the end"))
    return None


@kind(
    "ensemble-drift",
    "Share of the members whose largest change during the run is at most the value on the axis.",
)
def ensemble_drift(result, sheet, y=None):
    """Distribution of the largest drift over the members: rows quantities, columns chosen steps."""
    curves, steps = result.curves(), result.chosen_steps()
    names = y or result.conserved
    names = [
        n
        for n in names
        if result.data(f"/observables/{n}") is not None
        and positive(result.data(f"/observables/{n}", "drift"))
    ]
    if not curves or not names or result.status.shape[1] < 2:
        return "there is one member, or nothing changes"
    found = groups(curves)
    places = [(group, name) for group in found for name in names]
    steps = steps if len(found) == 1 else steps[-1:]
    rows = (
        sheet.row_of_panels(names, steps, 4.2, 2.9)
        if len(found) == 1
        else [[ax] for ax in sheet.grid(len(found), len(names), 4.2, 2.9).ravel()]
    )
    for row, (group, name) in zip(rows, places):
        for ax, step in zip(row, steps):
            draw_shares(ax, result, name, group.curves, lambda c, step=step: result.at_step(c, step))
            ax.set_xlabel("largest " + change(result, name))
            sheet.name(ax, name)
        style.same_limits(row, x=True)
        row[0].set_ylabel("share of members")
    for ax, step in zip(rows[0], steps):
        ax.set_title(f"step {step:.4g}")
    style.left_labels_only(rows)
    for k, group in enumerate(found):
        sheet.legend(handles(result, group.curves, bands=False), (k, k) if len(found) > 1 else None)
    sheet.title(heading(result, "drift over the members"))
    return None
