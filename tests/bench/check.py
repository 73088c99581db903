"""check.py: part of `make bench`: the seconds on one core that `constella check` tells, over those that a
run takes.

Processor's time of whole processes on one rank, without that of a run a hundredth as long: start-up and the
file. The least of three runs; what is told comes between them, on a machine as busy. It should be within a
factor 2.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "constella"))
TIMES, FACTOR = 3, 2
ENSEMBLE = "initial: {members: 64, seed: 1, spread: {v: 0.05}}\n"
WORKS = {  # the end, and the study
    "one trajectory": (
        200000,
        "study: conservation\n" "system: double-pendulum\n" "steps: [0.02]\n" "methods: [rattle]\n",
    ),
    "impulses, 64 members": (
        2000,
        (
            "study: conservation\n"
            "system: double-pendulum\n"
            "steps: [0.02, 0.01]\n"
            'methods: [rattle, shake, "compose(rattle, suzuki4)"]\n'
        )
        + ENSEMBLE,
    ),
    "every step observed": (
        8000,
        (
            "study: conservation\n"
            "system: spherical-pendulum\n"
            "steps: [0.01]\n"
            "methods: [rattle]\n"
            "observe: every\n"
        )
        + ENSEMBLE,
    ),
    "line integrals": (
        6000,
        (
            "study: conservation\n"
            "system: planar-pendulum\n"
            "steps: [0.05]\n"
            'methods: ["hbvm(k=6, s=2)"]\n'
        )
        + ENSEMBLE,
    ),
    "conversions": (
        200,
        (
            "study: conservation\n"
            "system: double-pendulum\n"
            "steps: [0.02]\n"
            'methods: ["convert(rk4)", project(rk4)]\n'
        )
        + ENSEMBLE,
    ),
    "Lie groups": (
        4000,
        (
            "study: conservation\n"
            "system: lagrange-top\n"
            "steps: [0.01]\n"
            "methods: [lie-rattle, lie-euler-a]\n"
        )
        + ENSEMBLE,
    ),
    "thermostats": (
        4000,
        (
            "study: ensemble\n"
            "system: double-pendulum\n"
            "steps: [0.02]\n"
            'methods: ["baoab(friction=0.5, inverse-temperature=2)"]\n'
        )
        + ENSEMBLE,
    ),
    "halved steps": (
        500,
        (
            "study: order\n"
            "system: double-pendulum\n"
            "steps: {from: 0.1, halvings: 4}\n"
            "methods: [rattle, midpoint]\n"
            "reference: self\n"
        )
        + ENSEMBLE,
    ),
    "a reference": (
        50,
        (
            "study: order\n"
            "system: double-pendulum\n"
            "steps: {from: 0.1, halvings: 4}\n"
            "methods: [rattle]\n"
            'reference: {method: "gauss(6)", step: 0.005}\n'
        )
        + ENSEMBLE,
    ),
    "in quad": (
        20,
        "study: order\n"
        "system: double-pendulum\n"
        "steps: {from: 0.1, halvings: 2}\n"
        "methods: [rattle]\n"
        'reference: {method: "gauss(6)", step: 0.01, precision: quad}\n',
    ),
    "forty pendula": (
        200,
        (
            "study: conservation\n"
            "system: {name: pendulum-chain, parameters: {n: 40}}\n"
            "steps: [0.01]\n"
            "methods: [rattle]\n"
        )
        + ENSEMBLE,
    ),
    "waters": (
        10,
        "study: conservation\n"
        "system: {name: tip3p-water, parameters: {n: 8}}\n"
        "initial: lattice\n"
        "steps: [0.0625]\n"
        'methods: [rattle, "convert(rk4)"]\n',
    ),
}


def call(folder, *words):
    """(stdout, seconds of the processor)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"check: {' '.join(words)} ends with {done.returncode}: {done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def told(page):
    """The cost of the steps and that of the reference."""
    return sum(float(x) for x in re.findall(r"about ([\d.e+-]+) s (?:on one core|more)", page))


def write(folder, name, study, end):
    with open(os.path.join(folder, name), "w") as f:
        f.write(f"{study}end: {end}\n")
    return name


def measure(folder, end, study):
    """Seconds as told and as measured."""
    words = ["-o", "bench.h5", "--overwrite", "--progress", "none"]
    brief = end / 100
    whole, short = write(folder, "whole.yaml", study, end), write(folder, "short.yaml", study, brief)
    says, runs, starts = [], [], []
    for _ in range(TIMES):
        says.append(told(call(folder, "check", whole)[0]))
        runs.append(call(folder, "run", whole, *words)[1])
        starts.append(call(folder, "run", short, *words)[1])
    return sorted(says)[TIMES // 2] * (1 - brief / end), min(runs) - min(starts)


if __name__ == "__main__":
    print("\n`constella check`: seconds on one core, as it tells them and as a run takes them")
    print("  study                        told  measured  told over measured")
    beside = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (end, study) in WORKS.items():
            says, takes = measure(folder, end, study)
            beside += not 1 / FACTOR <= says / takes <= FACTOR
            print(f"  {name:24} {says:8.3f}  {takes:8.3f}  {says / takes:18.2f}", flush=True)
    print(f"  {beside} of {len(WORKS)} beyond a factor {FACTOR}")
