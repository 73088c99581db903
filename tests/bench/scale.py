"""scale.py: checkpoints of many ranks on a slow disk: what one takes, and for how long ranks wait meanwhile.

The same study on several numbers of ranks, more than there are cores, with states as large as those of many
ranks; the disk is made slow by scale.c. For each: bytes of a checkpoint, seconds from its order to its end,
and of rank 0 and of the other one that waits longest: the seconds in polls and for the disk, per
checkpoint.

scale.py [PROGRAM] [--tcp]: --tcp: messages and polls go through sockets, where rank 0 has to answer.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import subprocess
import sys
import tempfile

import h5py

BUILD = os.environ.get("BUILD", "build")
WORDS = [x for x in sys.argv[1:] if not x.startswith("--")]
PROGRAM = os.path.abspath(WORDS[0] if WORDS else f"{BUILD}/constella")
# of the disk: bytes per second of one process, of all; seconds of an fsync
CLIENT, TOTAL, WAIT = (50e6, 1e9, 0.02)
INTERVAL = 2
RUNS = (  # ranks, lanes of a batch: 500 bytes of a checkpoint each
    (2, 1024),
    (2, 16384),
    (2, 65536),
    (8, 1024),
    (8, 16384),
    (32, 1024),
    (32, 8192),
    (64, 1024),
)
SECONDS = 20
STUDY = """study: ensemble
system: planar-pendulum
initial: {members: 1048576, seed: 1, around: default, spread: {v: 0.05}}
end: 200
steps: [0.01]
methods: [rattle]
"""
TCP = ["--mca", "osc", "pt2pt", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"]


def run(folder, ranks, lanes):
    result, waited = os.path.join(folder, "scale.h5"), os.path.join(folder, "waited")
    env = dict(
        os.environ,
        OMPI_MCA_rmaps_base_oversubscribe="1",
        PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",  # Open MPI 5
        OMPI_MCA_mpi_yield_when_idle="1",
        SLOW_DISK=".checkpoint.",
        SLOW_DISK_CLOCK=os.path.join(folder, "clock"),
        SLOW_DISK_CLIENT=str(CLIENT),
        SLOW_DISK_TOTAL=str(TOTAL),
        SLOW_DISK_WAIT=str(WAIT),
        WAITED=waited,
    )
    if os.path.exists(waited):
        os.remove(waited)
    program = [
        PROGRAM,
        "run",
        os.path.join(folder, "scale.yaml"),
        "-o",
        result,
        "--overwrite",
        "--progress",
        "none",
    ]
    process = subprocess.Popen(
        [
            *("mpirun", "--bind-to", "none", "-n", str(ranks)),
            *(TCP if "--tcp" in sys.argv else []),
            *("-x", f"LD_PRELOAD={os.path.abspath(BUILD)}/tests/bench/scale.so"),
            *program,
            *(
                "--batch",
                str(lanes),
                "--checkpoint-seconds",
                str(INTERVAL),
                "--max-hours",
                str(SECONDS / 3600),
            ),
        ],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if process.wait() not in (0, 75):
        sys.exit(f"scale: {ranks} ranks end with {process.returncode}")
    size = max(os.path.getsize(os.path.join(folder, x)) for x in os.listdir(folder) if ".checkpoint." in x)
    with h5py.File(result, "r") as f:
        n, longest = f["run"].attrs["checkpoints"], f["run"].attrs["checkpoint_seconds_most"]
    with open(waited) as f:
        found = {int(r): [float(x) for x in rest] for r, *rest in (line.split() for line in f)}
    others = [found[r] for r in found if r]
    polls = sum(x[0] for x in found.values()), sum(x[1] for x in others) / sum(x[0] for x in others)
    print(
        f"  {ranks:5d} {size / 1e6:8.1f} {n:4.0f} {longest:8.2f} {found[0][2] / n:8.2f} "
        f"{max(x[2] for x in others) / n:8.2f} {max(x[1] for x in others) / SECONDS * 100:8.1f} {1e3 * polls[1]:8.2f}",
        flush=True,
    )


if __name__ == "__main__":
    print(
        f"\n"
        f"checkpoints every {INTERVAL} s, disk of {CLIENT / 1e6:.0f} MB/s per process, "
        f"{TOTAL / 1e6:.0f} MB/s in all"
    )
    print("  seconds: the slowest, order to end; in which the main thread waits for the disk, per checkpoint")
    print("  ranks       MB   no  seconds   rank 0   others  % polls  ms each")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scale.yaml"), "w") as f:
            f.write(STUDY)
        for ranks, lanes in RUNS:
            run(folder, ranks, lanes)
