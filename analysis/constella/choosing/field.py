"""field.py: the system, its starts, the cost of methods, and the studies that a heat consists of."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import math
import os
from typing import Any

import numpy as np

from . import ladder
from .goal import Goal
from .heats import Runner
from .judge import observable, value
from .scale import SPREAD, Scale, rounded

Key = tuple[str, int, float]  # method, count of the whole run, tolerance
TOLERANCE = 1e-14
TIMED = [20, 80, 320]  # steps, in five times that of the system
TIMING = 0.3  # of the budget; a third of it for what may be timed at all
TOGETHER = 8  # methods that are timed in one study, at most, if the start is no trouble to them
COMPILED = 30.0  # seconds of a budget from which on steps are compiled; four times these where the goal needs two kinds of studies
COMPILING = 0.4  # of the budget
DEARER = 2.0  # times its rough estimate takes the compiler
ROUNDS = 3  # of timed runs, some seconds apart: what disturbs one of them lasts longer than its repeats
QUICKEST = 7  # methods that tell how long a run takes to begin
REPEATS = 2.0  # times the time of a unit, above which steps are repeated
QUICK = 0.02  # seconds of the timed runs of a method, repeats included, if one takes less
SHORTEST = 2.0  # seconds that a timed study may take at least
START = 0.1  # seconds that a study takes to start and to conclude
LIMIT, SPARE = 2.0, 1.0  # times what is planned, and seconds more, after which a study is stopped
REFERENCE = "gauss(8)"
QUAD_BELOW = 1e-10  # errors for which the reference is in quadruple precision
QUAD = 40.0  # times the cost of a step in quadruple precision


def units_of(row: dict[str, Any]) -> float:
    """Evaluations and iterations of a step."""
    return (value(row, "evaluations") + value(row, "iterations")) / value(row, "steps")


@dataclasses.dataclass
class Costs:
    """Of a method at calibrated steps h, descending: seconds of a unit of counted work, one evaluation or iteration, of a
    trajectory in a batch, and units of a step. They depend on the step where the solver begins to repeat steps. look:
    seconds of observing one state. Measured once."""

    h: list[float]
    seconds: list[float]
    units: list[float]
    look: float

    def at(self, h: float) -> tuple[float, float]:
        """(seconds of a unit, units of a step), interpolated in log h."""
        x = -np.log(self.h)
        return float(np.interp(-math.log(h), x, self.seconds)), float(np.interp(-math.log(h), x, self.units))


def timed_well(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [dict(r) for r in rows if not r.get("failed") and value(r, "cpu_seconds") > 0 and units_of(r) > 0]


def quicker(rows: dict[str, list[dict[str, Any]]], again: list[dict[str, Any]]) -> None:
    """Sets times that another run of the same steps has found shorter."""
    for r in again:
        for mine in (x for x in rows[r["method"]] if x["step"] == r["step"]):
            if value(r, "cpu_seconds") < value(mine, "cpu_seconds"):
                mine |= {k: r[k] for k in ("cpu_seconds", "rate")}


def fitted(rows: list[dict[str, Any]], before: float) -> Costs:
    """rows: of one method, coarse to fine, which ended well; before: seconds that a run takes to begin. A unit costs the same at
    all steps, what the longest run tells, but where the solver repeats steps."""
    took = [max(value(r, "cpu_seconds") - before, 0.2 * value(r, "cpu_seconds")) for r in rows]
    units = [units_of(r) for r in rows]
    unit = [t / (u * value(r, "steps")) for t, u, r in zip(took, units, rows)]
    look = max(0.0, 1 / value(rows[-1], "rate") - value(rows[-1], "cpu_seconds") / value(rows[-1], "steps"))
    return Costs([r["step"] for r in rows], [x if x > REPEATS * unit[-1] else unit[-1] for x in unit], units, look)


def beginning(rows: dict[str, list[dict[str, Any]]]) -> float:
    """Seconds of a run that its steps do not take: the median of what the two longest runs tell of each of the quickest methods.
    Those of 20 steps of such a method are no more."""
    found = []
    for of in sorted((r for r in rows.values() if len(r) == len(TIMED)), key=lambda r: value(r[-1], "cpu_seconds"))[:QUICKEST]:
        (t, w), (t_long, w_long) = ((value(r, "cpu_seconds"), units_of(r) * value(r, "steps")) for r in of[-2:])
        if w_long > w:
            found.append(max(0.0, t - (t_long - t) / (w_long - w) * w))
    return sorted(found)[len(found) // 2] if found else 0.0


def kinds(goal: Goal) -> list[str]:
    """Of studies that a goal needs, whose code differs by that of the reference. The last one is timed."""
    return ["conservation"] * bool(goal.drifts) + ["work-precision"] * bool(goal.of("position"))


def least_compiled(goal: Goal) -> float:
    """Seconds of a budget from which on steps are compiled."""
    return COMPILED * len(kinds(goal)) ** 2


def compiling(budget: float, goal: Goal) -> float:
    """Seconds of a budget for the compiler, whose code long studies have; 0: steps are those of general code."""
    return COMPILING * budget if budget >= least_compiled(goal) else 0.0


@dataclasses.dataclass(frozen=True)
class Code:
    """What is compiled for the steps of a method: cores, and the seconds that this takes, roughly; 0: nothing is."""

    cores: str
    seconds: float


class Field:
    """What the studies of a tournament share. costs: by method."""

    def __init__(self, system: Any, initial: dict[str, Any], goal: Goal, until: float, scale: Scale, momenta: list[str], runner: Runner) -> None:
        self.system, self.initial, self.goal, self.until, self.scale = system, initial, goal, until, scale
        self.momenta, self.runner = momenta, runner
        self.costs: dict[str, Costs] = {}
        self.fine: dict[tuple[int, int, int], dict[str, Any]] = {}
        self.reference = ""
        self.fine_seconds = 0.0  # of a step of the reference that errors are taken against, of a batch
        self.room = math.inf  # seconds that the studies of a heat may take
        self.compiling = 0.0  # seconds for the compiler; 0: all steps are those of general code
        self.code: dict[str, Code] = {}  # of methods, where it is compiled

    # ---- starts

    def starts(self, members: int, seed: int) -> dict[str, Any]:
        """`initial` of a study: members around the start, or the given table of starts."""
        if self.fixed:
            return self.initial
        spread = {"q": rounded(SPREAD * self.scale.near), "v": rounded(SPREAD * self.scale.v)}
        return {"spread": {k: x for k, x in spread.items() if x > 0}, **self.initial, "members": members, "seed": seed}

    @property
    def fixed(self) -> bool:
        """The starts are a table, from which none can be held out."""
        return any(k in self.initial for k in ("csv", "list", "grid", "from"))

    # ---- costs

    def cores(self, method: str) -> str:
        """What is compiled for it. Methods of one study have the same, so that each is compiled once."""
        return self.code[method].cores if method in self.code else ""

    def groups(self, seconds: dict[str, list[float | None]]) -> list[tuple[list[str], list[int]]]:
        """(methods, counts) that are timed together, the cheapest first. seconds: of steps, the smallest first."""
        sizes = {m: [c for c, x in zip(reversed(TIMED), s) if x] for m, s in seconds.items()}
        price = {m: sum(c * x for c, x in zip(reversed(TIMED), s) if x) for m, s in seconds.items()}
        made: list[tuple[list[str], list[int]]] = []
        for method in sorted((m for m in seconds if sizes[m]), key=lambda m: (self.cores(m), len(sizes[m]), price[m], m)):
            last = made[-1] if made else ([], [])
            apart = min(len(sizes[method]), len(last[1])) < len(TIMED) or len(last[0]) == TOGETHER
            if apart or self.cores(method) != self.cores(last[0][0]):
                made.append(([], sizes[method][::-1]))
            made[-1][0].append(method)
        return sorted(made, key=lambda g: (max(price[m] for m in g[0]), g[0]))

    def compiled(self, seconds: dict[str, list[float | None]], members: int) -> dict[str, str]:
        """Compiles what methods need, that of the cheapest first, each in a study of its own, until the seconds for the compiler
        are used: {method: why there is no code for it}."""
        price = {m: min(x * c for c, x in zip(reversed(TIMED), s) if x) for m, s in seconds.items() if any(s)}
        by_code: dict[str, list[str]] = {}
        for method in sorted(price, key=lambda m: (price[m], m)):
            by_code.setdefault(self.cores(method), []).append(method)
        end, left = self.runner.seconds + self.compiling, {}
        for methods in by_code.values():
            foretold = DEARER * self.code[methods[0]].seconds
            for kind in kinds(self.goal) if foretold else ():
                room = end - self.runner.seconds
                study = self.timed(kind, methods[:1], [TIMED[0]], members, 1)
                if not self.runner.run(study, self.quantities, room if room > foretold else -1.0):
                    left |= {m: "compiling the code of its steps is beyond the budget" for m in methods}
                    break
        return left

    def timed(self, kind: str, methods: list[str], counts: list[int], members: int, repeats: int) -> dict[str, Any]:
        end = 5 * self.scale.time
        study = self.common(kind, methods, counts, end, members, 1) | {"timing": {"repeats": repeats}}
        if kind == "work-precision":
            study |= {"reference": {"method": REFERENCE, "step": end / TIMED[0]}, "accuracy": "q"}
        if self.compiling:
            study["system"] = {**(self.system if isinstance(self.system, dict) else {"name": self.system}), "compile": "always"}
        return study

    @staticmethod
    def repeats(methods: list[str], counts: list[int], seconds: dict[str, list[float | None]]) -> int:
        """Of timed runs, of which the quickest counts: more of short ones, which a busy machine disturbs most."""
        took = max(sum(c * x for c, x in zip(reversed(TIMED), seconds[m]) if x and c in counts) for m in methods)
        return int(min(30, max(3, QUICK / took)))

    def calibrate(self, seconds: dict[str, list[float | None]], members: int, room: float) -> dict[str, str]:
        """Timed runs of methods at up to three steps, until the room, in seconds, is used: {method: why it has no costs}. Those
        that fail at all steps have none without a reason. Solvers that fail at a start may take any time: a study that takes a
        part of the room is stopped; its methods are timed alone after the others, then at small steps."""
        left = self.compiled(seconds, members) if self.compiling else {}
        seconds = {m: x for m, x in seconds.items() if m not in left}
        kind = kinds(self.goal)[-1] if self.compiling else "conservation"
        rows: dict[str, list[dict[str, Any]]] = {}
        queue, end = self.groups(seconds), self.runner.seconds + room

        def run(methods: list[str], counts: list[int], limit: float, round_: int) -> list[dict[str, Any]]:
            study = self.timed(kind, methods, counts, members, self.repeats(methods, counts, seconds) + round_)
            return self.runner.run(study, self.quantities, limit)

        timed: list[tuple[list[str], list[int]]] = []
        tried = 0
        for methods, counts in queue:  # it grows
            limit = min(end - self.runner.seconds, max(room / 8, SHORTEST))
            if not rows and tried < 3:
                limit = max(limit, 2 * SHORTEST)  # one method at least is timed
            tried += 1
            found = run(methods, counts, limit, 0)
            if not found and len(methods) > 1:
                queue += [([m], counts) for m in methods]
            elif not found and len(counts) > 1:
                queue.append((methods, counts[-1:]))
            elif not found:
                left |= {m: "timing its steps is beyond the budget" for m in methods}
            else:
                timed.append((methods, counts))
                rows |= {m: timed_well([r for r in found if r["method"] == m]) for m in methods}
        for round_ in range(1, ROUNDS):
            for methods, counts in timed:
                quicker(rows, run(methods, counts, min(end - self.runner.seconds, room / 8), round_))
        good = {m: r for m, r in rows.items() if r}
        before = beginning(good)
        self.costs = {m: fitted(r, before) for m, r in good.items()}
        return left

    def cost(self, key: Key, row: dict[str, Any]) -> float:
        """Counted work of a trajectory until the horizon, in seconds of the constants."""
        return key[1] * self.costs[key[0]].at(self.until / key[1])[0] * units_of(row)

    def expected(self, method: str, count: float) -> float:
        seconds, units = self.costs[method].at(self.until / count)
        return count * seconds * units

    def price_of_fine(self, m: int, members: int) -> float:
        """Seconds that the fine run, which averages are compared with, is planned to take."""
        if not self.goal.averages or self.reference not in self.costs:
            return 0.0
        return START + members * self.expected(self.reference, self.fine_count(m)) / m

    def fine_count(self, m: int) -> int:
        count = ladder.ALL[ladder.at_least(40 * self.until / self.scale.time)]
        while count % m:
            count = ladder.finer(count, 1)
        return count

    def price(self, method: str, counts: list[int], m: int, members: int) -> float:
        """Seconds that such a heat is planned to take."""
        return self.price_of_one(method, counts, m, members) * (2 if self.goal.of("position") and self.goal.drifts else 1)

    def price_of_one(self, method: str, counts: list[int], m: int, members: int) -> float:
        """The same of one of its studies."""
        look = self.costs[method].look
        return sum(members * (self.expected(method, c) / m + look * c / m / max(1, min(15, c / m / 1024))) for c in counts)

    def fine_step(self, counts: list[int], m: int) -> float:
        """The step of the reference that errors of runs of T / m with these counts are taken against."""
        end = self.until / m
        return end / max(counts[0] // m, ladder.ALL[ladder.at_least(25 * end / self.scale.time)])

    def price_of_reference(self, counts: list[int], m: int, members: int) -> float:
        """Seconds of that reference, which is made with its own step and a half of it; 0: the goal needs none."""
        aim = self.goal.of("position")
        if not aim:
            return 0.0
        steps = 3 * self.until / m / self.fine_step(counts, m)
        return steps * members * self.fine_seconds * (QUAD if aim.limit < QUAD_BELOW else 1)

    def overhead(self, counts: list[int], m: int, members: int) -> float:
        """Seconds of the studies of such a heat beside the steps of its methods."""
        kinds = bool(self.goal.drifts) + bool(self.goal.of("position"))
        return START * kinds + self.price_of_reference(counts, m, members)

    # ---- studies

    @property
    def quantities(self) -> list[str]:
        own = [observable(k, p) for k, p in enumerate(self.goal.parts) if p.word in ("average", "temperature")]
        return ["energy", "constraint", *(self.momenta if self.goal.of("momentum") else []), *own]

    def observables(self) -> list[str]:
        given = ["energy"] + ["momentum"] * bool(self.goal.of("momentum"))
        given += ["constraint"] * bool(self.goal.of("constraint"))
        for k, p in enumerate(self.goal.parts):
            if p.word == "temperature":
                given.append("temperature")
            if p.word == "average":
                given.append(f"{observable(k, p)}: {p.expression}")
        return given

    def common(self, kind: str, methods: list[str], counts: list[int], end: float, members: int, seed: int) -> dict[str, Any]:
        study: dict[str, Any] = {
            "study": kind, "system": self.system, "initial": self.starts(members, seed), "end": end,
            "steps": {"counts": counts}, "methods": methods, "observables": self.observables(), "samples": {"count": 0},
        }  # fmt: skip
        return study | ({"burn-in": 0} if self.goal.averages and kind == "conservation" else {})

    def studies(self, methods: list[str], counts: list[int], m: int, members: int, seed: int, tolerances: list[float], last: bool) -> list[dict[str, Any]]:
        """Of the kinds that the goal needs. counts: of the whole run, all divided by m. last: errors are taken at every step,
        not only at the end."""
        end, short = self.until / m, [c // m for c in counts]
        solver = {"solver": {"tolerance": tolerances}} if tolerances != [TOLERANCE] else {}
        made = []
        if self.goal.drifts:
            made.append(self.common("conservation", methods, short, end, members, seed) | solver)
        if self.goal.of("position"):
            of = {"reference": {"method": REFERENCE, "step": self.fine_step(counts, m)}, "error": {"over": "mesh" if last else "end"}, "accuracy": "q", "observables": [x for x in self.observables() if x in ("energy", "constraint")]}
            if self.goal.of("position").limit < QUAD_BELOW:  # type: ignore[union-attr]
                of["reference"]["precision"] = "quad"  # type: ignore[index]
            made.append(self.common("work-precision", methods, short, end, members, seed) | of | solver)
        return made

    def heat(self, wanted: dict[str, list[int]], m: int, members: int, seed: int, tolerances: list[float], last: bool = False) -> dict[Key, dict[str, Any]]:
        """The rows of methods at counts, those with like counts and code in one study."""
        found: dict[Key, dict[str, Any]] = {}
        end = self.runner.over + self.room
        for steps, methods in self.together(wanted, m):
            if steps:
                found |= self.rows(methods, list(steps), (m, members, seed), tolerances, last, end)
        return found

    def together(self, wanted: dict[str, list[int]], m: int) -> list[tuple[tuple[int, ...], list[str]]]:
        """(counts, methods) of the studies of such a heat."""
        groups: dict[tuple[tuple[int, ...], str], list[str]] = {}
        for method, counts in wanted.items():
            groups.setdefault((tuple(ladder.fitting(counts, m)), self.cores(method)), []).append(method)
        return [(steps, methods) for (steps, _), methods in groups.items()]

    def rows(self, methods: list[str], steps: list[int], at: tuple[int, int, int], tolerances: list[float], last: bool, end: float) -> dict[Key, dict[str, Any]]:
        """Of methods at counts, at = m, members, seed. Where they take far longer than their counted work tells, as steps do that
        the solver repeats and gives up, each method is run alone, then its steps, from the finest on, until one takes so long.
        end: no more is run once the overruns have reached it."""
        m, members, _ = at
        planned = self.overhead(steps, m, members) + len(tolerances) * sum(self.price_of_one(x, steps, m, members) for x in methods)
        found: dict[Key, dict[str, Any]] = {}
        for study in self.studies(methods, steps, *at, tolerances, last):
            rows = self.runner.run(study, self.quantities, min(LIMIT * planned + SPARE, max(SPARE, end - self.runner.over)), planned)
            for row in rows:
                count = min(steps, key=lambda c: abs(self.until / c - row["step"]))
                key = (row["method"], count, row["tolerance"])
                found[key] = {**row, **found.get(key, {})}  # the first kind's work counts
            if not rows:
                return self.apart(methods, steps, at, tolerances, last, end)
        return found

    def apart(self, methods: list[str], steps: list[int], at: tuple[int, int, int], tolerances: list[float], last: bool, end: float) -> dict[Key, dict[str, Any]]:
        parts = [([x], steps) for x in methods] if len(methods) > 1 else [(methods, [c]) for c in sorted(steps, reverse=True)] if len(steps) > 1 else []
        found: dict[Key, dict[str, Any]] = {}
        for some, counts in parts:
            rows = self.rows(some, counts, at, tolerances, last, end) if self.runner.over < end else {}
            if len(methods) == 1 and not rows:
                break
            found |= rows
        return found

    def reference_row(self, m: int, members: int, seed: int) -> dict[str, Any]:
        """The fine run that averages are compared with; of a bath its temperature, exactly."""
        if not self.goal.averages:
            return {}
        at = (m, members, seed)
        if at not in self.fine:
            count = self.fine_count(m)
            study = self.common("conservation", [self.reference], [count // m], self.until / m, members, seed)
            row = dict(self.runner.run(study, self.quantities)[0])
            if self.goal.bath:
                row |= {"temperature_mean": self.goal.bath, "temperature_error": 0.0}
            self.fine[at] = row
        return self.fine[at]


def located(system: Any, folder: str) -> Any:
    """`system` of a study, with its file relative to the folder of that study."""
    if isinstance(system, dict) and "file" in system:
        return {**system, "file": os.path.relpath(system["file"], folder or ".")}
    return system
