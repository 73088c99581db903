"""test_reactions.py: forces that depend on multipliers, and coordinates without mass: orders, steps against an
own program, the equations of fewer coordinates, Painleve's rod below and above the critical friction, and what is
refused."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, h5py, ok, path, run, table, together, write

# its half-length is l; the lower end slides on a floor
ROD = """system: painleve-rod
coordinates: [x, y, th]
parameters: {m: 1, l: 1, J: "m*l^2/3", g: 9.81, mu: 0.3, e: 0.05, a: pi/4, s: 3}
mass: [m, m, J]
potential: m*g*y
constraints: {floor: y - l*cos(th)}
define:
  slip: "x' - l*cos(th)*th'"
  "coulomb(N, u)": -mu*abs(N)*u/sqrt(u^2 + e^2)
forces:
  friction: ["coulomb(lambda_floor, slip)", 0, "-l*cos(th)*coulomb(lambda_floor, slip)"]
states:
  default: {q: [0, l*cos(a), a], v: [s, 0, 0]}
"""
STUDY = """study: %s
system: {file: %s, parameters: {%s}}
end: %g
steps: [%s]
methods: [%s]
"""
REFERENCE = 'reference: {method: "gauss(4)", step: 0.002}\n'
M, L, GRAVITY, E = 1.0, 1.0, 9.81, 0.05
J = M * L**2 / 3


def law(mu, q, v, lam):
    """The force of the floor with reaction -lam upwards, and its derivative by lam, for lam < 0."""
    u = v[0] - L * np.cos(q[2]) * v[2]
    drag = mu * lam * u / np.sqrt(u**2 + E**2)
    slope = mu * u / np.sqrt(u**2 + E**2)
    return np.array([drag, 0, -L * np.cos(q[2]) * drag]), np.array([slope, 0, -L * np.cos(q[2]) * slope])


def acceleration(mu, q, v):
    """Painleve's rod: the law is linear in lam on the side on which the floor pushes. A, lam, and what is to be
    positive."""
    G = np.array([0, 1, L * np.sin(q[2])])
    minv = 1 / np.array([M, M, J])
    slope = law(mu, q, v, 1.0)[1]
    bend = L * np.cos(q[2]) * v[2] ** 2
    free = np.array([0, -M * GRAVITY, 0])
    determinant = G @ (minv * (G - slope))
    lam = (bend + G @ (minv * free)) / determinant
    return minv * (free + lam * (slope - G)), lam, determinant


def rk4(mu, q, v, h):
    def f(y):
        return np.append(y[3:], acceleration(mu, y[:3], y[3:])[0])

    y = np.append(q, v)
    a = f(y)
    b = f(y + h / 2 * a)
    c = f(y + h / 2 * b)
    d = f(y + h * c)
    y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y[:3], y[3:]


def start(speed):
    a = np.pi / 4
    return np.array([0, np.cos(a), a]), np.array([speed, 0, 0])


def values(result, name):
    with h5py.File(result, "r") as f:
        return f[name][:]


def steps():
    """An own program's step, and the multipliers."""
    text = STUDY % ("conservation", "rod.yaml", "mu: 0.7", 1 / 64, "0.015625", "rk4")
    process, result = run("step", text)
    if not ok(process.returncode == 0, "rod: a step of rk4 runs", process.stderr):
        return
    q, v = rk4(0.7, *start(3), 1 / 64)
    there = values(result, "final/q")[0, 0], values(result, "final/p")[0, 0] / [M, M, J]
    apart = np.abs(there[0] - q).max(), np.abs(there[1] - v).max()
    ok(max(apart) < 1e-13, "rod: rk4 steps as an own program", apart)
    lam = values(result, "final/lambda")[0, 0, 0]
    ok(abs(lam - acceleration(0.7, q, v)[1]) < 1e-12, "rod: the multiplier at the end", lam, acceleration(0.7, q, v)[1])


def orders():
    text = STUDY % (
        "order",
        "rod.yaml",
        "mu: 0.7",
        0.125,
        "0.015625, 0.0078125, 0.00390625",
        'rk4, "project(rk4)", "gauss(2)"',
    )
    process, result = run("order", text + REFERENCE)
    if not ok(process.returncode == 0, "rod: an order study runs", process.stderr):
        return
    for row in table(result):
        if row["step"] == 0.015625:
            for what in ("order_q", "order_p", "order_lambda"):
                ok(abs(float(row[what]) - 4) < 0.15, f"rod: {row['method']} has {what} 4", row[what])


