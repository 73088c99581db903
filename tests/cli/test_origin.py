#!/usr/bin/env python3
# test_origin.py: constraints that vanish at the origin or along an axis, and coordinates counted from
# somewhere else: every step is solved, the scaled constraint and the verdicts are those of the same system at
# its old place. TAP.
# SPDX-License-Identifier: BSD-2-Clause
import csv
import io
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, ok, path, write

# a: where the origin is.
SYSTEMS = {
    "cart-on-rail": """coordinates: [X, Y, x, y]
parameters: {l: 1, a: %s}
mass: [1, 1, 1, 1]
potential: (Y - a) + (y - a) + 0.5*(X - a)^2
constraints: {rail: Y - a, rod: (x - X)^2 + (y - Y)^2 - l^2}
states: {default: {q: [a, a, a + 0.6*l, a - 0.8*l], v: [0, 0, 0, 0]}}
""",
    "hoop-in-space": """coordinates: [x, y, z]
parameters: {a: %s}
mass: [1, 1, 1]
potential: z - a
constraints: {sphere: (x - a)^2 + (y - a)^2 + (z - a)^2 - 1, plane: y - a}
states: {default: {q: [a + 0.6, a, a - 0.8], v: [0.4, 0, 0.3]}}
""",
    "puck-on-plate": """coordinates: [x, y, z]
parameters: {a: %s}
mass: [1, 2, 1]
potential: (x - a)^2/2 + (y - a)^2 + (x - a)*(y - a)^2/3
constraints: {plate: z - a}
states: {default: {q: [a, a, a], v: [0.4, 0.2, 0]}}
""",
    "bead-on-parabola": """coordinates: [x, y]
parameters: {a: %s}
mass: [1, 1]
potential: y - a
constraints: {track: y - a - (x - a)^2}
states: {default: {q: [a, a], v: [0.7, 0]}}
""",
    "bead-on-wave": """coordinates: [x, z]
parameters: {a: %s}
mass: [1, 1]
potential: z - a
constraints: {track: z - a - cos(x - a) + 1}
states: {default: {q: [a, a], v: [0.3, 0]}}
""",
    "slider-of-angle": """coordinates: [x, y, phi]
parameters: {a: %s}
mass: [1, 1, 1]
potential: (x - a)^2 + sin(phi)
constraints: {axis: y - a, crank: x - a - cos(phi)}
states: {default: {q: [a + 1, a, 0], v: [0, 0, 0.6]}}
""",
}
KEEP = [
    "rattle",
    "shake",
    "euler-a",
    "midpoint",
    "compose(rattle, suzuki4)",
    "project(rk4)",
    "project(gauss(2))",
    "convert(rk3)",
    "hbvm(k=4, s=2)",
]
STUDY = """study: conservation
system: {file: %s}
end: 50.0
steps: [0.1, 0.01]
methods: [%s]
observables: [energy, constraint]
"""


def rows_of(result, columns):
    text = constella("table", result, "--format", "csv", "--columns", ",".join(columns)).stdout
    return list(csv.DictReader(io.StringIO(text)))


def run_study(name, text):
    study, result = write(name + ".yaml", text), path(name + ".h5")
    r = constella("run", study, "-o", result)
    return r, result


def shifted():
    for name, text in SYSTEMS.items():
        found = {}
        for a in ("0", "1", "1e6"):
            file = f"{name}-{a}"
            write(file + "-system.yaml", f"system: {name}\n" + text % a)
            r, result = run_study(
                file, STUDY % (file + "-system.yaml", ", ".join(f'"{m}"' for m in KEEP + ["rk4", "gauss(2)"]))
            )
            if not ok(
                r.returncode == 0,
                f"{name}, origin at {a}: no trajectory fails",
                r.returncode,
                r.stderr,
                r.stdout,
            ):
                continue
            found[a] = rows_of(
                result,
                [
                    "method",
                    "step",
                    "failed",
                    "energy_max",
                    "energy_verdict",
                    "constraint_max",
                    "constraint_scaled_max",
                ],
            )
            scaled = {
                (x["method"], x["step"]): float(x["constraint_scaled_max"])
                for x in found[a]
                if x["method"] in KEEP
            }
            # the line integral's constraint is a sum along the way, and no tolerance is behind it
            ok(
                all(x <= (5e-14 if m == "hbvm(k=4, s=2)" else 1.001e-14) for (m, _), x in scaled.items()),
                f"{name}, origin at {a}: constraints to the tolerance",
                scaled,
            )
        for x, y, z in zip(*(found.get(a, []) for a in ("0", "1", "1e6"))):
            label = f"{name}, {x['method']}, h = {x['step']}"
            ok(
                x["energy_verdict"] == y["energy_verdict"],
                f"{label}: the verdict is that of another origin",
                x,
                y,
            )
            drift = float(x["constraint_scaled_max"])
            # of plain layers; of coordinates near 1e6 far above their round-off
            others = [y] * (drift > 1e-7) + [z] * (drift > 1e-4)
            if others:
                ok(
                    all(abs(float(o["constraint_scaled_max"]) / drift - 1) < 1e-3 for o in others),
                    f"{label}: so is the drift off the constraints",
                    x,
                    y,
                    z,
                )


