"""certificate.py: measures maps on systems, judges their claims, and keeps what was found as JSON."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..reading import ConstellaError, nearest
from . import balance, conserved, energy, largest, order, roundoff, solver, symmetric, symplectic, temperature
from .maps import Method, Stepper
from .property import CONFIRMED, OPEN, REFUTED, Found, Judged, Property
from .ranks import alone, ranks
from .ranks import each as each_rank
from .systems import Bench, Entry, chosen

PROPERTIES = [
    order.PROPERTY, symplectic.PROPERTY, symmetric.PROPERTY, conserved.PROPERTY, energy.PROPERTY, largest.PROPERTY, roundoff.PROPERTY,
    temperature.PROPERTY, solver.PROPERTY, balance.PROPERTY,
]  # fmt: skip
NUMBERS = {claim: kind for p in PROPERTIES for claim, kind in p.numbers.items()}
SCHEMA = "constella-certificate 2"
WORDS = [claim for p in PROPERTIES for claim in p.claims]
DOUBTS = {claim: p.doubt for p in PROPERTIES if p.doubt for claim in p.claims}
FULLY = 2  # systems with the same verdict of which numbers are given


@dataclasses.dataclass(frozen=True)
class Cell:
    """What was found of a claim of a method on a system."""

    method: str
    system: str
    claim: str
    claimed: float  # 1 where the claim has no number; 0: it is not made
    judged: Judged
    found: Found
    study: str = ""  # that shows what refutes the claim

    @property
    def doubtful(self) -> bool:
        """Whether what was found speaks against the claim, without refuting it."""
        doubt = DOUBTS.get(self.claim)
        return bool(self.judged.verdict == OPEN and doubt and doubt(self.claimed, self.found))

    def told(self) -> dict[str, Any]:
        """As the JSON has it."""
        return {
            "method": self.method, "system": self.system, "claim": self.claim, "claimed": self.claimed, "verdict": self.judged.verdict,
            "said": self.judged.said, "found": plain(dataclasses.asdict(self.found)), **({"study": self.study} if self.study else {}),
        }  # fmt: skip

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Cell:
        judged, found = Judged(told["verdict"], told["said"]), Found(**numbers(told["found"]))
        return cls(told["method"], told["system"], told["claim"], told["claimed"], judged, found, told.get("study", ""))


def plain(x: Any) -> Any:
    """JSON has no NaN and no infinity."""
    if isinstance(x, float) and not math.isfinite(x):
        return None
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, list) else x


def numbers(x: Any) -> Any:
    """The NaN again, of what was plain."""
    if x is None:
        return math.nan
    if isinstance(x, dict):
        return {k: numbers(v) for k, v in x.items()}
    return [numbers(v) for v in x] if isinstance(x, list) else x


def spoken(verdict: str, cells: Sequence[Cell]) -> list[str]:
    """What is said of each system: first of those with this verdict, by name alone after FULLY of them; of others their verdict too."""
    same = [c for c in cells if c.judged.verdict == verdict]
    rest = [c for c in cells if c.judged.verdict != verdict]
    full = len(same) if verdict == OPEN else FULLY
    said = [f"{c.system}: {c.judged.said}" for c in same[:full]]
    also = ", ".join(c.system for c in same[full:])
    return said + ([f"also {also}"] if also else []) + [f"{c.system}: {c.judged.verdict}, {c.judged.said}" for c in rest]


@dataclasses.dataclass
class Certificate:
    """cells: all of them, in the order of methods, systems, claims."""

    cells: list[Cell]
    quick: bool
    made: str = ""
    left: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)  # method, system, why it does not fit
    with_: dict[str, Any] = dataclasses.field(default_factory=dict)  # the file of --with, and the checksums of what it has
    asked: dict[str, Any] = dataclasses.field(default_factory=dict)  # what is measured (`about`)
    done: int = 0  # pairs of a method and a system

    def of(self, method: str, claim: str) -> Judged:
        """Over the systems on which it is claimed: refuted where one refutes, confirmed where one confirms and none
        refutes or speaks against it."""
        mine = [c for c in self.cells if (c.method, c.claim) == (method, claim) and c.claimed]
        verdicts = {c.judged.verdict for c in mine}
        verdict = REFUTED if REFUTED in verdicts else CONFIRMED if CONFIRMED in verdicts and not any(c.doubtful for c in mine) else OPEN
        return Judged(verdict, "; ".join(spoken(verdict, mine)) or "not measured")

    @property
    def pairs(self) -> int:
        """Of methods and systems, when it is complete."""
        return len(self.asked["methods"]) * len(self.asked["systems"])

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(c.method for c in self.cells))

    def claims(self, method: str) -> list[str]:
        return list(dict.fromkeys(c.claim for c in self.cells if c.method == method and c.claimed))

    def claimed(self, method: str, claim: str) -> float:
        return max((c.claimed for c in self.cells if (c.method, c.claim) == (method, claim)), default=0)

    @property
    def refuted(self) -> list[tuple[str, str]]:
        return [(m, c) for m in self.methods for c in self.claims(m) if self.of(m, c).verdict == REFUTED]

    def as_json(self) -> str:
        """The certificate by its schema (docs/certificate.md)."""
        cells = [c.told() for c in self.cells]
        summary = [
            {"method": m, "claim": c, "claimed": self.claimed(m, c), **dataclasses.asdict(self.of(m, c))}
            for m in self.methods
            for c in self.claims(m)
        ]
        left = [{"method": m, "system": s, "why": why} for m, s, why in self.left]
        told = {
            "schema": SCHEMA, "program": self.made, "quick": self.quick, "asked": self.asked, "with": self.with_, "done": self.done,
            "summary": summary, "cells": cells, "left": left,
        }  # fmt: skip
        return json.dumps(told, indent=1) + "\n"


def read(path: str | os.PathLike[str]) -> Certificate:
    """A certificate from its JSON. Raises ConstellaError."""
    try:
        told = json.loads(pathlib.Path(path).read_text())
        if told["schema"] != SCHEMA:
            raise ConstellaError(f"{path}: its schema is {told['schema']}; {SCHEMA} is needed")
        cells = [Cell.read(c) for c in told["cells"]]
        left = [(x["method"], x["system"], x["why"]) for x in told["left"]]
        return Certificate(cells, told["quick"], told["program"], left, told["with"], told["asked"], told["done"])
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise ConstellaError(f"{path}: no certificate: {e}") from None


def checked(claims: Mapping[str, float] | None) -> dict[str, float] | None:
    """The claims with known words and numbers of their kind."""
    if claims is None:
        return None
    for word, value in claims.items():
        if word not in WORDS:
            raise ConstellaError(f'unknown claim "{word}"{nearest(word, WORDS)} allowed: {", ".join(WORDS)}')
        kind = NUMBERS.get(word)
        if kind is None and value != 1:
            raise ConstellaError(f"the claim {word}={value:g}: it has no number; {', '.join(NUMBERS)} have")
        if kind is int and (value != int(value) or value < 1):
            raise ConstellaError(f"the claim {word}={value:g}: an order is a whole number from 1 on")
        if not 0 < value < math.inf:
            raise ConstellaError(f"the claim {word}={value:g}: it must be positive")
    return {word: NUMBERS.get(word, int)(value) for word, value in claims.items()}


def sought(of: Any, bench: Bench, claims: Mapping[str, float] | None) -> tuple[dict[str, float], list[Property], bool]:
    """(the claims to judge, the properties to measure, whether those that are not claimed are among them). Of our methods
    claims that are not made are measured too, with claimed 0; of strangers, and where claims are given, only properties of
    which something is claimed."""
    told = of.claims(bench.system) if claims is None else dict(claims)
    all_ = claims is None and isinstance(of, Method) and not of.noisy
    return told, [p for p in PROPERTIES if (all_ and p.unasked) or told.keys() & set(p.claims)], all_


def lacks(of: Any, bench: Bench, claims: Mapping[str, float] | None, known: Sequence[Cell]) -> bool:
    """Whether a property is sought of which nothing is known."""
    there = {c.claim for c in known}
    return any(not there & set(p.claims) for p in sought(of, bench, claims)[1])


def measured(of: Any, bench: Bench, claims: Mapping[str, float] | None, quick: bool, known: Sequence[Cell] = ()) -> list[Cell]:
    """The cells of a map on a system that it fits. What is known of it there is judged, and not measured again."""
    told, properties, all_ = sought(of, bench, claims)
    there = {c.claim: c.found for c in known}
    cells = []
    for p in properties:
        found = {c: there[c] for c in p.claims if c in there} or p.measure(of, bench, quick)
        for claim in [c for c in p.claims if c in found]:  # the others are nothing to the system
            claimed = told.get(claim, 1 if claim == "adjoint" and all_ else 0)
            judged = p.judge(claim, claimed or 1, found[claim])
            shown = p.study if claimed and judged.verdict == REFUTED and isinstance(of, Method) else None
            study = shown(of.name, bench.name, claim, found[claim]) if shown else ""
            cells.append(Cell(of.name, bench.name, claim, claimed, judged, found[claim], study))
    return cells


def as_map(method: Any) -> Any:
    if hasattr(method, "measured"):
        return method
    return Stepper(method) if callable(method) else Method(str(method))


def certify(
    methods: Any,
    *,
    systems: Sequence[str | Entry] | None = None,
    claims: Mapping[str, float] | None = None,
    quick: bool = True,
    known: Certificate | None = None,
    with_: Mapping[str, Any] | None = None,
    asked: Mapping[str, Any] | None = None,
    each: Callable[[Certificate], None] = lambda c: None,
) -> Certificate:
    """Measures methods, or one: texts, or functions step(system, q, v, h) -> (q, v) or (q, v, lambda). claims: those to
    judge; by default what the row of a method says. known: a certificate whose numbers are taken over; with_: the file
    that the methods are from; asked: more of what is asked; each: is called after every method and system with
    what there is."""
    claims = checked(claims)
    given = methods if isinstance(methods, (list, tuple)) else [methods]
    maps = [as_map(m) for m in given]
    entries = chosen(list(systems) if systems is not None else None)
    certificate = Certificate([], quick, made=made(), with_=dict(with_ or {}), asked=about(maps, entries, claims) | dict(asked or {}))
    pairs = [(of, Bench(entry)) for of in maps for entry in entries]
    width = ranks()[1]
    for at in range(0, len(pairs), width):
        tasks: list[Callable[[], Any]] = [functools.partial(cells_of, of, bench, claims, quick, known) for of, bench in pairs[at : at + width]]
        for (of, bench), (why, cells) in zip(pairs[at:], each_rank(tasks)):
            if why:
                certificate.left.append((of.name, bench.name, why))
            certificate.cells += [as_cell(c) for c in cells]
        certificate.done = min(at + width, len(pairs))
        each(certificate)
    return certificate


def about(maps: Sequence[Any], entries: Sequence[Entry], claims: Mapping[str, float] | None) -> dict[str, Any]:
    """What is asked: methods, systems with the checksums of their files ("": of the catalogue), claims (None: those of the
    methods)."""
    return {"methods": [of.name for of in maps], "systems": {e.name: e.sha256 for e in entries}, "claims": dict(claims) if claims is not None else None}


def cells_of(of: Any, bench: Bench, claims: Mapping[str, float] | None, quick: bool, known: Certificate | None) -> tuple[str, Any]:
    """(why the map does not fit the system, or "", its cells as plain data)"""
    why = of.refuses(bench.system)
    there = [c for c in known.cells if (c.method, c.system) == (of.name, bench.name)] if known else []
    return why, [dataclasses.asdict(c) for c in ([] if why else of.measured(bench, claims, quick, measured, there))]


def as_cell(c: Mapping[str, Any]) -> Cell:
    return dataclasses.replace(Cell(**c), judged=Judged(**c["judged"]), found=Found(**c["found"]))


@functools.cache
def made() -> str:
    """The program's name and version."""
    import subprocess

    from ..running import program

    try:
        return subprocess.run([program(), "--version"], capture_output=True, text=True, timeout=60, env=alone()).stdout.splitlines()[0]
    except (ConstellaError, OSError, IndexError, subprocess.SubprocessError):
        return ""
