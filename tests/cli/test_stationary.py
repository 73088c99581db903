"""test_stationary.py: coordinates without mass for which the Lagrangian is stationary: an exact motion, a body that rocks
on the point where its contact is extremal against its support function, orders, a multiplier that vanishes, a start that
is solved for, and what is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, h5py, ok, run, table, write

# two springs in a row: s is the point between them
SPRINGS = """system: springs
coordinates: [x, s]
parameters: {m: 2, k: 3, c: 1, w: sqrt(k*c/((k + c)*m))}
mass: [m, 0]
potential: k*(x - s)^2/2 + c*s^2/2
stationary: [s]
states:
  default:
    q: [1, k/(k + c)]
    v: [0, 0]
    exact: {q: [cos(w*t), k/(k + c)*cos(w*t)], v: [-w*sin(w*t), -k/(k + c)*w*sin(w*t)], lambda: [0]}
"""
# An ellipse that rocks on a smooth floor; s is its lowest point.
ELLIPSE = """system: ellipse
coordinates: [y, th, s]
parameters: {m: 1, J: 0.3, g: 9.81, a: 1, b: 0.6}
mass: [m, J, 0]
potential: m*g*y
constraints: {floor: y + a*cos(s)*sin(th) + b*sin(s)*cos(th)}
stationary: [s]
states:
  default: {q: [0.7, 0.4, -2], v: [0, 0.5, 0]}
"""
SUPPORTED = """system: supported
coordinates: [y, th]
parameters: {m: 1, J: 0.3, g: 9.81, a: 1, b: 0.6}
mass: [m, J]
potential: m*g*y
constraints: {floor: y - sqrt(a^2*sin(th)^2 + b^2*cos(th)^2)}
states:
  default: {q: [0.7, 0.4], v: [0, 0.5]}
"""
STUDY = """study: %s
system: {file: %s}
end: 1
steps: [%s]
methods: [%s]
"""
METHODS = 'rk4, project(rk4), "gauss(2)", midpoint'
ORDER = {"rk4": 4, "project(rk4)": 4, "gauss(2)": 4, "midpoint": 2}


def exact():
    x = constella("system", "springs.yaml")
    ok(x.stdout.endswith("\nok\n") and "equations of motion hold" in x.stdout, "the exact motion is one", x.stdout)
    process, result = run(
        "exact-order", STUDY % ("order", "springs.yaml", "0.0625, 0.03125, 0.015625", METHODS) + "reference: exact\n"
    )
    if not ok(process.returncode == 0, "springs: an order study runs", process.stderr):
        return
    for row in table(result):
        if row["step"] == 0.0625:
            for what in ("order_q", "order_p"):
                order = ORDER[row["method"]]
                ok(abs(float(row[what]) - order) < 0.2, f"springs: {row['method']} has {what} {order}", row[what])


def final(name, file, methods, end=""):
    start = "initial: {q: %s, v: %s, project: {keep: [th, \"th'\"]}}\n" % (
        ("[0.7, 0.4, -2]", "[0, 0.5, 0]") if file == "ellipse.yaml" else ("[0.7, 0.4]", "[0, 0.5]")
    )
    process, result = run(name, STUDY % ("conservation", file, "0.015625", methods) + start + end)
    if not ok(process.returncode == 0, f"{name} runs", process.stderr):
        return None
    with h5py.File(result, "r") as f:
        return f["final/q"][:, 0], f["final/lambda"][:, 0]


def rocks():
    one, other = final("rocking", "ellipse.yaml", METHODS), final("rocking-supported", "supported.yaml", METHODS + ', "gauss(4)"')
    if one is None or other is None:
        return
    q, lam = other[0][-1], other[1][-1]
    for k, (method, bound) in enumerate((("rk4", 1e-6), ("project(rk4)", 1e-6), ("gauss(2)", 1e-6), ("midpoint", 2e-3))):
        apart = np.abs(one[0][k][:2] - q).max()
        ok(apart < bound, f"ellipse: {method} rocks as the support function says", apart)
    _, th, s = one[0][1]
    slope = -np.sin(s) * np.sin(th) + 0.6 * np.cos(s) * np.cos(th)
    ok(abs(slope) < 1e-12, "ellipse: s is the lowest point", slope)
    ok(abs(one[1][1][1]) < 1e-9 * abs(lam[0]), "ellipse: its own multiplier vanishes", one[1][1])


def refused():
    for name, text, old, new, words in (
        ("heavy", SPRINGS, "mass: [m, 0]", "mass: [m, 1]", "springs.yaml:6:14: error: s has a mass; only a coordinate"),
        ("unknown", SPRINGS, "[s]", "[r]", "'stationary' lists coordinates, and 'r' is none"),
        ("no list", SPRINGS, "[s]", "s", "'stationary' is a list of coordinates: [s]"),
        ("free", SPRINGS, "potential: k*(x - s)^2/2 + c*s^2/2", "potential: k*x^2/2", "neither the potential nor a constraint depends on s"),
        ("both", ELLIPSE, "m*g*y", "m*g*y + s^2", "the equation of s contains multipliers: the potential and a constraint"),
        ("two", ELLIPSE, "cos(th)}", "cos(th), wall: th - s}", "contains multipliers: several constraints depend on it"),
        ("moved", SPRINGS, "stationary:", "forces: {drag: [0, \"-s'\"]}\nstationary:", "s is not stationary: a force or a constraint on velocities"),
        ("kinetic", SPRINGS, "mass: [m, 0]", "mass: [m + s^2, 0]", "s is not stationary: the mass or the gyroscopic term"),
        ("twice", ELLIPSE, "constraints: {", "constraints: {stationary_s: th - y, ", "'stationary_s', the constraint of this coordinate, exists"),
        ("not listed", SPRINGS.split("    exact")[0], "stationary: [s]\n", "", "list it under `stationary`"),
    ):
        file = write("springs.yaml" if name == "heavy" else "wrong.yaml", text.replace(old, new))
        x = constella("system", file)
        ok(words in x.stdout + x.stderr and x.returncode == 2, f"refused: {name}", x.stdout, x.stderr)
    # dc/ds vanishes
    x = constella("system", write("flat.yaml", SPRINGS.replace("c*s^2/2", "c*s^4/4").replace("k*(x - s)^2/2", "k*x*s + k*x^2/2").replace("k/(k + c)", "0").replace("[1, 0]", "[0, 0]")))
    ok("the constraints leave s free" in x.stdout, "refused: a point that is stationary to second order", x.stdout)


write("springs.yaml", SPRINGS)
write("ellipse.yaml", ELLIPSE)
write("supported.yaml", SUPPORTED)
exact()
rocks()
refused()
done()
