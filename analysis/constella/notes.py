"""notes.py: words around a panel: notes above it, where neither data nor labels can cover them, names of
lines beside it, and its title.

Makers add them while they draw. Once the sheet knows the size of the panel, it wraps notes and title to its
width and moves names of lines apart.
"""
# SPDX-License-Identifier: BSD-2-Clause
import textwrap

import matplotlib
import numpy as np

SPACING = 1.25  # of lines, in units of the font size
GREY = "#5A5A5A"
NAME = {"ha": "left", "va": "center", "color": GREY, "annotation_clip": False}


def size():
    """Size of notes, in points."""
    return 0.75 * matplotlib.rcParams["font.size"]


def add(ax, text, colour=GREY):
    """Add a note to a panel, once."""
    notes = ax.__dict__.setdefault("constella_notes", [])
    if (text, colour) not in notes:
        notes.append((text, colour))


def of(ax):
    """The notes of a panel as texts, from top to bottom."""
    return [text for text, _ in getattr(ax, "constella_notes", [])]


def fit_title(ax, width):
    """Wrap a title that is wider than its panel; a title with mathematics is short."""
    text, renderer = ax.get_title(), ax.figure.canvas.get_renderer()
    wide = ax.title.get_window_extent(renderer).width / ax.figure.dpi
    if "$" in text or wide <= width:
        return
    longest = max(len(line) for line in text.split("\n"))
    room = max(8, int(longest * width / wide))
    lines = [part for line in text.split("\n") for part in textwrap.wrap(line, room)]
    ax.set_title("\n".join(lines), fontsize=ax.title.get_fontsize())


def fit_label(ax, height):
    """Wrap the label of the vertical axis where it is longer than the panel is high. Returns whether it is."""
    text, renderer = ax.get_ylabel(), ax.figure.canvas.get_renderer()
    long = ax.yaxis.label.get_window_extent(renderer).height / ax.figure.dpi if text else 0.0
    if long <= height:
        return False
    longest = max(len(line) for line in text.split("\n"))
    room = max(8, int(longest * height / long))
    lines = [part for line in text.split("\n") for part in textwrap.wrap(line, room)]
    if all(line.count("$") % 2 == 0 for line in lines):
        ax.set_ylabel("\n".join(lines))
    return True


def place(ax, width):
    """Write the notes between a panel of this width in inches and its title."""
    notes = getattr(ax, "constella_notes", [])
    if not notes:
        return
    room = max(12, int(width * 72 / (0.53 * size())))  # characters in a line
    lines = [(line, colour) for text, colour in notes for line in textwrap.wrap(text, room) or [""]]
    for k, (line, colour) in enumerate(reversed(lines)):
        ax.annotate(
            line.replace("$", r"\$"),
            (1, 1),
            xycoords="axes fraction",
            xytext=(0, 4 + k * SPACING * size()),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=size(),
            color=colour,
            annotation_clip=False,
        )
    title = ax.get_title()
    if title:
        pad = 6 + 4 + len(lines) * SPACING * size()
        ax.set_title(title, pad=pad, fontsize=ax.title.get_fontsize())


# ---- names of lines beside a panel


def name_lines(ax, labels):
    """Names (height, text) of lines, right of a panel with a logarithmic height."""
    low, high = np.log(ax.get_ylim())
    made = ax.__dict__.setdefault("constella_names", [])
    for y, text in labels:
        at = (np.log(y) - low) / (high - low)
        made.append((at, ax.annotate(text, (1.012, at), xycoords="axes fraction", **NAME, fontsize=name_size())))


def name_size():
    return 0.8 * matplotlib.rcParams["font.size"]


def spread_names(ax, height):
    """Move the names of lines apart where they would overlap, beside a panel of this height in inches."""
    made = sorted(getattr(ax, "constella_names", []), key=lambda pair: pair[0])
    apart = 1.45 * name_size() / 72 / height
    places: list = []
    for at, _ in made:
        places.append(max(at, places[-1] + apart) if places else at)
    top = 1.0
    for k in reversed(range(len(places))):
        places[k] = min(places[k], top)
        top = places[k] - apart
    for at, (_, artist) in zip(places, made):
        artist.set_position((1.012, at))
