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
from . import conserved, energy, order, symmetric, symplectic
from .maps import Method, Stepper
from .property import CONFIRMED, OPEN, REFUTED, Found, Judged
from .systems import Bench, chosen

PROPERTIES = [order.PROPERTY, symplectic.PROPERTY, symmetric.PROPERTY, conserved.PROPERTY, energy.PROPERTY]
SCHEMA = "constella-certificate 1"
UNMEASURED = ("temperature",)  # a claim of methods that nothing here measures
WORDS = [*(claim for p in PROPERTIES for claim in p.claims), *UNMEASURED]


@dataclasses.dataclass(frozen=True)
class Cell:
    """What was found of a claim of a method on a system."""

    method: str
    system: str
    claim: str
    claimed: int
    judged: Judged
    found: Found


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

    def claimed(self, method: str, claim: str) -> int:
        return max((c.claimed for c in self.cells if (c.method, c.claim) == (method, claim)), default=0)

    @property
    def refuted(self) -> list[tuple[str, str]]:
        return [(m, c) for m in self.methods for c in self.claims(m) if self.of(m, c).verdict == REFUTED]

    def as_json(self) -> str:
        """The certificate by its schema (docs/certificate.md)."""
        cells = [
            {
                "method": c.method, "system": c.system, "claim": c.claim, "claimed": c.claimed, "verdict": c.judged.verdict,
                "said": c.judged.said, "found": plain(dataclasses.asdict(c.found)),
            }
            for c in self.cells
        ]  # fmt: skip
        summary = [
            {"method": m, "claim": c, "claimed": self.claimed(m, c), **dataclasses.asdict(self.of(m, c))}
            for m in self.methods
            for c in self.claims(m)
        ]
        left = [{"method": m, "system": s, "why": why} for m, s, why in self.left]
        told = {"schema": SCHEMA, "program": self.made, "quick": self.quick, "summary": summary, "cells": cells, "left": left}
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
                Found(**{k: float("nan") if v is None else v for k, v in c["found"].items()}),
            )
            for c in told["cells"]
        ]  # fmt: skip
        left = [(x["method"], x["system"], x["why"]) for x in told["left"]]
        return Certificate(cells, told["quick"], told["program"], left)
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise ConstellaError(f"{path}: no certificate: {e}") from None


def checked(claims: Mapping[str, int] | None) -> dict[str, int] | None:
    """The claims with known words and whole numbers."""
    if claims is None:
        return None
    for word, value in claims.items():
        if word not in WORDS:
            raise ConstellaError(f'unknown claim "{word}"{nearest(word, WORDS)} allowed: {", ".join(WORDS)}')
        if not isinstance(value, int) or value < 1 or (value > 1 and not word.startswith("order")):
            raise ConstellaError(f"the claim {word}={value}: only orders have a number, a whole one from 1 on")
    return dict(claims)


def measured(of: Any, bench: Bench, claims: Mapping[str, int] | None, quick: bool) -> list[Cell]:
    """The cells of a map on a system that it fits. Of our methods, claims that are not made are measured too, with
    claimed 0; of strangers, and where claims are given, only properties of which something is claimed."""
    told = of.claims(bench.system) if claims is None else dict(claims)
    all_ = claims is None and isinstance(of, Method)
    cells = []
    for p in [p for p in PROPERTIES if all_ or told.keys() & set(p.claims)]:
        found = p.measure(of, bench, quick)
        for claim in [c for c in p.claims if c in found]:  # the others are nothing to the system
            claimed = told.get(claim, 1 if claim == "adjoint" and all_ else 0)
            cells.append(Cell(of.name, bench.name, claim, claimed, p.judge(claim, claimed or 1, found[claim]), found[claim]))
    why = "nothing here measures it: averages of a study do"
    return cells + [Cell(of.name, bench.name, c, 1, Judged(OPEN, why), Found(why=why)) for c in UNMEASURED if c in told]


def as_map(method: Any) -> Any:
    if hasattr(method, "measured"):
        return method
    return Stepper(method) if callable(method) else Method(str(method))


def certify(
    methods: Any,
    *,
    systems: Sequence[str] | None = None,
    claims: Mapping[str, int] | None = None,
    quick: bool = True,
    known: Certificate | None = None,
    each: Callable[[Certificate], None] = lambda c: None,
) -> Certificate:
    """Measures methods, or one: texts, or functions step(system, q, v, h) -> (q, v) or (q, v, lambda). claims: those to
    judge; by default what the row of a method says. known: a certificate whose cells are taken over; each: is called
    after every method and system with what there is."""
    claims = checked(claims)
    given = methods if isinstance(methods, (list, tuple)) else [methods]
    maps = [as_map(m) for m in given]
    certificate = Certificate([], quick, made=made())
    entries = chosen(list(systems) if systems is not None else None)
    for of in maps:
        for entry in entries:
            bench = Bench(entry)
            old = [c for c in known.cells if (c.method, c.system) == (of.name, bench.name)] if known else []
            why = "" if old else of.refuses(bench.system)
            if why:
                certificate.left.append((of.name, bench.name, why))
            else:
                certificate.cells += old or of.measured(bench, claims, quick, measured)
            each(certificate)
    return certificate


@functools.cache
def made() -> str:
    """The program's name and version."""
    import subprocess

    from ..running import program

    try:
        return subprocess.run([program(), "--version"], capture_output=True, text=True, timeout=60).stdout.splitlines()[0]
    except (ConstellaError, OSError, IndexError, subprocess.SubprocessError):
        return ""
