"""style.py: how figures look: colours, markers, sizes and fonts, axes, guide lines, saving. Depends on
matplotlib, not on studies.

Colours are those of Okabe and Ito without yellow, which is too light on white. Colours and markers cycle with
lengths that have no common divisor, so that 56 methods differ in one or the other, and neighbours in both.
"""
# SPDX-License-Identifier: BSD-2-Clause
import io
import re
import textwrap

import matplotlib
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator  # noqa: F401  (for those who draw)

from . import png
from .scales import log_axis, step_axis  # noqa: F401  (for those who draw)

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))
GREY = "#6B6B6B"
PALE = "#B4B4B4"
EPS = float(np.finfo(float).eps)
FLOOR = 1e-17  # where zeros are drawn on logarithmic axes
LARGEST = 1e150  # the largest number that is drawn; axes overflow beyond it

PATCH = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.6}  # behind a name that lines may cross

COMMON = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "constella",
    "figure.dpi": 72,
    "figure.facecolor": "white",
    "text.usetex": False,
}
SCREEN = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "lines.linewidth": 1.5,
    "lines.markersize": 5.5,
    "savefig.dpi": 160,
}
PAPER = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "legend.fontsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.6,
    "savefig.dpi": 600,
}
LOOKS = {"screen": {**COMMON, **SCREEN}, "paper": {**COMMON, **PAPER}}
COLUMN, PAGE = 3.4, 7.0  # inches: widths of a figure on paper, of one column and of two


def small():
    """Size of notes in a panel."""
    return 0.75 * matplotlib.rcParams["font.size"]


def colour(curve):
    return COLOURS[curve.method_index % len(COLOURS)]


def marker(curve):
    return MARKERS[curve.method_index % len(MARKERS)]


def dashes(curve):
    """One pattern per variant; with more variants than patterns they all look the same."""
    return DASHES[curve.variant_index] if curve.variants <= len(DASHES) else "-"


def stagger(curve):
    """The place of the first marker along a line, so that markers of neighbours do not coincide."""
    return 0.02 + ((7 * curve.method_index + 3 * curve.variant_index) % 20) / 100


def line(ax, curve, x, y, **more):
    """A heavy line with a few markers, through the points that can be drawn on the axes."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    keep = np.isfinite(x) & np.isfinite(y)
    if not keep.any():  # matplotlib fails on markers along a line without points
        return
    x, y = x[keep], y[keep]
    marks = {"marker": marker(curve), "markevery": (stagger(curve), 0.24)}
    ax.plot(x, y, color=colour(curve), linestyle=dashes(curve), linewidth=1.3, zorder=3, **marks, **more)


GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
).split()


def symbol(name):
    """A name of a system file in mathematics: theta as a letter, L1 as L with an index; others stay words."""
    parts = re.fullmatch(r"([A-Za-z]+?)_?(\d*)(?:\[(\d+)\])?('?)", name)
    if not parts or (parts[1] not in GREEK and len(parts[1]) > 1):
        return plain(name)
    letter = f"\\{parts[1]}" if parts[1] in GREEK else parts[1]
    index = ",".join(filter(None, (parts[2], parts[3])))
    letter = rf"\dot{{{letter}}}" if parts[4] else letter
    return f"${letter}_{{{index}}}$" if index else f"${letter}$"


def plain(text):
    """Text that matplotlib must not interpret as mathematics."""
    return text.replace("$", r"\$")


def wrapped(text, width=38):
    return (
        "\n".join(
            textwrap.wrap(
                plain(text), width, subsequent_indent="   ", break_on_hyphens=False, break_long_words=False
            )
        )
        or text
    )


def same_limits(row, x=False):
    """Give panels in a row limits that include the data of all of them."""
    limits = [ax.get_xlim() if x else ax.get_ylim() for ax in row]
    for ax in row:
        (ax.set_xlim if x else ax.set_ylim)(min(low for low, _ in limits), max(high for _, high in limits))


def left_labels_only(rows):
    """Keep tick labels of the vertical axis only at the first panel of each row."""
    for row in rows:
        for ax in row[1:]:
            ax.tick_params(labelleft=False, which="both")


def bounded(x):
    """Values for any axis: NaN for values that are not finite, or too large for the limits of an axis."""
    x = np.asarray(x, dtype=float)
    return np.where(np.abs(x) < LARGEST, x, np.nan)  # false for NaN


def raised(x):
    """Values for a logarithmic axis: zeros and tiny values at the floor."""
    x = np.abs(bounded(x))
    return np.where(x < 1 / LARGEST, FLOOR, x)


def variant_handles(curves, bands=True):
    """Legend entries for the variants of one method. bands: many variants are drawn as a band, else as
    lines."""
    variants = sorted({c.variant: c for c in curves if c.variant}.values(), key=lambda c: c.variant_index)
    if variants and variants[0].variants > len(DASHES):
        count = f"{variants[0].variants} sets of parameters"
        return [
            Line2D(
                [],
                [],
                color=GREY,
                label=f"{count}:\nband all, line the largest" if bands else f"one line for each of\n{count}",
            )
        ]
    return [Line2D([], [], color=GREY, linestyle=dashes(c), label=wrapped(c.variant)) for c in variants]


def faded(label):
    """A legend entry for faint lines."""
    return Line2D(
        [],
        [],
        color=GREY,
        marker="o",
        markerfacecolor="white",
        linestyle=(0, (2, 2)),
        linewidth=0.9,
        label=label,
    )


def guide(ax, x, y, text=""):
    """A grey line of known slope, named before its first point."""
    ax.plot(x, y, color=PALE, linewidth=1.0, zorder=1, scalex=False, scaley=False)
    ax.annotate(
        text,
        (x[0], y[0]),
        xytext=(-3, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=0.8 * matplotlib.rcParams["font.size"],
        color=GREY,
    )


def level(ax, y):
    """A horizontal dotted line."""
    ax.axhline(y, color=GREY, linewidth=0.9, linestyle=":", zorder=1)


def encode(fig, form, look="screen"):
    """A figure as bytes; the same bytes every time."""
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    out, dpi = io.BytesIO(), LOOKS[look]["savefig.dpi"]
    with matplotlib.rc_context(LOOKS[look]):
        if form == "png":
            return png.drawn(fig, dpi)
        fig.savefig(out, format=form, metadata=undated, facecolor="white", dpi=dpi)
    return out.getvalue()
