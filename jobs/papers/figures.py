"""figures.py: a figure of a paper from the series of a result: panels below each other, lines over time.

Called by tables.py.
"""
# SPDX-License-Identifier: BSD-2-Clause
import matplotlib
from constella import edges, style
from constella.sheet import Sheet


def draw_lines(ax, result, lines, scale):
    """The value at each sample; on a logarithmic axis zeros are drawn at the lower limit."""
    values = []
    for number, line in enumerate(lines):
        t, x = result.time_series(line["series"], 0)
        values.append(x)
        look = {
            "color": style.COLOURS[number],
            "linestyle": style.DASHES[number],
            "linewidth": 1.0,
            "label": style.plain(line["series"]),
        }
        ax.plot(t, style.raised(x) if scale == "log" else x, **look)
    ax.set_yscale(scale)
    if scale == "log":
        style.log_axis(ax.yaxis)
        edges.note_floor(ax, values)
    else:
        ax.ticklabel_format(axis="y", style="sci", scilimits=(-3, 3), useMathText=True)


def draw(result, figure):
    panels = figure["panels"]
    sheet = Sheet()
    axes = sheet.grid(len(panels), 1, width=7.0, height=3.4 if len(panels) == 1 else 1.7, sharex="col")
    for ax, panel in zip(axes[:, 0], panels):
        draw_lines(ax, result, panel["lines"], figure["scale"])
        ax.set_ylabel(panel["label"])
        if len(panel["lines"]) > 1:
            ax.legend(loc="center left", bbox_to_anchor=(1.005, 0.5), frameon=False)
    axes[-1, 0].set_xlabel(f"time{result.unit('/series/t')}")
    sheet.title(figure["title"])
    return sheet.finish()


def write(result, figure, path):
    """Draws the panels and writes a PNG; the same bytes for the same result."""
    with matplotlib.rc_context(style.LOOKS["screen"]):
        path.write_bytes(style.encode(draw(result, figure), "png"))
