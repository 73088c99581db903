"""test_faults.py: full disks, failing calls, damaged and foreign checkpoints, removed files, two runs on one
output: their messages, and that nothing is lost."""
# SPDX-License-Identifier: BSD-2-Clause
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys

import h5py
from survive import STRIKE, checkpoints, cpu, finish, kill_all, ranks_of, same, start

from cli import ENVIRONMENT, PROGRAM, constella, differences, digests, done, note, ok, path, run, scratch, skip, write
from held import Gate, lingering, ticking, until

STUDY = """
study: conservation
system: double-pendulum
initial: {members: 64, seed: 7, around: default, spread: {q: 0.1, v: 0.1}}
end: 150.0
steps: [0.01]
methods: [rattle, "compose(rattle, yoshida4)"]
"""
LONG = STUDY.replace("150.0", "200000.0")  # for runs that are stopped


def read(name):
    with open(path(name)) as f:
        return f.read()


def interrupted(name, study, count=2):
    """A file that a killed run left with `count` checkpoints; its path."""
    result, gate = path(name + ".h5"), Gate(f"rename:{count + 1}", ".checkpoint.")
    process = start(study, result, 0, "--batch", 16, env={**lingering(), **gate.env}, checkpoint=0.05)
    ok(gate.reached(process), f"{name}: the next checkpoint waits for its name")
    ok(len(finished(result)) == count, f"{name}: checkpoints are written", checkpoints(result))
    kill_all(process)
    finish(process)
    beside = [x for x in os.listdir(os.path.dirname(result)) if x.startswith(name + ".h5.")]
    ok(not [x for x in beside if "data." in x], f"{name}: no file of Open MPI is left", beside)
    return result


def finished(result):
    return [x for x in checkpoints(result) if not x.endswith(".new")]


def resumed(name, study, result, first, *expected, ranks=2):
    status, out, err = finish(start(study, result, ranks))
    ok(status == 0, f"{name}: resumed, it ends with 0", status, out, err)
    for text in expected:
        ok(text in err, f"{name}: it says '{text}'", err)
    same(name, first, result)
    ok(not checkpoints(result), f"{name}: no checkpoint is left", checkpoints(result))


# ---- calls that fail, or in which the run is killed


def struck(study, first):
    for call, where, what, ranks, rank in (
        ("fwrite:14", ".checkpoint.", "ENOSPC", 0, ""),
        ("fsync:2", ".checkpoint.", "EIO", 2, ""),
        ("rename:2", ".checkpoint.", "EIO", 2, ""),
        ("fwrite:13", ".checkpoint.", "KILL", 2, ""),
        ("fsync:2", ".checkpoint.", "KILL", 2, ""),
        ("rename:2", ".checkpoint.", "KILL", 0, ""),
        ("pwrite:40", ".h5", "KILL", 2, ""),
        ("fsync:1", ".h5$", "EIO", 2, ""),
        # in a rank's own part of a checkpoint, the second one
        ("pwrite:3", ".checkpoint.", "KILL", 3, "1"),
        ("pwrite:4", ".checkpoint.", "ENOSPC", 3, "2"),
        ("fsync:2", ".checkpoint.", "EIO", 3, "1"),
        ("fsync:2", ".checkpoint.", "KILL", 3, "2"),
    ):
        name = f"{what} in {call} of {where}{rank and ' on rank '}{rank}"
        result = path(re.sub(r"\W", "-", name) + ".h5")
        env = {"LD_PRELOAD": STRIKE, "STRIKE": f"{call}:{what}", "STRIKE_PATH": where}
        # One checkpoint follows another, and each rank has work until it is struck.
        env |= {"STRIKE_PAUSE": "0.05"} | ({"STRIKE_RANK": rank} if rank else {})
        status, out, err = finish(start(study, result, ranks, "--batch", 1 if rank else 16, env=env, checkpoint=1e-6))
        ok(status not in (0, 2, 75, None), f"{name}: the run fails", status, out, err)
        if what != "KILL":
            ok(status == 1, f"{name}: exit status 1", status)
            reason = {"ENOSPC": "No space left on device", "EIO": "Input/output error"}[what]
            ok(reason in err and "--resume" in err, f"{name}: it says why", err)
            ok(
                constella("status", result).stdout.startswith("state         interrupted"),
                f"{name}: the file is readable, and says interrupted",
            )
            ok(
                not any(x.endswith(".new") for x in checkpoints(result)),
                f"{name}: no half of a checkpoint is left",
                checkpoints(result),
            )
        resumed(name, study, result, first, ranks=0 if ranks else 2)


