#!/usr/bin/python3
"""atlas.py: methods x standard systems, measured: order, drift of the energy, momentum, constraint, costs, temperature.

    jobs/atlas/atlas.py FOLDER [--systems A,B] [--methods "A;B"] [--periods 1000] [--long 100000] [--minutes 60] [--plan]

writes studies into FOLDER/studies, runs each once into FOLDER, and makes FOLDER/index.html, index.md and a page for each
system, with figures. The same line goes on where it was interrupted, and makes the pages again. --minutes stops before the
next study; cells that were not run say so. Every cell carries the commands that make it again, to the same bits.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "analysis")]
import tables  # noqa: E402

PROGRAM = os.environ.get("CONSTELLA") or str(HERE.parents[1] / "build/constella")

BASELINES = ("semi-implicit-euler(erp=0.2)", "generalized-alpha(rho=0.8)", "radau(3)")  # in every table
METHODS = (
    "rattle", "midpoint", "compose(rattle, suzuki4)", "compose(rattle, kahan-li8)", "hbvm(k=4, s=2)", "lie-rattle",
    "compose(lie-rattle, suzuki4)", "rk4", "rk8", "project(rk4)", "gauss(2)", "gauss(4)", "lagrange-dalembert(rk4)", "newmark",
    "zhang-skeel(beta=0.25)", *BASELINES,
)  # fmt: skip
ORDER = (16, 32, 64, 128, 256)  # steps of a period
ENERGY = (16, 32, 64)
BATH = tuple(f"{m}friction=1, inverse-temperature=2)" for m in ("baoab(", "langevin(rattle, ", "langevin(midpoint, "))


@dataclasses.dataclass(frozen=True)
class Entry:
    """time: a period, or the shortest time of the motion as `constella choose` measures it; steps are fractions of it."""

    name: str
    time: float
    why: str
    bath: bool = False

    @property
    def label(self) -> str:
        return self.name + ("-bath" if self.bath else "")


SYSTEMS = (
    Entry("planar-pendulum", 6.4, "one degree of freedom, one constraint"),
    Entry("spherical-pendulum", 4.0, "a symmetry beside a constraint"),
    Entry("double-pendulum", 2.8, "two constraints, not integrable"),
    Entry("pendulum-chain", 4.0, "a band of constraints, twenty links"),
    Entry("lagrange-top", 1.6, "a rotating body"),
    Entry("tethered-satellites", 10.0, "a closed loop around a planet"),
    Entry("tip3p-water", 8.0, "rigid molecules"),
    Entry("four-bar", 2.0, "a closed mechanism"),
    Entry("chaplygin-sleigh", 8.0, "a constraint on velocities"),
    Entry("rattleback", 0.5, "rolling, which reverses its spin"),
    Entry("kepler", 1.6, "a planet; no constraint"),
    Entry("outer-solar-system", 4000.0, "five planets; no constraint"),
    Entry("fermi-pasta-ulam", 0.1, "stiff springs between soft ones"),
    Entry("double-pendulum", 2.8, "two constraints in a bath", True),
)


@dataclasses.dataclass(frozen=True)
class Job:
    """One study. key: of SYSTEM-key.yaml; study: the mapping; seconds: of the processor that it is expected to take."""

    entry: Entry
    key: str
    study: dict
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.entry.label}-{self.key}"


def fitting(entry: Entry, methods: list[str]) -> list[str]:
    from constella.certifying.maps import Method
    from constella.choosing.command import opened

    system, _ = opened(entry.name)
    return [m for m in methods if not Method(m).refuses(system)]


def counts(periods: float, fractions: tuple[int, ...]) -> dict:
    return {"counts": [round(f * periods) for f in fractions]}


def common(kind: str, entry: Entry, methods: list[str], periods: float, fractions: tuple[int, ...], members: int) -> dict:
    return {
        "study": kind, "system": entry.name, "initial": {"members": members, "seed": 1, "spread": {"v": 0.01}},
        "end": entry.time * periods, "steps": counts(periods, fractions), "methods": methods,
    }  # fmt: skip


def drift(entry: Entry, methods: list[str], periods: float, fractions: tuple[int, ...], members: int = 8) -> dict:
    return common("conservation", entry, methods, periods, fractions, members) | {"samples": {"count": 100}}


def bath(entry: Entry, periods: float) -> dict:
    return drift(entry, list(BATH), periods, (8, 16, 32), 16) | {"observables": ["energy", "temperature"], "burn-in": 0.1}


def order(entry: Entry, methods: list[str]) -> dict:
    """Errors over two periods, and the time of a step, which is the constant of all costs."""
    reference = {"method": "gauss(8)", "step": entry.time / 64}
    return common("order", entry, methods, 2, ORDER, 8) | {"reference": reference, "samples": {"count": 0}, "timing": {"repeats": 3}}


def first(entry: Entry, methods: list[str], periods: float) -> Job:
    """What does not depend on results."""
    if entry.bath:
        return Job(entry, "temperature", bath(entry, periods))
    return Job(entry, "order", order(entry, fitting(entry, methods)))


def energies(entry: Entry, folder: pathlib.Path, methods: list[str], periods: float) -> list[Job]:
    """A study for each method, so that a cell is made again alone; their seconds follow from the first study."""
    made = []
    for m in methods:
        seconds = tables.seconds_of_step(folder, entry, m, tables.MIDDLE) * sum(ENERGY) * periods * 8
        if seconds > 0:  # it fits
            made.append(Job(entry, f"energy-{tables.slug(m)}", drift(entry, [m], periods, ENERGY), seconds))
    return made


def best(entry: Entry, folder: pathlib.Path, methods: list[str], periods: float) -> list[Job]:
    """The three methods that cost least at an energy error of 1e-4, over many more periods, at the largest step with that error."""
    made = []
    for m in tables.cheapest(folder, entry, methods)[:3]:
        at = tables.place(folder, entry, m)
        fraction, seconds = ENERGY[at], tables.seconds_of_step(folder, entry, m, at) * ENERGY[at] * periods * 8
        made.append(Job(entry, f"long-{tables.slug(m)}", drift(entry, [m], periods, (fraction,)), seconds))
    return made


def write(job: Job, folder: pathlib.Path) -> pathlib.Path:
    path = folder / "studies" / f"{job.name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(job.study, indent=1) + "\n"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


def run(job: Job, folder: pathlib.Path, minutes: float) -> bool:
    """Whether it is complete. A result of another study, or of another program, is told and left alone."""
    out = folder / f"{job.name}.h5"
    if tables.complete(out):
        return True
    line = [PROGRAM, "run", str(write(job, folder)), "-o", str(out), "--progress", "none", "--max-hours", f"{max(minutes, 0.05) / 60:.6f}"]
    done = subprocess.run([*line, "--resume"] if out.exists() else line, capture_output=True, text=True)
    if done.returncode not in (0, 1, 75):
        print(f"{job.name}: {done.stderr.strip()}", file=sys.stderr)
    return done.returncode in (0, 1) and tables.complete(out)


@dataclasses.dataclass
class Atlas:
    """entries: those that were asked for. most: seconds of the processor that one study may take."""

    folder: pathlib.Path
    entries: list[Entry]
    given: argparse.Namespace
    began: float = dataclasses.field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Minutes."""
        return self.given.minutes - (time.monotonic() - self.began) / 60

    @property
    def most(self) -> float:
        return 60 * self.given.most

    def do(self, jobs: list[Job]) -> None:
        """Those that cost least first."""
        for job in sorted(jobs, key=lambda j: j.seconds):
            if job.seconds > self.most:
                print(f"{job.name}: left out, about {job.seconds:.3g} s", file=sys.stderr)
            elif self.given.plan:
                write(job, self.folder)
            elif self.left > 0:
                state = "complete" if run(job, self.folder, self.left) else "not complete"
                print(f"{job.name}: {state}, {self.left:.3g} minutes are left", file=sys.stderr, flush=True)

    def play(self) -> None:
        """Stages: each needs what the one before it found. With --plan the studies of all stages that can be known."""
        given, waves = self.given, [e for e in self.entries if not e.bath]
        self.do([first(e, given.methods, given.periods) for e in self.entries])
        self.do([j for e in waves for j in energies(e, self.folder, given.methods, given.periods)])
        if given.long:
            self.do([j for e in waves for j in best(e, self.folder, given.methods, given.long)])


