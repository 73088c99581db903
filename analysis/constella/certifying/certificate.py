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
from .property import CONFIRMED, OPEN, REFUTED, Found, Judged
from .ranks import alone, ranks
from .ranks import each as each_rank
from .systems import Bench, chosen

PROPERTIES = [
    order.PROPERTY, symplectic.PROPERTY, symmetric.PROPERTY, conserved.PROPERTY, energy.PROPERTY, largest.PROPERTY, roundoff.PROPERTY,
    temperature.PROPERTY, solver.PROPERTY, balance.PROPERTY,
]  # fmt: skip
NUMBERS = {claim: kind for p in PROPERTIES for claim, kind in p.numbers.items()}
SCHEMA = "constella-certificate 1"
WORDS = [claim for p in PROPERTIES for claim in p.claims]


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


def plain(x: Any) -> Any:
    """JSON has no NaN and no infinity."""
    if isinstance(x, float) and not math.isfinite(x):
        return None
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, list) else x


@dataclasses.dataclass
class Certificate:
    """cells: all of them, in the order of methods, systems, claims."""

    cells: list[Cell]
    quick: bool
    made: str = ""
    left: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)  # method, system, why it does not fit
    with_: dict[str, Any] = dataclasses.field(default_factory=dict)  # the file of --with, its sha256, the names that it has

    def of(self, method: str, claim: str) -> Judged:
        """Over the systems on which it is claimed: refuted where one refutes, confirmed where one confirms and none
        refutes."""
        mine = [c for c in self.cells if (c.method, c.claim) == (method, claim) and c.claimed]
        for verdict in (REFUTED, CONFIRMED):
            there = [c for c in mine if c.judged.verdict == verdict]
            if there:
                return Judged(verdict, "; ".join(f"{c.system}: {c.judged.said}" for c in there[:2]))
        return Judged(OPEN, "; ".join(dict.fromkeys(f"{c.system}: {c.judged.said}" for c in mine)) or "not measured")

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
        cells = [
            {
                "method": c.method, "system": c.system, "claim": c.claim, "claimed": c.claimed, "verdict": c.judged.verdict,
                "said": c.judged.said, "found": plain(dataclasses.asdict(c.found)), **({"study": c.study} if c.study else {}),
            }
            for c in self.cells
        ]  # fmt: skip
        summary = [
            {"method": m, "claim": c, "claimed": self.claimed(m, c), **dataclasses.asdict(self.of(m, c))}
            for m in self.methods
            for c in self.claims(m)
        ]
        left = [{"method": m, "system": s, "why": why} for m, s, why in self.left]
        told = {"schema": SCHEMA, "program": self.made, "quick": self.quick, "with": self.with_, "summary": summary, "cells": cells, "left": left}
        return json.dumps(told, indent=1) + "\n"


def read(path: str | os.PathLike[str]) -> Certificate:
    """A certificate from its JSON. Raises ConstellaError."""
    try:
        told = json.loads(pathlib.Path(path).read_text())
        if told["schema"] != SCHEMA:
            raise ConstellaError(f"{path}: its schema is {told['schema']}; {SCHEMA} is needed")
        cells = [
            Cell(
                c["method"], c["system"], c["claim"], c["claimed"], Judged(c["verdict"], c["said"]),
                Found(**{k: float("nan") if v is None else v for k, v in c["found"].items()}), c.get("study", ""),
            )
            for c in told["cells"]
        ]  # fmt: skip
        left = [(x["method"], x["system"], x["why"]) for x in told["left"]]
        return Certificate(cells, told["quick"], told["program"], left, told["with"])
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


def measured(of: Any, bench: Bench, claims: Mapping[str, float] | None, quick: bool) -> list[Cell]:
    """The cells of a map on a system that it fits. Of our methods, claims that are not made are measured too, with
    claimed 0; of strangers, and where claims are given, only properties of which something is claimed."""
    told = of.claims(bench.system) if claims is None else dict(claims)
    all_ = claims is None and isinstance(of, Method) and not of.noisy
    cells = []
    for p in [p for p in PROPERTIES if (all_ and p.unasked) or told.keys() & set(p.claims)]:
        found = p.measure(of, bench, quick)
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
    systems: Sequence[str] | None = None,
    claims: Mapping[str, float] | None = None,
    quick: bool = True,
    known: Certificate | None = None,
    with_: Mapping[str, Any] | None = None,
    each: Callable[[Certificate], None] = lambda c: None,
) -> Certificate:
    """Measures methods, or one: texts, or functions step(system, q, v, h) -> (q, v) or (q, v, lambda). claims: those to
    judge; by default what the row of a method says. known: a certificate whose cells are taken over; with_: the file that the methods are from; each: is called
    after every method and system with what there is."""
    claims = checked(claims)
    given = methods if isinstance(methods, (list, tuple)) else [methods]
    maps = [as_map(m) for m in given]
    certificate = Certificate([], quick, made=made(), with_=dict(with_ or {}))
    pairs = [(of, Bench(entry)) for of in maps for entry in chosen(list(systems) if systems is not None else None)]
    width = ranks()[1]
    for at in range(0, len(pairs), width):
        tasks: list[Callable[[], Any]] = [functools.partial(cells_of, of, bench, claims, quick, known) for of, bench in pairs[at : at + width]]
        for (of, bench), (why, cells) in zip(pairs[at:], each_rank(tasks)):
            if why:
                certificate.left.append((of.name, bench.name, why))
            certificate.cells += [as_cell(c) for c in cells]
        each(certificate)
    return certificate


def cells_of(of: Any, bench: Bench, claims: Mapping[str, float] | None, quick: bool, known: Certificate | None) -> tuple[str, Any]:
    """(why the map does not fit the system, or "", its cells as plain data)"""
    cells: Any = [c for c in known.cells if (c.method, c.system) == (of.name, bench.name)] if known else []
    why = "" if cells else of.refuses(bench.system)
    if not why and not cells:
        cells = of.measured(bench, claims, quick, measured)
    return why, [dataclasses.asdict(c) for c in cells]


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
