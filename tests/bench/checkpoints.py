"""checkpoints.py: the cost of checkpoints at the default interval, as a fraction of the run.

The same study runs alternately without checkpoints and with many; the cost of one is the difference divided
by their number. Ensembles of several sizes run in one batch, which is all that a checkpoint contains.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import h5py
except ImportError:
    print("checkpoints: python3-h5py is missing")
    sys.exit(0)

PROGRAM = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "constella"))
DEFAULT, PAIRS = 600, 3
STUDY = """study: conservation
system: double-pendulum
initial: {{members: {members}, seed: 1, spread: {{q: 0.05, v: 0.05}}}}
end: {end}
steps: [0.01]
methods: [rattle]
"""


def run(folder, study, interval):
    result = os.path.join(folder, "bench.h5")
    began = time.monotonic()
    process = subprocess.Popen(
        [
            PROGRAM,
            "run",
            study,
            "-o",
            result,
            "--overwrite",
            "--batch",
            "4096",
            "--progress",
            "none",
            "--checkpoint-seconds",
            str(interval),
        ],
        stdout=subprocess.DEVNULL,
    )
    size = 0
    while process.poll() is None:
        for name in os.listdir(folder):
            if ".checkpoint." in name and not name.endswith(".new"):
                try:
                    size = os.path.getsize(os.path.join(folder, name))
                except FileNotFoundError:
                    pass
        time.sleep(0.05)
    spent = time.monotonic() - began
    if process.returncode:
        sys.exit(f"checkpoints: the study ends with {process.returncode}")
    with h5py.File(result, "r") as f:
        return spent, f["run"].attrs["checkpoints"], f["run"].attrs["checkpoint_seconds_most"], size


if __name__ == "__main__":
    print(
        f"\n"
        f"checkpoints, double pendulum, rattle, "
        f"one rank: cost of one against the default interval of {DEFAULT} s"
    )
    print("  members     bytes  seconds each  slowest, order to end  part of a run")
    with tempfile.TemporaryDirectory() as folder:
        study = os.path.join(folder, "bench.yaml")
        for members in (64, 512, 4096):
            with open(study, "w") as f:
                f.write(STUDY.format(members=members, end=1.024e6 / members))
            costs, slowest, bytes_of_one = [], 0, 0
            for _ in range(PAIRS):
                without = run(folder, study, 1e6)
                with_them = run(folder, study, 0.1)
                costs.append((with_them[0] - without[0]) / max(with_them[1], 1))
                slowest, bytes_of_one = max(slowest, with_them[2]), with_them[3]
            cost = statistics.median(costs)
            print(
                f"  {members:7d} {bytes_of_one:9d}  {cost:12.4f}  {slowest:21.4f}  {100 * max(cost, 0) / DEFAULT:11.4f} %"
            )
