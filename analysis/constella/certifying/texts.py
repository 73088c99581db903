"""texts.py: studies that show what a certificate has found, for `constella run`."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import json
from typing import Any


def study(kind: str, method: str, system: str, end: float, steps: list[float], more: str = "") -> str:
    """The text of a study; json.dumps quotes as YAML does."""
    listed = ", ".join(repr(h) for h in sorted(steps, reverse=True))
    named = f"{{file: {json.dumps(system)}}}" if "/" in system or system.endswith(".yaml") else system
    return f"study: {kind}\nsystem: {named}\nend: {end!r}\nsteps: [{listed}]\nmethods: [{json.dumps(method)}]\n{more}"


def order(method: str, system: str, how: dict[str, Any]) -> str:
    end = how["steps"][0] * 8
    return study("order", method, system, end, how["steps"], "reference: {method: gauss(6), step: %r}\n" % (end / 256))


def conservation(method: str, system: str, how: dict[str, Any], observables: str) -> str:
    return study("conservation", method, system, how["step"] * how["steps"], [how["step"]], f"observables: [{observables}]\n")


def tangent(method: str, system: str, how: dict[str, Any], observable: str) -> str:
    h = how["step"]
    return study("conservation", method, system, 200 * h, [h], f"observables: [{observable}]\ntangent: {{vectors: 2, every: {h!r}}}\n")