# ---- checkpoints that are damaged or of something else


def damaged(study, first):
    def cut(data):
        return data[: len(data) // 2]

    def flip(data):
        return data[: len(data) // 3] + bytes([data[len(data) // 3] ^ 16]) + data[len(data) // 3 + 1 :]

    for title, change, ranks in (("cut short", cut, 2), ("with a flipped bit", flip, 0)):
        result = interrupted(title.replace(" ", "-"), study)
        newest = os.path.join(
            os.path.dirname(result), finished(result)[-1]
        )
        with open(newest, "rb") as f:
            data = f.read()
        with open(newest, "wb") as f:
            f.write(change(data))
        resumed(f"a checkpoint {title}", study, result, first, "is damaged", "the one before it is used", ranks=ranks)
    result = interrupted("all-damaged", study)
    for x in checkpoints(result):
        os.truncate(os.path.join(os.path.dirname(result), x), 100)
    before = digests(result)
    status, out, err = finish(start(study, result, 0))
    ok(
        status == 2 and "all of its checkpoints are damaged" in err,
        "with all checkpoints damaged nothing is begun",
        status,
        err,
    )
    ok(before == digests(result), "and the file stays as it was")


def foreign(study, first):
    result = interrupted("foreign", study)
    other = write("other.yaml", STUDY.replace("[0.01]", "[0.02]"))
    status, out, err = finish(start(other, result, 2))
    ok(
        status == 2 and "holds another study" in err and "0.01" in err and "0.02" in err,
        "a study with other steps is refused with what differs",
        status,
        err,
    )
    program = path("another-build")
    note_bytes = subprocess.run(["readelf", "-n", PROGRAM], stdout=subprocess.PIPE, text=True).stdout
    build = bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", note_bytes).group(1))
    with open(PROGRAM, "rb") as f:
        data = f.read()
    with open(program, "wb") as f:
        f.write(data.replace(build, build[::-1]))
    os.chmod(program, 0o755)
    process = subprocess.run(
        [program, "run", study, "-o", result, "--resume"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ok(
        process.returncode == 2
        and "build: " + build.hex() in process.stderr
        and build[::-1].hex() in process.stderr,
        "another build is refused with what differs",
        process.returncode,
        process.stderr,
    )
    process = constella("run", study, "-o", result)
    ok(
        process.returncode == 2 and "--resume continues it" in process.stderr,
        "without --resume an unfinished file is not touched",
        process.stderr,
    )
    process = constella("run", study, "-o", result, "--resume", "--overwrite")
    ok(process.returncode == 2, "--resume and --overwrite together are refused", process.stderr)
    aside = result + "-aside"
    os.rename(result, aside)
    status, out, err = finish(start(study, result, 0))
    ok(
        status == 2 and "is missing" in err,
        "checkpoints without their file are refused with the reason",
        status,
        err,
    )
    shutil.copy(path("undisturbed.h5"), result)
    status, out, err = finish(start(study, result, 0))
    ok(
        status == 0 and "complete already" in out,
        "a complete file of the same study is left as it is",
        status,
        err,
    )
    os.rename(aside, result)
    resumed("after all that", study, result, first)


def many(study, first):
    """More files with names of checkpoints than anybody keeps, all newer than a good one. The program did not
    make them, and leaves them."""
    result = interrupted("many", study)
    for number in range(1000, 1080):
        write(f"many.h5.checkpoint.{number}", "no checkpoint")
    status, out, err = finish(start(study, result, 0))
    ok(status == 0 and "checkpoint 1079 of" in err, "many: resumed, it ends with 0", status, out, err)
    same("many", first, result)
    numbers = {int(x.rsplit(".", 1)[1]) for x in checkpoints(result)}
    ok(numbers == set(range(1000, 1080)), "many: those of others are left", numbers)
    ok(read("many.h5.checkpoint.1000") == "no checkpoint", "many: as they were")


def occupied(study, first):
    """A folder, and a link to a file, with names of checkpoints."""
    result, target = path("occupied.h5"), write("target", "precious")
    os.mkdir(result + ".checkpoint.1")
    os.symlink(target, result + ".checkpoint.2")
    status, out, err = finish(start(study, result, 0, env=ticking(), checkpoint=1000))
    ok(status == 0 and os.path.isdir(result + ".checkpoint.1"), "occupied: the run goes on", status, err)
    with h5py.File(result) as f:
        ok(f["run"].attrs["checkpoints"] > 2, "occupied: with checkpoints", f["run"].attrs["checkpoints"])
    ok(os.path.islink(result + ".checkpoint.2") and read("target") == "precious", "occupied: a link is left")
    same("occupied", first, result)


def unmade(study):
    """The first checkpoint cannot be made."""
    env = {"STRIKE": "fwrite:1:ENOSPC", **lingering()}
    status, out, err = finish(start(study, path("unmade.h5"), 0, env=env, checkpoint=0.05))
    ok(
        status == 1 and "unmade.h5.checkpoint.1 cannot be written: No space left" in err,
        "a checkpoint that cannot be made is named",
        status,
        err,
    )
    ok("--resume starts anew: there is no checkpoint" in err, "and there is none before it", err)


def probed(study, first):
    """A run that is killed where it has found that a file can be made at its path."""
    result = path("probed.h5")
    env = {"LD_PRELOAD": STRIKE, "STRIKE": "unlink:1:KILL", "STRIKE_PATH": "probed.h5"}
    status, out, err = finish(start(study, result, 0, env=env))
    ok(status == -signal.SIGKILL and not os.path.exists(result), "probed: no file of the result's name is left", status, out, err)
    resumed("probed", study, result, first, ranks=0)
    beside = [x for x in os.listdir(os.path.dirname(result)) if x.startswith("probed.h5.") and x.endswith(".new")]
    ok(not beside, "probed: nothing is left of it", beside)


def left(study, first):
    """A run that is killed after it has completed the file and before it removes its checkpoints."""
    result = interrupted("left", study)
    folder = os.path.dirname(result)
    kept = finished(result)
    aside = scratch()  # in the same folder they would be those of a former name, and go too
    for name in kept:
        shutil.copy(os.path.join(folder, name), aside)
    resumed("left", study, result, first, ranks=0)
    for name in kept:
        shutil.move(os.path.join(aside, name), folder)
    status, out, err = finish(start(study, result, 2))
    ok(status == 0 and "complete already" in out, "left: the file is complete", status, out, err)
    ok(not checkpoints(result), "left: its checkpoints are removed", checkpoints(result))


def replaced(study, first):
    """A file that is overwritten by a run that is killed before its first checkpoint: old checkpoints do not
    interfere."""
    result = interrupted("replaced", study)
    process = subprocess.Popen(
        [PROGRAM, "run", study, "-o", result, "--overwrite", "--progress", "none"],
        env={**ENVIRONMENT, **lingering()},
        stdout=subprocess.DEVNULL,
    )
    gone = until(lambda: not checkpoints(result), "the checkpoints are removed", process)
    ok(gone and process.poll() is None, "replaced: the checkpoints go with the file")
    process.kill()
    process.wait()
    resumed("replaced", study, result, first, "was interrupted before its first checkpoint", ranks=0)


# ---- files and folders


def removed():
    result = path("removed.h5")
    process = start(write("removed.yaml", LONG), result, 2, checkpoint=0.1)
    ok(until(lambda: finished(result), "a checkpoint", process), "removed: a checkpoint is written")
    os.rename(result, result + "-aside")
    status, out, err = finish(process)
    ok(
        status == 1 and "removed or replaced during the run" in err,
        "a result that is removed under the run ends it",
        status,
        err,
    )


MOVE = "F = h5py.File(f, 'a'); F.copy('final/q', 'q'); del F['final/q']; F.move('q', 'final/q')"
OTHERS = {  # what another program does with the result during a run: what it says, how the run ends, and what it says
    "reads it": ("h5py.File(f, 'r')", "", 0, "complete"),
    "opens it for writing": ("h5py.File(f, 'a')", "lock", 0, "complete"),
    "adds to it, without locks": ("F = h5py.File(f, 'a'); F['mine/x'] = list(range(500)); F['more'] = 1.5", "", 0, "complete"),
    "begins it anew": ("h5py.File(f, 'w')", "lock", 1, "another program has cut the file or begun it anew"),
    "cuts it": ("os.truncate(f, 20000)", "", 1, "another program has cut the file or begun it anew"),
    "moves a dataset": (MOVE, "", 1, "/final/q is not where the run writes it"),
    "overwrites what is in it": ("x = open(f, 'r+b'); x.seek(48); x.write(bytes(400))", "", 1, "cannot be read back"),
}  # fmt: skip


def others():
    """Another program does something with the result while a run waits where its second checkpoint gets its name."""
    text = STUDY.replace("150.0", "40.0")
    study, first = write("others.yaml", text), digests(run("others", text)[1])
    for number, (what, (code, said, expected, told)) in enumerate(OTHERS.items()):
        result, gate = path(f"others-{number}.h5"), Gate("rename:2", ".checkpoint.", 0)
        process = start(study, result, 2, env=gate.env, checkpoint=0.05)
        ok(gate.reached(process), f"another program {what}: during a run")
        env = {**ENVIRONMENT, **({"HDF5_USE_FILE_LOCKING": "FALSE"} if "without" in what or code == MOVE else {})}
        line = [sys.executable, "-c", f"import h5py, os, sys; f = sys.argv[1]; {code}", result]
        other = subprocess.run(line, capture_output=True, text=True, env=env)
        ok(said in other.stderr if said else not other.returncode, f"another program {what}: it is {'refused' if said else 'let'}", other.stderr)
        gate.open()
        status, out, err = finish(process)
        ok(status == expected and told in out + err, f"another program {what}: the run {'goes on' if not expected else 'says so'}", status, out, err)
        if not expected:
            found = {x: y for x, y in digests(result).items() if x not in ("mine/x", "more")}
            ok(not differences(first, found), f"another program {what}: the same bits", differences(first, found))
        elif "cut" in told:
            ok("--resume" not in err, f"another program {what}: no advice to resume", err)
            again = constella("run", study, "-o", result, "--resume")
            ok(again.returncode == 2 and told_of_loss(again.stderr, result), f"another program {what}: --resume says what helps", again.stderr)
        else:
            ok(checkpoints(result), f"another program {what}: the checkpoints stay")
        if code == MOVE:
            ok(constella("status", result).stdout.startswith("state         interrupted"), f"another program {what}: it is not complete")
            resumed(f"another program {what}", study, result, first, ranks=0)
    late(study)
    network(study, first)


def told_of_loss(said, result):
    return f"Its checkpoints {result}.checkpoint.N stay" in said and "put a whole copy of it back" in said and "--overwrite" in said


def late(study):
    """Another program moves a dataset, and no checkpoint follows."""
    result = path("late.h5")
    gate = Gate("clock:8", result)
    process = start(study, result, 0, env=gate.env, checkpoint=1000)
    gate.reached(process)
    subprocess.run([sys.executable, "-c", f"import h5py; f = {result!r}; {MOVE}"], env={**ENVIRONMENT, "HDF5_USE_FILE_LOCKING": "FALSE"}, check=True)
    gate.open()
    status, out, err = finish(process)
    ok(status == 1 and "/final/q is not where the run writes it" in err, "a dataset is moved before the end: the run says so", status, out, err)
    ok(constella("status", result).stdout.startswith("state         interrupted"), "and is not complete")


def network(study, first):
    """On a network file system, where a lock of the whole file would be in the way of ranks, none is held."""
    result, gate = path("network.h5"), Gate("rename:2", ".checkpoint.", 0)
    process = start(study, result, 2, env={**gate.env, "STRIKE_NFS": "1"}, checkpoint=0.05)
    gate.reached(process)
    other = subprocess.run([sys.executable, "-c", f"import h5py; h5py.File({result!r}, 'a')"], capture_output=True, text=True)
    ok(other.returncode == 0, "NFS: no lock of the whole file", other.stderr)
    gate.open()
    status, out, err = finish(process)
    ok(status == 0, "NFS: two ranks end", status, out, err)
    same("NFS", first, result)


def twice():
    study, result = write("twice.yaml", LONG), path("twice.h5")
    gate = Gate("clock:5", result)
    process = start(study, result, 2, checkpoint=1000, env=gate.env)
    ok(gate.reached(process, 2), "twice: the first run is at work")
    ranks = gate.held().values()
    for word in ("--resume", "--overwrite"):
        second = constella("run", study, "-o", result, word)
        owner = re.search(
            r"is being written by process (\d+) on host (\S+)|live run \(process (\d+)", second.stderr
        )
        ok(
            second.returncode == 2 and owner,
            f"a second run with {word} is refused with who is at work",
            second.returncode,
            second.stderr,
        )
        ok(
            owner and int(owner.group(1) or owner.group(3)) in ranks,
            "it names a process of the first run",
            second.stderr,
        )
    ok(process.poll() is None, "the first run goes on")
    os.kill(process.pid, signal.SIGUSR1)
    gate.heard(process)
    gate.open()
    status, out, err = finish(process)
    ok(status == 75, "and stops when it is told to", status, err)


def mounted(size):
    """A small file system; None where the user may not mount one."""
    folder = scratch()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], stderr=subprocess.DEVNULL
    )
    return folder if made.returncode == 0 else None


def full(study, first):
    size, one = os.path.getsize(path("undisturbed.h5")), max(
        os.path.getsize(os.path.join(os.path.dirname(SAMPLE), x)) for x in checkpoints(SAMPLE)
    )
    page = 4096
    folder = mounted((size + 70000 + one + one // 2) // page * page)
    if not folder:
        skip("a full disk", "mounting a small file system needs root")
        return
    try:
        result = os.path.join(folder, "full.h5")
        status, out, err = finish(start(study, result, 2, "--batch", 16, env=lingering(), checkpoint=0.05))
        ok(
            status == 1 and "No space left on device" in err,
            "a full disk: exit status 1 with the reason",
            status,
            out,
            err,
        )
        ok(len(checkpoints(result)) == 1, "a full disk: the last checkpoint is there", checkpoints(result))
        subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
        resumed("a full disk with space again", study, result, first, ranks=0)
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        process = constella("run", study, "-o", os.path.join(folder, "new.h5"))
        ok(
            process.returncode == 2 and "Read-only file system" in process.stderr,
            "a read-only folder is refused",
            process.returncode,
            process.stderr,
        )
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


# ---- signals


def alone():
    """One process, without a launcher: each signal that the program handles."""
    study = write("alone.yaml", LONG)
    for which in (
        signal.SIGTERM,
        signal.SIGINT,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGHUP,
        signal.SIGQUIT,
        signal.SIGXCPU,
    ):
        result = path(f"alone-{which.name}.h5")
        gate = Gate("clock:20", result)
        process = start(study, result, 0, checkpoint=1000, env=gate.env)
        ok(gate.reached(process), f"{which.name}: the run is at work")
        process.send_signal(which)
        gate.heard(process)
        gate.open()
        status, out, err = finish(process)
        ok(
            status == 75 and f"interrupted by {which.name}" in out,
            f"{which.name} ends with 75 and its name",
            status,
            out,
            err,
        )
        ok(
            checkpoints(result) == [os.path.basename(result) + ".checkpoint.1"],
            f"{which.name}: with a checkpoint",
            checkpoints(result),
        )


def ignored():
    """SIGHUP of a closed terminal does not end a run that nohup has started."""
    result = path("ignored.h5")
    gate = Gate("clock:20", result)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which the run inherits
    process = start(write("ignored.yaml", LONG), result, 0, checkpoint=1000, env=gate.env)
    signal.signal(signal.SIGHUP, before)
    ok(gate.reached(process), "nohup: the run is at work")
    process.send_signal(signal.SIGHUP)  # handled first, if at all: its number is the lower one
    process.send_signal(signal.SIGUSR1)
    gate.heard(process)
    gate.open()
    status, out, err = finish(process)
    ok(status == 75 and "interrupted by SIGUSR1" in out, "nohup: SIGHUP is ignored", status, out, err)


def pending(pid, which):
    """Whether a process has yet to handle a signal."""
    with open(f"/proc/{pid}/status") as f:
        sets = re.findall(r"^(?:SigPnd|ShdPnd):\s*(\w+)", f.read(), re.M)
    return any(int(x, 16) >> (which - 1) & 1 for x in sets)


def insistent():
    """A run that cannot stop, because one rank does not respond, ends at once on a second SIGINT, but not on
    one that comes together with the first. The ranks take the time from a file."""
    result, time = path("insistent.h5"), write("time", "1000000")
    gate = Gate("clock:5", result, rank=1)
    env = {**gate.env, "STRIKE_TIME": time}
    process = start(write("insistent.yaml", LONG), result, 2, checkpoint=1000, env=env)
    ok(gate.reached(process), "insistent: the run is at work")
    (first,) = set(ranks_of(process.pid)) - set(gate.held().values())
    for _ in range(2):
        os.kill(first, signal.SIGINT)
        until(lambda: process.poll() is None and not pending(first, signal.SIGINT), "SIGINT is handled", process)
    then = cpu(first)
    until(lambda: cpu(first) > then + 0.02, "work after two SIGINT", process)
    ok(
        process.poll() is None,
        "two SIGINT at one instant are one: it waits for the rank that does not answer",
    )
    write("time-later", "1000002")
    os.replace(path("time-later"), time)
    os.kill(first, signal.SIGINT)
    status, out, err = finish(process)
    ok(status not in (None, 0, 75), "one more, two seconds later, ends it", status, err)


# ---- time


def limited():
    """By a clock that goes on when it is asked, and kills the run when the limit is over: each attempt ends before."""
    first = digests(run("at-once", text := STUDY.replace("150.0", "20.0"))[1])
    study, result, limit, tick = write("limited.yaml", text), path("limited.h5"), 300, 0.03
    env = {**ticking(tick), "STRIKE": f"clock:{round(limit / tick)}:KILL"}
    words = ("run", study, "-o", result, "--resume", "--progress", "none", "--max-hours", limit / 3600)
    for attempt in range(60):
        process = constella(*words, env=env)
        if process.returncode != 75:
            break
        ok("--max-hours" in process.stdout, f"attempt {attempt} says why it ends, in time", process.stdout)
    ok(
        process.returncode == 0 and attempt > 0,
        "after some of them the study is complete",
        process.returncode,
        process.stderr,
        attempt,
    )
    same("limited", first, result)
    for word in ("0", "-1", "soon", "nan", "inf"):
        process = constella("run", study, "-o", path("never.h5"), "--max-hours", word)
        ok(
            process.returncode == 2 and "takes a number above 0" in process.stderr,
            f"--max-hours {word} is refused",
            process.stderr,
        )


def sizes():
    """Within one batch, the n-th checkpoint is as large as the first; with twice the members it is twice as
    large."""
    found = {}
    for members in (512, 1024):
        text = LONG.replace("members: 64", f"members: {members}").replace(
            '[rattle, "compose(rattle, yoshida4)"]', "[rattle]"
        )
        result, grown = path(f"sizes{members}.h5"), {}
        process = start(write(f"sizes{members}.yaml", text), result, 0, "--batch", 1024, checkpoint=0.05)

        def look():
            for x in finished(result):
                try:
                    grown.setdefault(x, os.path.getsize(os.path.join(os.path.dirname(result), x)))
                except FileNotFoundError:
                    pass
            return len(grown) >= 6

        until(look, "six checkpoints", process)
        kill_all(process)
        finish(process)
        found[members] = list(grown.values())
        ok(
            len(grown) >= 6 and max(grown.values()) < 1.02 * min(grown.values()),
            f"checkpoints of {members} members do not grow with the steps",
            grown,
        )
    if all(found.values()):
        # the series have the same size in both
        note(f"bytes of a checkpoint: {found[512][-1]} of 512 members, {found[1024][-1]} of 1024")
        ok(1.5 < found[1024][-1] / found[512][-1] < 2.1, "they are linear in the members", found)


# ---- locks that a killed process leaves


def left_locked():
    """The semaphores of Open MPI's shared file pointers as a process leaves them that is killed while it
    opens the file."""
    library = ctypes.CDLL(None)
    library.sem_open.restype = ctypes.c_void_p
    study = write("locked.yaml", STUDY.replace("150.0", "0.1"))
    for ranks in (0, 2):
        result = path(f"locked-{os.getpid()}-{ranks}.h5")
        names = [f"/OMPIO_{os.path.basename(result)}{end}".encode() for end in ("", ".new")]
        for name in names:
            library.sem_close(ctypes.c_void_p(library.sem_open(name, os.O_CREAT, 0o600, 0)))
        status, out, err = finish(start(study, result, ranks))
        ok(
            status == 0,
            f"locked semaphores of a killed process hold up no run on {max(1, ranks)} ranks",
            status,
            out,
            err,
        )
        for name in names:
            library.sem_unlink(name)


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup
    study = write("undisturbed.yaml", STUDY)
    process, result = run("undisturbed", STUDY)
    ok(process.returncode == 0, "undisturbed, it ends with 0", process.stderr)
    first = digests(result)
    SAMPLE = interrupted("sample", study)
    damaged(study, first)
    foreign(study, first)
    many(study, first)
    occupied(study, first)
    unmade(study)
    probed(study, first)
    left(study, first)
    replaced(study, first)
    struck(study, first)
    removed()
    others()
    left_locked()
    twice()
    full(study, first)
    alone()
    ignored()
    insistent()
    limited()
    sizes()
    done()
