"""motion.py: stored trajectories: quantities over time, phase portraits, configuration curves,
multipliers."""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
import re

import numpy as np

from .. import mechanism, motions, style
from ..reading import ResultError
from .common import MOST, bracketed, handles, heading, time_label
from .kind import kind

PANELS = 12  # at most, without named expressions
POINTS = 2000  # of a line over time; of longer ones the extremes are kept


def chosen(result, members, time=None):
    """The trajectories of the finest steps: of one member unless some are named (motions.foremost), of one
    selected set of parameters, of at most seven methods. time: (from, to), the part that is shown.
    ResultError in words where there are none.
    """
    found = motions.listed(result, members, finest=True)
    first = motions.foremost(result, found, members)[0]
    methods = list(dict.fromkeys(c.method for c, _, _ in found))[:MOST]
    found = [(c, k, m) for c, k, m in found if c.variant == first.variant and c.method in methods]
    if members is None:
        one = {c.method: motions.foremost(result, [x for x in found if x[0] is c])[2] for c, _, _ in found}
        found = [(c, k, m) for c, k, m in found if m == one[c.method]]
    lines = [motions.trajectory(result, k, m) for _, k, m in found]
    return lines if time is None else [t.between(*time) for t in lines]


def first_of(result, members):
    """One of them, for the names that it has."""
    _, case, member = motions.foremost(result, motions.listed(result, members, finest=True), members)
    return motions.trajectory(result, case, member)


def chosen_set(result, found):
    """The set of parameters of the figure, for the title."""
    curve, all_methods = result.curve_of(found[0].case), len({c.method for c in result.curves()})
    some = f", {MOST} of {all_methods} methods" if all_methods > MOST else ""
    return (f", {curve.variant}" if curve.variant else "") + some


