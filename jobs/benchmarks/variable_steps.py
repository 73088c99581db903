#!/usr/bin/python3
"""variable_steps.py: the work of Radau IIA with variable steps on problems of the test set, for comparison.

  jobs/benchmarks/variable_steps.py [NAME ...] [--folder DIRECTORY] [--format text|markdown]

SciPy's Radau, the method of RADAU5 with its control of steps and its simplified Newton's method, on the equations of
index 1, written here in numpy. Each row is a tolerance, relative and absolute: the digits of the coordinates that
agree with references.toml, the evaluations of the right hand side (those for the differences of Jacobians among them,
one for each component), the Jacobians, and the LU decompositions, one of a real and one of a complex matrix at a time.
Below are both this method and the program's radau(3), with equal steps, at 4, 6 and 8 digits, interpolated between rows.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import pathlib
import re
import tomllib

import digits
import h5py
import numpy as np
from scipy.integrate import solve_ivp

HERE = pathlib.Path(__file__).resolve().parent


def accelerations(M, G, f, c):
    """A of M A + G'lambda = f, G A = c."""
    n, m = len(f), len(c)
    K = np.block([[M, G.T], [G, np.zeros((m, m))]])
    return np.linalg.solve(K, np.concatenate([f, c]))[:n]


# Andrews' constraints: (row, coefficient, function, coordinates whose sum is its argument); 0 1 2 3 4 5 6 are be th ga
# ph de om ep
CRANK = [(r, c, f, a) for r in range(6) for c, a in ((0.007, [0]), (-0.028, [0, 1])) for f in ("cs"[r % 2],)]
LOOPS = [(0, -0.035, "s", [2]), (1, 0.035, "c", [2])]
LOOPS += [(2, -0.02, "s", [3, 4]), (2, -0.04, "c", [4]), (3, 0.02, "c", [3, 4]), (3, -0.04, "s", [4])]
LOOPS += [(4, -0.02, "c", [5, 6]), (4, -0.04, "s", [6]), (5, -0.02, "s", [5, 6]), (5, 0.04, "c", [6])]


def andrews_mass(q):
    a, r, z, u, m = 0.0115, 0.007, 0.02 - 0.01421, 0.04, 0.00706
    M = np.zeros((7, 7))
    M[0, 0] = 0.04325 * 0.00092**2 + 0.00365 * (r**2 - 2 * a * r * np.cos(q[1]) + a**2) + 2.194e-6 + 4.410e-7
    M[0, 1] = M[1, 0] = 0.00365 * (a**2 - a * r * np.cos(q[1])) + 4.410e-7
    M[1, 1] = 0.00365 * a**2 + 4.410e-7
    M[2, 2] = 0.02373 * (0.01874**2 + 0.01043**2) + 5.255e-6
    for k, s, far in ((3, np.sin(q[3]), 0.07050 * (0.02308**2 + 0.00916**2) + 1.169e-5),
                      (5, -np.sin(q[5]), 0.05498 * (0.01228**2 + 0.00449**2) + 1.912e-5)):  # fmt: skip
        M[k, k] = m * z**2 + 5.667e-7
        M[k, k + 1] = M[k + 1, k] = m * (z**2 + u * z * s) + 5.667e-7
        M[k + 1, k + 1] = m * (u**2 + 2 * u * z * s + z**2) + far + 5.667e-7
    return M


def andrews(t, y):
    q, v = y[:7], y[7:]
    a, r, z, u, m = 0.0115, 0.007, 0.02 - 0.01421, 0.04, 0.00706
    S, C = np.sin(q), np.cos(q)
    x = np.array([0.02 * C[2] + 0.018 * S[2] - 0.03635 - 0.014, 0.02 * S[2] - 0.018 * C[2] + 0.03273 - 0.072])
    length = np.hypot(*x)
    pull = -4530 * (length - 0.07785) / length * x
    f = [
        0.033 - 0.00365 * a * r * v[1] * (v[1] + 2 * v[0]) * S[1],
        0.00365 * a * r * v[0] ** 2 * S[1],
        pull @ np.array([0.018 * C[2] - 0.02 * S[2], 0.02 * C[2] + 0.018 * S[2]]),
        m * u * z * v[4] ** 2 * C[3],
        -m * u * z * v[3] * (v[3] + 2 * v[4]) * C[3],
        -m * u * z * v[6] ** 2 * C[5],
        m * u * z * v[5] * (v[5] + 2 * v[6]) * C[5],
    ]
    G, c = np.zeros((6, 7)), np.zeros(6)
    for row, by, kind, of in CRANK + LOOPS:
        angle, rate = q[of].sum(), v[of].sum()
        G[row, of] += by * (np.cos(angle) if kind == "s" else -np.sin(angle))
        c[row] += by * (np.sin(angle) if kind == "s" else np.cos(angle)) * rate**2
    return np.concatenate([v, accelerations(andrews_mass(q), G, np.array(f), c)])


