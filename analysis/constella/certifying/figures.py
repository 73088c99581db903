"""figures.py: the figures behind the cells of a certificate: a panel for each claim of a method, a curve for each system,
all drawn in one way from the curves of the result and the axes of the properties (property.py)."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .certificate import PROPERTIES, Cell, Certificate
from .property import CONFIRMED, OPEN, REFUTED, Axes

AXES = {claim: p.axes for p in PROPERTIES if p.axes for claim in p.claims}
COLOUR = {CONFIRMED: "#1b7837", REFUTED: "#b30000", OPEN: "#595959"}
ACROSS, WIDE, HIGH, LINE = 3, 4.1, 2.8, 0.3  # panels in a row, and the sizes of one and of the legend in inches
SMALL = {"font.size": 8, "axes.labelsize": 8, "xtick.labelsize": 7, "ytick.labelsize": 7, "legend.fontsize": 7, "svg.fonttype": "none"}
NONE = 1e-18  # where zeros are drawn on logarithmic axes


def panels(c: Certificate, method: str) -> dict[str, list[Cell]]:
    """{claim: cells with a curve}, in the order of the properties."""
    found: dict[str, list[Cell]] = {claim: [] for claim in AXES}
    for cell in c.cells:
        if cell.method == method and cell.found.curve.get("y"):
            found[cell.claim].append(cell)
    return {claim: cells for claim, cells in found.items() if cells}


def figure(c: Certificate, method: str) -> str:
    """All panels of a method as SVG; "" where there is nothing to draw."""
    import matplotlib

    from .. import style

    found = panels(c, method)
    if not found:
        return ""
    with matplotlib.rc_context({**style.LOOKS["screen"], **SMALL}):
        fig, grid = sheet(len(found))
        systems = list(dict.fromkeys(x.system for x in c.cells))
        for ax, (claim, cells) in zip(grid, found.items()):
            draw(ax, AXES[claim], claim, cells, [systems.index(x.system) for x in cells])
            title(ax, c, method, claim)
        for ax in grid[len(found) :]:
            ax.set_visible(False)
        handles = {line.get_label(): line for ax in grid[: len(found)] for line in ax.get_lines() if line.get_label() in systems}
        there = [s for s in systems if s in handles]
        fig.legend([handles[s] for s in there], there, loc="upper left", ncols=len(there), frameon=False)
        return saved(fig)


def sheet(n: int) -> tuple[Any, Any]:
    """n panels below a line for the legend, at fixed places: a layout that is computed takes most of the time."""
    from matplotlib.figure import Figure

    down, across = -(-n // ACROSS), min(ACROSS, n)
    wide, high = WIDE * across, HIGH * down + LINE
    fig = Figure(figsize=(wide, high))
    grid = fig.subplots(down, across, squeeze=False).ravel()
    fig.subplots_adjust(0.65 / wide, 0.45 / high, 1 - 0.15 / wide, 1 - (LINE + 0.25) / high, 0.8 / (WIDE - 0.8), 0.75 / (HIGH - 0.7))
    return fig, grid


def title(ax: Any, c: Certificate, method: str, claim: str) -> None:
    """The claim, or those that share the curve, with their verdicts."""
    of = next(p for p in PROPERTIES if claim in p.claims)
    alike = of.claims if of.one_curve else (claim,)
    made = [x for x in alike if c.claimed(method, x)]
    verdicts = [c.of(method, x).verdict for x in made]
    said = ", ".join(f"{x}: {v}" for x, v in zip(made, verdicts)) or f"{claim}: not claimed"
    ax.set_title(said, fontsize=8.5, color=COLOUR[REFUTED if REFUTED in verdicts else verdicts[0]] if made else COLOUR[OPEN])


def draw(ax: Any, axes: Axes, claim: str, cells: Sequence[Cell], places: Sequence[int]) -> None:
    """Curves with their floors (dotted) and limits (dashed), and where the claim stands among them (grey)."""
    from .. import style

    for cell, k in zip(cells, places):
        curve = cell.found.curve
        order = np.argsort(curve["x"])
        x, colour = np.array(curve["x"], dtype=float)[order], style.COLOURS[k % len(style.COLOURS)]
        of_each = {what: drawn(curve[what], axes, order) for what in ("y", "floor", "limit") if np.size(curve.get(what, ()))}
        ax.plot(x, of_each["y"], color=colour, marker=style.MARKERS[k % len(style.MARKERS)], markersize=3, linewidth=1, markevery=max(1, len(x) // 12), label=cell.system)
        for what, dashes in (("floor", ":"), ("limit", "--")):
            if what in of_each:
                ax.plot(x, of_each[what], color=colour, linestyle=dashes, linewidth=0.8)
    scaled(ax, axes, [x for cell in cells for x in cell.found.curve["x"]])
    guides(ax, axes, cells)
    ax.set_xlabel(axes.x)
    ax.set_ylabel(axes.y[claim])


def drawn(y: Any, axes: Axes, order: np.ndarray) -> np.ndarray:
    """Numbers on the axis of y, one for each x: zeros of a logarithmic one stand at its lower end."""
    all_ = np.array(y, dtype=float)
    each = all_[order] if all_.ndim else np.full(len(order), float(all_))
    each = np.where(np.isfinite(each), each, np.nan)
    return np.maximum(each, NONE) if "y" in axes.log else each


def scaled(ax: Any, axes: Axes, x: Sequence[float]) -> None:
    """Marks within decades take most of the time of a page, and are drawn where there are few decades."""
    from matplotlib.ticker import NullLocator

    from .. import style

    if "x" in axes.log:
        style.step_axis(ax, x) if axes.x == "step" else ax.set_xscale("log", base=2)
    if "y" in axes.log:
        ax.set_yscale("log")
        style.log_axis(ax.yaxis)
        low, high = ax.get_ylim()
        if high > 100 * low:
            ax.yaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_locator(NullLocator())


def guides(ax: Any, axes: Axes, cells: Sequence[Cell]) -> None:
    """What is claimed, and the powers that the curves are compared with."""
    claimed = sorted({cell.claimed for cell in cells if cell.claimed})
    powers = [*axes.powers, *(claimed if axes.claim == "slope" else [])]
    first = cells[0].found.curve
    good = [(x, y) for x, y in zip(first["x"], first["y"]) if x > 0 and y > 0 and np.isfinite(y)]
    for power in powers if good else ():
        x0, y0 = max(good) if axes.x == "step" else good[0]
        x = np.array([min(g[0] for g in good), max(g[0] for g in good)])
        ax.plot(x, y0 * (x / x0) ** power, color="#B4B4B4", linewidth=1.2, zorder=1)
        end = 0 if axes.x == "step" else 1
        ax.annotate(f"{power:g}", (x[end], y0 * (x[end] / x0) ** power), color="#6B6B6B", fontsize=7, annotation_clip=True)
    for n in claimed if axes.claim in ("x", "y") else ():
        (ax.axhline if axes.claim == "y" else ax.axvline)(n, color="#B4B4B4", linewidth=1.2, zorder=1)


def saved(fig: Any) -> str:
    """The SVG alone, with the same bytes each time."""
    out = io.StringIO()
    fig.savefig(out, format="svg", metadata={"Date": None})
    text = re.sub(r"<metadata>.*?</metadata>", "", out.getvalue(), flags=re.S)
    return text[text.index("<svg") :]
