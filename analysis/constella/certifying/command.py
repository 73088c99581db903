"""command.py: `constella certify`, and `run`, `extend`, `check` and `status` of studies of this kind."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import sys
from typing import Any

from ..reading import ConstellaError, unknown
from ..running import be_deaf, hear
from . import given, page
from .certificate import Certificate, certify, made, read
from .ranks import ranks
from .study import Study, of_file, of_words

AGAIN = 75  # the exit status of what goes on with --resume


class Stopped(Exception):
    """By a signal, whose name it tells."""


def store(path: pathlib.Path, data: str) -> None:
    """Replaces the file at once, or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(data)
    os.replace(beside, path)


def from_(path: str, output: pathlib.Path | None) -> str:
    """A path as the certificate has it: from its folder."""
    return os.path.relpath(path, output.parent if output is not None else pathlib.Path())


def about(file: given.File | None, output: pathlib.Path | None) -> dict[str, Any]:
    """What a certificate keeps of the file of --with, or of the study."""
    return {"file": from_(file.path, output), "names": file.sums} if file is not None and file.sums else {}


def usable(known: Certificate, path: pathlib.Path, study: Study, with_: dict[str, Any]) -> Certificate:
    """The certificate, if it is of the same code and files."""
    if known.quick != study.quick:
        raise ConstellaError(f"{path}: it is a {'quick' if known.quick else 'full'} certificate, of other states and steps; name another output, or measure the same way")
    named = with_.get("names", {})
    for name, sum_ in known.with_.get("names", {}).items():
        if named.get(name, sum_) != sum_:
            raise ConstellaError(f"{path}: '{name}' of {known.with_['file']} has changed since; name another output")
    for entry in study.systems:
        if known.asked["systems"].get(entry.name, entry.sha256) != entry.sha256:
            raise ConstellaError(f"{path}: the system {entry.name} has changed since; name another output")
    if known.made != made():
        sys.stderr.write(f"constella: {path} was made by another build, {known.made}; `constella verify` tells whether this one finds the same numbers\n")
    return known


def earlier(paths: list[pathlib.Path], study: Study, with_: dict[str, Any]) -> Certificate | None:
    """What interrupted or smaller measurements have found."""
    found = [usable(read(path), path, study, with_) for path in paths if path.exists()]
    cells = {(c.method, c.system, c.claim): c for known in found for c in known.cells}
    return dataclasses.replace(found[-1], cells=list(cells.values())) if found else None


def beside(kept: pathlib.Path, study: Study) -> pathlib.Path:
    """Where a measurement that goes on from another study keeps its cells until it is complete."""
    other = kept.exists() and wanted(read(kept).asked) != wanted(study.asked)
    return kept.with_suffix(".extended.json") if other else kept


def run(args: Any) -> int:
    """Of the processes of mpirun the first one speaks."""
    first = ranks()[0] == 0
    try:
        return command(args, first)
    except ConstellaError:
        if first:
            raise
        return 2


def command(args: Any, first: bool) -> int:
    path = args.given.get("study")
    study = of_file(path) if path else of_words(args)
    if args.check:
        sys.stdout.write(plan(path, study))
        return 0
    output = pathlib.Path(args.output) if args.output is not None else None
    if path:
        output = output or (pathlib.Path(args.extended) if args.extended else pathlib.Path(pathlib.Path(path).stem + ".json"))
    if output is not None and output.suffix not in page.FORMS:
        raise unknown("form of a certificate", output.suffix, list(page.FORMS))
    kept = output.with_suffix(".json") if output is not None else None
    if output is not None and kept is not None and output.exists() and not kept.exists():
        raise ConstellaError(f"{output}: it exists, and no certificate {kept.name} is beside it; name another output")
    files = meet(args, path, study, kept) if path and kept is not None else [kept] if kept is not None else []
    working = beside(kept, study) if kept is not None and not args.overwrite else kept
    known = earlier([*files, *([working] if working is not None and working not in files and not args.overwrite else [])], study, about(study.file, None))
    try:
        return measure(study, path, output, working, known, first)
    except (AttributeError, IndexError, KeyError, TypeError) as e:
        if known is None:
            raise
        raise ConstellaError(f"{kept}: something is missing in it, or is not of its kind ({e}); name another output, or --overwrite") from None


def meet(args: Any, path: str, study: Study, kept: pathlib.Path) -> list[pathlib.Path]:
    """The certificates that a study goes on from, by the rules of `run` and `extend`."""
    if args.extended:
        extended = pathlib.Path(args.extended)
        extends(read(extended), study, extended, path)
        if kept.exists() and kept.resolve() != extended.resolve() and not args.resume:
            raise ConstellaError(f"{kept}: exists; --resume goes on with it, or remove it")
        return [extended, kept]
    if args.overwrite:
        return []
    if kept.exists() and not args.resume:
        raise ConstellaError(f"{kept}: exists; name another output, or --overwrite; --resume goes on with it")
    if kept.exists() and wanted(read(kept).asked) != wanted(study.asked):
        raise ConstellaError(f"{kept}: it is of another study; `constella extend {kept} {path}` adds to it, or name another output")
    return [kept]


