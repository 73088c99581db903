"""limits.py: what keeps a goal from being met, and what would overturn an advice."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import math
from typing import Any

from .field import Field
from .judge import FAILS, OPEN
from .tournament import Entry, Outcome


MOST = 0.2  # of the budget, for a map of tolerances


def nearest(outcome: Outcome) -> Entry | None:
    """The method that comes closest to the goal."""
    def share(e: Entry) -> tuple[float, float, float]:
        least = min((j.share for j, _ in e.seen.values()), default=math.inf)
        return (e.best is None, e.cost if e.best else least, least)

    seen = [e for e in outcome.entries if e.seen]
    return min(seen, key=share) if seen else None


def looser_changes(field: Field, e: Entry, count: int, m: int, members: int) -> float:
    """The share with a tolerance of 1e-11 over that with 1e-14, at one step."""
    from .judge import judge

    fine = field.reference_row(m, members, 1)
    rows = field.heat({e.method: [count]}, m, members, 1, [1e-14, 1e-11])  # none: it takes too long
    shares = [judge(field.goal, rows[k], field.until, field.momenta, fine).share for k in sorted(rows, key=lambda k: k[2])]
    return shares[1] / shares[0] if len(shares) == 2 and shares[0] > 0 else math.nan


def limiting(field: Field, outcome: Outcome) -> dict[str, Any]:
    """The best candidate and its limit: chaos, sampling, truncation, solver, round-off, budget."""
    e = nearest(outcome)
    if e is None:
        stopped = any(e.ran for e in outcome.entries)
        return {"method": None, "word": "budget" if stopped else "failure", "why": "every method fails from the start"}
    seen = e.seen
    key = min(seen, key=lambda k: (seen[k][0].verdict == FAILS, seen[k][1] if seen[k][0].verdict != FAILS else seen[k][0].share))
    judged = e.seen[key][0]
    told = {"method": e.method, "step": field.until / key[1], "share": judged.share, "why": judged.why}
    if judged.verdict == OPEN:
        word = "chaos" if "reference" in judged.why else "sampling" if "sampl" in judged.why or "its error" in judged.why else "budget"
        return told | {"word": word}
    if judged.verdict != FAILS:
        return told | {"word": "budget"}
    if not math.isfinite(judged.share):
        return told | {"word": "failure"}
    if e.order > 0.5 and key == max(e.seen):
        step = field.until / key[1] / judged.share ** (1 / e.order)
        return told | {"word": "truncation", "order": e.order, "promised_step": step, "seconds": field.expected(e.method, round(field.until / step))}
    m = max(1, round(field.until / outcome.rounds[-1]["horizon"]))
    key = min((k for k in seen if seen[k][0].share <= 2 * judged.share), key=lambda k: k[1])  # as near, at less cost
    if 2 * field.price(e.method, [key[1]], m, 8) > min(MOST * outcome.units["left"], outcome.units["left"] - outcome.spent):
        return told | {"word": "budget"}
    changes = looser_changes(field, e, key[1], m, 8)
    return told | {"word": "solver" if changes > 3 else "round-off", "changes": changes}


SAID = {
    "chaos": "chaos: the reference itself is not known to what the goal allows, since the motion amplifies round-off",
    "sampling": "sampling: the run is too short, or has too few starts, for its means",
    "budget": "the budget: longer runs are needed to show it",
    "failure": "failing trajectories",
    "truncation": "truncation: smaller steps help, at their cost",
    "solver": "the solver: a looser tolerance makes it worse in proportion, and the tightest is used",
    "round-off": "round-off: neither smaller steps nor a tighter solver help",
}


def overturning(field: Field, outcome: Outcome) -> list[str]:
    """What would change the advice, in words, from the numbers of this choice."""
    w = outcome.winner
    found: list[str] = []
    if w is None or w.judged is None:
        return found
    rivals = sorted((e for e in outcome.entries if e is not w and math.isfinite(e.cost) and e.cost > 0), key=lambda e: e.cost)
    if rivals:
        ratio = rivals[0].cost / w.cost
        found.append(f"cost constants that differ from those of this machine by a factor {ratio:.3g}: then {rivals[0].method} is cheaper")
    found.append(f"starts farther from these: the largest share of what the goal allows is {w.judged.share:.2g} over {outcome.members} starts")
    if outcome.horizon < field.until * 0.999:
        found.append(f"a drift that begins after {outcome.horizon:g}, where the confirmation ended; the rest is the drift that it does not exclude")
    return found
