"""figures.py: pictures of the atlas: errors against costs on one system, and the cost of each method on each system."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import math
import pathlib
from typing import Any

import matplotlib
import numpy as np
import tables
from matplotlib.figure import Figure

STYLE = {"font.size": 8, "svg.hashsalt": "constella", "savefig.dpi": 110}
MARKS = "osD^v<>pXP*hH8d"


def save(fig: Figure, path: pathlib.Path) -> str:
    fig.savefig(path, metadata={"Software": None})
    return path.name


def finite(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(w, e) for w, e in sorted(points) if 0 < e < 10 and w > 0]


def curves(folder: pathlib.Path, entry: Any, methods: list[str]) -> list[dict[str, list[tuple[float, float]]]]:
    """{method: [(seconds of a period, error)]} of q and of the energy."""
    found: list[dict[str, list[tuple[float, float]]]] = [{}, {}]
    result = tables.opened(tables.path_of(folder, entry, "order"))
    if result is None:
        return found
    for m in methods:
        unit = tables.constant(folder, entry, m)
        if unit:
            q, energy = tables.points_of(result, m, "error_q", "", entry.time), tables.energy_points(folder, entry, m)
            for of, points in zip(found, (q, energy)):
                of[m] = finite([(w * unit, e) for w, e in points])
    return found


def of_one(folder: pathlib.Path, entry: Any, methods: list[str]) -> str:
    """Its name; '': nothing was run."""
    if entry.bath:
        return of_bath(folder, entry)
    found = curves(folder, entry, methods)
    if not any(found[0].values()):
        return ""
    with matplotlib.rc_context(STYLE):
        fig = Figure(figsize=(10, 4.6), layout="constrained")
        left, right = fig.subplots(1, 2)
        for axes, of, said in ((left, found[0], "error of q over two periods"), (right, found[1], "largest relative error of the energy")):
            for k, m in enumerate(methods):
                if of.get(m):
                    x, y = zip(*of[m])
                    axes.plot(1e6 * np.array(x), y, marker=MARKS[k % len(MARKS)], ms=4, lw=1, color=f"C{k % 10}", label=m)
            axes.set(xscale="log", yscale="log", xlabel="cost of a period, us", ylabel=said)
        right.legend(*left.get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=7)
        return save(fig, folder / f"{entry.label}.png")


def of_bath(folder: pathlib.Path, entry: Any) -> str:
    result = tables.opened(tables.path_of(folder, entry, "temperature"))
    if result is None:
        return ""
    with matplotlib.rc_context(STYLE):
        fig = Figure(figsize=(6, 3.5), layout="constrained")
        axes = fig.subplots()
        for m in dict.fromkeys(result.texts("method")):
            of = tables.cases(result, m)
            mean, error = (result.numbers(f"temperature_{k}")[of] for k in ("mean", "error"))
            axes.errorbar(result.nominal[of], mean, 2 * error, marker="o", ms=4, capsize=2, label=m)
        axes.axhline(0.5, color="0.4", lw=1, ls="--")
        axes.set(xscale="log", xlabel="step", ylabel="temperature, two standard errors")
        axes.legend(fontsize=6)
        return save(fig, folder / f"{entry.label}.png")


def of_all(folder: pathlib.Path, systems: list[str], methods: list[str], costs: list[dict[str, float]]) -> str:
    """Colours: seconds over the least of the system, for 1e-4 in energy."""
    if not any(math.isfinite(x) for of in costs for x in of.values()):
        return ""
    ratio = np.full((len(methods), len(systems)), math.nan)
    with matplotlib.rc_context(STYLE):
        fig = Figure(figsize=(8.5, 5.2), layout="constrained")
        axes = fig.subplots()
        for j, of in enumerate(costs):
            least = min(of.values(), default=math.inf)
            for i, m in enumerate(methods):
                x = of.get(m)
                if x is not None and math.isfinite(x):
                    ratio[i, j] = x / least
                said = "" if x is None else "x" if not math.isfinite(x) else f"{x / least:.2g}"
                axes.text(j, i, said, ha="center", va="center", fontsize=6.5, color="w" if x and math.isfinite(x) and x / least > 30 else "k")
        image = axes.imshow(np.log10(ratio), cmap="viridis_r", vmin=0, vmax=2.3, aspect="auto")
        axes.set_xticks(range(len(systems)), systems, rotation=35, ha="right")
        axes.set_yticks(range(len(methods)), methods)
        axes.set_title("cost for an energy error of 1e-4 over the cheapest; x: not reached; blank: does not fit, or not run", fontsize=8)
        bar = fig.colorbar(image, ax=axes, ticks=[0, 1, 2])
        bar.ax.set_yticklabels(["1", "10", "100"])
        return save(fig, folder / "atlas.png")
