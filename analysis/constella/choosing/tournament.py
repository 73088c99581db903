"""tournament.py: screening of all methods at large steps and a short horizon, rounds that keep the cheaper half at finer
steps and longer horizons, confirmation of the finalists from other starts. Every decision is a function of counted work,
of the stored constants and of the goal.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from . import ladder
from .field import TOLERANCE, Field, Key
from .judge import FAILS, MEETS, Judged, judge

SEED, HELD_OUT = 1, 2  # of the starts of the rounds, and of the confirmation
FACTOR = 8  # members of the confirmation over those of the rounds
SHARES = {"screening": 0.35, "rounds": 0.65, "confirmation": 1.0}  # of the budget that may be spent by then
NEAR = 3.0  # a method that costs more than so many times the cheapest is out
LOOSER = 1e-10
SHORTEST = 5  # times the system's, of a horizon
MARGIN = 0.8  # of what is allowed, for a change of which a drift is not excluded
COARSEST = 2  # steps in the shortest time of the system, at least
FEWEST, MOST, FINALISTS = 3, 8, 3


@dataclasses.dataclass
class Entry:
    """A method in the tournament. best: the cheapest key that does not fail; lost: why it is out; dear: the cost for which
    it is out, at which it comes back where the others turn out to cost more."""

    method: str
    best: Key | None = None
    cost: float = math.inf
    judged: Judged | None = None
    lost: str = ""
    order: float = math.nan
    dear: float = math.inf
    promised: int = 0  # the count that has this cost
    ran: bool = False
    rows: dict[Key, dict[str, Any]] = dataclasses.field(default_factory=dict)  # of the newest heat
    seen: dict[Key, tuple[Judged, float]] = dataclasses.field(default_factory=dict)  # of the newest heat


@dataclasses.dataclass
class Outcome:
    """winner: its entry, None: nothing meets the goal, or it is not shown. entries: all, by cost."""

    winner: Entry | None
    entries: list[Entry]
    horizon: float
    members: int
    rounds: list[dict[str, Any]]
    spent: float
    units: dict[str, float]


class Tournament:
    """units: what is left of the budget, in seconds of the constants (`left`)."""

    def __init__(self, field: Field, methods: list[str], members: int, units: dict[str, float], say: Callable[[str], None]) -> None:
        self.field, self.members, self.budget, self.say, self.units = field, members, units["left"], say, units
        self.entries = {m: Entry(m) for m in methods}
        self.plan = 0.0
        self.rounds: list[dict[str, Any]] = []

    @property
    def spent(self) -> float:
        """Planned seconds, and those by which studies were far from the plan."""
        return self.plan + self.field.runner.over

    # ---- what a heat tells

    def run(self, name: str, wanted: dict[str, list[int]], m: int, members: int, seed: int, tolerances: list[float], more: bool = False) -> None:
        """Runs a heat and updates the entries of its methods. more: it adds steps to those of the heat before."""
        last, f = name == "confirmation", self.field
        planned = self.planned(wanted, m, members, len(tolerances))
        f.room = max(self.budget - self.spent, 0.0)
        self.plan += planned
        fine = f.reference_row(m, members, seed)
        rows = f.heat(wanted, m, members, seed, tolerances, last)
        for method in wanted:
            e = self.entries[method]
            self.update(e, (e.rows if more else {}) | {k: r for k, r in rows.items() if k[0] == method}, fine)
        horizon = f.until / m
        told = [
            {"method": k[0], "step": f.until / k[1], "tolerance": k[2], "cost": c, "verdict": j.verdict, "share": j.share, "why": j.why}
            for method in wanted for k, (j, c) in sorted(self.entries[method].seen.items())
        ]  # fmt: skip
        self.rounds.append({"round": name, "horizon": horizon, "members": members, "seed": seed, "cases": told})
        alive = sum(e.best is not None for e in map(self.entries.get, wanted) if e)
        self.say(
            f"{name}: {len(rows)} candidates of {len(wanted)} methods until {horizon:g}, {members} starts: {alive} methods are left; "
            f"{self.spent:.3g} of {self.budget:.3g} s of computing planned, {f.runner.seconds:.3g} s used"
        )

    def update(self, e: Entry, rows: dict[Key, dict[str, Any]], fine: dict[str, Any]) -> None:
        f, e.rows, e.ran = self.field, rows, True
        e.seen = {k: (judge(f.goal, r, f.until, f.momenta, fine), f.cost(k, r) if not r.get("failed") else math.inf) for k, r in rows.items()}
        e.best, e.cost, e.judged = None, math.inf, None
        for tolerance in {k[2] for k in rows}:
            for key in sorted((k for k in rows if k[2] == tolerance), key=lambda k: -k[1]):  # from the finest on
                judged, cost = e.seen[key]
                if judged.verdict == FAILS:
                    break  # coarser steps that are right by chance do not count
                if cost < e.cost * 0.999 or (e.best and cost < e.cost * 1.001 and key[2] < e.best[2]):
                    e.best, e.cost, e.judged = key, cost, judged
        tight = sorted((k[1], j.share) for k, (j, _) in e.seen.items() if k[2] == min(x[2] for x in e.seen))
        shares = [(f.until / count, share) for count, share in tight if math.isfinite(share)]
        e.order = ladder.exponent([h for h, _ in shares], [s for _, s in shares])

    def planned(self, wanted: dict[str, list[int]], m: int, members: int, tolerances: int = 1) -> float:
        heads = sum(self.field.overhead(list(c), m, members) for c, _ in self.field.together(wanted, m) if c)
        return heads + self.field.price_of_fine(m, members) + tolerances * sum(self.field.price(x, ladder.fitting(c, m), m, members) for x, c in wanted.items())

    def longest(self, wanted: dict[str, list[int]], members: int, share: str, tolerances: int = 1, from_: int = 1) -> int:
        """The least m, of horizons T / m from `from_` on, that the budget allows."""
        room = SHARES[share] * self.budget - self.spent
        return next((m for m in ladder.divisors() if m >= from_ and self.planned(wanted, m, members, tolerances) <= room and self.fits(wanted, m)), 0)

    def longest_of_most(self, alive: list[Entry], wanted: dict[str, list[int]], members: int, share: str, tolerances: int, from_: int = 1) -> int:
        """The same; methods that cost most leave both until the budget allows any horizon."""
        m = self.longest(wanted, members, share, tolerances, from_)
        while not m and len(alive) > 1:
            wanted.pop(alive.pop().method)
            m = self.longest(wanted, members, share, tolerances, from_)
        return m

    def fits(self, wanted: dict[str, list[int]], m: int) -> bool:
        """Horizons are at least a few times that of the system, and all counts fit them."""
        long = m == 1 or self.field.until / m >= SHORTEST * self.field.scale.time
        return long and all(ladder.fitting(c, m) for c in wanted.values())

    # ---- the stages

    def screening(self) -> None:
        f = self.field
        first = 4 * f.until / f.scale.time
        counts = ladder.rungs(first, 3, 5)
        m = ladder.shortened(f.until, 10 * f.scale.time, counts[0])
        by_cost = sorted(self.entries, key=lambda x: (f.expected(x, counts[0]), x))
        for name, methods in (("screening", by_cost[: len(by_cost) // 2 + 1]), ("screening of dear methods", by_cost[len(by_cost) // 2 + 1 :])):
            wanted = {x: c for x in methods if (c := self.affordable(x, counts))}
            if not wanted:
                continue
            if self.spent + self.planned(wanted, m, self.members) > SHARES["screening"] * self.budget:
                m = self.longest(wanted, self.members, "screening", 1, m) or m
                wanted = self.paid(wanted, m, SHARES["screening"] * self.budget - self.spent, 0 if self.rounds else 1)
            if not wanted:
                continue
            self.run(name, wanted, m, self.members, SEED, [TOLERANCE])
        self.climb("larger steps", [x for x, e in self.entries.items() if e.best and not e.lost], m, [TOLERANCE], "screening")
        for _ in range(3):
            wanted = self.smaller_steps()
            if not wanted:
                break
            m = ladder.shortened(f.until, 10 * f.scale.time, min(c[0] for c in wanted.values()))
            wanted = self.paid(wanted, m, SHARES["screening"] * self.budget - self.spent)
            if not wanted:
                break
            self.run("smaller steps", wanted, m, self.members, SEED, [TOLERANCE])
        for e in self.entries.values():
            if not e.best and not e.lost:
                e.lost = self.failing(e)

    def affordable(self, method: str, counts: list[int]) -> list[int]:
        """Those at which the method does not cost far more than the cheapest so far."""
        possible = [x for x in counts if self.is_timed(method, x) or x == counts[-1]]
        c = [x for x in possible if self.field.expected(method, x) <= NEAR * self.least]
        if not c:
            e, cost = self.entries[method], self.field.expected(method, possible[0])
            e.dear, e.promised = cost, possible[0]
            e.lost = f"a step of {self.field.until / possible[0]:.4g}, the largest one, alone costs {cost / self.least:.3g} times the cheapest"
        return c

    def is_timed(self, method: str, count: int) -> bool:
        """Steps are no larger than the largest one that was timed. Larger ones may fail, or repeat what they do."""
        return self.field.until / count <= self.field.costs[method].h[0] * (1 + 1e-9)

    @property
    def least(self) -> float:
        return min((e.cost for e in self.entries.values() if e.best and not e.lost), default=math.inf)

    def failing(self, e: Entry) -> str:
        if not e.seen:
            return "its runs were stopped, since they take far longer than their counted work tells" if e.ran else "it was not run"
        key = max(e.seen)  # the finest
        return f"at step {self.field.until / key[1]:.4g} {e.seen[key][0].why}"

    def smaller_steps(self) -> dict[str, list[int]]:
        """For methods that fail at all steps so far: the counts at which their order promises the goal, unless these
        cost too much."""
        f, wanted = self.field, {}
        for e in (e for e in self.entries.values() if not e.best and not e.lost and e.seen):
            finest = max(k[1] for k in e.seen)
            share = e.seen[max(e.seen)][0].share
            if e.seen[max(e.seen)][0].final:
                e.lost = self.failing(e)
                continue
            if math.isfinite(share) and e.order <= 0.3:
                e.lost = f"{self.failing(e)}, and smaller steps do not help"
                continue
            factor = min(share ** (1 / e.order), 1e3) if math.isfinite(share) and e.order > 0 else 8.0 if not math.isfinite(share) else 2.0
            count = ladder.ALL[ladder.at_least(0.7 * factor * finest)]
            if f.expected(e.method, count) > NEAR * self.least and count > finest:
                e.dear, e.promised = f.expected(e.method, count), count
                told = f"order {e.order:.2g} promises the goal at a step of {f.until / (finest * factor):.2g}" if e.order > 0 else f"a step of {f.until / count:.2g}"
                e.lost = f"{self.failing(e)}; {told}, {f.expected(e.method, count) / self.least:.2g} times the cost of the cheapest"
                continue
            wanted[e.method] = [ladder.finer(max(count, ladder.finer(finest, 1)), k) for k in (0, 2, 4)]
        return wanted

    def paid(self, wanted: dict[str, list[int]], m: int, room: float, at_least: int = 0) -> dict[str, list[int]]:
        """The cheapest of them that fit the budget, and at least so many; the others are out."""
        kept: dict[str, list[int]] = {}
        for method in sorted(wanted, key=lambda x: (self.planned({x: wanted[x]}, m, self.members), x)):
            fits = self.planned({**kept, method: wanted[method]}, m, self.members) <= room and self.fits({method: wanted[method]}, m)
            if fits or len(kept) < at_least:
                kept[method] = wanted[method]
                continue
            e, count = self.entries[method], wanted[method][0]
            e.dear, e.promised = self.field.expected(method, count), count
            e.lost = f"{self.failing(e)}; {'smaller ' if e.seen else ''}steps of {self.field.until / count:.2g} are beyond the budget"
        return kept

    def keep(self, most: int) -> list[Entry]:
        """The cheapest methods, among them those that were out for a cost which is the least now."""
        for e in self.entries.values():
            if e.lost and e.dear < self.least < math.inf:
                e.lost, e.best, e.cost, e.dear = "", (e.method, e.promised, TOLERANCE), e.dear, math.inf
        alive = sorted((e for e in self.entries.values() if e.best and not e.lost), key=lambda e: (e.cost, e.method))
        return [e for e in alive[:most] if e.cost <= NEAR * alive[0].cost]

    def halving(self) -> None:
        """Rounds with rising horizons."""
        played = 0
        places: tuple[int, ...] = (-2, -1, 0, 1, 2, 3, 6)
        most, m = MOST, 0
        while True:
            alive = self.keep(most)
            if not alive:
                return
            wanted = {e.method: self.around(e, places) for e in alive}
            tolerances = [TOLERANCE] if len(alive) > FINALISTS else [TOLERANCE, LOOSER]
            target = max(1, m // 10) if m else ladder.shortened(self.field.until, 100 * self.field.scale.time, min(min(c) for c in wanted.values()))
            now = self.longest_of_most(alive, wanted, self.members, "rounds", len(tolerances), target)
            if not now or (m and now >= m):
                return
            m, played = now, played + 1
            self.run(f"round {played}", wanted, m, self.members, SEED, tolerances)
            self.climb(f"round {played}, larger steps", list(wanted), m, tolerances, "rounds")
            self.deeper([e for e in alive if not e.best], m)
            places, most = (0, 1, 2, 3, 5), max(FEWEST, math.ceil(len(alive) / 2))
            if m == 1 and len(alive) <= FINALISTS:
                return

    def around(self, e: Entry, places: tuple[int, ...]) -> list[int]:
        """Counts near the best one; coarser ones too where it is the coarsest that was tried. Steps larger than those that were
        timed are left to `climb`."""
        count = e.best[1]  # type: ignore[index]
        wider = (-3, -2, -1) if e.seen and count == min(k[1] for k in e.seen) else ()
        return sorted({c for k in (*wider, *places) if (c := ladder.finer(count, k)) >= self.coarsest and self.is_timed(e.method, c) or k >= 0})

    @property
    def coarsest(self) -> float:
        return COARSEST * self.field.until / self.field.scale.time

    def climb(self, name: str, methods: list[str], m: int, tolerances: list[float], share: str) -> None:
        """Larger steps than those that were timed, one after another, while they do not fail and cost less: a step that fails
        may cost as much as thousands that do not."""
        while True:
            wanted = {x: [c] for x in methods if (c := self.larger(self.entries[x], m))}
            if not wanted or self.spent + self.planned(wanted, m, self.members, len(tolerances)) > SHARES[share] * self.budget:
                return
            self.run(name, wanted, m, self.members, SEED, tolerances, True)
            methods = [x for x, c in wanted.items() if (best := self.entries[x].best) and best[1] == c[0]]

    def larger(self, e: Entry, m: int) -> int:
        """The next coarser count than the coarsest, if that is the best; 0: there is none."""
        if not e.best or not e.judged or e.best[1] != min(k[1] for k in e.seen):
            return 0
        if e.judged.share * 1.25 ** (e.order if e.order > 1 else 1) > 1:
            return 0  # its order tells that it fails
        finer = (ladder.finer(e.best[1], -k) for k in (1, 2, 3))
        return next((c for c in finer if self.coarsest <= c < e.best[1] and ladder.fitting([c], m)), 0)

    def deeper(self, failed: list[Entry], m: int) -> None:
        """Smaller steps of methods that a longer horizon has refuted, as far as they may still be cheap."""
        wanted = self.paid(self.smaller_steps(), m, SHARES["rounds"] * self.budget - self.spent)
        if wanted:
            self.run("smaller steps", wanted, m, self.members, SEED, [TOLERANCE])
        for e in failed:
            e.lost = "" if e.best else e.lost or self.failing(e)

    def confirmation(self) -> tuple[Entry | None, float, int]:
        """The cheapest that meets the goal from starts that were held out, as many as the budget allows."""
        found: tuple[Entry | None, float, int] = (None, 0.0, 0)
        for factor in (1,) if self.field.fixed else (FACTOR, FACTOR // 4, 1):
            found = self.confirmed(factor * self.members)
            if found[1]:
                break
        return found

    def confirmed(self, members: int) -> tuple[Entry | None, float, int]:
        """The same with so many starts; a horizon of 0: the budget does not allow it."""
        m, places = 0, (0, 1, 2)
        horizon = 0.0
        for _ in range(6):
            alive = self.keep(FINALISTS)
            if not alive:
                break
            wanted = {e.method: sorted({ladder.finer(e.best[1], k) for k in places}) for e in alive if e.best}
            tolerances = sorted({e.best[2] for e in alive if e.best})
            m = self.longest_of_most(alive, wanted, members, "confirmation", len(tolerances))
            if not m:
                break
            horizon = self.field.until / m
            before = {e.method: e.best for e in alive}
            self.run("confirmation", wanted, m, members, HELD_OUT, tolerances)
            for e in alive:
                self.shown(e)
            met = sorted((e for e in alive if e.judged and e.judged.verdict == MEETS), key=lambda e: (e.cost, e.method))
            if met:
                return met[0], self.field.until / m, members
            for e in alive:
                e.best, e.lost = e.best or (e.method, ladder.finer(before[e.method][1], 4), before[e.method][2]), ""  # type: ignore[index]
                e.cost = e.cost if math.isfinite(e.cost) else self.field.expected(e.method, e.best[1])
            places = (1, 3, 5)
        return None, horizon, members

    def shown(self, e: Entry) -> None:
        """After a confirmation only what meets the goal counts, not what does not fail; and larger steps of which the run is only too
        short to exclude the drift that it excludes at that one, since this depends on how long it could be."""
        met = [k for k, (j, _) in e.seen.items() if j.verdict == MEETS]
        fine = [k for k in met if all(j.verdict == MEETS for x, (j, _) in e.seen.items() if x[2] == k[2] and x[1] >= k[1])]
        if not fine:
            return
        shown = e.best = min(fine, key=lambda k: (e.seen[k][1], k[2]))
        e.judged, e.cost = e.seen[shown]
        for key in sorted((k for k in e.seen if k[2] == shown[2] and k[1] < shown[1]), key=lambda k: -k[1]):
            judged, cost = e.seen[key]
            if judged.short > MARGIN:
                return
            if cost < e.cost:
                said = f"{judged.why}, but does at a step of {self.field.until / shown[1]:.4g}"
                e.best, e.cost, e.judged = key, cost, Judged(MEETS, judged.short, said)

    def play(self) -> Outcome:
        self.screening()
        self.halving()
        winner, horizon, members = self.confirmation()
        order = sorted(self.entries.values(), key=lambda e: (e is not winner, e.cost, e.method))
        return Outcome(winner, order, horizon, members, self.rounds, self.spent, self.units)


__all__ = ["Entry", "Outcome", "Tournament"]
