"""sweep.py: figures of sweeps: statistics against the parameter, tolerance or start that is swept, and maps
over two of them."""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
from typing import Any

import matplotlib
import numpy as np

from .. import digits, edges, labelled, style, words
from ..reading import ResultError, unknown
from ..scales import log_axis
from .columns import meaning, scaled
from .common import bracketed, change, groups, handles, heading
from .drift import TALLEST
from .kind import kind

NAMES, WORD = 1.3, 0.85  # inches: the names of methods beside a matrix; the room of a verdict
BAR, BAR_GAP = 0.05, 0.04  # of the width of a panel: a colour bar, and the gap before it
CELLS = 240  # the largest number of cells with written numbers


def swept(result):
    """Names of what is swept: parameters, tolerance, start, arguments of methods; without method and step."""
    return [n for n in labelled.axes(result) if n not in ("method", "step")]


def worth_telling(result):
    """The columns that a sweep shows by default: errors, orders, changes of conserved quantities."""
    wanted = [
        ("error", "total"),
        ("order", "q"),
        ("order", "p"),
        *(("largest", n) for n in result.conserved[:2]),
        ("average", None),
    ]
    found = [
        n
        for role, of in wanted
        for n, use in result.uses.items()
        if use["role"] == role and (of is None or use["of"] == of)
    ]
    return [n for n in dict.fromkeys(found) if np.isfinite(result.numbers(n)[result.shown]).any()][:4]


def along(result, name):
    """(positions of all cases, labels or None) along what is swept; texts have places 0, 1, 2 ..."""
    x = labelled.case_coordinates(result)[name]
    if labelled.is_text(x):
        entries = list(dict.fromkeys(x[result.shown]))
        return np.array([entries.index(v) if v in entries else -1 for v in x], dtype=float), entries
    return x.astype(float), None


def named(result, name):
    """What is swept, with its unit."""
    return style.symbol(name) + bracketed(result.unit_of("t" if name == "step" else name))


def spaced(x):
    x = np.unique(x[np.isfinite(x)])
    return "log" if len(x) > 1 and x[0] > 0 and x[-1] / x[0] >= 30 else "linear"


def finest_cases(result, name):
    """{(method, what else is swept): cases at the finest step}, each in the order of the axis `name`."""
    found: dict = {}
    coordinates = labelled.case_coordinates(result)
    finest = result.steps_written()[-1]
    rest = [n for n in coordinates if n not in (name, "step", "method")]
    nominal, methods = result.nominal, result.families
    for case in result.chosen:
        if nominal[case] == finest:
            other = ", ".join(
                coordinates[n][case]
                if labelled.is_text(coordinates[n])
                else f"{n} = {coordinates[n][case]:.4g}"
                for n in rest
                if coordinates[n][case] == coordinates[n][case]
            )
            found.setdefault((methods[case], other), []).append(case)
    return found, finest


@kind(
    "sweep",
    """A statistic against what is swept, at the finest step, a line a method. What else is swept sets the dashes of lines apart, or their
    transparency where there are many.""",
    report=1,
)
def sweep(result, sheet, x=None, y=None):
    """Statistics (--y) against the parameter, tolerance, start or argument that is swept (--x)."""
    names = swept(result)
    if not names:
        return "nothing is swept but methods and steps"
    wrong = [n for n in x or [] if n not in names]
    if wrong:
        raise unknown("sweep over", wrong[0], names)
    names, columns = x or names, [scaled(result, n) for n in (y or worth_telling(result))]
    if not columns:
        return "no statistic is known yet; --y names columns"
    found = groups(result.curves())
    axes = sheet.grid(len(columns) * len(found), len(names), width=4.4, height=3.2)
    for k, (row, (group, (column, scale))) in enumerate(zip(axes, [(g, c) for g in found for c in columns])):
        for ax, name in zip(row, names):
            draw_sweep(ax, result, group, name, column, scale)
            sheet.name(ax, column)
        row[0].set_ylabel(meaning(result, column))
        if k % len(columns) == 0:
            one = {c.method: c for c in reversed(group.curves)}
            made = handles(result, [_alone(c) for c in reversed(list(one.values()))])
            sheet.legend(
                [*made, *(entry for name in names for entry in other_sets(result, name, len(names) > 1))],
                (k, k + len(columns) - 1),
            )
    sheet.title(heading(result, f"sweep, step {result.steps_written()[-1]:.4g}"))
    return None


