"""sheet.py: the panels of a figure, on a figure of their own or on axes that are given, and their places.

Panels have a size in inches; the labels, titles and legend around them are measured once, and the figure is
made as large as all of it takes, so that nothing is ever cut. A figure of a given width has its panels made
narrower instead.
"""
# SPDX-License-Identifier: BSD-2-Clause
import textwrap

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import style
from .reading import ConstellaError

EDGE, GAP = 0.06, 0.14  # inches: around everything; between panels


class Shown(Figure):
    """A figure that a notebook shows."""

    look = "screen"

    def _repr_png_(self):
        return style.encode(self, "png", self.look)


class Sheet:
    """look: a key of style.LOOKS; onto: axes to draw on; width: of the whole figure in inches; titles:
    whether to have any."""

    def __init__(self, look="screen", onto=None, width=None, titles=None, legends=True):
        self.look, self.onto, self.legends = look, onto, legends
        self.titles = look != "paper" if titles is None else titles
        self.width, self.fig, self.axes, self.heading, self.keys = width, None, None, "", []
        self.panel = (4.0, 3.0)

    # ---- panels

    def grid(self, rows, columns, width=4.3, height=3.5, sharex=False, sharey=False):
        """axes[rows][columns]; width, height of a panel in inches with a usual share of labels. sharex,
        sharey: False, "col", "row" or True."""
        if self.onto is not None:
            return self._given(rows, columns)
        scale = 0.62 if self.look == "paper" else 1.0
        self.panel = (max(0.6, (width - 0.75) * scale), max(0.5, (height - 0.75) * scale))
        self.fig = self._figure((columns * (self.panel[0] + 0.8), rows * (self.panel[1] + 0.8)))
        self.axes = np.empty((rows, columns), dtype=object)
        w, h = self.panel[0] / self.fig.get_figwidth(), self.panel[1] / self.fig.get_figheight()
        for i in range(rows):
            for j in range(columns):
                with_x = {"col": self.axes[0, j], True: self.axes[0, 0]}.get(sharex) if (i or j) else None
                with_y = {"row": self.axes[i, 0], True: self.axes[0, 0]}.get(sharey) if (i or j) else None
                self.axes[i, j] = self.fig.add_axes(
                    [j / columns, i / rows, w, h], label=f"{i} {j}", sharex=with_x, sharey=with_y
                )
        for ax in self.axes[:-1].ravel() if sharex in ("col", True) else ():
            ax.tick_params(labelbottom=False, which="both")
        for ax in self.axes[:, 1:].ravel() if sharey in ("row", True) else ():
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

    def _margins(self):
        """Inches that labels take on each side of a panel: the most in each column and row."""
        renderer = self.fig.canvas.get_renderer()
        dpi, (rows, columns) = self.fig.dpi, self.axes.shape
        left, right, low, high = np.zeros(columns), np.zeros(columns), np.zeros(rows), np.zeros(rows)
        for (i, j), ax in np.ndenumerate(self.axes):
            if not ax.axison and not ax.texts:
                continue
            outside = [t for t in ax.texts if not t.get_clip_on() or t.get_clip_path() is None]
            box, inner = ax.get_tightbbox(renderer, bbox_extra_artists=outside), ax.bbox
            left[j], right[j] = max(left[j], (inner.x0 - box.x0) / dpi), max(
                right[j], (box.x1 - inner.x1) / dpi
            )
            low[i], high[i] = max(low[i], (inner.y0 - box.y0) / dpi), max(high[i], (box.y1 - inner.y1) / dpi)
        return left, right, low, high

    def _make_legends(self):
        """[(legend, rows, width, height in inches)]; on paper one legend is below, in as many columns as
        there is room for."""
        renderer, dpi, made = self.fig.canvas.get_renderer(), self.fig.dpi, []
        below = self.look == "paper" and len(self.keys) == 1
        for handles, rows in self.keys:
            options = {
                "frameon": False,
                "handlelength": 2.6,
                "labelspacing": 0.55,
                "borderaxespad": 0,
                "borderpad": 0.2,
            }
            key = self.fig.legend(handles=handles, loc="lower left", **options)
            box = key.get_window_extent(renderer)
            across = (
                min(len(handles), int(self.width / (box.width / dpi + 0.15))) if below and self.width else 1
            )
            if across > 1:
                key.remove()
                key = self.fig.legend(
                    handles=handles, loc="lower left", ncol=across, columnspacing=1.2, **options
                )
                box = key.get_window_extent(renderer)
            made.append((key, rows, box.width / dpi, box.height / dpi))
        return made, below

    def finish(self):
        """Measure and place everything."""
        if self.fig is None:
            return None
        if self.onto is not None:
            return self._finish_given()
        if self.look == "paper" and self.width is None:
            self.width = style.COLUMN if self.axes.shape[1] == 1 else style.PAGE
        made, below = self._make_legends()
        left, right, low, high = self._margins()
        rows, columns = self.axes.shape
        beside = 0 if below else max([w for _, _, w, _ in made], default=0)
        around = 2 * EDGE + left.sum() + right.sum() + GAP * (columns - 1) + (beside + GAP if beside else 0)
        w, h = self.panel
        if self.width:
            narrow = max(0.5, (self.width - around) / columns)
            w, h = narrow, h * min(1.0, max(0.55, narrow / w))
        key_height = made[0][3] + GAP if made and below else 0.0
        heading = self._heading(columns * w + around)
        top = (0.21 * (heading.count("\n") + 1) + 0.1) if heading else 0.0
        panels = low.sum() + high.sum() + rows * h + GAP * (rows - 1)
        height = 2 * EDGE + top + key_height + max(panels, 0 if below else sum(k[3] + GAP for k in made))
        width = columns * w + around
        self.fig.set_size_inches(width, height)
        above = self._place(left, right, low, high, w, h, width, height, top)
        self._place_legends(made, below, above, width, height, beside)
        if heading:
            self.fig.text(
                EDGE / width,
                1 - EDGE / height,
                heading,
                fontsize=11.5,
                fontweight="bold",
                ha="left",
                va="top",
            )
        return self.fig

    def _heading(self, width):
        return (
            "\n".join(textwrap.wrap(style.plain(self.heading), max(20, int(width * 11))))
            if self.titles
            else ""
        )

    def _place(self, left, right, low, high, w, h, width, height, top):
        """Positions of the panels; returns the (bottom, top) in inches of each row."""
        y, above = height - EDGE - top, []
        for i, row in enumerate(self.axes):
            y -= high[i] + h
            above.append((y - low[i], y + h + high[i]))
            x = EDGE
            for j, ax in enumerate(row):
                x += left[j]
                ax.set_position([x / width, y / height, w / width, h / height])
                x += w + right[j] + GAP
            y -= low[i] + GAP
        return above

    def _place_legends(self, made, below, above, width, height, beside):
        for key, rows, w, h in made:
            if below:
                at = ((width - w) / 2, EDGE)
            else:
                first, last = rows or (0, len(above) - 1)
                at = (width - EDGE - beside, max(EDGE, (above[first][1] + above[last][0] - h) / 2))
            key.set_bbox_to_anchor((at[0] / width, at[1] / height), transform=self.fig.transFigure)

    def _finish_given(self):
        for handles, _ in self.keys[:1]:
            self.axes.ravel()[-1].legend(handles=handles, fontsize="small", frameon=False)
        return self.fig
