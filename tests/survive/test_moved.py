"""test_moved.py: results that are moved, linked, copied, replaced and removed, while a run writes them and
between two runs: nothing that was computed is lost, and nothing of others is touched."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import shutil
import signal
import subprocess

import h5py
from survive import checkpoints, finish, kill_all, same, start

from cli import ENVIRONMENT, constella, digests, done, hurried, ok, path, run, write
from held import Gate, lingering, ticking, until

STUDY = """
study: conservation
system: double-pendulum
initial: {members: 64, seed: 7, around: default, spread: {q: 0.1, v: 0.1}}
end: 300.0
steps: [0.01]
methods: [rattle, "compose(rattle, yoshida4)"]
"""
LONG = STUDY.replace("300.0", "300000.0")


def finished(result):
    return [x for x in checkpoints(result) if not x.endswith(".new")]


def number(checkpoint):
    return int(checkpoint.rsplit(".", 1)[1])


def interrupted(name, ranks=0, count=2, batch=16, checkpoint=0.03, how=lingering()):
    """A result that was killed after some checkpoints, in a folder of its own."""
    folder = path(name)
    os.mkdir(folder)
    result = os.path.join(folder, "a.h5")
    gate = Gate(f"rename:{count + 1}", ".checkpoint.")
    process = start(study, result, ranks, "--batch", batch, checkpoint=checkpoint, env={**how, **gate.env})
    ok(gate.reached(process) and finished(result), f"{name}: {count} checkpoints are written")
    kill_all(process)
    finish(process)
    return result


def resumed(name, result, *expected, ranks=2):
    status, out, err = finish(start(study, result, ranks))
    ok(status == 0, f"{name}: resumed, it ends with 0", status, out, err)
    ok("starts from the beginning" not in err, f"{name}: from its checkpoint", err)
    for text in expected:
        ok(text in out + err, f"{name}: it says '{text}'", out, err)
    same(name, first, os.path.realpath(result))


def rest(folder):
    return sorted(x for x in os.listdir(folder) if x.endswith(".new") or ".lock" in x or ".checkpoint." in x)


# ---- between two runs


def renamed():
    """The result is called otherwise; its checkpoints keep their names."""
    result = interrupted("renamed")
    new = os.path.join(os.path.dirname(result), "b.h5")
    os.rename(result, new)
    status = constella("status", new).stdout
    ok("checkpoint    " in status, "renamed: status finds its checkpoint", status)
    folder, kept = os.path.dirname(new), finished(result)[-1]
    os.link(os.path.join(folder, kept), os.path.join(folder, "kept"))
    resumed("renamed", new)
    ok(not rest(folder), "renamed: no checkpoint is left", rest(folder))
    os.rename(os.path.join(folder, "kept"), os.path.join(folder, kept))  # as if killed before it was removed
    status, out, err = finish(start(study, new, 0))
    ok(status == 0 and "complete already" in out and not rest(folder), "renamed, complete: the old checkpoint is removed", out, err, rest(folder))


def linked():
    """The result is reached through a link, and through one to a folder."""
    result = interrupted("linked")
    link = path("link.h5")
    os.symlink(result, link)
    resumed("linked", link)
    ok(os.path.islink(link), "linked: the link is still one")
    result = interrupted("behind")
    os.symlink(os.path.dirname(result), path("way"))
    resumed("behind a link to its folder", os.path.join(path("way"), "a.h5"))


def cleaned():
    """The checkpoints are gone: it is not begun anew."""
    result = interrupted("cleaned")
    for name in checkpoints(result):
        os.unlink(os.path.join(os.path.dirname(result), name))
    before = digests(result)
    status, out, err = finish(start(study, result, 0))
    ok(status == 2 and "a.h5.checkpoint.N" in err, "cleaned: refused, with the names", status, err)
    ok("put its checkpoints back" in err and "--overwrite" in err, "cleaned: and both ways on", err)
    ok(digests(result) == before, "cleaned: the result is as it was")


def put_back():
    """Checkpoints in another folder, then back again."""
    result = interrupted("put-back")
    elsewhere = path("elsewhere")
    os.mkdir(elsewhere)
    new = shutil.move(result, os.path.join(elsewhere, "a.h5"))
    status, _, err = finish(start(study, new, 0))
    ok(status == 2 and elsewhere in err, "put back: without checkpoints it is refused", status, err)
    for name in checkpoints(result):
        shutil.move(os.path.join(os.path.dirname(result), name), elsewhere)
    resumed("put back", new)


def copied():
    """A copy and its original are both resumed; neither takes the other's checkpoints."""
    result = interrupted("copied")
    copy = shutil.copy(result, os.path.join(os.path.dirname(result), "copy.h5"))
    mine = finished(result)
    resumed("the copy", copy)
    ok(finished(result) == mine, "the copy leaves the checkpoints of the original", finished(result))
    resumed("the original", result)
    ok(not finished(result), "the original removes them", finished(result))


