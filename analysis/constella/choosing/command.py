"""command.py: `constella choose`."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from ..integrator import System
from ..reading import ConstellaError, nearest, optional
from ..running import HERE, be_deaf, hear
from . import candidates, choice, goal
from .field import REFERENCE, TIMED, TIMING, Code, Field, compiling
from .heats import Runner
from .study import asked_by, seconds
from .scale import Scale, measure, seconds_of_step, seconds_of_steps
from .tournament import Outcome, Tournament

BUDGET = "10min"
LANES = 4  # trajectories whose steps take as long as that of one


def split(text: str) -> list[str]:
    """At commas outside brackets."""
    return goal.split(text) if " and " not in text else [text]


def settings(text: str | None) -> dict[str, float]:
    """`a=1,b=2`."""
    found = {}
    for word in text.split(",") if text else []:
        name, is_, value = word.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise ConstellaError(f"--parameters: '{word}' is no NAME=NUMBER") from None
        if not is_:
            raise ConstellaError(f"--parameters: '{word}' is no NAME=NUMBER")
    return found


def opened(name: str) -> tuple[System, Any]:
    """(the system, `system` of a study) from a file, the catalogue, or the benchmarks."""
    path = pathlib.Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        if not path.exists():
            raise ConstellaError(f"{name}: no such file")
        return System(path), {"file": str(path)}
    benchmark = next((p for p in (HERE.parents[1] / "jobs/benchmarks", HERE.parents[2] / "jobs/benchmarks") if (p / f"{name}.system.yaml").exists()), None)
    return System(benchmark / f"{name}.system.yaml" if benchmark else name), name


def starts(text: str | None, system: System) -> dict[str, Any]:
    """`initial` of the studies: around a state, or what a file says."""
    if text is None:
        return {"around": system.states[0]}
    if text in system.states:
        return {"around": text}
    path = pathlib.Path(text)
    if path.suffix == ".csv" and path.exists():
        return {"csv": text}
    if not path.exists():
        raise ConstellaError(f"--initial: \"{text}\" is no state{nearest(text, system.states)} states: {', '.join(system.states)}; and no file")
    told = optional("yaml", "python3-yaml", "--initial").safe_load(path.read_text())
    told = told.get("initial", told) if isinstance(told, dict) else told
    if isinstance(told, str):
        return {"around": told}
    if not isinstance(told, dict):
        raise ConstellaError(f"--initial: {text} holds no map of starts as the key `initial` of a study")
    return {"around": {k: told[k] for k in ("q", "v", "bodies") if k in told}} if {"q", "bodies"} & set(told) else told


def start_of(initial: dict[str, Any], system: System, parameters: dict[str, float]) -> dict[str, Any]:
    """Keywords of Integrator for the start around which members lie."""
    around = initial.get("around", system.states[0])
    if isinstance(around, dict):
        try:
            return {"parameters": parameters, "q": [float(x) for x in around["q"]], "v": [float(x) for x in around.get("v", [0] * len(around["q"]))]}
        except (KeyError, TypeError, ValueError):
            around = system.states[0]
    return {"parameters": parameters, "state": around}


def checked(aim: goal.Goal, system: System) -> None:
    if aim.of("constraint") and not system.constraints:
        raise ConstellaError("--goal: the system has no constraints")
    if aim.of("momentum") and not system.symmetries:
        raise ConstellaError("--goal: the system declares no symmetries, so that it has no momentum to keep")


def run(args: Any) -> int:
    """Plays, prints, writes; 1 where nothing meets the goal, 75 where it was interrupted."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    if os.environ.get("OMPI_COMM_WORLD_SIZE", os.environ.get("PMI_SIZE", "1")) != "1":
        raise ConstellaError("a choice is made by one process, whose heats are short; start it without mpirun")
    if args.study:
        args = asked_by(args.study, args)
    if args.check:
        sys.stdout.write(plan(args))
        return 0
    heard = hear(stop)
    try:
        return play(args)
    except KeyboardInterrupt:
        be_deaf(heard)
        if args.output:
            sys.stderr.write("interrupted; the same line with --resume goes on\n")
        return 75 if args.output else 1


def units(budget: float) -> dict[str, float]:
    """What the budget, in seconds of the processor, becomes once the constants are known. used: by this process and its
    children so far."""
    used = sum(os.times()[:4])
    return {"used": used, "left": max(0.0, budget - used)}


def codes(system: System, methods: list[str]) -> dict[str, Code]:
    return {m: Code(*candidates.Method(m).compiled(system)) for m in methods}