def balance():
    """The energy less the work of the friction."""
    process, result = run(
        "balance",
        STUDY % ("conservation", "rod.yaml", "mu: 0.7", 0.25, "0.0078125", "rk4") + "observables: [balance, energy]\n",
    )
    if ok(process.returncode == 0, "rod: its balance is observed", process.stderr):
        row = table(result)[0]
        ok(
            float(row["energy_max"]) > 0.5 and float(row["balance_max"]) < 1e-5,
            "rod: the friction's work is told",
            row["energy_max"],
            row["balance_max"],
        )


def critical():
    """At 45 degrees the friction is critical where 1 + 3/2 = 3/2 mu: 5/3."""
    for mu in (1.6, 1.7):
        determinant = acceleration(mu, *start(-3))[2]
        ok((determinant > 0) == (mu < 5 / 3), f"rod: the determinant at mu = {mu}", determinant)
    text = STUDY % (
        "conservation",
        "rod.yaml",
        "s: -3, mu: [1.6, 1.7]",
        1 / 32,
        "0.0009765625",
        'rk4, "project(rk4)", "gauss(2)"',
    )
    process, result = run("critical", text)
    ok(
        process.returncode == 1,
        "rod: above the critical friction trajectories fail",
        process.returncode,
        process.stderr,
    )
    for row in table(result):
        wanted = "" if row["mu"] == 1.6 else "no-multiplier: 1"
        ok(row["failures"] == wanted, f"rod: {row['method']} at mu = {row['mu']}", row["failures"])
    told = constella("status", path(result)).stdout
    ok("no-multiplier: 3" in told and "advice        no-multiplier:" in told, "rod: status tells the reason", told)
    # later: the rod falls from where the determinant is positive to where it is not
    text = STUDY % ("conservation", "rod.yaml", "s: 10, mu: 6, a: 0.15", 1, "0.0009765625", "rk4")
    process, result = run("later", text)
    q, v, n = np.array([0, np.cos(0.15), 0.15]), np.array([10.0, 0, 0]), 0
    while n < 1024 and acceleration(6, q, v)[2] > 0:
        q, v = rk4(6, q, v, 1 / 1024)
        n += 1
    with h5py.File(result, "r") as f:
        status, steps = f["final/status"][0, 0], f["final/steps"][0, 0]
    ok(status == 7 and abs(steps - n) <= 2 < n < 1024, "rod: fails where the determinant vanishes", status, steps, n)


CONTACT = """system: contact-point
coordinates: [x, y, s]
parameters: {m: 1.5, g: 1, a: 0.4}
mass: [m, m, 0]
potential: m*g*y
constraints: {along: x - s - a*sin(s), above: y - s^2/2 - a*cos(s)}
states:
  default: {q: [0.5 + a*sin(0.5), 0.125 + a*cos(0.5), 0.5], v: ["(1 + a*cos(0.5))*0.7", "(0.5 - a*sin(0.5))*0.7", 0.7]}
"""
REDUCED = """system: reduced
coordinates: [s]
parameters: {m: 1.5, g: 1, a: 0.4}
mass: ["m*((1 + a*cos(s))^2 + (s - a*sin(s))^2)"]
potential: m*g*(s^2/2 + a*cos(s))
states: {default: {q: [0.5], v: [0.7]}}
"""

