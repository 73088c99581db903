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
PROGRAM = os.environ.get("CONSTELLA") or str(HERE.parents[1] / "build/constella")

BASELINES = ("semi-implicit-euler(erp=0.2)", "generalized-alpha(rho=0.8)", "radau(3)")  # in every table
METHODS = (
    "rattle", "midpoint", "compose(rattle, suzuki4)", "compose(rattle, kahan-li8)", "hbvm(k=4, s=2)", "lie-rattle",
    "compose(lie-rattle, suzuki4)", "rk4", "rk8", "project(rk4)", "gauss(2)", "gauss(4)", "lagrange-dalembert(rk4)", "newmark",
    "zhang-skeel(beta=0.25)", *BASELINES,
)  # fmt: skip
BATH = tuple(f"{m}friction=1, inverse-temperature=2)" for m in ("baoab(", "langevin(rattle, ", "langevin(midpoint, "))


@dataclasses.dataclass(frozen=True)
class Entry:
    """time: a period, or the shortest time of the motion as `constella choose` measures it; steps are fractions of it."""

    name: str
    time: float
    why: str
    bath: bool = False
    parameters: tuple[tuple[str, int], ...] = ()


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
    """One study. key: of SYSTEM-key.yaml; study: the mapping."""

    entry: Entry
    key: str
    study: dict

    @property
    def name(self) -> str:
        return f"{self.entry.name}{'-bath' if self.entry.bath else ''}-{self.key}"


def fitting(entry: Entry, methods: list[str]) -> list[str]:
    from constella.certifying.maps import Method
    from constella.choosing.command import opened

    system, _ = opened(entry.name)
    return [m for m in methods if not Method(m).refuses(system)]


def counts(periods: float, fractions: tuple[int, ...]) -> dict:
    return {"counts": [round(f * periods) for f in fractions]}


def drift(entry: Entry, methods: list[str], periods: float, fractions: tuple[int, ...], members: int) -> dict:
    return {
        "study": "conservation", "system": entry.name, "initial": {"members": members, "seed": 1, "spread": {"v": 0.01}},
        "end": entry.time * periods, "steps": counts(periods, fractions), "methods": methods, "samples": {"count": 100},
        "timing": {"repeats": 3},
    }  # fmt: skip


def bath(entry: Entry, periods: float) -> dict:
    return drift(entry, list(BATH), periods, (8, 16, 32), 16) | {"observables": ["energy", "temperature"], "burn-in": 0.1}


def precision(entry: Entry, methods: list[str]) -> dict:
    reference = {"method": "gauss(8)", "step": entry.time / 64}
    return {
        "study": "work-precision", "system": entry.name, "initial": {"members": 4, "seed": 1, "spread": {"v": 0.01}},
        "end": 2 * entry.time, "steps": counts(2, (16, 32, 64, 128, 256)), "methods": methods, "reference": reference,
        "accuracy": "q", "accuracies": [1e-6], "samples": {"count": 0},
    }  # fmt: skip


def order(entry: Entry, methods: list[str]) -> dict:
    study = precision(entry, methods) | {"study": "order"}
    return {k: v for k, v in study.items() if k not in ("accuracy", "accuracies")}


def plan(entry: Entry, methods: list[str], periods: float) -> list[Job]:
    """What does not depend on results; the long run follows from them (best)."""
    if entry.bath:
        return [Job(entry, "temperature", bath(entry, periods))]
    fit = fitting(entry, methods)
    made = (("order", order(entry, fit)), ("precision", precision(entry, fit)), ("energy", drift(entry, fit, periods, (16, 32, 64), 8)))
    return [Job(entry, key, study) for key, study in made]


def best(entry: Entry, folder: pathlib.Path, periods: float) -> Job | None:
    """The three methods with the least work at an energy error of 1e-4, over many more periods, at that step."""
    import tables

    ranked = tables.cheapest(folder / f"{entry.name}-energy.h5")[:3]
    if not ranked:
        return None
    return Job(entry, "long", drift(entry, ranked, periods, (32,), 8))


def write(job: Job, folder: pathlib.Path) -> pathlib.Path:
    path = folder / "studies" / f"{job.name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(job.study, indent=1) + "\n")
    return path


def run(job: Job, folder: pathlib.Path, minutes: float) -> bool:
    """Whether it is complete."""
    out = folder / f"{job.name}.h5"
    line = [PROGRAM, "run", str(write(job, folder)), "-o", str(out), "--progress", "none", "--max-hours", f"{max(minutes, 0.05) / 60:.6f}"]
    done = subprocess.run([*line, "--resume"] if out.exists() else line, capture_output=True, text=True)
    if done.returncode not in (0, 1, 75):
        print(f"{job.name}: {done.stderr.strip()}", file=sys.stderr)
    return done.returncode in (0, 1)


def all_of(entry: Entry, folder: pathlib.Path, given: argparse.Namespace, left) -> None:
    """left(): minutes."""
    for job in plan(entry, given.methods, given.periods):
        if left() <= 0:
            return
        print(f"{job.name}: {'complete' if run(job, folder, left()) else 'not complete'}, {left():.3g} minutes are left", file=sys.stderr)
    if not entry.bath and left() > 0 and given.long and (job := best(entry, folder, given.long)):
        print(f"{job.name}: {'complete' if run(job, folder, left()) else 'not complete'}", file=sys.stderr)


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
    parser.add_argument("--plan", action="store_true", help="write the studies, run nothing")
    given = parser.parse_args()
    named = given.systems.split(",") if given.systems else []
    unknown = [n for n in named if n not in {e.name for e in SYSTEMS}]
    if unknown:
        print(f"atlas.py: error: unknown system {unknown[0]}; allowed: {', '.join(dict.fromkeys(e.name for e in SYSTEMS))}", file=sys.stderr)
        return 2
    given.folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    for entry in [e for e in SYSTEMS if not named or e.name in named]:
        if given.plan:
            for job in plan(entry, given.methods, given.periods):
                write(job, given.folder)
            continue
        all_of(entry, given.folder, given, lambda: given.minutes - (time.monotonic() - began) / 60)
    if not given.plan:
        import pages

        pages.write(given.folder, [e for e in SYSTEMS if not named or e.name in named], given.methods)
    return 0


if __name__ == "__main__":
    sys.exit(main())
