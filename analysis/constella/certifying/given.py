"""given.py: what a file has beside methods of the catalogue: the keys `steppers`, `layers`, `schemes` and `maps`, of the
file of --with or of a study; and the checksum of each, by which what was measured of it is still true."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

from ..integrator import Layers
from ..reading import ConstellaError, nearest
from .examined import mistake
from .places import Places
from .strangers import KEYS, KINDS, Stranger, parsed_claims

OURS = ("layers", "schemes", "maps", "iotas", "retractions")


@dataclasses.dataclass(frozen=True)
class File:
    """names: of its layers; sums: the checksum of every name; code: whether layers are C files, which run where they are
    compiled; methods need them as `layers`, which is None where the file was read without its code."""

    path: str
    places: Places
    steppers: list[Stranger]
    names: list[str]
    sums: dict[str, str]
    layers: Layers | None


def read(path: str, trusts: bool = True) -> File:
    """Raises ConstellaError. trusts: layers in C are compiled and loaded; else such a file has no layers."""
    try:
        places = Places(path, pathlib.Path(path).read_bytes())
    except OSError as e:
        raise ConstellaError(f"{path}: {e.strerror}") from None
    told = places.told
    if not told.keys() & {"steppers", "study", *OURS}:
        raise ConstellaError(f"{path}: one of the keys steppers, {', '.join(OURS)} is needed")
    steppers = told.get("steppers") or {}
    if not isinstance(steppers, Mapping):
        raise places.error("'steppers' is a map of names to maps", "steppers")
    found = [one(places, str(name), row) for name, row in steppers.items()]
    layers = Layers(path) if trusts or not any(coded(told)) else None  # refuses what is no map of layers, with its place
    sums = {name: sha256(folder(path), row) for key in ("steppers", *OURS) for name, row in (told.get(key) or {}).items()}
    return File(path, places, found, list(told.get("layers") or {}), sums, layers)


def folder(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))


def coded(told: Mapping[str, Any]) -> Iterator[str]:
    """The layers that are C files."""
    layers = told.get("layers")
    for name, row in layers.items() if isinstance(layers, Mapping) else ():
        if isinstance(row, Mapping) and "file" in row:
            yield name


def sha256(beside: str, row: Any) -> str:
    """Of a stepper, layer, scheme or map, and of the files that it names; claims do not change what is measured."""
    kept = {k: v for k, v in row.items() if k not in ("claims", "systems")} if isinstance(row, Mapping) else row
    found = hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode())
    for word in words(kept):
        path = pathlib.Path(beside, word.rpartition(":")[0] or word)
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()


def words(x: Any) -> Iterator[str]:
    if isinstance(x, str):
        yield x
    for value in x.values() if isinstance(x, Mapping) else x if isinstance(x, list) else ():
        yield from words(value)


def one(places: Places, name: str, row: Any) -> Stranger:
    at = ("steppers", name)
    if not isinstance(row, Mapping):
        raise places.error(f"'{name}' is a map with one of {', '.join(KINDS)}", *at)
    for key in row:
        if key not in KEYS:
            raise places.error(f'unknown key "{key}"{nearest(key, KEYS)} allowed: {", ".join(KEYS)}', *at, key)
    kinds = [k for k in KINDS if k in row]
    if len(kinds) != 1:
        raise places.error(f"'{name}' needs one of {', '.join(KINDS)}", *at)
    what = row[kinds[0]]
    if kinds[0] == "python" and not (isinstance(what, str) and ":" in what):
        raise places.error("'python' is FILE.py:FUNCTION", *at, "python")
    if kinds[0] == "shared" and not isinstance(what, str):
        raise places.error("'shared' is the path of a shared library", *at, "shared")
    if kinds[0] == "program" and not (isinstance(what, list) and what and all(isinstance(w, str) for w in what)):
        raise places.error("'program' is a list of words, the program first", *at, "program")
    if why := mistake(kinds[0], what, folder(places.path)):
        raise places.error(why, *at, kinds[0])
    return Stranger(name, kinds[0], what, folder(places.path), claims_of(places, row.get("claims", ""), *at, "claims"), names_of(places, row.get("systems", []), *at, "systems"))


def claims_of(places: Places, told: Any, *at: Any) -> dict[str, float]:
    """From "order=4, symplectic" or {order: 4, symplectic: 1}."""
    from .certificate import checked

    try:
        found = parsed_claims(told) if isinstance(told, str) else told
        if not isinstance(found, Mapping) or not all(isinstance(x, (int, float)) for x in found.values()):
            raise ConstellaError('claims are a text, "order=4, symplectic", or a map of them to numbers')
        return checked({str(k): float(x) for k, x in found.items()}) or {}
    except ConstellaError as e:
        raise places.error(str(e), *at) from None


def names_of(places: Places, told: Any, *at: Any) -> list[str]:
    if not isinstance(told, list) or not all(isinstance(n, str) for n in told):
        raise places.error(f"'{at[-1]}' is a list of names", *at)
    for i, name in enumerate(told):
        if name in told[:i]:
            raise places.error(f"'{name}' appears twice", *at, i)
    return told
