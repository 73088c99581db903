#!/usr/bin/env python3
"""near-root.py: the figure docs/near-root.png: the share of states from which a step of RATTLE has a near root,
over h v / l, for random states. Called by pictures.sh.

  tools/near-root.py CONSTELLA FILE
"""
# SPDX-License-Identifier: BSD-2-Clause
import subprocess
import sys
import tempfile

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# system, its parameters, the length that h v is compared with
SYSTEMS = [
    ("planar-pendulum", 1.0, "pendulum"),
    ("double-pendulum", 1.0, "double pendulum"),
    ("bead-on-torus", 0.5, "bead on a torus, l: its smaller radius"),
]
STEP, MEMBERS, BINS = 0.05, 6000, np.linspace(0, 2, 26)
STUDY = """study: ensemble
system: {system}
initial: {{members: {members}, seed: 3, around: default, spread: {{q: 2, v: {spread}}}}}
end: {step}
steps: [{step}]
methods: [rattle]
observables: [energy]
roundoff: {{dyadic-steps: false}}
trajectories: {{members: all, every: 1, store: [v]}}
"""


def states(constella, folder, system, length):
    """h v / l of every state, v the largest speed of a coordinate, and whether its step has a near root."""
    study, result = f"{folder}/{system}.yaml", f"{folder}/{system}.h5"
    with open(study, "w") as f:
        f.write(STUDY.format(system=system, members=MEMBERS, step=STEP, spread=length / STEP))
    subprocess.run([constella, "run", study, "-o", result, "--progress", "none"], stderr=subprocess.DEVNULL)
    with h5py.File(result) as f:
        status = f["/final/status"][0]
        v = f["/trajectories/0/v"][:, 0]
    known = (status == 0) | (status == 4)
    return STEP * np.linalg.norm(v, axis=1)[known] / length, status[known] == 0


def main():
    constella, target = sys.argv[1:]
    middle = (BINS[1:] + BINS[:-1]) / 2
    figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
    with tempfile.TemporaryDirectory() as folder:
        for system, length, label in SYSTEMS:
            x, near = states(constella, folder, system, length)
            of = np.digitize(x, BINS) - 1
            share = [near[of == k].mean() if (of == k).sum() >= 20 else np.nan for k in range(len(middle))]
            ax.plot(middle, share, marker=".", label=label)
            print(system, len(x), " ".join(f"{m:.2f}:{s:.2f}" for m, s in zip(middle, share)))
    ax.set(xlabel="h |v| / l", ylabel="share with a near root", ylim=(-0.02, 1.02), xlim=(0, 2))
    ax.legend(frameon=False)
    figure.savefig(target, dpi=120, metadata={"Software": None})


main()
