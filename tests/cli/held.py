"""held.py: runs that wait at an announced point until the test tells them to go on (tests/survive/strike.c): a signal,
a kill, a second command come exactly there, however fast or slow the machine is. And waits that end by what a process
has done.
"""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import os
import subprocess
import time

from cli import ENVIRONMENT, STRIKE, hurried, note, scratch

LONGEST = 1200  # seconds: what has not come by then does not come at all


def until(what, awaited, process=None, seconds=LONGEST):
    """Wait for a condition, or for the end of the process that is to bring it about; return its last value. A wait that
    takes too long says what it was for."""
    end = time.monotonic() + seconds
    while not (found := what()):
        if process is not None and process.poll() is not None:
            return what()
        if time.monotonic() > end:
            note(f"after {seconds} s there is still not: {awaited}")
            return found
        time.sleep(0.005)
    return found


def lingering(path=".checkpoint."):
    """Variables of a run that waits ever longer while there is no call on such a file, and so does not end before one."""
    return {"LD_PRELOAD": STRIKE, "STRIKE_PAUSE": "0.05", "STRIKE_PATH": path}


def ticking(seconds=0.03):
    """Variables of a run of one process, without threads, whose clock goes on by so much whenever it is asked: what it
    does by the clock is the same on any machine."""
    return {"LD_PRELOAD": STRIKE, "STRIKE_TICK": str(seconds)}


class Gate:
    """A point in a run where it waits: `at` is a call and its number, as in rename:2, on a path with `where` in it, or
    clock:N, the N-th question of the clock while the file `where` is there. Of one rank, or of each."""

    def __init__(self, at, where, rank=None):
        self.at, self.name = at, os.path.join(scratch(), "gate")
        self.env = {"LD_PRELOAD": STRIKE, "STRIKE": f"{at}:WAIT", "STRIKE_PATH": where, "STRIKE_GATE": self.name}
        if rank is not None:
            self.env["STRIKE_RANK"] = str(rank)

    def _numbers(self, what):
        found = {}
        for name in glob.glob(f"{self.name}.*.{what}"):
            with open(name) as f:
                found[int(name.split(".")[-2])] = tuple(map(int, f.read().split()))
        return found

    def held(self):
        """The process numbers of the ranks that have come there, by rank."""
        return {rank: pid for rank, (pid, _) in self._numbers("here").items()}

    def told(self):
        """The same of those that have handled a signal there."""
        return self._numbers("told")

    def reached(self, process, ranks=1):
        """Wait until so many ranks are there, or the run has ended; return whether they are."""
        return until(lambda: len(self.held()) >= ranks, f"{ranks} ranks at {self.at}", process)

    def heard(self, process, ranks=1):
        """Wait until so many ranks have handled a signal there."""
        return until(lambda: len(self.told()) >= ranks, f"a signal at {self.at}", process)

    def step(self, process, calls, ranks=1):
        """Let each of these ranks go on for so many calls, of those that wait, and wait again; return whether they do."""
        here = self._numbers("here")
        to = max(call for _, call in here.values()) + calls
        self.open(str(to))
        there = lambda: sum(call > to for _, call in self._numbers("here").values()) >= ranks  # noqa: E731
        return until(there, f"{ranks} ranks behind call {to} of {self.at}", process)

    def steps(self, process, calls, what, ranks=1):
        """Step until what() is true, or the run has ended; return whether it is true."""
        self.reached(process, ranks)
        while not (found := what()) and self.step(process, calls, ranks):
            pass
        return found

    def open(self, to=""):
        with open(self.name + ".opening", "w") as f:
            f.write(to)
        os.rename(self.name + ".opening", self.name + ".open")


def killed_at_checkpoint(command, kept=1):
    """Kill a run that has written so many checkpoints, where the next one is to get its name; return the process."""
    gate = Gate(f"rename:{kept + 1}", ".checkpoint.")
    process = subprocess.Popen(
        command,
        env={**ENVIRONMENT, **hurried(), **lingering(), **gate.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    gate.reached(process)
    process.kill()
    process.wait()
    return process
