#!/usr/bin/python3
"""line_lambda.py: the equation for lambda' of Remark 1, which the source rejects: integrated beside q and p.

Read by statements.py. With masses 1, S lambda + G grad V = D2g[p, p], S = G G', holds along motions (14). Its
derivative by t,

    S lambda' = 2 D2g[p, A] + D3g[p, p, p] - 2 (D2g p)'G lambda - (D2g p)'grad V - G V''p,   A = -grad V - G'lambda

is integrated beside them by the classical Runge-Kutta method, on modified-pendulum of the catalogue. Prints TOML: the
orders of q and of lambda (`order_q`, `order_lambda`), and after 30 units of time the constraint and the distance of
lambda from that of (14) (`drift`, `off`); the same with lambda from (14) in every stage.
"""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True

import numpy as np
from end_multipliers import G, g, grad_v, hess_g, hess_v
from line_multipliers import START

END, STEPS = 1.5, (30, 60, 120, 240)
LONG = 1200, 0.025


def third_g(q):
    """D3g, which is diagonal."""
    return np.array([120 * q[0] ** 3, 24 * q[1], 0])


def multiplier(q, p):
    """(14)"""
    n = G(q)
    return (p @ (hess_g(q) * p) - n @ grad_v(q)) / (n @ n)


def with_lambda(y):
    q, p, l = y[:3], y[3:6], y[6]
    n, turned = G(q), hess_g(q) * p
    A = -grad_v(q) - n * l
    change = 2 * turned @ A + third_g(q) @ p**3 - 2 * (n @ turned) * l - turned @ grad_v(q) - n @ (hess_v(q) * p)
    return np.concatenate([p, A, [change / (n @ n)]])


def from_state(y):
    q, p = y[:3], y[3:6]
    return np.concatenate([p, -grad_v(q) - G(q) * multiplier(q, p), [0]])


def run(rate, count, h):
    y = np.concatenate([*START, [multiplier(*START)]])
    for _ in range(count):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y


def main():
    exact = run(from_state, 6000, END / 6000)
    ends = [run(with_lambda, n, END / n) for n in STEPS]
    steps = np.log([END / n for n in STEPS])
    q = np.polyfit(steps, np.log([abs(y[:3] - exact[:3]).max() for y in ends]), 1)[0]
    l = np.polyfit(steps, np.log([abs(y[6] - multiplier(exact[:3], exact[3:6])) for y in ends]), 1)[0]
    print(f'["an equation for lambda"]\norder_q = {q:.6g}\norder_lambda = {l:.6g}')
    y = run(with_lambda, *LONG)
    print(f"drift = {abs(g(y[:3])):.6g}\noff = {abs(y[6] - multiplier(y[:3], y[3:6])):.6g}\n")
    y = run(from_state, *LONG)
    print(f'["lambda from (14)"]\ndrift = {abs(g(y[:3])):.6g}\noff = 0.0')


if __name__ == "__main__":
    main()
