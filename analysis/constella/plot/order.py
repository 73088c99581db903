"""plots.py: the figures of a result: order, work against precision, drift, constraints, final distributions.

Each maker takes a Result and returns a matplotlib figure, or None where the file holds nothing to draw. Which of FIGURES belong to a
result, the file says, and figures() makes them; `axes` draws any columns that say on which axis they belong.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

import style
from result import ResultError

PARTS = {"q": ("q", "coordinates q"), "p": ("p", "momenta p"), "lambda": ("λ", "multipliers λ"), "total": ("", "q and p")}  # symbol, title
OVERLAID = 6  # histograms in one panel, at most; more are drawn side by side
TALLEST = 1e20  # ratio of the ends of a panel over time; a line that blows up leaves it


def heading(result, what):
    return f"{result.attribute('/', 'title') or result.attribute('/', 'system')}: {what}"


def legend(fig, result, curves, notes=None, extra=()):
    """The legend, which tells of every method how many of its trajectories failed and are therefore not drawn."""
    notes = dict(notes or {})
    for method in dict.fromkeys(c.method for c in curves):
        failed, of = result.failed_of(np.concatenate([c.cases for c in curves if c.method == method]))
        if failed:
            notes[method] = "; ".join(filter(None, [notes.get(method, ""), f"{failed} of {of} failed"]))
    style.legend(fig, curves, notes=notes, extra=extra)


def positive(x):
    """Whether there is anything to draw on a logarithmic axis."""
    x = style.bounded(x)
    return np.isfinite(x).any() and (x[np.isfinite(x)] != 0).any()


# ---- order of convergence


def parts_with_data(result):
    """What there are errors of: its parts, or all together where the parts are not known."""
    found = [part for part in result.quantities("error") if positive(result.told("error", part))]
    return [part for part in found if part != "total"] or found


def draw_curve(ax, curve, x, y, strong):
    """Faint and hollow throughout; solid over the run of points that are `strong`."""
    tone, keep = style.colour(curve), np.isfinite(x) & np.isfinite(y)
    y = style.raised(y)
    faint = {"alpha": 0.45, "linewidth": 0.9, "linestyle": (0, (2, 2)), "markerfacecolor": "white", "zorder": 2}
    ax.plot(x[keep], y[keep], color=tone, marker=style.marker(curve), **faint)
    ax.plot(x[strong & keep], y[strong & keep], color=tone, linestyle=style.dashes(curve), marker=style.marker(curve), zorder=3)


def sound_order(result, curve, part):
    """The whole number that a fitted order stands for, or None."""
    order, flag = result.told("order", part)[curve.cases[0]], result.said("flag", part)[curve.cases[0]]
    return int(round(order)) if flag == "ok" and np.isfinite(order) and abs(order - round(order)) < 0.3 and order > 0.5 else None


def order_guides(ax, result, curves, part):
    """For each whole order present a line of that slope below the curves of that order."""
    for p in sorted({sound_order(result, c, part) for c in curves} - {None}):
        points = np.concatenate([c.cases[result.fitted(c, part)] for c in curves if sound_order(result, c, part) == p])
        h, e = result.steps[points], result.told("error", part)[points]
        h, e = h[style.bounded(e) > 0], e[style.bounded(e) > 0]
        if len(h) < 2:
            continue
        factor = 0.4 * (e / h**p).min()
        ends = np.array([max(h.min(), (0.4 * e.min() / factor) ** (1 / p)), h.max()])
        style.guide(ax, ends, factor * ends**p, f"$h^{{{p}}}$")


def order_note(result, curve, parts):
    """'q, p: 2.00; λ: plateau' for the legend: the orders, or the flag where there is no order to trust."""
    case, named = curve.cases[0], {}
    for part in parts:
        order, flag = result.told("order", part)[case], result.said("flag", part)[case]
        if flag:
            named.setdefault(f"{order:.2f}" if flag == "ok" else flag, []).append(PARTS.get(part, (part,))[0])
    return "; ".join(f"{', '.join(names)}: {words}".lstrip(": ") for words, names in named.items())


def order_figure(result):
    curves, parts = result.curves(), parts_with_data(result)
    if not curves or not parts:
        return None
    fig, axes = style.grid(1, len(parts), width=4.5 if len(parts) < 3 else 3.8, height=4.6, sharex=True)
    for ax, part in zip(axes[0], parts):
        error = result.told("error", part)
        ax.set_yscale("log")
        for c in curves:
            draw_curve(ax, c, result.steps[c.cases], error[c.cases], result.fitted(c, part))
        style.keep_in_sight(ax, [error])
        ax.set_ylim(ax.get_ylim())  # guides move no limits
        order_guides(ax, result, curves, part)
        style.step_axis(ax, result.steps)
        ax.set_xlim(left=result.steps.min() / (result.steps.max() / result.steps.min()) ** 0.12)
        style.log_axis(ax.yaxis)
        style.note_floor(ax, [error])
        ax.set(xlabel="step h", ylabel="error" + result.column_unit("error", part), title=PARTS.get(part, (part, part))[1])
    notes = {c.method: order_note(result, c, parts) for c in curves} if not any(c.variant for c in curves) else {}
    notes = {method: text for method, text in notes.items() if text}
    legend(fig, result, curves, notes=notes, extra=[style.faded("outside the fitted window")])
    style.title(fig, heading(result, "error against step"))
    return fig


# ---- work against precision


def costs(result):
    """(what, values) for each measure of work that the file holds."""
    steps = result.data("/cases/n").astype(float)
    rate = result.numbers("steps_per_second")
    seconds = np.divide(steps, rate, out=np.full(len(steps), np.nan), where=rate > 0)
    pairs = [("evaluations of the force", style.bounded(result.told("evaluations")) * steps), ("seconds a trajectory, measured", seconds)]
    return [(what, x) for what, x in pairs if positive(x)]


def work_figure(result, role, of, what):
    curves, y = result.curves(), result.told(role, of)
    panels = costs(result) if curves else []
    if not panels or not positive(y):
        return None
    fig, axes = style.grid(1, len(panels), height=4.2, sharey=True)
    for ax, (measure, x) in zip(axes[0], panels):
        ax.set(xscale="log", yscale="log", xlabel=measure)
        for c in curves:
            keep = c.cases[np.isfinite(y[c.cases]) & (x[c.cases] > 0)]
            ax.plot(x[keep], style.raised(y[keep]), color=style.colour(c), marker=style.marker(c), linestyle=style.dashes(c), linewidth=1.2)
        style.log_axis(ax.xaxis)
        style.log_axis(ax.yaxis)
        style.note_floor(ax, [y])
        style.keep_in_sight(ax, [y])
    axes[0][0].set_ylabel(what + result.column_unit(role, of))
    legend(fig, result, curves)
    style.title(fig, heading(result, "work against precision"))
    return fig


def work_error_figure(result):
    return work_figure(result, "error", "total", "error of q and p")


def work_energy_figure(result):
    several = any(len(c.cases) > 1 for c in result.curves())
    return work_figure(result, "largest", "energy", "largest |E − E(0)|") if several else None


# ---- series over time


def series_figure(result, names, what, levels, growth=False):
    """Rows: quantities; columns: chosen steps; in each panel the largest |x - x(0)| so far, one line per curve.

    levels(result, name) gives [(height, text)], to be marked; growth: draw lines of known growth."""
    curves, steps = result.curves(), result.chosen_steps()
    names = [n for n in names if any(positive(result.series(n, case)[1]) for c in curves for case in c.cases)]
    if not names:
        return None
    fig, rows = style.panels(names, steps, width=4.4, height=3.1)
    for row, name in zip(rows, names):
        tops = []
        for ax, step in zip(row, steps):
            shown = [(c, result.at_step(c, step)) for c in curves]
            tops += draw_series(ax, result, name, [(c, case) for c, case in shown if case is not None])
        style.same_limits(row, x=True)
        finish_row(row, tops, levels(result, name), growth)
        row[0].set_ylabel(series_label(result, name))
    for ax in rows[-1] if len(steps) > 1 else [row[0] for row in rows]:
        ax.set_xlabel(f"time{result.unit('/series/t')}")
    finish_panels(rows, steps)
    legend(fig, result, curves)
    style.title(fig, heading(result, what))
    return fig


def finish_panels(rows, steps):
    for ax, step in zip(rows[0], steps):
        ax.set_title(f"step {step:.4g}")
    style.left_labels_only(rows)


def series_label(result, name):
    words = {"energy": "|E − E(0)|", "constraint_scaled": "|g|, scaled", "hidden_scaled": "|G v|, scaled", "constraint": "|g|", "hidden": "|G v|"}
    return words.get(name, f"|change of {style.plain(name)}|") + result.unit(f"/observables/{name}")


def draw_series(ax, result, name, shown):
    """The largest value so far; the values themselves behind it, faint, while there are few lines. Returns the heavy lines."""
    ax.set(xscale="log", yscale="log")
    tops = []
    for c, case in shown:
        t, x = result.series(name, case)
        if not len(t):
            continue
        tops.append(np.maximum.accumulate(np.abs(x)))
        if len(shown) <= 6:
            ax.plot(t, style.raised(x), color=style.colour(c), alpha=0.25, linewidth=0.6, zorder=2)
        style.line(ax, c, t, style.raised(tops[-1]))
    style.log_axis(ax.xaxis)
    style.log_axis(ax.yaxis)
    style.note_floor(ax, tops)
    return tops


def finish_row(row, tops, levels, growth):
    """Common limits from the heavy lines (without their first values, which may be accidents); levels that are not far below; growth."""
    if not tops:
        return
    ends = style.raised(np.concatenate([[x[len(x) // 40], x[-1]] for x in tops]))
    if not np.isfinite(ends).any():
        return
    low, high = style.worth_seeing([ends])
    high = min(high, TALLEST * low)
    near = [(y, text) for y, text in levels if low / 1e4 < y < high * 1e4]
    heights = [low, high, *(y for y, _ in near)]
    margin = (max(heights) / min(heights)) ** 0.06 * 1.6
    for ax in row:
        ax.set_ylim(min(heights) / margin, max(heights) * margin)
        for y, _ in near:
            style.level(ax, y)
        style.side_labels(ax, near + (growth_guides(ax) if growth else []))


def growth_guides(ax):
    """t^1/2 and t from the lower left corner, as far as the panel goes; returns the names of those that leave it on the right."""
    (t0, t1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    start, labels = y0 * (y1 / y0) ** 0.04, []
    for power, text in ((0.5, "$t^{1/2}$"), (1.0, "$t$")):
        height = start * (t1 / t0) ** power
        end = t1 if height <= y1 else t0 * (y1 / start) ** (1 / power)
        style.guide(ax, [t0, end], [start, start * (end / t0) ** power])
        if height <= y1:
            labels.append((height, text))
        else:
            ax.annotate(text, (end, y1), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=8, color=style.GREY)
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
    bounds = set(tolerance) if tolerance is not None and name == "constraint_scaled" else set()
    return [(style.EPS, "ε")] + [(x, "tol") for x in sorted(bounds) if x > 3 * style.EPS]


def drift_figure(result):
    return series_figure(result, result.drifting, "drift over time", round_off, growth=True)


def constraint_figure(result):
    if result.data("/multiplier") is None or not len(result.data("/multiplier")):
        return None
    scaled = [n for n in ("constraint_scaled", "hidden_scaled") if n in result.names("/observables")]
    return series_figure(result, scaled or ["constraint", "hidden"], "constraints over time", round_off_and_tolerance)


# ---- ensembles


def finest(result, curve):
    """The finest case of a curve of which any member finished."""
    done = [c for c in curve.cases if (result.status[c] == 0).any()]
    return done[-1] if done else None


def draw_ridge(ax, curve, base, values, edges):
    """A histogram standing on the line `base`, at most 0.55 high."""
    counts, _ = np.histogram(values, edges)
    if counts.max() > 0:
        ax.stairs(base + 0.55 * counts / counts.max(), edges, baseline=base, fill=True, color=style.colour(curve), alpha=0.4, zorder=2)


def draw_band(ax, result, name, curve, case, y):
    """5 to 95 % thin, 25 to 75 % thick, the median as a circle, the mean as a tick."""
    low, q1, middle, q3, high, mean = (style.bounded(result.told(q, name)[case]) for q in ("q05", "q25", "q50", "q75", "q95", "mean"))
    tone = style.colour(curve)
    ax.plot([low, high], [y, y], color=tone, linewidth=1.2, zorder=3)
    ax.plot([q1, q3], [y, y], color=tone, linewidth=3.2, solid_capstyle="butt", zorder=3)
    ax.plot([middle], [y], color=tone, marker="o", markersize=4.2, markerfacecolor="white", markeredgewidth=1.1, zorder=4)
    ax.plot([mean], [y], color="black", marker="|", markersize=7, zorder=5)


def near(x, widths=20):
    """The values without those that lie many times the spread of the bulk outside it."""
    x = x[np.isfinite(style.bounded(x))]
    if not len(x):
        return x
    low, high = np.quantile(x, [0.05, 0.95])
    return x[(x >= low - widths * (high - low)) & (x <= high + widths * (high - low))] if high > low else x


def common_edges(values, bins=40):
    """Bins that hold all values worth seeing; wide enough to tell one value apart from numerical noise."""
    x = np.concatenate([near(v) for v in values]) if values else np.zeros(1)
    low, high = (x.min(), x.max()) if len(x) else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-300):
        half = 0.5 * max(abs(low), 1e-12)
        low, high = low - half, high + half
    return np.linspace(low, high, bins + 1)


def draw_distribution(ax, result, name, curves, steps):
    rows = [result.members(name, finest(result, c), "end") if finest(result, c) is not None else np.array([]) for c in curves]
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
        ax.annotate(f"{beyond} members outside", (0.99, 0.99), xycoords="axes fraction", ha="right", va="top", fontsize=7.5, color=style.GREY)
    ax.set(xlabel=f"{style.plain(name)} at the end" + result.unit(f"/observables/{name}"), ylim=(-len(curves) + 0.6, 0.7))
    ax.ticklabel_format(axis="x", style="sci", scilimits=(-3, 4), useMathText=True)
    ax.xaxis.set_major_locator(style.ticker.MaxNLocator(5))
    ax.grid(False, axis="y")


def distribution_figure(result):
    curves, steps = result.curves(), result.chosen_steps()
    names = [n for n in (*result.drifting, "displacement") if positive(result.told("q50", n))]
    if not curves or not names:
        return None
    columns = min(len(names), 3)
    lines = -(-len(names) // columns)
    fig, axes = style.grid(lines, columns, width=4.0, height=max(2.4, 0.62 * len(curves) + 0.8), sharey=True)
    for ax, name in zip(axes.ravel(), names):
        draw_distribution(ax, result, name, curves, steps)
    for ax in axes.ravel()[len(names) :]:
        ax.set_axis_off()
    labels = [style.wrapped(c.label, 30) + ("" if finest(result, c) is not None else "\nall failed") for c in curves]
    for ax in axes[:, 0]:
        ax.set_yticks(-np.arange(len(curves)), labels, va="center")
        ax.tick_params(axis="y", length=0)
    style.title(fig, heading(result, "the ensemble at the end"))
    return fig


def draw_shares(ax, result, name, curves, case_of):
    """Share of the members that drifted at most by x."""
    ax.set(xscale="log", ylim=(-0.02, 1.02))
    for c in curves:
        x = np.sort(style.raised(result.members(name, case_of(c), "drift"))) if case_of(c) is not None else np.array([])
        x = x[np.isfinite(x)]
        if len(x):
            pick = np.unique(np.linspace(0, len(x) - 1, 2000).astype(int))
            share = np.append(0, (pick + 1) / len(x))
            style.line(ax, c, np.append(x[:1], x[pick]), share, drawstyle="steps-pre")
    style.log_axis(ax.xaxis)


def shares_figure(result):
    """Distribution of the largest drift over the members: rows quantities, columns chosen steps."""
    curves, steps = result.curves(), result.chosen_steps()
    names = [n for n in result.drifting if result.data(f"/observables/{n}") is not None and positive(result.data(f"/observables/{n}", "drift"))]
    if not curves or not names or result.status.shape[1] < 2:
        return None
    fig, rows = style.panels(names, steps, width=4.2, height=2.9)
    for row, name in zip(rows, names):
        for ax, step in zip(row, steps):
            draw_shares(ax, result, name, curves, lambda c, step=step: result.at_step(c, step))
            ax.set_xlabel(f"largest {series_label(result, name)}")
        style.same_limits(row, x=True)
        row[0].set_ylabel("share of members")
    finish_panels(rows, steps)
    legend(fig, result, curves)
    style.title(fig, heading(result, "drift over the members"))
    return fig


# ---- averages over time


def apart(curves, curve):
    """A factor that sets points of curves at one step side by side."""
    return 1.0 + 0.02 * (curves.index(curve) - (len(curves) - 1) / 2)


def draw_averages(ax, result, name, curves):
    mean, error = result.told("average", name), result.told("average-error", name)
    for c in curves:
        keep = c.cases[np.isfinite(mean[c.cases])]
        x, e = result.steps[keep] * apart(curves, c), np.nan_to_num(error[keep])
        ax.errorbar(x, mean[keep], yerr=e, color=style.colour(c), marker=style.marker(c), linestyle=style.dashes(c), linewidth=0.9, capsize=2.5, zorder=3)
        unknown = keep[~np.isfinite(error[keep])]
        ax.plot(result.steps[unknown] * apart(curves, c), mean[unknown], color=style.colour(c), marker=style.marker(c), markerfacecolor="white", linestyle="", zorder=4)


def averages_figure(result):
    curves = result.curves()
    names = [n for n in result.quantities("average") if np.isfinite(result.told("average", n)).any()]
    if not curves or not names:
        return None
    columns = min(len(names), 3)
    fig, axes = style.grid(-(-len(names) // columns), columns, width=4.3, height=3.4)
    for ax, name in zip(axes.ravel(), names):
        draw_averages(ax, result, name, curves)
        style.step_axis(ax, result.steps)
        ax.set(xlabel="step h", ylabel=f"mean of {style.plain(name)}" + result.unit(f"/observables/{name}"))
    for ax in axes.ravel()[len(names) :]:
        ax.set_axis_off()
    style.legend(fig, curves)
    style.title(fig, heading(result, "averages over time and members"))
    return fig


def draw_density(ax, result, name, curve, case, pale=False):
    """The density as steps, its standard error as bars in the middle of the bins; no bar where it is not known. pale: to compare with."""
    edges, density, error = result.histogram(name, case)
    if not np.isfinite(density).any():
        return
    if pale:
        ax.stairs(density, edges, color=style.PALE, linewidth=0.7, zorder=1)
        return
    ax.stairs(density, edges, color=style.colour(curve), linestyle=style.dashes(curve), linewidth=1.2, zorder=3)
    middle, known = 0.5 * (edges[1:] + edges[:-1]), np.isfinite(error)
    ax.errorbar(middle[known], density[known], yerr=error[known], linestyle="", color=style.colour(curve), elinewidth=0.8, alpha=0.7, zorder=2)


def crowded_histogram_figure(result, curves, names):
    """A row of panels for each histogram and a panel for each curve, at its finest step that is done, with all others pale behind it."""
    shown = [(c, finest(result, c)) for c in curves if finest(result, c) is not None]
    if not shown:
        return None
    columns = min(len(shown), 4)
    lines = -(-len(shown) // columns)
    fig, axes = style.grid(lines * len(names), columns, width=3.2, height=2.4)
    for row, name in enumerate(names):
        block = axes[row * lines : (row + 1) * lines].ravel()
        for ax, (c, case) in zip(block, shown):
            for other, its in shown:
                draw_density(ax, result, name, other, its, pale=other is not c)
            ax.set_title(style.wrapped(c.label, 34), fontsize=8.5)
            ax.set_xlabel(style.plain(name))
        style.same_limits(block[: len(shown)])
        for ax in block[: len(shown)]:
            ax.set_ylim(bottom=0)
        for ax in block[len(shown) :]:
            ax.set_axis_off()
    style.title(fig, heading(result, "histograms over time and members, finest step"))
    return fig


def histogram_figure(result):
    curves, steps, names = result.curves(), result.chosen_steps(), result.histograms
    if not curves or not names:
        return None
    if len(curves) > OVERLAID:
        return crowded_histogram_figure(result, curves, names)
    fig, rows = style.panels(names, steps, width=4.6, height=3.2)
    for row, name in zip(rows, names):
        for ax, step in zip(row, steps):
            for c in curves:
                case = result.at_step(c, step)
                if case is not None:
                    draw_density(ax, result, name, c, case)
            ax.set_xlabel(style.plain(name))
        style.same_limits(row)
        row[0].set_ylim(bottom=0)
        row[0].set_ylabel("density")
    finish_panels(rows, steps)
    style.legend(fig, curves)
    style.title(fig, heading(result, "histograms over time and members"))
    return fig


# ---- any columns


def abscissa(result, column):
    """The numbers of a column on the x axis; of the nominal step those of the step that was taken."""
    return result.steps if result.uses[column]["role"] == "step" else result.numbers(column)


def drawn(x, scale):
    return style.raised(x) if scale == "log" else style.bounded(x)


def meaning(result, column):
    """Its name, and below it what it is."""
    words = result.attribute(f"/statistics/{column}", "long_name")
    return style.plain(column) + result.unit(f"/statistics/{column}") + (f"\n{style.wrapped(words, 44)}" if words else "")


def axes_figure(result):
    """Rows: the columns that belong on the y axis; columns: those on the x axis."""
    curves, xs = result.curves(), result.on_axis("x")
    ys = [(name, scale) for name, scale in result.on_axis("y") if positive(result.numbers(name))]
    if not curves or not xs or not ys:
        return None
    fig, axes = style.grid(len(ys), len(xs), width=4.6, height=3.8, sharex="col", sharey="row")
    for row, (name, scale) in zip(axes, ys):
        for ax, (across, x_scale) in zip(row, xs):
            x, y = abscissa(result, across), result.numbers(name)
            ax.set(xscale=x_scale, yscale=scale)
            for c in curves:
                keep = c.cases[np.isfinite(x[c.cases]) & np.isfinite(y[c.cases])]
                ax.plot(drawn(x[keep], x_scale), drawn(y[keep], scale), color=style.colour(c), marker=style.marker(c), linestyle=style.dashes(c), linewidth=1.2)
            for axis, which in ((ax.xaxis, x_scale), (ax.yaxis, scale)):
                if which == "log":
                    style.log_axis(axis)
            if scale == "log":
                style.note_floor(ax, [y])
                style.keep_in_sight(ax, [y])
        row[0].set_ylabel(meaning(result, name))
    for ax, (across, _) in zip(axes[-1], xs):
        ax.set_xlabel(meaning(result, across))
    legend(fig, result, curves)
    style.title(fig, heading(result, "columns of the table"))
    return fig


# ---- which figures, with their captions

ORDER = (
    order_figure,
    "Error against step, both logarithmic. Solid: the window that the order was fitted to, as far as the local slopes show it. Faint and "
    "hollow: steps outside it (not asymptotic yet, or on the round-off plateau), and methods without a sound order. Grey lines have the "
    "slopes of the whole orders found.",
)
WORK = (
    work_error_figure,
    "Error against work: evaluations of the force, which depend on the method alone, and measured time, which depends on the machine.",
)
ENERGY = (work_energy_figure, "The largest change of the energy against work.")
DRIFT = (
    drift_figure,
    "Largest change since the start over all members, at no more than three of the steps; heavy lines show the largest so far. Grey lines "
    "grow as the square root of time (a random walk) and as time; a bounded error is level. Dotted, where it is near: ε S, the round-off "
    "of the quantity's scale. Members that failed are left out: a line begins when the last of them has ended.",
)
CONSTRAINT = (
    constraint_figure,
    "How well the constraints and the hidden constraints on velocities hold, scaled, the largest over all members so far. Dotted: ε, and "
    "the tolerance of the solver.",
)
DISTRIBUTION = (
    distribution_figure,
    "Distribution over the members at the end. Histogram: the finest step. Lines below it, from the finest step down: 5 to 95 % (thin), "
    "25 to 75 % (thick), median (circle), mean (tick).",
)
SHARES = (shares_figure, "Share of the members whose largest change during the run is at most the value on the axis.")

AXES = (axes_figure, "The columns of the table that say where they belong: those of the y axis against those of the x axis.")

AVERAGES = (
    averages_figure,
    "Means over time and members behind the burn-in, with their standard errors. Hollow: the run does not tell the error.",
)
HISTOGRAMS = (
    histogram_figure,
    "Densities over time and members behind the burn-in, at no more than three of the steps; bars are standard errors of the density, which allow for the "
    "correlation in time. A bin has none where the run does not tell it. More than six methods have a panel each, with the others in grey.",
)

FIGURES = {
    "order": ORDER,
    "work": WORK,
    "work-energy": ENERGY,
    "drift": DRIFT,
    "constraint": CONSTRAINT,
    "ensemble": DISTRIBUTION,
    "ensemble-drift": SHARES,
    "axes": AXES,
    "averages": AVERAGES,
    "histograms": HISTOGRAMS,
}


def figures(result):
    """Yield (name, caption, figure) for what the file holds; each figure is closed when the next one is asked for."""
    for name in result.figures:
        if name not in FIGURES:
            raise ResultError(f'asks for the figure "{name}"; known are {", ".join(FIGURES)}')
        maker, caption = FIGURES[name]
        fig = maker(result)
        if fig is not None:
            yield name, caption, fig
            style.close(fig)
