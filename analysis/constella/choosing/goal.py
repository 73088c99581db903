"""goal.py: a goal in words: `energy 1e-4 until 1e6, momentum exact`."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import math
import re

from ..reading import ConstellaError, nearest

WORDS = {
    "energy": "energy X until T: the largest |E - E(0)| over the size of its terms, drift included, is at most X",
    "position": "position X until T: the largest error of a coordinate is at most X",
    "constraint": "constraint X: the largest |g(q)| is at most X",
    "momentum": "momentum exact, momentum X: momentum maps are kept to round-off, or to X of their terms",
    "average": "average EXPR X %: the time average of EXPR is within X % of that of a fine run",
    "temperature": "temperature X %: the same of the temperature; `temperature X % at KT`: of methods with a bath at KT",
}
DRIFTS = ("energy", "momentum", "constraint", "average", "temperature")  # what a conservation study measures


@dataclasses.dataclass(frozen=True)
class Part:
    """word: of WORDS; limit: absolute, relative for percentages; 0: exact. expression: of averages; bath: its kT."""

    word: str
    limit: float
    expression: str = ""
    bath: float = 0.0

    @property
    def said(self) -> str:
        number = "exact" if not self.limit else f"{self.limit:.12g}"
        if self.word in ("average", "temperature"):
            number = f"{100 * self.limit:.12g} %"
        return " ".join(x for x in (self.word, self.expression, number, f"at {self.bath:.12g}" if self.bath else "") if x)


@dataclasses.dataclass(frozen=True)
class Goal:
    """until: the horizon, 0: none was told."""

    parts: tuple[Part, ...]
    until: float

    @property
    def said(self) -> str:
        return ", ".join(p.said for p in self.parts) + (f" until {self.until:.12g}" if self.until else "")

    def of(self, word: str) -> Part | None:
        return next((p for p in self.parts if p.word == word), None)

    @property
    def bath(self) -> float:
        return max(p.bath for p in self.parts)

    @property
    def averages(self) -> list[Part]:
        return [p for p in self.parts if p.word in ("average", "temperature")]

    @property
    def drifts(self) -> bool:
        """A conservation study is needed; the largest |g| is also told by the one that measures errors."""
        needed = DRIFTS if self.of("position") is None else tuple(w for w in DRIFTS if w != "constraint")
        return any(p.word in needed for p in self.parts)


def refuse(text: str) -> ConstellaError:
    return ConstellaError(f"--goal: {text}; the words are:\n  " + "\n  ".join(WORDS.values()) + "\nparts are joined by commas")


def number(text: str, what: str) -> float:
    try:
        x = float(text)
    except ValueError:
        raise refuse(f'"{text}" is no number for {what}') from None
    if not (0 < x < math.inf):
        raise refuse(f"{what} is {text}; it must be above 0")
    return x


def percent(words: list[str], what: str) -> tuple[list[str], float]:
    """The words before `X %` or `X%`, and the fraction."""
    if words and words[-1] == "%":
        words = [*words[:-2], "".join(words[-2:])]
    if not words or not words[-1].endswith("%"):
        raise refuse(f"{what} needs a percentage, such as `1 %`")
    return words[:-1], number(words[-1][:-1], what) / 100


def average(word: str, words: list[str]) -> Part:
    bath = 0.0
    if word == "temperature" and "at" in words:
        k = words.index("at")
        if len(words) != k + 2:
            raise refuse("`at` needs a temperature, such as `at 0.5`")
        bath, words = number(words[-1], "the temperature"), words[:k]
    expression, limit = percent(words, word)
    if (word == "average") != bool(expression):
        raise refuse("average needs an expression" if word == "average" else f'"{" ".join(expression)}" is not known of temperature')
    return Part(word, limit, " ".join(expression), bath)


def part(text: str) -> Part:
    word, *words = text.split()
    if word not in WORDS:
        raise refuse(f'unknown word "{word}"{nearest(word, list(WORDS)).rstrip(";")}')
    if word in ("average", "temperature"):
        return average(word, words)
    if len(words) != 1:
        raise refuse(f"{word} needs one number" + (f', not "{" ".join(words)}"' if words else ""))
    if words == ["exact"]:
        if word != "momentum":
            raise refuse(f"{word} exact cannot be met in finite precision: name a number")
        return Part(word, 0.0)
    return Part(word, number(words[0], word))


def split(text: str) -> list[str]:
    """At commas outside brackets, and at `and`."""
    parts, depth, at = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append(text[at:k])
            at = k + 1
    return [p.strip() for piece in [*parts, text[at:]] for p in re.split(r"\band\b", piece)]


def contradictions(parts: list[Part], horizons: list[float]) -> None:
    for word in WORDS:
        if word != "average" and sum(p.word == word for p in parts) > 1:
            raise refuse(f"{word} appears twice")
    named = [p.expression for p in parts if p.word == "average"]
    if len(set(named)) < len(named):
        raise refuse("the average of one expression appears twice")
    if len(set(horizons)) > 1:
        raise refuse(f"two horizons, {horizons[0]:g} and {horizons[1]:g}; one holds for all parts")
    bath = any(p.bath for p in parts)
    for word in ("energy", "position", "momentum"):
        if bath and any(p.word == word for p in parts):
            raise refuse(f"a bath at a temperature contradicts {word}: it changes it at random")


def parse(text: str) -> Goal:
    """Raises ConstellaError with the words that there are."""
    parts, horizons = [], []
    for piece in split(text):
        head, *tail = re.split(r"\buntil\b", piece)
        if len(tail) > 1:
            raise refuse("`until` appears twice in a part")
        if tail:
            horizons.append(number(tail[0].strip(), "the horizon"))
        if head.strip():
            parts.append(part(head.strip()))
        elif not tail:
            raise refuse("a part is empty")
    if not parts:
        raise refuse("it says nothing")
    contradictions(parts, horizons)
    if not horizons and any(p.word in ("energy", "position") for p in parts):
        word = next(p.word for p in parts if p.word in ("energy", "position"))
        raise refuse(f"{word} needs a horizon: `{word} X until T`")
    return Goal(tuple(parts), horizons[0] if horizons else 0.0)
