#!/usr/bin/env python3
# test_water.py: clusters of rigid water: energies and forces against sums by numpy, what the motion
# conserves, one set of bits, a start that is relaxed, flexible molecules. TAP.
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np

from cli import constella, differences, digests, done, made, narrowest, not_built, ok, path, run, write

N = 7
STUDY = """study: conservation
system: {name: tip3p-water, parameters: {n: %d}, compile: %s}
initial: %s
end: %g
steps: [0.0625]
methods: %s
observe: every
"""
FLEXIBLE = "penalty(zhang-skeel(beta=0.5, form=stiff), omega=20)"


def potential(q):
    """V and its gradient of q[3 sites, 3 axes, n] from Coulomb's law and the Lennard-Jones potential."""
    K, A, C, charge = 14.3996, 25238.0, 25.8017, (-0.834, 0.417, 0.417)
    V, slope = 0.0, np.zeros_like(q)
    for i in range(q.shape[2]):
        for j in range(i + 1, q.shape[2]):
            for a in range(3):
                for b in range(3):
                    d = q[a, :, i] - q[b, :, j]
                    r = np.sqrt(d @ d)
                    e, s = K * charge[a] * charge[b] / r, -K * charge[a] * charge[b] / r**3
                    if a == b == 0:
                        e, s = e + A / r**12 - C / r**6, s - 12 * A / r**14 + 6 * C / r**8
                    V += e
                    slope[a, :, i] += s * d
                    slope[b, :, j] -= s * d
    return V, slope


def lattice(n, spacing=3.0, r=0.9572, half=104.52 * np.pi / 360):
    """The state of that name."""
    edge = next(k for k in range(1, n + 1) if k ** 3 >= n)
    q = np.zeros((3, 3, n))
    for i in range(1, n + 1):
        phi, theta, psi = i * i, 2.4 * i, 3.0 * i
        u = np.array([np.cos(phi) * np.sin(theta), np.sin(phi) * np.sin(theta), np.cos(theta)])
        e1 = np.array([np.cos(phi) * np.cos(theta), np.sin(phi) * np.cos(theta), -np.sin(theta)])
        w = np.cos(psi) * e1 + np.sin(psi) * np.array([-np.sin(phi), np.cos(phi), 0])
        q[0, :, i - 1] = spacing * np.array([(i - 1) % edge, (i - 1) // edge % edge, (i - 1) // edge**2])
        for site, sign in ((1, 1), (2, -1)):
            q[site, :, i - 1] = q[0, :, i - 1] + r * (np.cos(half) * u + sign * np.sin(half) * w)
    return q


def energy(result, case, which):
    return result["observables/energy"][case, 0, which]  # start end drift scale size


def energies_and_forces():
    # With springs that weigh nothing Newmark's method with beta = 0 is Verlet's: p1 = -h/2 (dV(q0) + dV(q1))
    # from rest.
    for n in (2, N):
        result = made(
            f"free-{n}", STUDY % (n, "never", "lattice", 0.0625, '["penalty(newmark(beta=0), omega=1e-9)"]')
        )
        if not result:
            return
        q0, q1, p1 = (
            lattice(n),
            result["final/q"][0, 0].reshape(3, 3, n),
            result["final/p"][0, 0].reshape(3, 3, n),
        )
        V, before = potential(q0)
        _, after = potential(q1)
        push = -0.0625 / 2 * (before + after)
        apart = np.abs(p1 - push).max() / np.abs(push).max()
        ok(
            abs(energy(result, 0, 0) / V - 1) < 1e-12,
            f"{n} molecules: the energy of the lattice",
            energy(result, 0, 0),
            V,
        )
        ok(apart < 1e-12, f"{n} molecules: forces to {apart:.1g}")


def conserved():
    initial = "{members: 9, seed: 5, around: lattice, spread: {v: 0.001}}"
    study = STUDY % (N, "always", initial, 5, "[rattle]")
    result = made("warm", study)
    if not result:
        return
    q, p = result["final/q"][0], result["final/p"][0]
    mass = np.repeat([15.9994, 1.008, 1.008], 3 * N)
    here = [potential(x.reshape(3, 3, N))[0] + (y * y / mass).sum() / 2 for x, y in zip(q, p)]
    end = result["observables/energy"][0, :, 1]
    ok(np.abs(np.array(here) / end - 1).max() < 1e-11, "the energy of states that it has reached")
    drift = result["observables/energy"][0, :, 2].max()
    ok(1e-9 < drift < 0.01, f"the energy stays within {drift:.2g} eV, and is not frozen")
    for name in ("translation-x", "translation-y", "translation-z", "rotation-x", "rotation-y", "rotation-z"):
        m = result[f"observables/{name}"][0, :, 2:4]
        ok((m[:, 0] <= 1e-13 * m[:, 1]).all(), f"{name} is kept to round-off")
    ok(result["observables/constraint_scaled"][0, :, 2].max() < 1e-13, "rods keep their lengths")
    mine = digests(path("warm.h5"))
    for how in ("v2", "v3", "v4"):
        process, other = run("warm-" + how, study, env={"CONSTELLA_ISA": how})
        if process.returncode != 2:  # a CPU without it
            apart = [x for x in differences(mine, digests(other)) if "/run" not in x]
            ok(not apart, f"the same file with {how}", apart)
    for how, words in (("one by one", ("--batch", 1)), ("three by three", ("--batch", 3))):
        apart = differences(mine, digests(run("warm-batch", study, *words)[1]))
        ok(not apart, f"the same file {how}", apart)


def relaxed():
    initial = "{around: lattice, relax: {method: rattle, step: 0.05, end: 40}}"
    result = made("quenched", STUDY % (N, "never", initial, 0.5, f'[rattle, "{FLEXIBLE}"]'))
    if not result:
        return
    least, before = energy(result, 0, 0), potential(lattice(N))[0]
    ok(least < before - 1, f"the start is relaxed from {before:.3f} to {least:.3f} eV")
    ok(energy(result, 0, 4) < 0.05, "and is nearly at rest where it is", energy(result, 0, 4))
    ok(energy(result, 1, 2) < 0.05, "molecules with springs keep it, too", energy(result, 1, 2))
    process, again = run(
        "again", STUDY % (N, "never", initial, 0.5, f'[rattle, "{FLEXIBLE}"]'), env={"CONSTELLA_ISA": narrowest()}
    )
    if not_built(process, "it is the same with another instruction set"):
        return
    apart = differences(digests(path("quenched.h5")), digests(again))
    ok(not apart, "it is the same with another instruction set", apart)


def refused():
    words = constella(
        "check", write("large.yaml", STUDY % (300, "never", "lattice", 1, "[midpoint, rattle]"))
    )
    ok(
        words.returncode == 2 and "second derivatives" in words.stderr,
        "what needs second derivatives of 44850 pairs says so",
        words.stderr,
    )


energies_and_forces()
conserved()
relaxed()
refused()
done()
