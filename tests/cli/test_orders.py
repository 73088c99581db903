"""test_orders.py: orders of convergence through the whole program: fitted orders of q and p against the
methods' theory."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, note, ok, run, table, together

SYSTEMS = {  # name: (text of the system and start, text of the reference)
    "modified-pendulum": ("system: modified-pendulum", '{method: "gauss(8)", step: 0.01}'),
    "spherical-pendulum": ("system: spherical-pendulum\ninitial: conical", "exact"),
    "double-pendulum": ("system: double-pendulum\ninitial: low", '{method: "gauss(8)", step: 0.01}'),
    "heavy-top": ("system: heavy-top", '{method: "gauss(8)", step: 0.01}'),
    "henon-heiles": ("system: henon-heiles", '{method: "gauss(8)", step: 0.01}'),
}
# Order classes: methods with their orders of (q, p); the numbers of steps to the end, by system.
CLASSES = {
    "one": [("euler-a", 1, 1), ("euler-b", 1, 1)],
    "two": [("midpoint", 2, 2), ("rattle", 2, 2), ("shake", 2, 1)],
    "four": [
        ("compose(rattle, yoshida4)", 4, 4),
        ("compose(rattle, suzuki4)", 4, 4),
        ("compose(midpoint, yoshida4)", 4, 4),
        ("compose(euler-a, yoshida4)", 4, 4),
    ],
    "six": [("compose(rattle, yoshida6)", 6, 6), ("compose(rattle, kahan-li6)", 6, 6)],
    "eight": [("compose(rattle, kahan-li8)", 8, 8)],
}
END = {"heavy-top": 1.0}
COUNTS = {
    "one": [400, 800, 1600, 3200, 6400],
    "two": [100, 200, 400, 800, 1600],
    "four": [40, 80, 160, 320, 640],
    "six": [12, 16, 24, 32, 48, 64],
    "eight": [8, 10, 12, 14, 16, 20, 24],
}
SPECIAL = {  # where round-off or the asymptotic range asks for others
    ("modified-pendulum", "eight"): [16, 18, 20, 24, 28, 32],
    ("spherical-pendulum", "eight"): [3, 4, 5, 6, 8, 10],
}


def orders(system, group):
    head, reference = SYSTEMS[system]
    methods = [x for x in CLASSES[group] if not (system == "henon-heiles" and x[0] == "shake")]
    counts = SPECIAL.get((system, group), COUNTS[group])
    names = ", ".join(f'"{x[0]}"' for x in methods)
    process, result = run(
        f"{system}-{group}",
        f"study: order\n"
        f"{head}\n"
        f"end: {END.get(system, 2.0)}\n"
        f"steps: {{counts: {counts}}}\n"
        f"methods: [{names}]\n"
        f"reference: {reference}\n",
    )
    if not ok(process.returncode == 0, f"{system}, order {group}, runs", process.stderr):
        return
    rows = table(result)
    ok(len(rows) == len(methods) * len(counts), f"{system}, order {group}: a row a case")
    for method, *order in methods:
        mine = [r for r in rows if r["method"] == method]
        for part, wanted in zip("qp", order):
            got, low, high, flag = (
                mine[0][x]
                for x in (f"order_{part}", f"order_low_{part}", f"order_high_{part}", f"flag_{part}")
            )
            listing = "\n".join(
                f"{r['step']:<10.4g} error {r['error_' + part]:.3e} rate {r['rate_' + part]:.3f}"
                for r in mine
            )
            bound = 0.1 if wanted <= 4 else 0.3
            ok(
                isinstance(got, float) and abs(got - wanted) <= bound,
                f"{system}: {method} has order {wanted} in {part}",
                f"{got} [{low}, {high}] {flag}",
                listing,
            )
            ok(
                flag == "ok",
                f"{system}: {method}: the fit of {part} is sound",
                f"{got} [{low}, {high}] {flag}",
                listing,
            )
            ok(
                mine[0][f"claimed_{part}"] == wanted,
                f"{system}: {method} claims order {wanted} in {part}",
                mine[0][f"claimed_{part}"],
            )
            ok(
                low <= got <= high,
                f"{system}: {method}: the order of {part} lies in its interval",
                low,
                got,
                high,
            )
            ok(
                all(r[f"order_{part}"] == got and r[f"flag_{part}"] == flag for r in mine),
                f"{system}: {method}: all rows repeat the order of {part}",
            )


if __name__ == "__main__":
    together([lambda s=s, g=g: orders(s, g) for s in SYSTEMS for g in CLASSES], most=2)
    done()
