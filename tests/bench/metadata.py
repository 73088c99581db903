"""metadata.py: what each rank asks of the file system for files of a result: calls that a parallel file system sends
to its server of metadata. Rank 0 makes, names and removes files; all others open two, whatever the number of ranks.
Ends with 1 if a count of these grows with the number of ranks. Needs strace.

metadata.py [PROGRAM]
"""
# SPDX-License-Identifier: BSD-2-Clause
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f"{BUILD}/constella")
CALLS = (
    "openat open stat lstat newfstatat statx fstat unlink unlinkat rename fsync fdatasync mkdir ftruncate truncate "
    "fallocate readlink access faccessat faccessat2 statfs fstatfs getdents64"
).split()
RANKS = (2, 4, 16)
STUDY = """study: conservation
system: double-pendulum
initial: {members: 64, seed: 7, spread: {q: 0.05, v: 0.05}}
end: 50.0
steps: [0.025]
methods: [rattle]
"""
TRACE = f'exec strace -f -y -o $0/../trace.$OMPI_COMM_WORLD_RANK -e trace={",".join(CALLS)} "$@"'


def counts(folder, ranks):
    """For each rank: calls on files of the result, and on those of checkpoints."""
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    os.mkdir(out)
    study = os.path.join(folder, "s.yaml")
    words = ["run", study, "-o", f"{out}/r.h5", "--progress", "none", "--batch", "8", "--checkpoint-seconds", "1000"]
    env = dict(
        os.environ,
        OMPI_MCA_rmaps_base_oversubscribe="1",
        PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",  # Open MPI 5
        OMPI_MCA_mpi_yield_when_idle="1",
    )
    subprocess.run(
        ["mpirun", "-n", str(ranks), "bash", "-c", TRACE, out, PROGRAM, *words],
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    found = []
    for rank in range(ranks):
        with open(os.path.join(folder, f"trace.{rank}")) as f:
            lines = [x for x in f if out + "/" in x or f'"{out}"' in x]
        names = [re.match(r"\d+ +(\w+)\(", x) for x in lines]
        found.append(collections.Counter(x[1] for x in names if x))
    return found


def main():
    if not shutil.which("strace"):
        print("metadata: no strace")
        return 0
    print("\ncalls on the metadata of a result, without checkpoints (each: one open, one fsync, one close per rank)")
    most = {}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "s.yaml"), "w") as f:
            f.write(STUDY)
        for ranks in RANKS:
            found = counts(folder, ranks)
            other = max(found[1:], key=lambda x: x.total())
            most[ranks] = (found[0].total(), other.total())
            print(f"  {ranks:3d} ranks: rank 0 {found[0].total()}, another at most {other.total()}: {dict(other)}")
    grows = any(most[n][k] > most[RANKS[0]][k] for n in RANKS for k in (0, 1))
    print("  they grow with the number of ranks" if grows else "  they do not grow with the number of ranks")
    return int(grows)


if __name__ == "__main__":
    sys.exit(main())
