"""ticks.py: leaves out labels of ticks, and numbers in cells of a map, where they would overlap, once a panel has its
size."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np
from matplotlib import ticker

APART = 2.0  # points between two labels
SMALLEST = 5.0  # points of a number in a cell
FEWEST = 3  # intervals of a linear axis


def collide(boxes, across, apart):
    """Whether two neighbours among labels [label][4] overlap."""
    low, high = boxes[:, 0 if across else 1], boxes[:, 2 if across else 3]
    order = np.lexsort((high, low))
    return bool((low[order][1:] < high[order][:-1] + apart).any())


def labels(axis):
    """The places and labels of major ticks."""
    places = list(axis.get_majorticklocs())
    return places, list(axis.get_major_formatter().format_ticks(places))


def says_something(axis):
    """Whether a major tick within the limits has a label."""
    low, high = sorted(axis.get_view_interval())
    return any(text and low <= place <= high for place, text in zip(*labels(axis)))


def leave_out(places, texts, minor, axis, crowded):
    """Keep every second label, every third, until none overlap."""
    said = [k for k, text in enumerate(texts) if text]
    every = 1
    while crowded() and every < len(said):
        every += 1
        kept = [text if k in said[::every] else "" for k, text in enumerate(texts)]
        (axis.set_minor_locator if minor else axis.set_major_locator)(ticker.FixedLocator(places))
        (axis.set_minor_formatter if minor else axis.set_major_formatter)(ticker.FixedFormatter(kept))


def thin_axis(axis, across, renderer):
    """Fewer labels until none overlap: first none on minor ticks, unless no other says anything, then fewer major ones."""
    apart = APART * axis.figure.dpi / 72

    def crowded():
        return collide(axis.label_boxes(renderer), across, apart)

    if not crowded():
        return
    if not says_something(axis):
        places = list(axis.get_minorticklocs())
        leave_out(places, axis.get_minor_formatter().format_ticks(places), True, axis, crowded)
        return
    axis.set_minor_formatter(ticker.NullFormatter())
    for count in range(6, FEWEST - 1, -1):
        if not crowded() or not isinstance(axis.get_major_locator(), ticker.MaxNLocator):
            break
        axis.set_major_locator(ticker.MaxNLocator(count))
    places, texts = labels(axis)
    leave_out(places, texts, False, axis, crowded)


def thin(ax):
    """Thin the labels of both axes of a panel."""
    if not ax.axison:
        return
    renderer = ax.figure.canvas.get_renderer()
    for axis, across in ((ax.xaxis, True), (ax.yaxis, False)):
        thin_axis(axis, across, renderer)


def fit_cells(ax):
    """Make the numbers in the cells of a map smaller until they fit, or leave them all out: the colours remain."""
    cells = [t for t in ax.texts if t.get_gid() == "cell"]
    if not cells:
        return
    renderer = ax.figure.canvas.get_renderer()
    boxes = [t.get_window_extent(renderer) for t in cells]
    (x0, y0), (x1, y1) = ax.transData.transform([(0, 0), (1, 1)])
    room = min(
        0.94 * abs(x1 - x0) / max(box.width for box in boxes), abs(y1 - y0) / max(box.height for box in boxes)
    )
    size = min(1.0, room) * cells[0].get_fontsize()
    for t in cells:
        t.set_fontsize(size)
        t.set_visible(size >= SMALLEST)
