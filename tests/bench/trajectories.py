"""trajectories.py: processor time of runs that store the states of a quarter of their members, relative to
the same run without, and per state.

The least of three runs each. Double pendulum, rattle, one rank, 64 members, 50 000 steps.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "constella"))
TIMES, STEPS, CHOSEN = 3, 50000, 16
STUDY = """study: conservation
system: double-pendulum
initial: {members: 64, seed: 1, spread: {q: 0.05, v: 0.05}}
end: 1000
steps: [0.02]
methods: [rattle]
"""


def seconds(folder, text):
    study, least = os.path.join(folder, "bench.yaml"), float("inf")
    with open(study, "w") as f:
        f.write(text)
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [
                PROGRAM,
                "run",
                study,
                "-o",
                os.path.join(folder, "bench.h5"),
                "--overwrite",
                "--progress",
                "none",
            ],
            stdout=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(f"trajectories: the study ends with {done.returncode}")
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


if __name__ == "__main__":
    print(
        f"\n"
        f"trajectories, double pendulum, rattle, 64 members of which {CHOSEN} are stored, "
        f"one rank: processor's time of the whole program"
    )
    print("  every  what                       seconds  over none  ns a state")
    with tempfile.TemporaryDirectory() as folder:
        none = seconds(folder, STUDY)
        print(f"  {'-':>5}  {'nothing':25} {none:8.3f}")
        for every, store in (
            (100, "[q, p, lambda]"),
            (10, "[q, p, lambda]"),
            (1, "[q, p, lambda]"),
            (10, "[q, p, v, lambda, energy]"),
        ):
            spent = seconds(
                folder,
                STUDY + f'trajectories: {{members: "0..{CHOSEN - 1}", every: {every}, store: {store}}}\n',
            )
            print(
                f"  {every:5d}  {store:25} {spent:8.3f} {spent / none:10.2f} {1e9 * (spent - none) / (STEPS // every * CHOSEN):11.0f}"
            )