def _alone(curve):
    """The curve as the single one of its method, for a legend."""
    return dataclasses.replace(curve, variant="", variants=1, variant_index=0)


def other_sets(result, name, said):
    """Legend entries for sweeps other than `name`; said: where there are several panels side by side."""
    cases, _ = finest_cases(result, name)
    others = list(dict.fromkeys(other for _, other in cases if other))
    if not 1 < len(others) <= len(style.DASHES):
        return []
    label = f" (against {name})" if said else ""
    return [
        style.Line2D([], [], color=style.GREY, linestyle=style.DASHES[k], label=style.wrapped(o + label))
        for k, o in enumerate(others)
    ]


def draw_sweep(ax, result, group, name, column, scale):
    place, texts = along(result, name)
    value = result.numbers(column)
    cases, _ = finest_cases(result, name)
    curve = {c.method: c for c in group.curves}
    others = list(dict.fromkeys(other for _, other in cases if other)) + [""]
    outline = []
    ax.set(xscale=spaced(place[result.shown]) if texts is None else "linear", yscale=scale)
    for (method, other), mine in cases.items():
        mine = np.array(sorted(mine, key=lambda c: place[c]))
        if method not in curve:
            continue
        y = style.raised(value[mine]) if scale == "log" else style.bounded(value[mine])
        look = {"color": style.colour(curve[method]), "marker": style.marker(curve[method]), "linewidth": 1.1}
        look["linestyle"] = (
            style.DASHES[others.index(other) % len(style.DASHES)] if len(others) - 1 <= len(style.DASHES) else "-"
        )
        if np.isnan(place[mine]).all():  # a method that has not the argument: the same everywhere
            for level in y:
                ax.axhline(level, color=look["color"], linewidth=0.9, linestyle=look["linestyle"])
            continue
        ax.plot(place[mine], y, alpha=1.0 if len(others) - 1 <= len(style.DASHES) else 0.45, **look)
        name_of = f"{method}, {other}" if other else method
        outline.append(edges.Line(name_of, look["color"], place[mine], value[mine]))
    if scale == "log":
        style.log_axis(ax.yaxis)
        edges.keep_in_sight(ax, outline, [value[result.shown]], TALLEST)
    if texts is not None:
        ax.set_xticks(
            range(len(texts)), [style.wrapped(t, 14) for t in texts], rotation=30 if len(texts) > 6 else 0
        )
    elif ax.get_xscale() == "log":
        style.log_axis(ax.xaxis)
    ax.set_xlabel(named(result, name))


# ---- maps


def map_axes(result, x, y):
    """The default axes: what is swept, then the step."""
    names = [*swept(result), "step"]
    for n in [*(x or []), *(y or [])]:
        if n not in labelled.axes(result):
            raise unknown("axis", n, names)
    several = [n for n in names if len(labelled.axes(result)[n]) > 1]
    across = x[0] if x else next((n for n in several if not y or n != y[0]), None)
    up = y[0] if y else next((n for n in several if n != across), None)
    if across is None or up is None:
        raise ResultError(
            "nothing to draw for the figure heat: it needs two of parameters, tolerance, "
            "start, arguments of methods and step with several values each"
        )
    return across, up


def map_entries(result):
    """{axis: entries}, without the NaN of methods that have not an argument."""
    return {n: [v for v in x if v == v and v != ""] for n, x in labelled.axes(result).items()}


