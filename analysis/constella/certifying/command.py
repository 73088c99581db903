"""command.py: `constella certify`."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

from ..reading import ConstellaError, unknown
from . import page
from .certificate import Certificate, certify, checked, read
from .maps import Method, catalogue
from .ranks import ranks
from .strangers import File, parsed_claims
from .strangers import read as read_with


def store(path: pathlib.Path, data: str) -> None:
    """Replaces the file at once, or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(data)
    os.replace(beside, path)


def about(file: File | None, output: pathlib.Path | None) -> dict[str, Any]:
    """What a certificate keeps of the file of --with: its path from the certificate."""
    if file is None:
        return {}
    folder = output.parent if output is not None else pathlib.Path()
    names = [*(s.name for s in file.steppers), *file.names]
    return {"file": os.path.relpath(file.path, folder), "sha256": file.sha256, "names": names}


def earlier(path: pathlib.Path, quick: bool, with_: dict[str, Any]) -> Certificate | None:
    """What an interrupted or smaller measurement has found."""
    if not path.exists():
        return None
    known = read(path)
    if known.quick != quick:
        raise ConstellaError(f"{path}: it is a {'quick' if known.quick else 'full'} certificate; name another output, or measure the same way")
    if known.with_ and known.with_ != with_:
        raise ConstellaError(f"{path}: it was made with {known.with_['file']}, which was another file or is not given; name another output")
    return known


def asked(methods: list[str], file: File | None) -> list[Any]:
    """The methods, then the steppers of the file, or those of them that are named; without either the layers of the file."""
    if file and not methods and not file.steppers:
        methods = file.names
    steppers = {s.name: s for s in file.steppers} if file else {}
    named = [steppers[m] for m in methods if m in steppers]
    given = [Method(m, file.layers if file else None) for m in methods if m not in steppers] + (named or list(steppers.values()))
    if not given:
        raise ConstellaError("name a method, or steppers or layers by --with FILE")
    return given


def run(args: Any) -> int:
    """Measures, prints, writes; 1 where a claim is refuted. Of the processes of mpirun the first one speaks."""
    first = ranks()[0] == 0
    try:
        return measure(args, first)
    except ConstellaError:
        if first:
            raise
        return 2


def measure(args: Any, first: bool) -> int:
    output = pathlib.Path(args.output) if args.output is not None else None
    if output is not None and output.suffix not in page.FORMS:
        raise unknown("form of a certificate", output.suffix, list(page.FORMS))
    with_ = args.given.get("with")
    file = read_with(with_) if with_ else None
    methods = args.method.split("\n") if args.method else []
    given = asked([*methods, *(catalogue() if args.all else [])], file)
    if output is not None and output.exists() and not output.with_suffix(".json").exists():
        raise ConstellaError(f"{output}: it exists, and no certificate {output.with_suffix('.json').name} is beside it; name another output")
    quick, claims = not args.full, parsed_claims(args.claims) if args.claims is not None else None
    kept = output.with_suffix(".json") if output is not None else None
    known = earlier(kept, quick, about(file, output)) if kept is not None else None
    if known and claims is not None:
        known = None  # they would judge other claims
    checked(claims)

    def keep(c: Certificate) -> None:
        if kept is not None and first:
            store(kept, c.as_json())

    found = certify(given, systems=args.systems.split(",") if args.systems else None, claims=claims, quick=quick, known=known, with_=about(file, output), each=keep)
    if first:
        if output is not None and output != kept:
            store(output, page.FORMS[output.suffix](found))
        sys.stdout.write(page.text(found))
    return 1 if found.refuted else 0
