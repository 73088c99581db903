"""test_disk.py: disks that fill at any byte, and calls that fail on one rank while all do something together: the
run ends soon, with a reason, gives no file a name that is not whole, and --resume gives the same bytes."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess
import time

from survive import STRIKE, finish, same, start

from cli import constella, digests, done, note, ok, path, scratch, skip, together, write

ALL = os.environ.get("CONSTELLA_TEST_ALL")
RANKS = [0, 2, 4] if ALL else [0, 2]
# bytes that a disk has more than the result takes: too small for the rows, for the metadata, for a checkpoint
ROOM = [*range(-60000, 70000, 4096)] if ALL else [-60000, -16000, -4000, 4096]
STUDY = """study: conservation
system: double-pendulum
initial: {members: 32, seed: 7, spread: {q: 0.05, v: 0.05}}
end: 20.0
steps: [0.025]
methods: [rattle]
"""
REASON = {
    "ENOSPC": "No space left on device",
    "EDQUOT": "Disk quota exceeded",
    "EIO": "Input/output error",
}


def mounted(folder, size, *also):
    options = ",".join([f"size={size}", *also])
    return not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True
    ).returncode


def left(folder):
    return sorted(x for x in os.listdir(folder) if not re.search(r"\.checkpoint\.\d+$", x))


def full(study, whole, first, ranks):
    folder = scratch()
    if not mounted(folder, 1 << 20):
        skip(f"full disks, {ranks or 1} ranks", "no right to mount")
        return
    subprocess.run(["umount", folder], check=True)
    result = os.path.join(folder, "r.h5")
    longest = 0
    for room in ROOM:
        name = f"{room} bytes, {ranks or 1} ranks"
        mounted(folder, os.path.getsize(whole) + room)
        try:
            begun = time.monotonic()
            status, out, err = finish(start(study, result, ranks, "--batch", 8, checkpoint=0.02))
            longest = max(longest, time.monotonic() - begun)
            ok(status in (0, 1), f"{name}: it ends", status, out, err)
            ok(status == 0 or REASON["ENOSPC"] in err, f"{name}: it says why", status, err)
            ok(left(folder) in ([], ["r.h5"]), f"{name}: no half of a file is left", left(folder))
            mounted(folder, os.path.getsize(whole) * 4, "remount")
            status, out, err = finish(start(study, result, ranks))
            ok(status == 0, f"{name}: with room it goes on", status, out, err)
            same(name, first, result)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
    note(f"full disks, {ranks or 1} ranks: the longest run took {longest:.1f} s")


# call, name of the file at its end, error, ranks, rank
STRUCK = [
    ("pwrite:1", ".new", "EDQUOT", 3, "0"),  # HDF5, or the token, of rank 0
    ("pwrite:1", ".new", "EIO", 3, "1"),  # the fill values of another rank
    ("fsync:1", ".new", "EIO", 2, "0"),
    ("fsync:2", ".new", "EDQUOT", 2, "0"),  # the first flush
    ("pwrite:2", ".h5$", "EIO", 2, "1"),  # rows
    ("rename:1", ".h5$", "EIO", 2, "0"),
    ("fsync:1", ".h5$", "EDQUOT", 2, "0"),  # the close
    ("fsync:2", ".h5$", "EIO", 2, "0"),  # the state, after the rows
    ("pwrite:40", ".new", "EIO", 2, "0"),  # what rank 0 alone writes before the first flush: cases
    ("pwrite:60", ".new", "ENOSPC", 2, "0"),  # and columns
    ("pwrite:2", ".h5$", "ENOSPC", 2, "0"),
    ("pwrite:1", ".h5$", "EIO", 2, "0"),  # what it writes alone behind it
]


def struck(study, first, call, where, what, ranks, rank):
    name = f"{what} in {call} of {where} on rank {rank} of {ranks}"
    result = path(re.sub(r"\W", "-", name) + ".h5")
    env = {"LD_PRELOAD": STRIKE, "STRIKE": f"{call}:{what}", "STRIKE_PATH": where, "STRIKE_RANK": rank}
    begun = time.monotonic()
    status, out, err = finish(start(study, result, ranks, "--batch", 8, env=env, checkpoint=100))
    seconds = time.monotonic() - begun
    ok(status == 1, f"{name}: exit status 1", status, out, err)
    ok(REASON[what] in err and "constella: error" in err, f"{name}: it says why", err)
    if os.path.exists(result):
        text = constella("status", result).stdout
        ok(text.startswith("state         interrupted"), f"{name}: the file is readable, and not complete", text)
    beside = [x for x in os.listdir(path("")) if x.startswith(os.path.basename(result))]
    ok(not [x for x in beside if x.endswith(".new")], f"{name}: no half of a file is left", beside)
    status, out, err = finish(start(study, result, 0))
    ok(status == 0, f"{name}: --resume ends with 0", status, out, err)
    same(name, first, result)
    note(f"{name}: {seconds:.1f} s")


if __name__ == "__main__":
    study = write("study.yaml", STUDY)
    whole = path("whole.h5")
    finish(start(study, whole, 0))
    first = digests(whole)
    tests = [lambda n=n: full(study, whole, first, n) for n in RANKS]
    tests += [lambda s=s: struck(study, first, *s) for s in (STRUCK if ALL else STRUCK[1::2])]
    together(tests, most=2)
    done()
