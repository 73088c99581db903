"""lettering.py: simple mathematics in texts, as `error of $q$ and $p$` or `$h^{2}$`, set as a row of ordinary texts:
letters in italics, indices and exponents smaller. matplotlib parses each such text by a grammar, several times
for a picture, which took a fifth of the time of a figure. What is not simple is left to it.

`apply` teaches this to the renderers of matplotlib; the commands do so, and a program that imports the package
keeps those that it has.
"""
# SPDX-License-Identifier: BSD-2-Clause
import functools
import math
import re
import unicodedata
from dataclasses import dataclass

SMALL = 0.7  # size of indices and exponents
RAISE = {"": 0.0, "^": 0.38, "_": -0.16}  # of the font size
SPACE = 0.2  # around a minus and after a comma, of the font size
DESCENT = 0.24  # of any text, of the font size: matplotlib assumes at least that of "p" without making room for it

PIECE = re.compile(r"(?<!\\)\$")
TOKEN = re.compile(r"\\(?P<name>[A-Za-z]+)(?![A-Za-z{])|(?P<script>[\^_])|(?P<open>\{)|(?P<close>\})|(?P<char>[A-Za-z0-9|()/.,+\-= ])")


@dataclass(frozen=True)
class Run:
    """Letters of one kind. script: "", "^" or "_"; after: space behind them, of the font size."""

    text: str
    italic: bool = False
    script: str = ""
    before: float = 0.0
    after: float = 0.0


def greek(name):
    """The letter of that name; None: there is none."""
    case = "CAPITAL" if name[0].isupper() else "SMALL"
    word = {"lambda": "LAMDA"}.get(name.lower(), name.upper())
    try:
        return unicodedata.lookup(f"GREEK {case} LETTER {word}")
    except KeyError:
        return None


def run_of(letter, script, first):
    """A letter of mathematics."""
    if letter in "+-=":
        space = 0.0 if first or script else SPACE
        return Run(letter.replace("-", "−"), False, script, space, space)
    if letter == ",":
        return Run(letter, False, script, 0.0, SPACE)
    return Run(letter, letter.isalpha() and not ("Α" <= letter <= "Ω"), script)


def mathematics(text):
    """The runs of what stands between two dollars; None: it is not simple."""
    runs: list[Run] = []
    at, script, inside = 0, "", False
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            return None
        at = found.end()
        if found["script"]:
            if script or not runs or at == len(text):
                return None
            script = found["script"]
        elif found["open"]:
            if not script or inside:
                return None
            inside = True
        elif found["close"]:
            if not inside:
                return None
            script, inside = "", False
        elif found["char"] != " ":
            letter = found["char"] or greek(found["name"])
            if letter is None:
                return None
            runs.append(run_of(letter, script, not runs or runs[-1].text in "(|"))
            script = script if inside else ""
    return None if inside or script else runs


def joined(runs):
    """Neighbours of one kind as one run."""
    out: list[Run] = []
    for run in runs:
        last = out[-1] if out else None
        if last and (last.italic, last.script, last.after, run.before) == (run.italic, run.script, 0.0, 0.0):
            out[-1] = Run(last.text + run.text, run.italic, run.script, last.before, run.after)
        else:
            out.append(run)
    return out


@functools.lru_cache(maxsize=500)
def runs_of(text):
    """The runs of a text with mathematics; None: it is not simple."""
    runs: list[Run] = []
    for k, piece in enumerate(PIECE.split(text)):
        if k % 2 == 0:
            runs += [Run(piece.replace(r"\$", "$"))] if piece else []
            continue
        inside = mathematics(piece)
        if not inside:
            return None
        runs += inside
    return joined(runs)


def font(prop, run):
    """The font of a run of a text in another one."""
    if run.italic or run.script:
        prop = prop.copy()
        if run.italic:
            prop.set_style("italic")
        if run.script:
            prop.set_size(SMALL * prop.get_size_in_points())
    return prop


class Setter:
    """Sets texts with the methods of a class of renderers."""

    def __init__(self, kind):
        self.measure, self.draw = kind.get_text_width_height_descent, kind.draw_text

    def place(self, renderer, text, prop):
        """[(run, font, distance from the start of the text, width, height above and below its base, rise)] and the
        width of all."""
        size = renderer.points_to_pixels(prop.get_size_in_points())
        placed, at = [], 0.0
        for run in runs_of(text):
            its = font(prop, run)
            width, height, descent = self.measure(renderer, run.text, its, False)
            at += run.before * size
            placed.append((run, its, at, width, height - descent, descent, RAISE[run.script] * size))
            at += width + run.after * size
        return placed, at

    def extent(self, renderer, text, prop):
        """Width, height and descent."""
        placed, width = self.place(renderer, text, prop)
        above = max(up + rise for *_, up, _, rise in placed)
        least = DESCENT * renderer.points_to_pixels(prop.get_size_in_points())
        below = max(least, *(descent - rise for *_, descent, rise in placed))
        return width, above + below, below

    def set(self, renderer, gc, x, y, text, prop, angle):
        """Draw it from (x, y) in the direction of angle in degrees."""
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        down = -1.0 if renderer.flipy() else 1.0
        for run, its, at, *_, rise in self.place(renderer, text, prop)[0]:
            to = x + at * c - rise * s, y + down * (at * s + rise * c)
            self.draw(renderer, gc, *to, run.text, its, angle, False)


def teach(kind):
    """Let a class of renderers set simple mathematics by runs."""
    if hasattr(kind, "constella_setter"):
        return
    setter = kind.constella_setter = Setter(kind)

    def get_text_width_height_descent(self, s, prop, ismath):
        if ismath is True and runs_of(s):
            return setter.extent(self, s, prop)
        return setter.measure(self, s, prop, ismath)

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        if ismath is True and runs_of(s):
            setter.set(self, gc, x, y, s, prop, angle)
        else:
            setter.draw(self, gc, x, y, s, prop, angle, ismath, mtext)

    kind.get_text_width_height_descent, kind.draw_text = get_text_width_height_descent, draw_text


def apply(form):
    """For pictures of that form, and for the measures of their texts."""
    from matplotlib.backends.backend_agg import RendererAgg

    teach(RendererAgg)
    if form == "svg":
        from matplotlib.backends.backend_svg import RendererSVG

        teach(RendererSVG)
    elif form == "pdf":
        from matplotlib.backends.backend_pdf import RendererPdf

        teach(RendererPdf)
