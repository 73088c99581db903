"""verifying.py: `constella verify FILE.json`: measures cells of a certificate again and compares the numbers."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import json
import pathlib
import random
from collections.abc import Callable
from typing import Any

from ..reading import ConstellaError
from .certificate import Cell, Certificate, measured
from .certificate import read as read_certificate
from .given import read as read_with
from .maps import Method
from .systems import Bench, chosen

SAME, NEAR, DIFFERENT = "same", "near", "different"


def compared(old: Cell, new: Cell | None) -> str:
    """Linear algebra differs between processors: defects then agree within their floor."""
    if new is None or new.judged.verdict != old.judged.verdict:
        return DIFFERENT
    a, b = old.found, new.found
    if (repr(a.value), repr(a.low), repr(a.high), a.how) == (repr(b.value), repr(b.low), repr(b.high), b.how):
        return SAME
    return NEAR if abs(a.value - b.value) <= max(a.floor, b.floor) else DIFFERENT


def maker(path: pathlib.Path, c: Certificate, trust: bool) -> Callable[[str], Any]:
    """The function that makes the map of a name; it gives None for code of others that is not trusted."""
    if not c.with_:
        return Method
    with_ = read_with(str(path.parent / c.with_["file"]), trust)
    for name, sum_ in c.with_["names"].items():
        if with_.sums.get(name, "") != sum_:
            raise ConstellaError(f"{path}: '{name}' of {with_.path} has changed since")
    strangers = {s.name: s for s in with_.steppers}

    def make(name: str) -> Any:
        if name in strangers:
            return strangers[name] if trust else None
        try:
            return Method(name, with_.layers)
        except ConstellaError:
            if with_.layers is not None:
                raise
            return None

    return make


def bench_of(path: pathlib.Path, c: Certificate, system: str) -> Bench:
    entry = chosen([system], str(path.parent / c.asked["folder"]))[0]
    if entry.sha256 != c.asked["systems"].get(system, entry.sha256):
        raise ConstellaError(f"{path}: the system {system} has changed since")
    return Bench(entry)


def is_certificate(path: pathlib.Path) -> bool:
    try:
        return str(json.loads(path.read_bytes())["schema"]).startswith("constella-certificate")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def verify(path: pathlib.Path, sample: int, seed: int, trust: bool) -> int:
    """Prints what differs and a summary; 1 where something does, 2 where nothing could be measured."""
    c = read_certificate(path)
    pairs = list(dict.fromkeys((x.method, x.system) for x in c.cells))
    drawn = random.Random(seed).sample(pairs, min(sample or len(pairs), len(pairs)))
    make, counts, left_out = maker(path, c, trust), {SAME: 0, NEAR: 0, DIFFERENT: 0}, 0
    for method, system in sorted(drawn, key=pairs.index):
        of = make(method)
        old = [x for x in c.cells if (x.method, x.system) == (method, system) and x.claimed]
        if of is None:
            left_out += 1
            continue
        bench = bench_of(path, c, system)
        new = {x.claim: x for x in of.measured(bench, {x.claim: x.claimed for x in old}, c.quick, measured)} if old else {}
        for x in old:
            found = compared(x, new.get(x.claim))
            counts[found] += 1
            if found == DIFFERENT:
                print(f"{path}: {method} on {system}, {x.claim}: {x.judged.verdict}, {x.judged.said}; now {new[x.claim].judged.said if x.claim in new else 'nothing'}")
    told = f"{counts[DIFFERENT]} of {sum(counts.values())} numbers DIFFER" if counts[DIFFERENT] else f"{counts[SAME]} numbers, all with the same bits"
    near = f", {counts[NEAR]} the same within their floor" if counts[NEAR] else ""
    asked = f", {left_out} with code of others left out; --trust-code runs it" if left_out else ""
    print(f"{path}: {told}{near}{asked}; {len(drawn)} of {len(pairs)} pairs of a method and a system, drawn with seed {seed}")
    return 1 if counts[DIFFERENT] else 2 if left_out and not sum(counts.values()) else 0
