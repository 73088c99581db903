"""test_agree.py: ranks that are not started alike, or do not share the file, end with a message that names the
rank and its host; none waits for another."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import shutil
import socket
import subprocess
import time

from survive import STRIKE, finish

from cli import ENVIRONMENT, PROGRAM, by_rank, done, note, ok, path, scratch, skip, together, write

STUDY = """study: conservation
system: double-pendulum
initial: {members: 8, seed: 7, spread: {q: 0.1, v: 0.1}}
end: 4.0
steps: [0.02]
methods: [rattle]
"""


def run_ranks(ranks, env=None, folders=None):
    """(exit status, stderr, seconds) of a run with a command for each rank, in a folder of its own."""
    process = subprocess.Popen(
        by_rank(ranks, folders),
        env={**ENVIRONMENT, **(env or {})},
        cwd=scratch(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    begun = time.monotonic()
    status, out, err = finish(process)
    return status, err, time.monotonic() - begun


def refused(name, ranks, *expected):
    def test():
        status, err, seconds = run_ranks(ranks)
        host = socket.gethostname()
        ok(status == 2, f"{name}: exit status 2", status, err)
        ok(
            re.search(rf"constella: error: .*rank 1 on host {host}", err),
            f"{name}: the message names the rank and its host",
            err,
        )
        for text in expected:
            ok(text in err, f"{name}: it says '{text}'", err)
        note(f"{name}: {seconds:.1f} s")

    test.__name__ = name
    return test


def command(study, result, *words, program=PROGRAM):
    return [program, "run", study, "-o", result, "--progress", "none", *words]


def options(study):
    result = path("options.h5")
    alike = command(study, result)
    other = write("other.yaml", STUDY.replace("0.02", "0.01"))
    yield refused("another --batch", [alike, command(study, result, "--batch", "4")], '"--batch: 4"')
    yield refused("another study", [alike, command(other, result)], "other.yaml")
    # at its end PETSc would wait on one rank for the others
    yield refused("-log_view on a rank", [alike, command(study, result, "-log_view")], "-log_view")


def build_identifier(program):
    text = subprocess.run(["readelf", "-n", program], capture_output=True, encoding="utf-8").stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", text)
    return found and bytes.fromhex(found[1])


def version(study):
    """A copy of the program that differs in the linker's identifier only."""
    name, result = "another program", path("version.h5")
    build = shutil.which("readelf") and build_identifier(PROGRAM)
    if not build:
        yield lambda: skip(name, "no readelf, or a program without a build identifier")
        return
    with open(PROGRAM, "rb") as f:
        text = f.read()
    copy = write("constella-copy", text.replace(build, build[::-1]))
    os.chmod(copy, 0o755)
    ranks = [command(study, result), command(study, result, program=copy)]
    yield refused(name, ranks, build[::-1].hex())


def folders(study):
    one, two = scratch(), scratch()
    ranks = [command(study, "r.h5")] * 2

    def test():
        status, err, seconds = run_ranks(ranks, folders=[one, two])
        ok(status == 0 or (status == 2 and "rank 1 on host" in err), "other folders: it ends", status, err)
        ok(not os.listdir(two), "other folders: rank 1 makes no file of its own", os.listdir(two))
        left = os.listdir(one)
        ok(left == (["r.h5"] if status == 0 else []), "other folders: no half of a file is left", left)
        note(f"other folders: status {status}, {seconds:.1f} s")

    yield test


def may_mount():
    probe = ["unshare", "-m", "mount", "-t", "tmpfs", "none", scratch()]
    return shutil.which("unshare") and not subprocess.run(probe, capture_output=True).returncode


def memories(study):
    """Each rank has a /dev/shm of its own, as in containers: Open MPI 4.1 makes no window in it, and waits for ever."""
    if not may_mount():
        yield lambda: skip("a /dev/shm of each rank", "no right to mount")
        return
    inside = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh"]

    def test():
        run = inside + command(study, path("memories.h5"), "--checkpoint-seconds", "0.01")
        process = subprocess.Popen(by_rank([run, run]), env={**ENVIRONMENT, "OMPI_MCA_osc": "^rdma"}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)  # fmt: skip
        status, out, err = finish(process)
        ok(status == 0 and "complete" in out, "a /dev/shm of each rank: the run is complete", status, out, err)

    yield test


def disks(study):
    """Rank 1 in a mount namespace of its own, where the folder is another disk, or cannot be written."""
    if not may_mount():
        yield lambda: skip("a disk of its own, a rank that cannot write", "no right to mount")
        return
    for name, mount, expected in (
        ("a disk of its own", "mount -t tmpfs none $0", "one and the same"),
        ("a rank that cannot write", "mount --bind $0 $0 && mount -o remount,bind,ro $0", "Read-only"),
    ):
        folder = scratch()
        run = command(study, os.path.join(folder, "r.h5"))
        inside = ["unshare", "-m", "bash", "-c", f'{mount} && exec "$@"', folder, *run]
        yield refused(name, [run, inside], expected)


def devices(study):
    """The clients of a network file system see other device numbers: this is no disagreement."""

    def test():
        env = {"LD_PRELOAD": STRIKE, "STRIKE_DEVICE": "1"}
        run = command(study, path("devices.h5"), "--checkpoint-seconds", "0.01")
        status, err, seconds = run_ranks([run, run, run], env)
        ok(status == 0, "other device numbers: the run is complete", status, err)

    yield test


if __name__ == "__main__":
    study = write("study.yaml", STUDY)
    together([t for f in (options, version, folders, disks, devices, memories) for t in f(study)], most=2)
    done()
