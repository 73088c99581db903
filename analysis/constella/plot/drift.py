"""drift.py: change since the start over time, of conserved quantities and of constraints; and signed, with
the drift that is excluded."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import edges, notes, style
from .common import band, behind, by_method, change, crowded, drawn_lines, groups, handles, heading, positive, time_label
from .kind import kind

ACCIDENT = 1e4  # how far first values may lie below the rest and still be shown
MOST_SIGNED = 24  # panels of signed drifts
TALLEST = 1e20  # ratio of the ends of a panel over time; lines that blow up leave the panel


def shown_steps(result, found):
    """At most three steps; with several groups of methods only the finest."""
    steps = result.chosen_steps()
    return steps if len(found) == 1 else steps[-1:]


def series_figure(result, sheet, names, what, levels, growth=False):
    """Rows: quantities, and groups of methods; columns: chosen steps; in each panel the largest |x - x(0)| so
    far, one line per curve.

    levels(result, name) gives marks [(height, text)]; growth: draw lines of known growth."""
    curves, found = result.curves(), groups(result.curves())
    names = [
        n for n in names if any(positive(result.time_series(n, case)[1]) for c in curves for case in c.cases)
    ]
    if not names:
        return "nothing changes, or no samples were taken"
    steps = shown_steps(result, found)
    places = [(name, group) for group in found for name in names]
    if len(found) == 1:
        rows = sheet.row_of_panels(names, steps, 4.4, 3.1)
    else:
        axes = sheet.grid(len(found), len(names), 4.2, 3.0)
        rows = [[ax] for ax in axes.ravel()]
    for row, (name, group) in zip(rows, places):
        lines = [draw_panel(ax, result, name, group, step) for ax, step in zip(row, steps)]
        style.same_limits(row, x=True)
        finish_row(row, lines, levels(result, name), growth)
        row[0].set_ylabel(change(result, name))
        for ax in row:
            sheet.name(ax, name)
    bottom = rows[-1] if len(steps) > 1 else [row[0] for row in rows]
    for ax in bottom:
        ax.set_xlabel(time_label(result))
    for ax, step in zip(rows[0], steps) if len(found) == 1 else ():
        ax.set_title(f"step {step:.4g}")
    style.left_labels_only(rows)
    for k, group in enumerate(found):
        sheet.legend(handles(result, group.curves), (k, k) if len(found) > 1 else None)
    sheet.title(heading(result, what) + (f", step {steps[0]:.4g}" if len(found) > 1 else ""))
    return None


def running(result, name, case):
    t, x = result.time_series(name, case)
    return t, np.abs(x), np.maximum.accumulate(np.abs(x)) if len(x) else x


def draw_panel(ax, result, name, group, step):
    """The largest value so far; the values themselves behind it, faint, while there are few lines. Returns
    the heavy lines as [edges.Line]."""
    ax.set(xscale="log", yscale="log")
    shown = [(c, result.at_step(c, step)) for c in group.curves]
    shown = [(c, case) for c, case in shown if case is not None]
    tops = []
    for _, mine in by_method([c for c, _ in shown]):
        cases = [case for c, case in shown if c in mine]
        lines = [(c, *running(result, name, case)) for c, case in zip(mine, cases)]
        lines = [line for line in lines if len(line[1])]
        ends = {c.label: (t, top) for c, t, _, top in lines}
        tops += drawn_lines([c for c, *_ in lines], lambda c, ends=ends: ends[c.label])
        if crowded(mine) and lines:
            draw_sets(ax, lines)
            continue
        for c, t, x, top in lines:
            if len(shown) <= 6:
                ax.plot(t, style.raised(x), color=style.colour(c), alpha=0.25, linewidth=0.6, zorder=2)
            style.line(ax, c, t, style.raised(top))
    others = [(c, result.at_step(c, step)) for c in group.others]
    pairs = [running(result, name, case) for c, case in others if case is not None]
    behind(ax, [(t, style.raised(top)) for t, _, top in pairs if len(t)])
    style.log_axis(ax.xaxis)
    style.log_axis(ax.yaxis)
    return tops


def draw_sets(ax, lines):
    """Many sets of parameters of a method: from the least to the largest of them."""
    count = min(len(t) for _, t, _, _ in lines)
    band(ax, lines[0][0], lines[0][1][:count], [top[:count] for *_, top in lines])


def height_range(lines):
    """The (lowest, highest) value that a row shows, or None: of the ends of the heavy lines, and of their
    first values, which may be accidents of round-off, those that are at most ACCIDENT below."""
    tops = [n.y for n in lines if len(n.y)]
    ends = edges.worth_seeing([np.array([x[len(x) // 40], x[-1]]) for x in tops])
    if ends is None:
        return None
    first = style.raised(np.concatenate(tops))
    low, high = ends
    near = first[first > low / ACCIDENT]
    return min(low, near.min()) if len(near) else low, min(high, TALLEST * low)


def finish_row(row, lines, levels, growth):
    """Common limits from the heavy lines of each panel; levels that are not far below; growth; marks of what
    lies outside."""
    ends = height_range([n for panel in lines for n in panel])
    if ends is None:
        return
    low, high = ends
    near = [(y, text) for y, text in levels if low / 1e4 < y < high * 1e4]
    heights = [low, high, *(y for y, _ in near)]
    margin = (max(heights) / min(heights)) ** 0.06 * 1.6
    for ax in row:
        ax.set_ylim(min(heights) / margin, max(heights) * margin)
        for y, _ in near:
            style.level(ax, y)
        notes.name_lines(ax, near + (growth_guides(ax) if growth else []))
    for ax, mine in zip(row, lines):
        edges.mark(ax, mine)
        edges.note_floor(ax, [n.y for n in mine])


def growth_guides(ax):
    """Draw t^1/2 and t from the lower left corner, as far as the panel goes; return the names of those that
    leave it on the right."""
    (t0, t1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    start, labels = y0 * (y1 / y0) ** 0.04, []
    for power, text in ((0.5, "$t^{1/2}$"), (1.0, "$t$")):
        with np.errstate(over="ignore"):
            height = start * (t1 / t0) ** power
        end = t1 if height <= y1 else t0 * (y1 / start) ** (1 / power)
        style.guide(ax, [t0, end], [start, start * (end / t0) ** power])
        if height <= y1:
            labels.append((height, text))
        else:
            side = {"xytext": (-3, -2), "ha": "right"} if power == 1 else {"xytext": (3, -2), "ha": "left"}
            look = {"fontsize": style.small() + 0.5, "color": style.GREY, "textcoords": "offset points"}
            ax.annotate(text, (end, y1), va="top", **side, **look)
    ax.set(xlim=(t0, t1), ylim=(y0, y1))
    return labels


def round_off(result, name):
    """eps times the largest scale of the quantity."""
    scale = result.data(f"/observables/{name}", "scale")
    scale = scale[np.isfinite(scale) & (scale > 0)] if scale is not None else np.array([])
    return [(style.EPS * scale.max(), "ε S")] if scale.size else []


def round_off_and_tolerance(result, name):
    """eps, and the tolerances of the solver, which bound the scaled constraint."""
    tolerance = result.data("/cases/tolerance")
    bounds = set(tolerance[result.shown]) if tolerance is not None and name == "constraint_scaled" else set()
    return [(style.EPS, "ε")] + [(x, "tol") for x in sorted(bounds) if x > 3 * style.EPS][:3]


@kind(
    "drift",
    """Largest change since the start over all members, at no more than three of the steps; heavy lines show the largest so far. Grey lines
    grow as the square root of time (a random walk) and as time; a bounded error is level. Dotted, where it is near: ε S, the round-off
    of the quantity's scale. A band holds all sets of parameters where there are more than six. Members that failed are left out: a line
    begins when the last of them has ended. Observables that move by more than a twentieth of their scale whatever the method are not
    conserved, and are not drawn unless asked for.""",
)
def drift(result, sheet, y=None):
    """Largest change of conserved quantities, over time."""
    return series_figure(result, sheet, y or result.conserved, "drift over time", round_off, growth=True)


def constraint_names(result):
    scaled = [n for n in ("constraint_scaled", "hidden_scaled") if n in result.names("/observables")]
    return scaled or ["constraint", "hidden"]


def constraint_of_steps(result, sheet, names):
    """One number per case, against the step."""
    curves, found = result.curves(), groups(result.curves())
    names = [n for n in names if positive(result.told("largest", n)[result.shown])]
    if not curves or not names:
        return "the constraints hold exactly, or nothing was measured"
    axes = sheet.grid(len(found), len(names), 4.3, 3.4, sharex=True)
    for k, (row, group) in enumerate(zip(axes, found)):
        for ax, name in zip(row, names):
            y = result.told("largest", name)
            ax.set_yscale("log")
            for c in group.curves:
                ax.plot(
                    result.steps[c.cases],
                    style.raised(y[c.cases]),
                    color=style.colour(c),
                    marker=style.marker(c),
                    linewidth=0.9,
                    linestyle=style.dashes(c),
                )
            mine = drawn_lines(group.curves, lambda c, y=y: (result.steps[c.cases], y[c.cases]))
            behind(ax, [(result.steps[c.cases], style.raised(y[c.cases])) for c in group.others])
            edges.keep_in_sight(ax, mine, [y[c.cases] for c in group.others], TALLEST)
            levels = [
                (h, text)
                for h, text in round_off_and_tolerance(result, name)
                if ax.get_ylim()[0] < h < ax.get_ylim()[1]
            ]
            for h, _ in levels:
                style.level(ax, h)
            notes.name_lines(ax, levels)
            style.log_axis(ax.yaxis)
            style.step_axis(ax, result.steps[result.shown])
            edges.note_floor(ax, [y[result.shown]])
            ax.set(xlabel="step $h$", ylabel="largest " + change(result, name))
            sheet.name(ax, name)
        sheet.legend(handles(result, group.curves), (k, k))
    sheet.title(heading(result, "constraints"))
    return None


@kind(
    "constraint",
    """How well the constraints and the hidden constraints on velocities hold, scaled, the largest over all members: so far, over time; in
    studies of the order, whose runs are short, of the whole run against the step. Dotted: ε, and the tolerance of the solver.""",
)
def constraint(result, sheet):
    """How well constraints and hidden constraints hold."""
    if result.data("/multiplier") is None or not len(result.data("/multiplier")):
        return "the system has no constraints"
    if result.quantities("order"):
        return constraint_of_steps(result, sheet, constraint_names(result))
    return series_figure(
        result, sheet, constraint_names(result), "constraints over time", round_off_and_tolerance
    )


# ---- signed


def window_means(result, name, case):
    """(t, mean over the members of their mean change in each window, its standard error; NaN with one
    member)."""
    x = result.data(f"/windows/{name}")
    end = result.told("end")[case]
    if x is None or not np.isfinite(end):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    x = x[case][result.status[case] == 0]
    x = x[np.isfinite(style.bounded(x)).all(axis=1)]
    if not len(x):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    count = x.shape[1]
    error = x.std(axis=0, ddof=1) / np.sqrt(len(x)) if len(x) > 1 else np.full(count, np.nan)
    return end * (np.arange(count) + 0.5) / count, x.mean(axis=0), error


def draw_signed(ax, result, name, curve, case, tone):
    """Means of the windows with two standard errors; the fitted slope; the wedge of drifts that the run does
    not exclude."""
    t, x, error = window_means(result, name, case)
    if not len(t):
        return
    slope, limit = result.told("slope", name)[case], result.told("drift-limit", name)[case]
    if np.isfinite(limit):
        ends = np.array([t[0], t[-1]])
        reach = limit * (ends - t[0])
        ax.fill_between(
            ends, x[0] - reach, x[0] + reach, color="#E9E9E9", linewidth=0, zorder=1, label="limit"
        )
    if np.isfinite(error).all():
        ax.fill_between(t, x - 2 * error, x + 2 * error, color=tone, alpha=0.25, linewidth=0, zorder=2)
    ax.plot(t, x, color=tone, linewidth=1.1, zorder=3)
    if np.isfinite(slope):
        ax.plot(t, x.mean() + slope * (t - t.mean()), color="black", linewidth=0.8, linestyle="--", zorder=4)
    verdict = result.said("verdict", name)[case]
    ax.set_title(
        f"{style.wrapped(curve.label, 30)}\nh = {result.nominal[case]:.4g}: {verdict}",
        fontsize=style.small() + 1.5,
    )
    ax.ticklabel_format(axis="both", style="sci", scilimits=(-3, 4), useMathText=True)


@kind(
    "signed-drift",
    """Mean change over each of 64 windows, with its sign, a panel a method at its finest step. Band: two standard errors over the members.
    Dashed: the fitted slope. Grey: drifts that the run does not exclude at 95 %.""",
)
def signed_drift(result, sheet, y=None):
    """Mean change with its sign, the fitted slope, and the drift that is excluded."""
    name = (y or [*result.quantities("verdict"), "energy"])[0]
    if result.data(f"/windows/{name}") is None:
        have = ", ".join(result.names("/windows"))
        return f"there are no windows of {name}; " + (
            f"of {have} there are" if have else "conservation studies have them"
        )
    shown = [(c, c.cases[-1]) for c in result.curves() if len(window_means(result, name, c.cases[-1])[0])]
    if not shown:
        return "no case is finished"
    left_out, shown = len(shown) - MOST_SIGNED, shown[:MOST_SIGNED]
    columns = min(len(shown), 4)
    axes = sheet.grid(-(-len(shown) // columns), columns, 3.4, 2.9)
    for ax, (c, case) in zip(axes.ravel(), shown):
        draw_signed(ax, result, name, c, case, style.colour(c))
        ax.set_xlabel(time_label(result))
    sheet.hide(axes.ravel()[len(shown) :])
    for row in axes:
        row[0].set_ylabel(
            "mean " + change(result, name).strip("$").replace("|", "").join(["$", "$"])
            if name == "energy"
            else f"mean change of {style.plain(name)}"
        )
    if left_out > 0:
        notes.add(axes[0, 0], f"{left_out} more are not drawn; methods= or where= selects them")
    sheet.title(heading(result, f"signed drift of {name}"))
    return None
