"""choice.py: the record of a choice as JSON: the question, studies with their rows, those that took longer than planned, the answer. It is written after every
study, so that an interrupted choice goes on, and one that is read again decides the same.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import json
import math
import os
import pathlib
from collections.abc import Callable
from typing import Any

from ..certifying.certificate import made
from ..certifying.command import store
from ..reading import ConstellaError, optional
from . import limits
from .candidates import BASELINES
from .field import TOLERANCE, Field, least_compiled, located
from .tournament import Entry, Outcome

SCHEMA = "constella-choice 1"


def tidy(x: float) -> float:
    """0.078125 in place of 0.07812500000000001."""
    return float(f"{x:.15g}")


def plain(x: Any) -> Any:
    if isinstance(x, float) and not math.isfinite(x):
        return None
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, (list, tuple)) else x


class Record:
    """path: None: it is not kept. studies, overruns: {text: rows}, {text: seconds}, shared with the Runner."""

    def __init__(self, path: pathlib.Path | None, asked: dict[str, Any], told: dict[str, Any]) -> None:
        self.path, self.asked, self.told = path, asked, told
        self.studies: dict[str, Any] = {json.dumps(s["study"], sort_keys=True): s["rows"] for s in told.get("studies", [])}
        self.overruns: dict[str, float] = {json.dumps(s["study"], sort_keys=True): s["seconds"] for s in told.get("overruns", [])}

    def once(self, name: str, how: Callable[[], Any]) -> Any:
        """What is measured once, as JSON has it."""
        if name not in self.told:
            self.told[name] = how()
            self.write()
        return self.told[name]

    def add(self, text: str, rows: Any) -> None:
        self.told.setdefault("studies", [])
        self.told["studies"].append({"study": json.loads(text), "rows": rows})
        if self.overruns:
            self.told["overruns"] = [{"study": json.loads(t), "seconds": s} for t, s in self.overruns.items()]
        self.write()

    def write(self, indent: int | None = None) -> None:
        """With an indent an encoding takes ten times as long, so only the answer has one."""
        if self.path is not None:
            store(self.path, json.dumps({"schema": SCHEMA, "program": made(), "asked": self.asked, **self.told}, indent=indent) + "\n")

    def finish(self, field: Field, outcome: Outcome, refused: dict[str, str], failing: list[str]) -> None:
        self.told["answer"] = plain(answer(field, outcome, refused, failing))
        self.write(1)

    @property
    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = self.told["answer"]
        return found


def begin(path: pathlib.Path, asked: dict[str, Any], resume: bool, kept: bool, overwrite: bool = False) -> Record:
    """A new record, which replaces one at the path with its first measurement if overwrite, or the one at the path with --resume."""
    if not kept:
        if resume:
            raise ConstellaError("--resume needs the -o FILE that the first attempt was given")
        return Record(None, asked, {})
    if path.exists() and not overwrite:
        told = read(path)
        if not resume:
            raise ConstellaError(f"{path} exists; name another output, or go on with --resume")
        if told.pop("asked") != json.loads(json.dumps(asked)):
            raise ConstellaError(f"{path} answers another question; name another output")
        if told.pop("program") != made():
            raise ConstellaError(f"{path} was made by another version of the program; name another output")
        told.pop("answer", None)
        return Record(path, asked, told)
    return Record(path, asked, {})


def read(path: pathlib.Path) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(path.read_text())
        schema = told.pop("schema")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise ConstellaError(f"{path}: no record of a choice: {e}") from None
    if schema != SCHEMA:
        raise ConstellaError(f"{path}: its schema is {schema}; {SCHEMA} is needed")
    return told


# ---- the answer


def line(field: Field, e: Entry, best: float) -> dict[str, Any]:
    key = e.best or (max(e.seen) if e.seen else None)
    judged = e.judged or (e.seen[key][0] if key in e.seen else None)
    return {
        "method": e.method, "step": tidy(field.until / key[1]) if key else None, "tolerance": key[2] if key else None,
        "count": key[1] if key else None, "cost": e.cost if math.isfinite(e.cost) else None,
        "times": e.cost / best if math.isfinite(e.cost) and best else None, "share": judged.share if judged else None, "verdict": judged.verdict if judged else "",
        "why": judged.why if judged else "", "lost": e.lost, "order": e.order,
    }  # fmt: skip


def baselines(field: Field, outcome: Outcome) -> list[dict[str, Any]]:
    """Their cheapest step that does not fail, or what their order promises for it."""
    best = outcome.winner.cost if outcome.winner else math.nan
    found = []
    for e in (e for e in outcome.entries if e.method in BASELINES):
        told = line(field, e, best)
        if not e.best and e.seen:
            key = max(e.seen)
            share = e.seen[key][0].share
            factor = share ** (1 / e.order) if e.order > 0.3 and math.isfinite(share) else math.nan
            told["promised_step"] = field.until / key[1] / factor
            told["promised_times"] = field.expected(e.method, key[1] * factor) / best
        found.append(told)
    return found


def front(outcome: Outcome) -> list[dict[str, Any]]:
    """Candidates of the newest heat of each method to which none is superior in cost and in share."""
    all_: list[dict[str, Any]] = [
        {"method": e.method, "step": k, "cost": cost, "share": j.share, "verdict": j.verdict}
        for e in outcome.entries for k, (j, cost) in e.seen.items() if math.isfinite(cost) and math.isfinite(j.share)
    ]  # fmt: skip
    kept: list[dict[str, Any]] = []
    least = math.inf
    for c in sorted(all_, key=lambda c: (c["cost"], c["share"])):
        if c["share"] < least:
            kept.append(c)
            least = c["share"]
    return kept


def answer(field: Field, outcome: Outcome, refused: dict[str, str], failing: list[str]) -> dict[str, Any]:
    w = outcome.winner
    best = w.cost if w else min((e.cost for e in outcome.entries), default=math.nan)
    pareto = front(outcome)
    for c in pareto:
        c["tolerance"], c["step"] = c["step"][2], tidy(field.until / c["step"][1])
    found = {
        "until": field.until, "time": field.scale.time, "horizon": outcome.horizon, "confirmed_by": outcome.members, "spent": outcome.spent,
        "units": outcome.units,
        "recommended": line(field, w, best) if w else None, "methods": [line(field, e, best) for e in outcome.entries],
        "baselines": baselines(field, outcome), "front": pareto, "rounds": outcome.rounds, "refused": refused, "failing": failing,
        "starts": field.starts(0, 0), "fixed": field.fixed, "compiled": field.compiling > 0, "compiled_from": least_compiled(field.goal),
    }  # fmt: skip
    if w and w.best:
        m = round(field.until / outcome.horizon)
        found["proof"] = field.studies([w.method], [w.best[1]], m, outcome.members, 2, [w.best[2]], True)
        found["overturn"] = limits.overturning(field, outcome)
    else:
        found["limit"] = limits.limiting(field, outcome)
    return found


def prove(record: Record, path: pathlib.Path) -> None:
    """The study that shows what was promised, runnable as it is."""
    if "proof" not in record.answer:
        return
    yaml = optional("yaml", "python3-yaml", "--proof")
    studies = record.answer["proof"]
    study = dict(studies[-1])  # with a reference, where there is one: it has the energy too
    if len(studies) > 1:
        study["observables"] = studies[0]["observables"]
    study["system"] = located(study["system"], str(path.parent))
    if "csv" in study["initial"]:
        study["initial"] = {**study["initial"], "csv": os.path.relpath(study["initial"]["csv"], path.parent)}
    study.pop("samples", None)
    best = record.answer["recommended"]
    head = (
        f"# {record.asked['goal']}: {best['method']} with a step of {best['step']:g} meets it from {record.answer['confirmed_by']} starts\n"
        f"# that no choice was made by: {best['why']}.\n# constella run {path.name}; constella table {path.stem}.h5\n"
    )
    store(path, head + yaml.safe_dump(study, sort_keys=False, allow_unicode=True, width=110))


def solver(tolerance: float) -> str:
    return f"tolerance {tolerance:g}" + (" (the default)" if tolerance == TOLERANCE else "")


from .told import FORMS, text  # noqa: E402  (they need Record)

__all__ = ["FORMS", "Record", "begin", "prove", "read", "text"]