def table_of(result, column, method, across, up):
    """[up, across] of a column for a method; the largest number, or the first text, where a cell has several
    cases."""
    coordinates, axes = labelled.case_coordinates(result), map_entries(result)
    x, value, families = axes[across], result.column(column), result.families
    text = value.dtype.kind == "O"
    out = np.full((len(axes[up]), len(x)), "" if text else np.nan, dtype=object if text else float)
    for case in result.chosen:
        here = coordinates[across][case], coordinates[up][case]
        if families[case] == method and here[0] in x and here[1] in axes[up]:
            i, j = axes[up].index(coordinates[up][case]), x.index(coordinates[across][case])
            out[i, j] = value[case] if text else np.fmax(out[i, j], value[case])
    return out


def entries(values):
    return [style.wrapped(text, 14) if isinstance(v, str) else text for v, text in zip(values, digits.distinct(values))]


@kind(
    "heat",
    "A statistic over two of what is swept: parameters, tolerance, start, "
    "arguments of methods, step; a panel a method. Of several cases for a cell: the largest.",
)
def heat(result, sheet, x=None, y=None, z=None):
    """A map of a statistic (--z) over two of parameter, tolerance, start, argument, step (--x and --y), a panel
    per method."""
    across, up = map_axes(result, x, y)
    column = (z or worth_telling(result) or [""])[0]
    if result.column(column) is None:
        raise unknown("column", column, result.names("/statistics"))
    axes_of, coordinates = map_entries(result), labelled.case_coordinates(result)
    methods = [
        m
        for m in dict.fromkeys(c.method for c in result.curves())
        if any(
            result.families[case] == m and all(coordinates[n][case] in axes_of[n] for n in (across, up))
            for case in result.chosen
        )
    ][:12]
    columns = min(len(methods), 3)
    panel = (
        0.95 + 0.62 * max(3, min(len(axes_of[across]), 8)),
        1.1 + 0.42 * max(3, min(len(axes_of[up]), 9)),
    )
    axes = sheet.grid(-(-len(methods) // columns), columns, *panel)
    tables = {m: table_of(result, column, m, across, up) for m in methods}
    norm = limits(tables.values())
    for k, (ax, m) in enumerate(zip(axes.ravel(), methods)):
        image = draw_map(ax, tables[m], norm)
        last = k % columns == columns - 1 or m == methods[-1]
        if image is not None and (last if sheet.panel is None else m == sheet.panel):
            use = result.uses.get(column, {})
            told = change(result, use["of"]) if use.get("role") == "largest" else meaning(result, column)
            colour_bar(ax, image, told)
        sheet.name(ax, m)
        ax.set_xticks(
            range(len(axes_of[across])),
            entries(axes_of[across]),
            rotation=45 if len(axes_of[across]) > 6 else 0,
        )
        ax.set_yticks(range(len(axes_of[up])), entries(axes_of[up]))
        ax.set(title=style.wrapped(m, 34), xlabel=named(result, across), ylabel=named(result, up))
    sheet.hide(axes.ravel()[len(methods) :])
    told = result.attribute(f"/statistics/{column}", "long_name")
    sheet.title(heading(result, f"{column}, {told}" if told else column))
    return None


def limits(tables):
    """The colours of all panels: logarithmic where numbers are positive and differ by a factor of thirty;
    None for texts."""
    tables = list(tables)
    if tables[0].dtype == object:
        return None
    x = np.concatenate([style.bounded(t).ravel() for t in tables])
    x = x[np.isfinite(x)]
    if not len(x):
        return matplotlib.colors.Normalize(0, 1)
    log = (x > 0).all() and x.max() > 30 * x.min()
    kind_of = matplotlib.colors.LogNorm if log else matplotlib.colors.Normalize
    return kind_of(x.min(), x.max() if x.max() > x.min() else x.min() + abs(x.min()) + 1e-300)


def draw_map(ax, table, norm, texts=None):
    """Coloured cells with their values, where there is room. texts: what stands in the cells instead. Returns the
    image of numbers, None of texts."""
    image: Any = None
    if norm is None:
        colours = np.array(
            [[matplotlib.colors.to_rgb(words.MARKS.get(w, "#ffffff")) for w in row] for row in table]
        )
        ax.imshow(colours, aspect="auto", origin="lower", interpolation="nearest")
    else:
        shown = np.ma.masked_invalid(style.bounded(table))
        image = ax.imshow(
            shown, aspect="auto", origin="lower", norm=norm, cmap="viridis", interpolation="nearest"
        )
    ax.grid(False)
    if table.size > CELLS:
        return image
    for (i, j), value in np.ndenumerate(table):
        tone = (
            "black" if norm is None else tone_on(image.cmap(norm(value)) if np.isfinite(value) else (1, 1, 1))
        )
        said = value if texts is None else texts[i, j]
        ax.text(j, i, said if norm is None else ("–" if not np.isfinite(value) else f"{value:.1e}" if value and not 0.01 <= abs(value) < 1000 else f"{value:.3g}"),
                ha="center", va="center", fontsize=style.small() - 0.5, color=tone, clip_on=True, gid="cell" if texts is None else "letter")  # fmt: skip
    return image


def colour_bar(ax, image, text):
    """The scale of the colours, beside a panel, with the quantity and its unit."""
    bar = ax.inset_axes((1 + BAR_GAP, 0, BAR, 1))
    ax.figure.colorbar(image, cax=bar)
    bar.set_ylabel(text)
    bar.grid(False)
    if isinstance(image.norm, matplotlib.colors.LogNorm):
        log_axis(bar.yaxis)


def tone_on(colour):
    return "black" if 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] > 0.5 else "white"


def letters(table):
    """A letter for each verdict of a matrix."""
    return np.vectorize(lambda word: words.LETTERS.get(word, word[:1]), otypes=[object])(table)


def patch(word):
    """The legend entry of a verdict that stands in its cells as a letter."""
    label = f"{words.LETTERS.get(word, word[:1])}  {word}"
    return matplotlib.patches.Patch(facecolor=words.MARKS[word], edgecolor=style.GREY, linewidth=0.4, label=label)


@kind(
    "verdicts",
    "The verdict on a quantity: methods down, sets of parameters, tolerances, starts and steps across.",
)
def verdicts(result, sheet, y=None):
    """Verdicts as a matrix methods x sets (--y NAME for another quantity than the energy)."""
    names = y or [n for n in result.quantities("verdict") if n in result.conserved][:4]
    if not names:
        return "the study gives no verdicts"
    first = result.verdicts(names[0])
    methods, sets = list(first), list(next(iter(first.values()), {}))
    axes = sheet.grid(
        len(names), 1, width=1.2 + 0.95 * max(2, min(len(sets), 14)), height=1.0 + 0.36 * max(2, len(methods))
    )
    given = sheet.width or (style.COLUMN if sheet.look == "paper" else 0.95 * min(len(sets), 14) + NAMES)
    narrow = (given - NAMES) / max(len(sets), 1) < WORD
    used = []
    for k, (ax, name) in enumerate(zip(axes[:, 0], names)):
        table = np.array(
            [[row.get(s, "") for s in sets] for row in result.verdicts(name).values()], dtype=object
        )
        draw_map(ax, table, None, letters(table) if narrow else None)
        sheet.name(ax, name)
        ax.set_yticks(range(len(methods)), [style.wrapped(m, 34) for m in methods])
        turned = {"rotation": 90} if len(sets) > 10 else {}
        ax.set_xticks(
            range(len(sets)),
            [style.wrapped(s, 60) if turned else style.plain(s).replace(", ", "\n") for s in sets]
            if k == len(names) - 1
            else [],
            **turned,
        )
        used += [word for word in np.unique(table) if word]
        ax.invert_yaxis()
        ax.set_title(style.plain(name))
    if narrow:
        sheet.legend([patch(word) for word in words.MARKS if word in used])
    sheet.title(heading(result, "verdicts"))
    return None
