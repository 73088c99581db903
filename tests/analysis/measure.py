"""measure.py: what is wrong with a figure, measured on the figure itself: data that leave a panel without a
mark, texts that overlap, are cut or too small to read, and hidden marks of axes that are not shared."""
# SPDX-License-Identifier: BSD-2-Clause
import matplotlib
import numpy as np
from matplotlib.axis import Tick
from matplotlib.text import Text

SMALLEST = 4.5  # points
SLACK = 1.0  # points by which boxes of texts may overlap: they include the room of descenders


def texts(fig):
    """[(text, box)] of all texts that are drawn, in pixels."""
    renderer = fig.canvas.get_renderer()
    everything = fig.findobj()
    of_ticks = {t for tick in everything if isinstance(tick, Tick) for t in (tick.label1, tick.label2)}
    axes = [ax for ax in fig.axes if ax.get_visible()]
    hidden = {t for ax in axes if not ax.axison for axis in (ax.xaxis, ax.yaxis) for t in axis.findobj(Text)}
    drawn = [
        t
        for t in everything
        if isinstance(t, Text) and t not in of_ticks and t not in hidden and t.get_visible()
    ]
    for ax in axes:
        drawn += [*drawn_labels(ax.xaxis), *drawn_labels(ax.yaxis)] if ax.axison else []
    boxes = [(t, t.get_window_extent(renderer)) for t in drawn if t.get_text().strip()]
    return [(t, box) for t, box in boxes if box.width > 0 and box.height > 0]


def drawn_labels(axis):
    """Labels of the ticks within the limits."""
    low, high = sorted(axis.get_view_interval())
    across = axis.axis_name == "x"
    found = []
    axis.get_ticklabels(which="both")  # makes the ticks
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        at = tick.label1.get_position()[0 if across else 1]
        if tick.label1.get_visible() and low <= at <= high:
            found.append(tick.label1)
    return found


def overlap(a, b, slack):
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    up = min(a.y1, b.y1) - max(a.y0, b.y0)
    return across > slack and up > slack


def overlapping(fig, found=None):
    found, slack = texts(fig) if found is None else found, SLACK * fig.dpi / 72
    return [
        f'"{a.get_text()}" and "{b.get_text()}" overlap'
        for i, (a, box) in enumerate(found)
        for b, other in found[i + 1 :]
        if overlap(box, other, slack)
    ]


def cut(fig, found=None):
    whole = fig.bbox
    return [
        f'"{t.get_text()}" is cut'
        for t, box in (texts(fig) if found is None else found)
        if box.x0 < whole.x0 - 1 or box.x1 > whole.x1 + 1 or box.y0 < whole.y0 - 1 or box.y1 > whole.y1 + 1
    ]


def small(fig, found=None):
    found = texts(fig) if found is None else found
    return [f'"{t.get_text()}" has {t.get_fontsize()} points' for t, _ in found if t.get_fontsize() < SMALLEST]


def heavy(ax):
    """The lines that show data: behind them lie faint ones and guides."""
    return [n for n in ax.lines if n.get_zorder() >= 3 and n.get_gid() != "leaves" and len(n.get_xdata())]


def unmarked(fig):
    """Lines with points outside their panel and no triangle of their colour at its edge."""
    wrong = []
    for ax in fig.axes:
        marks = {matplotlib.colors.to_hex(n.get_color()) for n in ax.lines if n.get_gid() == "leaves"}
        low, high = sorted(ax.get_ylim())
        for n in heavy(ax):
            if n.get_transform() != ax.transData:
                continue
            y = np.asarray(n.get_ydata(), dtype=float)
            outside = ((y < low) | (y > high)).any()
            if outside and matplotlib.colors.to_hex(n.get_color()) not in marks:
                wrong.append(f"a line of {n.get_color()} leaves {low:.3g} to {high:.3g}: {np.nanmin(y):.3g} to {np.nanmax(y):.3g}")
    return wrong


def unequal(fig):
    """Panels without labels at their vertical axis whose limits are not those of the labelled one beside."""
    wrong = []
    rows = {}
    for ax in fig.axes:
        if ax.axison and ax.get_visible() and not ax.images:
            rows.setdefault(round(ax.get_position().y0, 4), []).append(ax)
    for row in rows.values():
        row.sort(key=lambda ax: ax.get_position().x0)
        told = None
        for ax in row:
            if any(t.get_text() for t in drawn_labels(ax.yaxis)):
                told = ax.get_ylim()
            elif told is not None and not np.allclose(told, ax.get_ylim()):
                wrong.append(f"limits {ax.get_ylim()} without labels beside {told}")
    return wrong


def silent(fig):
    """Logarithmic axes whose ticks have labels, of which none says anything."""
    shown = [axis for ax in fig.axes if ax.axison and ax.get_visible() for axis in (ax.xaxis, ax.yaxis)]
    labels = [(axis.axes, axis.axis_name, drawn_labels(axis)) for axis in shown if axis.get_scale() == "log"]
    return [f"{which} of {ax.get_ylabel()} has no number" for ax, which, ts in labels if ts and not any(t.get_text() for t in ts)]


def picture(fig):
    fig.canvas.draw()
    return np.asarray(fig.canvas.buffer_rgba()).copy()


def moved(fig, before):
    """Whether ticks look different from those that matplotlib makes, which the other measures have made."""
    return [] if np.array_equal(before, picture(fig)) else ["the picture is not that of matplotlib's ticks"]


def faults(fig, width=None):
    """Everything that is wrong with a figure that has an Agg canvas, as texts."""
    before, found = picture(fig), texts(fig)
    wrong = [*unmarked(fig), *overlapping(fig, found), *cut(fig, found), *small(fig, found)]
    wrong += [*unequal(fig), *silent(fig), *moved(fig, before)]
    if width is not None and abs(fig.get_figwidth() - width) > 0.01:
        wrong.append(f"is {fig.get_figwidth():.3f} inches wide instead of {width}")
    return wrong