def scattered():
    """The original was renamed after it was copied, and files of others have the names of its checkpoints."""
    result = interrupted("scattered")
    folder = os.path.dirname(result)
    copy = shutil.copy(result, os.path.join(folder, "copy.h5"))
    new = os.path.join(folder, "z.h5")
    os.rename(result, new)
    with open(new + ".checkpoint.9", "w") as f:
        f.write("mine")
    resumed("scattered: the copy", copy)
    resumed("scattered: the original", new)
    ok(os.path.exists(new + ".checkpoint.9"), "scattered: a file of others is left")


def further(name, result):
    """One more checkpoint, then a kill."""
    many, gate = max(map(number, finished(result)), default=0), Gate("rename:2", ".checkpoint.")
    process = start(study, result, 0, "--batch", 16, checkpoint=0.03, env={**lingering(), **gate.env})
    newer = gate.reached(process) and max(map(number, finished(result))) > many
    ok(newer, f"{name}: a further checkpoint is written")
    kill_all(process)
    finish(process)


def under_way():
    """Copies that are made while the run writes: of the checkpoints first, then of the result."""
    folder = path("under-way")
    os.mkdir(folder)
    result = os.path.join(folder, "a.h5")
    process = start(study, result, 2, "--batch", 16, checkpoint=0.03, env=lingering())
    copies, last = [], 0
    newest = lambda: max(map(number, finished(result)), default=0)  # noqa: E731
    while len(copies) < 4:
        ok(until(lambda: newest() > last, "one more checkpoint", process), "under way: a checkpoint is written")
        last = newest()
        to = path(f"under-way-{len(copies)}")
        os.mkdir(to)
        for name in finished(result):
            try:
                shutil.copy(os.path.join(folder, name), to)
            except FileNotFoundError:  # the run has removed it
                pass
        copies.append(shutil.copy(result, to))
    kill_all(process)
    finish(process)
    for i, copy in enumerate(copies):
        status, out, err = finish(start(study, copy, 2))
        if status == 2:
            ok("had taken checkpoint" in err or "older state" in err, f"under way: copy {i} is refused", err)
        else:
            ok(status == 0, f"under way: copy {i} goes on", status, err)
            same(f"under way, copy {i}", first, copy)


def older():
    """An older copy of the result takes its place; its checkpoints are newer than its rows."""
    result = interrupted("older", count=1)
    copy = shutil.copy(result, path("older-copy.h5"))
    further("older", result)
    newer = shutil.move(result, path("older-newer.h5"))
    shutil.copy(copy, result)
    kept = finished(result)
    status, out, err = finish(start(study, result, 2))
    ok(status == 2 and "is an older state of the result" in err, "older: refused", status, out, err)
    ok(finished(result) == kept, "older: the checkpoints stay", finished(result))
    shutil.move(newer, result)
    resumed("older: put back", result)


def swapped():
    """The checkpoints are those of a copy that has gone on alone: rows that they count as done are missing. The
    run is killed when the rows of its first batch are done."""
    result = path("swapped/a.h5")
    interrupted("swapped", batch=4, count=12, checkpoint=1000, how=ticking())
    with h5py.File(result, "r+") as f:
        rows = f["final/status"][...]
        f["final/status"][...] = -1
    ok((rows >= 0).any() and not (rows >= 0).all(), "swapped: some rows are done", rows)
    status, out, err = finish(start(study, result, 2))
    ok(status == 2 and "belongs to another copy" in err, "swapped: refused", status, out, err)
    with h5py.File(result, "r+") as f:
        f["final/status"][...] = rows
    resumed("swapped: back", result)


def exchanged():
    """Another result of the same study stands at the place: its checkpoints are not those of the first."""
    result = interrupted("exchanged")
    aside = os.path.join(os.path.dirname(result), "aside.h5")
    os.rename(result, aside)
    kept = finished(result)
    process = subprocess.run([*PLAIN, study, "-o", result])
    ok(process.returncode == 0, "exchanged: a new run takes the free name")
    ok(finished(result) == kept, "exchanged: and leaves the checkpoints of the other", finished(result))
    resumed("exchanged", aside)