# Of what vanishes, only the round-off of a start is left: it is no reason to refuse it.
def starts():
    write(
        "rail.yaml",
        "system: rail\ncoordinates: [x, y]\nmass: [1, 1]\npotential: x^2/2\nconstraints: {rail: y}\n"
        "states: {default: {q: [cos(pi), sin(pi)], v: [0, 0]}}\n",
    )
    r, result = run_study(
        "on-rail",
        "study: conservation\n"
        "system: {file: rail.yaml}\n"
        "end: 10\n"
        "steps: [0.1]\n"
        "methods: [rattle, midpoint]\n",
    )
    ok(r.returncode == 0, "a start at round-off from a rail is taken", r.stderr)
    r, result = run_study(
        "off-rail",
        "study: conservation\n"
        "system: {file: rail.yaml}\n"
        "initial: {q: [1, 1e-8], v: [0, 0]}\n"
        "end: 10\n"
        "steps: [0.1]\n"
        "methods: [rattle]\n",
    )
    ok(
        r.returncode == 2 and "the start is inconsistent" in r.stderr and "scale" in r.stderr,
        "one beside it is refused",
        r.returncode,
        r.stderr,
    )


# Orthogonality of a rotation along the axes.
def bodies():
    for system, spread in (
        ("magnetised-body", "{q: 0, v: 0.02}"),
        ("rigid-body", "{q: 0.01, v: 0.02}"),
        ("heavy-top", "{q: 0.01, v: 0.02}"),
    ):
        for h in ("0.01", "0.001", "0.0001") if "CONSTELLA_TEST_ALL" in os.environ else ("0.001",):
            r, result = run_study(
                f"{system}-{h}",
                f"study: conservation\n"
                f"system: {system}\n"
                f"initial: {{members: 64, seed: 5, spread: {spread}}}\n"
                f'end: "2e5*{h}"\n'
                f"steps: [{h}]\n"
                f"methods: [rattle]\n"
                f"observables: [energy, momentum, constraint]\n"
                f"samples: {{count: 10}}\n",
            )
            row = rows_of(result, ["failed", "constraint_scaled_max"])[0] if r.returncode in (0, 1) else {}
            ok(
                r.returncode == 0
                and row["failed"] == "0"
                and float(row["constraint_scaled_max"]) <= 1.001e-14,
                f"{system}, h = {h}: 64 members over 200 000 steps, none fails",
                r.returncode,
                row,
                r.stderr,
            )


# What the tolerance allows is taken: looser ones leave more.
def tolerance():
    write("pendulum-far.yaml", "system: far\n" + SYSTEMS["cart-on-rail"] % "1e6")
    r, result = run_study(
        "loose",
        "study: conservation\n"
        "system: {file: pendulum-far.yaml}\n"
        "end: 50\n"
        "steps: [0.1]\n"
        "methods: [rattle]\n"
        "solver: {tolerance: [1e-4, 1e-6, 1e-8, 1e-14]}\n",
    )
    g = [float(x["constraint_scaled_max"]) for x in rows_of(result, ["constraint_scaled_max"])]
    ok(
        all(g[k] <= t for k, t in enumerate((1e-4, 1e-6, 1e-8, 1e-14))) and g[0] > 1e-7 > g[2],
        "a tolerance means the same far from the origin",
        g,
    )


if __name__ == "__main__":
    shifted()
    starts()
    bodies()
    tolerance()
    done()
