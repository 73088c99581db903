"""moves.py: what may happen to the files of an interrupted run before it is resumed: they are renamed, moved,
linked, copied, replaced, taken away. After a change of the first kind the run goes on; after one of the second
kind it must be refused, leave all as it is, and go on when the change is undone.
"""
# SPDX-License-Identifier: BSD-2-Clause
import collections
import hashlib
import os
import re
import shutil

import h5py
from survive import finish, start

from cli import constella, ok, path


class Place:
    """Where the result of a study is, and by which path it is asked for."""

    def __init__(self, name, draw):
        self.name, self.draw, self.n = name, draw, 0
        self.counts = collections.Counter()
        self.begin()

    def fresh(self, ending=""):
        self.n += 1
        return f"{self.name}-{self.n}{ending}"

    def begin(self):
        """A run anew, in a folder of its own."""
        folder = path(self.fresh())
        os.mkdir(folder)
        self.result = self.asked = os.path.join(folder, "r.h5")
        self.spare = None  # an older copy, and the largest number of a checkpoint at that time
        self.mine = []  # of others, with the names of checkpoints

    def inside(self, name):
        return os.path.join(os.path.dirname(self.result), name)

    def checkpoints(self, start=""):
        names = sorted(os.listdir(self.inside("")))
        found = [x for x in names if re.search(r"\.checkpoint\.\d+$", x) and x.startswith(start)]
        return [self.inside(x) for x in found if os.path.isfile(self.inside(x))]

    def settle(self):
        """After an attempt: a result with two names keeps the one that it was asked for by."""
        if self.asked != self.result and os.path.exists(self.asked) and not os.path.islink(self.asked):
            if os.path.dirname(self.asked) == os.path.dirname(self.result):
                os.unlink(self.result)
                self.result = self.asked
        self.asked = self.result

    def untouched(self):
        """Whether the files of others are as they were."""
        return all(os.path.lexists(self.inside(x)) for x in self.mine)


# ---- after which the run goes on


def nothing(p):
    pass


def renamed(p):
    new = p.inside(p.fresh(".h5"))
    os.rename(p.result, new)
    p.result = new


def together(p):
    """With its checkpoints, under another name."""
    new = p.fresh(".h5")
    base = os.path.basename(p.result)
    for one in p.checkpoints(base + ".checkpoint."):
        os.rename(one, p.inside(new + os.path.basename(one)[len(base) :]))
    os.rename(p.result, p.inside(new))
    p.result = p.inside(new)


def moved(p):
    """With all that is in its folder, into another one."""
    folder = path(p.fresh())
    os.mkdir(folder)
    for name in os.listdir(p.inside("")):
        os.rename(p.inside(name), os.path.join(folder, name))
    p.result = os.path.join(folder, os.path.basename(p.result))


def folder_renamed(p):
    folder = path(p.fresh())
    os.rename(p.inside("")[:-1], folder)
    p.result = os.path.join(folder, os.path.basename(p.result))


def linked(p):
    p.asked = path(p.fresh(".h5"))
    os.symlink(p.result, p.asked)


def folder_linked(p):
    link = path(p.fresh())
    os.symlink(p.inside("")[:-1], link)
    p.asked = os.path.join(link, os.path.basename(p.result))


def hard(p):
    p.asked = p.inside(p.fresh(".h5"))
    os.link(p.result, p.asked)


def copied_back(p):
    away = path(p.fresh(".h5"))
    shutil.copy(p.result, away)
    os.unlink(p.result)
    shutil.move(away, p.result)


def beside(p):
    shutil.copy(p.result, p.inside(p.fresh(".h5")))


def unlocked(p):
    for name in os.listdir(p.inside("")):
        if name.endswith(".lock"):
            os.unlink(p.inside(name))


def occupied(p):
    """The names of the next checkpoints are those of other things."""
    numbers = [int(x.rsplit(".", 1)[1]) for x in p.checkpoints()]
    for i, make in enumerate((os.mkdir, os.mkfifo, lambda x: os.symlink("/nowhere", x))):
        name = f"{os.path.basename(p.result)}.checkpoint.{max(numbers, default=0) + 1 + i}"
        if not os.path.lexists(p.inside(name)):
            make(p.inside(name))
            p.mine.append(name)


GOES_ON = [nothing, renamed, together, moved, folder_renamed, linked, folder_linked, hard, copied_back, beside]
GOES_ON += [unlocked, occupied]

# ---- after which it is refused. Each returns how to undo it, or None where it would not be refused.


def checkpoints_away(p):
    found = p.checkpoints()
    if not found:
        return None
    away = path(p.fresh())
    os.mkdir(away)
    for one in found:
        os.rename(one, os.path.join(away, os.path.basename(one)))
    return lambda: [os.rename(os.path.join(away, os.path.basename(x)), x) for x in found]


