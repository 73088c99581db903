"""study.py: what is to be certified: a study file of the kind `certify`, or the words of the command line."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import os
from typing import Any

from ..reading import ConstellaError
from . import given
from .certificate import about
from .maps import Method, catalogue
from .places import Places
from .strangers import parsed_claims
from .systems import Entry, chosen


@dataclasses.dataclass(frozen=True)
class Study:
    """text: of the file, "" of the command line. folder: that of the file, on which paths of systems rest."""

    methods: list[Any]
    systems: list[Entry]
    claims: dict[str, float] | None
    quick: bool
    file: given.File | None
    text: str = ""
    title: str = ""
    folder: str = "."

    @property
    def asked(self) -> dict[str, Any]:
        return about(self.methods, self.systems, self.claims)


def asked(methods: list[str], file: given.File | None) -> list[Any]:
    """The methods, then the steppers of the file, or those of them that are named; without either the layers of the file."""
    if file and not methods and not file.steppers:
        methods = file.names
    steppers = {s.name: s for s in file.steppers} if file else {}
    named = [steppers[m] for m in methods if m in steppers]
    found = [Method(m, file.layers if file else None) for m in methods if m not in steppers] + (named or list(steppers.values()))
    if not found:
        raise ConstellaError("name a method, or steppers or layers by --with FILE")
    return found


def of_words(args: Any) -> Study:
    with_ = args.given.get("with")
    file = given.read(with_) if with_ else None
    methods = args.method.split("\n") if args.method else []
    claims = parsed_claims(args.claims) if args.claims is not None else None
    maps = asked([*methods, *(catalogue() if args.all else [])], file)
    return Study(maps, chosen(args.systems.split(",") if args.systems else None), claims, not args.full, file)


def of_file(path: str) -> Study:
    """Raises ConstellaError, with the place of the mistake."""
    file = given.read(path)
    places, told, folder = file.places, file.places.told, os.path.dirname(path) or "."
    if told.get("measure", "quick") not in ("quick", "full"):
        raise places.error(f"'measure' is {told['measure']!r}; allowed: quick, full", "measure")
    if not isinstance(told.get("title", ""), str):
        raise places.error("'title' must be a line of text", "title")
    claims = given.claims_of(places, told["claims"], "claims") if "claims" in told else None
    return Study(
        methods_of(places, told.get("methods", []), file), systems_of(places, told.get("systems"), folder), claims,
        told.get("measure") != "full", file, places.text, told.get("title", ""), folder,
    )  # fmt: skip


def methods_of(places: Places, told: Any, file: given.File) -> list[Any]:
    if told == "all":
        return asked(catalogue(), file)
    if not isinstance(told, list):
        raise places.error("'methods' is a list of methods, or all", "methods")
    texts = [m if isinstance(m, str) else places.source("methods", i) for i, m in enumerate(told)]
    given.names_of(places, texts, "methods")
    steppers = {s.name for s in file.steppers}
    for i, text in enumerate(texts):
        try:
            text in steppers or Method(text, file.layers)
        except ConstellaError as e:
            raise places.error(str(e), "methods", i) from None
    try:
        return asked(texts, file)
    except ConstellaError:
        raise places.error("nothing is to be measured: name methods, steppers or layers") from None


def systems_of(places: Places, told: Any, folder: str) -> list[Entry]:
    if told is None:
        return chosen(None)
    names = given.names_of(places, told, "systems")
    for i, name in enumerate(names):
        try:
            chosen([name], folder)
        except ConstellaError as e:
            raise places.error(str(e), "systems", i) from None
    if not names:
        raise places.error("'systems' names none", "systems")
    return chosen(names, folder)
