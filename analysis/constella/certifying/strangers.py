"""strangers.py: steppers of others, of the key `steppers` of a file: a function of a Python file, a program that speaks a
protocol of lines, or a shared library (shared.py). They run in a child process under a limit of time, so that a crash, a
loop or a wrong answer ends one cell with a reason.

    steppers:
      mine: {python: "verlet.py:step", claims: "order=2, symplectic", systems: [henon-heiles, kepler]}
      theirs: {program: [python3, dopri.py], claims: "order=5"}
      fast: {shared: fast.so, claims: "order=4"}

A program reads lines and answers each with one line:
    begin SYSTEM NQ NG NAME=VALUE ...      ok, or: refuse WHY
    step H Q1 ... QNQ V1 ... VNQ           ok Q1 ... QNQ V1 ... VNQ [LAMBDA1 ... LAMBDANG], or: fail WHY
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import atexit
import contextlib
import dataclasses
import hashlib
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..integrator import Layers, System
from ..reading import ConstellaError, nearest
from .maps import Failed, Stepper
from .property import OPEN, Found, Judged
from .ranks import alone
from .shared import Shared

LIMIT = 120  # seconds of one cell
KINDS = ("python", "program", "shared")
KEYS = (*KINDS, "claims", "systems")


def within(words: list[str], text: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Runs a command in a session of its own, which ends with it or after so many seconds (TimeoutExpired)."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True, env=alone()) as p:
        try:
            out, err = p.communicate(text, timeout=seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(p.pid, signal.SIGKILL)
        return subprocess.CompletedProcess(words, p.returncode, out, err)


def parsed_claims(text: str) -> dict[str, float]:
    """ "order=4,symplectic" """
    found: dict[str, float] = {}
    for word in filter(None, (w.strip() for w in text.split(","))):
        name, _, value = word.partition("=")
        try:
            found[name.strip()] = float(value) if value else 1
        except ValueError:
            raise ConstellaError(f'the claim "{word}": "{value}" is no number, as in order=4') from None
    return found


@dataclasses.dataclass(frozen=True)
class Stranger:
    """A stepper of a file; told: its claims."""

    name: str
    kind: str  # of KINDS
    what: Any
    folder: str
    told: dict[str, float]
    systems: list[str]  # on which it is measured; empty: on all

    def refuses(self, system: System) -> str:
        return "" if not self.systems or system.name in self.systems else f"it is for {', '.join(self.systems)}"

    def claims(self, system: System) -> dict[str, float]:
        return dict(self.told)

    def measured(self, bench: Any, claims: Any, quick: bool, how: Callable[..., Any]) -> Any:
        """The cells, from a child process."""
        from .certificate import Cell, as_cell

        request = {**dataclasses.asdict(self), "bench": bench.name, "claims": claims, "quick": quick}
        here = pathlib.Path(__file__).resolve().parents[2]
        child = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(here)!r}); from constella.certifying.strangers import child; child()"]
        why = ""
        try:
            done = within(child, json.dumps(request), LIMIT * (1 if quick else 10))
            if done.returncode == 0:
                return [as_cell(c) for c in json.loads(done.stdout.splitlines()[-1])]
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            why = f"it ended with signal {-done.returncode}" if done.returncode < 0 else f"it ended with status {done.returncode}: {last[0]}"
        except subprocess.TimeoutExpired as e:
            why = f"it took more than {e.timeout:g} s"
        except (ValueError, IndexError):
            why = "it printed among the results"
        told = claims if claims is not None else self.told
        return [Cell(self.name, bench.name, claim, n, Judged(OPEN, why), Found(why=why)) for claim, n in told.items()]

    def stepper(self) -> Stepper:
        """In the child: the map itself."""
        if self.kind == "shared":
            return Shared(os.path.join(self.folder, self.what), self.name, self.told)
        step: Any = function_of(self.what, self.folder) if self.kind == "python" else Program(self.what, self.folder)
        return Stepper(step, self.name, self.told)


def function_of(text: str, folder: str) -> Callable[..., Any]:
    """The function FILE.py:NAME."""
    file, _, name = text.rpartition(":")
    path = os.path.join(folder, file)
    spec = importlib.util.spec_from_file_location("stranger", path)
    if not file or spec is None or spec.loader is None:
        raise ConstellaError(f'"{text}" is no FILE.py:FUNCTION')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function


class Program:
    """A program that speaks the protocol, as a function step(system, q, v, h)."""

    def __init__(self, words: list[str], folder: str) -> None:
        self.pipe = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        atexit.register(self.pipe.kill)
        self.system: System | None = None
        self.broken = ""

    def ask(self, line: str) -> list[str]:
        assert self.pipe.stdin and self.pipe.stdout
        if self.broken:  # it may wait for something else for ever
            raise Failed(self.broken)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a program that has ended is an error of writing; MPI undoes this
        try:
            self.pipe.stdin.write(line + "\n")
            self.pipe.stdin.flush()
            words = self.pipe.stdout.readline().split()
        except OSError as e:
            raise Failed(f"the program has ended ({e.strerror})") from None
        if not words:
            raise Failed(f"the program has ended with status {self.pipe.wait()}")
        if words[0] in ("refuse", "fail"):
            raise Failed(" ".join(words[1:]) or words[0])
        if words[0] != "ok":
            self.broken = f'it answered "{" ".join(words)[:60]}"'
            raise Failed(self.broken)
        return words[1:]

    def __call__(self, system: System, q: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray, ...]:
        nq, ng = len(system.coordinates), len(system.constraints)
        if self.system is not system:
            values = " ".join(f"{n}={x!r}" for n, x in zip(system.parameters, system.values({}).tolist()))
            self.ask(f"begin {system.name} {nq} {ng} {values}".strip())
            self.system = system
        numbers = " ".join(repr(x) for x in [h, *q.tolist(), *v.tolist()])
        told = np.array([float(w) for w in self.ask(f"step {numbers}")])
        if len(told) not in (2 * nq, 2 * nq + ng):
            raise Failed(f"it answered {len(told)} numbers; {2 * nq} or {2 * nq + ng} are needed")
        return (told[:nq], told[nq : 2 * nq], told[2 * nq :]) if ng and len(told) > 2 * nq else (told[:nq], told[nq:])


def child() -> None:
    """Measures the request of standard input; the last line of the output has the cells."""
    from .certificate import measured
    from .systems import Bench, chosen

    request = json.loads(sys.stdin.read())
    of = Stranger(*(request[k] for k in ("name", "kind", "what", "folder", "told", "systems")))
    cells = measured(of.stepper(), Bench(chosen([request["bench"]])[0]), request["claims"], request["quick"])
    print(json.dumps([dataclasses.asdict(c) for c in cells]))


@dataclasses.dataclass(frozen=True)
class File:
    """What the file of --with has: steppers, names of layers, and layers, schemes, maps and retractions for methods."""

    path: str
    sha256: str
    steppers: list[Stranger]
    names: list[str]
    layers: Layers


def read(path: str) -> File:
    """Raises ConstellaError."""
    import yaml  # type: ignore[import]

    try:
        data = pathlib.Path(path).read_bytes()
        told = yaml.safe_load(data)
    except OSError as e:
        raise ConstellaError(f"{path}: {e.strerror}") from None
    except yaml.YAMLError as e:
        raise ConstellaError(f"{path}: {' '.join(str(e).split())}") from None
    keys = ("steppers", "layers", "schemes", "maps", "retractions")
    if not isinstance(told, Mapping) or not told.keys() & set(keys):
        raise ConstellaError(f"{path}: one of the keys {', '.join(keys)} is needed")
    steppers = told.get("steppers", {})
    if not isinstance(steppers, Mapping):
        raise ConstellaError(f"{path}: steppers: a map of names to maps is needed")
    layers = Layers(path)  # refuses what is no map of layers, with its place
    found = [one(path, str(name), row) for name, row in steppers.items()]
    return File(path, hashlib.sha256(data).hexdigest(), found, list(told.get("layers") or {}), layers)


def one(path: str, name: str, row: Any) -> Stranger:
    where = f"{path}: steppers.{name}"
    if not isinstance(row, Mapping):
        raise ConstellaError(f"{where}: a map with one of {', '.join(KINDS)} is needed")
    for key in row:
        if key not in KEYS:
            raise ConstellaError(f'{where}: unknown key "{key}"{nearest(key, KEYS)} allowed: {", ".join(KEYS)}')
    kinds = [k for k in KINDS if k in row]
    if len(kinds) != 1:
        raise ConstellaError(f"{where}: one of {', '.join(KINDS)} is needed")
    what = row[kinds[0]]
    if kinds[0] == "python" and not (isinstance(what, str) and ":" in what):
        raise ConstellaError(f"{where}.python: FILE.py:FUNCTION is needed")
    if kinds[0] == "shared" and not isinstance(what, str):
        raise ConstellaError(f"{where}.shared: the path of a shared library is needed")
    if kinds[0] == "program" and not (isinstance(what, list) and what and all(isinstance(w, str) for w in what)):
        raise ConstellaError(f"{where}.program: a list of words is needed, the program first")
    return Stranger(name, kinds[0], what, os.path.dirname(os.path.abspath(path)), parsed_claims(str(row.get("claims", ""))), systems_of(where, row))


def systems_of(where: str, row: Mapping[str, Any]) -> list[str]:
    named = row.get("systems", [])
    if not isinstance(named, list) or not all(isinstance(n, str) for n in named):
        raise ConstellaError(f"{where}.systems: a list of names is needed")
    return named