def thinned(x, y):
    """At most POINTS of a line over time: the least and the largest of each interval."""
    if len(x) <= POINTS:
        return x, y
    pieces = np.array_split(np.arange(len(x)), POINTS // 2)
    pick = np.unique(
        [i for p in pieces for i in (p[0] + np.nanargmin(y[p]), p[0] + np.nanargmax(y[p])) if len(p)]
        if np.isfinite(y).all()
        else np.arange(0, len(x), len(x) // POINTS)
    )
    return x[pick], y[pick]


def dash(trajectories, t):
    """A pattern per member."""
    return style.DASHES[sorted({u.member for u in trajectories}).index(t.member) % len(style.DASHES)]


def label(name, t):
    """A name or an expression as a label, with its unit."""
    text = style.symbol(name)
    for start, symbol in (("lambda_", r"\lambda"), ("p_", "p")):
        if (
            name in t.values
            and name.startswith(start)
            and re.fullmatch(r"[A-Za-z0-9\[\]]+", name[len(start) :])
        ):
            text = f"${symbol}_{{\\mathrm{{{name[len(start) :]}}}}}$"
    return ("time $t$" if name == "t" else text) + t.unit(name)


def key(result, sheet, trajectories):
    """The legend: methods with their step, and members where there are several."""
    cases = {t.case for t in trajectories}
    curves = [c for c in result.curves() if cases & set(c.cases)]
    steps = {
        m: f"$h$ = {t.step:.4g}"
        for t in trajectories
        for m in [next((c.method for c in curves if t.case in c.cases), "")]
    }
    members = sorted({t.member for t in trajectories})
    extra = []
    if len(members) > 1:
        dashes = [style.DASHES[i % len(style.DASHES)] for i in range(len(members))]
        extra = [
            style.Line2D([], [], color=style.GREY, linestyle=d, label=f"member {m}")
            for m, d in zip(members, dashes)
        ]
    alone = [dataclasses.replace(c, variant="", variants=1, variant_index=0) for c in curves]
    made = handles(result, alone, steps, extra)
    for handle in made:
        handle.set_marker("")
    sheet.legend(made)


def over_time(result, sheet, names, members, time, what):
    """A panel for each expression, a line for each trajectory."""
    found = chosen(result, members, time)
    curve = {k: c for c in result.curves() for k in c.cases}
    columns = min(len(names), 2)
    axes = sheet.grid(-(-len(names) // columns), columns, width=5.4, height=2.7, sharex="col")
    for ax, name in zip(axes.ravel(), names):
        for t in found:
            x, y = thinned(t.t, t[name])
            ax.plot(
                x,
                style.bounded(y),
                color=style.colour(curve[t.case]),
                linestyle=dash(found, t),
                linewidth=1.0,
            )
        ax.set_ylabel(label(name, found[0]))
        sheet.name(ax, name)
    sheet.hide(axes.ravel()[len(names) :])
    for column in axes.T:
        last = [ax for ax in column if ax.axison][-1:]
        for ax in last:
            ax.set_xlabel(time_label(result))
            ax.tick_params(labelbottom=True)
    key(result, sheet, found)
    sheet.title(heading(result, what + chosen_set(result, found)))
    return None


@kind(
    "trajectory",
    "Stored trajectories over time, at the finest step of each method of which one was stored.",
    report=2,
)
def trajectory(result, sheet, y=None, members=None, time=None):
    """x(t) of stored trajectories: all coordinates, or the expressions --y."""
    first = first_of(result, members)
    coordinates = [str(c) for c in result.data("/coordinate") if str(c) in first.values]
    return over_time(
        result,
        sheet,
        y or (coordinates or [n for n in first.names if n != "t"])[:PANELS],
        members,
        time,
        "trajectories",
    )


@kind("multipliers", "Multipliers of the constraints along stored trajectories; M A = f - G'λ.")
def multipliers(result, sheet, y=None, members=None, time=None):
    """Multipliers over time."""
    first = first_of(result, members)
    names = y or [n for n in first.names if n.startswith("lambda_")][:PANELS]
    return (
        over_time(result, sheet, names, members, time, "multipliers")
        if names
        else "the system has no constraints, or no multipliers were stored"
    )


def plane(ax, result, found, x, y, curve, equal):
    """Curves of two expressions against each other, a circle at the start of each."""
    for t in found:
        tone, a, b = style.colour(curve[t.case]), style.bounded(t[x]), style.bounded(t[y])
        step = max(1, len(a) // (4 * POINTS))
        ax.plot(a[::step], b[::step], color=tone, linestyle=dash(found, t), linewidth=0.8)
        ax.plot(a[:1], b[:1], color=tone, marker="o", markerfacecolor="white", linestyle="")
    ax.set(xlabel=label(x, found[0]), ylabel=label(y, found[0]))
    if equal:
        ax.set_aspect("equal", adjustable="datalim")


def against(result, sheet, pairs, members, time, what, equal):
    """A row of panels for each pair of expressions; a panel per method, or one for at most two methods."""
    found = chosen(result, members, time)
    curve = {k: c for c in result.curves() for k in c.cases}
    methods = list(dict.fromkeys(curve[t.case].method for t in found))
    apart = [[m] for m in methods[:PANELS]] if len(methods) > 1 else [methods]
    across = min(len(apart), 4) if len(pairs) == 1 else len(apart)
    lines = -(-len(apart) // across) if len(pairs) == 1 else len(pairs)
    axes = sheet.grid(lines, across, width=3.9, height=3.9)
    places = [(p, group) for p in pairs for group in apart]
    for ax, ((x, y), group) in zip(axes.ravel(), places):
        plane(ax, result, [t for t in found if curve[t.case].method in group], x, y, curve, equal)
        sheet.name(ax, group[0])
        if len(methods) > 1:
            ax.set_title(style.wrapped(group[0], 34), fontsize=style.small() + 1.5)
    sheet.hide(axes.ravel()[len(places) :])
    for k in range(len(pairs)):
        shown = axes.ravel()[k * len(apart) : (k + 1) * len(apart)]
        if not equal:
            style.same_limits(shown)
            style.same_limits(shown, x=True)
    key(result, sheet, found)
    sheet.title(heading(result, what + chosen_set(result, found)))
    return None


@kind(
    "phase",
    "Phase portraits of stored trajectories: two expressions of coordinates, velocities, momenta, "
    "multipliers. Circles: the starts.",
)
def phase(result, sheet, x=None, y=None, members=None, time=None):
    """Phase portraits: a coordinate and its momentum, or any two expressions --x and --y."""
    first = first_of(result, members)
    q = [str(c) for c in result.data("/coordinate")][0]
    up = y or [n for n in (f"{q}'", f"p_{q}") if n in first.values][:1]
    if not up:
        raise ResultError(
            f"neither a velocity nor a momentum of {q} was stored; there are {', '.join(first.names)}: name two by --x and --y"
        )
    pairs = list(zip(x or [q], up))
    return against(result, sheet, pairs, members, time, "phase portrait", equal=False)


@kind(
    "configuration",
    "Paths of the points of the system along stored trajectories, "
    "in the plane; of a system in space seen along two axes.",
)
def configuration(result, sheet, x=None, y=None, members=None, time=None):
    """Configuration curves: the paths of points, or two expressions --x and --y on equal scales."""
    first = first_of(result, members)
    if x or y:
        if len(x or []) != len(y or []):
            raise ResultError("configuration takes as many --x as --y")
        return against(result, sheet, list(zip(x, y)), members, time, "configuration", equal=True)
    shape = mechanism.of(result, first.case)
    if not shape.points:
        raise ResultError("the system has bodies and no points; name expressions with --x and --y")
    flat = all(p[2] is None for p in shape.points.values())
    views = [("x", "y", 0, 1)] if flat else [("x", "z", 0, 2), ("x", "y", 0, 1)]
    return paths(result, sheet, shape, views, members, time)


def paths(result, sheet, shape, views, members, time):
    """A panel for each view and method: each point in its own tone."""
    found = chosen(result, members, time)
    curve = {k: c for c in result.curves() for k in c.cases}
    methods = list(dict.fromkeys(curve[t.case].method for t in found))[: PANELS // len(views)]
    axes = sheet.grid(len(views), len(methods), width=3.9, height=3.9)
    tones = [style.COLOURS[i % len(style.COLOURS)] for i in range(len(shape.points))]
    unit = bracketed(result.unit_of(next(iter(shape.points.values()))[0]))
    for row, (across, up, i, j) in zip(axes, views):
        for ax, method in zip(row, methods):
            for t in [t for t in found if curve[t.case].method == method]:
                for tone, point in zip(tones, shape.points):
                    at = style.bounded(shape.place(point, t.values))
                    ax.plot(at[:, i], at[:, j], color=tone, linewidth=0.7, linestyle=dash(found, t))
                    ax.plot(
                        at[:1, i], at[:1, j], color=tone, marker="o", markerfacecolor="white", linestyle=""
                    )
            ax.set(xlabel=across + unit, ylabel=up + unit)
            ax.set_aspect("equal", adjustable="datalim")
            ax.set_title(style.wrapped(method, 34), fontsize=style.small() + 1.5)
    names = [
        style.Line2D([], [], color=tone, label=f"point {style.plain(name)}")
        for tone, name in zip(tones, shape.points)
    ]
    sheet.legend(names[:20])
    sheet.title(heading(result, "paths in configuration space" + chosen_set(result, found)))
    return None