def alone(p):
    """Into another folder without its checkpoints; or as a hard link there."""
    if not p.checkpoints():
        return None
    folder = path(p.fresh())
    os.mkdir(folder)
    p.asked = os.path.join(folder, os.path.basename(p.result))
    if p.draw.random() < 0.5:
        os.link(p.result, p.asked)
        return lambda: os.unlink(p.asked)
    os.rename(p.result, p.asked)
    return lambda: os.rename(p.asked, p.result)


def gone(p):
    if not p.checkpoints(os.path.basename(p.result) + ".checkpoint."):
        return None
    away = path(p.fresh(".h5"))
    os.rename(p.result, away)
    return lambda: os.rename(away, p.result)


def replaced(p):
    """Something else has its name."""
    away = path(p.fresh(".h5"))
    os.rename(p.result, away)
    which = p.draw.choice(("text", "folder", "pipe", "empty"))
    if which == "folder":
        os.mkdir(p.result)
    elif which == "pipe":
        os.mkfifo(p.result)
    else:
        with open(p.result, "w") as f:
            f.write("of another" if which == "text" else "")
    return lambda: ((os.rmdir if which == "folder" else os.unlink)(p.result), os.rename(away, p.result))


def older(p):
    """A copy from before the last attempt, if it knows fewer checkpoints."""
    found = p.checkpoints()
    if not p.spare or not found or p.spare[1] >= max(int(x.rsplit(".", 1)[1]) for x in found):
        return None
    if p.spare[2] != token(p.result):  # it was begun anew since
        return None
    away = path(p.fresh(".h5"))
    os.rename(p.result, away)
    shutil.copy(p.spare[0], p.result)
    return lambda: os.replace(away, p.result)


REFUSED = [checkpoints_away, alone, gone, replaced, older]


def token(result):
    with h5py.File(result, "r") as f:
        return f["run"].attrs["id"]


def remember(p):
    """Keeps a copy of the state for `older`."""
    numbers = [int(x.rsplit(".", 1)[1]) for x in p.checkpoints()]
    copy = path(p.fresh(".h5"))
    shutil.copy(p.result, copy)
    return copy, max(numbers, default=0), token(p.result)


def contents(p):
    """Digests of all regular files around the result."""
    found = {}
    for name in os.listdir(p.inside("")):
        if os.path.isfile(p.inside(name)) and not name.endswith(".lock"):
            with open(p.inside(name), "rb") as f:
                found[name] = hashlib.sha256(f.read()).hexdigest()
    return found


def change(p, study, of):
    """One change, at random; one that must be refused is tried and undone."""
    if not os.path.exists(p.result):
        return
    spare = remember(p)
    refused = p.draw.random() < 0.45
    how = p.draw.choice(REFUSED if refused else GOES_ON)
    p.asked = None
    undo = how(p)
    p.asked = p.asked or p.result
    if p.spare:
        os.unlink(p.spare[0])
    p.spare = spare
    if not refused or undo:
        p.counts[how.__name__] += 1
    if not undo or not refused:
        return
    before = contents(p)
    status, out, err = finish(start(study, p.asked, p.draw.choice((0, 2)), of=of))
    ok(status == 2 and "error: " in err, f"{p.name}: {how.__name__}: refused, with 2", status, out, err)
    ok(contents(p) == before, f"{p.name}: {how.__name__}: all is as it was", before, contents(p))
    undo()
    p.asked = p.result


# ---- while it runs


def in_flight(p, how, process, go_on):
    """Changes the name of the result under a run that waits, lets it go on to its end; returns (status, out, err)."""
    spare = path(p.fresh(".h5"))
    at = os.path.realpath(p.asked)
    there = os.path.exists(at)
    if there and how == "renamed":
        new = p.inside(p.fresh(".h5"))
        os.rename(at, new)
    elif there:
        os.link(at, spare)
        os.unlink(at)
    if there and how == "replaced":
        with open(at, "w") as f:
            f.write("of another")
    go_on()
    status, out, err = finish(process)
    if not there:
        return status, out, err
    p.counts[how + " in flight"] += 1
    kept = re.search(r"what it has is kept in (\S+)", err)
    if how != "renamed":
        new = kept[1] if kept else spare
    if ": complete" in out:  # the program had not looked for it yet, and began another one
        new = spare if how != "renamed" else new
        ok(os.path.exists(at) and not os.path.samefile(at, new), f"{p.name}: {how}: success is another file", out)
    else:
        told = kept[1] == new if kept else status == 2 or "error: " in err  # not yet open
        ok(told, f"{p.name}: {how} in flight: it says where", status, out, err)
    if how == "replaced" and status and os.path.exists(at):
        with open(at, "rb") as f:
            ok(f.read() in (b"of another",), f"{p.name}: the other file is as it was")
    if os.path.lexists(at):
        os.unlink(at)
    if new == spare:  # it had not opened the file yet
        os.rename(spare, at)
        new = at
    p.result = p.asked = new
    return status, out, err


def is_complete(p):
    return "state         complete" in constella("status", p.result).stdout
