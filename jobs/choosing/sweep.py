#!/usr/bin/python3
"""sweep.py: is the advice of `constella choose` the cheapest? An exhaustive sweep of what is cheaper, and fresh starts.

    jobs/choosing/sweep.py CHOICE.json [--starts 100] [--seconds 600]

runs all methods that fit at all steps, a factor 1.25 apart, that cost at most 1.05 times the advice by its constants, until the
goal's horizon, from other starts than those of the choice (seed 3); and the advice from --starts further ones (seed 4).
Prints the cheapest that meets the goal, the ratio of the advice to it, and the share of the fresh starts that meet it.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

from constella.choosing import candidates, choice, goal, ladder  # noqa: E402
from constella.choosing.command import opened, timed  # noqa: E402
from constella.choosing.field import TIMING, Field  # noqa: E402
from constella.choosing.heats import Runner  # noqa: E402
from constella.choosing.judge import FAILS, MEETS, judge  # noqa: E402
from constella.choosing.scale import Scale  # noqa: E402


def field_of(told, part):
    """The field of that choice, with its constants."""
    asked = told["asked"]
    name = asked["system"] if isinstance(asked["system"], str) else asked["system"].get("file", asked["system"].get("name"))
    system, _ = opened(name)
    known = {json.dumps(s["study"], sort_keys=True): s["rows"] for s in timed(told)}
    field = Field(asked["system"], asked["initial"], goal.parse(asked["goal"]), told["answer"]["until"], Scale(**told["scale"]),
                  list(system.symmetries), Runner(known, lambda *_: None, part, False))
    field.calibrate(told["seconds_of_steps"], asked["members"], 2 * TIMING / 3 * asked["budget"])
    methods = list(field.costs)
    field.reference = candidates.reference_of(methods, system)
    return field, methods


def cheaper(field, methods, cost):
    """{method: counts} that cost no more, a factor 1.25 apart, from two steps in the system's time on."""
    first = ladder.at_least(2 * field.until / field.scale.time)
    found = {m: [c for c in ladder.ALL[first : first + 60] if field.expected(m, c) <= 1.05 * cost] for m in methods}
    return {m: c for m, c in found.items() if c}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("choice", type=pathlib.Path)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=600, help="planned; the horizon of the sweep is made shorter for it")
    given = parser.parse_args()
    told = choice.read(given.choice)
    best = told["answer"]["recommended"]
    if not best:
        print("nothing was recommended")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        field, methods = field_of(told, pathlib.Path(folder) / "sweep.h5")
        wanted = cheaper(field, methods, best["cost"])
        price = lambda m: sum(field.price(x, ladder.fitting(c, m), m, 8) for x, c in wanted.items())  # noqa: E731
        m = next(m for m in ladder.divisors() if price(m) <= given.seconds)
        rows = field.heat(wanted, m, 8, 3, [best["tolerance"]])
        fine = field.reference_row(m, 8, 3)
        found = []
        for key, row in rows.items():
            judged = judge(field.goal, row, field.until if m == 1 else float(row["end"]), field.momenta, fine)
            found.append((field.cost(key, row) if not row["failed"] else float("inf"), key, judged))
        met = sorted((c, k) for c, k, j in found if j.verdict == MEETS)
        mine = (best["method"], best["count"], best["tolerance"])
        failing = [j for _, k, j in found if k == mine and j.verdict == FAILS]
        print(f"sweep     {len(rows)} candidates until {field.until / m:g} of {field.until:g}; {len(met)} meet the goal; the advice {'FAILS there' if failing else 'does not fail there'}")
        print(f"advice    {best['method']}, step {best['step']:g}: {best['cost']:.4g} s")
        if met:
            print(f"cheapest  {met[0][1][0]}, step {field.until / met[0][1][1]:g}: {met[0][0]:.4g} s; the advice costs {best['cost'] / met[0][0]:.3g} times as much")
        good = fresh(field, mine, given.starts, max(m, round(field.until / told["answer"]["horizon"])))
        print(f"starts    {good} of {given.starts} fresh starts meet the goal")
    return 0


def fresh(field, key, starts, m):
    """How many of so many starts meet the goal: each alone, as a study of one member."""
    good = 0
    for k in range(starts):
        row = field.heat({key[0]: [key[1]]}, m, 1, 1000 + k, [key[2]], True)[key]
        good += judge(field.goal, row, float(row["end"]), field.momenta, field.reference_row(m, 1, 1000 + k)).verdict == MEETS
    return good


if __name__ == "__main__":
    sys.exit(main())