def wanted(asked: dict[str, Any]) -> Any:
    return asked["methods"], asked["systems"], asked["claims"]


def extends(old: Certificate, study: Study, file: pathlib.Path, path: str) -> None:
    """Raises ConstellaError where the study does not have all of what the certificate has."""
    new = study.asked
    for what in ("methods", "systems"):
        for name in old.asked[what]:
            if name not in new[what]:
                raise ConstellaError(f"{path}: {file} has {name} in its {what}, and this study does not; an extension only adds")
    if (old.asked["claims"] is None) != (new["claims"] is None):
        raise ConstellaError(f"{path}: {file} judges {'the claims of the methods' if new['claims'] is not None else 'given claims'}, and this study does not; name another output")
    for claim, n in (old.asked["claims"] or {}).items():
        if new["claims"].get(claim) != n:
            raise ConstellaError(f"{path}: {file} judges {claim}={n:g}, and this study does not; an extension only adds")


def plan(path: str, study: Study) -> str:
    """What `constella check` prints."""
    made_by = "quick" if study.quick else "full"
    lines = [f"{'study':<14} {study.title or path} (certify study, {made_by})"]
    lines += [f"{'methods' if not i else '':<14} {of.name}" for i, of in enumerate(study.methods)]
    lines += [f"{'systems' if not i else '':<14} {e.name}: {e.why}" for i, e in enumerate(study.systems)]
    lines.append(f"{'claims':<14} {', '.join(f'{c}={n:g}' for c, n in study.claims.items()) if study.claims is not None else 'those of the methods'}")
    lines.append(f"{'cells':<14} {len(study.methods) * len(study.systems)} pairs of a method and a system")
    return "\n".join(lines) + "\n"


def stop(number: int, frame: Any) -> None:
    raise Stopped(signal.Signals(number).name)


def adds(c: Certificate, path: pathlib.Path) -> bool:
    """Whether the file does not have all of it: a complete one keeps the name of the program that has measured it, and its
    words for the same numbers and verdicts."""
    return not path.exists() or without_words(c) != without_words(read(path))


def without_words(c: Certificate) -> str:
    cells = [dataclasses.replace(x, judged=dataclasses.replace(x.judged, said="")) for x in c.cells]
    told = json.loads(dataclasses.replace(c, cells=cells, made="").as_json())
    return json.dumps({key: told[key] for key in told if key != "summary"})


def measure(study: Study, path: str | None, output: pathlib.Path | None, working: pathlib.Path | None, known: Certificate | None, first: bool) -> int:
    """Measures, prints, writes; 1 where a claim is refuted. working: where cells are kept on the way."""
    last: list[Certificate] = []
    least = known.done if known is not None and wanted(known.asked) == wanted(study.asked) else 0

    def keep(c: Certificate) -> None:
        last[:] = [c]
        if working is not None and first and c.done >= least and adds(c, working):  # never less than what is there
            store(working, c.as_json())

    heard = hear(stop)
    asked = {"study": study.text, "title": study.title, "folder": from_(study.folder, output)}
    try:
        found = certify(study.methods, systems=study.systems, claims=study.claims, quick=study.quick, known=known, with_=about(study.file, output), asked=asked, each=keep)
    except Stopped as e:
        be_deaf(heard)
        if first and working is not None:
            done = max(last[0].done if last else 0, least)
            line = "the same line with --resume goes on" if path else "the same line goes on"
            sys.stdout.write(f"{working}: interrupted by {e}, {done} of {len(study.methods) * len(study.systems)} pairs of a method and a system are done; {line}\n")
        return AGAIN
    if first:
        finish(found, output, working)
        sys.stdout.write(page.text(found))
    return 1 if found.refuted else 0


def finish(found: Certificate, output: pathlib.Path | None, working: pathlib.Path | None) -> None:
    """The certificate at its place, and its other form."""
    if output is None or working is None:
        return
    kept = output.with_suffix(".json")
    if working != kept:
        os.replace(working, kept)
    if output != kept:
        store(output, page.FORMS[output.suffix](found))


def status(path: pathlib.Path) -> int:
    """What `constella status` prints of a certificate."""
    c = read(path)
    state = "complete" if c.done == c.pairs else "interrupted, or still measuring"
    sys.stdout.write(f"{'state':<13} {state}\n{'pairs':<13} {c.done} of {c.pairs}, of a method and a system\n{'claims':<13} {len(c.refuted)} refuted\n{'program':<13} {c.made}\n")
    return 0