def planted():
    """Files of others with the names of ours."""
    folder = path("planted")
    os.mkdir(folder)
    result, target = os.path.join(folder, "a.h5"), write("precious", "mine")
    with open(result + ".new", "w") as f:
        f.write("mine")
    os.symlink(target, result + ".0123456789abcdef0123456789abcdef.new")
    os.mkfifo(result + ".00000000000000000000000000000001.new")
    os.mkdir(result + ".00000000000000000000000000000002.new")
    status, out, err = finish(start(study, result, 2))
    ok(status == 0, "planted: the run ends with 0", status, err)
    same("planted", first, result)
    with open(result + ".new") as f, open(target) as g:
        ok((f.read(), g.read()) == ("mine", "mine"), "planted: files of others are as they were")
    ok(len([x for x in os.listdir(folder) if x.endswith(".new")]) == 4, "planted: all four", os.listdir(folder))
    left = os.path.join(folder, "a.h5.0123456789abcdef0123456789abcdee.new")
    open(left, "w").close()
    again = subprocess.run([*PLAIN, study, "-o", result, "--overwrite"])
    ok(again.returncode == 0 and not os.path.exists(left), "planted: what a kill has left is removed")


def nowhere():
    """A link that leads nowhere yet: the result is made where it leads."""
    folder = path("nowhere")
    os.mkdir(folder)
    link = os.path.join(folder, "a.h5")
    os.symlink("b.h5", link)
    status, out, err = finish(start(study, link, 0))
    ok(status == 0 and os.path.islink(link), "nowhere: the run ends with 0, and the link stays", status, err)
    same("nowhere", first, os.path.join(folder, "b.h5"))


# ---- two runs on one file


def two_runs():
    """A second run meets the first through a link, a hard link and another name."""
    folder = path("two")
    os.mkdir(folder)
    result = os.path.join(folder, "a.h5")
    gate = Gate("clock:40", result)
    process = start(write("long.yaml", LONG), result, 2, checkpoint=0.1, env=gate.env)
    ok(gate.reached(process, 2), "two runs: the first is at work")
    os.symlink(result, path("soft.h5"))
    os.link(result, path("hard.h5"))
    for other in ("soft.h5", "hard.h5"):
        for word in ("--resume", "--overwrite"):
            second = constella("run", path("long.yaml"), "-o", path(other), word)
            refused = second.returncode == 2 and ("written by" in second.stderr or "live run" in second.stderr)
            ok(refused, f"two runs: {word} through {other} is refused", second.stderr)
    ok(process.poll() is None, "two runs: the first goes on")
    moved = os.path.join(folder, "moved.h5")
    os.rename(result, moved)
    second = constella("run", path("long.yaml"), "-o", moved, "--resume", "--max-hours", "0.001")
    ok(second.returncode == 2, "two runs: a new name is refused as well", second.stderr)
    gate.open()
    status, out, err = finish(process)
    ok(status == 1 and moved in err, "two runs: the first says where its result is", status, err)


# ---- while a run writes


def away(name, change, ranks, kept, checkpoint=1000.0):
    """A change under a run that is shorter than its checkpoint interval: the whole result is kept."""
    folder = path(name)
    os.mkdir(folder)
    result = os.path.join(folder, "a.h5")
    gate = Gate("clock:20", result)
    process = start(study, result, ranks, checkpoint=checkpoint, env=gate.env)
    ok(gate.reached(process, max(1, ranks)), f"{name}: the run is at work")
    change(result)
    gate.open()
    status, out, err = finish(process)
    where = kept(result)
    ok(status == 1 and "removed or replaced" in err, f"{name}: status 1 with a message", status, out, err)
    ok(where in err and os.path.exists(where), f"{name}: which names where it is", where, err, os.listdir(path("")))
    return where


def replace(result):
    with open(result + "-other", "w") as f:
        f.write("of another")
    os.rename(result + "-other", result)