def pleiades(t, y):
    x = y[:14].reshape(2, 7)
    apart = x[:, None, :] - x[:, :, None]
    cubed = (apart**2).sum(0) ** 1.5 + np.eye(7)
    return np.concatenate([y[14:], ((np.arange(7) + 1) / cubed * apart).sum(2).ravel()])


def car_axis(t, y):
    (xl, yl, xr, yr), v = y[:4], y[4:]
    m = 0.01**2 * 10 / 2
    yb, rate = 0.1 * np.sin(10 * t), np.cos(10 * t)  # the rate of yb
    xb = np.sqrt(1 - yb**2)
    xb1 = -yb * rate / xb
    xb2 = -(rate**2 - 100 * yb**2) / xb - (yb * rate) ** 2 / xb**3
    left, right = np.hypot(xl, yl), np.hypot(xr - xb, yr - yb)
    f = np.array(
        [
            (0.5 - left) * xl / left,
            (0.5 - left) * yl / left - m,
            (0.5 - right) * (xr - xb) / right,
            (0.5 - right) * (yr - yb) / right - m,
        ]
    )
    d, w = np.array([xl - xr, yl - yr]), v[:2] - v[2:]
    G = np.array([[xb, yb, 0, 0], 2 * np.concatenate([d, -d])])
    c = np.array([-2 * (xb1 * v[0] + rate * v[1]) - xb2 * xl + 100 * yb * yl, -2 * w @ w])
    return np.concatenate([v, accelerations(m * np.eye(4), G, f, c)])


ANDREWS = [-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550]
ANDREWS += [-0.222668390165885885, 1.23054744454982119]
PLEIADES = [3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0]
PROBLEMS = {
    "andrews": (andrews, ANDREWS + 7 * [0], 0.03, 7),
    "car-axis": (car_axis, [0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0], 3, 4),
    "pleiades": (pleiades, PLEIADES, 3, 14),
}


def variable(name, reference):
    """Tolerance, digits, steps, evaluations, Jacobians, LU decompositions."""
    f, start, end, n = PROBLEMS[name]
    for k in range(4, 11):
        x = solve_ivp(f, (0, end), start, "Radau", rtol=10.0**-k, atol=10.0**-k)
        agree = digits.digits(x.y[:n, -1], reference)
        yield [f"{10.0**-k:g}", agree, len(x.t) - 1, x.nfev + x.njev * len(start), x.njev, x.nlu]


def equal(name, reference, folder):
    """Digits, evaluations and linear systems of radau(3) at the steps of the study."""
    text = (HERE / f"{name}.yaml").read_text()
    changed = re.sub(r"^methods: .*$", "methods: [radau(3)]", text, flags=re.M)
    result = digits.run_text(f"{name}-radau", changed, folder)
    with h5py.File(result) as file:
        q = file["final/q"][:, 0]
    for k, row in enumerate(digits.table(result)):
        yield [digits.digits(q[k], reference), float(row["evaluations"]), float(row["solves"])]


def at(rows, wanted, column):
    """The cost in a column at so many digits, the first column, linear in its logarithm; if the first row has more
    digits its cost, of which less may do; nan beyond the rows."""
    if rows[0][0] >= wanted:
        return rows[0][1 + column]
    for (d0, *c0), (d1, *c1) in zip(rows, rows[1:]):
        if d0 <= wanted < d1:
            return c0[column] * (c1[column] / c0[column]) ** ((wanted - d0) / (d1 - d0))
    return np.nan


def report(name, reference, folder, markdown):
    rows = list(variable(name, reference))
    heads = ["tolerance", "digits", "steps", "evaluations", "Jacobians", "LU"]
    digits.show(heads, [[r[0], f"{r[1]:.2f}", *r[2:]] for r in rows], markdown)
    ours, theirs = list(equal(name, reference, folder)), [[r[1], r[3], r[5]] for r in rows]
    heads = ["digits", "variable steps: evaluations", "LU", "radau(3): evaluations", "linear systems"]
    both = [[d, *(digits.number(f"{at(x, d, c)}", 3) for x in (theirs, ours) for c in (0, 1))] for d in (4, 6, 8)]
    digits.show(heads, both, markdown)


def main():
    references = tomllib.loads((HERE / "references.toml").read_text())
    parser = argparse.ArgumentParser(description="the work of Radau IIA with variable steps")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/benchmarks"))
    parser.add_argument("--format", choices=("text", "markdown"), default="text")
    options = parser.parse_args()
    for name in options.names:
        if name not in PROBLEMS:
            parser.error(f"no problem {name}; there are {', '.join(PROBLEMS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or PROBLEMS:
        print(f"#### {name}\n" if options.format == "markdown" else name)
        report(name, np.array(references[name]["q"], float), options.folder, options.format == "markdown")


if __name__ == "__main__":
    main()
