#!/usr/bin/python3
"""eigenvalues.py: the eigenvalues of the bicycle that runs straight, by tangent vectors, against published ones.

  jobs/benchmarks/eigenvalues.py [--folder DIRECTORY] [--format text|markdown]

bicycle-exponents.yaml is run at 5 m/s; the growth rates of its tangent vectors between a third of the time and the end
are the real parts of the eigenvalues of the linearised equations. Beside them: those of table 2 of Meijaard,
Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955, and those of the linearised equations with the numbers of
its appendix, computed here. Weave is the mean of two vectors, which turn into each other.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import pathlib

import digits
import h5py
import numpy as np

RATE = 5.0  # m/s
# the mode, the vectors that it belongs to behind six that do not grow, the published value
MODES = [
    ("capsize", [6], -0.322866429004087),
    ("weave", [7, 8], -0.775341882195845),
    ("castering", [9], -14.078389692798220),
]
MASS = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
DAMPING = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
GRAVITY = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
SPEED = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])


def linear(v):
    """Real parts of the eigenvalues of M q'' + v C q' + (g K0 + v^2 K2) q = 0."""
    K = 9.81 * GRAVITY + v * v * SPEED
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(MASS, K), -np.linalg.solve(MASS, v * DAMPING)]])
    return np.sort(np.linalg.eigvals(A).real)[::-1]


def rates(result):
    """Growth rates of the vectors between a third of the time and the end."""
    with h5py.File(result) as f:
        time = f["lyapunov/time"][:].ravel()
        running = [f[f"lyapunov/running_{k}"][0].ravel() for k in range(1, 11)]
    known = np.flatnonzero(np.isfinite(running[0]) & (time > 0))
    last = known[-1]
    first = known[np.flatnonzero(time[known] >= time[last] / 3)[0]]
    return np.array([(time[last] * x[last] - time[first] * x[first]) / (time[last] - time[first]) for x in running])


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--folder", default="build/benchmarks", type=pathlib.Path)
    words.add_argument("--format", choices=("text", "markdown"), default="text")
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    text = (digits.HERE / "bicycle-exponents.yaml").read_text()
    text = text.replace("system: bicycle", f"system: {{name: bicycle, parameters: {{v0: {RATE!r}}}}}")
    found, exact = rates(digits.run_text("bicycle-exponents", text, given.folder)), linear(RATE)
    rows = []
    for name, vectors, published in MODES:
        own, other = np.mean(found[vectors]), np.mean(exact[np.array(vectors) - 6])
        rows.append([name, f"{own:.6f}", f"{other:.6f}", f"{published:.6f}"])
    digits.show(["mode", "by tangent vectors", "linearised", "published"], rows, given.format == "markdown")


if __name__ == "__main__":
    main()
