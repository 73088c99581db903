#!/usr/bin/python3
"""rates.py: 20 000 synthetic claims that are right, and as many that are wrong, of the four properties whose verdicts are
statistical: how many right ones are refuted, and how many wrong ones are.

    PYTHONPATH=analysis jobs/certify/rates.py [CLAIMS [SEED]]
"""
# SPDX-License-Identifier: BSD-2-Clause
import sys

import numpy as np

from constella.certifying import energy, order, roundoff, temperature
from constella.certifying.property import CONFIRMED, REFUTED


def orders(rng):
    """Errors c h^p (1 + a h + b h^2), with terms up to the leading one at the largest step, and round-off."""
    h, p = 0.25 / 2.0 ** np.arange(6), int(rng.integers(1, 7))
    a, b = rng.normal(0, 0.3), rng.normal(0, 0.3)
    error = 10 ** rng.uniform(-2, 1) * h**p * np.abs(1 + a * h / h[0] + b * (h / h[0]) ** 2) * np.exp(rng.normal(0, 0.02, 6))
    found = order.fitted(h, error + 1e-16 * rng.uniform(0, 3, 6), 1.0, "")
    return order.judge("order", p, found), order.judge("order", p + 1, found)


def energies(rng):
    """Oscillations of two frequencies with noise, of four members; the wrong ones drift by a tenth to ten of them."""
    n, size = energy.WINDOWS * 32, 10 ** rng.uniform(-9, -3)
    t, frequency = np.arange(n + 1) / n, rng.uniform(3, 900, (4, 2, 1)) * 2 * np.pi
    x = size * (np.sin(frequency * t + rng.uniform(0, 6.3, (4, 2, 1))).sum(axis=1) + rng.normal(0, 0.2, (4, n + 1)))
    drift = size * 10 ** rng.uniform(-1, 1) * t * rng.choice([-1, 1])
    found = [energy.concluded(1 + y, np.ones(4), np.ones(4), np.full(4, 2e-13), 2, 0.1)[0] for y in (x, x + drift)]
    return energy.judge("energy-bounded", 1, found[0]), energy.judge("energy-bounded", 1, found[1])


def temperatures(rng):
    """Means of members with the scatter of `temperature`, and a bias of up to half of what is allowed; wrong by 2 %."""
    x = rng.normal(1 + rng.uniform(-0.5, 0.5) * temperature.NEAR, 0.053, (1, 2048))
    found = temperature.concluded(x, {}, {})
    return temperature.judge("temperature", 1, found), temperature.judge("temperature", 1.02 if x.mean() < 1 else 0.98, found)


def walks(rng):
    """Random walks of 24 members, and walks with a bias that is as large after a hundredth of the run."""
    counts = 64 * 2 ** np.arange(8)
    each = rng.normal(0, 1e-16, (counts[-1] // 8, 24)).cumsum(axis=0) * np.sqrt(8)
    steps = counts // 8 - 1
    bias = np.sqrt(counts[-1] / 100) * 1e-16 / (counts[-1] / 100) * counts[:, None] * np.sign(rng.normal())
    found = [roundoff.concluded(np.abs(x), counts, 0.1) for x in (each[steps], each[steps] + bias)]
    return roundoff.judge("round-off", 1, found[0]), roundoff.judge("round-off", 1, found[1])


def main(claims, seed):
    all_ = bad = 0
    for number, make in enumerate((orders, energies, temperatures, walks)):
        rng = np.random.default_rng([seed, number])
        pairs = [make(rng) for _ in range(claims // 4)]
        right, wrong = ([j.verdict for j in x] for x in zip(*pairs))
        all_, bad = all_ + len(right), bad + right.count(REFUTED)
        print(f"{make.__name__:<14} {right.count(REFUTED)} of {len(right)} right claims refuted, {right.count(CONFIRMED)} confirmed; "
              f"{wrong.count(REFUTED)} wrong ones refuted, {wrong.count(CONFIRMED)} confirmed", flush=True)  # fmt: skip
    print(f"false refutations: {bad} of {all_}, {100 * bad / all_:.2f} %")
    return bad > 0.005 * all_


if __name__ == "__main__":
    sys.exit(main(*(int(x) for x in (sys.argv[1:] + ["20000", "1"][len(sys.argv) - 1 :])[:2])))