def massless():
    """Against the same motion in one coordinate."""
    methods = ["gauss(4)", "project(rk8)", "compose(midpoint, kahan-li8)", "midpoint", "rk4"]
    quoted = ", ".join(f'"{m}"' for m in methods)
    process, result = run("contact-copies", STUDY % ("conservation", "contact.yaml", "", 1, "0.015625", quoted))
    other, reduced = run("reduced-one", STUDY % ("conservation", "reduced.yaml", "", 1, "0.015625", '"gauss(6)"'))
    if not ok(process.returncode == 0 and other.returncode == 0, "contact: runs", process.stderr, other.stderr):
        return
    s = values(reduced, "final/q")[0, 0, 0]
    x = s + 0.4 * np.sin(s), s**2 / 2 + 0.4 * np.cos(s), s
    for k, bound in enumerate([1e-12, 1e-12, 1e-11, 3e-4, 1e-8]):
        apart = np.abs(values(result, "final/q")[k, 0] - x).max()
        ok(apart < bound, f"contact: {methods[k]} moves as one coordinate does", apart)
    ok(np.all(values(result, "final/p")[:, 0, 2] == 0), "contact: s has no momentum", values(result, "final/p"))
    row = table(result)
    ok(
        row[0]["energy_max"] < 1e-13 and max(row[3]["constraint_max"], row[3]["hidden_max"]) < 1e-14,
        "contact: energy and constraints are observed",
        row,
    )
    text = STUDY % ("order", "contact.yaml", "", 1, "0.0625, 0.03125, 0.015625", 'midpoint, "gauss(2)"')
    process, result = run("contact-order", text + REFERENCE)
    for row in table(result):
        order = 2 if row["method"] == "midpoint" else 4
        for what in ("order_q", "order_p", "order_lambda"):
            if row["step"] == 0.0625:
                ok(abs(float(row[what]) - order) < 0.1, f"contact: {row['method']} has {what} {order}", row[what])
    examined = constella("system", "contact.yaml")
    ok(
        examined.returncode == 0 and "coordinates without mass; M is definite" in examined.stdout,
        "contact: is examined",
        examined.stdout,
    )


REFUSED = [
    (
        "rod.yaml",
        "rattle",
        "has forces that depend on multipliers, for which rattle does not solve; layers such as rk4, project(LAYER) "
        "and gauss(s) do",
    ),
    ("rod.yaml", "convert(rk4)", "for which convert does not solve"),
    ("rod.yaml", "baumgarte(rk4, alpha=1, beta=1)", "for which baumgarte does not solve"),
    ("rod.yaml", "radau(2)", "which radau does not solve for at its stages; layers such as radau(3, form=index-1)"),
    ("rod.yaml", "taylor(2)", "for which taylor does not solve"),
    ("contact.yaml", "rattle", "without mass, whose velocities rattle would take from the mass at the ends of a step"),
    ("contact.yaml", "convert(rk4)", "has coordinates without mass, and convert divides by the mass; midpoint, layers"),
    ("contact.yaml", "radau(2)", "has coordinates without mass, which radau does not solve for at its stages"),
    ("contact.yaml", "dopri5", "and dopri5 divides by the mass"),
]


def refuse():
    for system, method, words in REFUSED:
        write("no.study.yaml", STUDY % ("conservation", system, "", 1, "0.1", f'rk4, "{method}"'))
        text = constella("check", "no.study.yaml").stderr
        ok("no.study.yaml:5:16: error: " in text and words in text, f"{system}: {method} is refused", text)
    write("free.yaml", CONTACT.replace("- a*cos(s)}", "- a}").replace("s - a*sin(s)", "1").replace("s^2/2", "1"))
    write(
        "no.study.yaml",
        STUDY % ("conservation", "free.yaml", "", 1, "0.1", "rk4") + "initial: {q: [1, 1.4, 0], v: [0, 0, 0]}\n",
    )
    text = constella("check", "no.study.yaml").stderr
    ok("the constraints leave s free, and it has no mass" in text, "contact: a free coordinate without mass", text)
    for name, old, new, words in (
        ("law.yaml", "-mu*abs(N)", "-mu*abs(lambda_wall)", "unknown name 'lambda_wall'"),
        ("law.yaml", "m*g*y\n", "m*g*y + lambda_floor\n", "law.yaml:5:20: error: potential: unknown name 'lambda_floor'"),
        ("law.yaml", "mass: [m, m, J]", "mass: [m, m, -1]", "law.yaml:4:14: error: mass: the value is -1"),
    ):
        write(name, ROD.replace(old, new))
        text = constella("system", name).stderr
        ok(words in text, f"rod: {new}", text)


if __name__ == "__main__":
    write("rod.yaml", ROD)
    write("contact.yaml", CONTACT)
    write("reduced.yaml", REDUCED)
    together([steps, orders, balance, critical, massless, refuse], 2)
    done()
