#!/usr/bin/python3
"""sweep.py: is the recommendation of `constella choose` the cheapest? An exhaustive sweep of what is cheaper, and fresh starts.

    jobs/choosing/sweep.py CHOICE.json [--starts 100] [--seconds 1200] [--found FOUND.json]

runs all methods that were timed, at all steps, a factor 1.25 apart, that may cost at most 1.05 times the recommendation, with both
tolerances, until the goal's horizon, from other starts than those of the choice (seed 3), the methods with the cheapest steps first,
until --seconds of the processor are used; and the recommendation itself, also from --starts further ones. Prints the cheapest that meets the goal, the
ratio of the recommendation to it, and the share of the fresh starts that meet it. What is known is kept in --found (CHOICE.sweep.json),
and not run again. --anew SECONDS: costs are not those of the choice, but measured again, of compiled steps of all methods that
fit the system, with so many seconds for the compiler and twice as many for the timed runs; with one --found several choices
are judged by the same costs.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

from constella.choosing import candidates, choice, goal, ladder  # noqa: E402
from constella.choosing.command import codes, opened, start_of, timed  # noqa: E402
from constella.choosing.field import TIMED, TIMING, Field, compiling  # noqa: E402
from constella.choosing.heats import Runner  # noqa: E402
from constella.choosing.judge import MEETS, judge  # noqa: E402
from constella.choosing.scale import Scale, seconds_of_steps  # noqa: E402


LOOSER = 1.6  # times the cost of 1e-10, at most, is that of 1e-14
LONGEST = 3600.0  # seconds of one study
SEED, FRESH = 3, 1000  # of the starts of the sweep, and of the first fresh one


class Kept:
    """What was run, in a file. steps: seconds of single steps, of --anew."""

    def __init__(self, path):
        self.path, self.rows, self.steps = path, {}, {}
        if path.exists():
            told = json.loads(path.read_text())
            self.rows = {json.dumps(s["study"], sort_keys=True): s["rows"] for s in told["studies"]}
            self.steps = told["steps"]

    def add(self, *_):
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({"steps": self.steps, "studies": [{"study": json.loads(t), "rows": r} for t, r in self.rows.items()]}))
        part.replace(self.path)


def field_of(told, part, kept):
    """The field of that choice, with its constants."""
    asked = told["asked"]
    name = asked["system"] if isinstance(asked["system"], str) else asked["system"].get("file", asked["system"].get("name"))
    system, _ = opened(name)
    constants = {json.dumps(s["study"], sort_keys=True): s["rows"] for s in timed(told)}
    runner = Runner(constants, lambda *_: None, part, False)
    field = Field(asked["system"], asked["initial"], goal.parse(asked["goal"]), told["answer"]["until"], Scale(**told["scale"]), list(system.symmetries), runner)
    field.compiling = compiling(asked["budget"], field.goal)
    field.code = codes(system, list(told["seconds_of_steps"])) if field.compiling else {}
    field.calibrate(told["seconds_of_steps"], asked["members"], 2 * TIMING / 3 * asked["budget"])
    runner.known, runner.each = kept.rows, kept.add
    methods = list(field.costs)
    field.reference = candidates.reference_of(methods, system)
    return field, methods


def field_anew(told, part, kept, seconds):
    """The field of that choice, with costs of its own."""
    asked, aim = told["asked"], goal.parse(told["asked"]["goal"])
    named = asked["system"] if isinstance(asked["system"], dict) else {"name": asked["system"]}
    system, _ = opened(named.get("file") or named["name"])
    scale = Scale(**told["scale"])
    field = Field(asked["system"], asked["initial"], aim, told["answer"]["until"], scale, list(system.symmetries), Runner(kept.rows, kept.add, part, False))
    methods, _ = candidates.chosen(system, None, aim.bath, scale.time)
    field.compiling, field.code = seconds, codes(system, methods)
    if not kept.steps:
        start = start_of(asked["initial"], system, named.get("parameters", {}))
        kept.steps.update(seconds_of_steps(system, methods, [5 * scale.time / c for c in reversed(TIMED)], start, seconds))
    left = field.calibrate(kept.steps, asked["members"], 2 * seconds)
    print("".join(f"left out  {m}: {why}\n" for m, why in left.items()), end="")
    field.reference = candidates.reference_of(list(field.costs), system)
    return field, list(field.costs)


def cheaper(field, methods, cost):
    """[(method, count)] that may cost no more, from two steps in the system's time on, the cheapest first. A looser tolerance
    takes fewer iterations than those that were timed."""
    first = ladder.at_least(2 * field.until / field.scale.time)
    pairs = [(field.expected(m, c), m, c) for m in methods for c in ladder.ALL[first : first + 60]]
    return [(m, c) for x, m, c in sorted(pairs) if x <= 1.05 * LOOSER * cost]


def swept(field, pairs, tolerances, seconds):
    """({key: row}, the number of pairs that were run): all steps of a method together, the method with the cheapest one first."""
    rows, done, counts = {}, 0, {}
    for m, c in pairs:
        counts.setdefault(m, []).append(c)
    begun = field.runner.seconds
    for m, some in counts.items():
        if field.runner.seconds - begun >= seconds:
            break
        done += len(some)
        field.runner.over, field.room = 0.0, LONGEST
        rows |= field.heat({m: sorted(some)}, 1, 8, SEED, tolerances)
    return rows, done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("choice", type=pathlib.Path)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1200, help="of the processor, for the sweep")
    parser.add_argument("--found", type=pathlib.Path)
    parser.add_argument("--anew", type=float, help="seconds for the compiler, of costs that are measured again")
    given = parser.parse_args()
    told = choice.read(given.choice)
    best = told["answer"]["recommended"]
    if not best:
        print("nothing was recommended")
        return 1
    kept = Kept(given.found or given.choice.with_suffix(".sweep.json"))
    with tempfile.TemporaryDirectory() as folder:
        part = pathlib.Path(folder) / "sweep.h5"
        field, methods = field_anew(told, part, kept, given.anew) if given.anew else field_of(told, part, kept)
        mine = (best["method"], best["count"], best["tolerance"])
        rows = field.heat({mine[0]: [mine[1]]}, 1, 8, SEED, [mine[2]])
        pairs = cheaper(field, methods, field.cost(mine, rows[mine]))
        more, done = swept(field, pairs, [1e-14, 1e-10], given.seconds)
        rows |= more
        fine = field.reference_row(1, 8, SEED)
        judged = {key: judge(field.goal, row, field.until, field.momenta, fine) for key, row in rows.items()}
        costs = {key: field.cost(key, row) for key, row in rows.items() if not row["failed"]}
        met = sorted((costs[k], k) for k, j in judged.items() if j.verdict == MEETS)
        print(f"sweep     {done} of {len(pairs)} methods and steps, {len(rows)} candidates until {field.until:g}; {len(met)} meet the goal; {field.runner.seconds:.0f} s of computing")
        print(f"recommended  {mine[0]}, step {best['step']:g}, {mine[2]:g}: {costs.get(mine, float('inf')):.4g} s; {judged[mine].verdict} there: {judged[mine].why}")
        if met and mine in costs:
            c, k = met[0]
            print(f"cheapest     {k[0]}, step {field.until / k[1]:g}, {k[2]:g}: {c:.4g} s; the recommendation costs {costs[mine] / c:.3g} times as much")
        before = field.runner.seconds
        good, why = fresh(field, mine, given.starts)
        print(f"starts    {good} of {given.starts} fresh starts meet the goal{why}; {field.runner.seconds - before:.0f} s of computing")
    return 0


def fresh(field, key, starts):
    """(how many of so many starts meet the goal, why the first one does not): each alone, as a study of one member."""
    good, said = 0, ""
    for k in range(starts):
        field.runner.over, field.room = 0.0, LONGEST
        row = field.heat({key[0]: [key[1]]}, 1, 1, FRESH + k, [key[2]], True)[key]
        found = judge(field.goal, row, field.until, field.momenta, field.reference_row(1, 1, FRESH + k))
        good += found.verdict == MEETS
        said = said or ("" if found.verdict == MEETS else f"; start {k}: {found.why}")
    return good, said


if __name__ == "__main__":
    sys.exit(main())
