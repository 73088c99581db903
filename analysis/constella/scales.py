"""scales.py: logarithmic axes: their marks and labels."""
# SPDX-License-Identifier: BSD-2-Clause
import matplotlib
import numpy as np
from matplotlib import ticker


class Decades(ticker.LogFormatterSciNotation):
    """10^k, on the screen in plain characters, which are drawn ten times as fast as mathematics; within a
    decade 0.3 rather than 3 x 10^-1."""

    RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.plain = matplotlib.rcParams["font.family"][0] == "DejaVu Sans"  # it has superscript digits

    def power(self, k):
        return "10" + str(k).translate(self.RAISED) if self.plain else f"$10^{{{k}}}$"

    def __call__(self, x, pos=None):
        if not 0 < x < np.inf or not super().__call__(x, pos):  # 0, inf: marks beyond the ends of a double
            return ""
        k = np.log10(x)
        if abs(k - round(k)) < 1e-9:
            return self.power(round(k)) if not -1 <= k <= 1 else f"{x:g}"
        lead = int(np.floor(k))
        return f"{x:g}" if 1e-3 <= x < 1e4 else f"{x / 10.0**lead:.0f}×{self.power(lead)}"


def log_axis(axis):
    """Decades, labelled as 10^k, with as many labels as there is room for; parts of a decade where the axis
    has hardly one."""
    axis.set_major_locator(ticker.LogLocator(base=10, numticks=7))
    axis.set_major_formatter(Decades())
    axis.set_minor_locator(ticker.LogLocator(base=10, subs=range(2, 10), numticks=7))
    axis.set_minor_formatter(Decades(labelOnlyBase=False, minor_thresholds=(0.8, 0.3)))


def step_axis(ax, steps):
    """Logarithmic axis with a mark at each step, labelled while there is room."""
    ax.set_xscale("log")
    steps = sorted({float(s) for s in steps})
    every = max(1, -(-len(steps) // 5))
    shown = steps[::-1][::every]
    ax.xaxis.set_major_locator(ticker.FixedLocator(shown))
    ax.xaxis.set_major_formatter(ticker.FixedFormatter([f"{s:.3g}" for s in shown]))
    ax.xaxis.set_minor_locator(ticker.FixedLocator(steps))
    ax.xaxis.set_minor_formatter(ticker.NullFormatter())
