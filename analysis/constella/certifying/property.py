"""property.py: what a property is: a measurement of a map on a system, and the judgement of a claim by it."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .systems import Bench

CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "undecidable"


@dataclasses.dataclass(frozen=True)
class Found:
    """A measured number with its interval; floor: below it the number says nothing. why: a reason where it could not
    be measured (value is NaN then). how: step, number of states and the like, for those who repeat it. curve: what is drawn
    of it: x, y, and where there are any floor and limit, one for all x or one for each."""

    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    floor: float = 0.0
    why: str = ""
    how: dict[str, Any] = dataclasses.field(default_factory=dict)
    curve: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Axes:
    """Of the curves of a property: labels, which axes are logarithmic ("x", "y", "xy"), and where the claim stands among
    them: "slope" (its power of x), "x" or "y" (a line at its number); "": it has no place."""

    x: str
    y: Mapping[str, str]  # of each claim
    log: str = "y"
    claim: str = ""
    powers: tuple[float, ...] = ()  # of x, drawn beside the curves


@dataclasses.dataclass(frozen=True)
class Judged:
    verdict: str
    said: str


@dataclasses.dataclass(frozen=True)
class Property:
    """name: its word in tables; claims: the words of `--claims` that it judges; measure(map, bench, quick) gives
    {claim: Found} for these, without those that are nothing to the system; judge(claim, claimed, found); numbers: claims
    with a number, and its type; unasked: it is measured of our methods also where nothing is claimed; study(method, system, claim, found): a study that shows the same for a method of ours; axes: of the curves that it has
    found; doubt(claimed, found): what speaks against a claim without refuting it, so that no other system confirms it."""

    name: str
    doc: str
    claims: tuple[str, ...]
    measure: Callable[[Any, Bench, bool], dict[str, Found]]
    judge: Callable[[str, float, Found], Judged]
    numbers: Mapping[str, type] = dataclasses.field(default_factory=dict)
    unasked: bool = True
    study: Callable[[str, str, str, Found], str] | None = None
    axes: Axes | None = None
    doubt: Callable[[float, Found], str] | None = None
    one_curve: bool = False  # the first claim has the curve of all


def number(x: float) -> str:
    return "-" if x != x else f"{x:.3g}"


def small(limit: float, bad: float) -> Callable[[str, float, Found], Judged]:
    """The judgement of a defect that is 0 for those that have the property: confirmed where it is within the larger of
    `limit` and its floor, refuted where it is above `bad` and ten times its floor."""

    def judge(claim: str, claimed: float, found: Found) -> Judged:
        said = f"{number(found.value)}, floor {number(found.floor)}"
        if found.why or not np.isfinite(found.value):
            return Judged(OPEN, found.why or "not finite")
        if found.value <= max(limit, found.floor):
            return Judged(CONFIRMED, said)
        if found.value > max(bad, 10 * found.floor):
            return Judged(REFUTED, said)
        near = found.value <= 10 * found.floor
        return Judged(OPEN, f"{said}: too near to the floor" if near else f"{said}: above the {limit:g} that confirm, below the {bad:g} that refute")

    return judge


def missing(claims: tuple[str, ...], why: str) -> dict[str, Found]:
    return {claim: Found(why=why) for claim in claims}
