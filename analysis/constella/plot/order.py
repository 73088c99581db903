"""order.py: error against step: a panel for q, p and lambda, with the fitted windows and lines of the fitted
orders."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

from .. import edges, style
from .common import PARTS, behind, crowded, drawn_lines, groups, handles, heading, methods_note, positive
from .kind import kind

PLACES = (0.5, 0.3, 0.7, 0.15, 0.85)  # places for its name along a line


def parts_with_data(result):
    """The quantities with errors: the parts, or the total where the parts are unknown."""
    found = [
        part for part in result.quantities("error") if positive(result.told("error", part)[result.shown])
    ]
    return [part for part in found if part != "total"] or found


def draw_curve(ax, curve, x, y, strong, ring=False):
    """Faint and hollow throughout; solid over the run of points that are `strong`. ring: larger, so that it
    shows below another."""
    tone, keep = style.colour(curve), np.isfinite(x) & np.isfinite(y)
    y = style.raised(y)
    size = {"markersize": 1.7 * style.matplotlib.rcParams["lines.markersize"]} if ring else {}
    faint = {
        "alpha": 0.45,
        "linewidth": 0.9,
        "linestyle": (0, (2, 2)),
        "markerfacecolor": "white",
        "zorder": 2,
        **size,
    }
    solid = {"zorder": 3, "markerfacecolor": "none" if ring else tone, **size}
    ax.plot(x[keep], y[keep], color=tone, marker=style.marker(curve), **faint)
    ax.plot(
        x[strong & keep],
        y[strong & keep],
        color=tone,
        linestyle=style.dashes(curve),
        marker=style.marker(curve),
        **solid,
    )


def sound_order(result, curve, part):
    """The whole number that a fitted order stands for, or None."""
    order, flag = result.told("order", part)[curve.cases[0]], result.said("flag", part)[curve.cases[0]]
    sound = flag == "ok" and np.isfinite(order) and abs(order - round(order)) < 0.3 and order > 0.5
    return int(round(order)) if sound else None


def order_guides(ax, result, curves, part):
    """For each whole order a line of that slope below the curves of that order, as far as the panel goes,
    with its name inside the panel."""
    named: list = []
    (x0, x1), (y0, y1) = np.log(ax.get_xlim()), np.log(ax.get_ylim())
    for p in sorted({sound_order(result, c, part) for c in curves} - {None}):
        points = np.concatenate(
            [c.cases[result.fitted(c, part)] for c in curves if sound_order(result, c, part) == p]
        )
        h, e = result.steps[points], result.told("error", part)[points]
        h, e = np.log(h[style.bounded(e) > 0]), np.log(e[style.bounded(e) > 0])
        if len(h) < 2:
            continue
        c = (e - p * h).min() - 0.9
        left, right = max(h.min(), (y0 - c) / p, x0), min(h.max(), (y1 - c) / p, x1)
        if right - left < 0.05 * (x1 - x0):
            continue
        ax.plot(
            np.exp([left, right]),
            np.exp(c + p * np.array([left, right])),
            color=style.PALE,
            linewidth=1.0,
            zorder=1,
        )
        spots = [
            np.array(
                [
                    (left + s * (right - left) - x0) / (x1 - x0),
                    (c + p * (left + s * (right - left)) - y0) / (y1 - y0),
                ]
            )
            for s in PLACES
        ]
        at = max(spots, key=lambda s: min([0.15, *(np.hypot(*(s - other)) for other in named)]))
        named.append(at)
        note = {"xytext": (4, -2), "textcoords": "offset points", "ha": "left", "va": "top"}
        if at[1] < 0.07:
            note = {"xytext": (4, 2), "textcoords": "offset points", "ha": "left", "va": "bottom"}
        ax.annotate(
            f"$h^{{{p}}}$",
            at,
            xycoords="axes fraction",
            fontsize=style.small() + 1,
            color=style.GREY,
            bbox=style.PATCH,
            zorder=5,
            **note,
        )


def order_note(result, curve, parts):
    """'q, p: 2.00; lambda: plateau' for the legend: the orders, or the flag where there is no reliable
    order."""
    named: dict = {}
    case = curve.cases[0]
    for part in parts:
        order, flag = result.told("order", part)[case], result.said("flag", part)[case]
        if flag:
            named.setdefault(f"{order:.2f}" if flag == "ok" else flag, []).append(PARTS.get(part, (part,))[0])
    return "; ".join(f"{', '.join(names)}: {words}".lstrip(": ") for words, names in named.items())


def draw_part(ax, result, group, part):
    error = result.told("error", part)
    shown = error[np.concatenate([c.cases for c in (*group.curves, *group.others)])]
    ax.set_yscale("log")
    covered = (
        {}
        if crowded(group.curves)
        else methods_note(group.curves, ax, {c.label: error[c.cases] for c in group.curves})
    )
    for c in group.curves if crowded(group.curves) else ():
        ax.plot(
            result.steps[c.cases],
            style.raised(error[c.cases]),
            color=style.colour(c),
            linewidth=0.8,
            alpha=0.5,
        )
    for c in group.curves if not crowded(group.curves) else ():
        draw_curve(
            ax, c, result.steps[c.cases], error[c.cases], result.fitted(c, part), ring=c.label in covered
        )
    behind(ax, [(result.steps[c.cases], style.raised(error[c.cases])) for c in group.others])
    style.step_axis(ax, result.steps[result.shown])
    steps = result.steps[result.shown]
    ratio = max(steps.max() / steps.min(), 1.5)
    ax.set_xlim(steps.min() / ratio**0.06, steps.max() * ratio**0.06)
    low, high = ax.get_ylim()
    ax.set_ylim(low / (high / low) ** 0.03, high * (high / low) ** 0.03)
    mine = drawn_lines(group.curves, lambda c: (result.steps[c.cases], error[c.cases]))
    edges.keep_in_sight(ax, mine, [error[c.cases] for c in group.others])
    order_guides(ax, result, group.curves, part)
    style.log_axis(ax.yaxis)
    edges.note_floor(ax, [shown])


@kind(
    "order",
    """Error against step, both logarithmic. Solid: the window that the order was fitted to, as far as the local slopes show it. Faint and
    hollow: steps outside it (not asymptotic yet, or on the round-off plateau), and methods without a sound order. Grey lines have the
    slopes of the whole orders found.""",
)
def order(result, sheet):
    """Error of q, p and lambda against the step, with the fitted orders."""
    curves, parts = result.curves(), parts_with_data(result)
    if not curves or not parts:
        return "the study has no errors against a reference"
    found = groups(curves)
    axes = sheet.grid(
        len(found), len(parts), width=4.5 if len(parts) < 3 else 3.8, height=4.6 if len(found) == 1 else 3.4
    )
    for k, (row, group) in enumerate(zip(axes, found)):
        for ax, part in zip(row, parts):
            draw_part(ax, result, group, part)
            sheet.name(ax, part)
            ax.set_xlabel("step $h$" + bracketed_time(result))
            ax.set_title(PARTS.get(part, (part, part))[1] if k == 0 else "")
        row[0].set_ylabel("error" + result.column_unit("error", parts[0]))
        style.same_limits(row, x=True)
        single = not any(c.variant for c in curves)
        notes = {c.method: order_note(result, c, parts) for c in group.curves} if single else {}
        extra = [] if crowded(curves) else [style.faded("outside the fitted window")]
        sheet.legend(
            handles(result, group.curves, {m: t for m, t in notes.items() if t}, extra, bands=False), (k, k)
        )
    sheet.title(heading(result, "error against step"))
    return None


def bracketed_time(result):
    unit = result.unit_of("t", "/series/t")
    return f" [{unit}]" if unit not in ("", "1") else ""
