"""test_vakonomic.py: vakonomic: its steps against a numpy program of the discrete principle, whose map is symplectic in
q and P; order 2 against Hamilton's equations of the vakonomic motion, which SciPy integrates; that motion against the
one of Lagrange-d'Alembert where they agree and where not; bits, and what is refused with its words."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, differences, digests, done, made, ok, path, run, table, together, write
from scipy.integrate import solve_ivp

AFFINE = """system: affine
coordinates: [x, y, z]
mass: [1, 2, 0.5]
potential: (x^2 + y^2)/2 + x*z^2/5
nonholonomic: {wheel: "z' - y*x' + sin(x)*y' + 0.1*x*z + 0.2"}
states: {default: {q: [1, 1, 0], v: [0.3, 0.2, "0.1 - 0.2*sin(1)"]}}
"""
INTEGRABLE = """system: integrable
coordinates: [x, y, z]
mass: [1, 2, 0.5]
potential: (x^2 + y^2)/2 + x*z^2/5
nonholonomic: {wheel: "z' - y*x' - x*y'"}
states: {default: {q: [1, 1, 0], v: [0.3, 0.2, 0.5]}}
"""
MASS = np.array([1, 2, 0.5])
STUDY = """study: order
system: {file: affine.yaml}
end: %g
steps: [%s]
methods: ["vakonomic(multiplier=%g)"]
reference: {method: "gauss(4)", step: 0.01}
roundoff: {dyadic-steps: false}
"""


def gradient(q):
    return np.array([q[0] + q[2] ** 2 / 5, q[1], 0.4 * q[0] * q[2]])


def phi(q):
    return np.array([-q[1], np.sin(q[0]), 1 + 0 * q[0]])


def phi0(q):
    return 0.1 * q[0] * q[2] + 0.2


def turn(q, u):
    """D_q(phi u + phi0)."""
    return np.array([np.cos(q[0]) * u[1] + 0.1 * q[2], -u[0], 0.1 * q[0]])


def split(q, P):
    """v and mu of P = M v - phi'mu, phi v + phi0 = 0."""
    mu = -(phi(q) @ (P / MASS) + phi0(q)) / (phi(q) @ (phi(q) / MASS))
    return (P + phi(q) * mu) / MASS, mu


def step(q, P, h):
    """The discrete principle; Newton's method with differences of its equations."""

    def equations(x):
        u, l = x[:3], x[3]
        m = q + h / 2 * u
        return np.append(
            MASS * u + h / 2 * gradient(m) - phi(m) * l + h / 2 * l * turn(m, u) - P, phi(m) @ u + phi0(m)
        )

    v, mu = split(q, P)
    x = np.append(v, mu)
    for _ in range(8):
        f = equations(x)
        J = np.column_stack([(equations(x + 1e-6 * e) - equations(x - 1e-6 * e)) / 2e-6 for e in np.eye(4)])
        x = x - np.linalg.solve(J, f)
    u, l = x[:3], x[3]
    m = q + h / 2 * u
    return q + h * u, MASS * u - h / 2 * gradient(m) - phi(m) * l - h / 2 * l * turn(m, u)


def motion(t, z):
    """Hamilton's equations of the vakonomic motion."""
    q, P = z[:3], z[3:]
    v, mu = split(q, P)
    return np.append(v, -gradient(q) - mu * turn(q, v))


def start(mu):
    q, v = np.array([1.0, 1, 0]), np.array([0.3, 0.2, 0.1 - 0.2 * np.sin(1)])
    return q, MASS * v - phi(q) * mu


def steps():
    for mu in (0, -0.7):
        f = made(f"steps{mu}", STUDY % (0.3, 0.1, mu))
        if f is None:
            continue
        q, P = start(mu)
        for _ in range(3):
            q, P = step(q, P, 0.1)
        v, _ = split(q, P)
        gap = max(abs(f["final/q"][0, 0] - q).max(), abs(f["final/p"][0, 0] - MASS * v).max())
        ok(gap < 1e-13, f"mu = {mu}: three steps are those of numpy", gap)


def symplectic():
    q, P = start(0.4)
    z, e = np.append(q, P), 1e-5
    D = np.column_stack(
        [
            (np.append(*step((z + d)[:3], (z + d)[3:], 0.1)) - np.append(*step((z - d)[:3], (z - d)[3:], 0.1))) / (2 * e)
            for d in e * np.eye(6)
        ]
    )
    J = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    ok(abs(D.T @ J @ D - J).max() < 1e-8, "the map of q and P is symplectic", abs(D.T @ J @ D - J).max())


def order():
    for mu in (0, 0.5):
        q, P = start(mu)
        z = solve_ivp(motion, (0, 2), np.append(q, P), "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        v, _ = split(z[:3], z[3:])
        f = made(f"order{mu}", STUDY % (2, "0.05, 0.025, 0.0125", mu))
        if f is None:
            continue
        errors = [
            max(abs(f["final/q"][k, 0] - z[:3]).max(), abs(f["final/p"][k, 0] - MASS * v).max()) for k in range(3)
        ]
        rates = np.log2(errors[:-1]) - np.log2(errors[1:])
        ok(abs(rates - 2).max() < 0.1, f"mu = {mu}: order 2 against Hamilton's equations", errors, rates)


def two_mechanics():
    """Where the constraint is integrable the motions agree at mu = 0; a skate's do not."""
    write("integrable.yaml", INTEGRABLE)
    errors = {}
    for name, system in (("together", "{file: integrable.yaml}"), ("skate", "knife-edge")):
        f = made(name, (STUDY % (1, "0.02, 0.01", 0)).replace("{file: affine.yaml}", system))
        if f is not None:
            errors[name] = [row["error"] for row in table(path(name + ".h5"))]
    if len(errors) == 2:
        a, b = errors["together"]
        ok(3.5 < a / b < 4.5 and b < 1e-3, "integrable: the motion of Lagrange-d'Alembert", errors)
        a, b = errors["skate"]
        ok(abs(a / b - 1) < 0.01 and b > 0.1, "a skate: another motion", errors)


def same_bits():
    methods = '["vakonomic(multiplier=0.3)", "compose(vakonomic, suzuki4)"]'
    text = STUDY.replace('["vakonomic(multiplier=%g)"]', methods) % (1, 0.1)
    text = text.replace("end:", "initial: {members: 6, seed: 3, around: default, spread: {q: 0.1}}\nend:")
    one, two = run("bits", text)[1], run("bits-apart", text, "--batch", "1")[1]
    ok(not differences(digests(one), digests(two)), "a batch of one has the same bits")


def mistakes():
    for system, method, words in (
        ("knife-edge", "vakonomic(0.5)", "the arguments of vakonomic must be named"),
        ("knife-edge", "vakonomic(multiplier=rk4)", "mu of each constraint at the start"),
        ("kepler", "vakonomic", "is for constraints on velocities"),
        ("chaplygin-sphere", "vakonomic", "does not support constraints on positions"),
        ("snakeboard", "vakonomic", "needs a constant diagonal mass"),
    ):
        text = (STUDY % (1, 0.1, 0)).replace("{file: affine.yaml}", system)
        process, _ = run("refused", text.replace("vakonomic(multiplier=0)", method))
        ok(process.returncode == 2 and words in process.stderr, f"refused: {method} on {system}", process.stderr)
    said = constella("show", "vakonomic").stdout
    ok("stationary among the curves" in said and "order" in said, "vakonomic is shown", said)


write("affine.yaml", AFFINE)
together([steps, symplectic, order, two_mechanics, same_bits, mistakes])
done()