def relinked(to_folder=True, ranks=2):
    """The link by which the result is asked for leads elsewhere at the end."""
    name = f"relinked-{to_folder}"
    here, there, link = (path(name + x) for x in ("", "-there", "-link"))
    os.mkdir(here)
    os.mkdir(there)
    result, other = (os.path.join(x, "a.h5") for x in (here, there))
    asked = os.path.join(link, "a.h5") if to_folder else link
    os.symlink(here if to_folder else result, link)
    gate = Gate("clock:20", result)
    process = start(study, asked, ranks, checkpoint=1000.0, env=gate.env)
    ok(gate.reached(process, max(1, ranks)), f"{name}: the run is at work")
    os.unlink(link)
    os.symlink(there if to_folder else other, link)
    gate.open()
    status, out, err = finish(process)
    ok(status == 1 and f"is kept in {result}" in err, f"{name}: status 1 with the place", status, out, err)
    ok(not os.listdir(there), f"{name}: nothing is made elsewhere", os.listdir(there))
    same(name, first, result)


def in_flight():
    for ranks in (0, 2):
        where = away(f"removed-{ranks}", os.unlink, ranks, lambda r: r[:-3] + "-kept.h5")
        same("removed in flight", first, where)
        where = away(f"replaced-{ranks}", replace, ranks, lambda r: r[:-3] + "-kept.h5")
        same("replaced in flight", first, where)
        with open(path(f"replaced-{ranks}/a.h5")) as f:
            ok(f.read() == "of another", "replaced: the other file is as it was")
    where = away("moved", lambda r: os.rename(r, r + "2.h5"), 2, lambda r: r + "2.h5")
    same("moved in flight", first, where)
    where = away("folder", lambda r: os.rename(path("folder"), path("gone")), 2, lambda r: path("gone/a.h5"))
    same("folder moved in flight", first, where)
    relinked()
    relinked(False, 0)


def at_checkpoints():
    """The same at a checkpoint: the run ends there, and goes on elsewhere."""
    for name, change, kept in (
        ("taken", os.unlink, lambda r: r[:-3] + "-kept.h5"),
        ("carried", lambda r: os.rename(r, r[:-4] + "z.h5"), lambda r: r[:-4] + "z.h5"),
    ):
        where = away(name, change, 2, kept, checkpoint=0.03)
        resumed(name, where)


def extending():
    """An extension locks its FILE, and finds its own file when FILE was renamed."""
    folder = path("extending")
    os.mkdir(folder)
    result = os.path.join(folder, "a.h5")
    short = write("short.yaml", LONG.replace("300000.0", "30.0"))
    more = write("more.yaml", LONG.replace("300000.0", "30.0").replace("members: 64", "members: 20000"))
    ok(subprocess.run([*PLAIN, short, "-o", result]).returncode == 0, "extending: a result")
    gate = Gate("rename:2", ".checkpoint.")
    process = subprocess.Popen(
        [PLAIN[0], "extend", result, more, "--checkpoint-seconds", "0.05", "--batch", "64"],
        env={**ENVIRONMENT, **hurried(), **lingering(), **gate.env},
    )
    ok(gate.reached(process), "extending: the extension is at work")
    other = constella("run", short, "-o", result, "--overwrite")
    ok(other.returncode == 2 and "written by" in other.stderr, "extending: FILE is locked", other.stderr)
    ok(finished(result + ".extended"), "extending: a checkpoint is written")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    new = os.path.join(folder, "b.h5")
    os.rename(result, new)
    again = constella("extend", new, more, "--resume")
    ok(again.returncode == 0, "extending: it goes on after FILE was renamed", again.stderr)
    ok(not os.path.exists(result + ".extended"), "extending: with its own file", os.listdir(folder))


PLAIN = [os.path.abspath(os.environ.get("CONSTELLA", "build/constella")), "run", "--progress", "none"]


def default():
    """What `make test` runs; CONSTELLA_TEST_ALL adds the other orders of events."""
    renamed()
    cleaned()
    copied()
    planted()
    nowhere()
    two_runs()
    relinked()
    away("removed", os.unlink, 2, lambda r: r[:-3] + "-kept.h5")


ALL = [renamed, linked, cleaned, put_back, copied, scattered, older, swapped, under_way, exchanged, planted, nowhere]
ALL += [two_runs, in_flight, at_checkpoints, extending]

if __name__ == "__main__":
    study = write("undisturbed.yaml", STUDY)
    process, undisturbed = run("undisturbed", STUDY)
    ok(process.returncode == 0, "undisturbed, it ends with 0", process.stderr)
    first = digests(undisturbed)
    for each in ALL if "CONSTELLA_TEST_ALL" in os.environ else [default]:
        before = os.times()
        each()
        after = os.times()
        print(f"# {each.__name__}: {sum(after[:4]) - sum(before[:4]):.1f} s of CPU", flush=True)
    done()
