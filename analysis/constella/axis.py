"""axis.py: axes that draw all their ticks with one tick of each kind, which is moved from place to place.

matplotlib makes five artists for each tick, and brings all of them up to date whenever an axis is measured or
drawn: half of the time of a figure. Here the grid lines of an axis are one line, its marks are one line with
markers, and the extent of a label is measured once for each text. The first tick of each kind, which
matplotlib makes from rcParams and tick_params, says how they look, so the pictures are the same
(tests/analysis/test_axis.py). Once more ticks exist, because somebody asked for them or gave them labels of
their own, matplotlib draws them itself.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.transforms import Bbox

EXTENTS: dict = {}  # of labels relative to their anchors, by look and text


class Ticks:
    """The major or minor ticks of an axis within its limits: their places and texts, and the tick that draws them."""

    def __init__(self, axis, ticker, places, tick):
        self.tick, self.along = tick, 0 if axis.axis_name == "x" else 1
        places = np.asarray(places, dtype=float)
        texts = ticker.formatter.format_ticks(places)
        inside = within(axis, places)
        self.places, self.texts = places[inside], [text for text, keep in zip(texts, inside) if keep]

    def boxes(self, label, renderer):
        """[label][4]: x0, y0, x1, y1 of the labels on the canvas; without a text of no width."""
        if not label.get_visible() or not self.texts:
            return np.zeros((0, 4))
        look = hash(label.get_fontproperties()), label.get_rotation(), label.get_ha(), label.get_va()
        known = EXTENTS.setdefault((*look, label.figure.dpi, type(renderer)), {})
        for text in self.texts:
            if text not in known:
                known[text] = extent(label, text, renderer)
        points = np.tile(np.array(label.get_unitless_position(), dtype=float), (len(self.places), 1))
        points[:, self.along] = self.places
        anchors = label.get_transform().transform(points)
        return np.hstack([anchors, anchors]) + np.array([known[text] for text in self.texts])

    def draw(self, renderer):
        """Lines of the grid, marks, labels."""
        for line in (self.tick.gridline, self.tick.tick1line, self.tick.tick2line):
            if line.get_visible() and len(self.places):
                self.draw_line(line, renderer)
        for label in (self.tick.label1, self.tick.label2):
            if label.get_visible():
                self.draw_labels(label, renderer)

    def draw_line(self, line, renderer):
        """The line of one tick at all places, with gaps between them where it is more than a mark."""
        before = line.get_data(orig=True)
        across = np.atleast_1d(np.asarray(before[1 - self.along], dtype=float))
        if len(across) > 1:
            across = np.append(across, np.nan)
        places = np.repeat(self.places, len(across))
        across = np.tile(across, len(self.places))
        line.set_data(*((across, places) if self.along else (places, across)))
        line.draw(renderer)
        line.set_data(*before)

    def draw_labels(self, label, renderer):
        before = label.get_text(), label.get_position()
        move = label.set_y if self.along else label.set_x
        for place, text in zip(self.places, self.texts):
            if text:
                label.set_text(text)
                move(place)
                label.draw(renderer)
        label.set_text(before[0])
        label.set_position(before[1])


def extent(label, text, renderer):
    """(x0, y0, x1, y1) of a text relative to its anchor."""
    before = label.get_text()
    label.set_text(text)
    box = label.get_window_extent(renderer)
    x, y = label.get_transform().transform(label.get_unitless_position())
    label.set_text(before)
    return box.x0 - x, box.y0 - y, box.x1 - x, box.y1 - y


def within(axis, places):
    """Whether places lie within the limits on the canvas, or at one of them."""
    low, high = np.sort(axis.get_transform().transform(axis.get_view_interval()))
    at, slack = axis.get_transform().transform(places), 1e-10 * (high - low)
    return (low - slack <= at) & (at <= high + slack)


class Moved(Axis):
    """An axis that moves its ticks."""

    def by_matplotlib(self):
        """Whether there are ticks that are not to be moved, or labels aligned with those of other panels."""
        aligned = self.figure._align_label_groups[self.axis_name].get_siblings(self.axes)
        return len(self.majorTicks) > 1 or len(self.minorTicks) > 1 or len(list(aligned)) > 1

    def kinds(self):
        """Major and minor ticks."""
        major = Ticks(self, self.major, self.get_majorticklocs(), self.majorTicks[0])
        return major, Ticks(self, self.minor, self.get_minorticklocs(), self.minorTicks[0])

    def label_boxes(self, renderer):
        """[label][4]: x0, y0, x1, y1 of the labels of ticks, left of or below the panel."""
        if self.by_matplotlib():
            labels = [t.label1 for t in self._update_ticks() if t.label1.get_visible()]
            boxes = np.array([label.get_window_extent(renderer).extents for label in labels]).reshape(-1, 4)
        else:
            boxes = np.vstack([kind.boxes(kind.tick.label1, renderer) for kind in self.kinds()])
        return boxes[boxes[:, 2] > boxes[:, 0]]

    def arrange(self, kinds, renderer):
        """Place the label and the common factor of the ticks beside their labels. Returns the boxes of these that
        say something."""
        sides = [
            np.vstack([kind.boxes(getattr(kind.tick, side), renderer) for kind in kinds])
            for side in ("label1", "label2")
        ]
        self.constella_sides = [union(boxes) for boxes in sides]
        self._update_label_position(renderer)
        self._update_offset_text_position(*self.constella_sides)
        self.offsetText.set_text(self.major.formatter.get_offset())
        return [union(boxes[boxes[:, 2] > boxes[:, 0]]) for boxes in sides]

    def _get_tick_boxes_siblings(self, renderer):
        """For matplotlib's _update_label_position."""
        return super()._get_tick_boxes_siblings(renderer) if self.by_matplotlib() else self.constella_sides

    def get_tightbbox(self, renderer=None, *, for_layout_only=False):
        """The box of all labels."""
        renderer = renderer or self.figure.canvas.get_renderer()
        if not self.get_visible() or self.by_matplotlib():
            return super().get_tightbbox(renderer, for_layout_only=for_layout_only)
        first, second = self.arrange(self.kinds(), renderer)
        boxes = [*first, *second]
        boxes += [text.get_window_extent(renderer) for text in (self.offsetText,) if text.get_visible()]
        if self.label.get_visible():
            box = self.label.get_window_extent(renderer)
            boxes.append(self.thin(box) if for_layout_only else box)
        boxes = [box for box in boxes if 0 < box.width < np.inf and 0 < box.height < np.inf]
        return Bbox.union(boxes) if boxes else None

    def thin(self, box):
        """A label that is longer than its panel does not count for the layout."""
        (x0, y0), (x1, y1) = box.min, box.max
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        if self.axis_name == "x":
            return Bbox.from_extents(x - 0.5, y0, x + 0.5, y1) if x1 > x0 else box
        return Bbox.from_extents(x0, y - 0.5, x1, y + 0.5) if y1 > y0 else box

    def draw(self, renderer):
        if not self.get_visible() or self.by_matplotlib():
            super().draw(renderer)
            return
        renderer.open_group(__name__, gid=self.get_gid())
        kinds = self.kinds()
        for kind in kinds:
            kind.draw(renderer)
        self.arrange(kinds, renderer)
        self.label.draw(renderer)
        self.offsetText.draw(renderer)
        renderer.close_group(__name__)
        self.stale = False


def union(boxes):
    """The box around boxes, as a list of at most one."""
    return [Bbox.from_extents(*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0))] if len(boxes) else []


class MovedX(Moved, XAxis):
    """A horizontal one."""


class MovedY(Moved, YAxis):
    """A vertical one."""


def move_ticks(ax):
    """Let the axes of a panel move their ticks."""
    ax.xaxis.__class__, ax.yaxis.__class__ = MovedX, MovedY
    for axis in (ax.xaxis, ax.yaxis):
        del axis.majorTicks[1:], axis.minorTicks[1:]  # matplotlib makes two for a grid
