"""study.py: a study file of the kind `choose`, as the words of `constella choose`."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import pathlib
import re
from types import SimpleNamespace
from typing import Any

from ..certifying.places import Places
from ..reading import ConstellaError
from . import goal

WORDS = ("system", "goal", "initial", "parameters", "members", "budget", "methods", "proof", "explain", "quiet", "resume", "overwrite", "check", "output", "study")
SECONDS = {"s": 1, "sec": 1, "min": 60, "h": 3600, "": 1}


def seconds(text: str) -> float:
    """`10min`, `90s`, `1h`."""
    found = re.fullmatch(r"([0-9.]+(?:e-?[0-9]+)?) *([a-z]*)", text.strip())
    if not found or found[2] not in SECONDS:
        raise ConstellaError(f"--budget: '{text}' is no time such as 90s, 10min or 1h")
    x = float(found[1]) * SECONDS[found[2]]
    if x <= 0:
        raise ConstellaError("--budget: it must be above 0")
    return x


def beside(path: pathlib.Path, name: str) -> str:
    """The file of this name beside the study, or the name."""
    there = path.parent / name
    return str(there) if there.is_file() else name


def word(places: Places, key: str) -> str:
    told = places.told.get(key)
    if told is None:
        raise places.error(f"missing key '{key}'")
    if not isinstance(told, str):
        raise places.error(f"'{key}' must be a text", key)
    return told


def settings(places: Places) -> str | None:
    told = places.told.get("parameters")
    if told is None:
        return None
    if not isinstance(told, dict) or not all(isinstance(x, (int, float)) for x in told.values()):
        raise places.error("'parameters' is a map of names to numbers", "parameters")
    return ",".join(f"{name}={value!r}" for name, value in told.items())


def methods(places: Places) -> str | None:
    told = places.told.get("methods")
    if told is None:
        return None
    if not isinstance(told, list) or not told:
        raise places.error("'methods' is a list of methods", "methods")
    return ",".join(m if isinstance(m, str) else places.source("methods", i) for i, m in enumerate(told))


def initial(places: Places, path: pathlib.Path) -> str | None:
    told = places.told.get("initial")
    if told is None or isinstance(told, str):
        return told and beside(path, told)
    if not isinstance(told, dict):
        raise places.error("'initial' is a state, a file or a map", "initial")
    return str(path)


def asked_by(study: str, given: Any) -> Any:
    """The words of `constella choose` with which `run`, `check` or `extend` play a file. Raises ConstellaError, with the place of the
    mistake."""
    path = pathlib.Path(study)
    places = Places(study, path.read_bytes())
    if given.extended:
        raise ConstellaError(f"{study}: a choice is not extended: with another goal or budget it decides anew")
    try:
        goal.parse(word(places, "goal"))
        seconds(str(places.told.get("budget", "1s")))
    except ConstellaError as e:
        option, _, said = str(getattr(e, "message", e)).partition(": ")
        raise places.error(said or option, option.removeprefix("--")) from None
    members = places.told.get("members", 8)
    if not isinstance(members, int) or isinstance(members, bool) or not 1 <= members <= 4096:
        raise places.error("'members' is a whole number from 1 to 4096", "members")
    budget = places.told.get("budget")
    found = SimpleNamespace(**dict.fromkeys(WORDS))
    found.study, found.system, found.goal = study, beside(path, word(places, "system")), word(places, "goal")
    found.initial, found.parameters, found.methods = initial(places, path), settings(places), methods(places)
    found.members, found.budget = str(members), None if budget is None else str(budget)
    found.resume, found.check = given.resume, given.check
    found.output = given.output or pathlib.Path(path.stem + ".json")
    found.overwrite = given.overwrite
    return found
