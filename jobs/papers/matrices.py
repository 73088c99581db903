#!/usr/bin/python3
"""matrices.py: measures the variational scheme of order 2 for a magnetised body on its matrix with f as
printed and as derived. Read by statements.py.

Prints TOML: for each f the change of the 2-form dp ^ dR in one step of h = 0.1 from a matrix off the group,
whether the run to t = 100 ends with finite numbers, and the largest change of the energy, including that of
the springs, until it does not. Source: Tao, Owhadi, section 4.5, with its omega = 10 and beta = 0.4.
tao-owhadi.toml, next to its table `body`, has the printed f and its derivation.
"""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

OMEGA, BETA, H, END = 10, 0.4, 0.1, 100
EPS = BETA * H * H
TINY = 1e-30  # the complex step


def cubic(R, a):
    """f - a without its factor, as derived."""
    return R @ a.T @ a + a @ R.T @ a + a @ a.T @ R


def printed_cubic(R, a):
    return a.T @ a @ R.T + a.T @ R @ a.T + R.T @ a @ a.T


FORMS = {
    "derived": (-1, cubic),
    "printed": (1, printed_cubic),
    "printed, derived transposes": (1, cubic),
    "simplified": (0, cubic),
}


def acceleration(R):
    """a of (4.15)."""

    def filtered(a):
        return a + 2 * OMEGA**2 * EPS * (a @ R.T @ R + R @ a.T @ R + R @ R.T @ a - a)

    matrix = np.array([filtered(e.reshape(3, 3)).ravel() for e in np.eye(9)]).T
    right = -2 * OMEGA**2 * (R @ R.T @ R - R)
    right[2, 2] -= 1
    return np.linalg.solve(matrix, right.ravel()).reshape(3, 3)


def force(R, form):
    sign, of = FORMS[form]
    a = acceleration(R)
    return a + sign * 2 * OMEGA**2 * EPS**2 * of(R, a)


def step(R, p, form):
    p = p + H / 2 * force(R, form)
    R = R + 2 * H * p
    return R, p + H / 2 * force(R, form)


def energy(R, p):
    S = R.T @ R - np.eye(3)
    return np.trace(p.T @ p) + R[2, 2] + OMEGA**2 / 2 * np.trace(S @ S)


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


START = np.eye(3), hat([1, 0.2, 0.1]) / 2


def two_form(form):
    """The change of dp ^ dR in a step, on the axes of both."""
    R, p = START[0] + 0.03 * np.sin(np.arange(9.0)).reshape(3, 3), START[1]
    image = []
    for k in range(18):
        e = np.zeros(18, complex)
        e[k] = TINY * 1j
        image.append(
            np.concatenate(
                [x.imag.ravel() for x in step(R + e[:9].reshape(3, 3), p + e[9:].reshape(3, 3), form)]
            )
            / TINY
        )
    J, omega = np.array(image).T, np.block([[np.zeros((9, 9)), np.eye(9)], [-np.eye(9), np.zeros((9, 9))]])
    return abs(J.T @ omega @ J - omega).max()


def course(form):
    """(ends with finite numbers, largest change of energy)"""
    (R, p), most = START, 0.0
    first = energy(R, p)
    for _ in range(round(END / H)):
        R, p = step(R, p, form)
        if not abs(energy(R, p)) < 1e6:
            return 0, most
        most = max(most, abs(energy(R, p) - first))
    return 1, most


def main():
    for form in FORMS:
        alive, change = course(form)
        print(f'["{form}"]\ntwo_form = {two_form(form):.3e}\nlives = {alive}\nenergy = {change:.3e}\n')


if __name__ == "__main__":
    main()
