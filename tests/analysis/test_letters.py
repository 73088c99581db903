#!/usr/bin/python3
"""test_letters.py: texts with simple mathematics, set by runs, beside matplotlib's mathtext; figures as PNG; modules
that are imported later; fonts in memory. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
from drawing import ANALYSIS, ok, run_tests

import importlib.util
import io
import os
import subprocess
import sys

import matplotlib.image
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from constella import fonts, lettering, style

SIMPLE = (
    "error of $q$ and $p$",
    "$|E - E(0)|$",
    "$|G v|$, scaled [m]",
    "$h^{2}$",
    "$t^{1/2}$",
    r"$\theta_{1}$ of \$5",
    r"multipliers $\lambda$",
    "$C(t)/C(0)$ of energy",
)
OTHERS = (r"$\dot{q}$", r"$\log_{10}\,|x|$", r"$q_{\mathrm{rod}}$", "$x_{a_b}$", "$^2$", "$x_$", r"$\nonsense$")


def figure(text, look="screen", angle=0):
    """A figure with a text alone."""
    with matplotlib.rc_context(style.LOOKS[look]):
        fig = Figure(figsize=(6, 6))
        FigureCanvasAgg(fig)
        return fig, fig.text(0.5, 0.5, text, rotation=angle, ha="center", va="center", fontsize=24)


def ink(fig):
    """(left, right, low, high) of what is drawn, in pixels."""
    fig.canvas.draw()
    dark = np.asarray(fig.canvas.buffer_rgba())[:, :, 0] < 128
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    return columns[0], columns[-1], rows[0], rows[-1]


def test_letters():
    cases = [(text, look, angle) for text in SIMPLE for look in style.LOOKS for angle in (0, 90)]
    before = [ink(figure(*case)[0]) for case in cases]
    lettering.apply("png")
    for case, old in zip(cases, before):
        fig, text = figure(*case)
        new, box = ink(fig), text.get_window_extent()
        off = np.abs(np.subtract(old, new)).max()
        ok(lettering.runs_of(case[0]) and off <= 5, f"{case}: ink where mathtext has it", (old, new))
        low, high = fig.bbox.height - 1 - new[3], fig.bbox.height - 1 - new[2]
        inside = box.x0 - 2 <= new[0] and new[1] <= box.x1 + 2 and box.y0 - 2 <= low and high <= box.y1 + 2
        ok(inside, f"{case}: ink within its box", (box.extents, new))
    ok([t for t in OTHERS if lettering.runs_of(t)] == [], "what is not simple is left to mathtext")
    ok(lettering.runs_of("$q$")[0].italic and not lettering.runs_of(r"$\Delta$")[0].italic, "letters in italics")


def test_png():
    fig, _ = figure("text")
    fig.canvas.draw()
    with matplotlib.rc_context({"savefig.dpi": "figure"}):
        read = matplotlib.image.imread(io.BytesIO(style.encode(fig, "png")))
        fig.savefig(usual := io.BytesIO(), format="png", dpi=style.LOOKS["screen"]["savefig.dpi"], facecolor="white")
    usual.seek(0)
    ok(np.array_equal(read, matplotlib.image.imread(usual)[:, :, :3]), "PNG: the pixels of matplotlib")


def test_later():
    """A module that figures do without is imported where somebody uses it."""
    before = sys.argv
    spec = importlib.util.spec_from_file_location("command", ANALYSIS / "command.py")
    command = importlib.util.module_from_spec(spec)
    sys.argv = ["command.py", "export"]
    spec.loader.exec_module(command)
    sys.argv = before
    name = "colorsys"
    sys.modules.pop(name, None)
    sys.modules[name] = stand = command.Later(name)
    ok(stand.rgb_to_hls(1, 1, 1) == (0.0, 1.0, 0.0) and sys.modules[name] is not stand, "later: it is the module itself")


def test_fonts():
    """Fonts in memory make the same letters; PDF, which names their files, keeps those of files."""
    from matplotlib import font_manager

    def drawn():
        font_manager._get_font.cache_clear()
        return style.encode(figure("$q$ and $h^{2}$")[0], "svg")

    files, path = drawn(), font_manager.findfont("DejaVu Sans")
    fonts.hold(["svg", "pdf"])
    ok(drawn() == files and font_manager.get_font(path).fname == path, "fonts: of files for PDF")
    before = font_manager.ft2font
    fonts.hold(["svg"])
    ok(drawn() == files and isinstance(font_manager.get_font(path).fname, io.BytesIO), "fonts: in memory, the same letters")
    font_manager.ft2font = before
    font_manager._get_font.cache_clear()


DRAWS = r"""
import hashlib, io, sys
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

lacks = sorted({"pyparsing.core", "PIL._imaging", "dateutil.rrule", "mpl_toolkits.mplot3d.axes3d"} & sys.modules.keys())
fig = Figure(figsize=(2, 2))
FigureCanvasAgg(fig)
ax = fig.add_subplot()
ax.imshow([[0, 1], [2, 3]])
ax.triplot([0, 1, 0], [0, 0, 1])
ax.set_title(r"$\frac{a}{b}$")
with matplotlib.rc_context({"mathtext.fontset": "custom"}):
    fig.savefig(out := io.BytesIO(), format="rgba")
print(hashlib.sha256(out.getvalue()).hexdigest(), *lacks)
"""


def test_put_off():
    """Commands draw without modules that no figure needs, and import them for one that does, with the same pixels."""
    load = "import importlib.util as u; s = u.spec_from_file_location('command', %r); s.loader.exec_module(u.module_from_spec(s))\n"
    said = []
    for before in ("", load % str(ANALYSIS / "command.py")):
        env = {**os.environ, "MATPLOTLIBRC": "/dev/null", "MPLBACKEND": "Agg", "PYTHONPATH": str(ANALYSIS)}
        words = [sys.executable, "-c", before + DRAWS, "plot"]
        said.append(subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout.split())
    ok(said[0][0] == said[1][0], "put off: the same pixels")
    ok(len(said[0]) > 1 and len(said[1]) == 1, "put off: not imported before it is used", said)


run_tests(globals())
