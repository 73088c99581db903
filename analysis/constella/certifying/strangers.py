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
import importlib.util
import json
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..integrator import System
from ..reading import ConstellaError
from ..running import end_with_parent
from .maps import Failed, Stepper
from .property import OPEN, Found, Judged
from .ranks import alone
from .shared import Shared

LIMIT = 120  # seconds of one cell
SILENCE = 20  # seconds for an answer of a program
MOMENT = 0.5  # seconds for the rest of what a program has printed
PRINTED = 4 << 20  # bytes of its output that are kept
MEMORY = 8 << 30  # bytes that it may write to
KINDS = ("python", "program", "shared")
KEYS = (*KINDS, "claims", "systems")


def bound() -> None:
    """In a child before it becomes another program: it ends with this process, whatever ends that, and has its limit of memory."""
    end_with_parent()
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)  # not of addresses, of which Julia and Java reserve many
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    if soft == resource.RLIM_INFINITY or soft > most:
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def within(words: list[str], text: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Runs a command in a session of its own, which ends with it or after so many seconds (TimeoutExpired). Of what it prints the
    beginning and the end are kept. What it has started may hold its streams: they are read for a moment behind its end."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env=alone(), preexec_fn=bound) as p:  # noqa: PLW1509
        assert p.stdin and p.stdout and p.stderr
        kept = {p.stdout: b"", p.stderr: b""}
        readers = [threading.Thread(target=keep, args=(stream, kept), daemon=True) for stream in kept]
        try:
            for reader in readers:
                reader.start()
            with contextlib.suppress(OSError):
                p.stdin.write(text.encode())
                p.stdin.close()
            p.wait(seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(p.pid, signal.SIGKILL)
            for reader in readers:
                with contextlib.suppress(RuntimeError):  # a signal may come before it is started
                    reader.join(MOMENT)
        out, err = (kept[stream].decode(errors="replace") for stream in (p.stdout, p.stderr))
        return subprocess.CompletedProcess(words, p.returncode, out, err)


def keep(stream: Any, kept: dict[Any, bytes]) -> None:
    """All of it is read, so that nobody waits; the first part and the end stay."""
    with contextlib.suppress(OSError, ValueError):
        while more := os.read(stream.fileno(), 65536):
            data = kept[stream] + more
            kept[stream] = data if len(data) <= PRINTED else data[: PRINTED // 2] + data[-PRINTED // 2 :]


def plain(x: Any) -> Any:
    """Texts of strangers without control characters and line breaks, which a terminal or a table would obey."""
    if isinstance(x, str):
        return "".join(c if c.isprintable() else " " for c in x)
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, list) else x


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

    def measured(self, bench: Any, claims: Any, quick: bool, how: Callable[..., Any], known: Any = ()) -> Any:
        """The cells, from a child process."""
        from .certificate import Cell, as_cell, lacks

        if not lacks(self, bench, claims, known):  # nothing of a stranger runs without need
            return how(self, bench, claims, quick, known)
        entry = {**dataclasses.asdict(bench.entry), "path": bench.entry.path and os.path.abspath(bench.entry.path)}
        cells = [dataclasses.asdict(c) for c in known]
        request = {**dataclasses.asdict(self), "entry": entry, "claims": claims, "quick": quick, "known": cells}
        here = pathlib.Path(__file__).resolve().parents[2]
        child = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(here)!r}); from constella.certifying.strangers import child; child()"]
        why = ""
        try:
            done = within(child, json.dumps(request), LIMIT * (1 if quick else 10))
            if done.returncode == 0:
                printed = done.stdout.splitlines()
                if not printed:
                    raise Failed("it ended the process that measures it, with status 0")
                return [as_cell(c) for c in plain(json.loads(printed[-1]))]
            last = plain(done.stderr.strip().splitlines()[-1:]) or ["no message"]
            why = f"it ended with signal {-done.returncode}" if done.returncode < 0 else f"it ended with status {done.returncode}: {last[0][:200]}"
        except Failed as e:
            why = str(e)
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
        self.pipe = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, preexec_fn=bound)  # noqa: PLW1509
        atexit.register(self.pipe.kill)
        self.system: System | None = None
        self.broken, self.read = "", b""

    def answer(self, to: str) -> str:
        """A line of its output; "" at its end."""
        assert self.pipe.stdout
        until = time.monotonic() + SILENCE
        while b"\n" not in self.read:
            left = until - time.monotonic()
            if left > 0 and not select.select([self.pipe.stdout], [], [], min(left, MOMENT))[0]:
                if self.pipe.poll() is None:
                    continue
                self.broken = f"the program has ended with status {self.pipe.wait()}, and a process that it has started holds its output"
                raise Failed(self.broken)
            if left <= 0:
                self.broken = f'it has not answered "{to[:40]}" in {SILENCE} s; does it wait for more lines, or not flush its own?'
                raise Failed(self.broken)
            more = os.read(self.pipe.stdout.fileno(), 65536)
            if not more:
                return ""
            self.read += more
            if len(self.read) > PRINTED:
                self.broken = f"it answered a line of more than {PRINTED >> 20} MB"
                raise Failed(self.broken)
        line, _, self.read = self.read.partition(b"\n")
        return line.decode(errors="replace")

    def ask(self, line: str) -> list[str]:
        assert self.pipe.stdin
        if self.broken:  # it may wait for something else for ever
            raise Failed(self.broken)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a program that has ended is an error of writing; MPI undoes this
        try:
            data = f"{line}\n".encode()
            while data:
                data = data[self.pipe.stdin.write(data) :]
            words = self.answer(line).split()
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
    from .certificate import as_cell, measured
    from .systems import Bench, Entry

    request = json.loads(sys.stdin.read())
    of = Stranger(*(request[k] for k in ("name", "kind", "what", "folder", "told", "systems")))
    known = [as_cell(c) for c in request["known"]]
    cells = measured(of.stepper(), Bench(Entry(**request["entry"])), request["claims"], request["quick"], known)
    print(json.dumps([dataclasses.asdict(c) for c in cells]))