def words(text: str) -> list[str]:
    return [w.strip() for w in text.split(";") if w.strip()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--systems", default="")
    parser.add_argument("--methods", type=words, default=list(METHODS), help="separated by ;")
    parser.add_argument("--periods", type=float, default=1000)
    parser.add_argument("--long", type=float, default=100000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--most", type=float, default=5, help="minutes of the processor that one study may be expected to take")
    parser.add_argument("--plan", action="store_true", help="write the studies that can be known by now, run nothing")
    given = parser.parse_args()
    named = given.systems.split(",") if given.systems else []
    unknown = [n for n in named if n not in {e.name for e in SYSTEMS}]
    if unknown:
        print(f"atlas.py: error: unknown system {unknown[0]}; allowed: {', '.join(dict.fromkeys(e.name for e in SYSTEMS))}", file=sys.stderr)
        return 2
    given.folder.mkdir(parents=True, exist_ok=True)
    atlas = Atlas(given.folder, [e for e in SYSTEMS if not named or e.name in named], given)
    try:
        atlas.play()
    except KeyboardInterrupt:
        print("interrupted; the same line goes on", file=sys.stderr)
        return 75
    if not given.plan:
        import pages

        pages.write(given.folder, atlas.entries, given.methods)
    return 0


if __name__ == "__main__":
    sys.exit(main())
