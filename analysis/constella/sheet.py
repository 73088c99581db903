"""sheet.py: the panels of a figure, on a figure of their own or on axes that are given, and their places.

Panels have a size in inches; the labels, titles and legend around them are measured once, and the figure is
made as large as all of it takes, so that nothing is ever cut. A figure of a given width has exactly that
width: its panels are made narrower, and go into further rows where they would become too narrow.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
import textwrap
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import axis, notes, style, ticks
from .reading import ConstellaError, unknown

EDGE, GAP = 0.06, 0.14  # inches: around everything; between panels
LEAST = {"screen": 1.7, "paper": 1.15}  # inches: narrower panels go into further rows
MOST_BESIDE = 0.4  # the largest share of a given width that a legend beside the panels takes


class Shown(Figure):
    """A figure that a notebook shows."""

    look = "screen"

    def _repr_png_(self):
        return style.encode(self, "png", self.look)


class Sheet:
    """look: a key of style.LOOKS; onto: axes to draw on; width: of the whole figure in inches; titles:
    whether to have any; panel: the name of the only one to keep."""

    def __init__(self, look="screen", onto=None, width=None, titles=None, legends=True, panel=None):
        self.look, self.onto, self.legends, self.panel = look, onto, legends, panel
        self.titles = look != "paper" if titles is None else titles
        self.fig: Any = None
        self.axes: Any = None
        self.width, self.heading, self.keys = width, "", []
        self.size = (4.0, 3.0)
        self.headline: Any = None  # the text of the heading

    # ---- panels

    def grid(self, rows, columns, width=4.3, height=3.5, sharex=False, sharey=False):
        """axes[rows][columns]; width, height of a panel in inches with a usual share of labels. sharex,
        sharey: False, "col", "row" or True."""
        if self.onto is not None:
            return self._given(rows, columns)
        scale = 0.62 if self.look == "paper" else 1.0
        self.size = (max(0.6, (width - 0.75) * scale), max(0.5, (height - 0.75) * scale))
        self.fig = self._figure((columns * (self.size[0] + 0.8), rows * (self.size[1] + 0.8)))
        self.axes = np.empty((rows, columns), dtype=object)
        w, h = self.size[0] / self.fig.get_figwidth(), self.size[1] / self.fig.get_figheight()
        for i in range(rows):
            for j in range(columns):
                with_x = {"col": self.axes[0, j], True: self.axes[0, 0]}.get(sharex) if (i or j) else None
                with_y = {"row": self.axes[i, 0], True: self.axes[0, 0]}.get(sharey) if (i or j) else None
                self.axes[i, j] = self.fig.add_axes(
                    [j / columns, i / rows, w, h], label=f"{i} {j}", sharex=with_x, sharey=with_y
                )
                axis.move_ticks(self.axes[i, j])
        if sharex in ("col", True):
            for ax in self.axes[:-1].ravel():
                ax.tick_params(labelbottom=False, which="both")
        if sharey in ("row", True):
            for ax in self.axes[:, 1:].ravel():
                ax.tick_params(labelleft=False, which="both")
        return self.axes

    def row_of_panels(self, names, steps, width, height):
        """A row of panels for each name and a column for each step; with one step the names fill two columns.
        Returns a list of panels per name."""
        if len(steps) > 1 or len(names) == 1:
            axes = self.grid(len(names), len(steps), width, height)
            return [list(row) for row in axes]
        columns = min(len(names), 2)
        axes = self.grid(-(-len(names) // columns), columns, width, height)
        self.hide(axes.ravel()[len(names) :])
        return [[ax] for ax in axes.ravel()[: len(names)]]

    @staticmethod
    def hide(axes):
        for ax in axes:
            ax.set_axis_off()

    def legend(self, handles, rows=None):
        """Beside the panels, or beside rows (first, last) of them; below them on paper; in the last of given
        axes."""
        if handles and self.legends:
            self.keys.append((list(handles), rows))

    def title(self, text):
        self.heading = text

    def name(self, ax, name):
        """Give a panel the name by which it can be asked for alone."""
        ax.constella_panel = name

    # ---- layout

    def _figure(self, size):
        fig = Shown(figsize=size)
        fig.look = self.look
        FigureCanvasAgg(fig)
        return fig

    def _given(self, rows, columns):
        axes = np.atleast_1d(np.asarray(self.onto, dtype=object)).ravel()
        if len(axes) != rows * columns:
            raise ConstellaError(f"this figure has {rows} x {columns} panels; {len(axes)} axes are given")
        self.axes, self.fig = axes.reshape(rows, columns), axes[0].figure
        return self.axes

    def finish(self):
        """Measure and place everything."""
        if self.fig is None:
            return None
        if self.panel is not None:
            self._keep_panel()
        if self.onto is not None:
            return self._finish_given()
        if self.look == "paper" and self.width is None:
            self.width = style.COLUMN if self.axes.shape[1] == 1 else style.PAGE
        legends = Legends(self.fig, self.keys, self.look == "paper", self.width)
        self._reflow(legends.beside)
        sides = self._margins()[:2]
        w, h = self._panel_size(sides, legends.beside)
        if any([notes.fit_label(ax, h) for ax in self._shown()]):
            sides = self._margins()[:2]
            w, h = self._panel_size(sides, legends.beside)
        for ax in self._shown():
            notes.fit_title(ax, w)
            notes.place(ax, w)
            notes.spread_names(ax, h)
        left, right = sides
        low, high = self._margins()[2:]
        self._place(Layout(left, right, low, high, w, h), legends)
        if any(ax.child_axes for ax in self._shown()):  # bars of colours, whose labels follow the size
            left, right = self._margins()[:2]
            w = self._panel_size((left, right), legends.beside)[0]
            low, high = self._margins()[2:]
            self._place(Layout(left, right, low, high, w, h), legends)
        for ax in self._shown():
            ticks.thin(ax)
            ticks.fit_cells(ax)
        return self.fig

    def _shown(self):
        return [ax for ax in self.axes.ravel() if ax is not None]

    def _keep_panel(self):
        """Remove all panels but those of the wanted name."""
        named = [getattr(ax, "constella_panel", "") for ax in self.axes.ravel()]
        if self.panel not in named:
            raise unknown("panel", self.panel, [n for n in dict.fromkeys(named) if n])
        mine = []
        for ax, name in zip(self.axes.ravel(), named):
            if name == self.panel:
                mine.append(ax)
            elif self.onto is None:
                ax.remove()
        _label_outer(self.axes, mine)
        self.axes = np.array([mine], dtype=object)
        self.keys = [(handles, None) for handles, _ in self.keys[:1]]

    def _panel_size(self, sides, beside):
        """Width and height of a panel in inches."""
        w, h = self.size
        if not self.width:
            return w, h
        columns = self.axes.shape[1]
        room = self.width - 2 * EDGE - sum(side.sum() for side in sides) - GAP * (columns - 1) - beside
        narrow = max(0.3, room / columns)
        return narrow, h * min(1.0, max(0.55, narrow / w))

    def _reflow(self, beside):
        """In a figure of a given width, use fewer columns and more rows where panels would become too
        narrow."""
        columns = self.axes.shape[1]
        while self.width and columns > 1:
            sides = self._margins()[:2]
            used = sum(side.sum() for side in sides) / self.axes.shape[1] + GAP
            if (self.width - beside) / columns - used >= LEAST[self.look]:
                break
            columns -= 1
        if columns == self.axes.shape[1]:
            return
        rows = -(-self.axes.shape[1] // columns)
        flowed = np.empty((self.axes.shape[0] * rows, columns), dtype=object)
        for (i, j), ax in np.ndenumerate(self.axes):
            flowed[i * rows + j // columns, j % columns] = ax
        _label_outer(self.axes, self._shown())
        self.axes = flowed
        self.keys = [(handles, at and (at[0] * rows, at[1] * rows + rows - 1)) for handles, at in self.keys]

    def _margins(self):
        """Inches that labels take on each side of a panel: the most in each column and row."""
        renderer = self.fig.canvas.get_renderer()
        dpi, (rows, columns) = self.fig.dpi, self.axes.shape
        left, right, low, high = np.zeros(columns), np.zeros(columns), np.zeros(rows), np.zeros(rows)
        for (i, j), ax in np.ndenumerate(self.axes):
            if ax is None or (not ax.axison and not ax.texts):
                continue
            outside = [t for t in ax.texts if not t.get_clip_on() or t.get_clip_path() is None]
            box, inner = ax.get_tightbbox(renderer, bbox_extra_artists=[*outside, *ax.child_axes]), ax.bbox
            left[j] = max(left[j], (inner.x0 - box.x0) / dpi)
            right[j] = max(right[j], (box.x1 - inner.x1) / dpi)
            low[i] = max(low[i], (inner.y0 - box.y0) / dpi)
            high[i] = max(high[i], (box.y1 - inner.y1) / dpi)
        return left, right, low, high

    def _heading(self, width):
        if not self.titles:
            return ""
        return "\n".join(textwrap.wrap(style.plain(self.heading), max(20, int(width * 11))))

    def _place(self, layout, legends):
        """Positions of the panels and legends, the title, and the size of the figure."""
        width = self.width or layout.width(legends.beside)
        heading = self._heading(width)
        top = (0.21 * (heading.count("\n") + 1) + 0.1) if heading else 0.0
        below = legends.heights(len(self.axes), self.keys)
        panels = layout.height(below)
        height = 2 * EDGE + top + max(panels, legends.stacked)
        self.fig.set_size_inches(width, height)
        y, rows = height - EDGE - top, []
        for i, row in enumerate(self.axes):
            y -= layout.high[i] + layout.h
            rows.append((y - layout.low[i], y + layout.h + layout.high[i]))
            x = EDGE
            for j, ax in enumerate(row):
                x += layout.left[j]
                if ax is not None:
                    ax.set_position([x / width, y / height, layout.w / width, layout.h / height])
                x += layout.w + layout.right[j] + GAP
            y -= layout.low[i] + GAP + below[i]
        legends.place(self.keys, rows, width, height)
        if heading:
            look = {"fontsize": 11.5, "fontweight": "bold", "ha": "left", "va": "top"}
            self.headline = self.headline or self.fig.text(0, 1, heading, **look)
            self.headline.set_position((EDGE / width, 1 - EDGE / height))

    def _finish_given(self):
        for ax in self._shown():
            notes.place(ax, ax.get_window_extent().width / self.fig.dpi)
        for handles, _ in self.keys[:1]:
            self.axes.ravel()[-1].legend(handles=handles, fontsize="small", frameon=False)
        return self.fig


def _label_outer(axes, kept):
    """Give every kept panel the labels that it shared with its neighbours in the grid."""
    for (i, j), ax in np.ndenumerate(axes):
        if ax not in kept or not ax.axison:
            continue
        ax.tick_params(labelleft=True, labelbottom=True, which="both")
        left = next((a.get_ylabel() for a in axes[i] if a.get_ylabel()), "")
        bottom = next((a.get_xlabel() for a in axes[::-1, j] if a.get_xlabel()), "")
        if not ax.get_ylabel():
            ax.set_ylabel(left)
        if not ax.get_xlabel():
            ax.set_xlabel(bottom)


@dataclasses.dataclass
class Layout:
    """Inches that labels take beside each column and row of panels, and the size of a panel."""

    left: np.ndarray
    right: np.ndarray
    low: np.ndarray
    high: np.ndarray
    w: float
    h: float

    def width(self, beside):
        around = self.left.sum() + self.right.sum() + GAP * (len(self.left) - 1)
        return 2 * EDGE + around + len(self.left) * self.w + beside

    def height(self, below):
        around = self.low.sum() + self.high.sum() + GAP * (len(self.low) - 1)
        return around + len(self.low) * self.h + sum(below)


class Legends:
    """The legends of a figure: beside its panels; on paper, and where a given width has no room for them,
    each below its last row of panels, in as many columns as fit."""

    LOOK = {"frameon": False, "handlelength": 2.6, "labelspacing": 0.55, "borderaxespad": 0, "borderpad": 0.2}

    def __init__(self, fig, keys, paper, width):
        self.fig, self.made = fig, []
        boxes = [self._make(handles, 1) for handles, _ in keys]
        widest = max([box[1] for box in boxes], default=0.0)
        self.below = bool(keys) and (paper or bool(width and widest > MOST_BESIDE * width))
        if self.below and width:
            for box, (handles, _) in zip(boxes, keys):
                across = min(len(handles), int((width - 2 * EDGE) / (box[1] + 0.15)))
                if across > 1:
                    box[0].remove()
                    box = self._make(handles, across)
                self.made.append(box)
        else:
            self.made = boxes
        self.beside = 0.0 if self.below or not keys else widest + GAP
        self.stacked = 0.0 if self.below else sum(h + GAP for *_, h in self.made)

    def _make(self, handles, columns):
        """(legend, its width and height in inches)."""
        key = self.fig.legend(handles=handles, loc="lower left", ncol=columns, columnspacing=1.2, **self.LOOK)
        box, dpi = key.get_window_extent(self.fig.canvas.get_renderer()), self.fig.dpi
        return key, box.width / dpi, box.height / dpi

    def heights(self, rows, keys):
        """Inches that legends take below each row of panels."""
        taken = [0.0] * rows
        for (_, at), (*_, h) in zip(keys, self.made) if self.below else ():
            taken[at[1] if at else rows - 1] += h + GAP
        return taken

    def place(self, keys, rows, width, height):
        """rows: the (bottom, top) in inches of each row of panels with its labels."""
        used = [0.0] * len(rows)
        for (_, at), (key, w, h) in zip(keys, self.made):
            first, last = at or (0, len(rows) - 1)
            if self.below:
                used[last] += h + GAP
                spot = ((width - w) / 2, rows[last][0] - used[last])
            else:
                middle = (rows[first][1] + rows[last][0] - h) / 2
                spot = (width - EDGE - self.beside + GAP, max(EDGE, middle))
            key.set_bbox_to_anchor((spot[0] / width, spot[1] / height), transform=self.fig.transFigure)
