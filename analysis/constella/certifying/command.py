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
from .strangers import parsed_claims
from .strangers import read as read_steppers


def store(path: pathlib.Path, data: str) -> None:
    """Replaces the file at once, or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(data)
    os.replace(beside, path)


def earlier(path: pathlib.Path, quick: bool) -> Certificate | None:
    """What an interrupted or smaller measurement has found."""
    if not path.exists():
        return None
    known = read(path)
    if known.quick != quick:
        raise ConstellaError(f"{path}: it is a {'quick' if known.quick else 'full'} certificate; name another output, or measure the same way")
    return known


def run(args: Any) -> int:
    """Measures, prints, writes; 1 where a claim is refuted."""
    output = pathlib.Path(args.output) if args.output is not None else None
    if output is not None and output.suffix not in page.FORMS:
        raise unknown("form of a certificate", output.suffix, list(page.FORMS))
    given: list[Any] = (args.method or "").split("\n") if args.method else []
    if args.given.get("with"):
        given += read_steppers(args.given["with"])
    if not given:
        raise ConstellaError("name a method, or steppers by --with FILE")
    quick, claims = not args.full, parsed_claims(args.claims) if args.claims is not None else None
    kept = output.with_suffix(".json") if output is not None else None
    known = earlier(kept, quick) if kept is not None else None
    if known and claims is not None:
        known = None  # they would judge other claims
    checked(claims)

    def keep(c: Certificate) -> None:
        if kept is not None:
            store(kept, c.as_json())

    found = certify(given, systems=args.systems.split(",") if args.systems else None, claims=claims, quick=quick, known=known, each=keep)
    if output is not None and output != kept:
        store(output, page.FORMS[output.suffix](found))
    sys.stdout.write(page.text(found))
    return 1 if found.refuted else 0