def decide(record: choice.Record, part: pathlib.Path, say: Callable[[str], Any]) -> Outcome:
    """The tournament of a record's question; what the record has is not measured again."""
    asked = record.asked
    named, initial, members, aim = asked["system"], asked["initial"], asked["members"], goal.parse(asked["goal"])
    given = named if isinstance(named, dict) else {"name": named}
    system, _ = opened(given.get("file") or given["name"])
    start = start_of(initial, system, given.get("parameters", {}))
    scale = Scale(**record.once("scale", lambda: dataclasses.asdict(measure(system, start))))
    methods, refused = candidates.chosen(system, asked["methods"], aim.bath, scale.time)
    until = aim.until or float(f"{200 * scale.time:.1g}")
    field = Field(named, initial, aim, until, scale, list(system.symmetries), Runner(record.studies, record.add, part, False, record.overruns))
    field.reference = candidates.reference_of(methods, system) if not aim.bath else methods[0]
    field.compiling = compiling(asked["budget"], aim)
    if aim.of("position"):
        field.fine_seconds = record.once("seconds_of_reference", lambda: seconds_of_step(system, REFERENCE, scale.time / 25, start) or 0.0) / LANES
    sizes, room = [5 * scale.time / c for c in reversed(TIMED)], TIMING * asked["budget"]
    steps = record.once("seconds_of_steps", lambda: seconds_of_steps(system, methods, sizes, start, room / 3))
    field.code = codes(system, methods) if field.compiling else {}
    refused |= {m: "timing its steps is beyond the budget" for m in methods if m not in steps}
    refused |= field.calibrate(steps, members, 2 * room / 3)
    tournament = Tournament(field, list(field.costs), members, record.once("units", lambda: units(asked["budget"])), say)
    if not tournament.entries:
        raise ConstellaError("every method fails from the start, also at small steps, or the budget does not suffice to time one step of any")
    outcome = tournament.play()
    record.finish(field, outcome, refused, [m for m in methods if m not in refused and m not in field.costs])
    return outcome


def timed(told: dict[str, Any]) -> list[dict[str, Any]]:
    """The studies of a record that measured its constants, and those that were stopped since they took too long."""
    return [s for s in told["studies"] if "timing" in s["study"] or not s["rows"]]


def by_study(told: dict[str, Any]) -> dict[str, Any]:
    return {json.dumps(s["study"], sort_keys=True): s["rows"] for s in told["studies"]}


def verify(args: Any) -> int:
    """Runs all heats of a record again but the timed ones, whose constants it takes, and compares; 1 where bits differ."""
    path = pathlib.Path(args.file)
    told = choice.read(path)
    if "answer" not in told:
        raise ConstellaError(f"{path}: the choice is not complete")
    asked, _ = told.pop("asked"), told.pop("program")
    again = choice.Record(None, asked, {**told, "studies": timed(told)})
    with tempfile.TemporaryDirectory(prefix="constella-") as folder:
        decide(again, pathlib.Path(folder) / "again.h5", lambda text: None)
    found = json.loads(json.dumps(again.told))
    one, other = by_study(told), by_study(found)
    differ = [text for text in one if one[text] != other.get(text)]
    if differ or len(one) != len(other) or told["answer"] != found["answer"]:
        sys.stdout.write(f"{path}: differs in {len(differ)} of {len(told['studies'])} studies{'' if told['answer'] == found['answer'] else ', and decides otherwise'}\n")
        return 1
    sys.stdout.write(f"{path}: {len(found['studies']) - len(timed(told))} studies again, the same bits, the same decisions; costs are the measured ones\n")
    return 0


def status(path: pathlib.Path) -> int:
    """What `constella status` prints of a choice."""
    told = choice.read(path)
    state = "complete" if "answer" in told else "interrupted, or still measuring"
    sys.stdout.write(f"{'state':<13} {state}\n{'goal':<13} {told['asked']['goal']}\n{'studies':<13} {len(told.get('studies', []))}\n{'program':<13} {told['program']}\n")
    return 0


def plan(args: Any) -> str:
    """What `constella check` prints of a choose study. Raises ConstellaError."""
    aim, budget = goal.parse(args.goal), seconds(args.budget or BUDGET)
    system, _ = opened(args.system)
    system.values(settings(args.parameters))
    checked(aim, system)
    starts(args.initial, system)
    methods, _ = candidates.chosen(system, split(args.methods) if args.methods else None, aim.bath, 1.0)
    rows = {"study": f"{args.study} (choose study)", "system": args.system, "goal": aim.said, "methods": f"{len(methods)} that step the system", "budget": f"{budget:g} s of computing"}
    return "".join(f"{name:<14} {said}\n" for name, said in rows.items())


def play(args: Any) -> int:
    aim, budget = goal.parse(args.goal or ""), seconds(args.budget or BUDGET)
    parameters, members = settings(args.parameters), int(args.members or 8)
    system, named = opened(args.system)
    system.values(parameters)
    checked(aim, system)
    if parameters:
        named = {**(named if isinstance(named, dict) else {"name": named}), "parameters": parameters}
    initial = starts(args.initial, system)
    output = pathlib.Path(args.output) if args.output else None
    if output is not None and output.suffix not in choice.FORMS:
        raise ConstellaError(f"{output}: the choice is written as {', '.join(choice.FORMS)}")
    kept = (output or pathlib.Path(f"{system_name(args.system)}-choice.json")).with_suffix(".json")
    asked = {"system": named, "goal": aim.said, "initial": initial, "members": members, "budget": budget, "methods": split(args.methods) if args.methods else None}
    record = choice.begin(kept, asked, bool(args.resume), output is not None, bool(args.overwrite))

    def say(text: str) -> None:
        if args.quiet is None:
            sys.stderr.write(text + "\n")

    outcome = decide(record, kept.with_suffix(".heat.h5"), say)
    sys.stdout.write(choice.text(record, bool(args.explain)))
    if args.proof:
        choice.prove(record, pathlib.Path(args.proof))
    if output is not None and output != kept:
        from ..certifying.command import store

        store(output, choice.FORMS[output.suffix](record))
    return 0 if outcome.winner else 1


def system_name(text: str) -> str:
    return pathlib.Path(text).name.split(".")[0]
